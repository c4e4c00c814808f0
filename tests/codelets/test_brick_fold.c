/* SPDX-License-Identifier: BSD-3-Clause */
/* Folded bricks: products with one row of each orbit, in every instruction set, of every combination of mirrors and any
 * number of sets, against the whole matrix in double; rows that are their own mirror images; adjoints; sweeps. */
#include "brick_isa.h"
#include "brick_mirror.h"
#include "brick_pack.h"
#include "memory.h"
#include "testing.h"
#include "vector.h"

#include <math.h>

static uint64_t random_bits(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 24;
}

static double uniform(uint64_t *seed)
{
    return (double)(random_bits(seed) % (1 << 24)) / (1 << 24);
}

typedef struct Form {
    SinoVoxelGrid grid;
    SinoBrickShape shape;
    int64_t rows;
} Form;

/* Odd and even sides, a single slice, padding; a band, less, and more than a group of bands. */
static const Form forms[] = {{{.x_count = 9, .y_count = 6, .z_count = 5}, {{4, 4, 2}, {2, 2, 2}}, 75},
                             {{.x_count = 16, .y_count = 16, .z_count = 4}, {{4, 4, 2}, {8, 8, 4}}, 32},
                             {{.x_count = 7, .y_count = 7, .z_count = 1}, {{4, 4, 1}, {2, 2, 1}}, 5},
                             {{.x_count = 6, .y_count = 5, .z_count = 3}, {{4, 2, 4}, {6, 10, 4}}, 300},
                             {{.x_count = 1, .y_count = 1, .z_count = 1}, {{4, 4, 2}, {8, 8, 4}}, 3}};
enum { FORMS = sizeof forms / sizeof *forms };

static int64_t image_of(const SinoVoxelGrid *grid, int which, int64_t column)
{
    int64_t x = column % grid->x_count, y = column / grid->x_count % grid->y_count,
            z = column / grid->x_count / grid->y_count;
    if (which & SINO_MIRROR_X) x = grid->x_count - 1 - x;
    if (which & SINO_MIRROR_Y) y = grid->y_count - 1 - y;
    if (which & SINO_MIRROR_Z) z = grid->z_count - 1 - z;
    return (z * grid->y_count + y) * grid->x_count + x;
}

/* A matrix of orbits: dense[row][column] has the row that is packed; whole[row · K + k][column] the rows of y. */
typedef struct Subject {
    const Form *form;
    int64_t columns, orientations, voxel_rows;
    double *whole;
    uint8_t *present;
    SinoBrickOrder *order;
    SinoBrickMirror mirror;
    SinoBrickFold fold;
    SinoBrickHead *block;
} Subject;

/* Fills dense[column] so that the orientations of `own` leave it as it is. */
static void fill_row(const Subject *subject, unsigned own, uint64_t *seed, double *dense)
{
    const int mirrors = subject->mirror.mirrors;
    for (int64_t i = 0; i < subject->columns; i++) {
        if (uniform(seed) > 0.2) continue;
        const double value = (float)(uniform(seed) + 0.5);
        for (int64_t k = 0; k < subject->orientations; k++)
            if (own >> k & 1) dense[image_of(&subject->form->grid, sino_orientation(mirrors, k), i)] = value;
    }
}

/* The orientations of a row that leave it as it is, a subgroup: all rows have 0, every third row another one, too. */
static unsigned own_of(const Subject *subject, int64_t row)
{
    if (row % 3 != 1 || subject->orientations == 1) return 1;
    return 1U | 1U << (row / 3 % (subject->orientations - 1) + 1);
}

