/* SPDX-License-Identifier: BSD-3-Clause */
/* Bricks on a GPU: products of every format and number of count sets against the matrix's entries in double; the sweep
 * of MLEM, its rules for zeros and its logarithms; the same bits in any order and whichever sets share a panel. */
#include "brick_cuda.h"

#include "brick_pack.h"
#include "memory.h"
#include "panel.h"
#include "simt_device.h"
#include "testing.h"

#ifdef SINO_SIMT_HOST
#include "simt_control.h"
#endif

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

/* Rows of `runs` runs of up to `longest` neighbouring voxels each. */
typedef struct Form {
    const char *name;
    SinoVoxelGrid grid;
    SinoBrickShape shape;
    int64_t rows;
    int runs, longest;
    int empty_percent;             /* of the rows */
    int64_t empty_from, empty_end; /* rows without any, whole bands among them */
    bool long_tailed;              /* values from 1e-9 to 1 */
} Form;

static const Form forms[] = {
    {"32 lanes", {.x_count = 21, .y_count = 19, .z_count = 7}, {{4, 4, 2}, {2, 2, 2}}, 75, 12, 9, 20, 0, 0, false},
    {"16 lanes", {.x_count = 17, .y_count = 20, .z_count = 5}, {{4, 2, 2}, {2, 4, 2}}, 70, 11, 9, 10, 0, 0, true},
    {"large tiles", {.x_count = 32, .y_count = 32, .z_count = 8}, {{4, 4, 2}, {8, 8, 4}}, 33, 60, 7, 0, 0, 0, true},
    {"empty bands", {.x_count = 40, .y_count = 9, .z_count = 1}, {{8, 4, 1}, {2, 2, 1}}, 150, 6, 5, 30, 32, 99, false},
    {"empty end", {.x_count = 40, .y_count = 9, .z_count = 1}, {{4, 4, 1}, {2, 2, 1}}, 101, 6, 5, 30, 60, 101, false},
    {"one row", {.x_count = 100, .y_count = 1, .z_count = 1}, {{32, 1, 1}, {256, 1, 1}}, 1, 3, 9, 0, 0, 0, false},
    {"one dense row",
     {.x_count = 1000, .y_count = 1, .z_count = 1},
     {{16, 1, 1}, {8, 1, 1}},
     1,
     900,
     60,
     0,
     0,
     0,
     true},
    {"one voxel", {.x_count = 1, .y_count = 1, .z_count = 1}, {{32, 1, 1}, {256, 1, 1}}, 40, 1, 1, 30, 0, 0, false},
    {"nothing", {.x_count = 30, .y_count = 1, .z_count = 1}, {{16, 1, 1}, {4, 1, 1}}, 70, 1, 1, 100, 0, 0, false},
};
enum { FORMS = sizeof forms / sizeof *forms };

/* So many rows that they take two waves. */
static const Form two_waves = {
    "two waves", {.x_count = 70, .y_count = 1, .z_count = 1}, {{32, 1, 1}, {2, 1, 1}}, 8192 + 40, 1, 3, 40, 0, 0,
    false};

static int64_t columns_of(const Form *form)
{
    return form->grid.x_count * form->grid.y_count * form->grid.z_count;
}

static bool is_empty(const Form *form, int64_t row, uint64_t *seed)
{
    return random_bits(seed) % 100 < (uint64_t)form->empty_percent ||
           (row >= form->empty_from && row < form->empty_end);
}

static void fill_row(const Form *form, int64_t row, uint64_t *seed, SinoSparseRows *rows)
{
    const int64_t columns = columns_of(form);
    const bool empty = is_empty(form, row, seed);
    int64_t at = rows->start[row], column = 0;
    for (int run = 0; run < form->runs && !empty; run++) {
        column += (int64_t)(uniform(seed) * 2 * (double)columns / form->runs);
        const int64_t end = column + 1 + (int64_t)(random_bits(seed) % (uint64_t)form->longest);
        for (; column < end && column < columns; column++) {
            rows->column[at] = (uint32_t)column;
            rows->value[at++] = (float)(form->long_tailed ? pow(10, -9 * uniform(seed)) : uniform(seed) + 1e-3);
        }
    }
    rows->start[row + 1] = at;
}

