/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing with arrays: a small scan whose values tell their places, in files of any format. */
#pragma once

#include "scan.h"
#include "testing.h"
#include "testing_scan.h"

#include <math.h>

enum { ANGLES = 5, ROWS = 3, COLUMNS = 4, PIXELS = ROWS * COLUMNS, VALUES = ANGLES * PIXELS };

static inline double value_at(int64_t k, int64_t row, int64_t column)
{
    return (double)(40 * k + 10 * row + column);
}

static inline void write_file(const char *directory, const char *name, const void *bytes, size_t count)
{
    char path[TESTING_PATH];
    testing_write_bytes(testing_path(path, directory, name), bytes, count);
}

/* Stores a value in one of the types "u1", "<u2", ">f8" …; returns its bytes. */
static inline size_t store(const char *type, double value, unsigned char *to)
{
    const size_t bytes = (size_t)(type[2] - '0');
    union {
        uint8_t u1;
        uint16_t u2;
        uint32_t u4;
        int16_t i2;
        int32_t i4;
        float f4;
        double f8;
        unsigned char raw[8];
    } as = {.raw = {0}};
    if (type[1] == 'u' && bytes == 1) as.u1 = (uint8_t)value;
    if (type[1] == 'u' && bytes == 2) as.u2 = (uint16_t)value;
    if (type[1] == 'u' && bytes == 4) as.u4 = (uint32_t)value;
    if (type[1] == 'i' && bytes == 2) as.i2 = (int16_t)value;
    if (type[1] == 'i' && bytes == 4) as.i4 = (int32_t)value;
    if (type[1] == 'f' && bytes == 4) as.f4 = (float)value;
    if (type[1] == 'f' && bytes == 8) as.f8 = value;
    for (size_t i = 0; i < bytes; i++) to[i] = as.raw[type[0] == '>' ? bytes - 1 - i : i];
    return bytes;
}

static inline void check_scan(const SinoScanRequest *request, const char *kind, const char *stored_type)
{
    static const SinoScanBox boxes[] = {{0, ROWS, 0, COLUMNS}, {1, 2, 1, 3}, {2, 1, 3, 1}};
    SinoScan *scan;
    float values[VALUES];
    assert_success(sino_scan_open(request, &scan));
    const SinoScanInfo *info = sino_scan_info(scan);
    assert_string_equal(info->kind, kind);
    assert_string_equal(info->stored_type, stored_type);
    assert_string_equal(info->certainty, "certain");
    assert_int_equal(info->angle_count, ANGLES);
    assert_int_equal(info->row_count, ROWS);
    assert_int_equal(info->column_count, COLUMNS);
    for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++) {
        const SinoScanBox *box = &boxes[b];
        testing_scan_assert_box(scan, box, value_at, values);
        assert_success(sino_scan_read_projection(scan, 4, box, values));
        assert_true((double)values[0] == value_at(4, box->first_row, box->first_column));
    }
    sino_scan_close(scan);
}

static inline void refused(const SinoScanRequest *request, const char *text)
{
    SinoScan *scan;
    assert_error(sino_scan_open(request, &scan), SINO_BAD_INPUT, text);
}
