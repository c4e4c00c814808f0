/* SPDX-License-Identifier: BSD-3-Clause */
/* Bricks on an OpenCL device: the tests of the CPU's kernels, and vectors of voxels. The rows of a block are some of
 * those of the vectors of rays. */
#include "brick_opencl.h"
#include "lend.h"

#include "brick_isa.h"
#include "brick_voxels.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

enum { BEFORE = 3, BEHIND = 2 /* rows of vectors of rays that are not the block's */ };

/* A block and its lists on the device, and a product of them. */
typedef struct Lent {
    char *memory; /* block and lists */
    int64_t bytes, work_bytes;
    SinoBrickProductOpencl product;
} Lent;

static Lent lend_product(const void *block, int64_t stride)
{
    const SinoBrickHead *head = block;
    const int64_t lists_at = sino_ceil_multiple(head->bytes, 64);
    int64_t lists_bytes = 0;
    lend_check(sino_brick_lists_bytes(block, &lists_bytes));
    Lent lent = {.bytes = lists_at + lists_bytes, .work_bytes = sino_brick_opencl_work_bytes(head->row_count, stride)};
    lent.memory = sino_allocate_large(lent.bytes);
    if (!lent.memory) abort();
    memcpy(lent.memory, block, (size_t)head->bytes);
    SinoBrickLists *lists = (SinoBrickLists *)(void *)(lent.memory + lists_at);
    lend_check(sino_brick_lists_fill(block, lists));
    void *work = malloc((size_t)lent.work_bytes + 1);
    if (!work) abort();
    lent.product = (SinoBrickProductOpencl){
        .lists = lists,
        .block = lend(lent.memory, (size_t)lent.bytes),
        .lists_at = lists_at,
        .stride = stride,
        .first_row = BEFORE,
        .rows = BEFORE + head->row_count + BEHIND,
        .work = lend(memset(work, 0xff, (size_t)lent.work_bytes + 1), (size_t)lent.work_bytes)};
    free(work);
    return lent;
}

static void end_product(Lent *lent)
{
    void *work = malloc((size_t)lent->work_bytes + 1);
    if (!work) abort();
    lend_return(work, lent->product.work, (size_t)lent->work_bytes);
    lend_end(lent->memory, lent->product.block, (size_t)lent->bytes);
    sino_free_large(lent->memory);
    free(work);
}

static SinoSlices slices_with(int64_t stride)
{
    return (SinoSlices){.precision = SINO_SINGLE, .stride = stride, .slice_count = stride};
}

/* Copies the block's rows of a vector of its own to one with other rows, or back. */
static void copy_rows(const Lent *lent, SinoSlices slices, bool back, float *own, float *vector)
{
    const int64_t rows = lent->product.lists->row_count;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t f = 0; f < slices.stride; f++) {
            float *from = own + sino_panel_element(slices, rows, i, f);
            float *to = vector + sino_panel_element(slices, lent->product.rows, BEFORE + i, f);
            *(back ? from : to) = *(back ? to : from);
        }
}

static size_t ray_bytes(const Lent *lent, int64_t stride)
{
    return (size_t)(lent->product.rows * stride) * sizeof(float);
}

static size_t voxel_bytes(const Lent *lent)
{
    const SinoBrickLists *lists = lent->product.lists;
    return (size_t)(lists->brick_count * lists->lanes * lent->product.stride) * sizeof(float);
}

/* A vector of rays around the block's rows, which are 7 elsewhere; of NULL: NULL. The caller frees it. */
static float *widen(const Lent *lent, int64_t stride, const float *own)
{
    if (!own) return NULL;
    float *vector = malloc(ray_bytes(lent, stride));
    if (!vector) abort();
    for (int64_t i = 0; i < lent->product.rows * stride; i++) vector[i] = 7;
    copy_rows(lent, slices_with(stride), false, (float *)(uintptr_t)own, vector);
    return vector;
}

static void project_on_opencl(const SinoBrickIsa *isa, const void *block, const SinoBrickFold *fold, int64_t stride,
                              const float *x, float *y)
{
    (void)isa, (void)fold;
    Lent lent = lend_product(block, stride);
    float *wide = widen(&lent, stride, y);
    cl_mem from = lend(x, voxel_bytes(&lent)), to = lend(wide, ray_bytes(&lent, stride));
    lend_check(sino_brick_project_opencl(lend_device(), &lent.product, from, to));
    lend_return(wide, to, ray_bytes(&lent, stride));
    lend_end(x, from, voxel_bytes(&lent));
    copy_rows(&lent, slices_with(stride), true, y, wide);
    for (int64_t f = 0; f < stride; f++)
        if (wide[sino_panel_element(slices_with(stride), lent.product.rows, BEFORE - 1, f)] < 7) abort();
    free(wide);
    end_product(&lent);
}

