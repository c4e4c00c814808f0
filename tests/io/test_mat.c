/* SPDX-License-Identifier: BSD-3-Clause */
/* MATLAB files of level 5: scans, angles and sparse matrices, every type and order of bytes, compressed or not, and
 * files that are damaged. */
#include "mat_file.h"
#include "scan.h"
#include "testing_mat_matrix.h"
#include "testing_scan.h"

#include <math.h>

enum { ANGLES = 5, ROWS = 3, COLUMNS = 4, VALUES = ANGLES * ROWS * COLUMNS };

/* A type of values, and of the class that they have. */
typedef struct Stored {
    uint32_t class, type;
    size_t width;
    const char *name;
} Stored;

static const Stored stored[] = {{6, 9, 8, "double"},  {7, 7, 4, "single"},   {8, 1, 1, "int8"},   {9, 2, 1, "uint8"},
                                {10, 3, 2, "int16"},  {11, 4, 2, "uint16"},  {12, 5, 4, "int32"}, {13, 6, 4, "uint32"},
                                {14, 12, 8, "int64"}, {15, 13, 8, "uint64"}, {6, 2, 1, "double"}, {6, 3, 2, "double"},
                                {11, 2, 1, "uint16"}, {12, 2, 1, "int32"},   {7, 4, 2, "single"}};

static void store(const Stored *as, double value, unsigned char *to)
{
    const int64_t integer = (int64_t)value;
    const float single = (float)value;
    if (as->type == 9) memcpy(to, &value, 8);
    if (as->type == 7) memcpy(to, &single, 4);
    for (size_t b = 0; b < as->width && as->type != 7 && as->type != 9; b++)
        to[__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? b : as->width - 1 - b] = (unsigned char)(integer >> 8 * b);
}

static double value_at(int64_t k, int64_t row, int64_t column)
{
    return (double)(20 * k + 5 * row + column);
}

/* Values as MATLAB has them in an array [columns, rows, angles]. */
static void put_scan(TestingMat *mat, const Stored *as, bool compressed)
{
    static const int32_t size[] = {COLUMNS, ROWS, ANGLES};
    unsigned char values[VALUES * 8];
    for (int64_t i = 0; i < VALUES; i++)
        store(as, value_at(i / (ROWS * COLUMNS), i / COLUMNS % ROWS, i % COLUMNS), values + (size_t)i * as->width);
    testing_mat_variable(mat, &(TestingMatVariable){.name = "projections",
                                                    .compressed = compressed,
                                                    .class = as->class,
                                                    .rank = 3,
                                                    .size = size,
                                                    .part_count = 1,
                                                    .part = {{as->type, as->width, VALUES, values}}});
}

static void put_row(TestingMat *mat, const char *name, int32_t count, const double *values)
{
    testing_mat_variable(mat, &(TestingMatVariable){.name = name,
                                                    .compressed = count % 2,
                                                    .class = 6,
                                                    .rank = 2,
                                                    .size = (int32_t[]){1, count},
                                                    .part_count = 1,
                                                    .part = {{9, 8, (size_t)count, values}}});
}

static const double angles[ANGLES] = {0, 45, 90, 135, 180};

static void check_scan(const SinoScanRequest *request, const Stored *as)
{
    static const SinoScanBox boxes[] = {{0, ROWS, 0, COLUMNS}, {1, 2, 1, 3}, {2, 1, 3, 1}};
    SinoScan *scan = NULL;
    float values[VALUES];
    assert_success(sino_scan_try(request));
    assert_success(sino_scan_open(request, &scan));
    const SinoScanInfo *info = sino_scan_info(scan);
    assert_string_equal(info->kind, "MATLAB array");
    assert_string_equal(info->stored_type, as->name);
    assert_int_equal(info->angle_count, ANGLES);
    assert_int_equal(info->row_count, ROWS);
    assert_int_equal(info->column_count, COLUMNS);
    assert_true(fabs(info->angle_rad[1] - M_PI / 4) < 1e-12);
    assert_true(info->full_count == (as->class == 9    ? 255
                                     : as->class == 11 ? 65535
                                                       : 0)); /* of the class, not of 8 bits */
    for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++)
        testing_scan_assert_box(scan, &boxes[b], value_at, values);
    sino_scan_close(scan);
}

