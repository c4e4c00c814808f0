/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone weigh on a GPU: a thread has the same detector rows, whose heights it keeps, of every ray that it visits. */
#include "panel_cuda.cuh"

extern "C" {
#include "cone_weigh.h"
}

enum { BLOCKS_MAX = 4096, FULL = SinoPackWidth<float>::ELEMENTS };

/* The fields of SinoCone that the kernel reads, and the row of slice 0. */
struct Detector {
    double distance, pixel_width, pixel_height, center, center_row;
    int64_t column_count, columns_before, filtered_columns; /* of the detector, beside it, and of both together */
    int64_t first_row, angle_count;
};

template <int N>
static __device__ __forceinline__ void weigh(SinoPanels panels, const Detector &detector, const float *ray_weight,
                                             const float *sinogram, float *weighed)
{
    const SinoPanelWalk<N> walk(panels, detector.angle_count * detector.filtered_columns);
    const SinoPanelWalk<N> measured(panels, detector.angle_count * detector.column_count);
    const double distance = detector.distance;
    float height[N];
    for (int i = 0; i < N; i++) {
        const double row = static_cast<double>(detector.first_row + walk.first + walk.column + i);
        const double h = (row - detector.center_row) * detector.pixel_height;
        height[i] = static_cast<float>(h * h);
    }
    for (int64_t ray = walk.lane; ray < walk.end; ray += walk.step) {
        const int64_t column = ray % detector.filtered_columns - detector.columns_before;
        const int64_t from = ray / detector.filtered_columns * detector.column_count + column;
        const bool has = column >= 0 && column < detector.column_count;
        const double side = (static_cast<double>(column) - detector.center) * detector.pixel_width;
        const float squared = static_cast<float>(distance * distance + side * side);
        const float weight = ray_weight[ray] * static_cast<float>(distance);
        SinoPack<float, N> pack = {};
        if (has) pack = sino_pack_load<float, N>(sinogram + measured.at(from));
        for (int i = 0; i < N; i++) pack.value[i] *= weight / sqrtf(squared + height[i]);
        sino_pack_store(weighed + walk.at(ray), pack);
    }
}

static __global__ void weigh_kernel(SinoPanels panels, Detector detector, const float *ray_weight,
                                    const float *sinogram, float *weighed)
{
    if (sino_panel_slices(panels) >= FULL)
        weigh<FULL>(panels, detector, ray_weight, sinogram, weighed);
    else
        weigh<1>(panels, detector, ray_weight, sinogram, weighed);
}

SinoStatus sino_cone_weigh_cuda(cudaStream_t stream, const SinoCone *cone, int64_t angle_count, SinoSlices rows,
                                int64_t first_row, const float *ray_weight, const float *sinogram, float *weighed)
{
    const SinoPanels panels = sino_panels_of(rows);
    const int64_t columns = sino_cone_filtered(cone).column_count, rays = angle_count * columns;
    const Detector detector = {cone->source_detector,
                               cone->pixel_width,
                               cone->fans ? 0 : cone->pixel_height,
                               cone->center,
                               cone->center_row,
                               cone->column_count,
                               cone->columns_before,
                               columns,
                               first_row,
                               angle_count};
    if (rays == 0 || panels.stride == 0) return NULL;
    const dim3 blocks(sino_blocks_for(rays, SINO_PANEL_LANES, BLOCKS_MAX), sino_panels_count(panels));
    return sino_launch(SinoLaunch{"cone_weigh", blocks, sino_panel_threads(panels, FULL), 0, stream}, weigh_kernel,
                       panels, detector, ray_weight, sinogram, weighed);
}
