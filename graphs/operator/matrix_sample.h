/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix sample: what some rows of a system matrix tell of all, while it is surveyed. */
#pragma once

#include "matrix_survey.h"

/* Sets the order of the voxels, and the bytes per nonzero. entries: [row that is read], at most. SINO_BAD_INPUT: the
 * file is refused (matrix_file.h). SINO_FAILED: no memory. */
SinoStatus sino_matrix_order_voxels(SinoMatrixSurvey *survey, const int64_t *entries);
