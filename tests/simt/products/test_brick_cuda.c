/* SPDX-License-Identifier: BSD-3-Clause */
/* Bricks on a GPU: the tests of the CPU's kernels; what a sweep makes of zeros, and its logarithms; two waves; the same
 * bits in any order and whichever sets share a panel. */
#include "brick_cuda.h"

#include "brick_isa.h"
#include "memory.h"
#include "simt_device.h"

#ifdef SINO_SIMT_HOST
#include "simt_control.h"
#endif

enum { GUARD = 64 };

/* A block and its lists on the device, and a product of them, with work memory in which nothing is to be relied on; the
 * bytes behind it stay. */
typedef struct Lent {
    const SinoBrickHead *block;
    SinoBrickLists *lists; /* owned */
    int64_t work_bytes;
    size_t ray_bytes, voxel_bytes; /* of the vectors */
    SinoBrickProductCuda product;
} Lent;

static Lent lend_product(const void *block, int64_t stride)
{
    const SinoBrickHead *head = block;
    int64_t bytes;
    device_check(sino_brick_lists_bytes(block, &bytes));
    SinoBrickLists *lists = sino_allocate_large(bytes);
    if (!lists) abort();
    memset(lists, 0xff, (size_t)bytes);
    device_check(sino_brick_lists_fill(block, lists));
    if (lists->bytes != bytes) abort();
    const int64_t work_bytes = sino_brick_cuda_work_bytes(head->row_count, stride);
    return (Lent){.block = block,
                  .lists = lists,
                  .work_bytes = work_bytes,
                  .ray_bytes = (size_t)(head->row_count * stride) * sizeof(float),
                  .voxel_bytes = (size_t)(lists->brick_count * lists->lanes * stride) * sizeof(float),
                  .product = {.lists = lists,
                              .device_lists = device_lend(lists, (size_t)bytes),
                              .device_block = device_lend(block, (size_t)head->bytes),
                              .stride = stride,
                              .work = device_memory((size_t)work_bytes + GUARD)}};
}

static void end_product(Lent *lent)
{
    device_unlend(lent->lists, (void *)lent->product.device_lists, (size_t)lent->lists->bytes);
    device_unlend(lent->block, (void *)lent->product.device_block, (size_t)lent->block->bytes);
    device_free_guarded(lent->product.work, (size_t)lent->work_bytes, GUARD);
    sino_free_large(lent->lists);
}

static void project_on_device(const SinoBrickIsa *isa, const void *block, const SinoBrickFold *fold, int64_t stride,
                              const float *x, float *y)
{
    (void)isa, (void)fold;
    Lent lent = lend_product(block, stride);
    float *const from = device_lend(x, lent.voxel_bytes), *const to = device_lend(y, lent.ray_bytes);
    void *const work = lent.product.work;
    lent.product.work = NULL; /* is not used */
    device_check(sino_brick_project_cuda(NULL, &lent.product, from, to));
    lent.product.work = work;
    device_unlend(x, from, lent.voxel_bytes);
    device_return(y, to, lent.ray_bytes);
    end_product(&lent);
}

static void backproject_on_device(const SinoBrickIsa *isa, const void *block, const SinoBrickFold *fold, int64_t stride,
                                  const float *y, float *x)
{
    (void)isa, (void)fold;
    Lent lent = lend_product(block, stride);
    float *const from = device_lend(y, lent.ray_bytes), *const to = device_lend(x, lent.voxel_bytes);
    device_check(sino_brick_backproject_cuda(NULL, &lent.product, from, to));
    device_unlend(y, from, lent.ray_bytes);
    device_return(x, to, lent.voxel_bytes);
    end_product(&lent);
}

static void sweep_on_device(const SinoBrickIsa *isa, const void *block, const SinoBrickFold *fold, int64_t stride,
                            const float *x, const SinoBrickCounts *counts, float *x_sum, SinoBrickSums *sums)
{
    (void)isa, (void)fold;
    Lent lent = lend_product(block, stride);
    const size_t rays = lent.ray_bytes, row_bytes = rays / (size_t)stride, sum_bytes = (size_t)stride * sizeof *sums;
    float *const from = device_lend(x, lent.voxel_bytes), *const to = device_lend(x_sum, lent.voxel_bytes);
    const SinoBrickCounts of_device = {device_lend(counts->counts, rays),
                                       device_lend(counts->multiplicative, row_bytes),
                                       device_lend(counts->additive, rays)};
    SinoBrickSums *const all = device_memory(sum_bytes);
    device_check(sino_brick_sweep_cuda(NULL, &lent.product, from, &of_device, to, all));
    device_unlend(counts->counts, (void *)of_device.counts, rays);
    device_unlend(counts->multiplicative, (void *)of_device.multiplicative, row_bytes);
    device_unlend(counts->additive, (void *)of_device.additive, rays);
    device_unlend(x, from, lent.voxel_bytes);
    device_return(x_sum, to, lent.voxel_bytes);
    device_return(sums, all, sum_bytes);
    end_product(&lent);
}

#define TESTING_ON_DEVICE
#define sino_brick_project_with     project_on_device
#define sino_brick_backproject_with backproject_on_device
#define sino_brick_sweep_with       sweep_on_device

#include "../../codelets/test_brick.c" /* NOLINT(bugprone-suspicious-include) */

