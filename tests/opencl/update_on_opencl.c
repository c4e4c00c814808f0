/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of update.h by those of update_opencl.h: linked first, they make the tests of the CPU's test these. */
#include "lend.h"
#include "update_opencl.h"

static size_t vector_bytes(SinoSlices slices, int64_t rows)
{
    return (size_t)(rows * slices.stride) * sino_precision_bytes(slices.precision);
}

static size_t weight_bytes(SinoSlices slices, int64_t rows)
{
    return (size_t)rows * sino_precision_bytes(slices.precision);
}

static size_t state_bytes(SinoSlices slices)
{
    return (size_t)slices.slice_count * sizeof(SinoSliceState);
}

static size_t history_bytes(SinoSlices slices, const SinoHistory *history)
{
    return (size_t)(slices.slice_count * history->columns) * sizeof(double);
}

static size_t sums_bytes(SinoSlices slices)
{
    return (size_t)slices.slice_count * sizeof(SinoSliceSums);
}

void sino_update_sums(SinoSlices slices, int64_t rows, const void *v, const void *w, bool first, SinoSliceSums *sums)
{
    const size_t bytes = vector_bytes(slices, rows);
    cl_mem of_v = lend(v, bytes), of_w = w ? lend(w, bytes) : NULL, of_sums = lend(sums, sums_bytes(slices));
    lend_check(sino_update_sums_opencl(lend_device(), slices, rows, of_v, of_w, first, of_sums));
    lend_end(v, of_v, bytes);
    if (w) lend_end(w, of_w, bytes);
    lend_return(sums, of_sums, sums_bytes(slices));
}

void sino_update_collect(SinoSlices slices, const SinoSliceSums *part, bool first, SinoSliceSums *total)
{
    cl_mem of_part = lend(part, sums_bytes(slices)), of_total = lend(total, sums_bytes(slices));
    lend_check(sino_update_collect_opencl(lend_device(), slices, of_part, first, of_total));
    lend_end(part, of_part, sums_bytes(slices));
    lend_return(total, of_total, sums_bytes(slices));
}

void sino_update_start(SinoSlices slices, const SinoSliceSums *sums, SinoSliceState *state, const SinoHistory *history)
{
    cl_mem of_sums = lend(sums, sums_bytes(slices)), of_state = lend(state, state_bytes(slices));
    cl_mem residual = lend(history->residual, history_bytes(slices, history));
    lend_check(sino_update_start_opencl(lend_device(), slices, of_sums, of_state, history, residual));
    lend_end(sums, of_sums, sums_bytes(slices));
    lend_return(state, of_state, state_bytes(slices));
    lend_return(history->residual, residual, history_bytes(slices, history));
}

void sino_update_step(SinoSlices slices, const SinoSliceSums *sums, SinoSliceState *state)
{
    cl_mem of_sums = lend(sums, sums_bytes(slices)), of_state = lend(state, state_bytes(slices));
    lend_check(sino_update_step_opencl(lend_device(), slices, of_sums, of_state));
    lend_end(sums, of_sums, sums_bytes(slices));
    lend_return(state, of_state, state_bytes(slices));
}

void sino_update_residual_cg(SinoSlices slices, int64_t ray_count, const void *q, const SinoSliceState *state, void *r,
                             SinoSliceSums *sums)
{
    const size_t bytes = vector_bytes(slices, ray_count);
    cl_mem of_q = lend(q, bytes), of_state = lend(state, state_bytes(slices));
    cl_mem of_r = lend(r, bytes), of_sums = lend(sums, sums_bytes(slices));
    lend_check(sino_update_residual_cg_opencl(lend_device(), slices, ray_count, of_q, of_state, of_r, of_sums));
    lend_end(q, of_q, bytes);
    lend_end(state, of_state, state_bytes(slices));
    lend_return(r, of_r, bytes);
    lend_return(sums, of_sums, sums_bytes(slices));
}

