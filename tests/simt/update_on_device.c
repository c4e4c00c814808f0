/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of update.h by those of update_cuda.h: linked first, they make the tests of the CPU's test these. */
#include "update_cuda.h"

#include "device.h"

static size_t bytes_of(SinoSlices slices, int64_t rows)
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

static SinoHistory lend_history(SinoSlices slices, const SinoHistory *history)
{
    SinoHistory lent = *history;
    lent.residual = device_lend(history->residual, history_bytes(slices, history));
    return lent;
}

/* Undefined, as scratch is. */
static void *lend_workspace(SinoSlices slices)
{
    const size_t bytes = (size_t)sino_update_cuda_workspace_bytes(slices);
    return memset(device_memory(bytes), 0xff, bytes);
}

static size_t sums_bytes(SinoSlices slices)
{
    return (size_t)slices.slice_count * sizeof(SinoSliceSums);
}

void sino_update_sums(SinoSlices slices, int64_t rows, const void *v, const void *w, bool first, SinoSliceSums *sums)
{
    const size_t bytes = bytes_of(slices, rows);
    void *of_v = device_lend(v, bytes), *of_w = device_lend(w, bytes), *workspace = lend_workspace(slices);
    SinoSliceSums *of_sums = device_lend(sums, sums_bytes(slices));
    device_check(sino_update_sums_cuda(NULL, slices, rows, of_v, of_w, first, of_sums, workspace));
    device_unlend(v, of_v, bytes);
    device_unlend(w, of_w, bytes);
    device_return(sums, of_sums, sums_bytes(slices));
    device_free(workspace);
}

void sino_update_collect(SinoSlices slices, const SinoSliceSums *part, bool first, SinoSliceSums *total)
{
    SinoSliceSums *of_part = device_lend(part, sums_bytes(slices)), *of_total = device_lend(total, sums_bytes(slices));
    device_check(sino_update_collect_cuda(NULL, slices, of_part, first, of_total));
    device_unlend(part, of_part, sums_bytes(slices));
    device_return(total, of_total, sums_bytes(slices));
}

void sino_update_start(SinoSlices slices, const SinoSliceSums *sums, SinoSliceState *state, const SinoHistory *history)
{
    SinoSliceSums *of_sums = device_lend(sums, sums_bytes(slices));
    SinoSliceState *of_state = device_lend(state, state_bytes(slices));
    SinoHistory of_history = lend_history(slices, history);
    device_check(sino_update_start_cuda(NULL, slices, of_sums, of_state, &of_history));
    device_unlend(sums, of_sums, sums_bytes(slices));
    device_return(state, of_state, state_bytes(slices));
    device_return(history->residual, of_history.residual, history_bytes(slices, history));
}

void sino_update_step(SinoSlices slices, const SinoSliceSums *sums, SinoSliceState *state)
{
    SinoSliceSums *of_sums = device_lend(sums, sums_bytes(slices));
    SinoSliceState *of_state = device_lend(state, state_bytes(slices));
    device_check(sino_update_step_cuda(NULL, slices, of_sums, of_state));
    device_unlend(sums, of_sums, sums_bytes(slices));
    device_return(state, of_state, state_bytes(slices));
}

void sino_update_residual_cg(SinoSlices slices, int64_t ray_count, const void *q, const SinoSliceState *state, void *r,
                             SinoSliceSums *sums)
{
    const size_t bytes = bytes_of(slices, ray_count);
    void *of_q = device_lend(q, bytes), *of_r = device_lend(r, bytes), *workspace = lend_workspace(slices);
    SinoSliceState *of_state = device_lend(state, state_bytes(slices));
    SinoSliceSums *of_sums = device_lend(sums, sums_bytes(slices));
    device_check(sino_update_residual_cg_cuda(NULL, slices, ray_count, of_q, of_state, of_r, of_sums, workspace));
    device_unlend(q, of_q, bytes);
    device_unlend(state, of_state, state_bytes(slices));
    device_return(r, of_r, bytes);
    device_return(sums, of_sums, sums_bytes(slices));
    device_free(workspace);
}

