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
    int64_t line, row, sum, groups, box, image, weight;
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
    const bool windowed = cone->window.pitch_mm > 0;
    const int64_t voxels = sino_ceil_multiple(cone->z_count, lanes);
    const int64_t rows = sino_ceil_multiple(most_rows(cone), lanes);
    return (Sizes){.line = voxels + borders,
                   .row = rows + borders,
                   .sum = rows,
                   .groups = sino_ceil_multiple(sino_larger(voxels, rows) / SINO_CONE_LANES_LEAST, lanes),
                   .box = cone->view ? sino_ceil_multiple(SINO_CONE_BOX_FLOATS, lanes) : 0,
                   .image = windowed ? sino_ceil_multiple(sino_times(cone->x_count, cone->z_count), lanes) : 0,
                   .weight = windowed ? voxels : 0};
}

int64_t sino_cone_project_scratch_bytes(const SinoCone *cone)
{
    const Sizes sizes = sizes_of(cone);
    const int64_t floats = SINO_CONE_STEPS * (sizes.line + 2 * sizes.groups) + sizes.row + sizes.sum + sizes.box +
                           sizes.image + sizes.weight;
    return sino_times(floats, (int64_t)sizeof(float));
}

/* Adds to a row of the band, [X][Z], what one angle gives it, `image`, times the weights of its slices. */
SINO_VECTORISED static void add_image(const SinoCone *cone, const float *weight, const float *image, float *row)
{
    for (int64_t x = 0; x < cone->x_count; x++)
        for (int64_t z = 0; z < cone->z_count; z++)
            row[x * cone->z_count + z] += weight[z] * image[x * cone->z_count + z];
}

/* Aᵀ of each angle by itself, whose rays reach other slices than those of its window, too. */
static void back_windowed(SinoConeProject *back, const SinoCone *cone, SinoConeBand band, SinoConeAngles angles,
                          const SinoConeWork *work, float *image, float *weight, const float *rays, float *voxels)
{
    const int64_t run = cone->x_count * cone->z_count, pixels = cone->column_count * cone->row_count;
    for (int64_t i = 0; i < angles.count; i++) {
        const SinoConeAngles angle = {angles.first + i, 1};
        double sum = 0;
        for (int64_t z = 0; z < cone->z_count; z++) {
            weight[z] = (float)sino_cone_window_weight(cone, angle.first, (double)z);
            sum += (double)weight[z];
        }
        for (int64_t y = 0; y < band.row_count && sum > 0; y++) {
            memset(image, 0, (size_t)run * sizeof *image);
            back(cone, (SinoConeBand){band.first_row + y, 1}, angle, work, rays + i * pixels, image);
            add_image(cone, weight, image, voxels + y * run);
        }
    }
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
    float *const image = after_bases + sizes.box, *const weight = image + sizes.image;
    if (back && cone->window.pitch_mm > 0) {
        back_windowed(isa->back, cone, band, angles, &work, image, weight, from, to);
        return;
    }
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
