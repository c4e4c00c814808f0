/* SPDX-License-Identifier: BSD-3-Clause */
/* Assemble: copies a partition's tiles of interleaved slices into images, on a GPU. A block transposes a tile of one
 * panel, row by row in shared memory, so that its threads read neighbouring slices and write neighbouring columns. */
#include "panel_cuda.cuh"

extern "C" {
#include "assemble.h"
#include "block.h"
}

enum { THREADS = 256 };

/* The fields of SinoAssemble that the kernel reads. */
struct Images {
    SinoPanels panels;
    int slice_count;
    int64_t side, tile_count; /* pixels along a side of an image */
    int64_t before;           /* number of voxels in the tiles before the first pixel */
    const SinoTilePlace *tile;
    double scale, radius; /* voxels farther than `radius` from the middle become 0; a negative radius masks none */
};

/* The scale of pixel (row, column), or 0 where it is masked. */
static __device__ __forceinline__ double scale_of(const Images &images, int64_t row, int64_t column)
{
    if (images.radius < 0) return images.scale;
    const double half = static_cast<double>(images.side) / 2;
    const double x = static_cast<double>(column) + 0.5 - half, y = static_cast<double>(row) + 0.5 - half;
    return __dadd_rn(__dmul_rn(x, x), __dmul_rn(y, y)) <= __dmul_rn(images.radius, images.radius) ? images.scale : 0;
}

/* Copies a row of a tile from shared memory, turned[slice][column], to the images. */
template <class Real>
static __device__ __forceinline__ void write_row(const Images &images, int width, int64_t row, int64_t left,
                                                 const Real *turned, float *image)
{
    const int64_t size = images.side;
    for (int i = static_cast<int>(threadIdx.x); i < width * SINO_TILE; i += THREADS) {
        const int slice = sino_panel_first(images.panels) + i / SINO_TILE, c = i % SINO_TILE;
        const int64_t column = left + c;
        if (slice >= images.slice_count || row < 0 || row >= size || column < 0 || column >= size) continue;
        const double scale = scale_of(images, row, column);
        const double value = static_cast<double>(turned[i / SINO_TILE * (SINO_TILE + 1) + c]);
        image[(slice * size + row) * size + column] = scale == 0 ? 0 : static_cast<float>(scale * value);
    }
}

template <class Real>
static __global__ void __launch_bounds__(THREADS) tile_kernel(Images images, const Real *x, float *image)
{
    SINO_SHARED(Real, turned, SINO_PANEL_MAX * (SINO_TILE + 1));
    const int width = sino_panel_slices(images.panels);
    const int64_t tile = blockIdx.x, rows = images.tile_count * SINO_TILE_VOXELS;
    const Real *const from = x + sino_panel_first(images.panels) * rows + tile * SINO_TILE_VOXELS * width;
    const SinoTilePlace place = images.tile[tile];
    const int64_t top = place.row * static_cast<int64_t>(SINO_TILE) - images.before;
    const int64_t left = place.column * static_cast<int64_t>(SINO_TILE) - images.before;
    for (int r = 0; r < SINO_TILE; r++) {
        for (int i = static_cast<int>(threadIdx.x); i < width * SINO_TILE; i += THREADS)
            turned[i % width * (SINO_TILE + 1) + i / width] = from[r * SINO_TILE * width + i];
        __syncthreads();
        write_row(images, width, top + r, left, turned, image);
        __syncthreads();
    }
}

template <class Real> static SinoStatus launch(cudaStream_t stream, const Images &images, const void *x, float *image)
{
    const dim3 blocks(static_cast<unsigned>(images.tile_count), sino_panels_count(images.panels));
    return sino_launch(SinoLaunch{"assemble", blocks, THREADS, 0, stream}, tile_kernel<Real>, images,
                       static_cast<const Real *>(x), image);
}

SinoStatus sino_assemble_cuda(cudaStream_t stream, const SinoAssemble *assemble, const void *x, float *image)
{
    const int64_t size = assemble->grid_size - 2 * assemble->margin;
    const double radius = static_cast<double>(size) / 2 * assemble->mask_ratio;
    const Images images = {sino_panels_of(assemble->slices),
                           static_cast<int>(assemble->slices.slice_count),
                           size,
                           assemble->tile_count,
                           assemble->margin - sino_tile_first_voxel(assemble->grid_size, 0),
                           assemble->tile,
                           assemble->scale,
                           assemble->mask_ratio > 0 ? radius : -1};
    if (assemble->tile_count == 0) return NULL;
    return assemble->slices.precision == SINO_DOUBLE ? launch<double>(stream, images, x, image)
                                                     : launch<float>(stream, images, x, image);
}