static void scans_of_every_type(void **state)
{
    static const double radians[ANGLES] = {0, M_PI / 4, M_PI / 2, 3 * M_PI / 4, M_PI};
    char path[TESTING_PATH];
    testing_path(path, *state, "m");
    for (int i = 0; i < 4 * (int)(sizeof stored / sizeof *stored); i++) {
        const Stored *as = &stored[i / 4];
        TestingMat mat = testing_mat(i & 1);
        put_row(&mat, "anglesRad", ANGLES, radians);
        put_scan(&mat, as, i & 2);
        put_row(&mat, "grad", ANGLES, angles); /* 400 grad are no radians */
        put_row(&mat, "turn", ANGLES, radians);
        testing_mat_write(&mat, path);
        check_scan(&(SinoScanRequest){.path = path, .theta_dataset = "anglesRad"}, as);
        check_scan(&(SinoScanRequest){.path = path, .dataset = "/projections", .theta = ":/grad"}, as);
        check_scan(
            &(SinoScanRequest){
                .path = path, .dataset = "/projections", .theta = ":/turn", .theta_unit = SINO_ANGLE_UNIT_RADIANS},
            as);
    }
}

/* MATLAB has no third dimension of 1: a sinogram has two. */
static void sinograms_and_images(void **state)
{
    static const int32_t size[] = {COLUMNS, ANGLES}, image[] = {COLUMNS, 1};
    float sinogram[ANGLES * COLUMNS], row[COLUMNS] = {9, 8, 7, 6}, found[ANGLES * COLUMNS];
    char path[TESTING_PATH], theta[TESTING_PATH + 8], flats[TESTING_PATH + 8];
    const SinoScanBox box = {0, 1, 0, COLUMNS};
    SinoScan *scan = NULL;
    TestingMat mat = testing_mat(false);
    for (int i = 0; i < ANGLES * COLUMNS; i++) sinogram[i] = (float)i;
    testing_mat_variable(&mat, &(TestingMatVariable){.name = "sino",
                                                     .class = 7,
                                                     .rank = 2,
                                                     .size = size,
                                                     .part_count = 1,
                                                     .part = {{7, 4, ANGLES * COLUMNS, sinogram}}});
    testing_mat_variable(
        &mat,
        &(TestingMatVariable){
            .name = "flat", .class = 7, .rank = 2, .size = image, .part_count = 1, .part = {{7, 4, COLUMNS, row}}});
    put_row(&mat, "theta", ANGLES, angles);
    testing_mat_write(&mat, testing_path(path, *state, "m"));
    snprintf(theta, sizeof theta, "%s:/theta", path);
    snprintf(flats, sizeof flats, "%s:/flat", path);
    const SinoScanRequest request = {
        .path = path, .axes = SINO_AXES_ROW_ANGLE_COLUMN, .theta = theta, .flats = flats, .darks = ":/flat"};
    assert_success(sino_scan_open(&request, &scan));
    const SinoScanInfo *info = sino_scan_info(scan);
    assert_true(info->angle_count == ANGLES && info->row_count == 1 && info->column_count == COLUMNS);
    assert_true(info->flat_count == 1 && info->dark_count == 1);
    assert_string_equal(info->certainty, "likely");
    assert_success(sino_scan_read(scan, 0, ANGLES, &box, found));
    assert_memory_equal(found, sinogram, sizeof sinogram);
    assert_success(sino_scan_read_flats(scan, &box, found));
    assert_memory_equal(found, row, sizeof row);
    sino_scan_close(scan);
}

static void refuse(const SinoScanRequest *request, const char *text)
{
    SinoScan *scan = NULL;
    assert_error(sino_scan_open(request, &scan), SINO_BAD_INPUT, text);
}

