/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce: sums of partial projections over footprints, and its mirror image, spread, on a CPU core. */
#include "reduce.h"

#include "vector.h"

#include <string.h>

/* One panel; `stride` is its own. */
#define DEFINE_ADD(type)                                                                                               \
    SINO_VECTORISED static void add_##type(const SinoFootprint *footprint, int64_t stride, const type *partial,        \
                                           type *total)                                                                \
    {                                                                                                                  \
        for (int64_t i = 0; i < footprint->ray_count; i++) {                                                           \
            type *to = total + (footprint->ray ? footprint->ray[i] : i) * stride;                                      \
            for (int64_t f = 0; f < stride; f++) to[f] += partial[i * stride + f];                                     \
        }                                                                                                              \
    }

DEFINE_ADD(float)
DEFINE_ADD(double)

void sino_reduce_add(SinoSlices slices, const SinoFootprint *footprint, const void *partial, bool first,
                     int64_t total_ray_count, void *total)
{
    if (first) memset(total, 0, (size_t)(total_ray_count * slices.stride) * sino_precision_bytes(slices.precision));
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        const void *from = sino_panel_from(at, footprint->ray_count, partial);
        void *to = sino_panel_to(at, total_ray_count, total);
        if (slices.precision == SINO_DOUBLE)
            add_double(footprint, at.slices.stride, from, to);
        else
            add_float(footprint, at.slices.stride, from, to);
    }
}

/* Rows of one panel. */
static void take_rows(const SinoFootprint *footprint, size_t row_bytes, const char *total, char *partial)
{
    if (!footprint->ray) {
        memcpy(partial, total, (size_t)footprint->ray_count * row_bytes);
        return;
    }
    for (int64_t i = 0; i < footprint->ray_count; i++)
        memcpy(partial + (size_t)i * row_bytes, total + footprint->ray[i] * row_bytes, row_bytes);
}

void sino_spread_take(SinoSlices slices, const SinoFootprint *footprint, int64_t total_ray_count, const void *total,
                      void *partial)
{
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at))
        take_rows(footprint, (size_t)at.slices.stride * sino_precision_bytes(slices.precision),
                  sino_panel_from(at, total_ray_count, total), sino_panel_to(at, footprint->ray_count, partial));
}
