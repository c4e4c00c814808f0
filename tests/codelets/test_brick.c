/* SPDX-License-Identifier: BSD-3-Clause */
/* Bricks: packing, and products of every instruction set and number of slices, against the matrix's entries in double;
 * the sweep of MLEM and its logarithms; mixed precision's error; and that no block that passes the check is unsafe
 * (AddressSanitizer sees it). */
#include "brick_isa.h"
#include "brick_pack.h"
#include "memory.h"
#include "testing.h"

#include <float.h>
#include <math.h>

/* ---- matrices ---- */

static uint64_t random_bits(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 24;
}

/* Uniform in [0, 1). */
static double uniform(uint64_t *seed)
{
    return (double)(random_bits(seed) % (1 << 24)) / (1 << 24);
}

/* A matrix whose rows have about `mean` entries each, in runs of neighbours, or in every column. */
typedef struct Form {
    SinoVoxelGrid grid;
    int64_t rows, mean;
    int empty_percent; /* of the rows */
    bool long_tailed;  /* values from 1e-9 to 1 */
    SinoBrickShape shape;
    int64_t empty_from, empty_end; /* rows without any */
} Form;

static const Form forms[] = {
    {{.x_count = 21, .y_count = 19, .z_count = 7}, 75, 60, 20, false, {{4, 4, 2}, {2, 2, 2}}, 0, 0},
    {{.x_count = 40, .y_count = 33, .z_count = 20}, 64, 400, 0, true, {{4, 4, 2}, {8, 8, 4}}, 0, 0},
    {{.x_count = 33, .y_count = 40, .z_count = 1}, 33, 30, 50, false, {{8, 4, 1}, {8, 16, 1}}, 0, 0},
    {{.x_count = 33, .y_count = 10, .z_count = 6}, 31, 25, 10, true, {{4, 2, 2}, {8, 8, 4}}, 0, 0},
    {{.x_count = 50, .y_count = 1, .z_count = 1}, 7, 50, 0, false, {{16, 1, 1}, {256, 1, 1}}, 0, 0},
    {{.x_count = 2500, .y_count = 1, .z_count = 1}, 40, 2500, 30, false, {{32, 1, 1}, {16, 1, 1}}, 0, 0},
    {{.x_count = 1, .y_count = 1, .z_count = 1}, 65, 1, 30, false, {{32, 1, 1}, {256, 1, 1}}, 0, 0},
    {{.x_count = 100, .y_count = 1, .z_count = 1}, 1, 9, 0, false, {{32, 1, 1}, {256, 1, 1}}, 0, 0},
    {{.x_count = 1100000, .y_count = 1, .z_count = 1}, 40, 3, 0, false, {{16, 1, 1}, {1, 1, 1}}, 0, 0}, /* 68750 tiles
                                                                                                         */
    {{.x_count = 500, .y_count = 1, .z_count = 1}, 100, 1, 0, true, {{32, 1, 1}, {4, 1, 1}}, 0, 0},
    {{.x_count = 30, .y_count = 1, .z_count = 1}, 70, 10, 100, false, {{32, 1, 1}, {4, 1, 1}}, 0, 0},  /* nothing */
    {{.x_count = 40, .y_count = 9, .z_count = 1}, 150, 15, 30, false, {{8, 4, 1}, {2, 2, 1}}, 32, 99}, /* whole bands */
    {{.x_count = 40, .y_count = 9, .z_count = 1}, 101, 15, 30, false, {{4, 4, 1}, {2, 2, 1}}, 60, 101},
};
enum { FORMS = sizeof forms / sizeof *forms };

static int64_t columns_of(const Form *form)
{
    return form->grid.x_count * form->grid.y_count * form->grid.z_count;
}

static void fill_row(const Form *form, int64_t row, uint64_t *seed, SinoSparseRows *rows)
{
    const int64_t columns = columns_of(form);
    const double keep = (double)form->mean / (double)columns;
    int64_t at = rows->start[row];
    const bool empty =
        random_bits(seed) % 100 < (uint64_t)form->empty_percent || (row >= form->empty_from && row < form->empty_end);
    for (int64_t column = 0; column < columns && !empty; column++) {
        const int64_t end = column + 1 + (int64_t)(random_bits(seed) % 6);
        if (keep < 1 && uniform(seed) > keep) {
            if (form->mean < 5) column += (int64_t)(uniform(seed) * (double)columns / 4);
            continue;
        }
        for (; column < end && column < columns; column++) {
            const double value = form->long_tailed ? pow(10, -9 * uniform(seed)) : uniform(seed) + 1e-3;
            rows->column[at] = (uint32_t)column;
            rows->value[at++] = (float)value;
        }
    }
    rows->start[row + 1] = at;
}

