/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone backproject on an OpenCL device: a launch per projection. */
#include "cone_opencl.h"

#include <math.h>

/* The same struct as Cone of cone.cl. */
typedef struct Cone {
    double cosine[SINO_CONE_TURNS], sine[SINO_CONE_TURNS];
    double half_x, half_y, source_object, voxel_size, center;
    double columns, rows, even_rows;
    double offset, slope;
    int64_t first_x, first_y, x_count, run_count, voxel_count, run_voxels;
    int64_t column_count, entry_count;
    int64_t lines_bytes, unit_bytes;
    int32_t turns, halves, mixed, first;
} Cone;

static Cone cone_of(const SinoConeBackprojectionOpencl *what)
{
    const SinoCone *cone = what->cone;
    const SinoConeLines *lines = what->lines;
    const SinoConePart *part = what->part;
    const SinoConeRuns runs = sino_cone_runs(cone, lines, part);
    const int64_t twins = (int64_t)lines->symmetry.turns * lines->symmetry.halves;
    return (Cone){.half_x = 0.5 * (double)(cone->x_count - 1),
                  .half_y = 0.5 * (double)(cone->y_count - 1),
                  .source_object = cone->source_object,
                  .voxel_size = cone->voxel_size,
                  .center = cone->center,
                  .columns = cone->source_detector / cone->pixel_width,
                  .rows = cone->fans ? 0 : cone->source_detector * cone->voxel_size / cone->pixel_height,
                  .even_rows = cone->fans ? 1 : 0,
                  .offset = runs.offset,
                  .slope = runs.slope,
                  .first_x = part->first_x,
                  .first_y = part->first_y,
                  .x_count = part->x_count,
                  .run_count = sino_times(sino_times(part->x_count, part->y_count), twins),
                  .voxel_count = part->voxel_count,
                  .run_voxels = sino_cone_run_voxels(part),
                  .column_count = lines->column_count,
                  .entry_count = lines->entry_count,
                  .turns = lines->symmetry.turns,
                  .halves = lines->symmetry.halves,
                  .mixed = lines->precision == SINO_MIXED};
}

SinoStatus sino_cone_backproject_opencl(SinoOpencl *opencl, const SinoConeBackprojectionOpencl *what, cl_mem part)
{
    const int64_t count = sino_cone_projections(what->lines);
    Cone cone = cone_of(what);
    for (int64_t p = 0; p < count; p++) {
        const SinoConeProjectionOpencl *of = &what->projection[p];
        const SinoOpenclArgument argument[] = {SINO_CL(cone), SINO_CL(of->memory), SINO_CL(part)};
        cone.lines_bytes = of->lines_bytes;
        cone.unit_bytes = of->unit_bytes;
        cone.first = what->first && p == 0;
        for (int turn = 0; turn < cone.turns; turn++) {
            const int64_t view = (p + count - turn * what->lines->group_count) % count;
            cone.cosine[turn] = cos(what->angle_rad[view]);
            cone.sine[turn] = sin(what->angle_rad[view]);
        }
        SINO_TRY(sino_opencl_launch(opencl, SINO_SINGLE, "cone_backproject", cone.run_voxels, cone.run_count,
                                    SINO_CL_COUNT(argument), argument));
    }
    return NULL;
}
