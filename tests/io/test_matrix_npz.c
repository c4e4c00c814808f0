/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix npz: the files of scipy.sparse.save_npz, of every layout, type and compression, and damaged ones. */
#include "testing_npz.h"

#include <math.h>

static SinoMatrixFile *opened(const char *path)
{
    SinoMatrixFile *file = NULL;
    assert_success(sino_matrix_open(path, &file));
    assert_string_equal(sino_matrix_kind(file), "SciPy");
    return file;
}

static void random_matrices(void **state)
{
    static const int64_t shapes[][3] = {{40, 30, 500}, {1, 50, 30},   {50, 1, 30},     {1, 1, 0},
                                        {7, 9, 0},     {300, 20, 25}, {4000, 3, 9000}, {3, 40000, 40000}};
    static const char *const formats[] = {"csr", "csc", "coo"};
    static const char *const index_types[] = {"<i4", "<i8", "<u4", ">i4", ">i8"};
    char path[TESTING_PATH];
    testing_path(path, *state, "m");
    for (size_t i = 0; i < 6 * (sizeof shapes / sizeof *shapes); i++) {
        const TestingNpz wanted = {formats[i % 3], i % 2, index_types[i % 5], i % 4 ? "<f4" : "<f8"};
        const int64_t *shape = shapes[i / 6];
        TestingMatrix matrix = testing_matrix(shape[0], shape[1], shape[2], i);
        double *dense = testing_dense(&matrix);
        testing_npz(path, &wanted, &matrix);
        SinoMatrixFile *file = opened(path);
        assert_int_equal(sino_matrix_outline(file)->nonzero_count, shape[2]);
        assert_int_equal(sino_matrix_outline(file)->row_access, i % 3 == 0 && i % 2 == 0);
        assert_matrix(file, dense, i);
        sino_matrix_close(file);
        free(dense);
        free(matrix.entry);
    }
}

/* A file of 3 rows and 4 columns with the entries (0, 1) = 0.5, (2, 0) = 2, (2, 3) = 3, one array of which differs. */
typedef struct Change {
    const char *name, *type, *shape;
    const void *values;
    size_t bytes;
} Change;

static void change(const char *path, const char *format, const Change *change)
{
    const TestingNpz wanted = {format, false, "<i4", "<f8"};
    TestingEntry entry[] = {{0, 1, 0.5}, {2, 0, 2}, {2, 3, 3}};
    TestingMatrix matrix = {3, 4, 3, entry};
    int error;
    testing_npz(path, &wanted, &matrix);
    if (!change) return;
    zip_t *zip = zip_open(path, 0, &error);
    assert_non_null(zip);
    if (change->type)
        testing_npz_add(zip, change->name, true, change->type, change->shape, change->values, change->bytes);
    else
        assert_int_equal(zip_delete(zip, (zip_uint64_t)zip_name_locate(zip, change->name, 0)), 0);
    assert_int_equal(zip_close(zip), 0);
}

static SinoStatus status_of(const char *path)
{
    SinoMatrixFile *file = NULL;
    SinoRowBuffer buffer = {.row_room = 0};
    SinoStatus status = sino_matrix_open(path, &file);
    if (!status) status = sino_matrix_read(file, 0, sino_matrix_outline(file)->row_count, &buffer);
    sino_row_buffer_free(&buffer);
    sino_matrix_close(file);
    return status;
}

static void refused(const char *folder, const char *format, Change wanted, const char *why)
{
    char path[TESTING_PATH];
    change(testing_path(path, folder, "m"), format, &wanted);
    assert_error(status_of(path), SINO_BAD_INPUT, why);
}

