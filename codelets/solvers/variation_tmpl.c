/* SPDX-License-Identifier: BSD-3-Clause */
/* Variation of one panel: REAL is the element, NAME(x) the function names. Included by variation_cpu.c. A row of a tile
 * has `length` elements: voxels times slices of the panel. `step` is the slices of the panel, the distance of a voxel's
 * element to that of its neighbour in the row. */

#include "beside_tmpl.c"
#include "variation_elements_tmpl.c"

/* u of one row. p_left, of the tile on the left, has the elements of its last voxel; NULL, as q_above: 0. The row is
 * copied beside itself, so that all of it is computed in whole vectors. */
SINO_VECTORISED static void NAME(primal_row)(int64_t length, int64_t step, REAL least, REAL most, const REAL *theta,
                                             const REAL *z, const REAL *p, const REAL *p_left, const REAL *q,
                                             const REAL *q_above, REAL *u)
{
    static const REAL zero[SINO_TILE_ROW_MAX];
    REAL before[SINO_TILE_ROW_MAX];
    memcpy(before, p_left ? p_left : zero, (size_t)step * sizeof *before);
    memcpy(before + step, p, (size_t)(length - step) * sizeof *before);
    NAME(primal_elements)(length, least, most, theta, z, p, before, q, q_above ? q_above : zero, u);
}

/* p and q of one row. u_right and u_below: NULL where there is no neighbour, so that the difference is 0. */
SINO_VECTORISED static void NAME(dual_row)(int64_t length, int64_t step, const REAL *inverse, const REAL *u,
                                           const REAL *u_right, const REAL *u_below, REAL *p, REAL *q)
{
    const int64_t last = length - step;
    REAL next[SINO_TILE_ROW_MAX];
    memcpy(next, u + step, (size_t)last * sizeof *next);
    memcpy(next + last, u_right ? u_right : u + last, (size_t)step * sizeof *next);
    NAME(dual_elements)(length, inverse, u, next, u_below ? u_below : u, p, q);
}

/* The same with the difference from the slice after. */
static void NAME(dual_row_volume)(int64_t length, int64_t step, const REAL *sigma, const REAL *u, const REAL *u_right,
                                  const REAL *u_below, const REAL *u_after, REAL *p, REAL *q, REAL *r)
{
    const int64_t last = length - step;
    const REAL *below = u_below ? u_below : u;
    NAME(dual_elements_volume)(last, sigma, u, u + step, below, u_after, p, q, r);
    NAME(dual_elements_volume)
    (step, sigma, u + last, u_right ? u_right : u + last, below + last, u_after + last, p + last, q + last, r + last);
}

/* A step of every element of a row: θ, 1/(8θ), which is 0 where θ is 0, or σ. */
typedef enum NAME(Step) { NAME(THETA), NAME(INVERSE), NAME(SIGMA) } NAME(Step);

static void NAME(fill)(SinoPanel at, const SinoSliceState *state, NAME(Step) which, REAL *row)
{
    const int64_t step = at.slices.stride;
    for (int64_t f = 0; f < step; f++) {
        const bool real = f < at.slices.slice_count;
        const double theta = real ? state[at.first + f].scalar[SINO_FISTA_THRESHOLD] : 0;
        const double sigma = real ? state[at.first + f].scalar[SINO_FISTA_DUAL] : 0;
        row[f] = (REAL)(which == NAME(THETA) ? theta : which == NAME(SIGMA) ? sigma : theta > 0 ? 1 / (8 * theta) : 0);
    }
    for (int64_t i = step; i < SINO_TILE * step; i += step) memcpy(row + i, row, (size_t)step * sizeof *row);
}

/* The z of a row, in 3-D with what r adds to it, in moved[SINO_TILE_ROW_MAX]. */
static const REAL *NAME(take_z)(SinoPanel at, const Third *third, int64_t element, int64_t count, const REAL *theta,
                                const REAL *z, REAL *moved)
{
    const int64_t step = at.slices.stride;
    if (!third) return z + element;
    const REAL *r = sino_panel_from(at, third->beside.rows, third->beside.vector);
    NAME(take_before)(&third->beside, at, element / step, count, moved);
    NAME(add_third)(count * step, theta, z + element, r + element, moved);
    return moved;
}