/* A matrix, its order and block, and block and lists on the device. */
typedef struct Subject {
    SinoSparseRows rows;
    SinoBrickOrder *order;
    SinoBrickHead *block;
    SinoBrickLists *lists;
    void *of_device, *block_of_device;
} Subject;

static SinoBrickLists *lists_of(const SinoBrickHead *block)
{
    int64_t bytes;
    assert_success(sino_brick_lists_bytes(block, &bytes));
    SinoBrickLists *lists = sino_allocate_large(bytes);
    assert_non_null(lists);
    memset(lists, 0xff, (size_t)bytes);
    assert_success(sino_brick_lists_fill(block, lists));
    assert_int_equal(lists->bytes, bytes);
    return lists;
}

static Subject subject_of(const SinoBrickShape *shape, const SinoVoxelGrid *grid, SinoSparseRows rows,
                          SinoPrecision precision)
{
    Subject subject = {.rows = rows};
    assert_success(sino_brick_order_of_grid(grid, shape, &subject.order));
    assert_success(sino_brick_pack(subject.order, precision, &subject.rows, &subject.block));
    assert_success(
        sino_brick_check(subject.block, subject.block->bytes, subject.rows.row_count, subject.order->brick_count));
    subject.lists = lists_of(subject.block);
    subject.of_device = device_lend(subject.lists, (size_t)subject.lists->bytes);
    subject.block_of_device = device_lend(subject.block, (size_t)subject.block->bytes);
    return subject;
}

static Subject new_subject(const Form *form, SinoPrecision precision, uint64_t seed)
{
    SinoSparseRows rows = {.row_count = form->rows};
    const int64_t most = form->rows * sino_smaller(columns_of(form), form->runs * form->longest);
    assert_success(sino_allocate(form->rows + 1, sizeof *rows.start, "test", &rows.start));
    assert_success(sino_allocate(most, sizeof *rows.column, "test", &rows.column));
    assert_success(sino_allocate(most, sizeof *rows.value, "test", &rows.value));
    for (int64_t row = 0; row < form->rows; row++) fill_row(form, row, &seed, &rows);
    assert_true(rows.start[form->rows] <= most);
    return subject_of(&form->shape, &form->grid, rows, precision);
}

static void free_subject(Subject *subject)
{
    device_unlend(subject->lists, subject->of_device, (size_t)subject->lists->bytes);
    device_unlend(subject->block, subject->block_of_device, (size_t)subject->block->bytes);
    sino_free_large(subject->lists);
    sino_free_large(subject->block);
    sino_brick_order_free(subject->order);
    free(subject->rows.start);
    free(subject->rows.column);
    free(subject->rows.value);
}

/* ---- vectors ---- */

static const int64_t set_counts[] = {1, 3, 8, 20};
enum { SET_COUNTS = sizeof set_counts / sizeof *set_counts };

static SinoSlices slices_of(int64_t count)
{
    return (SinoSlices){SINO_SINGLE, sino_panel_stride(SINO_SINGLE, count), count};
}

static size_t vector_bytes(int64_t stride, int64_t rows)
{
    return (size_t)(rows * stride) * sizeof(float);
}

/* Zeroed; of no rows, too. */
static float *new_vector(SinoSlices slices, int64_t rows)
{
    float *vector = calloc(1, vector_bytes(slices.stride, rows) + 1);
    assert_non_null(vector);
    return vector;
}

static float *at(float *vector, SinoSlices slices, int64_t rows, int64_t row, int64_t set)
{
    return vector + sino_panel_element(slices, rows, row, set);
}

/* Element (i, set) does not depend on how many sets there are. */
static double element_of(uint64_t seed, int64_t i, int64_t set)
{
    uint64_t bits = seed * 1000003 + (uint64_t)i * 257 + (uint64_t)set;
    (void)random_bits(&bits);
    return uniform(&bits);
}