/* A field with values that are not compressed. */
static void put_field(TestingMat *mat, int32_t count, const double *values)
{
    testing_mat_variable(mat, &(TestingMatVariable){.name = "",
                                                    .class = 6,
                                                    .rank = 2,
                                                    .size = (int32_t[]){count, 1},
                                                    .part_count = 1,
                                                    .part = {{9, 8, (size_t)count, values}}});
}

static void put_structure(TestingMat *mat, const char *name, bool compressed, int32_t count, int field_count,
                          const char *const *names, TestingMat *fields)
{
    testing_mat_variable(mat, &(TestingMatVariable){.name = name,
                                                    .compressed = compressed,
                                                    .class = 2,
                                                    .rank = 2,
                                                    .size = (int32_t[]){1, count},
                                                    .field_count = field_count,
                                                    .field_name = names,
                                                    .fields = fields});
    for (int i = 0; i < field_count; i++) free(fields[i].bytes);
}

/* Fields of structures, also of one within another, are named with slashes. */
static void fields_of_structures(void **state)
{
    static const char *const inner[] = {"distance", "angles"}, *const outer[] = {"geometry", "projections"};
    static const double distance = 410.66;
    char path[TESTING_PATH];
    testing_path(path, *state, "m");
    for (int i = 0; i < 4; i++) {
        TestingMat within[2] = {{.big = i & 1}, {.big = i & 1}}, fields[2] = {{.big = i & 1}, {.big = i & 1}};
        TestingMat mat = testing_mat(i & 1);
        put_field(&within[0], 1, &distance);
        put_field(&within[1], ANGLES, angles);
        put_structure(&fields[0], "", false, 1, 2, inner, within);
        put_scan(&fields[1], &stored[5], false);
        put_row(&mat, "before", 3, angles);
        put_structure(&mat, "Scan", i & 2, 1, 2, outer, fields);
        testing_mat_write(&mat, path);
        check_scan(
            &(SinoScanRequest){.path = path, .dataset = "Scan/projections", .theta_dataset = "Scan/geometry/angles"},
            &stored[5]);
        refuse(&(SinoScanRequest){.path = path, .dataset = "/Scan/nope"},
               "m: Scan has no field nope; it has: geometry, projections");
        refuse(&(SinoScanRequest){.path = path, .dataset = "Scan/geometry/angles/x"},
               "m: angles is no structure of 1 x 1, which could have a field x");
        refuse(&(SinoScanRequest){.path = path, .dataset = "before/x"}, "m: before is no structure of 1 x 1");
        refuse(&(SinoScanRequest){.path = path, .dataset = "Scan/"}, "m: Scan has no field ; it has: geometry");
        refuse(&(SinoScanRequest){.path = path, .dataset = "Sca/x"}, "m has no variable Sca/x; it has: before (1 x 3 ");
    }
    TestingMat fields[2] = {{.big = false}, {.big = false}}, mat = testing_mat(false);
    put_field(&fields[0], 1, &distance);
    put_field(&fields[1], 1, &distance);
    put_structure(&mat, "list", false, 2, 2, inner, fields);
    testing_mat_write(&mat, path);
    refuse(&(SinoScanRequest){.path = path, .dataset = "list/angles"}, "m: list is no structure of 1 x 1");
}

/* What is where in a file of a structure alone: the width of names, the names, the first field. */
enum { WIDTHS = 176, NAMES = 184, FIELD = 256 };

