/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix Market: text as programs write it, compressed or not, and text that is refused. */
#include "testing_matrix.h"

#include <math.h>

#include <zlib.h>

static void write_text(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    assert_true(out && fputs(text, out) >= 0 && fclose(out) == 0);
}

static SinoMatrixFile *opened(const char *path)
{
    SinoMatrixFile *file = NULL;
    assert_success(sino_matrix_open(path, &file));
    assert_string_equal(sino_matrix_kind(file), "Matrix Market");
    assert_false(sino_matrix_outline(file)->row_access);
    return file;
}

/* The matrix that the text has to be; NULL: the text is refused with `why`. */
static void check_text(const char *folder, const char *text, const TestingMatrix *matrix, const char *why)
{
    char path[TESTING_PATH];
    SinoMatrixFile *file = NULL;
    write_text(testing_path(path, folder, "m"), text);
    if (matrix) {
        double *dense = testing_dense(matrix);
        file = opened(path);
        assert_int_equal(sino_matrix_outline(file)->row_count, matrix->row_count);
        assert_int_equal(sino_matrix_outline(file)->column_count, matrix->column_count);
        assert_matrix(file, dense, 1);
        free(dense);
    } else {
        SinoRowBuffer buffer = {.row_room = 0};
        SinoStatus status = sino_matrix_open(path, &file);
        if (!status) status = sino_matrix_read(file, 0, 1, &buffer);
        assert_error(status, SINO_BAD_INPUT, why);
        sino_row_buffer_free(&buffer);
    }
    sino_matrix_close(file);
}

static void random_matrices(void **state)
{
    static const int64_t shapes[][3] = {{40, 30, 500}, {1, 50, 30},   {50, 1, 30},       {1, 1, 0},
                                        {7, 9, 0},     {300, 20, 25}, {200, 300, 200000}};
    char path[TESTING_PATH];
    testing_path(path, *state, "m");
    for (size_t i = 0; i < 2 * (sizeof shapes / sizeof *shapes); i++) {
        const int64_t *shape = shapes[i / 2];
        TestingMatrix matrix = testing_matrix(shape[0], shape[1], shape[2], i);
        double *dense = testing_dense(&matrix);
        testing_market(path, i % 2, &matrix);
        SinoMatrixFile *file = opened(path);
        assert_int_equal(sino_matrix_outline(file)->nonzero_count, shape[2]);
        assert_matrix(file, dense, i);
        sino_matrix_close(file);
        free(dense);
        free(matrix.entry);
    }
}

static void ways_to_write(void **state)
{
    TestingEntry entry[] = {{0, 1, 0.5}, {2, 0, 2}, {2, 3, 3e-7}};
    TestingEntry ones[] = {{0, 1, 1}, {2, 0, 1}};
    TestingEntry both[] = {{1, 1, 4}, {2, 0, 5}, {0, 2, 5}};
    const TestingMatrix matrix = {3, 4, 3, entry}, pattern = {3, 4, 2, ones}, symmetric = {3, 3, 3, both};
    const TestingMatrix empty = {3, 4, 0, NULL};
    check_text(*state, "%%MatrixMarket matrix coordinate real general\n3 4 3\n1 2 .5\n3 1 2.\n3 4 3E-7\n", &matrix, "");
    check_text(
        *state,
        "%%matrixmarket  MATRIX Coordinate Real\tGeneral \r\n% a comment\r\n%\r\n \r\n  3 4\t3\r\n\r\n 3  4 30e-8 "
        "\r\n% more\r\n1 2 0.5\r\n\r\n3 1 +2",
        &matrix, "");
    check_text(*state,
               "%%MatrixMarket matrix coordinate real general\n3 4 5\n1 2 0\n1 2 0.5\n2 2 -0\n3 1 2\n3 4 3e-7\n",
               &matrix, "");
    check_text(*state, "%%MatrixMarket matrix coordinate pattern general\n3 4 2\n1 2\n3 1", &pattern, "");
    check_text(*state, "%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n2 2 4\n3 1 5\n", &symmetric, "");
    check_text(*state, "%%MatrixMarket matrix coordinate real general\n3 4 0", &empty, "");
}