/* Random voxels; rows without a voxel, and padding, are 0. */
static float *random_voxels(const Subject *subject, SinoSlices slices, int64_t first_set, uint64_t seed)
{
    const int64_t rows = subject->order->row_count;
    float *x = new_vector(slices, rows);
    for (int64_t i = 0; i < subject->order->column_count; i++)
        for (int64_t f = 0; f < slices.slice_count; f++)
            *at(x, slices, rows, subject->order->place[i], f) = (float)element_of(seed, i, first_set + f);
    return x;
}

static float *random_rays(const Subject *subject, SinoSlices slices, int64_t first_set, uint64_t seed)
{
    const int64_t rows = subject->rows.row_count;
    float *y = new_vector(slices, rows);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t f = 0; f < slices.slice_count; f++)
            *at(y, slices, rows, i, f) = (float)element_of(seed, i, first_set + f);
    return y;
}

static void fill(float *vector, int64_t count, float value)
{
    for (int64_t i = 0; i < count; i++) vector[i] = value;
}

/* ---- products ---- */

/* The product of a subject, with work memory in which nothing is to be relied on; the bytes behind it stay. */
typedef struct Run {
    const Subject *subject;
    SinoBrickProductCuda product;
    int64_t work_bytes;
} Run;

enum { GUARD = 64 };

static Run new_run(const Subject *subject, int64_t stride)
{
    Run run = {.subject = subject,
               .work_bytes = sino_brick_cuda_work_bytes(subject->rows.row_count, stride),
               .product = {.lists = subject->lists,
                           .device_lists = subject->of_device,
                           .device_block = subject->block_of_device,
                           .stride = stride}};
    run.product.work = device_memory((size_t)run.work_bytes + GUARD);
    return run;
}

static void free_run(Run *run)
{
    device_free_guarded(run->product.work, (size_t)run->work_bytes, GUARD);
}

static void project(const Subject *subject, int64_t stride, const float *x, float *y)
{
    const size_t x_bytes = vector_bytes(stride, subject->order->row_count);
    const size_t y_bytes = vector_bytes(stride, subject->rows.row_count);
    float *const of_x = device_lend(x, x_bytes), *const of_y = device_lend(y, y_bytes);
    Run run = new_run(subject, stride);
    void *const work = run.product.work;
    run.product.work = NULL; /* is not used */
    device_check(sino_brick_project_cuda(NULL, &run.product, of_x, of_y));
    run.product.work = work;
    free_run(&run);
    device_unlend(x, of_x, x_bytes);
    device_return(y, of_y, y_bytes);
}

static void backproject(const Subject *subject, int64_t stride, const float *y, float *x)
{
    const size_t x_bytes = vector_bytes(stride, subject->order->row_count);
    const size_t y_bytes = vector_bytes(stride, subject->rows.row_count);
    float *const of_x = device_lend(x, x_bytes), *const of_y = device_lend(y, y_bytes);
    Run run = new_run(subject, stride);
    device_check(sino_brick_backproject_cuda(NULL, &run.product, of_y, of_x));
    free_run(&run);
    device_unlend(y, of_y, y_bytes);
    device_return(x, of_x, x_bytes);
}

static void sweep(const Subject *subject, int64_t stride, const float *x, const SinoBrickCounts *counts, float *x_sum,
                  SinoBrickSums *sums)
{
    const size_t bytes = (size_t)stride * sizeof *sums, x_bytes = vector_bytes(stride, subject->order->row_count);
    const int64_t rays = subject->rows.row_count;
    const size_t y_bytes = vector_bytes(stride, rays), row_bytes = vector_bytes(1, rays);
    float *const of_x = device_lend(x, x_bytes), *const of_sum = device_lend(x_sum, x_bytes);
    float *const of_counts = device_lend(counts->counts, y_bytes);
    float *const of_rows = device_lend(counts->multiplicative, row_bytes);
    float *const of_expected = device_lend(counts->additive, y_bytes);
    const SinoBrickCounts lent = {of_counts, of_rows, of_expected};
    Run run = new_run(subject, stride);
    SinoBrickSums *const of_device = device_memory(bytes);
    device_check(sino_brick_sweep_cuda(NULL, &run.product, of_x, &lent, of_sum, of_device));
    device_unlend(counts->counts, of_counts, y_bytes);
    device_unlend(counts->multiplicative, of_rows, row_bytes);
    device_unlend(counts->additive, of_expected, y_bytes);
    device_unlend(x, of_x, x_bytes);
    device_return(x_sum, of_sum, x_bytes);
    device_return(sums, of_device, bytes);
    free_run(&run);
}