static SinoSparseRows new_matrix(const Form *form, uint64_t seed)
{
    SinoSparseRows rows = {.row_count = form->rows};
    const int64_t most = sino_smaller(form->rows * columns_of(form), form->rows * (form->mean * 8 + 200));
    assert_success(sino_allocate(form->rows + 1, sizeof *rows.start, "test", &rows.start));
    assert_success(sino_allocate(most, sizeof *rows.column, "test", &rows.column));
    assert_success(sino_allocate(most, sizeof *rows.value, "test", &rows.value));
    for (int64_t row = 0; row < form->rows; row++) {
        fill_row(form, row, &seed, &rows);
        assert_true(rows.start[row + 1] <= most);
    }
    return rows;
}

static void free_matrix(SinoSparseRows *rows)
{
    free(rows->start);
    free(rows->column);
    free(rows->value);
}

/* A matrix, its order, and its block. */
typedef struct Subject {
    SinoSparseRows rows;
    SinoBrickOrder *order;
    SinoBrickHead *block;
} Subject;

/* Makes the order and the block of the subject's matrix. */
static void pack_subject(const Form *form, SinoPrecision precision, Subject *subject)
{
    assert_success(sino_brick_order_of_grid(&form->grid, &form->shape, &subject->order));
    assert_success(sino_brick_pack(subject->order, precision, &subject->rows, &subject->block));
}

static Subject new_subject(const Form *form, SinoPrecision precision, uint64_t seed)
{
    Subject subject = {.rows = new_matrix(form, seed)};
    pack_subject(form, precision, &subject);
    return subject;
}

static void free_subject(Subject *subject)
{
    free_matrix(&subject->rows);
    sino_brick_order_free(subject->order);
    sino_free_large(subject->block);
}

static SinoStatus check_of(const Subject *subject)
{
    return sino_brick_check(subject->block, subject->block->bytes, subject->rows.row_count,
                            subject->order->brick_count);
}

/* ---- instruction sets and vectors ---- */

static const SinoBrickIsa *const isas[] = {
    &sino_brick_plain,
#if defined __x86_64__ && !defined TESTING_ON_DEVICE /* a device is tested once */
    &sino_brick_avx2,
    &sino_brick_avx512,
    &sino_brick_avx512vbmi2,
#endif
};
enum { ISAS = sizeof isas / sizeof *isas };

static bool processor_has(int isa)
{
#ifdef TESTING_ON_DEVICE
    return isa == 0;
#endif
    for (int i = 0; i < ISAS; i++)
        if (strcmp(isas[i]->name, sino_brick_isa_name()) == 0) return isa <= i;
    return false;
}

#ifdef TESTING_ON_DEVICE /* whose threads the host may play */
static const int64_t slice_counts[] = {1, 3, 17};
enum { TRIALS = 30 };
#else
static const int64_t slice_counts[] = {1, 2, 3, 5, 8, 16, 17, 32};
enum { TRIALS = 300 };
#endif
enum { SLICE_COUNTS = sizeof slice_counts / sizeof *slice_counts };

/* Slices of a vector, and where the elements are. */
static SinoSlices slices_of(int64_t count)
{
    return (SinoSlices){SINO_SINGLE, sino_panel_stride(SINO_SINGLE, count), count};
}

static float *new_vector(SinoSlices slices, int64_t rows)
{
    float *vector = NULL;
    assert_success(sino_allocate(rows * slices.stride, sizeof *vector, "test", &vector));
    return vector;
}

static float *at(float *vector, SinoSlices slices, int64_t rows, int64_t row, int64_t slice)
{
    return vector + sino_panel_element(slices, rows, row, slice);
}

/* Random voxels; padding rows stay 0. */
static float *random_voxels(const Subject *subject, SinoSlices slices, uint64_t seed)
{
    const int64_t rows = subject->order->row_count;
    float *x = new_vector(slices, rows);
    for (int64_t i = 0; i < subject->order->column_count; i++)
        for (int64_t f = 0; f < slices.slice_count; f++)
            *at(x, slices, rows, subject->order->place[i], f) = (float)uniform(&seed);
    return x;
}

static float *random_rays(const Subject *subject, SinoSlices slices, uint64_t seed)
{
    const int64_t rows = subject->rows.row_count;
    float *y = new_vector(slices, rows);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t f = 0; f < slices.slice_count; f++) *at(y, slices, rows, i, f) = (float)uniform(&seed);
    return y;
}

/* How far a stored value may be from the matrix's: half a unit of mixed precision. */
static double rounding(const Subject *subject, int64_t row)
{
    double most = 0;
    for (int64_t k = subject->rows.start[row]; k < subject->rows.start[row + 1]; k++)
        most = fmax(most, (double)subject->rows.value[k]);
    return subject->block->precision == SINO_MIXED ? 0.5001 * most / 65535 : 0;
}

/* ---- products ---- */

