/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan: Data Exchange files of every type, crops, missing parts, and the refusal of unreadable files. */
#include "hdf5_files.h"
#include "scan.h"
#include "testing_hdf5.h"

#include <math.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ANGLES = 3, ROWS = 4, COLUMNS = 5, FLATS = 2, DARKS = 1, VALUES = ANGLES * ROWS * COLUMNS };

static const SinoScanBox whole = {0, ROWS, 0, COLUMNS};
static const double theta[ANGLES] = {0, 45, 90};

/* A whole number that every type of the tests holds. */
static double value_at(int64_t frame, int64_t row, int64_t column)
{
    return (double)((frame * ROWS + row) * COLUMNS + column + 1);
}

static void fill(double *values, int64_t frames)
{
    for (int64_t i = 0; i < frames * ROWS * COLUMNS; i++) values[i] = (double)(i + 1);
}

static TestingDataset frames_of(const char *name, hid_t type, hsize_t frames, const double *values)
{
    return (TestingDataset){.name = name,
                            .file_type = type,
                            .memory_type = H5T_NATIVE_DOUBLE,
                            .rank = 3,
                            .size = {frames, ROWS, COLUMNS},
                            .values = values};
}

static TestingDataset angles_of(hsize_t count, const double *values)
{
    return (TestingDataset){.name = "/exchange/theta",
                            .file_type = H5T_IEEE_F32BE,
                            .memory_type = H5T_NATIVE_DOUBLE,
                            .rank = 1,
                            .size = {count},
                            .values = values};
}

/* Data, flats, darks and angles; a part with a NULL name is left out. */
static void write_scan(const char *path, const TestingDataset *data, const TestingDataset *flats,
                       const TestingDataset *darks, const TestingDataset *angles)
{
    const hid_t file = testing_hdf5_create(path);
    if (data) testing_hdf5_dataset(file, data);
    if (flats) testing_hdf5_dataset(file, flats);
    if (darks) testing_hdf5_dataset(file, darks);
    if (angles) testing_hdf5_dataset(file, angles);
    testing_hdf5_close(file);
}

static SinoStatus open_path(const char *path, SinoScan **scan)
{
    const SinoScanRequest request = {.path = path};
    return sino_scan_open(&request, scan);
}

static double count_as_double(const void *counts, SinoCountType type, int64_t i)
{
    switch (type) {
    case SINO_COUNT_UINT8:
        return (double)((const uint8_t *)counts)[i];
    case SINO_COUNT_UINT16:
        return (double)((const uint16_t *)counts)[i];
    default:
        return (double)((const float *)counts)[i];
    }
}

static void check_box(SinoScan *scan, const SinoScanBox *box)
{
    float counts[VALUES];
    const SinoCountType type = sino_scan_info(scan)->type;
    assert_success(sino_scan_read(scan, 0, sino_scan_info(scan)->angle_count, box, counts));
    int64_t i = 0;
    for (int64_t k = 0; k < ANGLES; k++) {
        for (int64_t row = 0; row < box->row_count; row++) {
            for (int64_t column = 0; column < box->column_count; column++) {
                const double expected = value_at(k, box->first_row + row, box->first_column + column);
                assert_true(count_as_double(counts, type, i++) == expected);
            }
        }
    }
}

static void every_type_is_read(void **state)
{
    const struct {
        hid_t type;
        const char *stored_type;
        SinoCountType count_type;
    } cases[] = {
        {H5T_STD_U8LE, "uint8", SINO_COUNT_UINT8},       {H5T_STD_U8BE, "uint8", SINO_COUNT_UINT8},
        {H5T_STD_U16LE, "uint16", SINO_COUNT_UINT16},    {H5T_STD_U16BE, "uint16", SINO_COUNT_UINT16},
        {H5T_IEEE_F32LE, "float32", SINO_COUNT_FLOAT32}, {H5T_IEEE_F32BE, "float32", SINO_COUNT_FLOAT32},
        {H5T_STD_I8LE, "int8", SINO_COUNT_FLOAT32},      {H5T_STD_I16BE, "int16", SINO_COUNT_FLOAT32},
        {H5T_STD_I32LE, "int32", SINO_COUNT_FLOAT32},    {H5T_STD_U32BE, "uint32", SINO_COUNT_FLOAT32},
        {H5T_STD_I64BE, "int64", SINO_COUNT_FLOAT32},    {H5T_STD_U64LE, "uint64", SINO_COUNT_FLOAT32},
        {H5T_IEEE_F64LE, "float64", SINO_COUNT_FLOAT32}, {H5T_IEEE_F64BE, "float64", SINO_COUNT_FLOAT32},
    };
    char path[TESTING_PATH];
    double values[VALUES];
    fill(values, ANGLES);
    testing_path(path, *state, "scan.h5");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const TestingDataset data = frames_of("/exchange/data", cases[i].type, ANGLES, values);
        SinoScan *scan;
        write_scan(path, &data, NULL, NULL, NULL);
        assert_success(open_path(path, &scan));
        assert_string_equal(sino_scan_info(scan)->stored_type, cases[i].stored_type);
        assert_int_equal(sino_scan_info(scan)->type, cases[i].count_type);
        check_box(scan, &whole);
        sino_scan_close(scan);
    }
}

static void negative_counts_stay_negative(void **state)
{
    char path[TESTING_PATH];
    double values[VALUES];
    float counts[VALUES];
    SinoScan *scan;
    fill(values, ANGLES);
    values[7] = -30000;
    const TestingDataset data = frames_of("/exchange/data", H5T_STD_I16BE, ANGLES, values);
    write_scan(testing_path(path, *state, "scan.h5"), &data, NULL, NULL, NULL);
    assert_success(open_path(path, &scan));
    assert_success(sino_scan_read(scan, 0, sino_scan_info(scan)->angle_count, &whole, counts));
    assert_true(counts[7] == -30000.0f);
    sino_scan_close(scan);
}