/* How far a stored value may be from the matrix's: half a unit of mixed precision. */
static double rounding(const Subject *subject, int64_t row)
{
    double most = 0;
    for (int64_t k = subject->rows.start[row]; k < subject->rows.start[row + 1]; k++)
        most = fmax(most, (double)subject->rows.value[k]);
    return subject->block->precision == SINO_MIXED ? 0.5001 * most / 65535 : 0;
}

enum { NEAR_PARTS = 1000000 }; /* of a float sum: 2 of them are its rounding error */

static void assert_sum(double found, double expected, double error, const char *what, int64_t number)
{
    if (!(fabs(found - expected) <= 2.0 / NEAR_PARTS * fabs(expected) + error))
        fail_msg("%s %d: %.9g, not %.9g", what, (int)number, found, expected);
}

static void check_projection(const Subject *subject, SinoSlices slices, float *x, float *y)
{
    const SinoSparseRows *rows = &subject->rows;
    for (int64_t i = 0; i < rows->row_count; i++) {
        const double half_unit = rounding(subject, i);
        for (int64_t f = 0; f < slices.stride; f++) {
            double sum = 0, voxels = 0;
            for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
                const double voxel =
                    (double)*at(x, slices, subject->order->row_count, subject->order->place[rows->column[k]], f);
                sum += (double)rows->value[k] * voxel;
                voxels += voxel;
            }
            assert_sum((double)*at(y, slices, rows->row_count, i, f), sum, half_unit * voxels, "row", i);
        }
    }
}

/* x had 1 everywhere. */
static void check_backprojection(const Subject *subject, SinoSlices slices, float *y, float *x)
{
    const SinoSparseRows *rows = &subject->rows;
    const int64_t voxels = subject->order->row_count;
    double *sum = calloc((size_t)voxels, sizeof *sum), *error = calloc((size_t)voxels, sizeof *error);
    for (int64_t f = 0; f < slices.stride; f++) {
        for (int64_t v = 0; v < voxels; v++) {
            sum[v] = 1;
            error[v] = 0;
        }
        for (int64_t i = 0; i < rows->row_count; i++) {
            const double ray = (double)*at(y, slices, rows->row_count, i, f), half_unit = rounding(subject, i);
            for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
                sum[subject->order->place[rows->column[k]]] += (double)rows->value[k] * ray;
                error[subject->order->place[rows->column[k]]] += half_unit * ray;
            }
        }
        for (int64_t v = 0; v < voxels; v++)
            assert_sum((double)*at(x, slices, voxels, v, f), sum[v], error[v], "voxel", v);
    }
    free(sum);
    free(error);
}

static void check_products(const Subject *subject, int64_t set_count)
{
    const SinoSlices slices = slices_of(set_count);
    const int64_t voxels = subject->order->row_count, rays = subject->rows.row_count;
    float *x = random_voxels(subject, slices, 0, 1), *y = random_rays(subject, slices, 0, 2);
    float *ax = new_vector(slices, rays), *aty = new_vector(slices, voxels);
    fill(ax, rays * slices.stride, NAN); /* is overwritten */
    fill(aty, voxels * slices.stride, 1);
    project(subject, slices.stride, x, ax);
    backproject(subject, slices.stride, y, aty);
    check_projection(subject, slices, x, ax);
    check_backprojection(subject, slices, y, aty);
    free(x), free(y), free(ax), free(aty);
}