static void NAME(primal)(const SinoVariation *variation, SinoPanel at, const void *z, const void *const *p,
                         const void *const *q, const Third *third, const SinoSliceState *state, void *u)
{
    const int64_t step = at.slices.stride, first = variation->first_tile[variation->part];
    const REAL *from_z = sino_tile_panel(variation, at, variation->part, z),
               *to_u = sino_tile_panel(variation, at, variation->part, u);
    REAL theta[SINO_TILE_ROW_MAX] = {0}, moved[SINO_TILE_ROW_MAX];
    NAME(fill)(at, state, NAME(THETA), theta);
    for (int64_t t = first; t < variation->first_tile[variation->part + 1]; t++) {
        const SinoTileNeighbours beside = variation->neighbour[t];
        const SinoTileExtent extent = sino_tile_extent(variation, t);
        const REAL *own_p = sino_tile_vector(variation, at, t, p), *own_q = sino_tile_vector(variation, at, t, q);
        const REAL *left = sino_tile_vector(variation, at, beside.left, p),
                   *above = sino_tile_vector(variation, at, beside.above, q);
        for (int64_t r = extent.down.first; r < extent.down.first + extent.down.count; r++) {
            const int64_t i = (r * SINO_TILE + extent.across.first) * step,
                          tile = (t - first) * SINO_TILE_VOXELS * step;
            const REAL *row_above = r > extent.down.first ? own_q + i - SINO_TILE * step
                                    : above               ? above + i + (SINO_TILE - 1 - r) * SINO_TILE * step
                                                          : NULL;
            const REAL *row_z = NAME(take_z)(at, third, tile + i, extent.across.count, theta, from_z, moved);
            NAME(primal_row)
            (extent.across.count * step, step, (REAL)variation->least, (REAL)variation->most, theta, row_z, own_p + i,
             left ? left + (r * SINO_TILE + SINO_TILE - 1) * step : NULL, own_q + i, row_above,
             (REAL *)to_u + tile + i);
        }
    }
}

static void NAME(dual)(const SinoVariation *variation, SinoPanel at, const void *const *u, const Third *third,
                       const SinoSliceState *state, void *p, void *q)
{
    const int64_t step = at.slices.stride, first = variation->first_tile[variation->part];
    REAL *to_p = sino_tile_panel(variation, at, variation->part, p),
         *to_q = sino_tile_panel(variation, at, variation->part, q),
         *to_r = third ? sino_tile_panel(variation, at, variation->part, third->r) : NULL;
    REAL inverse[SINO_TILE_ROW_MAX] = {0}, after[SINO_TILE_ROW_MAX];
    NAME(fill)(at, state, third ? NAME(SIGMA) : NAME(INVERSE), inverse);
    for (int64_t t = first; t < variation->first_tile[variation->part + 1]; t++) {
        const SinoTileNeighbours beside = variation->neighbour[t];
        const SinoTileExtent extent = sino_tile_extent(variation, t);
        const REAL *own = sino_tile_vector(variation, at, t, u);
        assert(own);
        const REAL *right = sino_tile_vector(variation, at, beside.right, u),
                   *below = sino_tile_vector(variation, at, beside.below, u);
        for (int64_t r = extent.down.first; r < extent.down.first + extent.down.count; r++) {
            const int64_t i = (r * SINO_TILE + extent.across.first) * step,
                          tile = (t - first) * SINO_TILE_VOXELS * step;
            const bool last = r == extent.down.first + extent.down.count - 1;
            const REAL *row_below = !last   ? own + i + SINO_TILE * step
                                    : below ? below + i - r * SINO_TILE * step
                                            : NULL;
            const REAL *row_right = right ? right + r * SINO_TILE * step : NULL;
            const int64_t length = extent.across.count * step;
            if (!to_r) {
                NAME(dual_row)
                (length, step, inverse, own + i, row_right, row_below, to_p + tile + i, to_q + tile + i);
                continue;
            }
            NAME(take_after)(&third->beside, at, (tile + i) / step, extent.across.count, after);
            NAME(dual_row_volume)
            (length, step, inverse, own + i, row_right, row_below, after, to_p + tile + i, to_q + tile + i,
             to_r + tile + i);
        }
    }
}