static void whole_file(void **state)
{
    char path[TESTING_PATH];
    double values[VALUES];
    float counts[VALUES];
    SinoScan *scan;
    fill(values, ANGLES);
    const TestingDataset data = frames_of("/exchange/data", H5T_STD_U16LE, ANGLES, values);
    const TestingDataset flats = frames_of("/exchange/data_white", H5T_IEEE_F64BE, FLATS, values);
    const TestingDataset darks = frames_of("/exchange/data_dark", H5T_STD_U8LE, DARKS, values);
    const TestingDataset angles = angles_of(ANGLES, theta);
    write_scan(testing_path(path, *state, "scan.h5"), &data, &flats, &darks, &angles);
    assert_success(open_path(path, &scan));
    const SinoScanInfo *info = sino_scan_info(scan);
    assert_string_equal(info->kind, "Data Exchange HDF5");
    assert_int_equal(info->angle_count, ANGLES);
    assert_int_equal(info->row_count, ROWS);
    assert_int_equal(info->column_count, COLUMNS);
    assert_int_equal(info->flat_count, FLATS);
    assert_int_equal(info->dark_count, DARKS);
    assert_false(info->angle_assumed);
    assert_false(info->line_integrals);
    for (int k = 0; k < ANGLES; k++) assert_true(fabs(info->angle_rad[k] - theta[k] * M_PI / 180) < 1e-15);
    const SinoScanBox box = {1, 2, 2, 3};
    check_box(scan, &box);
    const SinoScanBox corner = {ROWS - 1, 1, COLUMNS - 1, 1};
    check_box(scan, &corner);
    assert_success(sino_scan_read_projection(scan, 2, &box, counts));
    assert_true((double)counts[5] == value_at(2, 2, 4));
    assert_success(sino_scan_read_flats(scan, &box, counts));
    assert_true((double)counts[0] == value_at(0, 1, 2) && (double)counts[11] == value_at(1, 2, 4));
    assert_success(sino_scan_read_darks(scan, &corner, counts));
    assert_true((double)counts[0] == value_at(0, ROWS - 1, COLUMNS - 1));
    sino_scan_close(scan);
}

static void write_number(hid_t file, const char *dataset, const char *name, double number)
{
    const hid_t object = H5Dopen2(file, dataset, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(object, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_DOUBLE, &number) >= 0);
    assert_true(H5Aclose(attribute) >= 0 && H5Dclose(object) >= 0 && H5Sclose(space) >= 0);
}

/* Numbers that stand for others, in data, fields and angles; and factors that cannot be. */
static void scaled_numbers(void **state)
{
    char path[TESTING_PATH];
    double values[VALUES];
    float counts[VALUES];
    SinoScan *scan;
    fill(values, ANGLES);
    const TestingDataset data = frames_of("/exchange/data", H5T_STD_U16LE, ANGLES, values),
                         angles = angles_of(ANGLES, theta);
    const TestingDataset flats = frames_of("/exchange/data_white", H5T_STD_U8LE, FLATS, values);
    write_scan(testing_path(path, *state, "scan.h5"), &data, &flats, NULL, &angles);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    write_number(file, "/exchange/data", "scale_factor", 0.25);
    write_number(file, "/exchange/data", "add_offset", -3);
    write_number(file, "/exchange/data_white", "add_offset", 7);
    write_number(file, "/exchange/theta", "scale_factor", 2);
    testing_hdf5_close(file);
    assert_success(open_path(path, &scan));
    const SinoScanInfo *info = sino_scan_info(scan);
    assert_string_equal(info->stored_type, "uint16, scaled");
    assert_int_equal(info->type, SINO_COUNT_FLOAT32);
    assert_true(info->full_count == 0 && fabs(info->angle_rad[2] - M_PI) < 1e-6);
    assert_success(sino_scan_read(scan, 0, ANGLES, &whole, counts));
    for (int i = 0; i < VALUES; i++) assert_true(counts[i] == (float)(0.25 * (i + 1) - 3));
    assert_success(sino_scan_read_flats(scan, &whole, counts));
    for (int i = 0; i < FLATS * ROWS * COLUMNS; i++) assert_true(counts[i] == (float)(i + 8));
    sino_scan_close(scan);
    file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    write_number(file, "/exchange/data_white", "scale_factor", 0);
    testing_hdf5_close(file);
    assert_error(open_path(path, &scan), SINO_BAD_INPUT, "/exchange/data_white | scale_factor | 7 | finite numbers");
}

/* A factor of 1 leaves counts as they are. */
static void trivial_factors(void **state)
{
    char path[TESTING_PATH];
    double values[VALUES];
    SinoScan *scan;
    fill(values, ANGLES);
    const TestingDataset data = frames_of("/exchange/data", H5T_STD_U16LE, ANGLES, values),
                         angles = angles_of(ANGLES, theta);
    write_scan(testing_path(path, *state, "scan.h5"), &data, NULL, NULL, &angles);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    write_number(file, "/exchange/data", "scale_factor", 1);
    write_number(file, "/exchange/data", "add_offset", 0);
    testing_hdf5_close(file);
    assert_success(open_path(path, &scan));
    assert_int_equal(sino_scan_info(scan)->type, SINO_COUNT_UINT16);
    sino_scan_close(scan);
}