static void products_are_those_of_the_entries(void **state)
{
    (void)state;
    for (int i = 0; i < FORMS; i++)
        for (int mixed = 0; mixed < 2; mixed++) {
            Subject subject = new_subject(&forms[i], mixed ? SINO_MIXED : SINO_SINGLE, 100 + (uint64_t)i);
            for (int s = 0; s < SET_COUNTS; s++) check_products(&subject, set_counts[s]);
            free_subject(&subject);
        }
}

/* ---- sweep ---- */

/* Sums of one set in double, from what project says. */
typedef struct Expected {
    double log_likelihood, expected, lost, squared;
    double scale, squared_scale; /* of what rounds */
} Expected;

/* Returns what goes back. */
static double compare_row(double ax, double n, double r, double g, Expected *sums)
{
    const double ybar = n * ax + r;
    sums->expected += ybar;
    sums->squared += (ybar - g) * (ybar - g);
    sums->squared_scale += (ybar - g) * (ybar - g) + fabs(ybar - g) * ybar;
    sums->scale += ybar + g;
    if (ybar > 0)
        sums->log_likelihood += g * log(ybar) - ybar;
    else
        sums->lost += g;
    return ybar > 0 ? n * g / ybar : 0;
}

static void assert_near(double found, double expected, double scale)
{
    if (!(fabs(found - expected) <= 1.0 / NEAR_PARTS * scale)) fail_msg("%.12g, not %.12g", found, expected);
}

/* Replaces A x by what goes back, and compares sums. */
static void check_sums(const Subject *subject, SinoSlices slices, const SinoBrickCounts *counts,
                       const SinoBrickSums *sums, float *ax)
{
    const int64_t rays = subject->rows.row_count;
    for (int64_t f = 0; f < slices.stride; f++) {
        Expected of = {0, 0, 0, 0, 0, 0};
        for (int64_t i = 0; i < rays; i++) {
            const int64_t element = sino_panel_element(slices, rays, i, f);
            const double n = counts->multiplicative ? (double)counts->multiplicative[i] : 1;
            const double r = counts->additive ? (double)counts->additive[element] : 0;
            ax[element] = (float)compare_row((double)ax[element], n, r, (double)counts->counts[element], &of);
        }
        assert_near(sums[f].log_likelihood, of.log_likelihood, fabs(of.log_likelihood) + of.scale);
        assert_near(sums[f].expected, of.expected, of.expected);
        assert_true(sums[f].lost == of.lost);
        assert_near(sums[f].squared, of.squared, of.squared_scale);
    }
}

static void check_sweep(const Subject *subject, int64_t set_count, bool multiplicative, bool additive)
{
    const SinoSlices slices = slices_of(set_count);
    const int64_t voxels = subject->order->row_count, rays = subject->rows.row_count, elements = rays * slices.stride;
    float *x = random_voxels(subject, slices, 0, 3), *g = random_rays(subject, slices, 0, 4);
    float *n = random_rays(subject, slices_of(1), 0, 5), *r = random_rays(subject, slices, 0, 6);
    float *ax = new_vector(slices, rays), *sum = new_vector(slices, voxels), *expected = new_vector(slices, voxels);
    SinoBrickSums *sums = calloc((size_t)slices.stride, sizeof *sums);
    for (int64_t i = 0; i < elements; i++) {
        g[i] = floorf(7 * g[i]);
        if (i % 3 == 0) r[i] = 0; /* so that rows without nonzeros lose counts */
    }
    fill(sum, voxels * slices.stride, 0.5F);
    fill(expected, voxels * slices.stride, 0.5F);
    const SinoBrickCounts counts = {g, multiplicative ? n : NULL, additive ? r : NULL};
    sweep(subject, slices.stride, x, &counts, sum, sums);
    project(subject, slices.stride, x, ax);
    check_sums(subject, slices, &counts, sums, ax);
    backproject(subject, slices.stride, ax, expected);
    for (int64_t i = 0; i < voxels * slices.stride; i++)
        assert_near((double)sum[i], (double)expected[i], fabs((double)expected[i]));
    free(x), free(g), free(n), free(r);
    free(ax), free(sum), free(expected);
    free(sums);
}

