/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan likeness: how alike projections are that were taken one after the other, by which raw sinograms of a wrong width
 * are told. */
#pragma once

#include "input.h"

/* How alike neighbouring projections are in one row: mean squares of differences, relative to those of two unrelated
 * values of the row. */
typedef struct SinoScanLikeness {
    double lag[5];  /* [l]: between projections that are l angles apart, l = 1 … 4 */
    double part[5]; /* [f]: between a projection and itself shifted by 1/f of its columns, f = 2 … 4 */
} SinoScanLikeness;

/* Compares consecutive projections in the middle row; all NaN if they are too few or all alike. */
SinoStatus sino_scan_likeness(const SinoInput *input, SinoScanLikeness *likeness);
