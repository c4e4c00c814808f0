/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchange writer: scan.h reads back a written file; a file is whole or absent. */
#include "scan.h"
#include "testing_hdf5.h"

#include <math.h>
#include <sys/stat.h>

enum { ANGLES = 3, ROWS = 5, COLUMNS = 4, FLATS = 2, DARKS = 1 };

static const double angle_rad[ANGLES] = {0.1, 1, 2.5};

static SinoScanShape shape_of(SinoCountType type)
{
    return (SinoScanShape){.type = type,
                           .angle_count = ANGLES,
                           .row_count = ROWS,
                           .column_count = COLUMNS,
                           .flat_count = FLATS,
                           .dark_count = DARKS,
                           .angle_rad = angle_rad,
                           .description = "a phantom’s scan"};
}

/* A different number for each field, frame, row and column. */
static double value_at(int field, int frame, int row, int column)
{
    return 1000 * field + 100 * frame + 10 * row + column;
}

static void fill(SinoCountType type, int field, int frames, int first_row, int rows, void *counts)
{
    int i = 0;
    for (int frame = 0; frame < frames; frame++) {
        for (int row = first_row; row < first_row + rows; row++) {
            for (int column = 0; column < COLUMNS; column++, i++) {
                const double value = value_at(field, frame, row, column);
                if (type == SINO_COUNT_UINT16) ((uint16_t *)counts)[i] = (uint16_t)value;
                if (type == SINO_COUNT_FLOAT32) ((float *)counts)[i] = (float)value;
            }
        }
    }
}

static SinoStatus write_rows(SinoScanWriter *writer, SinoCountType type, int first_row, int rows)
{
    float counts[ANGLES * ROWS * COLUMNS], flats[FLATS * ROWS * COLUMNS], darks[DARKS * ROWS * COLUMNS];
    fill(type, 0, ANGLES, first_row, rows, counts);
    fill(type, 1, FLATS, first_row, rows, flats);
    fill(type, 2, DARKS, first_row, rows, darks);
    return sino_scan_writer_rows(writer, first_row, rows, counts, flats, darks);
}

static void check_field(const float *counts, int field, int frames)
{
    for (int frame = 0, i = 0; frame < frames; frame++) {
        for (int row = 0; row < ROWS; row++) {
            for (int column = 0; column < COLUMNS; column++, i++) {
                assert_true((double)counts[i] == value_at(field, frame, row, column));
            }
        }
    }
}

static void check_scan(SinoScan *scan, SinoCountType type)
{
    const SinoScanBox whole = {0, ROWS, 0, COLUMNS};
    const SinoScanInfo *info = sino_scan_info(scan);
    float counts[ANGLES * ROWS * COLUMNS];
    assert_int_equal(info->type, type);
    assert_int_equal(info->flat_count, FLATS);
    assert_int_equal(info->dark_count, DARKS);
    assert_false(info->angle_assumed);
    for (int k = 0; k < ANGLES; k++) assert_true(fabs(info->angle_rad[k] - angle_rad[k]) < 1e-15);
    for (int k = 0; k < ANGLES; k++) {
        assert_success(sino_scan_read_projection(scan, k, &whole, counts + k * ROWS * COLUMNS));
    }
    check_field(counts, 0, ANGLES);
    assert_success(sino_scan_read_flats(scan, &whole, counts));
    check_field(counts, 1, FLATS);
    assert_success(sino_scan_read_darks(scan, &whole, counts));
    check_field(counts, 2, DARKS);
}

static void scan_comes_back(void **state)
{
    const SinoCountType types[] = {SINO_COUNT_UINT16, SINO_COUNT_FLOAT32};
    char path[TESTING_PATH];
    testing_path(path, *state, "phantom.h5");
    for (int i = 0; i < 2; i++) {
        const SinoScanShape shape = shape_of(types[i]);
        const SinoScanRequest request = {.path = path};
        SinoScanWriter *writer;
        SinoScan *scan;
        assert_success(sino_scan_writer_open(path, i > 0, &shape, &writer));
        assert_success(write_rows(writer, types[i], 2, 3));
        assert_success(write_rows(writer, types[i], 0, 2));
        assert_success(sino_scan_writer_finish(writer));
        assert_success(sino_scan_open(&request, &scan));
        check_scan(scan, types[i]);
        sino_scan_close(scan);
        const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        assert_hdf5_text(file, "/", "description", "a phantom’s scan");
        assert_hdf5_text(file, NULL, "/implements", "exchange");
        assert_hdf5_text(file, "/exchange/theta", "units", "deg");
        assert_hdf5_text(file, "/exchange/data", "axes", "theta:y:x");
        testing_hdf5_close(file);
    }
}

