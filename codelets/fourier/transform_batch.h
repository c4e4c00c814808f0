/* SPDX-License-Identifier: BSD-3-Clause */
/* Transform batch: rows that a GPU transforms at a time, where they are. */
#pragma once

#include "arithmetic.h"

#include <stdint.h>

enum { SINO_TRANSFORM_ALIGNMENT = 256 }; /* bytes, of the parts of scratch memory */

/* Bytes of a row: `points` real numbers, or half as many complex ones and one. */
static inline int64_t sino_transform_row_bytes(int64_t points)
{
    return (points + 2) * (int64_t)sizeof(float);
}

/* Rows of a transform: `count` rows, of which about `fitting` fit a cache, in transforms of nearly equal size. */
static inline int64_t sino_transform_rows_of(int64_t count, int64_t fitting)
{
    return sino_ceil_divide(count, sino_larger((count + fitting / 2) / fitting, 1));
}
