/* SPDX-License-Identifier: BSD-3-Clause */
/* Prior, one panel: REAL is the element, NAME(x) the function names. Included by prior_cpu.c. */

#include "beside_tmpl.c"
#include "prior_elements_tmpl.c"

/* A row of voxels between a voxel of the tile on the left and one of that on the right. */
typedef struct NAME(Row) {
    bool present, left, right;                      /* whether the row, and its outer voxels, are in the grid */
    REAL u[SINO_TILE_ROW_MAX + 2 * SINO_PANEL_MAX]; /* [voxel][slice], from the outer voxel on the left */
} NAME(Row);

/* Takes row r of a tile; tile −1: there is none. */
static void NAME(take)(const SinoSmoothPrior *prior, SinoPanel at, int64_t tile, int64_t r, SinoTileRange across,
                       const void *const *u, NAME(Row) * row)
{
    const int64_t step = at.slices.stride;
    const size_t bytes = (size_t)step * sizeof(REAL);
    row->present = tile >= 0;
    if (tile < 0) return;
    const SinoTileNeighbours beside = prior->tiles.neighbour[tile];
    const REAL *own = sino_tile_vector(&prior->tiles, at, tile, u);
    const REAL *left = sino_tile_vector(&prior->tiles, at, beside.left, u);
    const REAL *right = sino_tile_vector(&prior->tiles, at, beside.right, u);
    row->left = left != NULL;
    row->right = right != NULL;
    if (left) memcpy(row->u, left + (r * SINO_TILE + SINO_TILE - 1) * step, bytes);
    memcpy(row->u + step, own + (r * SINO_TILE + across.first) * step, (size_t)across.count * bytes);
    if (right) memcpy(row->u + (across.count + 1) * step, right + r * SINO_TILE * step, bytes);
}

/* Adds the pairs of `count` voxels from `voxel` of the part on with those of the slices beside. */
static void NAME(add_slices)(const SinoSmoothPrior *prior, SinoPanel at, const Between *between, int64_t voxel,
                             int64_t count, const REAL *u, REAL *sum)
{
    const int64_t length = count * at.slices.stride;
    REAL with[SINO_TILE_ROW_MAX];
    NAME(take_before)(&between->before, at, voxel, count, with);
    NAME(add_elements)(prior, length, SINO_PRIOR_SLICE_WEIGHT, u, with, sum);
    NAME(take_after)(&between->after, at, voxel, count, with);
    NAME(add_elements)(prior, length, SINO_PRIOR_SLICE_WEIGHT, u, with, sum);
}

/* Adds the pairs of a row's voxels with those of `other`, which lie `aside` voxels to the right. */
static void NAME(add_pairs)(const SinoSmoothPrior *prior, int64_t length, int64_t step, double weight,
                            const NAME(Row) * own, const NAME(Row) * other, int aside, REAL *sum)
{
    if (!other->present) return; /* nor does it say what lies beside */
    const int64_t first = aside < 0 && !other->left ? step : 0, end = length - (aside > 0 && !other->right ? step : 0);
    const REAL *u = own->u + step + first, *with = other->u + step + first + aside * step;
    NAME(add_elements)(prior, end - first, weight, u, with, sum + first);
}

/* The tile that has the row `down` below row r of a tile, and the number of that row in it. */
static int64_t NAME(tile_below)(const SinoSmoothPrior *prior, int64_t tile, SinoTileRange range, int64_t r, int down,
                                int64_t *row)
{
    const SinoTileNeighbours beside = prior->tiles.neighbour[tile];
    const int64_t to = r + down;
    if (to < range.first) {
        *row = SINO_TILE - 1;
        return beside.above;
    }
    if (to >= range.first + range.count) {
        *row = 0;
        return beside.below;
    }
    *row = to;
    return tile;
}

/* between: in 3-D; NULL: in 2-D. */
static void NAME(descend_tile)(const SinoSmoothPrior *prior, SinoPanel at, int64_t tile, const REAL *theta,
                               const void *const *u, const Between *between, REAL *z)
{
    const int64_t step = at.slices.stride,
                  rows_before = (tile - prior->tiles.first_tile[prior->tiles.part]) * SINO_TILE_VOXELS;
    const SinoTileExtent extent = sino_tile_extent(&prior->tiles, tile);
    const int64_t length = extent.across.count * step;
    for (int64_t r = extent.down.first; r < extent.down.first + extent.down.count; r++) {
        NAME(Row) row[3];
        REAL sum[SINO_TILE_ROW_MAX];
        memset(sum, 0, (size_t)length * sizeof *sum);
        for (int down = -1; down <= 1; down++) {
            int64_t of = r;
            const int64_t from = NAME(tile_below)(prior, tile, extent.down, r, down, &of);
            NAME(take)(prior, at, from, of, extent.across, u, &row[down + 1]);
        }
        for (int i = 0; i < 9; i++) {
            const int down = i / 3 - 1, aside = i % 3 - 1;
            const double weight = down != 0 && aside != 0 ? SINO_PRIOR_CORNER_WEIGHT : SINO_PRIOR_SIDE_WEIGHT;
            if (i == 4) continue; /* the voxel itself */
            NAME(add_pairs)(prior, length, step, weight, &row[1], &row[i / 3], aside, sum);
        }
        const int64_t voxel = r * SINO_TILE + extent.across.first;
        if (between)
            NAME(add_slices)(prior, at, between, rows_before + voxel, extent.across.count, row[1].u + step, sum);
        NAME(subtract)(length, theta, sum, z + voxel * step);
    }
}

static void NAME(descend)(const SinoSmoothPrior *prior, SinoPanel at, const void *const *u, const Between *between,
                          const SinoSliceState *state, void *z)
{
    const SinoVariation *tiles = &prior->tiles;
    const int64_t step = at.slices.stride, first = tiles->first_tile[tiles->part];
    REAL *to = sino_tile_panel(tiles, at, tiles->part, z);
    REAL theta[SINO_TILE_ROW_MAX];
    for (int64_t i = 0; i < SINO_TILE * step; i++) {
        const int64_t f = i % step;
        theta[i] = (REAL)(f < at.slices.slice_count ? state[at.first + f].scalar[SINO_FISTA_THRESHOLD] : 0);
    }
    for (int64_t t = first; t < tiles->first_tile[tiles->part + 1]; t++)
        NAME(descend_tile)(prior, at, t, theta, u, between, to + (t - first) * SINO_TILE_VOXELS * step);
}