/* So many rows that they take two waves: the second one begins with other rows, runs and entries than the first one. */
static void waves_follow_each_other(void **state)
{
    (void)state;
    static const Form form = {{.x_count = 70, .y_count = 1, .z_count = 1},
                              SINO_BRICK_WAVE_ROWS + 40,
                              3,
                              40,
                              false,
                              {{32, 1, 1}, {2, 1, 1}},
                              0,
                              0};
    for (int mixed = 0; mixed < 2; mixed++) {
        Subject subject = new_subject(&form, mixed ? SINO_MIXED : SINO_SINGLE, 300);
        Lent lent = lend_product(subject.block, 1);
        assert_int_equal(lent.lists->wave_count, 2);
        end_product(&lent);
        if (mixed)
            check_sweep(&subject, isas[0], 1, true, true);
        else
            check_products(&subject, 1);
        free_subject(&subject);
    }
}

/* A matrix of `rows` rows with the value 1 in column 0. */
static Subject ones(int64_t rows, SinoPrecision precision)
{
    const Form form = {{.x_count = 4, .y_count = 1, .z_count = 1}, rows, 1, 100, false, {{32, 1, 1}, {1, 1, 1}}, 0, 0};
    Subject subject = {.rows = new_matrix(&form, 1)};
    for (int64_t i = 0; i < rows; i++) {
        subject.rows.start[i + 1] = i + 1;
        subject.rows.column[i] = 0;
        subject.rows.value[i] = 1;
    }
    pack_subject(&form, precision, &subject);
    return subject;
}

/* One set, as many rows as there are counts; x = 0, so that ybar is r. */
static float sweep_ones(int64_t rows, const float *counts, const float *expected, SinoBrickSums *sums)
{
    Subject subject = ones(rows, SINO_SINGLE);
    const SinoSlices slices = slices_of(1);
    float *x = new_vector(slices, subject.order->row_count), *sum = new_vector(slices, subject.order->row_count);
    sweep_on_device(NULL, subject.block, NULL, 1, x, &(SinoBrickCounts){.counts = counts, .additive = expected}, sum,
                    sums);
    const float back = sum[subject.order->place[0]];
    free(x), free(sum);
    free_subject(&subject);
    return back;
}

/* Rows that no voxel explains count as lost; rows without counts and expectation give nothing; ratios stay finite. */
static void sweeps_lose_rows_without_expectation(void **state)
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
static void sweeps_have_logarithms_of_the_library(void **state)
{
    (void)state;
    const float g = 0x1p60F;
    uint64_t seed = 1;
    for (int i = 0; i < 100; i++) {
        const double wide = ldexp(1 + uniform(&seed), (int)(random_bits(&seed) % 160) - 140);
        const float value = i < SPECIALS ? special[i] : (float)wide;
        const double expected = log((double)value);
        SinoBrickSums sums;
        (void)sweep_ones(1, &g, &value, &sums);
        const double found = (sums.log_likelihood + (double)value) / (double)g;
        if (!(fabs(found - expected) <= 1e-12 * fabs(expected)))
            fail_msg("ln %.9g is %.17g, not %.17g", (double)value, found, expected);
    }
}

/* What a sweep and a projection of some sets give. */
typedef struct Result {
    SinoSlices slices;
    float *y, *x;
    SinoBrickSums sums[SINO_PANEL_MAX];
} Result;

/* Random elements, of which those of a set do not depend on how many sets there are. */
static float *random_sets(SinoSlices slices, int64_t rows, int64_t first_set, uint64_t seed)
{
    float *vector = new_vector(slices, rows);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t f = 0; f < slices.slice_count; f++) {
            uint64_t bits = seed * 1000003 + (uint64_t)i * 257 + (uint64_t)(first_set + f);
            (void)random_bits(&bits);
            *at(vector, slices, rows, i, f) = (float)uniform(&bits);
        }
    return vector;
}

static Result result_of(const Subject *subject, int64_t first_set, int64_t set_count)
{
    Result result = {.slices = slices_of(set_count)};
    const SinoSlices slices = result.slices;
    const int64_t voxels = subject->order->row_count, rays = subject->rows.row_count;
    float *x = random_sets(slices, voxels, first_set, 7), *g = random_sets(slices, rays, first_set, 8);
    result.y = new_vector(slices, rays);
    result.x = new_vector(slices, voxels);
    project_on_device(NULL, subject->block, NULL, slices.stride, x, result.y);
    sweep_on_device(NULL, subject->block, NULL, slices.stride, x, &(SinoBrickCounts){.counts = g}, result.x,
                    result.sums);
    backproject_on_device(NULL, subject->block, NULL, slices.stride, g, result.x);
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
    static const int64_t set_counts[] = {1, 3, 8, 20};
    for (int i = 0; i < 4; i++) {
        Subject subject = new_subject(&forms[i], i % 2 ? SINO_SINGLE : SINO_MIXED, 400 + (uint64_t)i);
        Result all = result_of(&subject, 0, 20);
        for (int s = 0; s < 4; s++) {
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
    project_on_device(NULL, subject.block, NULL, 1, x, none);
    backproject_on_device(NULL, subject.block, NULL, 1, none, x);
    sweep_on_device(NULL, subject.block, NULL, 1, x, &(SinoBrickCounts){.counts = none}, x, &sums);
    assert_true(x[0] == 0 && sums.expected == 0 && sums.lost == 0 && sums.squared == 0 && sums.log_likelihood == 0);
    free(x), free(none);
    free_subject(&subject);
}

TESTING_SUBJECT(brick_cuda)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waves_follow_each_other),
        cmocka_unit_test(sweeps_lose_rows_without_expectation),
        cmocka_unit_test(sweeps_have_logarithms_of_the_library),
        cmocka_unit_test(bits_depend_on_the_block_alone),
        cmocka_unit_test(no_rows_give_nothing),
    };
    device_needed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
