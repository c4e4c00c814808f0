/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan, selection: which projections are left out, what is averaged, and what is refused. */
#include "scan.h"
#include "testing_hdf5.h"

#include <math.h>

enum { ANGLES = 12, ROWS = 2, COLUMNS = 3, PIXELS = ROWS * COLUMNS };

static const SinoScanBox whole = {0, ROWS, 0, COLUMNS};

/* Projection k has the counts 100 k + pixel, at 15 k degrees. */
static void write_scan(const char *path, const double *degrees)
{
    uint16_t counts[ANGLES * PIXELS];
    double angle[ANGLES];
    for (int i = 0; i < ANGLES * PIXELS; i++) counts[i] = (uint16_t)(100 * (i / PIXELS) + i % PIXELS);
    counts[5 * PIXELS + 1] = UINT16_MAX;
    for (int k = 0; k < ANGLES; k++) angle[k] = degrees ? degrees[k] : 15.0 * k;
    const hid_t file = testing_hdf5_create(path);
    testing_hdf5_dataset(file, &(TestingDataset){.name = "/exchange/data",
                                                 .file_type = H5T_STD_U16LE,
                                                 .memory_type = H5T_NATIVE_UINT16,
                                                 .rank = 3,
                                                 .size = {ANGLES, ROWS, COLUMNS},
                                                 .values = counts});
    testing_hdf5_dataset(file, &(TestingDataset){.name = "/exchange/theta",
                                                 .file_type = H5T_IEEE_F64LE,
                                                 .memory_type = H5T_NATIVE_DOUBLE,
                                                 .rank = 1,
                                                 .size = {ANGLES},
                                                 .values = angle});
    testing_hdf5_close(file);
}

/* The scan has these projections of the file, read together and alone. */
static void check_left(const SinoScanRequest *request, int64_t count, const int64_t *left)
{
    SinoScan *scan;
    uint16_t counts[ANGLES * PIXELS];
    float one[PIXELS];
    assert_success(sino_scan_open(request, &scan));
    const SinoScanInfo *info = sino_scan_info(scan);
    assert_int_equal(info->angle_count, count);
    assert_int_equal(info->file_angle_count, ANGLES);
    assert_int_equal(info->type, SINO_COUNT_UINT16);
    assert_success(sino_scan_read(scan, 0, count, &whole, counts));
    for (int64_t k = 0; k < count; k++) {
        assert_true(fabs(info->angle_rad[k] - 15 * (double)left[k] * M_PI / 180) < 1e-12);
        assert_int_equal(counts[k * PIXELS], 100 * left[k]);
        assert_int_equal(counts[k * PIXELS + 5], 100 * left[k] + 5);
        assert_success(sino_scan_read_projection(scan, k, &whole, one));
        assert_true(one[5] == (float)(100 * left[k] + 5));
        if (info->projection) assert_int_equal(info->projection[k], left[k]);
    }
    sino_scan_close(scan);
}

