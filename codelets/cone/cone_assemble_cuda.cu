/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone assemble on a GPU: a block transposes BLOCK runs and BLOCK voxels of each in shared memory, so that its threads
 * read neighbouring voxels of a run and write neighbouring columns of a slice. */
#include "simt.h"

#include <math.h>

extern "C" {
#include "cone_assemble.h"
#include "cone_mapping.h"
}

enum { BLOCK = 32, LINES = 8, MAPPINGS = SINO_CONE_TURNS * 2, GRID_MAX = 65535 };

/* Grid x: blocks of runs, then blocks of voxels; y: runs across, over and over; z: turn and half. */
struct ConeImages {
    SinoConeMapping mapping[MAPPINGS];
    int64_t x_count, y_count, first_slice;
    SinoConeBox box;
    int run_blocks; /* of a row of runs: the most of any turn */
    float scale;
    double radius; /* voxels farther than `radius` from the middle become 0; a negative radius masks none */
};

static __device__ __forceinline__ float scale_of(const ConeImages &images, int64_t x, int64_t y)
{
    const double from_x = static_cast<double>(x) - 0.5 * static_cast<double>(images.x_count - 1);
    const double from_y = static_cast<double>(y) - 0.5 * static_cast<double>(images.y_count - 1);
    return images.radius >= 0 && hypot(from_x, from_y) > images.radius ? 0 : images.scale;
}

static __global__ void __launch_bounds__(BLOCK *LINES)
    assemble_kernel(ConeImages images, const float *part, float *image)
{
    SINO_SHARED(float, turned, BLOCK *(BLOCK + 1)); /* [run][voxel] */
    const SinoConeMapping &mapping = images.mapping[blockIdx.z];
    const int across = static_cast<int>(threadIdx.x), line = static_cast<int>(threadIdx.y);
    const int64_t run = static_cast<int64_t>(blockIdx.x % images.run_blocks) * BLOCK;
    const int64_t voxel = mapping.first + static_cast<int64_t>(blockIdx.x / images.run_blocks) * BLOCK;
    for (int64_t b = blockIdx.y; b < mapping.b_count; b += gridDim.y) {
        const float *const from = part + mapping.from + b * mapping.b_stride + voxel;
        for (int k = line; k < BLOCK; k += LINES)
            if (run + k < mapping.a_count && voxel + across < mapping.end)
                turned[k * (BLOCK + 1) + across] = from[(run + k) * mapping.a_stride + across];
        __syncthreads();
        const int64_t x = mapping.x_0 + mapping.x_step * (run + across), y = mapping.y_0 + mapping.y_step * b;
        const float scale = scale_of(images, x, y);
        for (int v = line; v < BLOCK; v += LINES) {
            const int64_t slice = mapping.z_0 + mapping.z_step * (voxel + v) - images.first_slice;
            if (run + across < mapping.a_count && voxel + v < mapping.end)
                image[(slice * images.box.y_count + y - images.box.y) * images.box.x_count + x - images.box.x] =
                    scale * turned[across * (BLOCK + 1) + v];
        }
        __syncthreads();
    }
}

SinoStatus sino_cone_assemble_cuda(cudaStream_t stream, const SinoConeAssembly *assembly, const float *part,
                                   float *image)
{
    const SinoCone *cone = assembly->cone;
    const double side = static_cast<double>(sino_smaller(cone->x_count, cone->y_count));
    const int halves = assembly->symmetry.halves, mappings = assembly->symmetry.turns * halves;
    int64_t voxels = 0, along = 0, across = 0; /* the most of any mapping */
    ConeImages images = {};
    images.x_count = cone->x_count;
    images.y_count = cone->y_count;
    images.first_slice = assembly->first_slice;
    images.box = sino_cone_assembly_box(assembly);
    images.scale = static_cast<float>(assembly->scale);
    images.radius = assembly->mask_ratio > 0 ? 0.5 * assembly->mask_ratio * side : -1;
    for (int m = 0; m < mappings; m++) {
        images.mapping[m] = sino_cone_mapping(assembly, m / halves, m % halves);
        voxels = sino_larger(voxels, images.mapping[m].end - images.mapping[m].first);
        along = sino_larger(along, images.mapping[m].a_count);
        across = sino_larger(across, images.mapping[m].b_count);
    }
    if (along == 0 || across == 0 || voxels == 0) return NULL;
    images.run_blocks = static_cast<int>(sino_ceil_divide(along, BLOCK));
    const int64_t blocks = images.run_blocks * sino_ceil_divide(voxels, BLOCK);
    const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(sino_smaller(across, GRID_MAX)),
                    static_cast<unsigned>(mappings));
    return sino_launch(SinoLaunch{"cone_assemble", grid, dim3(BLOCK, LINES), 0, stream}, assemble_kernel, images, part,
                       image);
}