static void damaged_structures(void **state)
{
    static const char *const names[] = {"a", "b"};
    static const struct {
        size_t place;
        uint32_t word;
        const char *text;
    } change[] = {{WIDTHS, 4 << 16 | 6, "has no width of the names of its fields"},
                  {WIDTHS + 4, 0, "has no names of its fields"},
                  {WIDTHS + 4, 31, "has no names of its fields"},
                  {WIDTHS + 4, UINT32_MAX, "has no names of its fields"},
                  {NAMES, 2, "has no names of its fields"},
                  {NAMES + 4, 1 << 17, "m is damaged: its parts are larger than it says"},
                  {FIELD, 15, "has a field that is no array"},
                  {FIELD + 4, 1 << 20, "m is damaged: its parts are larger than it says"},
                  {FIELD + 4, 8, "has a field that is no array"}};
    static const double value = 3;
    char path[TESTING_PATH];
    testing_path(path, *state, "m");
    for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
        TestingMat fields[2] = {{.big = false}, {.big = false}};
        TestingMat mat = testing_mat(false);
        if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__) skip();
        put_field(&fields[0], 1, &value);
        put_field(&fields[1], 1, &value);
        put_structure(&mat, "s", false, 1, 2, names, fields);
        memcpy(mat.bytes + change[i].place, &change[i].word, 4);
        testing_mat_write(&mat, path);
        refuse(&(SinoScanRequest){.path = path, .dataset = "s/b"}, change[i].text);
    }
}

static void variables_that_are_no_scan(void **state)
{
    static const double few[] = {0, 90}, wild[] = {0, 1, NAN, 3, 4};
    static const int32_t one[] = {1, 1}, five[] = {2, 1, 2, 1, 2};
    const double numbers[8] = {0};
    char path[TESTING_PATH];
    TestingMat mat = testing_mat(false);
    put_scan(&mat, &stored[0], true);
    put_row(&mat, "few", 2, few);
    put_row(&mat, "wild", ANGLES, wild);
    testing_mat_variable(&mat, &(TestingMatVariable){.name = "about", .class = 2, .rank = 2, .size = one});
    testing_mat_variable(&mat, &(TestingMatVariable){.name = "wave",
                                                     .class = 6,
                                                     .flags = 8,
                                                     .rank = 2,
                                                     .size = one,
                                                     .part_count = 2,
                                                     .part = {{9, 8, 1, few}, {9, 8, 1, few}}});
    testing_mat_variable(
        &mat, &(TestingMatVariable){
                  .name = "deep", .class = 6, .rank = 5, .size = five, .part_count = 1, .part = {{9, 8, 8, numbers}}});
    testing_mat_write(&mat, testing_path(path, *state, "m"));
    refuse(&(SinoScanRequest){.path = path, .theta = "0:180"},
           "m has several arrays of two or three dimensions; allowed: the name of a variable, as FILE:/NAME or with "
           "--dataset; it has: projections (4 x 3 x 5 double), few (1 x 2 double), wild (1 x 5 double), about (1 x 1 "
           "structure), wave (1 x 1 complex double), deep (2 x 1 x 2 x 1 x 2 double)");
    refuse(&(SinoScanRequest){.path = path, .dataset = "nope"}, "m has no variable nope; it has: projections (4 x 3");
    refuse(&(SinoScanRequest){.path = path, .dataset = "about"}, "about | arrays of real numbers");
    refuse(&(SinoScanRequest){.path = path, .dataset = "wave"}, "wave | arrays of real");
    refuse(&(SinoScanRequest){.path = path, .dataset = "deep"}, "m | 5 dimensions | 3, or 2 of one layer");
    const char *const scan = "projections";
    refuse(&(SinoScanRequest){.path = path, .dataset = scan, .theta_dataset = "few"}, "few | 2 angles | 5");
    refuse(&(SinoScanRequest){.path = path, .dataset = scan, .theta_dataset = "wild"},
           "wild[2] | nan | finite angles in degrees");
    refuse(&(SinoScanRequest){.path = path, .dataset = scan, .theta_dataset = scan}, "projections is no list of 1 to");
    refuse(&(SinoScanRequest){.path = path, .dataset = scan, .theta_dataset = "about"}, "about is structure; allowed");
    refuse(&(SinoScanRequest){.path = path, .dataset = scan, .theta = "0:180", .flats = ":/few"},
           "m | 2 rows | 1 columns | 3 and 4");
    mat = testing_mat(true);
    testing_mat_write(&mat, path);
    refuse(&(SinoScanRequest){.path = path, .theta = "0:180"}, "m | FILE:/NAME | --dataset");
}