static void a_sweep_projects_compares_and_backprojects(void **state)
{
    (void)state;
    for (int i = 0; i < FORMS; i++)
        for (int mixed = 0; mixed < 2; mixed++) {
            Subject subject = new_subject(&forms[i], mixed ? SINO_MIXED : SINO_SINGLE, 200 + (uint64_t)i);
            for (int s = 0; s < SET_COUNTS; s++)
                check_sweep(&subject, set_counts[s], (i + s) % 2 != 0, (i + s) / 2 % 2 != 0);
            free_subject(&subject);
        }
}

/* The second wave begins with other rows, runs and entries than the first one. */
static void waves_follow_each_other(void **state)
{
    (void)state;
    for (int mixed = 0; mixed < 2; mixed++) {
        Subject subject = new_subject(&two_waves, mixed ? SINO_MIXED : SINO_SINGLE, 300);
        assert_int_equal(subject.lists->wave_count, 2);
        if (mixed)
            check_sweep(&subject, 1, true, true);
        else
            check_products(&subject, 1);
        free_subject(&subject);
    }
}

/* A matrix of `rows` rows with the value 1 in column 0. */
static Subject ones(int64_t rows, SinoPrecision precision)
{
    SinoSparseRows matrix = {.row_count = rows};
    assert_success(sino_allocate(rows + 1, sizeof *matrix.start, "test", &matrix.start));
    assert_success(sino_allocate(rows, sizeof *matrix.column, "test", &matrix.column));
    assert_success(sino_allocate(rows, sizeof *matrix.value, "test", &matrix.value));
    for (int64_t i = 0; i < rows; i++) {
        matrix.start[i + 1] = i + 1;
        matrix.value[i] = 1;
    }
    return subject_of(&(SinoBrickShape){{32, 1, 1}, {1, 1, 1}},
                      &(SinoVoxelGrid){.x_count = 4, .y_count = 1, .z_count = 1}, matrix, precision);
}

/* One set, as many rows as there are counts; x = 0, so that ybar is r. */
static float sweep_ones(int64_t rows, const float *counts, const float *expected, SinoBrickSums *sums)
{
    Subject subject = ones(rows, SINO_SINGLE);
    const SinoSlices slices = slices_of(1);
    float *x = new_vector(slices, subject.order->row_count), *sum = new_vector(slices, subject.order->row_count);
    sweep(&subject, 1, x, &(SinoBrickCounts){.counts = counts, .additive = expected}, sum, sums);
    const float back = sum[subject.order->place[0]];
    free(x), free(sum);
    free_subject(&subject);
    return back;
}

/* Rows that no voxel explains count as lost; rows without counts and expectation give nothing; ratios stay finite. */
static void rows_without_expectation_are_lost(void **state)
{
    (void)state;
    const float g[] = {0, 5, 0, 3}, r[] = {0, 0, 2, 6}, one = 1, least = FLT_TRUE_MIN;
    SinoBrickSums sums;
    assert_true(sweep_ones(4, g, r, &sums) == 0.5F);
    assert_true(sums.lost == 5 && sums.expected == 8 && sums.squared == 25 + 4 + 9);
    assert_true(fabs(sums.log_likelihood - (3 * log(6) - 8)) < 1e-12);
    assert_true(sweep_ones(1, &one, &least, &sums) == 0x1p96F);
    assert_true(sums.lost == 0 && fabs(sums.log_likelihood - log((double)FLT_TRUE_MIN)) < 1e-10);
}

/* With g = 2⁶⁰ the log-likelihood of a row is the logarithm to all its digits. */
static void logarithms_are_those_of_the_library(void **state)
{
    (void)state;
    static const float special[] = {1,          FLT_TRUE_MIN,   FLT_MIN,       0.70710678F,
                                    1.4142135F, 0x1.fffffep-1F, 0x1.000002p0F, 2};
    const float g = 0x1p60F;
    uint64_t seed = 1;
    for (size_t i = 0; i < 100; i++) {
        const double wide = ldexp(1 + uniform(&seed), (int)(random_bits(&seed) % 160) - 140);
        const float value = i < sizeof special / sizeof *special ? special[i] : (float)wide;
        const double expected = log((double)value);
        SinoBrickSums sums;
        (void)sweep_ones(1, &g, &value, &sums);
        const double found = (sums.log_likelihood + (double)value) / (double)g;
        if (!(fabs(found - expected) <= 1e-12 * fabs(expected)))
            fail_msg("ln %.9g is %.17g, not %.17g", (double)value, found, expected);
    }
}

