/* SPDX-License-Identifier: BSD-3-Clause */
/* NPZ scan: angles in an archive of NumPy arrays, whatever the format of the scan. */
#ifndef SINO_NPZ_SCAN_H
#define SINO_NPZ_SCAN_H

#include "scan_axes.h"
#include "status.h"

#include <stdint.h>

/* Reads angles from a list in the archive, as sino_mat_angles_read does of a variable. */
SinoStatus sino_npz_angles_read(const char *path, const char *name, SinoAngleUnit *unit, int64_t projections,
                                int64_t *count, double **angle_rad);

#endif
