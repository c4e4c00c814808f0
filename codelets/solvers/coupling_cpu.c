/* SPDX-License-Identifier: BSD-3-Clause */
/* Coupling of minibatches, on a CPU core. */
#include "coupling.h"

void sino_coupling_edge(SinoSlices slices, int64_t rows, int64_t slice, const void *vector, void *edge)
{
    const int64_t width = sino_panel_width(slices.precision);
    const SinoPanel at = sino_panel_at(slices, slice / width * width);
    const int64_t step = at.slices.stride, lane = slice - at.first;
    const void *from = sino_panel_from(at, rows, vector);
    for (int64_t i = 0; i < rows; i++) {
        if (slices.precision == SINO_DOUBLE)
            ((double *)edge)[i] = ((const double *)from)[i * step + lane];
        else
            ((float *)edge)[i] = ((const float *)from)[i * step + lane];
    }
}

void sino_coupling_steps(SinoSlices slices, bool before, const SinoSliceState *after, SinoSliceState *state)
{
    const int64_t count = slices.slice_count;
    const double share = count == 1 && !before && !after ? 1.0 / 8 : 1.0 / 12;
    for (int64_t f = 0; f < count; f++) {
        const SinoSliceState *next = f + 1 < count ? &state[f + 1] : after;
        const double own = state[f].scalar[SINO_FISTA_THRESHOLD];
        const double theta = next ? fmax(own, next->scalar[SINO_FISTA_THRESHOLD]) : own;
        state[f].scalar[SINO_FISTA_DUAL] = theta > 0 ? share / theta : 0;
    }
}

void sino_coupling_add(SinoSlices slices, const SinoSliceSums *sums, const SinoSliceState *state, SinoSliceSums *total)
{
    for (int64_t f = 0; f < slices.slice_count; f++) {
        const double step = state[f].scalar[SINO_FISTA_STEP];
        for (int s = 0; s < SINO_SLICE_SUMS; s++) total->sum[s] += step > 0 ? sums[f].sum[s] / step : 0;
    }
}