/* Puts a word at a place of a file in memory. */
static void poke(TestingMat *mat, size_t place, uint32_t word)
{
    memcpy(mat->bytes + place, &word, 4);
}

/* What is where in a file of put_scan that is not compressed: tag, flags, sizes, name, values. */
enum { ELEMENT = 128, FLAGS = 136, SIZES = 152, NAME = 176, NUMBERS = 200 };

static void damaged_files(void **state)
{
    static const struct {
        size_t place;
        uint32_t word;
        const char *text;
    } change[] = {
        {ELEMENT, 9, "m | byte 128 | type 9 | 14 | 15"},
        {ELEMENT + 4, 1 << 20, "m is cut: it has 552 of the 1048576 bytes of the element at byte 128"},
        {ELEMENT + 4, 40, "m is damaged: its parts are larger than it says, 48 bytes into the element before byte 176"},
        {ELEMENT, 15, "m is damaged: its bytes cannot be inflated"},
        {FLAGS, 5, "m is damaged: the variable before byte 688 has no flags"},
        {FLAGS + 4, 16, "has no flags"},
        {SIZES, 6, "has no sizes"},
        {SIZES + 4, 4, "has no sizes"},
        {SIZES + 4, UINT32_MAX - 3, "m is damaged: its parts are larger than it says"},
        {SIZES + 8, UINT32_MAX, "has a size below 0"},
        {SIZES + 8, 5, "has another number of values than its sizes say"},
        {SIZES + 8, INT32_MAX, "has another number of values than its sizes say"},
        {NAME, 9, "has no name"},
        {NAME, 5 << 16 | 1, "m is damaged: a short part has more than 4 bytes"},
        {NUMBERS, 8, "has values of no known type"},
        {NUMBERS, 7, "has another number of values than its sizes say"},
        {NUMBERS + 4, 472, "has another number of values than its sizes say"},
        {NUMBERS + 4, 488, "m is damaged: its parts are larger than it says"},
        {FLAGS + 8, 11, "has values that its class does not have"},
    };
    char path[TESTING_PATH];
    testing_path(path, *state, "m");
    for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
        TestingMat mat = testing_mat(__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__);
        put_scan(&mat, &stored[0], false);
        poke(&mat, change[i].place, change[i].word);
        testing_mat_write(&mat, path);
        refuse(&(SinoScanRequest){.path = path, .dataset = "projections", .theta = "0:180"}, change[i].text);
    }
}

/* Cut anywhere, a file is refused when it is opened, or when its values are read. */
static void cut_anywhere(void **state)
{
    char path[TESTING_PATH];
    float values[VALUES];
    const SinoScanBox box = {0, ROWS, 0, COLUMNS};
    testing_path(path, *state, "m");
    for (int compressed = 0; compressed < 2; compressed++)
        for (size_t bytes = 0, whole = 1; bytes < whole; bytes += bytes < NUMBERS ? 1 : 5) {
            TestingMat mat = testing_mat(false);
            SinoScan *scan = NULL;
            put_scan(&mat, &stored[1], compressed);
            whole = mat.length;
            mat.length = bytes;
            testing_mat_write(&mat, path);
            SinoStatus status = sino_scan_open(&(SinoScanRequest){.path = path, .theta = "0:180"}, &scan);
            if (!status) status = sino_scan_read(scan, 0, ANGLES, &box, values);
            assert_non_null(status);
            sino_status_free(status);
            sino_scan_close(scan);
        }
}

