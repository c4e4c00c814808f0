/* SPDX-License-Identifier: BSD-3-Clause */
/* CSR on a CPU core, and the transpose. Ranges of columns are transposed independently of each other: each walks over
 * all rows, in which columns ascend. */
#include "csr_isa.h"
#include "memory.h"
#include "vector.h"

#include <stdlib.h>

/* Gathers take signed indices: columns of 2³¹ and more are beyond them. */
void sino_csr_multiply(const SinoSparseRows *rows, int64_t column_count, const float *x, float *y)
{
    (column_count <= INT32_MAX ? SINO_BEST_ISA(sino_csr) : &sino_csr_plain)->multiply(rows, x, y);
}

/* The first entry of row i whose column is not below `column`. */
static int64_t find(const SinoSparseRows *rows, int64_t i, int64_t column)
{
    int64_t low = rows->start[i], high = rows->start[i + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (rows->column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void sino_csr_count_columns(const SinoCsr *matrix, int64_t first, int64_t count, int64_t *entries)
{
    for (int64_t i = 0; i < count; i++) entries[i] = 0;
    for (int64_t p = 0; p < matrix->part_count; p++) {
        const SinoSparseRows *part = matrix->part[p];
        for (int64_t i = 0; i < part->row_count; i++)
            for (int64_t k = find(part, i, first); k < part->start[i + 1] && part->column[k] < first + count; k++)
                entries[part->column[k] - first]++;
    }
}

/* at[column]: where its next entry goes. */
static void move_entries(const SinoCsr *matrix, int64_t count, int64_t *at, SinoSparseRows *to)
{
    for (int64_t p = 0; p < matrix->part_count; p++) {
        const SinoSparseRows *part = matrix->part[p];
        for (int64_t i = 0; i < part->row_count; i++)
            for (int64_t k = find(part, i, to->first_row);
                 k < part->start[i + 1] && part->column[k] < to->first_row + count; k++) {
                const int64_t place = at[part->column[k] - to->first_row]++;
                to->column[place] = (uint32_t)(part->first_row + i);
                to->value[place] = part->value[k];
            }
    }
}

SinoStatus sino_csr_transpose(const SinoCsr *matrix, int64_t first, int64_t count, const int64_t *entries,
                              SinoSparseRows *rows)
{
    SinoSparseRows to = {.first_row = first, .row_count = count};
    int64_t *at = NULL;
    SinoStatus status = NULL;
    SINO_TRY_OR(status, fail, sino_allocate(count + 1, sizeof *to.start, "a transposed matrix", &to.start));
    SINO_TRY_OR(status, fail, sino_allocate(count, sizeof *at, "a transposed matrix", &at));
    for (int64_t i = 0; i < count; i++) to.start[i + 1] = (at[i] = to.start[i]) + entries[i];
    to.column = sino_allocate_large(sino_times(to.start[count], (int64_t)sizeof *to.column));
    to.value = sino_allocate_large(sino_times(to.start[count], (int64_t)sizeof *to.value));
    SINO_CHECK_OR(status, fail, to.column && to.value, SINO_FAILED, "no memory for a transposed matrix");
    move_entries(matrix, count, at, &to);
    free(at);
    *rows = to;
    return NULL;
fail:
    free(at);
    sino_csr_free(&to);
    return status;
}

void sino_csr_free(SinoSparseRows *rows)
{
    free(rows->start);
    sino_free_large(rows->column);
    sino_free_large(rows->value);
    *rows = (SinoSparseRows){.row_count = 0};
}
