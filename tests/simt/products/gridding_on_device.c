/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_gridding_adjoint by the functions of gridding_cuda.h. */
#include "gridding_on_device.h"

#include "gridding_cuda.h"
#include "simt_device.h"
#include "transforms_on_device.h"

/* Slices of odd sizes have points far from the origin. */
static SinoGriddingBatch batch_of(const SinoGeometry *geometry)
{
    const int64_t size = geometry->grid_size;
    SinoGriddingBatch batch = sino_gridding_batch(geometry, transform_bytes(size, SINO_GRIDDING_BATCH_BYTES));
    if (size % 2 == 1) batch.middle = 5;
    return batch;
}

void gridding_adjoint_on_device(const SinoGridding *gridding, const SinoTileMap *map, SinoSlices slices, const float *b,
                                void *scratch, float *const *x)
{
    const SinoGeometry *geometry = sino_gridding_geometry(gridding);
    const int64_t side = sino_tile_side(geometry->grid_size);
    const size_t rays = (size_t)(sino_geometry_ray_count(geometry) * slices.stride) * sizeof *b;
    SinoGriddingRay *ray = (SinoGriddingRay *)calloc((size_t)geometry->angle_count, sizeof *ray);
    float *of_x[64];
    SinoGriddingCuda *plans = NULL;
    if (!ray) abort();
    (void)scratch;
    sino_gridding_rays(geometry, ray);
    const SinoGriddingScan scan = {batch_of(geometry), ray, *map, count_parts(map, side * side)};
    if (scan.part_count > (int64_t)(sizeof of_x / sizeof *of_x)) abort();
    device_check(sino_gridding_cuda_new(&scan, &plans));
    float *of_b = device_lend(b, rays);
    void *of_scratch = device_memory((size_t)sino_gridding_cuda_scratch_bytes(&scan.batch));
    for (int64_t p = 0; p < scan.part_count; p++) of_x[p] = device_lend(x[p], part_vector_bytes(map, slices, p));
    device_check(sino_gridding_adjoint_cuda(NULL, plans, slices, of_b, of_scratch, of_x));
    for (int64_t p = 0; p < scan.part_count; p++) device_return(x[p], of_x[p], part_vector_bytes(map, slices, p));
    device_unlend(b, of_b, rays);
    device_free(of_scratch);
    sino_gridding_cuda_free(plans);
    free(ray);
}