static void damaged_arrays(void **state)
{
    static const int64_t falls[] = {0, 2, 1, 3}, beyond[] = {0, 1, 1, 4}, late[] = {1, 1, 1, 3}, shape[] = {3, 5, 1};
    static const int64_t none[] = {0, 4}, huge[] = {3, INT64_C(1) << 32}, few[] = {4, 4};
    static const int32_t indices[] = {1, 0, 4}, negative[] = {1, -1, 3}, rows[] = {0, 3, 2};
    static const double values[] = {0.5, -2, 3}, nan[] = {NAN, 0, 0}, large[] = {1, 1, 1e39};
    static const uint64_t enormous[] = {0, 1, UINT64_MAX};
    refused(*state, "csr", (Change){.name = "data.npy"}, "m has no data.npy");
    refused(*state, "csr", (Change){.name = "format.npy"}, "m has no format.npy");
    refused(*state, "csr", (Change){"format.npy", "|S3", "()", "bsr", 3}, "'bsr' | csr | coo");
    refused(*state, "csr", (Change){"format.npy", "<i4", "()", "csr", 4}, "its format is ''; allowed");
    refused(*state, "csr", (Change){"shape.npy", "<i8", "(3,)", shape, 24}, "shape.npy | 3 numbers | 2");
    refused(*state, "csr", (Change){"shape.npy", "<i8", "(2, 1)", shape, 16}, "shape.npy | 2 dimensions | 1");
    refused(*state, "csr", (Change){"shape.npy", "<i8", "(2,)", none, 16}, "a matrix of 0 rows and 4 columns; allowed");
    refused(*state, "csr", (Change){"shape.npy", "<i8", "(2,)", huge, 16}, "and up to 4294967295 columns");
    refused(*state, "csr", (Change){"shape.npy", "<i8", "(2,)", few, 16}, "indptr.npy | 4 | 5 | 4 rows");
    refused(*state, "csc", (Change){"shape.npy", "<i8", "(2,)", shape, 16}, "indptr.npy | 5 | 6 | 3 rows");
    refused(*state, "coo", (Change){"row.npy", "<i4", "(2,)", rows, 8}, "row.npy | 2 | 3 | 3 rows");
    refused(*state, "csr", (Change){"indices.npy", "<i4", "(2,)", rows, 8}, "indices.npy | 2 elements | the 3 of data");
    refused(*state, "csr", (Change){"indptr.npy", "<i8", "(4,)", falls, 32}, "element 2 of indptr.npy | 1 | 2, as the");
    refused(*state, "csr", (Change){"indptr.npy", "<i8", "(4,)", beyond, 32}, "indptr.npy | 0 to 4 | 0 to 3");
    refused(*state, "csr", (Change){"indptr.npy", "<i8", "(4,)", late, 32}, "indptr.npy | 1 to 3 | 0 to 3");
    refused(*state, "csr", (Change){"indices.npy", "<i4", "(3,)", indices, 12},
            "element 2 of indices.npy | 4 | 0 to 3");
    refused(*state, "csc", (Change){"indices.npy", "<i4", "(3,)", indices, 12},
            "element 2 of indices.npy | 4 | 0 to 2");
    refused(*state, "csr", (Change){"indices.npy", "<i4", "(3,)", negative, 12},
            "element 1 of indices.npy is -1; allowed");
    refused(*state, "csr", (Change){"indices.npy", "<u8", "(3,)", enormous, 24},
            "element 2 of indices.npy is 9223372036854775807");
    refused(*state, "coo", (Change){"row.npy", "<i4", "(3,)", rows, 12}, "element 1 of row.npy | 3 | 0 to 2");
    refused(*state, "coo", (Change){"col.npy", "<i4", "(3,)", indices, 12}, "element 2 of col.npy | 4 | 0 to 3");
    refused(*state, "csr", (Change){"indices.npy", "<f8", "(3,)", values, 24}, "indices.npy | float64 | integers");
    refused(*state, "csr", (Change){"data.npy", "|S8", "(3,)", values, 24}, "data.npy | numbers");
    refused(*state, "csr", (Change){"data.npy", "<f8", "(3,)", values, 24}, "row 2 | value -2 | column 0 | finite");
    refused(*state, "csc", (Change){"data.npy", "<f8", "(3,)", nan, 24}, "nan | column 0 | 0");
    refused(*state, "coo", (Change){"data.npy", "<f8", "(3,)", large, 24}, "row 2 | 1e+39 | column 3 | up to");
    refused(*state, "csr", (Change){"data.npy", "<f8", "(1099511627776,)", values, 24},
            "data.npy | 152 bytes | 8796093022336");
    refused(*state, "csr", (Change){"data.npy", "<f8", "(2,)", values, 24}, "data.npy | 152 bytes | 144");
    refused(*state, "csr", (Change){"data.npy", "<c16", "(1,)", values, 24},
            "m: data.npy has values of the type '<c16'");
}

/* Booleans and integers are values, too. */
static void other_types(void **state)
{
    static const double dense[] = {0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
    static const unsigned char truths[] = {1, 1, 0};
    char path[TESTING_PATH];
    const Change wanted = {"data.npy", "|b1", "(3,)", truths, 3};
    change(testing_path(path, *state, "m"), "csr", &wanted);
    SinoMatrixFile *file = opened(path);
    assert_matrix(file, dense, 1);
    sino_matrix_close(file);
}

static void truncated_anywhere(void **state)
{
    char path[TESTING_PATH];
    struct stat about;
    change(testing_path(path, *state, "m"), "csr", NULL);
    assert_success(status_of(path));
    assert_int_equal(stat(path, &about), 0);
    for (int64_t bytes = about.st_size - 1; bytes >= 0; bytes -= 13) {
        assert_int_equal(truncate(path, bytes), 0);
        assert_error(status_of(path), SINO_BAD_INPUT, path);
    }
}

/* A changed byte among compressed values is found, as their checksum is not right. */
static void flipped_byte(void **state)
{
    const TestingNpz wanted = {"coo", true, "<i4", "<f8"};
    char path[TESTING_PATH];
    struct stat about;
    TestingMatrix matrix = testing_matrix(50, 50, 2000, 4);
    testing_npz(testing_path(path, *state, "m"), &wanted, &matrix);
    assert_int_equal(stat(path, &about), 0);
    FILE *file = fopen(path, "r+");
    assert_true(file && fseek(file, about.st_size / 2, SEEK_SET) == 0 && fputc(0xa5, file) != EOF);
    assert_true(fputc(0x5a, file) != EOF && fclose(file) == 0);
    assert_error(status_of(path), SINO_BAD_INPUT, path);
    free(matrix.entry);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(matrix_npz)
{
    const struct CMUnitTest tests[] = {
        TEST(random_matrices), TEST(damaged_arrays), TEST(other_types), TEST(truncated_anywhere), TEST(flipped_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
