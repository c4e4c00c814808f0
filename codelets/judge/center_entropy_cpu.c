/* SPDX-License-Identifier: BSD-3-Clause */
/* Center by the entropy of samples of a filtered backprojection. */
#include "center.h"
#include "filter.h"
#include "memory.h"
#include "pixels.h"
#include "slice_quality.h"

#include <stdlib.h>
#include <string.h>

/* Tiles sampled at most. */
enum { TILES = 256 };

struct SinoCenterEntropy {
    SinoGeometry geometry; /* center: of no meaning */
    double *angle_rad;
    float *filtered; /* [K][M] */
    int64_t tile_count;
    SinoTilePlace tile[TILES];
};

/* Whether a tile lies in the grid, with its middle within nine tenths of the inscribed circle: rays beyond the
 * detector, which a wrong center adds on one side, and the rim of an object that reaches beyond it, are farther out. */
static bool in_disc(int64_t size, SinoTilePlace place)
{
    const double middle = 0.5 * (double)(size - 1), half = 0.5 * (double)(SINO_TILE - 1);
    const double x = (double)sino_tile_first_voxel(size, place.column) + half - middle;
    const double y = (double)sino_tile_first_voxel(size, place.row) + half - middle;
    return x * x + y * y <= 0.81 * middle * middle && sino_tile_range(size, place.row).count == SINO_TILE &&
           sino_tile_range(size, place.column).count == SINO_TILE;
}

/* Visits the tiles of the disc; keeps every step-th one. Returns how many there are. */
static int64_t list_tiles(SinoCenterEntropy *search, int64_t step)
{
    const int64_t size = search->geometry.grid_size, side = sino_tile_side(size);
    int64_t count = 0;
    search->tile_count = 0;
    for (int64_t i = 0; i < side * side; i++) {
        const SinoTilePlace place = {.row = (int32_t)(i / side), .column = (int32_t)(i % side)};
        if (!in_disc(size, place)) continue;
        if (count % step == 0 && search->tile_count < TILES) search->tile[search->tile_count++] = place;
        count++;
    }
    return count;
}

/* Filters every angle, each with the share of half a turn that it stands for. */
static SinoStatus filter(SinoCenterEntropy *search)
{
    SinoStatus status = NULL;
    SinoFilter *filter = NULL;
    double *weight = NULL;
    void *scratch = NULL;
    const SinoGeometry *geometry = &search->geometry;
    const SinoSlices one = {.precision = SINO_SINGLE, .stride = 1, .slice_count = 1};
    SINO_TRY_OR(status, cleanup, sino_allocate(geometry->angle_count, sizeof *weight, "angles", &weight));
    SINO_TRY_OR(status, cleanup, sino_filter_angle_weights(geometry->angle_count, geometry->angle_rad, weight));
    SINO_TRY_OR(status, cleanup, sino_filter_new(geometry->column_count, SINO_WINDOW_HANN, SINO_SINGLE, &filter));
    sino_filter_fill(filter, true, false);
    SINO_TRY_OR(status, cleanup, sino_allocate(sino_filter_scratch_bytes(filter), 1, "filter", &scratch));
    sino_filter_run(filter, geometry->angle_count, one, weight, scratch, search->filtered);
cleanup:
    sino_filter_free(filter);
    free(weight);
    free(scratch);
    return status;
}

SinoStatus sino_center_entropy_new(const SinoGeometry *geometry, const float *sinogram, SinoCenterEntropy **search)
{
    SinoStatus status = NULL;
    SinoCenterEntropy *made = NULL;
    const int64_t rays = sino_geometry_ray_count(geometry);
    SINO_TRY(sino_allocate(1, sizeof *made, "center search", &made));
    made->geometry = *geometry;
    made->geometry.grid_size = geometry->column_count;
    SINO_TRY_OR(status, cleanup, sino_allocate(geometry->angle_count, sizeof(double), "angles", &made->angle_rad));
    SINO_TRY_OR(status, cleanup, sino_allocate(rays, sizeof(float), "filtered sinogram", &made->filtered));
    memcpy(made->angle_rad, geometry->angle_rad, (size_t)geometry->angle_count * sizeof(double));
    memcpy(made->filtered, sinogram, (size_t)rays * sizeof(float));
    made->geometry.angle_rad = made->angle_rad;
    SINO_TRY_OR(status, cleanup, filter(made));
    const int64_t count = list_tiles(made, 1);
    list_tiles(made, (count + TILES - 1) / TILES + (count == 0));
    *search = made;
    return NULL;
cleanup:
    sino_center_entropy_free(made);
    return status;
}

void sino_center_entropy_free(SinoCenterEntropy *search)
{
    if (!search) return;
    free(search->angle_rad);
    free(search->filtered);
    free(search);
}

SinoStatus sino_center_entropy_metric(const SinoCenterEntropy *search, int64_t candidate_count, const double *candidate,
                                      double *metric)
{
    SinoStatus status = NULL;
    const int64_t voxels = search->tile_count * SINO_TILE_VOXELS;
    float *x = NULL;
    void *scratch = NULL;
    SINO_TRY_OR(status, cleanup, sino_allocate(voxels + 1, sizeof *x, "tiles", &x));
    SINO_TRY_OR(status, cleanup, sino_allocate(sino_pixels_scratch_bytes(), 1, "backprojection", &scratch));
    SinoPixels what = {.geometry = search->geometry,
                       .angle_count = search->geometry.angle_count,
                       .slices = {.precision = SINO_SINGLE, .stride = 1, .slice_count = 1},
                       .tile_count = search->tile_count,
                       .tile = search->tile};
    for (int64_t i = 0; i < candidate_count; i++) {
        memset(x, 0, (size_t)voxels * sizeof *x);
        what.geometry.center = candidate[i];
        sino_pixels_back(&what, search->filtered, scratch, x);
        metric[i] = sino_slice_entropy(voxels, x);
    }
cleanup:
    free(x);
    free(scratch);
    return status;
}
