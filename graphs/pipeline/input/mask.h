/* SPDX-License-Identifier: BSD-3-Clause */
/* Mask: the voxels of slices that may have a value, which --mask names. */
#pragma once

#include "solver_settings.h"
#include "status.h"

#include <stdint.h>

/* Tries in a child process whether the header can be read, if there is a file; before MPI or StarPU starts. */
SinoStatus sino_mask_try(const SinoSolverSettings *settings);

/* Reads the image. *mask: [height][width], 0 where voxels stay 0; owned by the caller, who frees it; NULL: the settings
 * name none. SINO_BAD_INPUT: other sizes than one slice of width x height, a value that is no finite number, no voxel
 * other than 0. */
SinoStatus sino_mask_read(const SinoSolverSettings *settings, int64_t height, int64_t width, unsigned char **mask);

/* Bytes of the image of a run, 0 without one. */
int64_t sino_mask_bytes(const SinoSolverSettings *settings, int64_t height, int64_t width);