static void fill(Subject *subject, uint64_t seed, SinoSparseRows *rows)
{
    const int64_t columns = subject->columns, count = subject->orientations;
    double *dense = malloc((size_t)columns * sizeof *dense);
    assert_non_null(dense);
    for (int64_t i = 0; i < rows->row_count; i++) {
        const unsigned own = own_of(subject, i);
        memset(dense, 0, (size_t)columns * sizeof *dense);
        if (i % 7 != 5) fill_row(subject, own, &seed, dense); /* others are empty */
        for (int64_t column = 0; column < columns; column++) {
            if (dense[column] == 0) continue;
            rows->column[rows->start[i]] = (uint32_t)column;
            rows->value[rows->start[i]++] = (float)dense[column];
        }
        for (int64_t k = 0; k < count; k++) {
            bool repeats = false;
            for (int64_t j = 0; j < k; j++) repeats = repeats || own >> (j ^ k) & 1;
            if (repeats) continue;
            subject->present[i] |= (uint8_t)(1U << k);
            for (int64_t column = 0; column < columns; column++)
                subject->whole[(i * count + k) * columns +
                               image_of(&subject->form->grid, sino_orientation(subject->mirror.mirrors, k), column)] =
                    dense[column];
        }
        rows->start[i + 1] = rows->start[i];
    }
    for (int64_t i = rows->row_count; i > 0; i--) rows->start[i] = rows->start[i - 1];
    rows->start[0] = 0;
    free(dense);
}

static Subject new_subject(const Form *form, int mirrors, SinoPrecision precision)
{
    const int64_t columns = form->grid.x_count * form->grid.y_count * form->grid.z_count;
    const int64_t orientations = sino_orientation_count(mirrors);
    Subject subject = {.form = form, .columns = columns, .orientations = orientations};
    SinoSparseRows rows = {.row_count = form->rows};
    assert_success(sino_allocate(form->rows + 1, sizeof *rows.start, "test", &rows.start));
    assert_success(sino_allocate(form->rows * columns, sizeof *rows.column, "test", &rows.column));
    assert_success(sino_allocate(form->rows * columns, sizeof *rows.value, "test", &rows.value));
    assert_success(sino_allocate(form->rows * orientations * columns, sizeof *subject.whole, "test", &subject.whole));
    assert_success(sino_allocate(form->rows, 1, "test", &subject.present));
    assert_success(sino_brick_order_of_grid(&form->grid, &form->shape, &subject.order));
    subject.mirror = (SinoBrickMirror){.order = subject.order, .grid = form->grid, .mirrors = mirrors};
    subject.fold = (SinoBrickFold){.orientation_count = orientations, .present = subject.present};
    subject.voxel_rows = subject.order->row_count;
    fill(&subject, (uint64_t)mirrors + 100, &rows);
    assert_success(sino_brick_pack(subject.order, precision, &rows, &subject.block));
    free(rows.start);
    free(rows.column);
    free(rows.value);
    return subject;
}

static void free_subject(Subject *subject)
{
    free(subject->whole);
    free(subject->present);
    sino_brick_order_free(subject->order);
    sino_free_large(subject->block);
}

static float *new_vector(int64_t count, uint64_t seed)
{
    float *vector = malloc((size_t)count * sizeof *vector);
    assert_non_null(vector);
    for (int64_t i = 0; i < count; i++) vector[i] = (float)uniform(&seed);
    return vector;
}

/* Voxels of some sets, 0 in padding rows. */
static float *new_voxels(const Subject *subject, int64_t sets, uint64_t seed)
{
    float *x = new_vector(subject->voxel_rows * sets, seed);
    for (int64_t row = 0; row < subject->voxel_rows; row++)
        for (int64_t s = 0; s < sets && subject->order->column[row] == SINO_BRICK_NO_COLUMN; s++) x[row * sets + s] = 0;
    return x;
}

/* Vectors of orientations that hold garbage before. */
static float *new_orientations(const Subject *subject, int64_t sets)
{
    return new_vector(subject->voxel_rows * subject->orientations * sets, 77);
}

static double bound_of(SinoPrecision precision)
{
    return precision == SINO_MIXED ? 1e-4 : 1e-5;
}

static void assert_near(double found, double wanted, double bound)
{
    if (!(fabs(found - wanted) <= bound * (fabs(wanted) + 1e-3))) fail_msg("%.9g instead of %.9g", found, wanted);
}

/* Σ of a row of y. */
static double product_of_row(const Subject *subject, int64_t row, int64_t sets, int64_t s, const float *x)
{
    double sum = 0;
    for (int64_t column = 0; column < subject->columns; column++)
        sum += subject->whole[row * subject->columns + column] * (double)x[subject->order->place[column] * sets + s];
    return sum;
}

