/* SPDX-License-Identifier: BSD-3-Clause */
/* Sinogram file: raw float32 sinograms read through scan.h, their order, crops and refusals. */
#include "scan.h"
#include "testing.h"

#include <math.h>

enum { SLICES = 2, ANGLES = 3, COLUMNS = 4, VALUES = SLICES * ANGLES * COLUMNS };

static void write_floats(const char *path, const float *values, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(values, sizeof *values, count, file), count);
    assert_int_equal(fclose(file), 0);
}

typedef struct Raw {
    char data[TESTING_PATH], theta[TESTING_PATH];
    float values[VALUES], angles[ANGLES];
} Raw;

/* Values are 100·slice + 10·angle + column. */
static void write_raw(const char *directory, Raw *raw)
{
    for (int i = 0; i < VALUES; i++) {
        raw->values[i] = (float)(100 * (i / (ANGLES * COLUMNS)) + 10 * (i / COLUMNS % ANGLES) + i % COLUMNS);
    }
    for (int k = 0; k < ANGLES; k++) raw->angles[k] = 0.5f * (float)k;
    write_floats(testing_path(raw->data, directory, "data.bin"), raw->values, VALUES);
    write_floats(testing_path(raw->theta, directory, "theta.bin"), raw->angles, ANGLES);
}

static SinoStatus open_raw(const Raw *raw, int64_t columns, SinoScan **scan)
{
    const SinoScanRequest request = {.path = raw->data, .theta = raw->theta, .columns = columns};
    return sino_scan_open(&request, scan);
}

static void order_is_angle_row_column(void **state)
{
    Raw raw = {0};
    SinoScan *scan;
    float counts[VALUES], one = 7;
    write_raw(*state, &raw);
    assert_success(open_raw(&raw, COLUMNS, &scan));
    const SinoScanInfo *info = sino_scan_info(scan);
    assert_string_equal(info->kind, "raw sinograms");
    assert_string_equal(info->stored_type, "float32");
    assert_int_equal(info->type, SINO_COUNT_FLOAT32);
    assert_int_equal(info->angle_count, ANGLES);
    assert_int_equal(info->row_count, SLICES);
    assert_int_equal(info->column_count, COLUMNS);
    assert_int_equal(info->flat_count + info->dark_count, 0);
    assert_true(info->line_integrals && !info->angle_assumed);
    for (int k = 0; k < ANGLES; k++) assert_true(info->angle_rad[k] == 0.5 * k);
    const SinoScanBox box = {0, SLICES, 1, 2};
    assert_success(sino_scan_read(scan, 0, sino_scan_info(scan)->angle_count, &box, counts));
    int i = 0;
    for (int k = 0; k < ANGLES; k++) {
        for (int row = 0; row < SLICES; row++) {
            for (int column = 1; column < 3; column++) {
                assert_true(counts[i++] == (float)(100 * row + 10 * k + column));
            }
        }
    }
    const SinoScanBox last = {1, 1, 3, 1};
    assert_success(sino_scan_read_projection(scan, 2, &last, &one));
    assert_true(one == 123);
    assert_success(sino_scan_read_flats(scan, &last, &one));
    assert_success(sino_scan_read_darks(scan, &last, &one));
    assert_true(one == 123);
    sino_scan_close(scan);
}

static void sizes_that_do_not_fit(void **state)
{
    Raw raw = {0};
    SinoScan *scan;
    write_raw(*state, &raw);
    assert_error(open_raw(&raw, 0, &scan), SINO_BAD_INPUT, "or raw float32 with --theta and --columns");
    assert_error(open_raw(&raw, 5, &scan), SINO_BAD_INPUT, "/data.bin | 96 bytes | 3 angles | 60 bytes");
    assert_error(open_raw(&raw, INT64_MAX, &scan), SINO_BAD_INPUT, "does not fit in 63 bits");
    assert_int_equal(truncate(raw.data, 0), 0);
    assert_error(open_raw(&raw, COLUMNS, &scan), SINO_BAD_INPUT, "/data.bin | 0 bytes | 3 angles | 48 bytes");
    assert_int_equal(unlink(raw.data), 0);
    assert_error(open_raw(&raw, COLUMNS, &scan), SINO_BAD_INPUT, "/data.bin: No such file or directory");
}

static void angles_that_are_none(void **state)
{
    Raw raw = {0};
    SinoScan *scan;
    write_raw(*state, &raw);
    raw.angles[1] = NAN;
    write_floats(raw.theta, raw.angles, ANGLES);
    assert_error(open_raw(&raw, COLUMNS, &scan), SINO_BAD_INPUT, "/theta.bin | angle 1 | nan | float32");
    assert_int_equal(truncate(raw.theta, 6), 0);
    assert_error(open_raw(&raw, COLUMNS, &scan), SINO_BAD_INPUT, "/theta.bin | 6 bytes | 4 | float32");
    assert_int_equal(truncate(raw.theta, 0), 0);
    assert_error(open_raw(&raw, COLUMNS, &scan), SINO_BAD_INPUT, "/theta.bin | 0 bytes | 4 | float32");
    assert_int_equal(unlink(raw.theta), 0);
    assert_error(open_raw(&raw, COLUMNS, &scan), SINO_BAD_INPUT, "/theta.bin', and there is no such file");
    testing_path(raw.theta, *state, "");
    assert_error(open_raw(&raw, COLUMNS, &scan), SINO_BAD_INPUT, "/ is a directory; give the name of a file");
}

static void file_that_shrinks(void **state)
{
    Raw raw = {0};
    SinoScan *scan;
    float counts[VALUES];
    write_raw(*state, &raw);
    assert_success(open_raw(&raw, COLUMNS, &scan));
    assert_int_equal(truncate(raw.data, 50), 0);
    const SinoScanBox box = {0, SLICES, 0, COLUMNS};
    assert_error(sino_scan_read(scan, 0, sino_scan_info(scan)->angle_count, &box, counts), SINO_FAILED,
                 "/data.bin cannot be read at byte 50: the file has become shorter");
    sino_scan_close(scan);
}

static void measured_ads1(void **state)
{
    (void)state;
    Raw raw = {0};
    SinoScan *scan;
    testing_data(raw.data, "memxct/ADS1_sinogram.bin");
    testing_data(raw.theta, "memxct/ADS1_theta.bin");
    assert_success(open_raw(&raw, 256, &scan));
    const SinoScanInfo *info = sino_scan_info(scan);
    assert_int_equal(info->angle_count, 360);
    assert_int_equal(info->column_count, 256);
    assert_int_equal(info->row_count, 1);
    assert_true(info->angle_rad[359] > 3 && info->angle_rad[359] < 3.15);
    float *counts = malloc(360 * 256 * sizeof *counts);
    assert_non_null(counts);
    const SinoScanBox box = {0, 1, 0, 256};
    assert_success(sino_scan_read(scan, 0, sino_scan_info(scan)->angle_count, &box, counts));
    double first = 0, last = 0; /* every projection has the same sum, that of the object */
    for (int i = 0; i < 256; i++) {
        first += (double)counts[i];
        last += (double)counts[359 * 256 + i];
    }
    assert_true(first > 0 && fabs(first - last) < 0.01 * first);
    free(counts);
    sino_scan_close(scan);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(sinogram_file)
{
    const struct CMUnitTest tests[] = {
        TEST(order_is_angle_row_column), TEST(sizes_that_do_not_fit),     TEST(angles_that_are_none),
        TEST(file_that_shrinks),         cmocka_unit_test(measured_ads1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