/* Relative, of a sum of float terms. */
static double rounding_of_sums(int64_t terms)
{
    return 2e-6 + 1e-9 * (double)terms;
}

/* Elements of a vector, and how far those of a product may be from them. */
typedef struct Expectation {
    double *value, *within; /* owned */
} Expectation;

static Expectation new_expectation(int64_t count, double initial)
{
    Expectation of = {NULL, NULL};
    assert_success(sino_allocate(count, sizeof *of.value, "test", &of.value));
    assert_success(sino_allocate(count, sizeof *of.within, "test", &of.within));
    for (int64_t i = 0; i < count; i++) of.value[i] = initial;
    return of;
}

static void free_expectation(Expectation *of)
{
    free(of->value);
    free(of->within);
}

/* A x, and 1 + Aᵀ y, which the products of every instruction set are near. */
static void expect_products(const Subject *subject, SinoSlices slices, float *x, float *y, Expectation *ax,
                            Expectation *aty)
{
    const SinoSparseRows *rows = &subject->rows;
    const int64_t voxels = subject->order->row_count, rays = rows->row_count;
    for (int64_t i = 0; i < rays; i++) {
        const double half_unit = rounding(subject, i), of_sum = rounding_of_sums(rows->start[i + 1] - rows->start[i]);
        for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
            const uint32_t place = subject->order->place[rows->column[k]];
            const double value = (double)rows->value[k];
            for (int64_t f = 0; f < slices.stride; f++) {
                const int64_t ray = sino_panel_element(slices, rays, i, f);
                const int64_t voxel = sino_panel_element(slices, voxels, place, f);
                ax->value[ray] += value * (double)x[voxel];
                ax->within[ray] += half_unit * (double)x[voxel];
                aty->value[voxel] += value * (double)y[ray];
                aty->within[voxel] += half_unit * (double)y[ray];
            }
        }
        for (int64_t f = 0; f < slices.stride; f++) {
            const int64_t ray = sino_panel_element(slices, rays, i, f);
            ax->within[ray] += of_sum * ax->value[ray];
        }
    }
    for (int64_t i = 0; i < voxels * slices.stride; i++) aty->within[i] += rounding_of_sums(rays) * aty->value[i];
}

static void assert_expected(const char *what, const Expectation *of, int64_t count, int64_t stride, const float *found)
{
    for (int64_t i = 0; i < count; i++)
        if (!(fabs((double)found[i] - of->value[i]) <= of->within[i]))
            fail_msg("%s, stride %d, element %d: %.9g, not %.9g", what, (int)stride, (int)i, (double)found[i],
                     of->value[i]);
}