static void check_project(const SinoBrickIsa *isa, const Subject *subject, SinoPrecision precision, int64_t sets)
{
    const int64_t rows = subject->form->rows * subject->orientations;
    float *x = new_voxels(subject, sets, 3), *spread = new_orientations(subject, sets), *y = new_vector(rows * sets, 5);
    sino_brick_mirror_spread(&subject->mirror, sets, x, spread);
    sino_brick_project_with(isa, subject->block, &subject->fold, sets, spread, y);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t s = 0; s < sets; s++)
            assert_near((double)y[row * sets + s], product_of_row(subject, row, sets, s, x), bound_of(precision));
    free(x);
    free(spread);
    free(y);
}

/* The voxel of Aᵀ y; y has any values where rows repeat others. */
static double product_of_column(const Subject *subject, int64_t column, int64_t sets, int64_t s, const float *y)
{
    double sum = 0;
    for (int64_t row = 0; row < subject->form->rows * subject->orientations; row++)
        sum += subject->whole[row * subject->columns + column] * (double)y[row * sets + s];
    return sum;
}

static void check_backproject(const SinoBrickIsa *isa, const Subject *subject, SinoPrecision precision, int64_t sets)
{
    const int64_t rows = subject->form->rows * subject->orientations;
    float *y = new_vector(rows * sets, 9), *sums = new_orientations(subject, sets);
    float *x = new_vector(subject->voxel_rows * sets, 11);
    memset(sums, 0, (size_t)(subject->voxel_rows * subject->orientations * sets) * sizeof *sums);
    sino_brick_backproject_with(isa, subject->block, &subject->fold, sets, y, sums);
    sino_brick_mirror_sum(&subject->mirror, sets, sums, x);
    for (int64_t row = 0; row < subject->voxel_rows; row++)
        for (int64_t s = 0; s < sets; s++) {
            const uint32_t column = subject->order->column[row];
            const double wanted = column == SINO_BRICK_NO_COLUMN ? 0 : product_of_column(subject, column, sets, s, y);
            assert_near((double)x[row * sets + s], wanted, bound_of(precision));
        }
    free(x);
    free(sums);
    free(y);
}

/* Counts, factors and additive terms of rows that repeat others are 0, 1 and 0. */
static void check_sweep(const SinoBrickIsa *isa, const Subject *subject, SinoPrecision precision, int64_t sets)
{
    const int64_t count = subject->orientations, rows = subject->form->rows * count;
    float *x = new_voxels(subject, sets, 3), *spread = new_orientations(subject, sets);
    float *g = new_vector(rows * sets, 21), *n = new_vector(rows, 22), *r = new_vector(rows * sets, 23);
    float *sums = new_orientations(subject, sets), *found = new_vector(subject->voxel_rows * sets, 11);
    float *back = new_vector(rows * sets, 2);
    SinoBrickSums all[SINO_PANEL_MAX];
    double likelihood[SINO_PANEL_MAX] = {0}, expected[SINO_PANEL_MAX] = {0}, squared[SINO_PANEL_MAX] = {0};
    for (int64_t row = 0; row < rows; row++)
        for (int64_t s = 0; s < sets; s++) {
            const bool there = subject->present[row / count] >> row % count & 1;
            float *const counted = &g[row * sets + s], *const term = &r[row * sets + s];
            if (!there) *counted = *term = 0;
            const double ybar = (double)n[row] * product_of_row(subject, row, sets, s, x) + (double)*term;
            back[row * sets + s] = ybar > 0 ? (float)((double)n[row] * (double)*counted / ybar) : 0;
            if (ybar > 0) likelihood[s] += (double)*counted * log(ybar) - ybar;
            expected[s] += ybar;
            squared[s] += (ybar - (double)*counted) * (ybar - (double)*counted);
        }
    memset(sums, 0, (size_t)(subject->voxel_rows * count * sets) * sizeof *sums);
    sino_brick_mirror_spread(&subject->mirror, sets, x, spread);
    sino_brick_sweep_with(isa, subject->block, &subject->fold, sets, spread,
                          &(SinoBrickCounts){.counts = g, .multiplicative = n, .additive = r}, sums, all);
    sino_brick_mirror_sum(&subject->mirror, sets, sums, found);
    for (int64_t s = 0; s < sets; s++) {
        assert_near(all[s].log_likelihood, likelihood[s], bound_of(precision));
        assert_near(all[s].expected, expected[s], bound_of(precision));
        assert_near(all[s].squared, squared[s], bound_of(precision));
        assert_true(all[s].lost == 0);
        for (int64_t i = 0; i < subject->columns; i++)
            assert_near((double)found[subject->order->place[i] * sets + s],
                        product_of_column(subject, i, sets, s, back), 3 * bound_of(precision));
    }
    free(x);
    free(spread);
    free(g);
    free(n);
    free(r);
    free(sums);
    free(found);
    free(back);
}

