/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_cone_backproject by the function of cone_cuda.h. Each projection lies in memory of its own. */
#include "cone_backproject_on_device.h"

#include "cone_cuda.h"
#include "simt_device.h"

void cone_backproject_first_on_device(const SinoConeBackprojection *what, bool first, float *part)
{
    const SinoConeLines *lines = what->lines;
    const int64_t count = sino_cone_projections(lines);
    const size_t bytes = (size_t)(sino_cone_projection_entries(lines) * sino_cone_entry_bytes(lines));
    const size_t voxels = (size_t)sino_cone_part_voxels(what->part, lines->symmetry) * sizeof *part;
    const bool has_units = lines->precision == SINO_MIXED;
    const void *projection[SINO_CONE_CUDA_PROJECTIONS];
    const float *unit[SINO_CONE_CUDA_PROJECTIONS];
    for (int64_t p = 0; p < count; p++) {
        projection[p] = device_lend(what->projection[p], bytes);
        unit[p] = has_units ? device_lend(&what->unit[p], sizeof *what->unit) : NULL;
    }
    float *to = device_lend(part, voxels);
    const SinoConeBackprojectionCuda call = {what->cone, lines, what->part, what->angle_rad, unit, projection, first};
    device_check(sino_cone_backproject_cuda(NULL, &call, to));
    for (int64_t p = 0; p < count; p++) {
        device_unlend(what->projection[p], (void *)(uintptr_t)projection[p], bytes);
        device_unlend(&what->unit[p], (void *)(uintptr_t)unit[p], sizeof *what->unit);
    }
    device_return(part, to, voxels);
}

void cone_backproject_on_device(const SinoConeIsa *isa, const SinoConeBackprojection *what, void *scratch, float *part)
{
    (void)isa;
    (void)scratch;
    cone_backproject_first_on_device(what, false, part);
}
