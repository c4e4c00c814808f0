/* SPDX-License-Identifier: BSD-3-Clause */
/* MAT scan: angles in a MATLAB file, whatever the format of the scan. */
#ifndef SINO_MAT_SCAN_H
#define SINO_MAT_SCAN_H

#include "scan_axes.h"
#include "status.h"

#include <stdint.h>

/* Reads angles from a variable. *unit, if auto, becomes radians where its name says so. projections 0: as many as there
 * are. The caller frees them. SINO_BAD_INPUT: as of sino_mat_open; it is no row or column of numbers, another number of
 * them, an angle that is not finite. */
SinoStatus sino_mat_angles_read(const char *path, const char *name, SinoAngleUnit *unit, int64_t projections,
                                int64_t *count, double **angle_rad);

#endif
