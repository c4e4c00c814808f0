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

/* Odd fields: dark fields that have light, and flat fields that have none, as a late shutter makes them. */

/* The level of a field: the median count of a sample of its pixels. A dark field is odd if it has more than a tenth of
 * the light between the median level of the dark fields and of the flat fields; a flat field is odd if it has less
 * than a quarter of the light of its set. odd_flat[flats], odd_dark[darks]; darks 0: dark fields have level 0. Where
 * flat fields are not brighter than dark fields nothing is odd. SINO_FAILED: no memory. */
SinoStatus sino_odd_fields(const SinoFlatSets *sets, int64_t flats, const double *flat_level, int64_t darks,
                           const double *dark_level, bool *odd_flat, bool *odd_dark);

/* Leaves the odd fields of a scan out, by the rows and columns of `box`, and says so in its remark; `sets`, which are
 * of all flat fields, become those of the rest. A scan of more than 4096 fields
 * keeps all. SINO_FAILED: no memory, or reading fails. */
SinoStatus sino_odd_fields_leave_out(SinoScan *scan, const SinoScanBox *box, SinoFlatSets *sets);