static double dot(const float *a, const float *b, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

static void check_products(const Subject *subject, int64_t slice_count)
{
    const SinoSlices slices = slices_of(slice_count);
    const int64_t voxels = subject->order->row_count * slices.stride, rays = subject->rows.row_count * slices.stride;
    float *x = random_voxels(subject, slices, 1), *y = random_rays(subject, slices, 2);
    float *ax = new_vector(slices, subject->rows.row_count), *aty = new_vector(slices, subject->order->row_count);
    Expectation of_ax = new_expectation(rays, 0), of_aty = new_expectation(voxels, 1);
    expect_products(subject, slices, x, y, &of_ax, &of_aty);
    for (int isa = 0; isa < ISAS && processor_has(isa); isa++) {
        for (int64_t i = 0; i < rays; i++) ax[i] = NAN; /* is overwritten */
        for (int64_t i = 0; i < voxels; i++) aty[i] = 0;
        sino_brick_project_with(isas[isa], subject->block, NULL, slices.stride, x, ax);
        sino_brick_backproject_with(isas[isa], subject->block, NULL, slices.stride, y, aty);
        const double left = dot(ax, y, rays), right = dot(x, aty, voxels);
        assert_true(fabs(left - right) <= 1e-6 * fabs(left));
        for (int64_t i = 0; i < voxels; i++) aty[i] = 1;
        sino_brick_backproject_with(isas[isa], subject->block, NULL, slices.stride, y, aty);
        assert_expected(isas[isa]->name, &of_ax, rays, slices.stride, ax);
        assert_expected(isas[isa]->name, &of_aty, voxels, slices.stride, aty);
    }
    free_expectation(&of_ax);
    free_expectation(&of_aty);
    free(x);
    free(y);
    free(ax);
    free(aty);
}

static void products_are_those_of_the_entries(void **state)
{
    (void)state;
    for (int i = 0; i < FORMS; i++)
        for (int mixed = 0; mixed < 2; mixed++) {
            Subject subject = new_subject(&forms[i], mixed ? SINO_MIXED : SINO_SINGLE, 100 + i);
            assert_success(check_of(&subject));
            for (int s = 0; s < SLICE_COUNTS; s++)
                if (columns_of(&forms[i]) < 100000 || slice_counts[s] <= 2) check_products(&subject, slice_counts[s]);
            free_subject(&subject);
        }
}

/* A segment's unit follows its largest value: a row with one large value far away keeps its small values. */
static void small_values_survive_beside_large_ones(void **state)
{
    (void)state;
    int64_t start[] = {0, 3};
    uint32_t column[] = {5, 6, 9000};
    float value[] = {1e-3F, 3.456789e-3F, 1}, x[16384] = {0}, y;
    const SinoSparseRows rows = {.row_count = 1, .start = start, .column = column, .value = value};
    const SinoVoxelGrid grid = {.x_count = 10000, .y_count = 1, .z_count = 1};
    SinoBrickOrder *order;
    SinoBrickHead *block;
    assert_success(sino_brick_order_of_grid(&grid, &(SinoBrickShape){{32, 1, 1}, {256, 1, 1}}, &order));
    assert_success(sino_brick_pack(order, SINO_MIXED, &rows, &block));
    x[order->place[6]] = 1;
    sino_brick_project(block, NULL, 1, x, &y);
    assert_true(fabsf(y - value[1]) <= 0.501F / 65535 / 128);
    sino_brick_order_free(order);
    sino_free_large(block);
}

/* ---- sweep ---- */

/* Sums of one slice, in double, from what project says. */
typedef struct Expected {
    double log_likelihood, expected, lost, squared;
    double scale; /* of what rounds in `squared` */
} Expected;

static double compare_row(double ax, double n, double r, double g, Expected *sums)
{
    const double ybar = n * ax + r;
    sums->expected += ybar;
    sums->squared += (ybar - g) * (ybar - g);
    sums->scale += (ybar - g) * (ybar - g) + fabs(ybar - g) * ybar;
    if (ybar > 0)
        sums->log_likelihood += g * log(ybar) - ybar;
    else
        sums->lost += g;
    return ybar > 0 ? n * g / ybar : 0;
}

static void assert_near(double found, double expected, double scale)
{
    if (!(fabs(found - expected) <= 1e-6 * scale)) fail_msg("%.12g, not %.12g", found, expected);
}

static void check_sweep(const Subject *subject, const SinoBrickIsa *isa, int64_t slice_count, bool multiplicative,
                        bool additive)
{
    const SinoSlices slices = slices_of(slice_count);
    const int64_t voxels = subject->order->row_count, rays = subject->rows.row_count;
    const int64_t elements = rays * slices.stride, voxel_elements = voxels * slices.stride;
    float *x = random_voxels(subject, slices, 3), *g = random_rays(subject, slices, 4);
    float *n = random_rays(subject, slices_of(1), 5), *r = random_rays(subject, slices, 6);
    float *ax = new_vector(slices, rays), *sum = new_vector(slices, voxels), *expected = new_vector(slices, voxels);
    SinoBrickSums sums[SINO_PANEL_MAX];
    for (int64_t i = 0; i < elements; i++) {
        g[i] = floorf(7 * g[i]);
        if (i % 3 == 0) r[i] = 0; /* so that rows without nonzeros lose counts */
    }
    for (int64_t i = 0; i < voxel_elements; i++) sum[i] = expected[i] = 0.5F;
    const SinoBrickCounts counts = {g, multiplicative ? n : NULL, additive ? r : NULL};
    sino_brick_sweep_with(isa, subject->block, NULL, slices.stride, x, &counts, sum, sums);
    sino_brick_project_with(isa, subject->block, NULL, slices.stride, x, ax);
    for (int64_t f = 0; f < slices.stride; f++) {
        Expected of = {0, 0, 0, 0, 0};
        double scale = 1e-9;
        for (int64_t i = 0; i < rays; i++) {
            float *const ray = at(ax, slices, rays, i, f);
            const double count = (double)*at(g, slices, rays, i, f);
            const double factor = multiplicative ? (double)n[i] : 1;
            const double expectation = additive ? (double)*at(r, slices, rays, i, f) : 0;
            *ray = (float)compare_row((double)*ray, factor, expectation, count, &of);
            scale += count;
        }
        assert_near(sums[f].log_likelihood, of.log_likelihood, fabs(of.log_likelihood) + of.expected + scale);
        assert_near(sums[f].expected, of.expected, of.expected);
        assert_near(sums[f].lost, of.lost, of.lost);
        assert_near(sums[f].squared, of.squared, of.scale);
    }
    sino_brick_backproject_with(isa, subject->block, NULL, slices.stride, ax, expected);
    for (int64_t i = 0; i < voxel_elements; i++) assert_near(sum[i], expected[i], fabs((double)expected[i]));
    free(x), free(g), free(n), free(r);
    free(ax), free(sum), free(expected);
}

static void a_sweep_projects_compares_and_backprojects(void **state)
{
    (void)state;
    for (int i = 0; i < FORMS; i++)
        for (int mixed = 0; mixed < 2; mixed++) {
            if (columns_of(&forms[i]) > 100000) continue;
            Subject subject = new_subject(&forms[i], mixed ? SINO_MIXED : SINO_SINGLE, 200 + i);
            for (int isa = 0; isa < ISAS && processor_has(isa); isa++)
                for (int s = 0; s < SLICE_COUNTS; s++)
                    check_sweep(&subject, isas[isa], slice_counts[s], (i + s) % 2 != 0, (i + s) / 2 % 2 != 0);
            free_subject(&subject);
        }
}

static float random_float(uint64_t *seed)
{
    const int exponent = (int)(random_bits(seed) % 276) - 149;
    return fminf(fmaxf(ldexpf((float)(1 + uniform(seed)), exponent), FLT_TRUE_MIN), FLT_MAX);
}

/* With g = 2⁶⁰ the log-likelihood of a row is the logarithm to all its digits. */
static void check_logarithm(const SinoBrickIsa *isa, float value)
{
    const float g = 0x1p60F;
    const SinoBrickComparison with = {.row_count = 1, .width = 1, .counts = &g};
    SinoBrickSums sums = {0, 0, 0, 0};
    float y[SINO_BRICK_ROWS] = {value};
    const double expected = log((double)value);
    isa->compare(&with, y, &sums);
    const double found = (sums.log_likelihood + (double)value) / (double)g;
    if ((double)value < 1e6 && !(fabs(found - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%s: ln %.9g is %.17g, not %.17g", isa->name, (double)value, found, expected);
    if (!(fabs(found - expected) <= 1e-12 * fabs(expected) + 1e-15 * (double)value / (double)g)) fail();
}

static const float special[] = {1, FLT_TRUE_MIN, FLT_MIN, 0.70710678F, 1.4142135F, 0x1.fffffep-1F, 0x1.000002p0F, 2};
enum { SPECIALS = sizeof special / sizeof *special };

static void logarithms_are_those_of_the_library(void **state)
{
    (void)state;
    for (int isa = 0; isa < ISAS && processor_has(isa); isa++) {
        uint64_t seed = 1;
        for (int i = 0; i < SPECIALS; i++) check_logarithm(isas[isa], special[i]);
        for (int i = 0; i < 20000; i++) check_logarithm(isas[isa], random_float(&seed));
        for (int i = 0; i < 20000; i++) check_logarithm(isas[isa], (float)(0.5 + uniform(&seed)));
    }
}

/* Rows that no voxel explains count as lost; rows without counts and expectation give nothing; ratios stay finite. */
static void rows_without_expectation_are_lost(void **state)
{
    (void)state;
    for (int isa = 0; isa < ISAS && processor_has(isa); isa++) {
        const float g[] = {0, 5, 1, 0, 3};
        float y[SINO_BRICK_ROWS] = {0, 0, FLT_TRUE_MIN, 2, 6};
        const SinoBrickComparison with = {.row_count = 5, .width = 1, .counts = g};
        SinoBrickSums sums = {0, 0, 0, 0};
        isas[isa]->compare(&with, y, &sums);
        assert_true(y[0] == 0 && y[1] == 0 && y[2] == 0x1p96F && y[3] == 0 && y[4] == 0.5F);
        assert_true(sums.lost == 5 && fabs(sums.expected - 8) < 1e-12);
        assert_near(sums.log_likelihood, log((double)FLT_TRUE_MIN) - 2 + 3 * log(6) - 6, 100);
        assert_near(sums.squared, 25 + 1 + 4 + 9, 39);
    }
}

/* ---- packing ---- */

static SinoStatus pack_in_ranges(const Subject *subject, int64_t range, int64_t capacity, void *memory, int64_t *bytes)
{
    SinoBrickPacker *packer = NULL;
    SinoStatus status = sino_brick_packer_new(subject->order, (SinoPrecision)subject->block->precision,
                                              subject->rows.row_count, memory, capacity, &packer);
    for (int64_t row = 0; !status && row < subject->rows.row_count; row += range) {
        const SinoSparseRows part = {.first_row = row,
                                     .row_count = sino_smaller(range, subject->rows.row_count - row),
                                     .start = subject->rows.start + row,
                                     .column = subject->rows.column,
                                     .value = subject->rows.value};
        status = sino_brick_pack_rows(packer, &part);
    }
    if (!status) status = sino_brick_pack_end(packer, bytes);
    sino_brick_packer_free(packer);
    return status;
}

static void ranges_of_rows_give_the_same_block(void **state)
{
    (void)state;
    for (int i = 0; i < FORMS; i++)
        for (int mixed = 0; mixed < 2; mixed++) {
            Subject subject = new_subject(&forms[i], mixed ? SINO_MIXED : SINO_SINGLE, 300 + i);
            const int64_t size = subject.block->bytes, nonzeros = subject.rows.start[subject.rows.row_count];
            assert_true(size <= sino_brick_bytes_most(subject.rows.row_count, nonzeros));
            assert_true(subject.block->nonzero_count == nonzeros);
            uint8_t *memory = sino_allocate_large(size);
            for (int64_t range = 1; range < 100; range += 13) {
                int64_t bytes = 0;
                memset(memory, 0xff, (size_t)size);
                assert_success(pack_in_ranges(&subject, range, size, memory, &bytes));
                assert_int_equal(bytes, size);
                assert_true(testing_same_bytes(memory, subject.block, (size_t)size));
            }
            int64_t bytes = 0;
            assert_error(pack_in_ranges(&subject, 7, size - 64, memory, &bytes), SINO_FAILED, "too few");
            sino_free_large(memory);
            free_subject(&subject);
        }
}

static void same_columns_are_added_in_any_order(void **state)
{
    (void)state;
    int64_t start[] = {0, 5};
    uint32_t column[] = {3, 1, 3, 2, 1};
    float value[] = {1, 2, 4, 0, 16}, x[32] = {0}, y;
    const SinoSparseRows rows = {.row_count = 1, .start = start, .column = column, .value = value};
    const SinoVoxelGrid grid = {.x_count = 4, .y_count = 1, .z_count = 1};
    for (int mixed = 0; mixed < 2; mixed++) {
        SinoBrickOrder *order;
        SinoBrickHead *block;
        assert_success(sino_brick_order_of_grid(&grid, &(SinoBrickShape){{32, 1, 1}, {256, 1, 1}}, &order));
        assert_success(sino_brick_pack(order, mixed ? SINO_MIXED : SINO_SINGLE, &rows, &block));
        assert_int_equal(block->nonzero_count, 2);
        x[order->place[3]] = 1;
        x[order->place[1]] = 100;
        sino_brick_project(block, NULL, 1, x, &y);
        assert_near((double)y, 5 + 1800, 1805);
        sino_brick_order_free(order);
        sino_free_large(block);
    }
}

static void wrong_entries_are_refused(void **state)
{
    (void)state;
    Subject subject = new_subject(&forms[0], SINO_SINGLE, 1);
    SinoBrickHead *block = NULL;
    subject.rows.column[7] += 1u << 20;
    assert_error(sino_brick_pack(subject.order, SINO_SINGLE, &subject.rows, &block), SINO_BAD_INPUT, "not below 2793");
    subject.rows.column[7] -= 1u << 20;
    static const float wrong[] = {-1, NAN, INFINITY};
    for (int i = 0; i < 3; i++) {
        subject.rows.value[3] = wrong[i];
        assert_error(sino_brick_pack(subject.order, SINO_SINGLE, &subject.rows, &block), SINO_BAD_INPUT,
                     "not a finite one of at least 0");
    }
    assert_null(block);
    free_subject(&subject);
}

/* ---- check ---- */

/* Where to change something: in the head, the offsets, or the front of a band. */
static int64_t random_place(const Subject *subject, uint64_t *seed)
{
    const SinoBrickHead *block = subject->block;
    const int64_t *offset = sino_brick_offsets(block), bands = sino_brick_band_count(block->row_count);
    const uint64_t kind = random_bits(seed) % 4;
    if (kind == 0) return (int64_t)(random_bits(seed) % (uint64_t)sino_brick_head_bytes(block->row_count));
    if (kind == 1) return (int64_t)(random_bits(seed) % (uint64_t)block->bytes);
    const int64_t at = offset[random_bits(seed) % (uint64_t)bands];
    return sino_smaller(at + (int64_t)(random_bits(seed) % (kind == 2 ? sizeof(SinoBrickBand) : 200)),
                        block->bytes - 1);
}

static void change(const Subject *subject, int64_t place, uint64_t *seed)
{
    static const int64_t value[] = {0, -1, 1, INT32_MAX, INT64_MAX, INT64_MIN, 2, 255};
    uint8_t *bytes = (uint8_t *)subject->block;
    const size_t size = (size_t)1 << random_bits(seed) % 4;
    const int64_t to = place / (int64_t)size * (int64_t)size;
    if (random_bits(seed) % 2 == 0)
        memcpy(bytes + to, &value[random_bits(seed) % 8], size);
    else
        bytes[place] ^= (uint8_t)(1 << random_bits(seed) % 8);
}

static void run_products(const Subject *subject)
{
    const SinoSlices slices = slices_of(3);
    float *x = random_voxels(subject, slices, 1), *y = random_rays(subject, slices, 2);
    SinoBrickSums sums[4];
    for (int isa = 0; isa < ISAS && processor_has(isa); isa++) {
        const SinoBrickCounts counts = {.counts = y};
        sino_brick_project_with(isas[isa], subject->block, NULL, 1, x, y);
        sino_brick_project_with(isas[isa], subject->block, NULL, slices.stride, x, y);
        sino_brick_backproject_with(isas[isa], subject->block, NULL, 1, y, x);
        sino_brick_backproject_with(isas[isa], subject->block, NULL, slices.stride, y, x);
        sino_brick_sweep_with(isas[isa], subject->block, NULL, 1, x, &counts, x, sums);
    }
    free(x);
    free(y);
}

static void what_passes_the_check_is_safe(void **state)
{
    (void)state;
    uint64_t seed = 7;
    int refused = 0, passed = 0;
    for (int i = 0; i < 8; i++) {
        Subject subject = new_subject(&forms[i % 4], i / 4 ? SINO_MIXED : SINO_SINGLE, 400 + i);
        const int64_t size = subject.block->bytes;
        SinoBrickHead *const whole = subject.block, *damaged = NULL;
        assert_success(sino_allocate(size, 1, "test", &damaged));
        subject.block = damaged;
        for (int trial = 0; trial < TRIALS; trial++) {
            memcpy(damaged, whole, (size_t)size);
            change(&subject, random_place(&(Subject){subject.rows, subject.order, whole}, &seed), &seed);
            SinoStatus status = sino_brick_check(damaged, size, subject.rows.row_count, subject.order->brick_count);
            if (!status) run_products(&subject);
            passed += !status;
            refused += !!status;
            sino_status_free(status);
        }
        subject.block = whole;
        free(damaged);
        free_subject(&subject);
    }
    assert_true(refused > 5 * TRIALS / 3 && passed > TRIALS / 6);
}

static void other_sizes_are_refused(void **state)
{
    (void)state;
    Subject subject = new_subject(&forms[0], SINO_MIXED, 1);
    const int64_t bytes = subject.block->bytes, rows = subject.rows.row_count, bricks = subject.order->brick_count;
    assert_error(sino_brick_check(subject.block, bytes - 64, rows, bricks), SINO_BAD_INPUT, "has another size");
    assert_error(sino_brick_check(subject.block, 8, rows, bricks), SINO_BAD_INPUT, "has another size");
    assert_error(sino_brick_check(subject.block, bytes, rows + 1, bricks), SINO_BAD_INPUT, "has other rows or voxels");
    assert_error(sino_brick_check(subject.block, bytes, rows, bricks - 1), SINO_BAD_INPUT, "has other rows or voxels");
    subject.block->precision = SINO_DOUBLE;
    assert_error(check_of(&subject), SINO_BAD_INPUT, "has other bricks or another precision");
    free_subject(&subject);
}

/* ---- orders ---- */

static void assert_order(const SinoBrickOrder *order)
{
    int64_t padding = 0;
    for (int64_t i = 0; i < order->column_count; i++) assert_int_equal(order->column[order->place[i]], i);
    for (int64_t i = 0; i < order->row_count; i++) padding += order->column[i] == SINO_BRICK_NO_COLUMN;
    assert_int_equal(padding, order->row_count - order->column_count);
    assert_int_equal(order->row_count, order->brick_count * order->lanes);
    for (int64_t t = 0; t < order->tile_count; t++) {
        const int64_t bricks = order->tile_first[t + 1] - order->tile_first[t];
        assert_true(bricks > 0 && bricks <= SINO_BRICK_TILE);
        for (int64_t b = order->tile_first[t]; b < order->tile_first[t + 1]; b++)
            assert_int_equal(order->tile_of[b], t);
    }
    assert_int_equal(order->tile_count > 0 ? order->tile_first[order->tile_count] : 0,
                     order->tile_count > 0 ? order->brick_count : 0);
}

static void orders_place_every_column_once(void **state)
{
    (void)state;
    for (int i = 0; i < FORMS; i++) {
        Subject subject = new_subject(&forms[i], SINO_SINGLE, 500 + i);
        SinoBrickOrder *order, *again;
        assert_order(subject.order);
        for (int grid = 0; grid < 2; grid++) {
            const SinoVoxelGrid unknown = {.x_count = 0}, *known = grid ? &forms[i].grid : &unknown;
            assert_success(sino_brick_order_new(known, columns_of(&forms[i]), NULL, &order));
            assert_order(order);
            sino_brick_order_free(order);
            assert_success(sino_brick_order_new(known, columns_of(&forms[i]), &subject.rows, &order));
            assert_success(sino_brick_order_new(known, columns_of(&forms[i]), &subject.rows, &again));
            assert_order(order);
            assert_memory_equal(order->place, again->place, (size_t)order->column_count * sizeof *order->place);
            sino_brick_order_free(order);
            sino_brick_order_free(again);
        }
        assert_success(sino_brick_order_of_places(subject.order->lanes, subject.order->brick_count,
                                                  subject.order->column_count, subject.order->place, &order));
        assert_order(order);
        assert_memory_equal(order->column, subject.order->column, (size_t)order->row_count * sizeof *order->column);
        sino_brick_order_free(order);
        free_subject(&subject);
    }
}

static void wrong_places_are_refused(void **state)
{
    (void)state;
    static const uint32_t twice[] = {3, 5, 3}, outside[] = {3, 32, 4};
    SinoBrickOrder *order = NULL;
    assert_error(sino_brick_order_of_places(32, 1, 3, twice, &order), SINO_BAD_INPUT, "has two voxels in one place");
    assert_error(sino_brick_order_of_places(32, 1, 3, outside, &order), SINO_BAD_INPUT,
                 "has a voxel in place 32, not below 32");
    assert_error(sino_brick_order_of_places(8, 1, 3, twice, &order), SINO_BAD_INPUT, "not of 16 or 32");
    assert_error(sino_brick_order_of_places(16, INT64_MAX, 3, twice, &order), SINO_BAD_INPUT, "bricks, not 0 to");
    const SinoVoxelGrid grid = {.x_count = 70000, .y_count = 70000, .z_count = 1};
    assert_error(sino_brick_order_new(&grid, (int64_t)70000 * 70000, NULL, &order), SINO_BAD_INPUT, "too many");
    assert_null(order);
}

/* Columns of the same rows, scattered over the matrix, become neighbours: fewer bricks. */
static void columns_of_the_same_rows_become_neighbours(void **state)
{
    (void)state;
    enum { ROWS = 400, MEMBERS = 40, COLUMNS = 20000 };
    int64_t start[ROWS + 1];
    uint32_t *column = NULL;
    float *value = NULL;
    const SinoVoxelGrid unknown = {.x_count = 0};
    assert_success(sino_allocate((int64_t)ROWS * MEMBERS, sizeof *column, "test", &column));
    assert_success(sino_allocate((int64_t)ROWS * MEMBERS, sizeof *value, "test", &value));
    for (int i = 0; i <= ROWS; i++) start[i] = (int64_t)i * MEMBERS;
    for (int i = 0; i < ROWS * MEMBERS; i++) { /* rows 2k and 2k + 1 have the same columns */
        column[i] = (uint32_t)(i / (2 * MEMBERS) + i % MEMBERS * 500);
        value[i] = 1;
    }
    const SinoSparseRows rows = {.row_count = ROWS, .start = start, .column = column, .value = value};
    SinoBrickOrder *order;
    SinoBrickHead *block;
    assert_success(sino_brick_order_new(&unknown, COLUMNS, &rows, &order));
    assert_success(sino_brick_pack(order, SINO_MIXED, &rows, &block));
    assert_true(block->stored_brick_count < ROWS * MEMBERS / 8);
    sino_free_large(block);
    sino_brick_order_free(order);
    free(column);
    free(value);
}

/* Each key once, and in sorted order 32 consecutive pairs are those of 4 crystals with 8. */
static void pairs_of_crystals_are_sorted_by_patches(void **state)
{
    (void)state;
    enum { CRYSTALS = 64, PAIRS = CRYSTALS * CRYSTALS };
    uint64_t key[PAIRS];
    int64_t row[PAIRS];
    for (int64_t i = 0; i < PAIRS; i++) key[i] = sino_brick_pair_key(CRYSTALS, i);
    assert_success(sino_brick_sort_rows(PAIRS, key, row));
    for (int64_t i = 0; i < PAIRS; i++) {
        assert_true(i == 0 || key[row[i]] > key[row[i - 1]]);
        assert_int_equal(row[i] / CRYSTALS / 4, row[i / 32 * 32] / CRYSTALS / 4);
        assert_int_equal(row[i] % CRYSTALS / 8, row[i / 32 * 32] % CRYSTALS / 8);
    }
}

TESTING_SUBJECT(brick)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_the_entries),
        cmocka_unit_test(small_values_survive_beside_large_ones),
        cmocka_unit_test(a_sweep_projects_compares_and_backprojects),
        cmocka_unit_test(logarithms_are_those_of_the_library),
        cmocka_unit_test(rows_without_expectation_are_lost),
        cmocka_unit_test(ranges_of_rows_give_the_same_block),
        cmocka_unit_test(same_columns_are_added_in_any_order),
        cmocka_unit_test(wrong_entries_are_refused),
        cmocka_unit_test(what_passes_the_check_is_safe),
        cmocka_unit_test(other_sizes_are_refused),
        cmocka_unit_test(orders_place_every_column_once),
        cmocka_unit_test(wrong_places_are_refused),
        cmocka_unit_test(columns_of_the_same_rows_become_neighbours),
        cmocka_unit_test(pairs_of_crystals_are_sorted_by_patches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
