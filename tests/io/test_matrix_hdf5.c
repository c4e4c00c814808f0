/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix HDF5: groups as several programs write them, of every type, and what is refused. */
#include "testing_hdf5_matrix.h"

#include <math.h>

static hid_t new_file(const char *path)
{
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static SinoMatrixFile *opened(const char *path)
{
    SinoMatrixFile *file = NULL;
    assert_success(sino_matrix_open(path, &file));
    assert_string_equal(sino_matrix_kind(file), "HDF5");
    return file;
}

static void random_matrices(void **state)
{
    static const int64_t shapes[][3] = {{40, 30, 500}, {1, 50, 30},   {50, 1, 30},    {2, 1, 0},
                                        {7, 9, 0},     {300, 20, 25}, {400, 30, 3000}};
    const hid_t index_types[] = {H5T_STD_I32LE, H5T_STD_I64LE, H5T_STD_U64BE, H5T_STD_U32LE};
    const hid_t value_types[] = {H5T_IEEE_F32LE, H5T_IEEE_F64LE, H5T_IEEE_F64BE};
    char path[TESTING_PATH];
    testing_path(path, *state, "m");
    for (size_t i = 0; i < 8 * (sizeof shapes / sizeof *shapes); i++) {
        const int64_t *shape = shapes[i / 8];
        const TestingStyle style = i % 4;
        const bool columns = style == TESTING_MATLAB || i % 8 > 3;
        const TestingHdf5 wanted = {
            style, i % 5 ? "/X" : "/", columns ? "csc" : "csr", index_types[i % 4], value_types[i % 3], i % 2};
        TestingMatrix matrix = testing_matrix(shape[0], shape[1], shape[2], i);
        double *dense = testing_dense(&matrix);
        const hid_t out = new_file(path);
        testing_hdf5_matrix(out, &wanted, &matrix);
        testing_hdf5_close(out);
        SinoMatrixFile *file = opened(path);
        assert_int_equal(sino_matrix_outline(file)->nonzero_count, shape[2]);
        assert_int_equal(sino_matrix_outline(file)->row_access, !columns);
        assert_matrix(file, dense, i);
        sino_matrix_close(file);
        free(dense);
        free(matrix.entry);
    }
}

/* The paths of groups. */
static void several_groups(void **state)
{
    char path[TESTING_PATH], place[TESTING_PATH];
    SinoMatrixFile *file = NULL;
    TestingMatrix matrix = testing_matrix(5, 6, 20, 1), other = testing_matrix(3, 2, 5, 2);
    double *dense = testing_dense(&matrix), *other_dense = testing_dense(&other);
    TestingHdf5 wanted = {TESTING_ANNDATA, "/X", "csr", H5T_STD_I32LE, H5T_IEEE_F64LE, false};
    const hid_t out = new_file(testing_path(path, *state, "m"));
    testing_hdf5_matrix(out, &wanted, &matrix);
    assert_true(H5Gclose(H5Gcreate2(out, "/layers", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)) >= 0);
    wanted.group = "/layers/counts";
    testing_hdf5_matrix(out, &wanted, &other);
    testing_hdf5_close(out);
    file = opened(path); /* only one of them is at the root */
    assert_matrix(file, dense, 1);
    sino_matrix_close(file);
    file = opened(testing_path(place, *state, "m:/layers/counts"));
    assert_matrix(file, other_dense, 1);
    sino_matrix_close(file);
    assert_error(sino_matrix_open(testing_path(place, *state, "m:/none"), &file), SINO_BAD_INPUT,
                 "m has no group /none");
    assert_error(sino_matrix_open(testing_path(place, *state, "m:/layers"), &file), SINO_BAD_INPUT,
                 "/layers | indices");
    const hid_t again = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    wanted.group = "/Y";
    testing_hdf5_matrix(again, &wanted, &other);
    testing_hdf5_close(again);
    assert_error(sino_matrix_open(path, &file), SINO_BAD_INPUT, "m | 2 sparse matrices (/X, /Y) | one of them, as ");
    file = opened(testing_path(place, *state, "m:/Y"));
    assert_matrix(file, other_dense, 1);
    sino_matrix_close(file);
    assert_int_equal(rename(path, testing_path(place, *state, "m:")), 0);
    file = opened(testing_path(place, *state, "m::/X"));
    sino_matrix_close(file);
    free(dense);
    free(other_dense);
    free(matrix.entry);
    free(other.entry);
}

/* A matrix of 3 rows and 4 columns with the entries (0, 1) = 0.5, (2, 0) = 2, (2, 3) = 3 in /X. */
static hid_t small_file(const char *path, TestingStyle style)
{
    TestingEntry entry[] = {{0, 1, 0.5}, {2, 0, 2}, {2, 3, 3}};
    TestingMatrix matrix = {3, 4, 3, entry};
    const char *format = style == TESTING_MATLAB ? "csc" : "csr";
    const TestingHdf5 wanted = {style, "/X", format, H5T_STD_I32LE, H5T_IEEE_F64LE, false};
    const hid_t file = new_file(path);
    testing_hdf5_matrix(file, &wanted, &matrix);
    return file;
}

static void refused(const char *path, hid_t out, const char *why)
{
    SinoMatrixFile *file = NULL;
    SinoRowBuffer buffer = {.row_room = 0};
    testing_hdf5_close(out);
    SinoStatus status = sino_matrix_open(path, &file);
    if (!status) status = sino_matrix_read(file, 0, sino_matrix_outline(file)->row_count, &buffer);
    assert_error(status, SINO_BAD_INPUT, why);
    sino_row_buffer_free(&buffer);
    sino_matrix_close(file);
}

/* Replaces a dataset of the small file. */
static void replaced(const char *folder, const char *name, hid_t type, hid_t memory_type, int64_t count,
                     const void *values, const char *why)
{
    char path[TESTING_PATH];
    const hid_t file = small_file(testing_path(path, folder, "m"), TESTING_ANNDATA);
    assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    testing_hdf5_array(file, name, type, memory_type, false, count, values);
    refused(path, file, why);
}

static void damaged_arrays(void **state)
{
    static const int64_t falls[] = {0, 2, 1, 3}, late[] = {1, 1, 1, 3}, indices[] = {1, 0, 4};
    static const uint64_t enormous[] = {1, UINT64_MAX, 3};
    static const double values[] = {0.5, -2, 3}, nan[] = {NAN, 1, 1}, large[] = {1, 1e39, 1};
    const hid_t integer = H5T_NATIVE_INT64, real = H5T_NATIVE_DOUBLE;
    replaced(*state, "/X/indptr", integer, integer, 4, falls, "element 2 of /X/indptr | 1 | 2");
    replaced(*state, "/X/indptr", integer, integer, 4, late, "/X/indptr | 1 to 3 | 0 to 3");
    replaced(*state, "/X/indptr", integer, integer, 3, falls, "/X/indptr | 3 | 4 | 3 rows");
    replaced(*state, "/X/indptr", real, real, 3, values, "/X/indptr | float64 | integers");
    replaced(*state, "/X/indices", integer, integer, 3, indices, "element 2 of /X/indices | 4 | 0 to 3");
    replaced(*state, "/X/indices", integer, integer, 2, indices, "/X/indices | 2 | 3 | /X/data");
    replaced(*state, "/X/indices", H5T_NATIVE_UINT64, H5T_NATIVE_UINT64, 3, enormous,
             "element 1 of /X/indices is 9223372036854775807");
    replaced(*state, "/X/data", real, real, 3, values, "row 2 | value -2 | column 0 | finite");
    replaced(*state, "/X/data", real, real, 3, nan, "nan | column 1 | finite values");
    replaced(*state, "/X/data", real, real, 3, large, "row 2 | 1e+39 | column 0 | 3.40282e+38");
}

static void other_groups(void **state)
{
    static const int64_t shape[] = {3, 4, 5}, square[] = {3, 3};
    char path[TESTING_PATH];
    testing_path(path, *state, "m");
    refused(path, new_file(path), "m | data | shape");
    hid_t file = small_file(path, TESTING_10X);
    assert_true(H5Ldelete(file, "/X/shape", H5P_DEFAULT) >= 0);
    refused(path, file, "the group /X has no shape; allowed: an attribute or a dataset `shape` of two integers");
    file = small_file(path, TESTING_10X);
    assert_true(H5Ldelete(file, "/X/shape", H5P_DEFAULT) >= 0);
    testing_hdf5_array(file, "/X/shape", H5T_NATIVE_INT64, H5T_NATIVE_INT64, false, 3, shape);
    refused(path, file, "the group /X has no shape");
    file = small_file(path, TESTING_10X);
    assert_true(H5Ldelete(file, "/X/shape", H5P_DEFAULT) >= 0);
    testing_hdf5_array(file, "/X/shape", H5T_NATIVE_INT64, H5T_NATIVE_INT64, false, 2, square);
    refused(path, file, "does not say whether rows or columns of its 3 × 3 matrix are compressed");
    file = small_file(path, TESTING_10X);
    hid_t group = H5Gopen2(file, "/X", H5P_DEFAULT);
    testing_text_attribute(group, "encoding-type", true, "array");
    assert_true(H5Gclose(group) >= 0);
    refused(path, file, "/X | 'array' | csr_matrix | csc_matrix");
    file = small_file(path, TESTING_MATLAB);
    group = H5Gopen2(file, "/X", H5P_DEFAULT);
    assert_true(H5Adelete(group, "MATLAB_sparse") >= 0);
    testing_text_attribute(group, "MATLAB_sparse", true, "3");
    assert_true(H5Gclose(group) >= 0);
    refused(path, file, "an attribute MATLAB_sparse that is no integer");
    file = small_file(path, TESTING_MATLAB);
    assert_true(H5Ldelete(file, "/X/data", H5P_DEFAULT) >= 0);
    refused(path, file, "/X/ir | 3 elements | the 0 of /X/data");
    file = small_file(path, TESTING_ANNDATA);
    assert_true(H5Lmove(file, "/X/data", file, "/elsewhere", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_external("absent.h5", "/data", file, "/X/data", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    refused(path, file, "/X/data is a link to absent.h5:/data, which cannot be opened");
}

static void truncated_anywhere(void **state)
{
    char path[TESTING_PATH];
    struct stat about;
    testing_hdf5_close(small_file(testing_path(path, *state, "m"), TESTING_ANNDATA));
    assert_int_equal(stat(path, &about), 0);
    for (int64_t bytes = about.st_size - 1; bytes >= 0; bytes -= 97) {
        SinoMatrixFile *file = NULL;
        assert_int_equal(truncate(path, bytes), 0);
        assert_error(sino_matrix_open(path, &file), SINO_BAD_INPUT, path);
    }
}

static void several_threads(void **state)
{
    char path[TESTING_PATH];
    const TestingHdf5 wanted = {TESTING_ANNDATA, "/X", "csr", H5T_STD_I32LE, H5T_IEEE_F64LE, true};
    TestingMatrix matrix = testing_matrix(200, 50, 3000, 8);
    double *dense = testing_dense(&matrix);
    const hid_t out = new_file(testing_path(path, *state, "m"));
    testing_hdf5_matrix(out, &wanted, &matrix);
    testing_hdf5_close(out);
    SinoMatrixFile *file[2] = {opened(path), opened(path)};
    testing_threads(file, dense);
    sino_matrix_close(file[0]);
    sino_matrix_close(file[1]);
    free(dense);
    free(matrix.entry);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(matrix_hdf5)
{
    const struct CMUnitTest tests[] = {
        TEST(random_matrices), TEST(several_groups),     TEST(damaged_arrays),
        TEST(other_groups),    TEST(truncated_anywhere), TEST(several_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