static void fields_left_out(void **state)
{
    static const bool out[] = {false, true, false, false, true, false};
    enum { KEPT = 4, ALL = 6, PIXELS = ROWS * COLUMNS };
    char path[TESTING_PATH];
    double values[ALL * PIXELS];
    float flats[KEPT * PIXELS], some[2 * PIXELS], darks[KEPT * PIXELS];
    SinoScan *scan;
    fill(values, ALL);
    const TestingDataset data = frames_of("/exchange/data", H5T_STD_U16LE, ANGLES, values),
                         angles = angles_of(ANGLES, theta);
    const TestingDataset white = frames_of("/exchange/data_white", H5T_STD_U16LE, ALL, values);
    const TestingDataset dark = frames_of("/exchange/data_dark", H5T_STD_U16LE, ALL, values);
    write_scan(testing_path(path, *state, "scan.h5"), &data, &white, &dark, &angles);
    assert_success(open_path(path, &scan));
    assert_success(sino_scan_leave_out(scan, SINO_FIELD_FLATS, out, "some flats"));
    const SinoScanInfo *info = sino_scan_info(scan);
    assert_int_equal(info->flat_count, KEPT);
    assert_int_equal(info->dark_count, ALL);
    assert_success(sino_scan_read_flats(scan, &whole, flats));
    assert_success(sino_scan_read_some_flats(scan, 2, 2, &whole, some));
    assert_success(sino_scan_leave_out(scan, SINO_FIELD_DARKS, out, "some darks"));
    assert_success(sino_scan_read_darks(scan, &whole, darks));
    assert_memory_equal(darks, flats, sizeof flats);
    assert_memory_equal(some, flats + 2 * PIXELS, sizeof some);
    for (int i = 0; i < KEPT; i++)
        for (int p = 0; p < PIXELS; p++)
            assert_true(flats[i * PIXELS + p] == (float)((int[]){0, 2, 3, 5}[i] * PIXELS + p + 1));
    assert_string_equal(info->remark, "some flats\nsome darks");
    sino_scan_close(scan);
}

static void missing_parts(void **state)
{
    char path[TESTING_PATH];
    double values[VALUES];
    float counts[VALUES] = {7};
    SinoScan *scan;
    fill(values, ANGLES);
    const TestingDataset data = frames_of("/exchange/data", H5T_STD_U16LE, ANGLES, values);
    write_scan(testing_path(path, *state, "scan.h5"), &data, NULL, NULL, NULL);
    assert_success(open_path(path, &scan));
    const SinoScanInfo *info = sino_scan_info(scan);
    assert_int_equal(info->flat_count, 0);
    assert_int_equal(info->dark_count, 0);
    assert_success(sino_scan_read_flats(scan, &whole, counts));
    assert_success(sino_scan_read_darks(scan, &whole, counts));
    assert_true(counts[0] == 7);
    assert_true(info->angle_assumed);
    for (int k = 0; k < ANGLES; k++) assert_true(fabs(info->angle_rad[k] - M_PI / 2 * k) < 1e-15);
    sino_scan_close(scan);
    const TestingDataset single = frames_of("/exchange/data", H5T_STD_U16LE, 1, values);
    write_scan(path, &single, NULL, NULL, NULL);
    assert_success(open_path(path, &scan));
    assert_true(sino_scan_info(scan)->angle_rad[0] == 0);
    sino_scan_close(scan);
}

static void chunks_and_compression(void **state)
{
    char path[TESTING_PATH];
    double values[VALUES];
    const hsize_t chunk[] = {2, 3, COLUMNS};
    SinoScan *scan;
    fill(values, ANGLES);
    TestingDataset data = frames_of("/exchange/data", H5T_STD_U16LE, ANGLES, values);
    data.creation = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_chunk(data.creation, 3, chunk) >= 0 && H5Pset_shuffle(data.creation) >= 0);
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) assert_true(H5Pset_deflate(data.creation, 4) >= 0);
    write_scan(testing_path(path, *state, "scan.h5"), &data, NULL, NULL, NULL);
    assert_true(H5Pclose(data.creation) >= 0);
    assert_success(open_path(path, &scan));
    check_box(scan, &whole);
    sino_scan_close(scan);
}

/* An error with the path and then these key words. */
static void check_refused(const char *path, const char *keys)
{
    char all[2 * TESTING_PATH];
    SinoScan *scan = NULL;
    snprintf(all, sizeof all, "%s | %s", path, keys);
    assert_error(open_path(path, &scan), SINO_BAD_INPUT, all);
    assert_null(scan);
}

static void sizes_that_disagree(void **state)
{
    char path[TESTING_PATH];
    double values[VALUES], not_finite[ANGLES] = {0, 1, NAN}, infinite[ANGLES] = {0, -INFINITY, 1};
    fill(values, ANGLES);
    testing_path(path, *state, "scan.h5");
    const TestingDataset data = frames_of("/exchange/data", H5T_STD_U16LE, ANGLES, values);
    TestingDataset flats = frames_of("/exchange/data_white", H5T_STD_U16LE, FLATS, values);
    flats.size[1] = ROWS - 1;
    write_scan(path, &data, &flats, NULL, NULL);
    check_refused(path, "/exchange/data_white | 3 rows and 5 columns | 4 and 5");
    TestingDataset darks = frames_of("/exchange/data_dark", H5T_STD_U16LE, DARKS, values);
    darks.size[2] = COLUMNS + 1;
    write_scan(path, &data, NULL, &darks, NULL);
    check_refused(path, "/exchange/data_dark | 4 rows and 6 columns | 4 and 5");
    darks.rank = 2;
    write_scan(path, &data, NULL, &darks, NULL);
    check_refused(path, "/exchange/data_dark | 1 rows and 4 columns | 4 and 5");
    darks.rank = 4;
    darks.size[3] = 2;
    write_scan(path, &data, NULL, &darks, NULL);
    check_refused(path, "/exchange/data_dark | 4 dimensions | 3, or 2");
    TestingDataset angles = angles_of(ANGLES - 1, theta);
    write_scan(path, &data, NULL, NULL, &angles);
    check_refused(path, "/exchange/theta | 2 angles | 3, one per projection");
    angles = angles_of(ANGLES, not_finite);
    write_scan(path, &data, NULL, NULL, &angles);
    check_refused(path, "/exchange/theta[2] | nan | finite");
    angles = angles_of(ANGLES, infinite);
    write_scan(path, &data, NULL, NULL, &angles);
    check_refused(path, "/exchange/theta[1] | -inf | finite");
    angles.rank = 2;
    angles.size[0] = 0; /* no values beyond those that there are */
    angles.size[1] = 2;
    write_scan(path, &data, NULL, NULL, &angles);
    check_refused(path, "/exchange/theta | 2 dimensions | 1");
}

