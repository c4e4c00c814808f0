/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: a block of bricks, and the products with what passes its check. The input is the block, whose size
 * is put right. */
#include "brick_isa.h"
#include "fuzz.h"

enum { ROWS_MOST = 1000, VOXELS_MOST = 4000 };

static float *new_vector(int64_t elements)
{
    float *vector = calloc((size_t)elements + 1, sizeof *vector); /* of this size, so that the sanitizer sees its end */
    fuzz_require(vector != NULL);
    return vector;
}

static void run_products(const SinoBrickHead *block, int64_t stride)
{
    const int64_t voxels = block->brick_count * block->lanes, rays = block->row_count;
    float *x = new_vector(voxels * stride), *y = new_vector(rays * stride);
    SinoBrickSums sums[SINO_PANEL_MAX];
    const SinoBrickCounts counts = {.counts = y};
    sino_brick_project(block, NULL, stride, x, y);
    sino_brick_backproject(block, NULL, stride, y, x);
    sino_brick_sweep(block, NULL, stride, x, &counts, x, sums);
    sino_brick_project_with(&sino_brick_plain, block, NULL, stride, x, y);
    sino_brick_backproject_with(&sino_brick_plain, block, NULL, stride, y, x);
    free(x);
    free(y);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    void *memory = NULL;
    if (size < sizeof(SinoBrickHead)) return 0;
    fuzz_require(posix_memalign(&memory, 64, size) == 0);
    memcpy(memory, data, size);
    SinoBrickHead *const block = memory;
    block->bytes = (int64_t)size;
    if (block->row_count <= ROWS_MOST && block->brick_count <= VOXELS_MOST / 16) {
        SinoStatus status = sino_brick_check(block, (int64_t)size, block->row_count, block->brick_count);
        if (!status) run_products(block, 1);
        if (!status) run_products(block, 4);
        sino_status_free(status);
    }
    free(memory);
    return 0;
}