static void lists_and_limits(void **state)
{
    char path[TESTING_PATH];
    write_scan(testing_path(path, *state, "scan.h5"), NULL);
    SinoScanRequest request = {.path = path};
    check_left(&request, 12, (int64_t[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    request.exclude = "3";
    check_left(&request, 11, (int64_t[]){0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11});
    request.exclude = "0,11,4:7,5";
    check_left(&request, 7, (int64_t[]){1, 2, 3, 7, 8, 9, 10});
    request.exclude = "1::2"; /* half-sets */
    check_left(&request, 6, (int64_t[]){0, 2, 4, 6, 8, 10});
    request.exclude = "0::2";
    check_left(&request, 6, (int64_t[]){1, 3, 5, 7, 9, 11});
    request.exclude = NULL;
    request.half = 1;
    check_left(&request, 6, (int64_t[]){0, 2, 4, 6, 8, 10});
    request.exclude = "0,3"; /* halves are of the others */
    check_left(&request, 5, (int64_t[]){1, 4, 6, 8, 10});
    request.half = 2;
    check_left(&request, 5, (int64_t[]){2, 5, 7, 9, 11});
    request.half = 0;
    request.exclude = "2:9:3,11::9223372036854775807";
    check_left(&request, 8, (int64_t[]){0, 1, 3, 4, 6, 7, 9, 10});
    request.exclude = "0:11";
    check_left(&request, 1, (int64_t[]){11});
    request.exclude = NULL;
    request.limit_angles = true;
    request.start_angle = 30;
    request.end_angle = 75;
    check_left(&request, 4, (int64_t[]){2, 3, 4, 5});
    request.exclude = "4"; /* counts all projections of the file */
    check_left(&request, 3, (int64_t[]){2, 3, 5});
    request.exclude = NULL;
    request.start_angle = -INFINITY;
    request.end_angle = 0;
    check_left(&request, 1, (int64_t[]){0});
    request.start_angle = 150;
    request.end_angle = INFINITY;
    check_left(&request, 2, (int64_t[]){10, 11});
}

static void averages(void **state)
{
    static const double turned[ANGLES] = {358, 359, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    char path[TESTING_PATH];
    SinoScan *scan;
    float mean[ANGLES * PIXELS];
    write_scan(testing_path(path, *state, "scan.h5"), turned);
    SinoScanRequest request = {.path = path, .angle_binning = 3};
    assert_success(sino_scan_open(&request, &scan));
    const SinoScanInfo *info = sino_scan_info(scan);
    assert_int_equal(info->angle_count, 4);
    assert_int_equal(info->type, SINO_COUNT_FLOAT32);
    assert_true(info->full_count == UINT16_MAX);
    assert_true(fabs(info->angle_rad[0] * 180 / M_PI - 359) < 1e-9); /* the short way around */
    assert_true(fabs(info->angle_rad[3] * 180 / M_PI - 8) < 1e-9);
    const SinoScanBox box = {1, 1, 1, 2};
    assert_success(sino_scan_read(scan, 1, 3, &whole, mean));
    assert_true(mean[0] == 400 && mean[5] == 405);
    assert_true(mean[1] == UINT16_MAX); /* one of the three is saturated */
    assert_success(sino_scan_read(scan, 2, 1, &box, mean));
    assert_true(mean[0] == 704 && mean[1] == 705);
    sino_scan_close(scan);
    /* No average has projections from both sides of one that is left out. */
    request.exclude = "4";
    request.angle_binning = 2;
    assert_success(sino_scan_open(&request, &scan));
    info = sino_scan_info(scan);
    assert_int_equal(info->angle_count, 5); /* 0 1, 2 3, 5 6, 7 8, 9 10 */
    assert_int_equal(info->projection[2], 5);
    assert_true(fabs(info->angle_rad[2] * 180 / M_PI - 3.5) < 1e-9);
    assert_success(sino_scan_read_projection(scan, 2, &whole, mean));
    assert_true(mean[0] == 550);
    sino_scan_close(scan);
    /* A limit of saturation of the caller. */
    request.saturation = 500;
    assert_success(sino_scan_open(&request, &scan));
    assert_success(sino_scan_read_projection(scan, 2, &whole, mean));
    assert_true(mean[0] == 600);
    sino_scan_close(scan);
}

static void selections_that_make_no_sense(void **state)
{
    static const char *const malformed[] = {
        "",    "a",    "3,",   ",3",     "3:",     ":3", "3-5", "3 4", "-1", "99999999999999999999",
        "3::", "3::0", "3:5:", "3:5:-1", "3:5:2:", "::2"};
    static const char *const beyond[] = {"12", "3:13", "12::2", "3:13:2", "5:5", "7:3", "9223372036854775807"};
    char path[TESTING_PATH];
    SinoScan *scan;
    write_scan(testing_path(path, *state, "scan.h5"), NULL);
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
        assert_error(sino_scan_open(&(SinoScanRequest){.path = path, .exclude = malformed[i]}, &scan), SINO_BAD_INPUT,
                     "; allowed: numbers of projections and ranges, such as 30,100:110");
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++)
        assert_error(sino_scan_open(&(SinoScanRequest){.path = path, .exclude = beyond[i]}, &scan), SINO_BAD_INPUT,
                     "; allowed: from 0 to 11, the projections of the scan");
    SinoScanRequest request = {.path = path, .exclude = "0:12"};
    assert_error(sino_scan_open(&request, &scan), SINO_BAD_INPUT, "none of the 12 projections is left");
    request.exclude = NULL;
    request.angle_binning = 2;
    assert_error(sino_scan_open(&request, &scan), SINO_BAD_INPUT, "angle-binning | 2 | 15 degrees | 10");
    request.angle_binning = 1;
    request.limit_angles = true;
    request.start_angle = request.end_angle = 7;
    assert_error(sino_scan_open(&request, &scan), SINO_BAD_INPUT, "none of the 12 projections is left");
}

TESTING_SUBJECT(scan_select)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lists_and_limits, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(averages, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(selections_that_make_no_sense, testing_directory_make,
                                        testing_directory_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
