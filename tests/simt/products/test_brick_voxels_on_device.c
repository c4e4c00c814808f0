/* SPDX-License-Identifier: BSD-3-Clause */
/* Brick voxels on a GPU: the tests of the CPU's functions. */
#include "brick_voxels.h"

#include "simt_device.h"

static void add_on_device(int64_t count, const float *from, float *to)
{
    const size_t bytes = (size_t)count * sizeof *to;
    float *const source = device_lend(from, bytes), *const sum = device_lend(to, bytes);
    device_check(sino_voxels_add_cuda(NULL, count, source, sum));
    device_unlend(from, source, bytes);
    device_return(to, sum, bytes);
}

static void mask_on_device(SinoSlices slices, int64_t rows, const float *mask, const float *from, float *to)
{
    const size_t bytes = (size_t)(rows * slices.stride) * sizeof *to, mask_bytes = (size_t)rows * sizeof *mask;
    float *const source = device_lend(from, bytes), *const of_rows = device_lend(mask, mask_bytes);
    float *const made = device_lend(to, bytes);
    device_check(sino_voxels_mask_cuda(NULL, slices, rows, of_rows, source, made));
    device_unlend(from, source, bytes);
    if (mask) device_unlend(mask, of_rows, mask_bytes);
    device_return(to, made, bytes);
}

#define sino_voxels_add  add_on_device
#define sino_voxels_mask mask_on_device

#include "../../codelets/test_brick_voxels.c" /* NOLINT(bugprone-suspicious-include) */
