/* SPDX-License-Identifier: BSD-3-Clause */
/* Update: the vector work of the solvers between two SpMMs, on a CPU core. */
#include "update.h"

#include "update_private.h"

#include <assert.h>
#include <math.h>

static void assert_valid(const SinoUpdate *update, const SinoSliceState *state, const SinoSliceSums *sums)
{
    const SinoUpdateRow *row = &sino_update_row[update->formula];
    assert(update->slices.slice_count <= update->slices.stride && update->slices.stride <= SINO_SLICES_MAX);
    assert(sino_panel_width(update->slices.precision) <= SINO_PANEL_MAX);
    assert(row->reads_state == (state != NULL) && (row->sums > 0) == (sums != NULL));
    (void)row, (void)state, (void)sums;
}

static void add_sums(SinoPanel at, const double *sum0, const double *sum1, bool add, SinoSliceSums *sums)
{
    for (int64_t f = 0; f < at.slices.slice_count; f++) {
        const SinoSliceSums part = {{sum0[f], sum1[f]}};
        sums[at.first + f] = sino_slice_add(sums[at.first + f], part, !add);
    }
}

/* The panel's rows of a vector, from row `first` on. */
static void *rows_from(const SinoUpdate *update, SinoPanel at, bool by_row, int64_t first, void *vector)
{
    const int64_t bytes = (int64_t)sino_precision_bytes(update->slices.precision);
    if (by_row) return (char *)vector + first * bytes;
    return (char *)sino_panel_to(at, update->rows, vector) + first * at.slices.stride * bytes;
}

void sino_update(const SinoUpdate *update, void *const vector[SINO_UPDATE_VECTORS], const SinoSliceState *state,
                 SinoSliceSums *sums)
{
    const SinoSlices slices = update->slices;
    const SinoUpdateRow *row = &sino_update_row[update->formula];
    const int64_t first = update->row_count > 0 ? update->first_row : 0;
    SinoUpdate part = *update;
    if (update->row_count > 0) part.rows = update->row_count;
    assert_valid(update, state, sums);
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        SinoUpdatePanel panel = {.update = &part,
                                 .stride = at.slices.stride,
                                 .slice_count = at.slices.slice_count,
                                 .state = state ? state + at.first : NULL};
        for (int i = 0; i < SINO_UPDATE_VECTORS && row->vector[i] != SINO_NO_VECTOR; i++)
            panel.vector[i] = rows_from(update, at, row->vector[i] & SINO_EACH_ROW, first, vector[i]);
        double sum0[SINO_PANEL_MAX] = {0}, sum1[SINO_PANEL_MAX] = {0};
        if (slices.precision == SINO_DOUBLE)
            sino_update_panel_double(&panel, sum0, sum1);
        else
            sino_update_panel_single(&panel, sum0, sum1);
        if (sums) add_sums(at, sum0, sum1, update->add, sums);
    }
}

void sino_update_slices(SinoUpdateRule rule, SinoSlices slices, bool first, double argument, const SinoSliceSums *sums,
                        SinoSliceState *state)
{
    for (int64_t f = 0; f < slices.slice_count; f++) sino_rule_apply((int)rule, &state[f], &sums[f], argument, first);
}

void sino_update_collect(SinoSlices slices, const SinoSliceSums *part, bool first, SinoSliceSums *total)
{
    for (int64_t f = 0; f < slices.slice_count; f++) total[f] = sino_slice_add(total[f], part[f], first);
}

void sino_update_start(SinoSlices slices, const SinoSliceSums *sums, SinoSliceState *state, const SinoHistory *history)
{
    for (int64_t f = 0; f < slices.slice_count; f++) {
        double *residual = history->residual + f * history->numbers;
        const double square = sums[f].sum[SINO_SUM_SQUARE];
        state[f] = sino_slice_start(square, history->tolerance);
        residual[history->iteration] = square;
        for (int64_t i = history->iteration + 1; i < history->numbers; i++) residual[i] = (double)NAN;
    }
}

void sino_update_record(SinoSlices slices, const SinoSliceSums *sums, SinoSliceState *state, const SinoHistory *history,
                        int64_t *active)
{
    *active = 0;
    for (int64_t f = 0; f < slices.slice_count; f++) {
        double *residual = history->residual + f * history->numbers + history->iteration;
        const bool stopped = state[f].stopped;
        *residual = sino_slice_record(&state[f], sums[f].sum[SINO_SUM_SQUARE], history->tolerance);
        if (history->numbers > history->columns)
            residual[history->columns] = sino_slice_record_likelihood(&state[f], sums[f].sum[SINO_SUM_LIKELIHOOD],
                                                                      history->likelihood_tolerance, stopped);
        *active += !state[f].stopped;
    }
}
