/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix and counts in memory: arrays of a caller are read as files are, and wrong ones are refused. */
#include "counts_file.h"

#include "testing_matrix.h"

#include <math.h>

/* The arrays of the test in the types of the caller. */
typedef struct Narrow {
    int32_t *start, *column;
    float *value;
} Narrow;

static Narrow narrow(const TestingMatrix *matrix, const TestingArrays *arrays)
{
    Narrow made = {.start = calloc((size_t)arrays->pointer_count, sizeof *made.start),
                   .column = calloc((size_t)matrix->count + 1, sizeof *made.column),
                   .value = calloc((size_t)matrix->count + 1, sizeof *made.value)};
    assert_true(made.start && made.column && made.value);
    for (int64_t i = 0; i < arrays->pointer_count; i++) made.start[i] = (int32_t)arrays->pointer[i];
    for (int64_t i = 0; i < matrix->count; i++) made.column[i] = (int32_t)arrays->index[i];
    for (int64_t i = 0; i < matrix->count; i++) made.value[i] = (float)arrays->value[i];
    return made;
}

static void check_opened(const SinoMemoryMatrix *matrix, const double *dense, uint64_t seed)
{
    SinoMatrixFile *file = NULL;
    assert_success(sino_matrix_open_from(NULL, matrix, &file));
    assert_string_equal(sino_matrix_kind(file), "arrays");
    assert_string_equal(sino_matrix_path(file), "the matrix");
    assert_true(sino_matrix_outline(file)->row_access);
    assert_int_equal(sino_matrix_read_count(file), matrix->row_count);
    assert_matrix(file, dense, seed);
    sino_matrix_close(file);
}

static void arrays_are_read_as_files(void **state)
{
    static const int64_t shapes[][3] = {{40, 30, 500}, {1, 50, 30}, {50, 1, 30},
                                        {1, 1, 0},     {7, 9, 0},   {4000, 3, 90000}};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        TestingMatrix matrix = testing_matrix(shapes[i][0], shapes[i][1], shapes[i][2], i);
        double *dense = testing_dense(&matrix);
        TestingArrays arrays;
        testing_arrays(&matrix, "csr", &arrays);
        Narrow small = narrow(&matrix, &arrays);
        SinoMemoryMatrix of = {.name = "the matrix",
                               .row_count = matrix.row_count,
                               .column_count = matrix.column_count,
                               .wide = true,
                               .doubles = true,
                               .start = arrays.pointer,
                               .column = arrays.index,
                               .value = arrays.value};
        check_opened(&of, dense, i);
        of.wide = of.doubles = false;
        of.start = small.start;
        of.column = small.column;
        of.value = small.value;
        check_opened(&of, dense, i);
        free(small.start);
        free(small.column);
        free(small.value);
        testing_arrays_free(&arrays);
        free(dense);
        free(matrix.entry);
    }
}

static SinoStatus read_all(const SinoMemoryMatrix *matrix)
{
    SinoMatrixFile *file = NULL;
    SinoRowBuffer buffer = {.row_room = 0};
    SinoStatus status = sino_matrix_open_from(NULL, matrix, &file);
    if (!status) status = sino_matrix_read(file, 0, matrix->row_count, &buffer);
    sino_row_buffer_free(&buffer);
    sino_matrix_close(file);
    return status;
}

/* Of 3 rows and 4 columns. */
static void check_refused(int64_t rows, int64_t columns, const int32_t start[4], const int32_t column[3],
                          const float value[3], const char *why)
{
    const SinoMemoryMatrix matrix = {.name = "the matrix",
                                     .row_count = rows,
                                     .column_count = columns,
                                     .start = start,
                                     .column = column,
                                     .value = value};
    assert_error(read_all(&matrix), SINO_BAD_INPUT, why);
}