static void setup_comes_back(void **state)
{
    char path[TESTING_PATH];
    SinoScanShape shape = shape_of(SINO_COUNT_UINT16);
    const SinoScanRequest request = {.path = testing_path(path, *state, "phantom.h5")};
    SinoScanWriter *writer;
    SinoScan *scan;
    shape.setup = (SinoScanSetup){
        .source_object = 123.456, .source_detector = 789.0123, .pixel_width = 0.127, .pixel_height = 0.2};
    assert_success(sino_scan_writer_open(path, false, &shape, &writer));
    assert_success(write_rows(writer, SINO_COUNT_UINT16, 0, ROWS));
    assert_success(sino_scan_writer_finish(writer));
    assert_success(sino_scan_open(&request, &scan));
    check_scan(scan, SINO_COUNT_UINT16);
    const SinoScanSetup *setup = &sino_scan_info(scan)->setup;
    assert_true(setup->source_object == 123.456 && fabs(setup->source_detector - 789.0123) < 1e-12);
    assert_true(setup->pixel_width == 0.127 && setup->pixel_height == 0.2);
    sino_scan_close(scan);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_hdf5_text(file, NULL, "/implements", "exchange:measurement");
    assert_hdf5_text(file, "/measurement/instrument/source/distance", "units", "mm");
    testing_hdf5_close(file);
}

static void parts_may_be_absent(void **state)
{
    char path[TESTING_PATH];
    SinoScanShape shape = shape_of(SINO_COUNT_UINT16);
    const SinoScanRequest request = {.path = testing_path(path, *state, "phantom.h5")};
    SinoScanWriter *writer;
    SinoScan *scan;
    uint16_t counts[ANGLES * ROWS * COLUMNS] = {0};
    shape.flat_count = shape.dark_count = 0;
    shape.description = NULL;
    assert_success(sino_scan_writer_open(path, false, &shape, &writer));
    assert_success(sino_scan_writer_rows(writer, 0, ROWS, counts, NULL, NULL));
    assert_success(sino_scan_writer_finish(writer));
    assert_success(sino_scan_open(&request, &scan));
    assert_int_equal(sino_scan_info(scan)->flat_count + sino_scan_info(scan)->dark_count, 0);
    sino_scan_close(scan);
}

static void assert_empty(const char *directory)
{
    assert_int_equal(rmdir(directory), 0); /* succeeds only when it is empty */
    assert_int_equal(mkdir(directory, 0700), 0);
}

static void unfinished_is_absent(void **state)
{
    char path[TESTING_PATH];
    const SinoScanShape shape = shape_of(SINO_COUNT_UINT16);
    SinoScanWriter *writer;
    testing_path(path, *state, "phantom.h5");
    assert_success(sino_scan_writer_open(path, false, &shape, &writer));
    assert_success(write_rows(writer, SINO_COUNT_UINT16, 0, 2));
    assert_error(sino_scan_writer_finish(writer), SINO_FAILED, "2 rows of a scan were written; allowed: all 5");
    assert_empty(*state);
    assert_success(sino_scan_writer_open(path, false, &shape, &writer));
    sino_scan_writer_abandon(writer);
    sino_scan_writer_abandon(NULL);
    assert_empty(*state);
}

static void full_disk_leaves_nothing(void **state)
{
    char path[TESTING_PATH];
    const SinoScanShape shape = shape_of(SINO_COUNT_FLOAT32);
    SinoScanWriter *writer;
    testing_path(path, *state, "phantom.h5");
    testing_limit_file_size(100);
    SinoStatus status = sino_scan_writer_open(path, false, &shape, &writer);
    testing_limit_file_size(RLIM_INFINITY);
    assert_error(status, SINO_FAILED, "/phantom.h5: ");
    assert_empty(*state);
    assert_success(sino_scan_writer_open(path, false, &shape, &writer));
    testing_limit_file_size(100);
    status = write_rows(writer, SINO_COUNT_FLOAT32, 0, ROWS);
    SinoStatus finished = sino_scan_writer_finish(writer);
    testing_limit_file_size(RLIM_INFINITY);
    assert_error(status, SINO_FAILED, ": File too large");
    assert_true(finished != NULL);
    sino_status_free(finished);
    assert_empty(*state);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(dxchange_writer)
{
    const struct CMUnitTest tests[] = {
        TEST(scan_comes_back),      TEST(setup_comes_back),         TEST(parts_may_be_absent),
        TEST(unfinished_is_absent), TEST(full_disk_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