static void wide_matrix(void **state)
{
    char path[TESTING_PATH];
    SinoRowBuffer buffer = {.row_room = 0};
    write_text(
        testing_path(path, *state, "m"),
        "%%MatrixMarket matrix coordinate integer general\n1000000000000 4294967295 1\n999999999999 4294967295 7\n");
    SinoMatrixFile *file = opened(path);
    assert_success(sino_matrix_read(file, 999999999997, 2, &buffer));
    assert_int_equal(buffer.rows.start[1], 0);
    assert_int_equal(buffer.rows.start[2], 1);
    assert_int_equal(buffer.rows.column[0], UINT32_MAX - 1);
    assert_true(buffer.rows.value[0] == 7);
    sino_row_buffer_free(&buffer);
    sino_matrix_close(file);
}

#define HEAD "%%MatrixMarket matrix coordinate real general\n"

static void refused_texts(void **state)
{
    check_text(*state, "%%MatrixMarket\n", NULL, "holds a ''; allowed: matrix");
    check_text(*state, "%%MatrixMarket vector coordinate real general\n", NULL, "'vector' | matrix");
    check_text(*state, "%%MatrixMarket matrix array real general\n", NULL, "'array' | coordinate");
    check_text(*state, "%%MatrixMarket matrix coordinate complex general\n", NULL, "'complex' | real | pattern");
    check_text(*state, "%%MatrixMarket matrix coordinate real skew-symmetric\n", NULL,
               "'skew-symmetric' | general and symmetric");
    check_text(*state, "%%MatrixMarket matrix coordinate real hermitian\n", NULL, "of symmetry 'hermitian'");
    check_text(*state, HEAD, NULL, "ends before its sizes");
    check_text(*state, HEAD "3 4\n", NULL, "line 2 | '3 4' | rows | entries");
    check_text(*state, HEAD "3 4 1 1\n", NULL, "line 2 is '3 4 1 1'");
    check_text(*state, HEAD "3 4x 1\n", NULL, "line 2 is '3 4x 1'");
    check_text(*state, HEAD "0 4 0\n", NULL, "0 rows | 4 columns | 1");
    check_text(*state, HEAD "1 4294967296 0\n", NULL, "and up to 4294967295 columns");
    check_text(*state, HEAD "1 99999999999999999999 0\n", NULL, "line 2 is ");
    check_text(*state, HEAD "3 4 1000\n", NULL, "says that it has 1000 entries, for which its 55 bytes are too few");
    check_text(*state, "%%MatrixMarket matrix coordinate real symmetric\n3 4 0\n", NULL,
               "3 rows | 4 columns | symmetric");
    check_text(*state, "%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n1 2 1\n", NULL,
               "line 3 | '1 2 1' | 1 to 3 | below");
    check_text(*state, HEAD "3 4 1\n\n4 1 1\n", NULL, "line 4 is '4 1 1'; allowed: row (1 to 3), column (1 to 4)");
    check_text(*state, HEAD "3 4 1\n1 5 1\n", NULL, "line 3 is '1 5 1'");
    check_text(*state, HEAD "3 4 1\n0 1 1\n", NULL, "line 3 is '0 1 1'");
    check_text(*state, HEAD "3 4 1\n1 0 1\n", NULL, "line 3 is '1 0 1'");
    check_text(*state, HEAD "3 4 1\n1 1 -1\n", NULL, "line 3 is '1 1 -1'");
    check_text(*state, HEAD "3 4 1\n1 1 nan\n", NULL, "line 3 is '1 1 nan'");
    check_text(*state, HEAD "3 4 1\n1 1 1e999\n", NULL, "line 3 is '1 1 1e999'");
    check_text(*state, HEAD "3 4 1\n1 1 1e39\n", NULL, "row 0 | 1e+39 | column 0 | 3.40282e+38");
    check_text(*state, HEAD "3 4 1\n1 1\n", NULL, "line 3 is '1 1'");
    check_text(*state, HEAD "3 4 1\n1 1 1 1\n", NULL, "line 3 is '1 1 1 1'");
    check_text(*state, HEAD "3 4 1\n1 1 1,5\n", NULL, "line 3 is '1 1 1,5'");
    check_text(*state, HEAD "3 4 1\n1.5 1 1\n", NULL, "line 3 is '1.5 1 1'");
    check_text(*state, "%%MatrixMarket matrix coordinate pattern general\n3 4 1\n1 1 1\n", NULL, "line 3 is '1 1 1'");
    check_text(*state, HEAD "3 4 2\n1 1 1\n", NULL, "ends after 1 entries; allowed: the 2 that it says");
    check_text(*state, HEAD "3 4 1\n1 1 1\n1 1 1\n", NULL, "line 4 is behind the last of 1 entries");
}