/* ---- bits ---- */

/* What a sweep and a projection of some sets give. */
typedef struct Result {
    SinoSlices slices;
    float *y, *x;
    SinoBrickSums sums[SINO_PANEL_MAX];
} Result;

static Result result_of(const Subject *subject, int64_t first_set, int64_t set_count)
{
    Result result = {.slices = slices_of(set_count)};
    const SinoSlices slices = result.slices;
    float *x = random_voxels(subject, slices, first_set, 7), *g = random_rays(subject, slices, first_set, 8);
    result.y = new_vector(slices, subject->rows.row_count);
    result.x = new_vector(slices, subject->order->row_count);
    project(subject, slices.stride, x, result.y);
    sweep(subject, slices.stride, x, &(SinoBrickCounts){.counts = g}, result.x, result.sums);
    backproject(subject, slices.stride, g, result.x);
    free(x), free(g);
    return result;
}

/* Set `set` of the first is that of the second whose number is 0, to the bit. */
static void assert_same_set(const Subject *subject, const Result *all, int64_t set, const Result *one)
{
    const int64_t rays = subject->rows.row_count, voxels = subject->order->row_count;
    for (int64_t i = 0; i < rays; i++)
        assert_true(*at(all->y, all->slices, rays, i, set) == *at(one->y, one->slices, rays, i, 0));
    for (int64_t i = 0; i < voxels; i++)
        assert_true(*at(all->x, all->slices, voxels, i, set) == *at(one->x, one->slices, voxels, i, 0));
    assert_memory_equal(&all->sums[set], &one->sums[0], sizeof *one->sums);
}

static void free_result(Result *result)
{
    free(result->x);
    free(result->y);
}

/* Of threads and blocks, where the host runs them: ascending, descending or random. */
static void set_order(int order)
{
#ifdef SINO_SIMT_HOST
    simt_set_order((SimtOrder)order, 5);
#endif
    (void)order;
}

/* With one to 20 sets, the last time of as many as the first time. */
static void bits_depend_on_the_block_alone(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        Subject subject = new_subject(&forms[i], i % 2 ? SINO_SINGLE : SINO_MIXED, 400 + (uint64_t)i);
        Result all = result_of(&subject, 0, 20);
        for (int s = 0; s < SET_COUNTS; s++) {
            set_order((i + s) % 3);
            Result some = result_of(&subject, s, set_counts[s]);
            assert_same_set(&subject, &all, s, &some);
            free_result(&some);
        }
        free_result(&all);
        free_subject(&subject);
    }
}

static void no_rows_give_nothing(void **state)
{
    (void)state;
    Subject subject = ones(0, SINO_MIXED);
    float *x = new_vector(slices_of(1), subject.order->row_count), *none = new_vector(slices_of(1), 0);
    SinoBrickSums sums = {1, 1, 1, 1};
    project(&subject, 1, x, none);
    backproject(&subject, 1, none, x);
    sweep(&subject, 1, x, &(SinoBrickCounts){.counts = none}, x, &sums);
    assert_true(x[0] == 0 && sums.expected == 0 && sums.lost == 0 && sums.squared == 0 && sums.log_likelihood == 0);
    free(x), free(none);
    free_subject(&subject);
}

TESTING_SUBJECT(brick)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_the_entries),
        cmocka_unit_test(a_sweep_projects_compares_and_backprojects),
        cmocka_unit_test(waves_follow_each_other),
        cmocka_unit_test(rows_without_expectation_are_lost),
        cmocka_unit_test(logarithms_are_those_of_the_library),
        cmocka_unit_test(bits_depend_on_the_block_alone),
        cmocka_unit_test(no_rows_give_nothing),
    };
    device_needed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
