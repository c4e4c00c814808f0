/* SPDX-License-Identifier: BSD-3-Clause */
/* Odd fields: dark fields that have light, and flat fields that have none, as a late shutter makes them. */
#pragma once

#include "flat_sets.h"
#include "scan.h"

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