static void backproject_on_opencl(const SinoBrickIsa *isa, const void *block, const SinoBrickFold *fold, int64_t stride,
                                  const float *y, float *x)
{
    (void)isa, (void)fold;
    Lent lent = lend_product(block, stride);
    float *wide = widen(&lent, stride, y);
    cl_mem from = lend(wide, ray_bytes(&lent, stride)), to = lend(x, voxel_bytes(&lent));
    lend_check(sino_brick_backproject_opencl(lend_device(), &lent.product, from, to));
    lend_return(x, to, voxel_bytes(&lent));
    lend_end(wide, from, ray_bytes(&lent, stride));
    free(wide);
    end_product(&lent);
}

static void sweep_on_opencl(const SinoBrickIsa *isa, const void *block, const SinoBrickFold *fold, int64_t stride,
                            const float *x, const SinoBrickCounts *counts, float *x_sum, SinoBrickSums *sums)
{
    (void)isa, (void)fold;
    Lent lent = lend_product(block, stride);
    float *g = widen(&lent, stride, counts->counts), *n = widen(&lent, 1, counts->multiplicative);
    float *r = widen(&lent, stride, counts->additive);
    const size_t rays = ray_bytes(&lent, stride), sum_bytes = (size_t)stride * sizeof *sums;
    cl_mem from = lend(x, voxel_bytes(&lent)), to = lend(x_sum, voxel_bytes(&lent)), all = lend(sums, sum_bytes);
    const SinoBrickCountsOpencl lent_counts = {lend(g, rays), lend(n, ray_bytes(&lent, 1)), lend(r, rays)};
    lend_check(sino_brick_sweep_opencl(lend_device(), &lent.product, from, &lent_counts, to, all));
    lend_end(x, from, voxel_bytes(&lent));
    lend_return(x_sum, to, voxel_bytes(&lent));
    lend_return(sums, all, sum_bytes);
    lend_end(g, lent_counts.counts, rays);
    lend_end(n, lent_counts.multiplicative, ray_bytes(&lent, 1));
    lend_end(r, lent_counts.additive, rays);
    free(g), free(n), free(r);
    end_product(&lent);
}

#define TESTING_ON_DEVICE
#define sino_brick_project_with     project_on_opencl
#define sino_brick_backproject_with backproject_on_opencl
#define sino_brick_sweep_with       sweep_on_opencl

#include "../codelets/test_brick.c" /* NOLINT(bugprone-suspicious-include) */

/* The bits of the CPU's functions. */
static void check_voxels(int64_t set_count)
{
    enum { ROWS = 77 };
    const SinoSlices slices = slices_of(set_count);
    const int64_t count = ROWS * slices.stride;
    const size_t bytes = (size_t)count * sizeof(float), mask_bytes = ROWS * sizeof(float);
    float *from = new_vector(slices, ROWS), *to = new_vector(slices, ROWS), *expected = new_vector(slices, ROWS);
    float mask[ROWS];
    uint64_t seed = 5;
    for (int i = 0; i < ROWS; i++) mask[i] = (float)(random_bits(&seed) % 2);
    for (int64_t i = 0; i < count; i++) {
        from[i] = (float)uniform(&seed);
        to[i] = expected[i] = (float)uniform(&seed);
    }
    cl_mem source = lend(from, bytes), sum = lend(to, bytes), of_rows = lend(mask, mask_bytes);
    lend_check(sino_voxels_add_opencl(lend_device(), slices, ROWS, source, sum));
    lend_return(to, sum, bytes);
    sino_voxels_add(count, from, expected);
    assert_memory_equal(to, expected, bytes);
    for (int masked = 0; masked < 2; masked++) {
        cl_mem made = lend(to, bytes);
        lend_check(sino_voxels_mask_opencl(lend_device(), slices, ROWS, masked ? of_rows : NULL, source, made));
        lend_return(to, made, bytes);
        sino_voxels_mask(slices, ROWS, masked ? mask : NULL, from, expected);
        assert_memory_equal(to, expected, bytes);
    }
    cl_mem cleared = lend(to, bytes);
    lend_check(sino_voxels_clear_opencl(lend_device(), slices, ROWS, cleared));
    lend_return(to, cleared, bytes);
    for (int64_t i = 0; i < count; i++) assert_true(to[i] == 0);
    lend_end(from, source, bytes);
    lend_end(mask, of_rows, mask_bytes);
    free(from), free(to), free(expected);
}

static void voxels_are_added_and_masked(void **state)
{
    (void)state;
    for (int s = 0; s < SLICE_COUNTS; s++) check_voxels(slice_counts[s]);
}

TESTING_SUBJECT(brick_opencl)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(voxels_are_added_and_masked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
