/* SPDX-License-Identifier: BSD-3-Clause */
/* Phase, batch, private: the rows that a GPU transforms at a time, and what they take. */
#pragma once

#include "phase.h"

/* Bytes of a row that is transformed in place. */
int64_t sino_phase_row_bytes(const SinoPhaseOptions *options);

/* Rows of one transform. They depend on the options alone, so that the rounding of a row does. */
int64_t sino_phase_transform_rows(const SinoPhaseOptions *options);

/* Bytes of the arrays of one angle: of `lines` rows, those beside the result included, and `rows` rows of `columns`
 * columns of the result. */
int64_t sino_phase_angle_bytes(const SinoPhaseOptions *options, int64_t lines, int64_t rows, int64_t columns);
