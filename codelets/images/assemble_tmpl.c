/* SPDX-License-Identifier: BSD-3-Clause */
/* Assemble for one type of x: REAL is the element, NAME(x) the function names. Included by assemble_cpu.c. */

/* Scales `count` voxels of x[voxel][slice] of one panel and transposes them into tile->slice[slice][voxel]. */
SINO_VECTORISED static void NAME(turn_row)(int64_t count, SinoSlices slices, const REAL *x, TileRow *tile)
{
    for (int64_t c = 0; c < count; c++) {
        const double scale = tile->scale[c];
        const REAL *from = x + c * slices.stride;
        for (int64_t f = 0; f < slices.stride; f++)
            tile->voxel[c][f] = scale == 0 ? 0 : (float)(scale * (double)from[f]);
    }
    for (int64_t f = 0; f < slices.slice_count; f++)
        for (int64_t c = 0; c < SINO_TILE; c++) tile->slice[f][c] = tile->voxel[c][f];
}
