/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone project on a CPU core: work memory, and the choice of the instruction set. */
#include "arithmetic.h"
#include "cone_project_isa.h"
#include "vector.h"

#include <string.h>

const char *sino_cone_project_isa_name(void)
{
    return SINO_BEST_ISA(sino_cone_project)->name;
}

/* Elements of work memory, each a multiple of 16. */
typedef struct Sizes {
    int64_t line, row, sum, groups, box;
} Sizes;

/* Rows of rays, of the projection that has most. */
static int64_t most_rows(const SinoCone *cone)
{
    int64_t up = 1;
    for (int64_t k = 0; k < (cone->view ? cone->angle_count : 1); k++)
        up = sino_larger(up, sino_cone_pixel_rays(cone, k).up);
    return sino_times(up, cone->row_count);
}

static Sizes sizes_of(const SinoCone *cone)
{
    const int64_t lanes = SINO_CONE_LANES, borders = (int64_t)2 * SINO_CONE_BORDER;
    const int64_t voxels = sino_ceil_multiple(cone->z_count, lanes);
    const int64_t rows = sino_ceil_multiple(most_rows(cone), lanes);
    return (Sizes){.line = voxels + borders,
                   .row = rows + borders,
                   .sum = rows,
                   .groups = sino_ceil_multiple(sino_larger(voxels, rows) / SINO_CONE_LANES_LEAST, lanes),
                   .box = cone->view ? SINO_CONE_BOX_FLOATS : 0};
}

int64_t sino_cone_project_scratch_bytes(const SinoCone *cone)
{
    const Sizes sizes = sizes_of(cone);
    const int64_t floats = SINO_CONE_STEPS * (sizes.line + 2 * sizes.groups) + sizes.row + sizes.sum + sizes.box;
    return sino_times(floats, (int64_t)sizeof(float));
}

void sino_cone_project_with(const SinoConeProjectIsa *isa, bool back, const SinoCone *cone, SinoConeBand band,
                            SinoConeAngles angles, const float *from, void *scratch, float *to)
{
    const Sizes sizes = sizes_of(cone);
    float *const line = scratch, *const row = line + SINO_CONE_STEPS * sizes.line, *const sum = row + sizes.row;
    float *const share = sum + sizes.sum;
    void *const after_shares = share + SINO_CONE_STEPS * sizes.groups;
    float *const after_bases = share + sizes.groups * 2 * SINO_CONE_STEPS;
    const SinoConeWork work = {.line = line + SINO_CONE_BORDER,
                               .line_stride = sizes.line,
                               .row = row + SINO_CONE_BORDER,
                               .sum = sum,
                               .share = share,
                               .base = after_shares,
                               .box = cone->view ? after_bases : NULL,
                               .group_count = sizes.groups};
    memset(scratch, 0, (size_t)sino_cone_project_scratch_bytes(cone));
    (back ? isa->back : isa->project)(cone, band, angles, &work, from, to);
}

void sino_cone_project(const SinoCone *cone, SinoConeBand band, SinoConeAngles angles, const float *voxels,
                       void *scratch, float *rays)
{
    sino_cone_project_with(SINO_BEST_ISA(sino_cone_project), false, cone, band, angles, voxels, scratch, rays);
}

void sino_cone_project_back(const SinoCone *cone, SinoConeBand band, SinoConeAngles angles, const float *rays,
                            void *scratch, float *voxels)
{
    sino_cone_project_with(SINO_BEST_ISA(sino_cone_project), true, cone, band, angles, rays, scratch, voxels);
}
