/* SPDX-License-Identifier: BSD-3-Clause */
/* Variation: the two halves of a step that lowers the total variation (codelets/solvers/variation.h), for a part that has all
 * tiles. */

enum { TILE_SIDE = 16 }; /* TILE_VOXELS is that of spmm.cl */

/* The same structs as SinoTilePlace of codelets/rays/trace.h and SinoTileNeighbours of codelets/solvers/variation.h. */
typedef struct TilePlace {
    int column, row;
} TilePlace;

typedef struct TileNeighbours {
    int left, right, above, below;
} TileNeighbours;

/* A grid of voxels in tiles. */
typedef struct TileGrid {
    int size;   /* voxels along a side of the grid */
    int before; /* voxels of a side in the tiles before the grid's first voxel */
} TileGrid;

/* A voxel of the vectors: its place in the grid, and within its tile. */
typedef struct Voxel {
    int x, y, column, row;
} Voxel;

static Voxel voxel_at(TileGrid grid, __global const TilePlace *tile, long i)
{
    const TilePlace place = tile[i / TILE_VOXELS];
    const int row = i % TILE_VOXELS / TILE_SIDE, column = i % TILE_SIDE;
    const Voxel voxel = {.x = place.column * TILE_SIDE + column - grid.before,
                         .y = place.row * TILE_SIDE + row - grid.before,
                         .column = column,
                         .row = row};
    return voxel;
}

static bool is_inside(TileGrid grid, Voxel voxel)
{
    return voxel.x >= 0 && voxel.y >= 0 && voxel.x < grid.size && voxel.y < grid.size;
}

/* The row of a voxel of another tile. */
static long row_in(int tile, int row, int column)
{
    return (long)tile * TILE_VOXELS + row * TILE_SIDE + column;
}

static double theta_of(Slices slices, __global const SinoSliceState *state, int f)
{
    return f < slices.slice_count ? state[f].scalar[SINO_FISTA_THRESHOLD] : 0; /* 0: padding */
}

__kernel void variation_primal(Slices slices, long rows, TileGrid grid, double least, double most, __global const TilePlace *tile,
                               __global const TileNeighbours *neighbour, __global const REAL *z,
                               __global const REAL *p, __global const REAL *q, __global const SinoSliceState *state,
                               __global REAL *u)
{
    const int f = get_global_id(0);
    const long i = get_global_id(1);
    if (f >= slices.stride || i >= rows) return;
    const Voxel voxel = voxel_at(grid, tile, i);
    if (!is_inside(grid, voxel)) return;
    const TileNeighbours beside = neighbour[i / TILE_VOXELS];
    const Column column = column_of(slices, rows, f);
    const long left = voxel.column > 0 ? i - 1 : row_in(beside.left, voxel.row, TILE_SIDE - 1);
    const long above = voxel.row > 0 ? i - TILE_SIDE : row_in(beside.above, TILE_SIDE - 1, voxel.column);
    const size_t at = in_column(column, i);
    const REAL before_p = voxel.x > 0 ? p[in_column(column, left)] : 0;
    const REAL before_q = voxel.y > 0 ? q[in_column(column, above)] : 0;
    const REAL value = z[at] + (REAL)theta_of(slices, state, f) * (p[at] - before_p + q[at] - before_q);
    u[at] = sino_formula_limit(value, (REAL)least, (REAL)most);
}

__kernel void variation_dual(Slices slices, long rows, TileGrid grid, __global const TilePlace *tile,
                             __global const TileNeighbours *neighbour, __global const REAL *u,
                             __global const SinoSliceState *state, __global REAL *p, __global REAL *q)
{
    const int f = get_global_id(0);
    const long i = get_global_id(1);
    if (f >= slices.stride || i >= rows) return;
    const Voxel voxel = voxel_at(grid, tile, i);
    if (!is_inside(grid, voxel)) return;
    const TileNeighbours beside = neighbour[i / TILE_VOXELS];
    const Column column = column_of(slices, rows, f);
    const long right = voxel.column < TILE_SIDE - 1 ? i + 1 : row_in(beside.right, voxel.row, 0);
    const long below = voxel.row < TILE_SIDE - 1 ? i + TILE_SIDE : row_in(beside.below, 0, voxel.column);
    const size_t at = in_column(column, i);
    const double theta = theta_of(slices, state, f);
    const REAL here = u[at], inverse = (REAL)(theta > 0 ? 1 / (8 * theta) : 0);
    const REAL next_x = voxel.x + 1 < grid.size ? u[in_column(column, right)] : here;
    const REAL next_y = voxel.y + 1 < grid.size ? u[in_column(column, below)] : here;
    const REAL across = p[at] + inverse * (next_x - here), down = q[at] + inverse * (next_y - here);
    const REAL length = sqrt(across * across + down * down), shorten = 1 / (length < 1 ? 1 : length);
    p[at] = shorten * across;
    q[at] = shorten * down;
}
