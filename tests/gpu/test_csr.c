/* SPDX-License-Identifier: BSD-3-Clause */
/* CSR: what libraries are compared with is the operator: the dense reference's rows, in another order. */
#include "csr.h"

#include "testing.h"
#include "testing_partition.h"

#include <math.h>

/* What tells a row from others, whatever the order of its columns. */
typedef struct Row {
    double sum, squares;
    int64_t count;
} Row;

static int by_sums(const void *a, const void *b)
{
    const Row *p = a, *q = b;
    if (p->count != q->count) return p->count < q->count ? -1 : 1;
    if (fabs(p->squares - q->squares) > 1e-4) return p->squares < q->squares ? -1 : 1;
    return p->sum < q->sum ? -1 : p->sum > q->sum;
}

static void add_length(Row *row, double length)
{
    row->sum += length;
    row->squares += length * length;
    row->count++;
}

static Row *rows_of_csr(const Csr *matrix)
{
    Row *row = zeros(matrix->row_count, sizeof *row);
    for (int64_t r = 0; r < matrix->row_count; r++)
        for (int64_t i = matrix->offset[r]; i < matrix->offset[r + 1]; i++) {
            assert_in_range(matrix->column[i], 0, matrix->column_count - 1);
            assert_true(i == matrix->offset[r] || matrix->column[i] > matrix->column[i - 1]);
            add_length(&row[r], (double)matrix->length[i]);
        }
    qsort(row, (size_t)matrix->row_count, sizeof *row, by_sums);
    return row;
}

static Row *rows_of_reference(const ReferenceOperator *a, bool transposed)
{
    const int64_t count = transposed ? a->voxel_count : a->ray_count;
    Row *row = zeros(count, sizeof *row);
    for (int64_t i = 0; i < a->ray_count * a->voxel_count; i++)
        if (a->length[i] > 1e-9) add_length(&row[transposed ? i % a->voxel_count : i / a->voxel_count], a->length[i]);
    qsort(row, (size_t)count, sizeof *row, by_sums);
    return row;
}

static void check_matrix(const Csr *matrix, const ReferenceOperator *reference, bool transposed)
{
    Row *found = rows_of_csr(matrix), *wanted = rows_of_reference(reference, transposed);
    assert_int_equal(matrix->row_count, transposed ? reference->voxel_count : reference->ray_count);
    for (int64_t r = 0; r < matrix->row_count; r++) {
        assert_int_equal(found[r].count, wanted[r].count);
        assert_true(fabs(found[r].squares - wanted[r].squares) < 1e-3);
    }
    free(found);
    free(wanted);
}

static void matrices_are_the_operator(void **state)
{
    (void)state;
    const TestingAngles angles = testing_angles(8);
    for (int symmetry = 0; symmetry <= 1; symmetry++) {
        Problem problem = problem_create(scan_of(&angles, 37, 34, 17.3), symmetry);
        const Partition whole = whole_grid(&problem);
        Packed packed = pack(&problem, &whole, SINO_SINGLE);
        Csr matrix = csr_of_block(packed.block, &problem.layout, whole.tile), transposed = csr_transposed(&matrix);
        assert_int_equal(matrix.nonzero_count, packed.block->nonzero_count);
        check_matrix(&matrix, &problem.reference, false);
        check_matrix(&transposed, &problem.reference, true);
        csr_free(&matrix);
        csr_free(&transposed);
        packed_free(&packed);
        problem_free(&problem);
    }
}

TESTING_SUBJECT(csr)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(matrices_are_the_operator)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
