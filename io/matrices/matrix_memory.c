/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix in memory: the arrays of a caller as those of a format. */
#include "matrix_source.h"
#include "memory.h"

#include <stdlib.h>

static int64_t integer_at(const SinoMemoryMatrix *matrix, const void *array, int64_t i)
{
    return matrix->wide ? ((const int64_t *)array)[i] : ((const int32_t *)array)[i];
}

/* Several threads may read memory without a pass of their own. */
static SinoStatus begin_pass(void *state, void **pass)
{
    *pass = state;
    return NULL;
}

static SinoStatus read_integers(void *pass, SinoMatrixArray array, int64_t first, int64_t count, int64_t *values)
{
    const SinoMemoryMatrix *matrix = pass;
    const void *from = array == SINO_ARRAY_POINTERS ? matrix->start : matrix->column;
    for (int64_t i = 0; i < count; i++) values[i] = integer_at(matrix, from, first + i);
    return NULL;
}

static SinoStatus read_doubles(void *pass, SinoMatrixArray array, int64_t first, int64_t count, double *values)
{
    const SinoMemoryMatrix *matrix = pass;
    (void)array;
    for (int64_t i = 0; i < count; i++)
        values[i] = matrix->doubles ? ((const double *)matrix->value)[first + i]
                                    : (double)((const float *)matrix->value)[first + i];
    return NULL;
}

static void end_pass(void *pass)
{
    (void)pass;
}

static const SinoArrayReader reader = {
    .begin = begin_pass, .integers = read_integers, .doubles = read_doubles, .end = end_pass, .close = free};

SinoStatus sino_matrix_memory_open(const SinoMemoryMatrix *matrix, SinoMatrixFile *file)
{
    SinoMatrixArrays arrays = {.reader = &reader,
                               .layout = SINO_CSR,
                               .random_access = true,
                               .name = {"start", "column", "value"},
                               .row_count = matrix->row_count,
                               .column_count = matrix->column_count};
    SinoMemoryMatrix *copy = NULL;
    SINO_TRY(sino_matrix_check_size(file->path, matrix->row_count, matrix->column_count));
    SINO_TRY(sino_allocate(1, sizeof *copy, "a matrix", &copy));
    *copy = *matrix;
    arrays.state = copy;
    arrays.count[SINO_ARRAY_POINTERS] = matrix->row_count + 1;
    arrays.count[SINO_ARRAY_INDICES] = arrays.count[SINO_ARRAY_VALUES] =
        integer_at(matrix, matrix->start, matrix->row_count);
    return sino_matrix_arrays_open(file, &arrays);
}