static void wrong_arrays_are_refused(void **state)
{
    static const int32_t start[] = {0, 1, 1, 3}, column[] = {1, 0, 3};
    static const int32_t late[] = {1, 1, 1, 3}, falling[] = {0, 3, 1, 3}, less[] = {0, 1, 1, -1}, past[] = {0, 9, 9, 3};
    static const int32_t outside[] = {1, 4, 3}, before[] = {1, -1, 3};
    static const float value[] = {0.5F, 2, 3}, negative[] = {0.5F, -2, 3}, nan[] = {0.5F, NAN, 3},
                       inf[] = {INFINITY, 2, 3};
    (void)state;
    check_refused(0, 4, start, column, value, "the matrix");
    check_refused(-1, 4, start, column, value, "the matrix");
    check_refused(3, 0, start, column, value, "the matrix");
    check_refused(3, 1LL << 40, start, column, value, "the matrix");
    check_refused(3, 4, late, column, value, "start | 1 to 3 | 0 to 3");
    check_refused(3, 4, less, column, value, "start");
    check_refused(3, 4, falling, column, value, "element 2 of start | 1 | 3");
    check_refused(3, 4, past, column, value, "element 1 of start is 9; allowed: 0, as the one before it, to 3");
    check_refused(3, 4, start, outside, value, "element 1 of column | 4 | 0 to 3");
    check_refused(3, 4, start, before, value, "element 1 of column | -1 | 0 to 3");
    check_refused(3, 4, start, column, negative, "the matrix");
    check_refused(3, 4, start, column, nan, "the matrix");
    check_refused(3, 4, start, column, inf, "the matrix");
}

static const SinoCountsRequest rows_of = {.path = "the projections", .element_count = 3, .set_count = 2};

static SinoStatus read_counts(const SinoCountsRequest *request, const SinoMemoryCounts *counts, float values[6])
{
    SinoCountsRequest of = *request;
    SinoCountsFile *file = NULL;
    of.memory = counts;
    SINO_TRY(sino_counts_open(&of, &file));
    SinoStatus status = sino_counts_read(file, 0, sino_counts_info(file)->set_count, values);
    sino_counts_close(file);
    return status;
}

static void counts_have_any_steps(void **state)
{
    static const double turned[] = {6, 3, 5, 2, 4, 1};
    static const float sparse[] = {1, 0, 2, 0, 3};
    const SinoMemoryCounts of_turned = {
        .first = turned + 5, .doubles = true, .set_count = 2, .set_step = -1, .element_step = -2};
    const SinoMemoryCounts of_sparse = {.first = sparse, .set_count = 1, .set_step = 99, .element_step = 2};
    float values[6] = {0};
    (void)state;
    assert_success(read_counts(&rows_of, &of_turned, values));
    for (int i = 0; i < 6; i++) assert_true(values[i] == (float)(i + 1));
    assert_success(read_counts(&rows_of, &of_sparse, values));
    for (int i = 0; i < 3; i++) assert_true(values[i] == (float)(i + 1));
}

static void wrong_counts_are_refused(void **state)
{
    static const double values[] = {1, -2, 3, 4, 5, 6, 7, 8, 9}, large[] = {1, 1e300, 3};
    SinoMemoryCounts counts = {.first = values, .doubles = true, .set_count = 2, .set_step = 3, .element_step = 1};
    SinoCountsRequest request = rows_of;
    float read[6] = {0};
    (void)state;
    assert_error(read_counts(&request, &counts, read), SINO_BAD_INPUT, "row 1 | set 0 | -2 | numbers | more");
    request.negative = true;
    assert_success(read_counts(&request, &counts, read));
    counts.set_count = 3;
    assert_error(read_counts(&request, &counts, read), SINO_BAD_INPUT, "3 sets | 3 rows | 1 | 2");
    counts.set_count = 1;
    counts.first = large;
    assert_error(read_counts(&request, &counts, read), SINO_BAD_INPUT, "row 1 is inf");
}

TESTING_SUBJECT(matrix_memory)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_read_as_files), cmocka_unit_test(wrong_arrays_are_refused),
        cmocka_unit_test(counts_have_any_steps), cmocka_unit_test(wrong_counts_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
