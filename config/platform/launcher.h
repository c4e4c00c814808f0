/* SPDX-License-Identifier: BSD-3-Clause */
/* Launcher: the program that started this process beside others (mpirun, srun, flux …), from the environment. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct SinoLauncher {
    const char *name;          /* static text; NULL: no launcher, this process is alone */
    const char *rank_variable; /* of the environment; static text */
    const char *size_variable; /* NULL: the launcher does not tell how many processes it started */
    int64_t rank;              /* 0, 1, … as the launcher counts; 0 without a launcher */
    int64_t size;              /* processes started; 0: not told; 1 without a launcher */
} SinoLauncher;

/* The launcher of this process. If launchers are nested (mpirun within srun), the one that started this process itself
 * counts. The script of a Slurm batch job, and a shell within an allocation, are alone. */
SinoLauncher sino_launcher(void);

/* Whether the environment lets an MPI library join the processes of the launcher. False: Slurm started several tasks,
 * but none of its MPI plug-ins serves them. */
bool sino_launcher_serves_mpi(const SinoLauncher *launcher);
