/* SPDX-License-Identifier: BSD-3-Clause */
/* CSR: products and transposes against sums in double, for rows of all lengths and matrices in parts. */
#include "csr.h"
#include "csr_isa.h"
#include "memory.h"
#include "random_stream.h"
#include "testing.h"
#include "vector.h"

#include <math.h>

enum { ROWS = 130, COLUMNS = 97, PARTS = 3 };

/* A random matrix, dense, and as parts; row i has at most i entries, so that there are rows of every length. */
typedef struct Case {
    float dense[ROWS][COLUMNS];
    SinoSparseRows rows[PARTS];
    const SinoSparseRows *part[PARTS];
    int64_t start[PARTS][ROWS + 1];
    uint32_t column[PARTS][ROWS * COLUMNS];
    float value[PARTS][ROWS * COLUMNS];
} Case;

static void fill_dense(Case *c, uint64_t seed)
{
    SinoRandomStream stream = sino_random_stream(seed, 0);
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < i; k++) {
            const double place = sino_random_uniform(&stream);
            c->dense[i][(int)(place * COLUMNS)] = (float)sino_random_uniform(&stream) + 0.01f;
        }
}

static Case *new_case(uint64_t seed)
{
    static const int first[PARTS + 1] = {0, 17, 17, ROWS}; /* the second part has no rows */
    Case *c = NULL;
    assert_success(sino_allocate(1, sizeof *c, "test", &c));
    fill_dense(c, seed);
    for (int p = 0; p < PARTS; p++) {
        int64_t at = 0;
        for (int i = first[p]; i < first[p + 1]; i++) {
            for (int j = 0; j < COLUMNS; j++) {
                if (c->dense[i][j] == 0) continue;
                c->column[p][at] = (uint32_t)j;
                c->value[p][at++] = c->dense[i][j];
            }
            c->start[p][i - first[p] + 1] = at;
        }
        c->rows[p] = (SinoSparseRows){.first_row = first[p],
                                      .row_count = first[p + 1] - first[p],
                                      .start = c->start[p],
                                      .column = c->column[p],
                                      .value = c->value[p]};
        c->part[p] = &c->rows[p];
    }
    return c;
}

/* The bound is that of a sum of positive floats in any order. */
static void assert_row(const float *dense, const float *x, float y)
{
    double wanted = 0;
    for (int j = 0; j < COLUMNS; j++) wanted += (double)dense[j] * (double)x[j];
    if (!(fabs((double)y - wanted) <= COLUMNS * 0x1p-24 * wanted)) fail_msg("%.9g, not %.9g", (double)y, wanted);
}

static void products(void **state)
{
    static const SinoCsrIsa *const isas[] = {&sino_csr_plain,
#ifdef __x86_64__
                                             &sino_csr_avx2, &sino_csr_avx512
#endif
    };
    (void)state;
    Case *c = new_case(3);
    float x[COLUMNS], y[ROWS];
    for (int j = 0; j < COLUMNS; j++) x[j] = (float)(j % 7) + 0.3f;
    for (size_t with = 0; with < sizeof isas / sizeof *isas; with++) {
        if (sino_vector_bytes() < 16 << with) continue;
        for (int p = 0; p < PARTS; p++) isas[with]->multiply(c->part[p], x, y + c->rows[p].first_row);
        for (int i = 0; i < ROWS; i++) assert_row(c->dense[i], x, y[i]);
    }
    for (int p = 0; p < PARTS; p++) sino_csr_multiply(c->part[p], COLUMNS, x, y + c->rows[p].first_row);
    for (int i = 0; i < ROWS; i++) assert_row(c->dense[i], x, y[i]);
    free(c);
}

/* Rows first … first + count − 1 of the transpose are the columns of the dense matrix. */
static void assert_transposed(Case *c, int64_t first, int64_t count)
{
    const SinoCsr matrix = {.part_count = PARTS, .part = c->part};
    int64_t entries[COLUMNS], at = 0;
    SinoSparseRows rows;
    sino_csr_count_columns(&matrix, first, count, entries);
    assert_success(sino_csr_transpose(&matrix, first, count, entries, &rows));
    assert_int_equal(rows.first_row, first);
    assert_int_equal(rows.row_count, count);
    for (int64_t j = 0; j < count; j++) {
        assert_int_equal(rows.start[j], at);
        for (int i = 0; i < ROWS; i++) {
            if (c->dense[i][first + j] == 0) continue;
            assert_true(rows.column[at] == (uint32_t)i && rows.value[at] == c->dense[i][first + j]);
            at++;
        }
        assert_int_equal(rows.start[j + 1], at);
    }
    sino_csr_free(&rows);
}

static void transposes(void **state)
{
    (void)state;
    Case *c = new_case(4);
    assert_transposed(c, 0, COLUMNS);
    assert_transposed(c, 0, 1);
    assert_transposed(c, 30, 41);
    assert_transposed(c, COLUMNS - 1, 1);
    assert_transposed(c, 50, 0);
    free(c);
}

TESTING_SUBJECT(csr)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products), cmocka_unit_test(transposes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
