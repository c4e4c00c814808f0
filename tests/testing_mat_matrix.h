/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing with sparse matrices in MATLAB files of level 5. */
#pragma once

#include "testing_mat.h"
#include "testing_matrix.h"

/* Writes the entries as MATLAB's sparse() would, with `spare` values that no column has. */
__attribute__((unused)) static void testing_mat_matrix(TestingMat *mat, const char *name, bool compressed, int spare,
                                                       TestingMatrix *matrix)
{
    const int32_t size[] = {(int32_t)matrix->row_count, (int32_t)matrix->column_count};
    TestingArrays arrays;
    testing_arrays(matrix, "csc", &arrays);
    const size_t room = (size_t)(matrix->count + spare);
    int32_t *rows = calloc(room + 1, sizeof *rows), *ends = calloc((size_t)arrays.pointer_count, sizeof *ends);
    double *values = calloc(room + 1, sizeof *values);
    assert_true(rows && ends && values);
    for (int64_t i = 0; i < matrix->count; i++) rows[i] = (int32_t)arrays.index[i];
    for (int64_t i = 0; i < matrix->count; i++) values[i] = arrays.value[i];
    for (int64_t i = 0; i < arrays.pointer_count; i++) ends[i] = (int32_t)arrays.pointer[i];
    testing_mat_variable(
        mat, &(TestingMatVariable){
                 .name = name,
                 .compressed = compressed,
                 .class = 5,
                 .rank = 2,
                 .size = size,
                 .part_count = 3,
                 .part = {{5, 4, room, rows}, {5, 4, (size_t)arrays.pointer_count, ends}, {9, 8, room, values}}});
    free(rows);
    free(ends);
    free(values);
    free(arrays.pointer);
    free(arrays.index);
    free(arrays.value);
}
