/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of update.h by those of update_cuda.h: linked first, they make the tests of the CPU's test these. Each
 * compares the number of slices that go on, too. */
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

static void return_states(SinoSlices slices, SinoSliceState *state, SinoSliceState *lent)
{
    int64_t *active = device_memory(sizeof *active), expected = 0;
    *active = -1;
    device_check(sino_update_active_cuda(NULL, slices, lent, active));
    for (int64_t f = 0; f < slices.slice_count; f++) expected += !lent[f].stopped;
    if (*active != expected) {
        fprintf(stderr, "%d slices go on, not %d\n", (int)expected, (int)*active);
        abort();
    }
    device_free(active);
    device_return(state, lent, state_bytes(slices));
}

void sino_update_start(SinoSlices slices, int64_t ray_count, const void *r, SinoSliceState *state,
                       const SinoHistory *history)
{
    void *of_r = device_lend(r, bytes_of(slices, ray_count)), *workspace = lend_workspace(slices);
    SinoSliceState *of_state = device_lend(state, state_bytes(slices));
    SinoHistory of_history = lend_history(slices, history);
    device_check(sino_update_start_cuda(NULL, slices, ray_count, of_r, of_state, &of_history, workspace));
    device_unlend(r, of_r, bytes_of(slices, ray_count));
    return_states(slices, state, of_state);
    device_return(history->residual, of_history.residual, history_bytes(slices, history));
    device_free(workspace);
}

void sino_update_residual_cg(SinoSlices slices, int64_t ray_count, const void *q, void *r, SinoSliceState *state,
                             const SinoHistory *history)
{
    const size_t bytes = bytes_of(slices, ray_count);
    void *of_q = device_lend(q, bytes), *of_r = device_lend(r, bytes), *workspace = lend_workspace(slices);
    SinoSliceState *of_state = device_lend(state, state_bytes(slices));
    SinoHistory of_history = lend_history(slices, history);
    device_check(sino_update_residual_cg_cuda(NULL, slices, ray_count, of_q, of_r, of_state, &of_history, workspace));
    device_unlend(q, of_q, bytes);
    device_return(r, of_r, bytes);
    return_states(slices, state, of_state);
    device_return(history->residual, of_history.residual, history_bytes(slices, history));
    device_free(workspace);
}

void sino_update_norm(SinoSlices slices, int64_t voxel_count, const void *g, const void *g0, SinoSliceState *state,
                      bool first, bool last)
{
    const size_t bytes = bytes_of(slices, voxel_count);
    void *of_g = device_lend(g, bytes), *of_g0 = device_lend(g0, bytes), *workspace = lend_workspace(slices);
    SinoSliceState *of_state = device_lend(state, state_bytes(slices));
    device_check(sino_update_norm_cuda(NULL, slices, voxel_count, of_g, of_g0, of_state, first, last, workspace));
    device_unlend(g, of_g, bytes);
    device_unlend(g0, of_g0, bytes);
    return_states(slices, state, of_state);
    device_free(workspace);
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
                               void *w, SinoSliceState *state, const SinoHistory *history)
{
    const size_t bytes = bytes_of(slices, ray_count), of_weights = weight_bytes(slices, ray_count);
    void *of_b = device_lend(b, bytes), *weight = device_lend(row_weight, of_weights);
    void *of_w = device_lend(w, bytes), *workspace = lend_workspace(slices);
    SinoSliceState *of_state = device_lend(state, state_bytes(slices));
    SinoHistory of_history = lend_history(slices, history);
    device_check(sino_update_residual_sirt_cuda(NULL, slices, ray_count, of_b, weight, first, of_w, of_state,
                                                &of_history, workspace));
    device_unlend(b, of_b, bytes);
    device_unlend(row_weight, weight, of_weights);
    device_return(w, of_w, bytes);
    return_states(slices, state, of_state);
    device_return(history->residual, of_history.residual, history_bytes(slices, history));
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
