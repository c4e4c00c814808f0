/* SPDX-License-Identifier: BSD-3-Clause */
/* Start volume: the first estimate of a volume, which --start names. */
#pragma once

#include "solver_settings.h"
#include "volume_input.h"

/* Tries in a child process whether the header can be read, if there is a file; before MPI or StarPU starts. */
SinoStatus sino_start_volume_try(const SinoSolverSettings *settings);

/* Opens the volume, which the caller closes; *input NULL: the settings name none. */
SinoStatus sino_start_volume_open(const SinoSolverSettings *settings, SinoVolumeInput **input);

/* SINO_BAD_INPUT: the volume has other sizes than the run's. `input` NULL: there is none. */
SinoStatus sino_start_volume_check(const SinoSolverSettings *settings, const SinoVolumeInput *input,
                                   int64_t slice_count, int64_t height, int64_t width);
