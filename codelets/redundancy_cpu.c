/* SPDX-License-Identifier: BSD-3-Clause */
/* Redundancy: weights of detector columns, which rise smoothly as those of D. L. Parker for fan beams do (Med. Phys. 9,
 * 254 (1982)). */
#include "redundancy.h"

#include "vector.h"

#include <math.h>

static const double whole_turn = 350 * M_PI / 180;
static const double far_off = 0.1; /* of the columns */

bool sino_redundancy_matters(const SinoGeometry *geometry)
{
    double least = INFINITY, most = -INFINITY;
    for (int64_t k = 0; k < geometry->angle_count; k++) {
        least = fmin(least, geometry->angle_rad[k]);
        most = fmax(most, geometry->angle_rad[k]);
    }
    const double count = (double)geometry->angle_count, step = count > 1 ? (most - least) / (count - 1) : 0;
    const double columns = (double)geometry->column_count, off = fabs(geometry->center - (columns - 1) / 2);
    return geometry->grid_size > geometry->column_count && off >= far_off * columns &&
           most - least + step >= whole_turn;
}

void sino_redundancy_weights(const SinoGeometry *geometry, double *weight)
{
    const double columns = (double)geometry->column_count, center = geometry->center;
    const double before = center + 0.5, after = columns - 0.5 - center; /* columns on both sides of the axis */
    const double shorter = fmax(fmin(before, after), 0.5), direction = after >= before ? 1 : -1;
    for (int64_t c = 0; c < geometry->column_count; c++) {
        const double share = fmin(fmax(direction * ((double)c - center) / shorter, -1), 1);
        weight[c] = 2 * pow(sin(M_PI / 4 * (1 + share)), 2);
    }
}

#define DEFINE_WEIGH(type)                                                                                             \
    SINO_VECTORISED static void weigh_##type(int64_t rays, int64_t column_count, int64_t stride, const double *weight, \
                                             type *panel)                                                              \
    {                                                                                                                  \
        for (int64_t ray = 0; ray < rays; ray++) {                                                                     \
            const type factor = (type)weight[ray % column_count];                                                      \
            for (int64_t f = 0; f < stride; f++) panel[ray * stride + f] *= factor;                                    \
        }                                                                                                              \
    }

DEFINE_WEIGH(float)
DEFINE_WEIGH(double)

void sino_redundancy_weigh(int64_t angle_count, int64_t column_count, SinoSlices slices, const double *weight,
                           void *sinogram)
{
    const int64_t rays = angle_count * column_count;
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.slice_count; at = sino_panel_next(slices, at)) {
        void *panel = sino_panel_to(at, rays, sinogram);
        if (slices.precision == SINO_DOUBLE)
            weigh_double(rays, column_count, at.slices.stride, weight, panel);
        else
            weigh_float(rays, column_count, at.slices.stride, weight, panel);
    }
}
