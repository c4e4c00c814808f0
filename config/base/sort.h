/* SPDX-License-Identifier: BSD-3-Clause */
/* Sort: finite values in rising order, for medians. */
#pragma once

#include <stdint.h>

/* Moves the finite values to the front, in rising order. Returns how many there are. */
int64_t sino_sort_finite(int64_t count, double *value);