/* A flipped bit of what is compressed is seen, by the checksum at the latest. */
static void compressed_bytes_are_checked(void **state)
{
    char path[TESTING_PATH];
    float values[VALUES];
    const SinoScanBox box = {0, ROWS, 0, COLUMNS};
    testing_path(path, *state, "m");
    int unseen = 0;
    TestingMat whole = testing_mat(false);
    put_scan(&whole, &stored[0], true);
    for (size_t at = ELEMENT + 10; at < whole.length; at += 3) {
        TestingMat mat = {.length = 0};
        SinoScan *scan = NULL;
        testing_mat_put(&mat, whole.bytes, whole.length);
        mat.bytes[at] ^= 16;
        testing_mat_write(&mat, path);
        SinoStatus status = sino_scan_open(&(SinoScanRequest){.path = path, .theta = "0:180"}, &scan);
        if (!status) status = sino_scan_read(scan, 0, ANGLES, &box, values);
        if (status) assert_int_equal(sino_status_exit_code(status), SINO_BAD_INPUT);
        for (int v = 0; v < VALUES && !status; v++) /* the bit has no meaning */
            assert_true((double)values[v] == value_at(v / (ROWS * COLUMNS), v / COLUMNS % ROWS, v % COLUMNS));
        unseen += !status;
        sino_status_free(status);
        sino_scan_close(scan);
    }
    assert_true(unseen < (int)whole.length / 24); /* codes that nothing uses */
    free(whole.bytes);
}

/* The temporary file of a compressed variable: without a folder for it there is a clear failure. */
static void no_temporary_folder(void **state)
{
    char path[TESTING_PATH];
    float values[VALUES];
    const SinoScanBox box = {0, ROWS, 0, COLUMNS};
    const char *const given = getenv("TMPDIR");
    char *kept = given ? strdup(given) : NULL;
    SinoScan *scan = NULL;
    TestingMat mat = testing_mat(false);
    put_scan(&mat, &stored[0], true);
    testing_mat_write(&mat, testing_path(path, *state, "m"));
    assert_int_equal(setenv("TMPDIR", "/nowhere", 1), 0);
    assert_success(sino_scan_open(&(SinoScanRequest){.path = path, .theta = "0:180"}, &scan));
    SinoStatus status = sino_scan_read(scan, 0, ANGLES, &box, values);
    if (kept)
        (void)setenv("TMPDIR", kept, 1);
    else
        (void)unsetenv("TMPDIR");
    free(kept);
    assert_error(status, SINO_FAILED, "/nowhere | No such file | TMPDIR");
    sino_scan_close(scan);
}

/* ---- matrices ---- */

static void random_matrices(void **state)
{
    static const int64_t shapes[][3] = {{40, 30, 500}, {1, 50, 30}, {50, 1, 30}, {7, 9, 0}, {3, 40000, 40000}};
    char path[TESTING_PATH], named[TESTING_PATH + 8];
    snprintf(named, sizeof named, "%s:/A", testing_path(path, *state, "m"));
    for (int i = 0; i < 20; i++) {
        const int64_t *shape = shapes[i / 4];
        TestingMatrix matrix = testing_matrix(shape[0], shape[1], shape[2], (uint64_t)i);
        double *dense = testing_dense(&matrix);
        TestingMat mat = testing_mat(i & 1);
        SinoMatrixFile *file = NULL;
        put_row(&mat, "before", 3, angles);
        testing_mat_matrix(&mat, "A", i & 2, i % 3, &matrix);
        if (i % 2) testing_mat_matrix(&mat, "B", false, 0, &matrix);
        testing_mat_write(&mat, path);
        assert_success(sino_matrix_try(named));
        assert_success(sino_matrix_open(i % 2 ? named : path, &file));
        assert_string_equal(sino_matrix_kind(file), "MATLAB");
        assert_int_equal(sino_matrix_outline(file)->nonzero_count, shape[2]);
        assert_matrix(file, dense, (uint64_t)i);
        sino_matrix_close(file);
        free(dense);
        free(matrix.entry);
    }
}

static void refuse_matrix(const char *path, const char *text)
{
    SinoMatrixFile *file = NULL;
    assert_error(sino_matrix_open(path, &file), SINO_BAD_INPUT, text);
}