typedef void Check(const SinoBrickIsa *isa, const Subject *subject, SinoPrecision precision, int64_t sets);

/* With every instruction set of this processor, combination of mirrors, precision, and number of sets. */
static void check_all(Check *check)
{
    static const SinoPrecision precisions[] = {SINO_SINGLE, SINO_MIXED};
    const SinoBrickIsa *isa[4] = {&sino_brick_plain};
    int isas = 1;
#ifdef __x86_64__
    if (sino_vector_bytes() >= 32) isa[isas++] = &sino_brick_avx2;
    if (sino_vector_bytes() == 64) isa[isas++] = &sino_brick_avx512;
    if (sino_vector_bytes() == 64 && __builtin_cpu_supports("avx512vbmi2")) isa[isas++] = &sino_brick_avx512vbmi2;
#endif
    for (int f = 0; f < FORMS; f++)
        for (int mirrors = 0; mirrors < SINO_MIRRORS; mirrors++)
            for (int p = 0; p < 2; p++) {
                Subject subject = new_subject(&forms[f], mirrors, precisions[p]);
                for (int64_t sets = 1; sets * subject.orientations <= SINO_PANEL_MAX && sets <= 4; sets *= 2)
                    for (int i = 0; i < isas; i++) check(isa[i], &subject, precisions[p], sets);
                free_subject(&subject);
            }
}

static void project_is_that_of_the_whole_matrix(void **state)
{
    (void)state;
    check_all(check_project);
}

static void backproject_is_that_of_the_whole_matrix(void **state)
{
    (void)state;
    check_all(check_backproject);
}

static void sweep_is_that_of_the_whole_matrix(void **state)
{
    (void)state;
    check_all(check_sweep);
}

/* <P x, y> = <x, Pᵀ y> for the images side by side, padding included. */
static void sums_are_adjoint_to_images(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++)
        for (int mirrors = 0; mirrors < SINO_MIRRORS; mirrors++)
            for (int64_t sets = 1; sets <= 3; sets++) {
                Subject subject = new_subject(&forms[f], mirrors, SINO_SINGLE);
                const int64_t lanes = subject.orientations * sets;
                float *x = new_voxels(&subject, sets, 1), *y = new_vector(subject.voxel_rows * lanes, 2);
                float *spread = new_orientations(&subject, sets), *sum = new_vector(subject.voxel_rows * sets, 3);
                double left = 0, right = 0;
                sino_brick_mirror_spread(&subject.mirror, sets, x, spread);
                sino_brick_mirror_sum(&subject.mirror, sets, y, sum);
                for (int64_t i = 0; i < subject.voxel_rows * lanes; i++) left += (double)spread[i] * (double)y[i];
                for (int64_t i = 0; i < subject.voxel_rows * sets; i++) right += (double)x[i] * (double)sum[i];
                assert_true(fabs(left - right) <= 1e-6 * fabs(left));
                for (int64_t row = 0; row < subject.voxel_rows; row++)
                    if (subject.order->column[row] == SINO_BRICK_NO_COLUMN)
                        assert_true(spread[row * lanes] == 0 && sum[row * sets] == 0);
                free(x);
                free(y);
                free(spread);
                free(sum);
                free_subject(&subject);
            }
}

TESTING_SUBJECT(brick_fold)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(project_is_that_of_the_whole_matrix),
                                       cmocka_unit_test(backproject_is_that_of_the_whole_matrix),
                                       cmocka_unit_test(sweep_is_that_of_the_whole_matrix),
                                       cmocka_unit_test(sums_are_adjoint_to_images)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
