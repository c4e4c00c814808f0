/* SPDX-License-Identifier: BSD-3-Clause */
/* Launcher: variables of the environment that launchers set. */
#include "launcher.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Launchers that start processes through another one come first, because the other one's variables are then set too.
 */
static const SinoLauncher launchers[] = {
    {.name = "Open MPI", .rank_variable = "OMPI_COMM_WORLD_RANK", .size_variable = "OMPI_COMM_WORLD_SIZE"},
    {.name = "MVAPICH", .rank_variable = "MV2_COMM_WORLD_RANK", .size_variable = "MV2_COMM_WORLD_SIZE"},
    {.name = "a PMI launcher", .rank_variable = "PMI_RANK", .size_variable = "PMI_SIZE"},
    {.name = "Flux", .rank_variable = "FLUX_TASK_RANK", .size_variable = "FLUX_JOB_SIZE"},
    {.name = "PALS", .rank_variable = "PALS_RANKID"},
    {.name = "a PMIx launcher", .rank_variable = "PMIX_RANK"},
};
static const SinoLauncher slurm = {
    .name = "srun", .rank_variable = "SLURM_PROCID", .size_variable = "SLURM_STEP_NUM_TASKS"};

/* The value of a variable that holds an integer ≥ 0; −1: it does not. */
static int64_t number(const char *variable)
{
    const char *text = variable ? getenv(variable) : NULL;
    char *end;
    if (!text || !*text) return -1;
    const int64_t value = strtoll(text, &end, 10);
    return *end || value < 0 ? -1 : value;
}

/* Fills rank and size. False: this launcher did not start the process. */
static bool take(const SinoLauncher *row, SinoLauncher *launcher)
{
    const int64_t rank = number(row->rank_variable), size = number(row->size_variable);
    if (rank < 0) return false;
    *launcher = *row;
    launcher->rank = rank;
    launcher->size = size > 0 ? size : 0;
    return true;
}

/* A batch script has SLURM_PROCID too, but no variable of a step. */
static bool take_slurm(SinoLauncher *launcher)
{
    return number(slurm.size_variable) > 0 && take(&slurm, launcher);
}

/* True if Slurm's own PMIx plug-in set PMIX_RANK; the variables of the step then describe the same processes. */
static bool is_pmix_of_slurm(void)
{
    const char *space = getenv("PMIX_NAMESPACE");
    return space && strncmp(space, "slurm.", 6) == 0;
}

SinoLauncher sino_launcher(void)
{
    SinoLauncher launcher = {.size = 1};
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const bool is_pmix = strcmp(launchers[i].rank_variable, "PMIX_RANK") == 0;
        if (is_pmix && is_pmix_of_slurm() && take_slurm(&launcher)) return launcher;
        if (take(&launchers[i], &launcher)) return launcher;
    }
    (void)take_slurm(&launcher);
    return launcher;
}

bool sino_launcher_serves_mpi(const SinoLauncher *launcher)
{
    if (!launcher->name || strcmp(launcher->name, slurm.name) != 0) return true;
    for (char **variable = environ; *variable; variable++)
        if (strncmp(*variable, "PMI_", 4) == 0 || strncmp(*variable, "PMI2_", 5) == 0 ||
            strncmp(*variable, "PMIX_", 5) == 0)
            return true;
    return false;
}