static void damaged_matrices(void **state)
{
    static const int32_t size[] = {3, 2}, narrow[] = {3, 1}, rows[] = {0, 2, 1}, ends[] = {0, 2, 3}, fall[] = {0, 4, 3};
    static const int32_t beyond[] = {0, 2, 4}, below[] = {0, 2, -1}, outside[] = {0, 3, 1};
    static const double values[] = {1, 2, 3};
    const TestingMatPart value = {9, 8, 3, values};
    const struct {
        const int32_t *size;
        TestingMatPart rows, ends;
        const char *text;
    } cases[] = {
        {size,
         {5, 4, 3, rows},
         {5, 4, 3, beyond},
         "A has 4 values by its columns; allowed: 0 to the 3 that are stored"},
        {size, {5, 4, 3, rows}, {5, 4, 3, below}, "A has -1 values by its columns"},
        {size, {5, 4, 2, rows}, {5, 4, 3, ends}, "A | 3 values by its columns | 0 to the 2"},
        {size, {5, 4, 3, rows}, {5, 4, 3, fall}, "element 1 of jc is 4; allowed: 0, as the one before it, to 3"},
        {size, {5, 4, 3, rows}, {5, 4, 2, ends}, "has another number of columns than its sizes say"},
        {narrow, {5, 4, 3, rows}, {5, 4, 3, ends}, "has another number of columns than its sizes say"},
        {size, {9, 8, 3, values}, {5, 4, 3, ends}, "has indices that are no integers"},
    };
    char path[TESTING_PATH];
    testing_path(path, *state, "m");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        TestingMat mat = testing_mat(false);
        testing_mat_variable(&mat, &(TestingMatVariable){.name = "A",
                                                         .compressed = i % 2,
                                                         .class = 5,
                                                         .rank = 2,
                                                         .size = cases[i].size,
                                                         .part_count = 3,
                                                         .part = {cases[i].rows, cases[i].ends, value}});
        testing_mat_write(&mat, path);
        refuse_matrix(path, cases[i].text);
    }
    TestingMat mat = testing_mat(false);
    SinoMatrixFile *file = NULL;
    SinoRowBuffer buffer = {.row_room = 0};
    testing_mat_variable(&mat, &(TestingMatVariable){.name = "A",
                                                     .class = 5,
                                                     .rank = 2,
                                                     .size = size,
                                                     .part_count = 3,
                                                     .part = {{5, 4, 3, outside}, {5, 4, 3, ends}, value}});
    put_row(&mat, "row", 3, values);
    testing_mat_write(&mat, path);
    assert_success(sino_matrix_open(path, &file));
    assert_error(sino_matrix_read(file, 0, 3, &buffer), SINO_BAD_INPUT, "element 1 of ir | 3 | 0 to 2");
    sino_row_buffer_free(&buffer);
    sino_matrix_close(file);
    char named[TESTING_PATH + 8];
    snprintf(named, sizeof named, "%s:/row", path);
    refuse_matrix(named, "row | numbers");
}

static void probes(void **state)
{
    TestingMat mat = testing_mat(true);
    (void)state;
    assert_true(sino_mat_probe(mat.bytes, 128));
    assert_false(sino_mat_probe(mat.bytes, 127));
    mat.bytes[124] = 2; /* version 7.3, which is HDF5 */
    assert_false(sino_mat_probe(mat.bytes, 128));
    assert_false(sino_mat_probe_file("/nowhere"));
    free(mat.bytes);
}

#define MAT_TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(mat)
{
    const struct CMUnitTest tests[] = {
        MAT_TEST(scans_of_every_type),
        MAT_TEST(sinograms_and_images),
        MAT_TEST(variables_that_are_no_scan),
        MAT_TEST(fields_of_structures),
        MAT_TEST(damaged_files),
        MAT_TEST(damaged_structures),
        MAT_TEST(cut_anywhere),
        MAT_TEST(compressed_bytes_are_checked),
        MAT_TEST(no_temporary_folder),
        MAT_TEST(random_matrices),
        MAT_TEST(damaged_matrices),
        cmocka_unit_test(probes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
