/* SPDX-License-Identifier: BSD-3-Clause */
/* NXtomo and named datasets: frames in any order, entries, links, units, other orders of dimensions, hostile files. */
#include "scan.h"
#include "testing_nxtomo.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FRAMES = 11, ROWS = 3, COLUMNS = 4, PIXELS = ROWS * COLUMNS };

/* dark, flat, three projections, flat, an alignment frame, two projections, dark, projection */
static const int key[FRAMES] = {2, 1, 0, 0, 0, 1, 3, 0, 0, 2, 0};
static const int projection[] = {2, 3, 4, 7, 8, 10}, flat[] = {1, 5}, dark[] = {0, 9};
static const double angle[FRAMES] = {0, 0, 0, 30, 60, 60, 75, 90, 120, 120, 150};
static const SinoScanBox whole = {0, ROWS, 0, COLUMNS};

static void fill(uint16_t counts[FRAMES * PIXELS])
{
    for (int i = 0; i < FRAMES * PIXELS; i++) counts[i] = (uint16_t)(100 * (i / PIXELS) + i % PIXELS);
}

static TestingNxtomo scan_of(const uint16_t *counts)
{
    return (TestingNxtomo){.group = "/entry1/tomo_entry",
                           .definition = "NXtomo",
                           .units = "degrees",
                           .frames = FRAMES,
                           .rows = ROWS,
                           .columns = COLUMNS,
                           .counts = counts,
                           .key = key,
                           .angle = angle,
                           .angles = FRAMES};
}

static SinoStatus open_with(const char *path, const char *dataset, SinoScan **scan)
{
    return sino_scan_open(&(SinoScanRequest){.path = path, .dataset = dataset}, scan);
}

/* Compares a box of all frames of all kinds. */
static void check_frames(SinoScan *scan, const SinoScanBox *box)
{
    const SinoScanInfo *info = sino_scan_info(scan);
    float flats[2 * PIXELS], darks[2 * PIXELS], one[PIXELS];
    uint16_t counts[6 * PIXELS];
    assert_int_equal(info->type, SINO_COUNT_UINT16);
    assert_int_equal(info->angle_count, 6);
    assert_int_equal(info->flat_count, 2);
    assert_int_equal(info->dark_count, 2);
    assert_success(sino_scan_read(scan, 1, 4, box, counts));
    assert_success(sino_scan_read_flats(scan, box, flats));
    assert_success(sino_scan_read_darks(scan, box, darks));
    assert_success(sino_scan_read_projection(scan, 5, box, one));
    const int64_t pixels = box->row_count * box->column_count;
    for (int64_t i = 0; i < pixels; i++) {
        const int64_t row = box->first_row + i / box->column_count, column = box->first_column + i % box->column_count;
        const int64_t place = row * COLUMNS + column;
        for (int k = 0; k < 4; k++) assert_int_equal(counts[k * pixels + i], 100 * projection[1 + k] + place);
        for (int k = 0; k < 2; k++) assert_true(flats[k * pixels + i] == (float)(100 * flat[k] + place));
        for (int k = 0; k < 2; k++) assert_true(darks[k * pixels + i] == (float)(100 * dark[k] + place));
        assert_true(one[i] == (float)(100 * projection[5] + place));
    }
}

static void check_whole(SinoScan *scan)
{
    const SinoScanBox part = {1, 2, 1, 2};
    const SinoScanInfo *info = sino_scan_info(scan);
    assert_string_equal(info->kind, "NXtomo HDF5");
    check_frames(scan, &whole);
    check_frames(scan, &part);
    for (int k = 0; k < 6; k++) assert_true(fabs(info->angle_rad[k] - angle[projection[k]] * M_PI / 180) < 1e-14);
}

static void frames_are_sorted(void **state)
{
    char path[TESTING_PATH];
    uint16_t counts[FRAMES * PIXELS];
    SinoScan *scan;
    fill(counts);
    TestingNxtomo written = scan_of(counts);
    testing_nxtomo_write(testing_path(path, *state, "a.nxs"), &written);
    assert_success(open_with(path, NULL, &scan));
    check_whole(scan);
    const SinoScanInfo *info = sino_scan_info(scan);
    assert_string_equal(info->certainty, "certain");
    assert_string_equal(info->evidence, "definition NXtomo, /entry1/tomo_entry/instrument/detector/data with "
                                        "image_key, angles in /entry1/tomo_entry/sample/rotation_angle");
    assert_string_equal(info->remark, "1 of 11 frames are ignored, as their image_key or image_key_control is "
                                      "neither 0 (projection), 1 (flat field) nor 2 (dark field), but 3");
    assert_int_equal(info->file_count, 1);
    assert_int_equal(info->flat_position[0], 0); /* projections before each flat field */
    assert_int_equal(info->flat_position[1], 3);
    sino_scan_close(scan);
}

