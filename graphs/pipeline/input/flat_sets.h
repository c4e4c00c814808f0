/* SPDX-License-Identifier: BSD-3-Clause */
/* Flat sets: flat fields that were taken at several times of a scan. The beam changes in between; each projection is
 * divided by a line between the sets before and after it. */
#pragma once

#include "input_settings.h"
#include "log.h"
#include "scan.h"
#include "status.h"

typedef struct SinoFlatSets {
    int64_t count;    /* 0: all flat fields are one; else 2 or more */
    int64_t *end;     /* [count]: number of the flat field after the last one of each set; owned */
    double *position; /* [count]: rising, in projections of the file: −½ is before the first one; owned */
} SinoFlatSets;

/* The sets that the settings or the scan tell. The caller frees them. SINO_BAD_INPUT: positions that do not rise, are
 * beyond the last projection, or do not divide the flat fields into sets of equally many. */
SinoStatus sino_flat_sets_new(const SinoInputSettings *settings, const SinoScanInfo *info, SinoFlatSets *sets);
void sino_flat_sets_free(SinoFlatSets *sets);

/* The place among the sets of angle k of the scan, as SinoCorrection.flat_at counts: from 0 to count − 1, without
 * extrapolation. There are two sets or more. */
double sino_flat_sets_at(const SinoFlatSets *sets, const SinoScanInfo *info, int64_t k);
