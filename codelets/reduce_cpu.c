/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce: sums of partial projections over footprints, and its mirror image, spread, on a CPU core. */
#include "reduce.h"

#include "vector.h"

#include <string.h>

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

void sino_reduce_add(SinoPrecision precision, const SinoFootprint *footprint, int64_t stride, const void *partial,
                     bool first, int64_t total_ray_count, void *total)
{
    if (first) memset(total, 0, (size_t)(total_ray_count * stride) * sino_precision_bytes(precision));
    if (precision == SINO_DOUBLE)
        add_double(footprint, stride, partial, total);
    else
        add_float(footprint, stride, partial, total);
}

void sino_spread_take(SinoPrecision precision, const SinoFootprint *footprint, int64_t stride, const void *total,
                      void *partial)
{
    const size_t row = (size_t)stride * sino_precision_bytes(precision);
    if (!footprint->ray) {
        memcpy(partial, total, (size_t)footprint->ray_count * row);
        return;
    }
    for (int64_t i = 0; i < footprint->ray_count; i++)
        memcpy((char *)partial + (size_t)i * row, (const char *)total + footprint->ray[i] * row, row);
}