static void data_that_are_no_projections(void **state)
{
    char path[TESTING_PATH];
    testing_path(path, *state, "scan.h5");
    TestingDataset data = frames_of("/exchange/data", H5T_STD_U16LE, ANGLES, NULL);
    data.rank = 2;
    write_scan(path, &data, NULL, NULL, NULL);
    check_refused(path, "/exchange/data | 2 dimensions | 3");
    data.rank = 4;
    data.size[3] = 2;
    write_scan(path, &data, NULL, NULL, NULL);
    check_refused(path, "/exchange/data | 4 dimensions | 3");
    data = frames_of("/exchange/data", H5T_STD_U16LE, 0, NULL);
    write_scan(path, &data, NULL, NULL, NULL);
    check_refused(path, "/exchange/data | 0 projections | 1 or more");
    write_scan(path, NULL, NULL, NULL, NULL);
    check_refused(path, " has no dataset /exchange/data");
}

static void types_that_are_no_numbers(void **state)
{
    char path[TESTING_PATH];
    testing_path(path, *state, "scan.h5");
    const hid_t complex_type = H5Tcreate(H5T_COMPOUND, 8);
    assert_true(H5Tinsert(complex_type, "r", 0, H5T_IEEE_F32LE) >= 0);
    assert_true(H5Tinsert(complex_type, "i", 4, H5T_IEEE_F32LE) >= 0);
    TestingDataset data = frames_of("/exchange/data", complex_type, ANGLES, NULL);
    write_scan(path, &data, NULL, NULL, NULL);
    check_refused(path, "/exchange/data | compound | integers or floating-point");
    assert_true(H5Tclose(complex_type) >= 0);
    data = frames_of("/exchange/data", H5T_C_S1, ANGLES, NULL);
    write_scan(path, &data, NULL, NULL, NULL);
    check_refused(path, "/exchange/data | strings | integers or floating-point");
    data = frames_of("/exchange/data", H5T_STD_B16LE, ANGLES, NULL);
    write_scan(path, &data, NULL, NULL, NULL);
    check_refused(path, "/exchange/data | another kind | integers or floating-point");
}

static void write_text(hid_t object, const char *name, hsize_t count, const char *const *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &count, NULL);
    assert_true(H5Tset_size(type, H5T_VARIABLE) >= 0);
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attribute >= 0 && H5Awrite(attribute, type, text) >= 0);
    assert_true(H5Aclose(attribute) >= 0 && H5Tclose(type) >= 0 && H5Sclose(space) >= 0);
}

