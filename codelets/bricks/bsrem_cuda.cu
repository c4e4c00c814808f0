/* SPDX-License-Identifier: BSD-3-Clause */
/* BSREM on a GPU: a thread has one slice of the rows that it visits. */
#include "panel_cuda.cuh"

extern "C" {
#include "bsrem.h"
}

enum { BLOCKS_MAX = 4096, ROWS_PER_BLOCK = 2 * SINO_PANEL_LANES };

static __global__ void __launch_bounds__(SINO_PANEL_LANES *SINO_PANEL_MAX)
    voxels_kernel(SinoBsrem bsrem, SinoPanels panels, const uint32_t *column, const uint32_t *place, const float *kappa,
                  const float *weight, const SinoSliceState *state, const float *x, float *g)
{
    const SinoPanelWalk<1> walk(panels, bsrem.row_count);
    const int set = walk.first + walk.column;
    const SinoBsremSlice slice = sino_bsrem_slice(&bsrem, set < bsrem.slices.slice_count ? &state[set] : NULL);
    const float *const own = x + walk.first * bsrem.rows + walk.column;
    float *const made = g + walk.first * bsrem.rows + walk.column;
    for (int64_t i = walk.lane; i < walk.end; i += walk.step) {
        const int64_t row = bsrem.first_row + i, at = row * walk.width;
        const bool changes = slice.going && kappa[row] > 0;
        SinoBsremPull pull = {0, 0};
        for (int k = 0; k < SINO_BSREM_PLACES && changes; k++) {
            const int64_t other = sino_bsrem_beside(&bsrem, column[row], k);
            if (other < 0) continue;
            const int64_t beside = place[other];
            const float w = bsrem.weight[k] * kappa[beside];
            if (w > 0) pull = sino_bsrem_pair(&bsrem, slice.typical, w, own[at], own[beside * walk.width], pull);
        }
        const float next =
            changes ? sino_bsrem_next(&bsrem, slice, kappa[row], weight[row], pull, own[at], made[at]) : own[at];
        made[at] = next;
    }
}

SinoStatus sino_bsrem_voxels_cuda(cudaStream_t stream, const SinoBsrem *bsrem, const uint32_t *column,
                                  const uint32_t *place, const float *kappa, const float *weight,
                                  const SinoSliceState *state, const float *x, float *g)
{
    const SinoPanels panels = sino_panels_of(bsrem->slices);
    if (bsrem->row_count == 0) return NULL;
    const SinoLaunch each = {
        "bsrem_voxels", dim3(sino_blocks_for(bsrem->row_count, ROWS_PER_BLOCK, BLOCKS_MAX), sino_panels_count(panels)),
        sino_panel_threads(panels, 1), 0, stream};
    return sino_launch(each, voxels_kernel, *bsrem, panels, column, place, kappa, weight, state, x, g);
}
