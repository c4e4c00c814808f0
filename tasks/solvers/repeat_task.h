/* SPDX-License-Identifier: BSD-3-Clause */
/* Task repeat: copies one row to many, such as the residuals of a volume to each of its slices. */
#pragma once

#include "runtime.h"

/* Inserts repeat: `to` gets row_count rows of row_bytes bytes, each of them row `row` of `from`. */
SinoStatus sino_insert_repeat(SinoRuntime *runtime, SinoPosition position, int64_t row_count, int64_t row_bytes,
                              int64_t row, SinoData *from, SinoData *to);