/* Frames that were repeated to see how the sample moved are projections by image_key, and are not by its control. */
static void alignment_is_no_projection(void **state)
{
    static const int keys[FRAMES] = {2, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0},
                     control[FRAMES] = {2, 1, 0, 0, 0, 1, -1, 0, 0, 2, 0};
    char path[TESTING_PATH];
    uint16_t counts[FRAMES * PIXELS];
    SinoScan *scan;
    fill(counts);
    TestingNxtomo written = scan_of(counts);
    written.key = keys;
    written.control = control;
    testing_nxtomo_write(testing_path(path, *state, "a.nxs"), &written);
    assert_success(open_with(path, NULL, &scan));
    check_whole(scan);
    assert_string_equal(
        sino_scan_info(scan)->remark,
        "1 of 11 frames are ignored, as their image_key or image_key_control is neither 0 (projection), "
        "1 (flat field) nor 2 (dark field), but -1 (alignment)");
    sino_scan_close(scan);
}

/* Chunks of several frames, compressed. */
static void chunks_are_read(void **state)
{
    const hsize_t chunk[] = {3, 2, 3};
    char path[TESTING_PATH];
    uint16_t counts[FRAMES * PIXELS];
    SinoScan *scan;
    fill(counts);
    TestingNxtomo written = scan_of(counts);
    written.creation = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_chunk(written.creation, 3, chunk) >= 0 && H5Pset_deflate(written.creation, 4) >= 0);
    testing_nxtomo_write(testing_path(path, *state, "a.nxs"), &written);
    assert_true(H5Pclose(written.creation) >= 0);
    assert_success(open_with(path, NULL, &scan));
    check_whole(scan);
    sino_scan_close(scan);
}

static void found_by_content(void **state)
{
    char path[TESTING_PATH];
    uint16_t counts[FRAMES * PIXELS];
    SinoScan *scan;
    fill(counts);
    TestingNxtomo written = scan_of(counts);
    written.group = "/entry0000";
    written.detector = "pco";
    written.definition = NULL;
    written.units = NULL;
    testing_nxtomo_write(testing_path(path, *state, "a.nxs"), &written);
    assert_success(open_with(path, NULL, &scan));
    check_whole(scan);
    assert_string_equal(sino_scan_info(scan)->certainty, "likely");
    sino_scan_close(scan);
}

static void angles_in_every_form(void **state)
{
    char path[TESTING_PATH];
    uint16_t counts[FRAMES * PIXELS];
    double few[6], radians[FRAMES];
    SinoScan *scan;
    fill(counts);
    testing_path(path, *state, "a.nxs");
    for (int k = 0; k < 6; k++) few[k] = angle[projection[k]];
    for (int k = 0; k < FRAMES; k++) radians[k] = angle[k] * M_PI / 180;
    TestingNxtomo written = scan_of(counts);
    written.angle = few; /* one per projection */
    written.angles = 6;
    testing_nxtomo_write(path, &written);
    assert_success(open_with(path, NULL, &scan));
    check_whole(scan);
    sino_scan_close(scan);
    written = scan_of(counts);
    written.angle = radians;
    static const char *const attributes[] = {NULL, "unit", "angle_unit", "angle_units"};
    SinoScanRequest by_user = {.path = path, .theta_unit = SINO_ANGLE_UNIT_RADIANS};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        written.units = "rad";
        written.units_name = attributes[i];
        testing_nxtomo_write(path, &written);
        assert_success(open_with(path, NULL, &scan));
        check_whole(scan);
        assert_true(sino_scan_info(scan)->angle_radians);
        sino_scan_close(scan);
        written.units = "furlongs";
        testing_nxtomo_write(path, &written);
        assert_error(open_with(path, NULL, &scan), SINO_BAD_INPUT, "'furlongs' | --theta-unit");
        assert_success(sino_scan_open(&by_user, &scan));
        check_whole(scan);
        assert_false(sino_scan_info(scan)->angle_radians); /* the user knows */
        sino_scan_close(scan);
    }
    written = scan_of(counts);
    written.angles = 7;
    testing_nxtomo_write(path, &written);
    assert_error(open_with(path, NULL, &scan), SINO_BAD_INPUT, "rotation_angle | 7 angles | 6 | /entry1");
    written = scan_of(counts);
    written.angle = NULL;
    written.units = NULL;
    testing_nxtomo_write(path, &written);
    assert_success(open_with(path, NULL, &scan));
    assert_true(sino_scan_info(scan)->angle_assumed && sino_scan_info(scan)->angle_needed);
    sino_scan_close(scan);
}

