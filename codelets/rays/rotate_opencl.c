/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotate on an OpenCL device. */
#include "rotate_tables.h"

#include "arithmetic.h"
#include "block.h"

/* The same struct as RotateScan of rotate.cl. */
typedef struct RotateScan {
    double middle, center, shift, box_x, box_y, half_x, half_y;
    int64_t column_count, angle_count;
    int32_t first_angle, end_angle, size, side, before, taps, fresh, unused;
} RotateScan;

static RotateScan scan_of(const SinoRotate *what, bool fresh)
{
    const SinoGeometry *geometry = &what->geometry;
    const int64_t size = geometry->grid_size;
    const SinoRotateBox box = sino_rotate_box(what);
    return (RotateScan){.middle = 0.5 * (double)(size - 1),
                        .center = geometry->center,
                        .shift = size % 2 == 0 ? 0.5 : 0,
                        .box_x = box.x,
                        .box_y = box.y,
                        .half_x = box.half_x,
                        .half_y = box.half_y,
                        .column_count = geometry->column_count,
                        .angle_count = geometry->angle_count,
                        .first_angle = (int32_t)what->first_angle,
                        .end_angle = (int32_t)(what->first_angle + what->angle_count),
                        .size = (int32_t)size,
                        .side = (int32_t)sino_tile_side(size),
                        .before = (int32_t)-sino_tile_first_voxel(size, 0),
                        .taps = sino_rotate_taps(what->interpolation),
                        .fresh = fresh};
}

SinoStatus sino_rotate_project_opencl(SinoOpencl *opencl, const SinoRotate *what, const SinoRotateOpenclTables *tables,
                                      bool fresh, cl_mem x, cl_mem y)
{
    const SinoOpenclSlices layout = sino_opencl_slices(what->slices);
    const RotateScan scan = scan_of(what, fresh);
    const int64_t voxels = sino_times(what->tile_count, SINO_TILE_VOXELS);
    const SinoOpenclArgument argument[] = {
        SINO_CL(layout),         SINO_CL(scan), SINO_CL(voxels), SINO_CL(tables->turn),
        SINO_CL(tables->number), SINO_CL(x),    SINO_CL(y)};
    return sino_opencl_launch(opencl, what->slices.precision, "rotate_project", what->slices.stride,
                              sino_times(what->angle_count, scan.column_count), SINO_CL_COUNT(argument), argument);
}

SinoStatus sino_rotate_back_opencl(SinoOpencl *opencl, const SinoRotate *what, const SinoRotateOpenclTables *tables,
                                   bool fresh, cl_mem y, cl_mem x)
{
    const SinoOpenclSlices layout = sino_opencl_slices(what->slices);
    const RotateScan scan = scan_of(what, fresh);
    const int64_t voxels = sino_times(what->tile_count, SINO_TILE_VOXELS);
    const SinoOpenclArgument argument[] = {SINO_CL(layout),       SINO_CL(scan), SINO_CL(voxels), SINO_CL(tables->turn),
                                           SINO_CL(tables->tile), SINO_CL(y),    SINO_CL(x)};
    return sino_opencl_launch(opencl, what->slices.precision, "rotate_back", what->slices.stride, voxels,
                              SINO_CL_COUNT(argument), argument);
}
