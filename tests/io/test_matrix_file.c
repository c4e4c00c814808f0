/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix file: one matrix in every format is the same, to the bit, in any ranges of rows. */
#include "testing_hdf5_matrix.h"
#include "testing_mat_matrix.h"
#include "testing_npz.h"

#include <math.h>

enum { ROWS = 300, COLUMNS = 200, ENTRIES = 20000, FILES = 12 };

/* Floats of many magnitudes, so that sums of several depend on their order. */
static TestingMatrix rough_matrix(void)
{
    TestingMatrix matrix = testing_matrix(ROWS, COLUMNS, ENTRIES, 12);
    uint64_t seed = 4;
    for (int64_t i = 0; i < matrix.count; i++)
        if (matrix.entry[i].value > 0)
            matrix.entry[i].value =
                (double)ldexpf((float)testing_random(&seed), (int)(testing_random(&seed) % 90) - 100);
    return matrix;
}

static void shuffle(TestingMatrix *matrix, uint64_t seed)
{
    for (int64_t i = matrix->count - 1; i > 0; i--) {
        const int64_t other = testing_random(&seed) % (i + 1);
        const TestingEntry entry = matrix->entry[i];
        matrix->entry[i] = matrix->entry[other];
        matrix->entry[other] = entry;
    }
}

/* Writes file number i, with its entries in an order of its own. */
static void write_file(const char *path, int i, TestingMatrix *matrix)
{
    static const TestingScanner scanner = {.layers = 1, .blocks = 1, .block_size = 1, .rings = 1};
    static const TestingNpz npz[] = {{"csr", true, "<i4", "<f4"},
                                     {"csc", false, "<i8", "<f8"},
                                     {"coo", true, ">i4", "<f4"},
                                     {"csr", false, "<u4", "<f8"}};
    const TestingHdf5 hdf5[] = {{TESTING_ANNDATA, "/X", "csr", H5T_STD_I32LE, H5T_IEEE_F32LE, true},
                                {TESTING_10X, "/matrix", "csc", H5T_STD_I64LE, H5T_IEEE_F64LE, false},
                                {TESTING_MATLAB, "/A", "csc", H5T_STD_U64LE, H5T_IEEE_F64LE, true}};
    shuffle(matrix, (uint64_t)i);
    if (i == 0) testing_csr4(path, &scanner, matrix);
    if (i == 1 || i == 2) testing_market(path, i == 2, matrix);
    if (i >= 3 && i < 7) testing_npz(path, &npz[i - 3], matrix);
    if (i >= 10) {
        TestingMat mat = testing_mat(i == 10);
        testing_mat_matrix(&mat, "A", i == 11, i, matrix);
        testing_mat_write(&mat, path);
    }
    if (i < 7 || i >= 10) return;
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    testing_hdf5_matrix(file, &hdf5[i - 7], matrix);
    testing_hdf5_close(file);
}

static bool same(const SinoSparseRows *a, const SinoSparseRows *b)
{
    const size_t count = (size_t)a->start[a->row_count];
    return a->first_row == b->first_row && a->row_count == b->row_count &&
           testing_same_bytes(a->start, b->start, (size_t)(a->row_count + 1) * sizeof *a->start) &&
           testing_same_bytes(a->column, b->column, count * sizeof *a->column) &&
           testing_same_bytes(a->value, b->value, count * sizeof *a->value);
}

static void all_formats_are_one_matrix(void **state)
{
    TestingMatrix matrix = rough_matrix();
    SinoMatrixFile *file[FILES] = {NULL};
    SinoRowBuffer buffer[FILES] = {{.row_room = 0}};
    uint64_t seed = 2;
    for (int i = 0; i < FILES; i++) {
        char path[TESTING_PATH], name[16];
        snprintf(name, sizeof name, "%d", i); /* no format is known by its name */
        write_file(testing_path(path, *state, name), i, &matrix);
        assert_success(sino_matrix_try(path));
        assert_success(sino_matrix_open(path, &file[i]));
        assert_int_equal(sino_matrix_outline(file[i])->row_count, ROWS);
        assert_int_equal(sino_matrix_outline(file[i])->column_count, COLUMNS);
        assert_int_equal(sino_matrix_outline(file[i])->nonzero_count, ENTRIES);
    }
    for (int trial = 0; trial < 20; trial++) {
        const int64_t first = trial ? testing_random(&seed) % ROWS : 0;
        const int64_t count = trial ? testing_random(&seed) % (ROWS + 1 - first) : ROWS;
        for (int i = 0; i < FILES; i++) {
            assert_success(sino_matrix_read(file[i], first, count, &buffer[i]));
            if (!same(&buffer[0].rows, &buffer[i].rows)) fail_msg("file %d differs", i);
        }
    }
    for (int i = 0; i < FILES; i++) {
        sino_matrix_close(file[i]);
        sino_row_buffer_free(&buffer[i]);
    }
    free(matrix.entry);
}

/* A sum is rounded once: 1 + 2⁻²⁴ + 2⁻²⁵ is above one half between two floats; added in float it would be 1. */
static void sums_are_rounded_once(void **state)
{
    char path[TESTING_PATH];
    TestingEntry entry[] = {{0, 1, 1}, {0, 1, ldexp(1, -24)}, {0, 1, ldexp(1, -25)}, {0, 0, 1e-50}, {0, 2, 1e-46}};
    TestingMatrix matrix = {1, 3, 5, entry};
    SinoMatrixFile *file = NULL;
    SinoRowBuffer buffer = {.row_room = 0};
    testing_market(testing_path(path, *state, "m"), false, &matrix);
    assert_success(sino_matrix_open(path, &file));
    assert_success(sino_matrix_read(file, 0, 1, &buffer));
    assert_int_equal(buffer.rows.start[1], 1); /* what becomes 0 in float is left out */
    assert_int_equal(buffer.rows.column[0], 1);
    assert_true(buffer.rows.value[0] == 1 + ldexpf(1, -23));
    sino_row_buffer_free(&buffer);
    sino_matrix_close(file);
}

static void unknown_files(void **state)
{
    char path[TESTING_PATH];
    SinoMatrixFile *file = NULL;
    FILE *out = fopen(testing_path(path, *state, "m.csr4"), "w");
    assert_true(out && fclose(out) == 0);
    assert_error(sino_matrix_open(path, &file), SINO_BAD_INPUT, "m.csr4 | csr4 | FILE:/GROUP");
    assert_null(file);
    assert_error(sino_matrix_try(path), SINO_BAD_INPUT, "no system matrix of a format that is known");
    sino_matrix_close(NULL);
}

/* What is certainly a matrix, be it damaged, by its first bytes or by the name of a group. */
static void probes(void **state)
{
    static const struct {
        const char *bytes;
        bool found;
    } file[] = {{"%%MatrixMarket", true}, {"PCSR\4", true}, {"\x89HDF\r\n\x1a\n", false}, {"text", false}};
    char path[TESTING_PATH];
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        FILE *out = fopen(testing_path(path, *state, "m"), "w");
        assert_true(out && fputs(file[i].bytes, out) >= 0 && fclose(out) == 0);
        assert_int_equal(sino_matrix_probe(path), file[i].found);
        assert_true(sino_matrix_probe(testing_path(path, *state, "m:/group")));
    }
    assert_false(sino_matrix_probe(testing_path(path, *state, "none")));
    assert_false(sino_matrix_probe(testing_path(path, *state, "none:/group")));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(matrix_file)
{
    const struct CMUnitTest tests[] = {
        TEST(all_formats_are_one_matrix),
        TEST(sums_are_rounded_once),
        TEST(unknown_files),
        TEST(probes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
