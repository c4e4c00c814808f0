/* SPDX-License-Identifier: BSD-3-Clause */
/* Bricks on an OpenCL device: the products of brick.h, to rounding, from a block of bricks and its lists
 * (brick_lists.h), and the sums of brick_voxels.h. Functions launch kernels, and do not wait for them. */
#pragma once

#include "brick_lists.h"
#include "opencl_device.h"

/* What a product reads and uses. Nothing is owned. */
typedef struct SinoBrickProductOpencl {
    const SinoBrickLists *lists; /* in main memory; only the head and the waves are read */
    cl_mem block;                /* the block, and the same lists lists_at bytes behind its start */
    int64_t lists_at;
    int64_t stride;          /* of the vectors */
    int64_t first_row, rows; /* the block's rows are those of vectors of rays from first_row on, which have `rows` */
    cl_mem work; /* sino_brick_opencl_work_bytes, which hold nothing between calls; NULL: project alone is called */
} SinoBrickProductOpencl;

int64_t sino_brick_opencl_work_bytes(int64_t row_count, int64_t stride);

SinoStatus sino_brick_project_opencl(SinoOpencl *opencl, const SinoBrickProductOpencl *product, cl_mem x, cl_mem y);
SinoStatus sino_brick_backproject_opencl(SinoOpencl *opencl, const SinoBrickProductOpencl *product, cl_mem y, cl_mem x);

/* SinoBrickCounts, of vectors of rays. NULL as there. */
typedef struct SinoBrickCountsOpencl {
    cl_mem counts, multiplicative, additive;
} SinoBrickCountsOpencl;

SinoStatus sino_brick_sweep_opencl(SinoOpencl *opencl, const SinoBrickProductOpencl *product, cl_mem x,
                                   const SinoBrickCountsOpencl *counts, cl_mem x_sum, cl_mem sums);

/* Vectors of voxels: to = 0, to += from, to = from · mask of the row (NULL: to = from). */
SinoStatus sino_voxels_clear_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t rows, cl_mem to);
SinoStatus sino_voxels_add_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t rows, cl_mem from, cl_mem to);
SinoStatus sino_voxels_mask_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t rows, cl_mem mask, cl_mem from,
                                   cl_mem to);
