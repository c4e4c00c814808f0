/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing with scans: counts of any type. */
#pragma once

#include "scan.h"
#include "testing.h"

/* Value i of what sino_scan_read has written. */
static inline double testing_scan_value(SinoCountType type, const void *counts, int64_t i)
{
    if (type == SINO_COUNT_UINT8) return (double)((const uint8_t *)counts)[i];
    if (type == SINO_COUNT_UINT16) return (double)((const uint16_t *)counts)[i];
    return (double)((const float *)counts)[i];
}

/* Reads a box of projections 1 to 3, for which `counts` has room, and compares it with value_at(angle, row, column). */
static inline void testing_scan_assert_box(SinoScan *scan, const SinoScanBox *box,
                                           double (*value_at)(int64_t, int64_t, int64_t), void *counts)
{
    enum { FIRST = 1, COUNT = 3 };
    assert_success(sino_scan_read(scan, FIRST, COUNT, box, counts));
    for (int64_t v = 0; v < COUNT * box->row_count * box->column_count; v++) {
        const int64_t k = FIRST + v / (box->row_count * box->column_count);
        const int64_t row = box->first_row + v / box->column_count % box->row_count;
        assert_true(testing_scan_value(sino_scan_info(scan)->type, counts, v) ==
                    value_at(k, row, box->first_column + v % box->column_count));
    }
}
