/* SPDX-License-Identifier: BSD-3-Clause */
/* BSREM on a CPU core. */
#include "bsrem.h"

#include <math.h>
#include <string.h>

void sino_bsrem_weights(const SinoVoxelGrid *grid, float weight[SINO_BSREM_PLACES])
{
    const int64_t count[] = {grid->x_count, grid->y_count, grid->z_count};
    const bool known = grid->size[0] > 0 && grid->size[1] > 0 && grid->size[2] > 0;
    double sum = 0;
    for (int i = 0; i < SINO_BSREM_PLACES; i++) {
        const int aside[] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        double square = 0;
        bool exists = true;
        for (int d = 0; d < 3; d++) {
            const double size = known ? grid->size[d] / grid->size[0] : 1;
            square += aside[d] * size * (aside[d] * size);
            exists &= aside[d] == 0 || count[d] > 1;
        }
        weight[i] = exists && square > 0 ? (float)(1 / sqrt(square)) : 0;
        sum += (double)weight[i];
    }
    for (int i = 0; i < SINO_BSREM_PLACES && sum > 0; i++) weight[i] /= (float)sum;
}

/* Rows of the neighbours of a voxel, and weights w·κ of the pairs: how many there are. */
static int neighbours(const SinoBsrem *bsrem, const uint32_t *column, const uint32_t *place, const float *kappa,
                      int64_t row, int64_t beside[SINO_BSREM_PLACES], float w[SINO_BSREM_PLACES])
{
    int found = 0;
    for (int i = 0; i < SINO_BSREM_PLACES; i++) {
        const int64_t other = sino_bsrem_beside(bsrem, (int64_t)column[row], i);
        if (other < 0) continue;
        beside[found] = (int64_t)place[other];
        w[found] = bsrem->weight[i] * kappa[beside[found]];
        found += w[found] > 0;
    }
    return found;
}

/* A voxel in a panel. */
static void update_voxel(const SinoBsrem *bsrem, const SinoBsremSlice *slice, SinoPanel at, int64_t row, int count,
                         const int64_t *beside, const float *w, float kappa, float weight, const float *x, float *g)
{
    const int64_t width = at.slices.stride;
    SinoBsremPull pull[SINO_PANEL_MAX] = {{0, 0}};
    for (int i = 0; i < count; i++)
        for (int64_t s = 0; s < width; s++)
            pull[s] =
                sino_bsrem_pair(bsrem, slice[s].typical, w[i], x[row * width + s], x[beside[i] * width + s], pull[s]);
    for (int64_t s = 0; s < width; s++) {
        float *to = &g[row * width + s];
        *to = slice[s].going ? sino_bsrem_next(bsrem, slice[s], kappa, weight, pull[s], x[row * width + s], *to)
                             : x[row * width + s];
    }
}

void sino_bsrem_voxels(const SinoBsrem *bsrem, const uint32_t *column, const uint32_t *place, const float *kappa,
                       const float *weight, const SinoSliceState *state, const float *x, float *g)
{
    const int64_t end = bsrem->first_row + bsrem->row_count;
    for (SinoPanel at = sino_panel_at(bsrem->slices, 0); at.first < bsrem->slices.stride;
         at = sino_panel_next(bsrem->slices, at)) {
        const float *part = sino_panel_from(at, bsrem->rows, x);
        float *made = sino_panel_to(at, bsrem->rows, g);
        const int64_t width = at.slices.stride;
        SinoBsremSlice slice[SINO_PANEL_MAX];
        for (int64_t s = 0; s < width; s++)
            slice[s] = sino_bsrem_slice(bsrem, at.first + s < bsrem->slices.slice_count ? &state[at.first + s] : NULL);
        for (int64_t row = bsrem->first_row; row < end; row++) {
            int64_t beside[SINO_BSREM_PLACES];
            float w[SINO_BSREM_PLACES];
            if (kappa[row] > 0)
                update_voxel(bsrem, slice, at, row, neighbours(bsrem, column, place, kappa, row, beside, w), beside, w,
                             kappa[row], weight[row], part, made);
            else
                memcpy(made + row * width, part + row * width, (size_t)width * sizeof *made);
        }
    }
}