void sino_update_residual_sirt(SinoSlices slices, int64_t ray_count, const void *b, const void *row_weight, bool first,
                               void *w, SinoSliceSums *sums)
{
    const size_t bytes = vector_bytes(slices, ray_count);
    cl_mem of_b = lend(b, bytes), weight = lend(row_weight, weight_bytes(slices, ray_count)), of_w = lend(w, bytes);
    cl_mem of_sums = lend(sums, sums_bytes(slices));
    lend_check(sino_update_residual_sirt_opencl(lend_device(), slices, ray_count, of_b, weight, first, of_w, of_sums));
    lend_end(b, of_b, bytes);
    lend_end(row_weight, weight, weight_bytes(slices, ray_count));
    lend_return(w, of_w, bytes);
    lend_return(sums, of_sums, sums_bytes(slices));
}

void sino_update_record(SinoSlices slices, const SinoSliceSums *sums, SinoSliceState *state, const SinoHistory *history,
                        int64_t *active)
{
    const int64_t unknown = -1;
    cl_mem of_sums = lend(sums, sums_bytes(slices)), of_state = lend(state, state_bytes(slices));
    cl_mem residual = lend(history->residual, history_bytes(slices, history)), going = lend(&unknown, sizeof unknown);
    lend_check(sino_update_record_opencl(lend_device(), slices, of_sums, of_state, history, residual, going));
    lend_end(sums, of_sums, sums_bytes(slices));
    lend_return(state, of_state, state_bytes(slices));
    lend_return(history->residual, residual, history_bytes(slices, history));
    lend_return(active, going, sizeof *active);
}

void sino_update_direction(SinoSlices slices, const SinoSliceSums *sums, bool first, SinoSliceState *state)
{
    cl_mem of_sums = lend(sums, sums_bytes(slices)), of_state = lend(state, state_bytes(slices));
    lend_check(sino_update_direction_opencl(lend_device(), slices, of_sums, first, of_state));
    lend_end(sums, of_sums, sums_bytes(slices));
    lend_return(state, of_state, state_bytes(slices));
}

void sino_update_voxels_cg(SinoSlices slices, int64_t voxel_count, const void *g, const SinoSliceState *state,
                           bool first, void *g0, void *d, void *x)
{
    const size_t bytes = vector_bytes(slices, voxel_count);
    cl_mem of_g = lend(g, bytes), of_state = lend(state, state_bytes(slices));
    cl_mem of_g0 = lend(g0, bytes), of_d = lend(d, bytes), of_x = lend(x, bytes);
    lend_check(
        sino_update_voxels_cg_opencl(lend_device(), slices, voxel_count, of_g, of_state, first, of_g0, of_d, of_x));
    lend_end(g, of_g, bytes);
    lend_end(state, of_state, state_bytes(slices));
    lend_return(g0, of_g0, bytes);
    lend_return(d, of_d, bytes);
    lend_return(x, of_x, bytes);
}

void sino_update_voxels_sirt(SinoSlices slices, int64_t voxel_count, const void *g, const void *column_weight,
                             const SinoSliceState *state, double relaxation, bool nonnegativity, bool first, void *x)
{
    const size_t bytes = vector_bytes(slices, voxel_count);
    cl_mem of_g = lend(g, bytes), weight = lend(column_weight, weight_bytes(slices, voxel_count));
    cl_mem of_state = lend(state, state_bytes(slices)), of_x = lend(x, bytes);
    lend_check(sino_update_voxels_sirt_opencl(lend_device(), slices, voxel_count, of_g, weight, of_state, relaxation,
                                              nonnegativity, first, of_x));
    lend_end(g, of_g, bytes);
    lend_end(column_weight, weight, weight_bytes(slices, voxel_count));
    lend_end(state, of_state, state_bytes(slices));
    lend_return(x, of_x, bytes);
}

void sino_update_reciprocal(SinoPrecision precision, int64_t count, void *value)
{
    const size_t bytes = (size_t)count * sino_precision_bytes(precision);
    cl_mem of_value = lend(value, bytes);
    lend_check(sino_update_reciprocal_opencl(lend_device(), precision, count, of_value));
    lend_return(value, of_value, bytes);
}

void sino_update_fill_one(SinoPrecision precision, int64_t count, void *value)
{
    const size_t bytes = (size_t)count * sino_precision_bytes(precision);
    cl_mem of_value = lend(value, bytes);
    lend_check(sino_update_fill_one_opencl(lend_device(), precision, count, of_value));
    lend_return(value, of_value, bytes);
}