static void long_lines_and_zeros(void **state)
{
    enum { LONG = (1 << 18) + 100 };
    char *text = malloc(LONG + 100), path[TESTING_PATH];
    assert_non_null(text);
    memset(text, 'x', LONG);
    memcpy(text, HEAD "%", sizeof HEAD);
    text[LONG] = '\0';
    check_text(*state, text, NULL, "line 2 is longer than 262144 bytes");
    free(text);
    FILE *out = fopen(testing_path(path, *state, "m"), "w");
    assert_true(out && fwrite(HEAD "3 4 1\n1 1 1\0junk\n", sizeof HEAD + 16, 1, out) == 1 && fclose(out) == 0);
    SinoMatrixFile *file = opened(path);
    SinoRowBuffer buffer = {.row_room = 0};
    assert_error(sino_matrix_read(file, 0, 1, &buffer), SINO_BAD_INPUT, "line 3 | byte 0 | text");
    sino_row_buffer_free(&buffer);
    sino_matrix_close(file);
}

/* Every truncated file is refused when it is opened or read, and one whose bytes were changed too. */
static void damaged_gzip(void **state)
{
    char path[TESTING_PATH];
    TestingMatrix matrix = testing_matrix(20, 20, 60, 3);
    SinoRowBuffer buffer = {.row_room = 0};
    testing_market(testing_path(path, *state, "m"), true, &matrix);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    for (int64_t bytes = about.st_size - 1; bytes > 0; bytes -= 7) {
        SinoMatrixFile *file = NULL;
        assert_int_equal(truncate(path, bytes), 0);
        SinoStatus status = sino_matrix_open(path, &file);
        if (!status) status = sino_matrix_read(file, 0, 20, &buffer);
        assert_error(status, SINO_BAD_INPUT, path);
        sino_matrix_close(file);
    }
    testing_market(path, true, &matrix);
    FILE *change = fopen(path, "r+");
    assert_true(change && fseek(change, about.st_size / 2, SEEK_SET) == 0 && fputc(0xa5, change) != EOF);
    assert_true(fputc(0x5a, change) != EOF && fclose(change) == 0);
    SinoMatrixFile *file = NULL;
    SinoStatus status = sino_matrix_open(path, &file);
    if (!status) status = sino_matrix_read(file, 0, 20, &buffer);
    assert_error(status, SINO_BAD_INPUT, " cannot be read behind line ");
    sino_matrix_close(file);
    sino_row_buffer_free(&buffer);
    free(matrix.entry);
}

/* Other text, and other compressed text, is no matrix. */
static void other_text(void **state)
{
    char path[TESTING_PATH];
    SinoMatrixFile *file = NULL;
    write_text(testing_path(path, *state, "m"), "%MatrixMarket\n");
    assert_error(sino_matrix_open(path, &file), SINO_BAD_INPUT, "no system matrix of a format that is known");
    gzFile out = gzopen(path, "wb");
    assert_true(out && gzputs(out, "other text") > 0 && gzclose(out) == Z_OK);
    assert_error(sino_matrix_open(path, &file), SINO_BAD_INPUT, "Matrix Market (*.mtx, *.mtx.gz)");
    write_text(path, "\x1f\x8b");
    assert_error(sino_matrix_open(path, &file), SINO_BAD_INPUT, "no system matrix of a format that is known");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(matrix_market)
{
    const struct CMUnitTest tests[] = {
        TEST(random_matrices),      TEST(ways_to_write), TEST(wide_matrix), TEST(refused_texts),
        TEST(long_lines_and_zeros), TEST(damaged_gzip),  TEST(other_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
