/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of update.h by those of update_opencl.c: linked first, they make the tests of the CPU's test these. */
#include "lend.h"
#include "testing_update.h"

void sino_update(const SinoUpdate *update, void *const vector[SINO_UPDATE_VECTORS], const SinoSliceState *state,
                 SinoSliceSums *sums)
{
    const SinoUpdateRow *row = &sino_update_row[update->formula];
    cl_mem of_vector[SINO_UPDATE_VECTORS] = {0}, of_state = lend(state, state_bytes(update->slices));
    cl_mem of_sums = lend(sums, sums_bytes(update->slices));
    for (int i = 0; i < SINO_UPDATE_VECTORS && row->vector[i] != SINO_NO_VECTOR; i++)
        of_vector[i] = lend(vector[i], operand_bytes(update, row->vector[i]));
    lend_check(sino_update_opencl(lend_device(), update, of_vector, of_state, of_sums));
    for (int i = 0; i < SINO_UPDATE_VECTORS && row->vector[i] != SINO_NO_VECTOR; i++)
        if (is_written(update, row->vector[i]))
            lend_return(vector[i], of_vector[i], operand_bytes(update, row->vector[i]));
        else
            lend_end(vector[i], of_vector[i], operand_bytes(update, row->vector[i]));
    lend_end(state, of_state, state_bytes(update->slices));
    lend_return(sums, of_sums, sums_bytes(update->slices));
}

void sino_update_slices(SinoUpdateRule rule, SinoSlices slices, bool first, double argument, const SinoSliceSums *sums,
                        SinoSliceState *state)
{
    cl_mem of_sums = lend(sums, sums_bytes(slices)), of_state = lend(state, state_bytes(slices));
    lend_check(sino_update_slices_opencl(lend_device(), rule, slices, first, argument, of_sums, of_state));
    lend_end(sums, of_sums, sums_bytes(slices));
    lend_return(state, of_state, state_bytes(slices));
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
