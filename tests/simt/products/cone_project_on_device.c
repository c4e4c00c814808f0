/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_cone_project_with by the functions of cone_project_cuda.cu. */
#include "cone_project_on_device.h"

#include "cone_project.h"
#include "simt_device.h"

void cone_project_first_on_device(bool back, const SinoCone *cone, SinoConeBand band, SinoConeAngles angles, bool first,
                                  const float *from, float *to)
{
    const size_t voxels = (size_t)(band.row_count * cone->x_count * cone->z_count) * sizeof *to;
    const size_t rays = (size_t)(angles.count * cone->column_count * cone->row_count) * sizeof *to;
    const float *lent = device_lend(from, back ? rays : voxels);
    float *result = device_lend(to, back ? voxels : rays);
    device_check(
        (back ? sino_cone_project_back_cuda : sino_cone_project_cuda)(NULL, cone, band, angles, first, lent, result));
    device_unlend(from, (void *)(uintptr_t)lent, back ? rays : voxels);
    device_return(to, result, back ? voxels : rays);
}

void cone_project_on_device(const SinoConeProjectIsa *isa, bool back, const SinoCone *cone, SinoConeBand band,
                            SinoConeAngles angles, const float *from, void *scratch, float *to)
{
    (void)isa;
    (void)scratch;
    cone_project_first_on_device(back, cone, band, angles, false, from, to);
}