static void several_entries(void **state)
{
    char path[TESTING_PATH], inner[TESTING_PATH + 64];
    uint16_t counts[FRAMES * PIXELS];
    SinoScan *scan;
    fill(counts);
    const hid_t file = H5Fcreate(testing_path(path, *state, "a.nxs"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    TestingNxtomo written = scan_of(counts);
    testing_nxtomo_add(file, &written);
    written.group = "/entry2";
    testing_nxtomo_add(file, &written);
    assert_true(H5Lcreate_soft("/entry2", file, "/entry3", H5P_DEFAULT, H5P_DEFAULT) >= 0); /* not a third one */
    testing_hdf5_close(file);
    assert_error(open_with(path, NULL, &scan), SINO_BAD_INPUT,
                 "a.nxs | 2 | --dataset | /entry2/instrument/detector/data");
    static const char *const names[] = {"/entry2", "/entry1", "entry1/tomo_entry/", "/entry2/instrument/detector/data"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_success(open_with(path, names[i], &scan));
        check_whole(scan);
        sino_scan_close(scan);
        snprintf(inner, sizeof inner, "%s:%s", path, names[i]);
        assert_success(open_with(inner, NULL, &scan));
        check_whole(scan);
        sino_scan_close(scan);
    }
    assert_error(open_with(inner, "/entry1", &scan), SINO_BAD_INPUT, "allowed: one dataset");
    assert_error(open_with(path, "/entry7", &scan), SINO_BAD_INPUT, "a.nxs has no dataset /entry7");
    assert_error(open_with(path, "/entry2/sample", &scan), SINO_BAD_INPUT, "/entry2/sample is not a dataset");
}

/* A definition counts more than a look, and images more than other detectors. */
static void better_candidates_win(void **state)
{
    char path[TESTING_PATH];
    uint16_t counts[FRAMES * PIXELS];
    SinoScan *scan;
    fill(counts);
    hid_t file = H5Fcreate(testing_path(path, *state, "a.nxs"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    TestingNxtomo written = scan_of(counts);
    testing_nxtomo_add(file, &written);
    written.group = "/entry0";
    written.definition = NULL;
    testing_nxtomo_add(file, &written);
    testing_hdf5_close(file);
    assert_success(open_with(path, NULL, &scan));
    assert_string_equal(sino_scan_info(scan)->certainty, "certain");
    sino_scan_close(scan);
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    testing_nxtomo_add(file, &written);
    written.group = "/entry9";
    written.detector = "ethercat";
    written.counts = NULL;
    testing_nxtomo_add(file, &written);
    assert_true(
        H5Lcreate_external("gone.h5", "/x", file, "/entry9/instrument/ethercat/data", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    testing_hdf5_close(file);
    assert_success(open_with(path, NULL, &scan));
    check_whole(scan);
    sino_scan_close(scan);
}

/* The frames behind a soft link to an external link to a virtual dataset. */
static void links_are_followed(void **state)
{
    const hsize_t size[] = {FRAMES, ROWS, COLUMNS};
    char path[TESTING_PATH], raw[TESTING_PATH], middle[TESTING_PATH];
    uint16_t counts[FRAMES * PIXELS];
    SinoScan *scan;
    fill(counts);
    const TestingDataset frames = {.name = "/exchange/frames",
                                   .file_type = H5T_STD_U16LE,
                                   .memory_type = H5T_NATIVE_UINT16,
                                   .rank = 3,
                                   .size = {FRAMES, ROWS, COLUMNS},
                                   .values = counts};
    hid_t file = testing_hdf5_create(testing_path(raw, *state, "raw.h5"));
    testing_hdf5_dataset(file, &frames);
    testing_hdf5_close(file);
    const hid_t space = H5Screate_simple(3, size, NULL);
    TestingDataset joined = frames;
    joined.values = NULL;
    joined.creation = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_virtual(joined.creation, space, "raw.h5", "/exchange/frames", space) >= 0);
    file = testing_hdf5_create(testing_path(middle, *state, "middle.h5"));
    testing_hdf5_dataset(file, &joined);
    testing_hdf5_close(file);
    assert_true(H5Pclose(joined.creation) >= 0 && H5Sclose(space) >= 0);
    TestingNxtomo written = scan_of(NULL);
    file = H5Fcreate(testing_path(path, *state, "a.nxs"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    testing_nxtomo_add(file, &written);
    assert_true(H5Lcreate_external("middle.h5", "/exchange/frames", file, "/frames", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(
        H5Lcreate_soft("/frames", file, "/entry1/tomo_entry/instrument/detector/data", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    testing_hdf5_close(file);
    assert_success(open_with(path, NULL, &scan));
    check_whole(scan);
    assert_int_equal(sino_scan_info(scan)->file_count, 3);
    sino_scan_close(scan);
    assert_int_equal(unlink(raw), 0);
    assert_error(open_with(path, NULL, &scan), SINO_BAD_INPUT, "raw.h5 | beside the file");
    assert_int_equal(unlink(middle), 0);
    assert_error(open_with(path, NULL, &scan), SINO_BAD_INPUT,
                 "a.nxs: /entry1/tomo_entry/instrument/detector/data is a link to /frames, which cannot be opened");
}

static void refused(const char *path, const TestingNxtomo *written, const char *text)
{
    SinoScan *scan;
    testing_nxtomo_write(path, written);
    assert_error(open_with(path, NULL, &scan), SINO_BAD_INPUT, text);
}

static void frames_that_make_no_scan(void **state)
{
    static const int others[FRAMES] = {1, 1, 2, 2, -1, 7, 3, 1, 1, 1, 1};
    char path[TESTING_PATH];
    uint16_t counts[FRAMES * PIXELS];
    SinoScan *scan;
    fill(counts);
    testing_path(path, *state, "a.nxs");
    TestingNxtomo written = scan_of(counts);
    written.key = others;
    refused(path, &written, "image_key | 11 | 3 | 1 | value 0");
    written = scan_of(counts);
    written.key = NULL;
    refused(path, &written,
            "without NXtomo frames (it holds /entry1; for --dataset: "
            "/entry1/tomo_entry/instrument/detector/data (uint16, 11 x 3 x 4))");
    /* no flat and no dark fields: a run refuses it later */
    static const int only[FRAMES] = {0};
    written = scan_of(counts);
    written.key = only;
    testing_nxtomo_write(path, &written);
    assert_success(open_with(path, NULL, &scan));
    assert_int_equal(sino_scan_info(scan)->angle_count, FRAMES);
    assert_int_equal(sino_scan_info(scan)->flat_count, 0);
    sino_scan_close(scan);
    /* keys of another number, and frames of another rank */
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    written = scan_of(counts);
    written.key = NULL;
    testing_nxtomo_add(file, &written);
    testing_hdf5_dataset(file, &(TestingDataset){.name = "/entry1/tomo_entry/instrument/detector/image_key",
                                                 .file_type = H5T_STD_I32LE,
                                                 .memory_type = H5T_NATIVE_INT,
                                                 .rank = 1,
                                                 .size = {5},
                                                 .values = key});
    testing_hdf5_close(file);
    assert_error(open_with(path, NULL, &scan), SINO_BAD_INPUT,
                 "image_key | 5 | 11 | /entry1/tomo_entry/instrument/detector/data");
}

/* Sizes that no memory has, declared without values. */
static void huge_sizes_are_refused(void **state)
{
    static const hsize_t size[][3] = {{(hsize_t)1 << 40, 3, 4}, {4, (hsize_t)1 << 40, 4}, {1 << 20, 1 << 20, 1 << 20}};
    const hsize_t chunk[] = {1, 1, 4};
    char path[TESTING_PATH];
    testing_path(path, *state, "a.nxs");
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        SinoScan *scan;
        TestingNxtomo written = scan_of(NULL);
        const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        TestingDataset frames = {.name = "/entry1/tomo_entry/instrument/detector/data",
                                 .file_type = H5T_STD_U16LE,
                                 .rank = 3,
                                 .size = {size[i][0], size[i][1], size[i][2]},
                                 .creation = H5Pcreate(H5P_DATASET_CREATE)};
        assert_true(H5Pset_chunk(frames.creation, 3, chunk) >= 0);
        assert_true(H5Pset_alloc_time(frames.creation, H5D_ALLOC_TIME_INCR) >= 0);
        testing_nxtomo_add(file, &written);
        testing_hdf5_dataset(file, &frames);
        testing_hdf5_close(file);
        assert_true(H5Pclose(frames.creation) >= 0);
        SinoStatus status = open_with(path, NULL, &scan);
        assert_int_equal(sino_status_exit_code(status), SINO_BAD_INPUT);
        sino_status_free(status);
    }
}

/* Every length of a file that was cut. */
static void cut_files_are_refused(void **state)
{
    char path[TESTING_PATH];
    uint16_t counts[FRAMES * PIXELS];
    fill(counts);
    const TestingNxtomo written = scan_of(counts);
    testing_nxtomo_write(testing_path(path, *state, "a.nxs"), &written);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    for (off_t length = about.st_size - 1; length > 0; length -= 97) {
        SinoScan *scan = NULL;
        assert_int_equal(truncate(path, length), 0);
        SinoStatus status = open_with(path, NULL, &scan);
        assert_int_equal(sino_status_exit_code(status), SINO_BAD_INPUT);
        sino_status_free(status);
    }
}

/* ---- any dataset, with other orders of dimensions ---- */

static void every_order_of_axes(void **state)
{
    enum { ANGLES = 5, VALUES = ANGLES * PIXELS };
    static const int meaning[6][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const hsize_t sizes[] = {ANGLES, ROWS, COLUMNS};
    static const SinoScanBox boxes[] = {{0, ROWS, 0, COLUMNS}, {1, 2, 2, 2}, {2, 1, 0, 1}};
    char path[TESTING_PATH];
    for (int axes = 0; axes < 12; axes++) {
        uint16_t stored[VALUES], read[VALUES];
        const int *order = meaning[axes % 6];
        const hsize_t chunk[] = {2, 2, 2};
        int i = 0, at[3];
        TestingDataset data = {.name = "/raw/frames",
                               .file_type = H5T_STD_U16BE,
                               .memory_type = H5T_NATIVE_UINT16,
                               .rank = 3,
                               .size = {sizes[order[0]], sizes[order[1]], sizes[order[2]]},
                               .values = stored};
        for (at[0] = 0; at[0] < (int)data.size[0]; at[0]++)
            for (at[1] = 0; at[1] < (int)data.size[1]; at[1]++)
                for (at[2] = 0; at[2] < (int)data.size[2]; at[2]++) {
                    int by[3];
                    for (int d = 0; d < 3; d++) by[order[d]] = at[d];
                    stored[i++] = (uint16_t)(100 * by[0] + 10 * by[1] + by[2]);
                }
        if (axes >= 6) data.creation = H5Pcreate(H5P_DATASET_CREATE);
        if (axes >= 6) assert_true(H5Pset_chunk(data.creation, 3, chunk) >= 0);
        const hid_t file = H5Fcreate(testing_path(path, *state, "a.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        const hid_t group = H5Gcreate2(file, "/raw", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(group >= 0 && H5Gclose(group) >= 0);
        testing_hdf5_dataset(file, &data);
        testing_hdf5_close(file);
        if (axes >= 6) assert_true(H5Pclose(data.creation) >= 0);
        const SinoScanRequest request = {
            .path = path, .dataset = "/raw/frames", .theta = "0:180", .axes = (SinoScanAxes)(axes % 6)};
        SinoScan *scan;
        assert_success(sino_scan_open(&request, &scan));
        assert_int_equal(sino_scan_info(scan)->angle_count, ANGLES);
        assert_int_equal(sino_scan_info(scan)->row_count, ROWS);
        for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++) {
            const SinoScanBox *box = &boxes[b];
            assert_success(sino_scan_read(scan, 1, 3, box, read));
            for (int64_t v = 0; v < 3 * box->row_count * box->column_count; v++) {
                const int64_t k = 1 + v / (box->row_count * box->column_count);
                const int64_t row = box->first_row + v / box->column_count % box->row_count;
                assert_int_equal(read[v], 100 * k + 10 * row + box->first_column + v % box->column_count);
            }
        }
        sino_scan_close(scan);
    }
}

static void angles_and_fields_by_name(void **state)
{
    char path[TESTING_PATH], theta[TESTING_PATH + 64];
    uint16_t counts[FRAMES * PIXELS];
    float flats[2 * PIXELS], darks[PIXELS];
    SinoScan *scan;
    fill(counts);
    const TestingNxtomo written = scan_of(counts);
    const hid_t file = H5Fcreate(testing_path(path, *state, "a.nxs"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    testing_nxtomo_add(file, &written);
    TestingDataset field = {.name = "/flat",
                            .file_type = H5T_STD_U16LE,
                            .memory_type = H5T_NATIVE_UINT16,
                            .rank = 3,
                            .size = {2, ROWS, COLUMNS},
                            .values = counts};
    testing_hdf5_dataset(file, &field);
    field.name = "/dark";
    field.rank = 2;
    field.size[0] = ROWS;
    field.size[1] = COLUMNS;
    testing_hdf5_dataset(file, &field);
    testing_hdf5_close(file);
    snprintf(theta, sizeof theta, "%s:/entry1/tomo_entry/sample/rotation_angle", path);
    SinoScanRequest request = {.path = path, .theta = theta, .flats = ":/flat", .darks = ":/dark"};
    assert_error(sino_scan_open(&request, &scan), SINO_BAD_INPUT, "has 11 angles; allowed: 6, one per projection");
    request.theta = NULL;
    request.theta_dataset = "/entry1/tomo_entry/sample/rotation_angle"; /* knows which frames are projections */
    assert_success(sino_scan_open(&request, &scan));
    const SinoScanInfo *info = sino_scan_info(scan);
    assert_true(fabs(info->angle_rad[5] - 150 * M_PI / 180) < 1e-14);
    assert_int_equal(info->flat_count, 2);
    assert_int_equal(info->dark_count, 1);
    assert_success(sino_scan_read_flats(scan, &whole, flats));
    assert_success(sino_scan_read_darks(scan, &whole, darks));
    for (int i = 0; i < 2 * PIXELS; i++) assert_true(flats[i] == (float)counts[i]);
    for (int i = 0; i < PIXELS; i++) assert_true(darks[i] == (float)counts[i]);
    sino_scan_close(scan);
    request.dataset = "/entry1/tomo_entry/instrument/detector/image_key";
    assert_error(sino_scan_open(&request, &scan), SINO_BAD_INPUT, "image_key | 1 dimension | 3");
    request.dataset = NULL;
    request.flats = ":/entry1/tomo_entry/sample/rotation_angle";
    assert_error(sino_scan_open(&request, &scan), SINO_BAD_INPUT, "has 1 dimension; allowed: 3, or 2 of one image");
    request.flats = path;
    assert_error(sino_scan_open(&request, &scan), SINO_BAD_INPUT, "HDF5 | FILE:/DATASET");
    request.flats = ":/absent";
    assert_error(sino_scan_open(&request, &scan), SINO_BAD_INPUT, "a.nxs has no dataset /absent");
}

/* ---- measured ---- */

static void measured_at_k11(void **state)
{
    (void)state;
    char path[TESTING_PATH];
    SinoScan *scan;
    assert_success(open_with(testing_data(path, "diad-k11/k11-18014.nxs"), NULL, &scan));
    const SinoScanInfo *info = sino_scan_info(scan);
    assert_int_equal(info->angle_count, 3001);
    assert_int_equal(info->row_count, 22);
    assert_int_equal(info->column_count, 26);
    assert_int_equal(info->flat_count, 100);
    assert_int_equal(info->dark_count, 100);
    assert_int_equal(info->file_count, 3);
    assert_true(fabs(info->angle_rad[0] * 180 / M_PI - 89.9951) < 1e-3);
    assert_true(fabs(info->angle_rad[3000] * 180 / M_PI - 269.9946) < 1e-3);
    const SinoScanBox box = {11, 1, 0, 26};
    float counts[26], flats[2600], darks[2600];
    assert_success(sino_scan_read_projection(scan, 3000, &box, counts));
    assert_success(sino_scan_read_flats(scan, &box, flats));
    assert_success(sino_scan_read_darks(scan, &box, darks));
    for (int i = 0; i < 2600; i++) assert_true(darks[i] < 1000 && flats[i] > 30000);
    for (int i = 0; i < 26; i++) assert_true(counts[i] > 10000);
    sino_scan_close(scan);
}

TESTING_SUBJECT(nxtomo)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(frames_are_sorted, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(alignment_is_no_projection, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(chunks_are_read, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(found_by_content, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(angles_in_every_form, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(several_entries, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(better_candidates_win, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(links_are_followed, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(frames_that_make_no_scan, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(huge_sizes_are_refused, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(cut_files_are_refused, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(every_order_of_axes, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(angles_and_fields_by_name, testing_directory_make, testing_directory_remove),
        cmocka_unit_test(measured_at_k11),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