void sino_update_record(SinoSlices slices, const SinoSliceSums *sums, SinoSliceState *state, const SinoHistory *history,
                        int64_t *active)
{
    SinoSliceSums *of_sums = device_lend(sums, sums_bytes(slices));
    SinoSliceState *of_state = device_lend(state, state_bytes(slices));
    SinoHistory of_history = lend_history(slices, history);
    int64_t *of_active = device_memory(sizeof *active);
    *of_active = -1;
    device_check(sino_update_record_cuda(NULL, slices, of_sums, of_state, &of_history, of_active));
    device_unlend(sums, of_sums, sums_bytes(slices));
    device_return(state, of_state, state_bytes(slices));
    device_return(history->residual, of_history.residual, history_bytes(slices, history));
    device_return(active, of_active, sizeof *active);
}

void sino_update_direction(SinoSlices slices, const SinoSliceSums *sums, bool first, SinoSliceState *state)
{
    SinoSliceSums *of_sums = device_lend(sums, sums_bytes(slices));
    SinoSliceState *of_state = device_lend(state, state_bytes(slices));
    device_check(sino_update_direction_cuda(NULL, slices, of_sums, first, of_state));
    device_unlend(sums, of_sums, sums_bytes(slices));
    device_return(state, of_state, state_bytes(slices));
}

void sino_update_voxels_cg(SinoSlices slices, int64_t voxel_count, const void *g, const SinoSliceState *state,
                           bool first, void *g0, void *d, void *x)
{
    const size_t bytes = bytes_of(slices, voxel_count);
    void *of_g = device_lend(g, bytes), *of_g0 = device_lend(g0, bytes);
    void *of_d = device_lend(d, bytes), *of_x = device_lend(x, bytes);
    SinoSliceState *of_state = device_lend(state, state_bytes(slices));
    device_check(sino_update_voxels_cg_cuda(NULL, slices, voxel_count, of_g, of_state, first, of_g0, of_d, of_x));
    device_unlend(g, of_g, bytes);
    device_unlend(state, of_state, state_bytes(slices));
    device_return(g0, of_g0, bytes);
    device_return(d, of_d, bytes);
    device_return(x, of_x, bytes);
}

void sino_update_residual_sirt(SinoSlices slices, int64_t ray_count, const void *b, const void *row_weight, bool first,
                               void *w, SinoSliceSums *sums)
{
    const size_t bytes = bytes_of(slices, ray_count), of_weights = weight_bytes(slices, ray_count);
    void *of_b = device_lend(b, bytes), *weight = device_lend(row_weight, of_weights);
    void *of_w = device_lend(w, bytes), *workspace = lend_workspace(slices);
    SinoSliceSums *of_sums = device_lend(sums, sums_bytes(slices));
    device_check(
        sino_update_residual_sirt_cuda(NULL, slices, ray_count, of_b, weight, first, of_w, of_sums, workspace));
    device_unlend(b, of_b, bytes);
    device_unlend(row_weight, weight, of_weights);
    device_return(w, of_w, bytes);
    device_return(sums, of_sums, sums_bytes(slices));
    device_free(workspace);
}

void sino_update_voxels_sirt(SinoSlices slices, int64_t voxel_count, const void *g, const void *column_weight,
                             const SinoSliceState *state, double relaxation, bool nonnegativity, bool first, void *x)
{
    const size_t bytes = bytes_of(slices, voxel_count), of_weights = weight_bytes(slices, voxel_count);
    void *of_g = device_lend(g, bytes), *weight = device_lend(column_weight, of_weights), *of_x = device_lend(x, bytes);
    SinoSliceState *of_state = device_lend(state, state_bytes(slices));
    device_check(sino_update_voxels_sirt_cuda(NULL, slices, voxel_count, of_g, weight, of_state, relaxation,
                                              nonnegativity, first, of_x));
    device_unlend(g, of_g, bytes);
    device_unlend(column_weight, weight, of_weights);
    device_unlend(state, of_state, state_bytes(slices));
    device_return(x, of_x, bytes);
}

void sino_update_reciprocal(SinoPrecision precision, int64_t count, void *value)
{
    const size_t bytes = (size_t)count * sino_precision_bytes(precision);
    void *of_value = device_lend(value, bytes);
    device_check(sino_update_reciprocal_cuda(NULL, precision, count, of_value));
    device_return(value, of_value, bytes);
}

void sino_update_fill_one(SinoPrecision precision, int64_t count, void *value)
{
    const size_t bytes = (size_t)count * sino_precision_bytes(precision);
    void *of_value = device_lend(value, bytes);
    device_check(sino_update_fill_one_cuda(NULL, precision, count, of_value));
    device_return(value, of_value, bytes);
}