/* Adds an NXdata group in whose axes the angles have this place. */
static void add_nxdata(hid_t file, const char *group, int place)
{
    static const char *const class = "NXdata", *const signal = "frames";
    const char *axes[] = {"y", "x", "x"};
    double values[VALUES];
    char name[2][40];
    for (int i = 2; i > place; i--) axes[i] = axes[i - 1];
    axes[place] = "theta";
    fill(values, ANGLES);
    const hid_t id = H5Gcreate2(file, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    write_text(id, "NX_class", 1, &class);
    write_text(id, "signal", 1, &signal);
    write_text(id, "axes", 3, axes);
    assert_true(H5Gclose(id) >= 0);
    snprintf(name[0], sizeof *name, "%s/frames", group);
    snprintf(name[1], sizeof *name, "%s/theta", group);
    TestingDataset data = frames_of(name[0], H5T_STD_U16LE, ANGLES, values), angles = angles_of(ANGLES, theta);
    const hsize_t others[] = {ROWS, COLUMNS};
    for (int i = 0, other = 0; i < 3; i++) data.size[i] = i == place ? ANGLES : others[other++];
    angles.name = name[1];
    testing_hdf5_dataset(file, &data);
    testing_hdf5_dataset(file, &angles);
}

static void axes_of_nxdata_are_found(void **state)
{
    char path[TESTING_PATH];
    SinoScan *scan = NULL;
    testing_path(path, *state, "scan.nxs");
    for (int place = 0; place < 3; place++) {
        const hid_t file = testing_hdf5_create(path);
        assert_true(H5Ldelete(file, "/exchange", H5P_DEFAULT) >= 0);
        add_nxdata(file, "/plot", place);
        testing_hdf5_close(file);
        assert_success(open_path(path, &scan));
        const SinoScanInfo *info = sino_scan_info(scan);
        assert_string_equal(info->kind, "NXdata HDF5");
        assert_int_equal(info->angle_count, ANGLES);
        assert_int_equal(info->row_count, ROWS);
        assert_int_equal(info->column_count, COLUMNS);
        for (int k = 0; k < ANGLES; k++) assert_true(fabs(info->angle_rad[k] - theta[k] * M_PI / 180) < 1e-6);
        sino_scan_close(scan);
    }
    const hid_t file = testing_hdf5_create(path);
    assert_true(H5Ldelete(file, "/exchange", H5P_DEFAULT) >= 0);
    add_nxdata(file, "/one", 0);
    add_nxdata(file, "/two", 0);
    testing_hdf5_close(file);
    assert_error(open_path(path, &scan), SINO_BAD_INPUT, "; for --dataset: /one/frames (uint16, 3 x 4 x 5), /two");
}

/* Whatever else the file holds, and whatever kind of link it is. */
static void links_of_the_root_are_named(void **state)
{
    char path[TESTING_PATH];
    double values[VALUES];
    fill(values, ANGLES);
    const TestingDataset data = frames_of("/a/frames", H5T_STD_U16LE, ANGLES, values);
    hid_t file = testing_hdf5_create(testing_path(path, *state, "scan.h5"));
    assert_true(H5Ldelete(file, "/exchange", H5P_DEFAULT) >= 0);
    const hid_t group = H5Gcreate2(file, "/a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Gclose(group) >= 0);
    testing_hdf5_dataset(file, &data);
    assert_true(H5Lcreate_soft("/nowhere", file, "/x", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_soft("/no/where", file, "/a/y", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_external("absent.h5", "/z", file, "/z", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    testing_hdf5_close(file);
    SinoScan *scan = NULL;
    assert_error(open_path(path, &scan), SINO_BAD_INPUT,
                 "; for --dataset: /a/frames (uint16, 3 x 4 x 5); /x is a link to /nowhere, which cannot be opened; /z "
                 "is a link to absent.h5:/z, which cannot be opened; /a/y is a link to /no/where, which cannot be "
                 "opened); allowed: ");
}

static void links_that_lead_nowhere(void **state)
{
    char path[TESTING_PATH];
    testing_path(path, *state, "scan.h5");
    hid_t file = testing_hdf5_create(path);
    assert_true(H5Lcreate_external("absent.h5", "/entry/data", file, "/exchange/data", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    testing_hdf5_close(file);
    check_refused(path, ": /exchange/data is a link to absent.h5:/entry/data, which cannot be opened");
    file = testing_hdf5_create(path);
    assert_true(H5Lcreate_soft("/entry/data", file, "/exchange/data", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    testing_hdf5_close(file);
    check_refused(path, ": /exchange/data is a link to /entry/data, which cannot be opened");
    file = testing_hdf5_create(path);
    assert_true(H5Ldelete(file, "/exchange", H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_external("absent.h5", "/", file, "/exchange", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    testing_hdf5_close(file);
    check_refused(path, ": /exchange is a link to absent.h5:/, which cannot be opened");
    file = testing_hdf5_create(path);
    const hid_t group = H5Gcreate2(file, "/exchange/data", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Gclose(group) >= 0);
    testing_hdf5_close(file);
    SinoScan *scan;
    assert_error(open_path(path, &scan), SINO_BAD_INPUT, "scan.h5: /exchange/data is not a dataset (HDF5: ");
}

static void links_are_followed(void **state)
{
    char path[TESTING_PATH], target[TESTING_PATH];
    double values[VALUES];
    SinoScan *scan;
    fill(values, ANGLES);
    const TestingDataset data = frames_of("/exchange/data", H5T_STD_U16LE, ANGLES, values);
    write_scan(testing_path(target, *state, "target.h5"), &data, NULL, NULL, NULL);
    const hid_t file = testing_hdf5_create(testing_path(path, *state, "scan.h5"));
    assert_true(H5Lcreate_external("target.h5", "/exchange/data", file, "/exchange/data", H5P_DEFAULT, H5P_DEFAULT) >=
                0);
    testing_hdf5_close(file);
    assert_success(open_path(path, &scan));
    check_box(scan, &whole);
    sino_scan_close(scan);
}

static size_t pass(unsigned flags, size_t parameters, const unsigned parameter[], size_t count, size_t *size,
                   void **data)
{
    (void)flags;
    (void)parameters;
    (void)parameter;
    (void)size;
    (void)data;
    return count;
}

static void filters_that_are_absent(void **state)
{
    const H5Z_class2_t filter = {H5Z_CLASS_T_VERS, 300, 1, 1, "unheard-of", NULL, NULL, pass};
    const hsize_t chunk[] = {1, ROWS, COLUMNS};
    char path[TESTING_PATH];
    double values[VALUES];
    fill(values, ANGLES);
    TestingDataset data = frames_of("/exchange/data", H5T_STD_U16LE, ANGLES, values);
    data.creation = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Zregister(&filter) >= 0);
    assert_true(H5Pset_chunk(data.creation, 3, chunk) >= 0);
    assert_true(H5Pset_filter(data.creation, 300, 0, 0, NULL) >= 0);
    write_scan(testing_path(path, *state, "scan.h5"), &data, NULL, NULL, NULL);
    assert_true(H5Pclose(data.creation) >= 0 && H5Zunregister(300) >= 0);
    check_refused(path,
                  ": /exchange/data is compressed by filter 300 (unheard-of), which this HDF5 lacks; allowed: the "
                  "filters it has or finds in HDF5_PLUGIN_PATH");
}

static void values_in_absent_files(void **state)
{
    const hsize_t size[] = {ANGLES, ROWS, COLUMNS};
    char path[TESTING_PATH];
    testing_path(path, *state, "scan.h5");
    TestingDataset data = frames_of("/exchange/data", H5T_STD_U16LE, ANGLES, NULL);
    const hid_t space = H5Screate_simple(3, size, NULL);
    data.creation = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_virtual(data.creation, space, "absent.h5", "/data", space) >= 0);
    write_scan(path, &data, NULL, NULL, NULL);
    assert_true(H5Pclose(data.creation) >= 0 && H5Sclose(space) >= 0);
    check_refused(path, "/exchange/data | absent.h5 does not exist | beside");
    data.creation = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_external(data.creation, "/absent.raw", 0, VALUES * 2) >= 0);
    write_scan(path, &data, NULL, NULL, NULL);
    assert_true(H5Pclose(data.creation) >= 0);
    check_refused(path, ": /exchange/data takes values from /absent.raw: /absent.raw: No such file or directory");
}

static void virtual_datasets_are_read(void **state)
{
    const hsize_t size[] = {ANGLES, ROWS, COLUMNS};
    char path[TESTING_PATH], source[TESTING_PATH];
    double values[VALUES];
    SinoScan *scan;
    fill(values, ANGLES);
    TestingDataset data = frames_of("/exchange/data", H5T_STD_U16LE, ANGLES, values);
    write_scan(testing_path(source, *state, "source.h5"), &data, NULL, NULL, NULL);
    const hid_t space = H5Screate_simple(3, size, NULL);
    data.creation = H5Pcreate(H5P_DATASET_CREATE);
    data.values = NULL;
    assert_true(H5Pset_virtual(data.creation, space, "source.h5", "/exchange/data", space) >= 0);
    write_scan(testing_path(path, *state, "scan.h5"), &data, NULL, NULL, NULL);
    assert_true(H5Pclose(data.creation) >= 0 && H5Sclose(space) >= 0);
    assert_success(open_path(path, &scan));
    check_box(scan, &whole);
    sino_scan_close(scan);
}

static void files_that_are_not_hdf5(void **state)
{
    char path[TESTING_PATH];
    SinoScan *scan;
    testing_path(path, *state, "scan.txt");
    check_refused(path, ": No such file or directory");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("0 1 2\n", file) >= 0 && fclose(file) == 0);
    assert_error(open_path(path, &scan), SINO_BAD_INPUT, "scan.txt | of no known format");
    assert_true(truncate(path, 0) == 0);
    assert_error(open_path(path, &scan), SINO_BAD_INPUT, "scan.txt | empty file");
    assert_error(open_path(*state, &scan), SINO_BAD_INPUT, "TIFF | EDF | FITS | folder");
    const SinoScanRequest request = {.path = path, .columns = 5};
    assert_error(sino_scan_open(&request, &scan), SINO_BAD_INPUT,
                 "--columns 5 is for raw sinograms, which need --theta as well");
}

static void foreign_formats_are_named(void **state)
{
#define AT(offset, text) (offset), sizeof(text) - 1, (text)
    static const struct {
        int64_t offset;
        size_t count;
        const char *bytes, *message;
    } cases[] = {
        {AT(344, "n+1\0"), "scan is a NIfTI volume, which is not read: convert it to .npy by nibabel"},
        {AT(0, "\x0e\x03\x13\x01"), "scan is an HDF4 file, which is not read: convert it by h4toh5"},
        {AT(0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "scan is a damaged OLE file: its sectors have no usual size"},
        {AT(128, "DICM"), "scan is a DICOM file, which is not read: "},
        {AT(0, "{volume1}"), "scan is a VGI header of VGStudio, which is not read: "},
        {AT(0, "root"), "scan is a ROOT file, which is not read: "},
        {AT(0, "[XTekCT]\n"), "scan does not tell SrcToObject; needed: the header as the scanner wrote it"},
        {AT(0, "neither"), "scan is of no known format"},
    };
#undef AT
    char path[TESTING_PATH], bytes[512];
    SinoScan *scan;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memset(bytes, 'x', sizeof bytes);
        memcpy(bytes + cases[i].offset, cases[i].bytes, cases[i].count);
        testing_write_bytes(testing_path(path, *state, "scan"), bytes, sizeof bytes);
        assert_error(open_path(path, &scan), SINO_BAD_INPUT, cases[i].message);
    }
}

/* A file that this user may not read, and one that cannot be opened as too many are. */
static void closed_files_are_told(void **state)
{
    char path[TESTING_PATH];
    double values[VALUES];
    SinoScan *scan;
    struct rlimit limit, few;
    fill(values, ANGLES);
    const TestingDataset data = frames_of("/exchange/data", H5T_STD_U16LE, ANGLES, values);
    write_scan(testing_path(path, *state, "scan.h5"), &data, NULL, NULL, NULL);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const int next = dup(STDERR_FILENO);
    assert_true(next >= 0 && close(next) == 0);
    few = (struct rlimit){.rlim_cur = (rlim_t)next, .rlim_max = limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    assert_error(open_path(path, &scan), SINO_BAD_INPUT, "scan.h5: Too many open files");
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(chmod(*state, 0755), 0);
    assert_int_equal(chmod(path, 0), 0);
    const uid_t user = geteuid(), nobody = 65534;
    if (user == 0) assert_int_equal(seteuid(nobody), 0);
    assert_error(open_path(path, &scan), SINO_BAD_INPUT, "scan.h5: Permission denied");
    if (user == 0) assert_int_equal(seteuid(user), 0);
}

static void damaged_file(void **state)
{
    char path[TESTING_PATH];
    double values[VALUES];
    SinoScan *scan;
    fill(values, ANGLES);
    const TestingDataset data = frames_of("/exchange/data", H5T_IEEE_F64LE, ANGLES, values);
    write_scan(testing_path(path, *state, "scan.h5"), &data, NULL, NULL, NULL);
    assert_true(truncate(path, 1500) == 0);
    assert_error(open_path(path, &scan), SINO_BAD_INPUT, "scan.h5 cannot be opened (HDF5: ");
}

static void measured_tooth(void **state)
{
    (void)state;
    char path[TESTING_PATH];
    SinoScan *scan;
    assert_success(open_path(testing_data(path, "tooth/tooth.h5"), &scan));
    const SinoScanInfo *info = sino_scan_info(scan);
    assert_int_equal(info->angle_count, 181);
    assert_int_equal(info->row_count, 2);
    assert_int_equal(info->column_count, 640);
    assert_int_equal(info->flat_count, 10);
    assert_int_equal(info->dark_count, 10);
    assert_string_equal(info->stored_type, "float32");
    assert_false(info->angle_assumed);
    assert_true(fabs(info->angle_rad[180] * 180 / M_PI - 179.006) < 1e-3);
    const SinoScanBox box = {1, 1, 0, 640};
    float projection[640], flats[6400], darks[6400];
    assert_success(sino_scan_read_projection(scan, 90, &box, projection));
    assert_success(sino_scan_read_flats(scan, &box, flats));
    assert_success(sino_scan_read_darks(scan, &box, darks));
    for (int i = 0; i < 640; i++) assert_true(projection[i] > darks[i] && flats[i] > darks[i]);
    sino_scan_close(scan);
}

static void measured_dangling_links(void **state)
{
    (void)state;
    char path[TESTING_PATH];
    SinoScan *scan;
    assert_error(open_path(testing_data(path, "savu-24737/24737_processed.nxs"), &scan), SINO_BAD_INPUT,
                 "24737_processed.nxs is an HDF5 file without /exchange/data and without NXtomo frames (it holds "
                 "/entry; /entry/final_result_tomo/data is a link to ");
}

/* A dataset with a text attribute `units` of variable or fixed length. */
typedef struct Length {
    const char *name;
    double value;
    const char *unit; /* NULL: no attribute */
    bool fixed;
    int rank; /* sizes of 1 */
} Length;

static void write_unit(hid_t dataset, const Length *length)
{
    char padded[64] = "";
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    assert_true(H5Tset_size(type, length->fixed ? sizeof padded : H5T_VARIABLE) >= 0);
    assert_true(H5Tset_strpad(type, length->rank == 1 ? H5T_STR_SPACEPAD : H5T_STR_NULLTERM) >= 0);
    const hid_t attribute = H5Acreate2(dataset, "units", type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attribute >= 0);
    if (length->rank == 1) memset(padded, ' ', sizeof padded);
    memcpy(padded, length->unit, strlen(length->unit));
    assert_true(H5Awrite(attribute, type, length->fixed ? (const void *)padded : (const void *)&length->unit) >= 0);
    assert_true(H5Aclose(attribute) >= 0 && H5Tclose(type) >= 0 && H5Sclose(space) >= 0);
}

static void write_length(hid_t file, const Length *length)
{
    const hsize_t size[2] = {1, 1};
    const hid_t links = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple(length->rank, size, NULL);
    assert_true(H5Pset_create_intermediate_group(links, 1) >= 0);
    const hid_t dataset = H5Dcreate2(file, length->name, H5T_IEEE_F32LE, space, links, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(dataset >= 0);
    assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &length->value) >= 0);
    if (length->unit) write_unit(dataset, length);
    assert_true(H5Dclose(dataset) >= 0 && H5Sclose(space) >= 0 && H5Pclose(links) >= 0);
}

/* The setup of a scan with these lengths. */
static SinoScanSetup setup_with(const char *directory, int count, const Length *lengths)
{
    char path[TESTING_PATH];
    double values[VALUES];
    SinoScan *scan;
    fill(values, ANGLES);
    const TestingDataset data = frames_of("/exchange/data", H5T_STD_U16LE, ANGLES, values);
    testing_path(path, directory, "scan.h5");
    write_scan(path, &data, NULL, NULL, NULL);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    for (int i = 0; i < count; i++) write_length(file, &lengths[i]);
    testing_hdf5_close(file);
    assert_success(open_path(path, &scan));
    const SinoScanSetup setup = sino_scan_info(scan)->setup;
    sino_scan_close(scan);
    return setup;
}

#define DETECTOR "/measurement/instrument/detector/"
#define SOURCE   "/measurement/instrument/source/"

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-6 * fabs(b);
}

static void lengths_of_a_setup(void **state)
{
    const Length lengths[] = {{SOURCE "distance", -0.25, "m", false, 0},
                              {DETECTOR "distance", 500, "mm", true, 1},
                              {DETECTOR "x_pixel_size", 55, "\xc2\xb5m", false, 2},
                              {DETECTOR "y_pixel_size", 0.006, "centimetres", true, 0}};
    const SinoScanSetup setup = setup_with(*state, 4, lengths);
    assert_true(is_near(setup.source_object, 250) && is_near(setup.source_detector, 750));
    assert_true(is_near(setup.pixel_width, 0.055) && is_near(setup.pixel_height, 0.06));
    const SinoScanSetup none = setup_with(*state, 0, NULL);
    assert_true(none.source_object == 0 && none.source_detector == 0);
    assert_true(none.pixel_width == 0 && none.pixel_height == 0);
    const SinoScanSetup half = setup_with(*state, 1, &lengths[1]); /* from the axis only */
    assert_true(half.source_object == 0 && half.source_detector == 0);
}

/* A scan of a parallel beam need not have sensible lengths. */
static void lengths_that_make_no_sense(void **state)
{
    static const Length lengths[] = {
        {DETECTOR "x_pixel_size", 55, NULL, false, 0},
        {DETECTOR "x_pixel_size", 55, "pixel", false, 0},
        {DETECTOR "x_pixel_size", 55, "", false, 0},
        {DETECTOR "x_pixel_size", 55, "mm2", true, 0},
        {DETECTOR "x_pixel_size", 0, "mm", false, 0},
        {DETECTOR "x_pixel_size", -1, "mm", false, 0},
        {DETECTOR "x_pixel_size", NAN, "mm", false, 0},
        {DETECTOR "x_pixel_size", INFINITY, "mm", false, 0},
        {DETECTOR "x_pixel_size", 1e10, "mm", false, 0},
        {DETECTOR "x_pixel_size", 1e-10, "mm", false, 0},
        {DETECTOR "x_pixel_size", 55, "micrometres of the detector before its binning", false, 0},
        {DETECTOR "x_pixel_size/value", 55, "mm", false, 0}, /* a group */
    };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        assert_true(setup_with(*state, 1, &lengths[i]).pixel_width == 0);
}

/* HDF5 would wait for the values. */
static void lengths_in_a_fifo(void **state)
{
    char path[TESTING_PATH], fifo[TESTING_PATH];
    SinoScan *scan;
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    assert_int_equal(mkfifo(testing_path(fifo, *state, "fifo"), 0600), 0);
    assert_true(H5Pset_external(creation, fifo, 0, 8) >= 0);
    setup_with(*state, 1, &(Length){SOURCE "distance", -100, "mm", false, 0});
    const hid_t file = H5Fopen(testing_path(path, *state, "scan.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t space = H5Screate(H5S_SCALAR);
    write_length(file, &(Length){DETECTOR "y_pixel_size", 2, "mm", false, 0});
    const hid_t dataset =
        H5Dcreate2(file, DETECTOR "x_pixel_size", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    assert_true(dataset >= 0);
    write_unit(dataset, &(Length){.unit = "mm"});
    assert_true(H5Dclose(dataset) >= 0 && H5Sclose(space) >= 0 && H5Pclose(creation) >= 0);
    testing_hdf5_close(file);
    assert_success(open_path(path, &scan));
    assert_true(sino_scan_info(scan)->setup.pixel_width == 0 && sino_scan_info(scan)->setup.pixel_height == 2);
    assert_true(sino_scan_info(scan)->setup.source_object == 100);
    sino_scan_close(scan);
}

static void units_of_length(void **state)
{
    (void)state;
    assert_true(sino_length_unit("m") == 1e3 && sino_length_unit("cm") == 10 && sino_length_unit("mm") == 1);
    assert_true(sino_length_unit("um") == 1e-3 && sino_length_unit("nm") == 1e-6 && sino_length_unit("micron") == 1e-3);
    assert_true(sino_length_unit("meters") == 1e3 && sino_length_unit("millimeter") == 1);
    assert_true(sino_length_unit("micrometre") == 1e-3 && sino_length_unit("\xce\xbcm") == 1e-3);
    static const char *const none[] = {"", "M", "mmm", "deg", "s", "1/m", "m2", "milli", "um/pixel"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) assert_true(sino_length_unit(none[i]) == 0);
}

/* Chunks that do not tell which projections have come. */
static void chunks_that_cannot_be_followed(void **state)
{
    char path[TESTING_PATH];
    const hsize_t one[] = {1, ROWS, COLUMNS}, two[] = {2, ROWS, COLUMNS};
    const TestingDataset angles = angles_of(ANGLES, theta);
    TestingDataset data = frames_of("/exchange/data", H5T_STD_U16LE, ANGLES, NULL);
    SinoScan *scan;
    const SinoScanRequest request = {.path = testing_path(path, *state, "scan.h5"), .follow_s = 1};
    data.creation = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_chunk(data.creation, 3, two) >= 0);
    write_scan(path, &data, NULL, NULL, &angles);
    assert_error(sino_scan_open(&request, &scan), SINO_BAD_INPUT,
                 "scan.h5 | length of 3 | chunks of 2 | one projection");
    assert_true(H5Pset_chunk(data.creation, 3, one) >= 0);
    write_scan(path, &data, NULL, NULL, &angles);
    assert_success(sino_scan_open(&request, &scan));
    sino_scan_close(scan);
    assert_true(H5Pset_alloc_time(data.creation, H5D_ALLOC_TIME_EARLY) >= 0);
    write_scan(path, &data, NULL, NULL, &angles);
    assert_error(sino_scan_open(&request, &scan), SINO_BAD_INPUT, "scan.h5 | chunks | early | incremental");
    assert_true(H5Pclose(data.creation) >= 0);
}

/* A new superblock tells that a program writes the file. */
static void files_that_are_written(void **state)
{
    enum { FLAGS = 11, WRITTEN = 5 };
    char path[TESTING_PATH];
    SinoScan *scan;
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    assert_true(H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0);
    const hid_t file = H5Fcreate(testing_path(path, *state, "scan.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    assert_true(file >= 0 && H5Fclose(file) >= 0 && H5Pclose(access) >= 0);
    FILE *bytes = fopen(path, "r+");
    assert_true(bytes && fseek(bytes, FLAGS, SEEK_SET) == 0 && fputc(WRITTEN, bytes) == WRITTEN);
    assert_int_equal(fclose(bytes), 0);
    assert_error(open_path(path, &scan), SINO_BAD_INPUT, "scan.h5 | open in a program | --follow");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(scan)
{
    const struct CMUnitTest tests[] = {
        TEST(every_type_is_read),
        TEST(negative_counts_stay_negative),
        TEST(whole_file),
        TEST(scaled_numbers),
        TEST(trivial_factors),
        TEST(fields_left_out),
        TEST(missing_parts),
        TEST(chunks_and_compression),
        TEST(sizes_that_disagree),
        TEST(data_that_are_no_projections),
        TEST(types_that_are_no_numbers),
        TEST(links_that_lead_nowhere),
        TEST(links_of_the_root_are_named),
        TEST(axes_of_nxdata_are_found),
        TEST(links_are_followed),
        TEST(filters_that_are_absent),
        TEST(values_in_absent_files),
        TEST(virtual_datasets_are_read),
        TEST(files_that_are_not_hdf5),
        TEST(foreign_formats_are_named),
        TEST(closed_files_are_told),
        TEST(damaged_file),
        TEST(lengths_of_a_setup),
        TEST(lengths_that_make_no_sense),
        TEST(lengths_in_a_fifo),
        TEST(chunks_that_cannot_be_followed),
        TEST(files_that_are_written),
        cmocka_unit_test(units_of_length),
        cmocka_unit_test(measured_tooth),
        cmocka_unit_test(measured_dangling_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
