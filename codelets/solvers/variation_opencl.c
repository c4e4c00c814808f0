/* SPDX-License-Identifier: BSD-3-Clause */
/* Variation on an OpenCL device. */
#include "variation.h"

#include <assert.h>

/* The same struct as TileGrid of variation.cl. */
typedef struct TileGrid {
    int32_t size, before;
} TileGrid;

static TileGrid grid_of(const SinoVariation *variation)
{
    const int64_t size = variation->grid_size;
    return (TileGrid){.size = (int32_t)size, .before = (int32_t)-sino_tile_first_voxel(size, 0)};
}

static int64_t rows_of(const SinoVariation *variation)
{
    assert(variation->first_tile[variation->part] == 0 && "no part before has tiles");
    assert(variation->first_tile[variation->part + 1] == variation->first_tile[variation->part_count]);
    return variation->first_tile[variation->part + 1] * SINO_TILE_VOXELS;
}

SinoStatus sino_variation_primal_opencl(SinoOpencl *opencl, const SinoVariation *variation, cl_mem tile,
                                        cl_mem neighbour, cl_mem z, cl_mem p, cl_mem q, cl_mem state, cl_mem u)
{
    const SinoOpenclSlices layout = sino_opencl_slices(variation->slices);
    const TileGrid grid = grid_of(variation);
    const int64_t rows = rows_of(variation);
    const SinoOpenclArgument argument[] = {SINO_CL(layout),
                                           SINO_CL(rows),
                                           SINO_CL(grid),
                                           SINO_CL(variation->least),
                                           SINO_CL(variation->most),
                                           SINO_CL(tile),
                                           SINO_CL(neighbour),
                                           SINO_CL(z),
                                           SINO_CL(p),
                                           SINO_CL(q),
                                           SINO_CL(state),
                                           SINO_CL(u)};
    return sino_opencl_launch(opencl, variation->slices.precision, "variation_primal", variation->slices.stride, rows,
                              SINO_CL_COUNT(argument), argument);
}

SinoStatus sino_variation_dual_opencl(SinoOpencl *opencl, const SinoVariation *variation, cl_mem tile, cl_mem neighbour,
                                      cl_mem u, cl_mem state, cl_mem p, cl_mem q)
{
    const SinoOpenclSlices layout = sino_opencl_slices(variation->slices);
    const TileGrid grid = grid_of(variation);
    const int64_t rows = rows_of(variation);
    const SinoOpenclArgument argument[] = {SINO_CL(layout), SINO_CL(rows),      SINO_CL(grid),
                                           SINO_CL(tile),   SINO_CL(neighbour), SINO_CL(u),
                                           SINO_CL(state),  SINO_CL(p),         SINO_CL(q)};
    return sino_opencl_launch(opencl, variation->slices.precision, "variation_dual", variation->slices.stride, rows,
                              SINO_CL_COUNT(argument), argument);
}
