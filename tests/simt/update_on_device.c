/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of update.h by those of update_cuda.cu: linked first, they make the tests of the CPU's test these. */
#include "simt_device.h"
#include "testing_update.h"

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
    return device_memory(bytes);
}

void sino_update(const SinoUpdate *update, void *const vector[SINO_UPDATE_VECTORS], const SinoSliceState *state,
                 SinoSliceSums *sums)
{
    const SinoUpdateRow *row = &sino_update_row[update->formula];
    void *of_vector[SINO_UPDATE_VECTORS] = {0}, *workspace = sums ? lend_workspace(update->slices) : NULL;
    SinoSliceState *of_state = device_lend(state, state_bytes(update->slices));
    SinoSliceSums *of_sums = device_lend(sums, sums_bytes(update->slices));
    for (int i = 0; i < SINO_UPDATE_VECTORS && row->vector[i] != SINO_NO_VECTOR; i++)
        of_vector[i] = device_lend(vector[i], operand_bytes(update, row->vector[i]));
    device_check(sino_update_cuda(NULL, update, of_vector, of_state, of_sums, workspace));
    for (int i = 0; i < SINO_UPDATE_VECTORS && row->vector[i] != SINO_NO_VECTOR; i++)
        if (is_written(update, row->vector[i]))
            device_return(vector[i], of_vector[i], operand_bytes(update, row->vector[i]));
        else
            device_unlend(vector[i], of_vector[i], operand_bytes(update, row->vector[i]));
    device_unlend(state, of_state, state_bytes(update->slices));
    device_return(sums, of_sums, sums_bytes(update->slices));
    device_free(workspace);
}

void sino_update_slices(SinoUpdateRule rule, SinoSlices slices, bool first, double argument, const SinoSliceSums *sums,
                        SinoSliceState *state)
{
    SinoSliceSums *of_sums = device_lend(sums, sums_bytes(slices));
    SinoSliceState *of_state = device_lend(state, state_bytes(slices));
    device_check(sino_update_slices_cuda(NULL, rule, slices, first, argument, of_sums, of_state));
    device_unlend(sums, of_sums, sums_bytes(slices));
    device_return(state, of_state, state_bytes(slices));
}

void sino_update_residual(SinoSlices slices, const SinoSliceState *state, SinoSliceSums *sums)
{
    SinoSliceState *of_state = device_lend(state, state_bytes(slices));
    SinoSliceSums *of_sums = device_lend(sums, sums_bytes(slices));
    device_check(sino_update_residual_cuda(NULL, slices, of_state, of_sums));
    device_unlend(state, of_state, state_bytes(slices));
    device_return(sums, of_sums, sums_bytes(slices));
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

void sino_update_record(SinoSlices slices, const SinoSliceSums *sums, SinoSliceState *state, const SinoHistory *history,
                        int64_t *active)
{
    SinoSliceSums *of_sums = device_lend(sums, sums_bytes(slices));
    SinoSliceState *of_state = device_lend(state, state_bytes(slices));
    SinoHistory of_history = lend_history(slices, history);
    int64_t *of_active = device_memory(sizeof *active);
    device_check(sino_update_record_cuda(NULL, slices, of_sums, of_state, &of_history, of_active));
    device_unlend(sums, of_sums, sums_bytes(slices));
    device_return(state, of_state, state_bytes(slices));
    device_return(history->residual, of_history.residual, history_bytes(slices, history));
    device_return(active, of_active, sizeof *active);
}
