/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of reduce.h by those of reduce_cuda.h: linked first, they make the tests of the CPU's test these. */
#include "reduce_cuda.h"

#include "device.h"

static size_t bytes_of(SinoSlices slices, int64_t rows)
{
    return (size_t)(rows * slices.stride) * sino_precision_bytes(slices.precision);
}

static SinoFootprint lend_footprint(const SinoFootprint *footprint)
{
    return (SinoFootprint){footprint->ray_count,
                           device_lend(footprint->ray, (size_t)footprint->ray_count * sizeof(uint32_t))};
}

static void unlend_footprint(const SinoFootprint *footprint, SinoFootprint *lent)
{
    device_unlend(footprint->ray, (void *)(uintptr_t)lent->ray, (size_t)footprint->ray_count * sizeof(uint32_t));
}

void sino_reduce_add(SinoSlices slices, const SinoFootprint *footprint, const void *partial, bool first,
                     int64_t total_ray_count, void *total)
{
    const size_t partial_bytes = bytes_of(slices, footprint->ray_count),
                 total_bytes = bytes_of(slices, total_ray_count);
    SinoFootprint of_device = lend_footprint(footprint);
    void *from = device_lend(partial, partial_bytes), *to = device_lend(total, total_bytes);
    device_check(sino_reduce_add_cuda(NULL, slices, &of_device, from, first, total_ray_count, to));
    unlend_footprint(footprint, &of_device);
    device_unlend(partial, from, partial_bytes);
    device_return(total, to, total_bytes);
}

void sino_spread_take(SinoSlices slices, const SinoFootprint *footprint, int64_t total_ray_count, const void *total,
                      void *partial)
{
    const size_t partial_bytes = bytes_of(slices, footprint->ray_count),
                 total_bytes = bytes_of(slices, total_ray_count);
    SinoFootprint of_device = lend_footprint(footprint);
    void *from = device_lend(total, total_bytes), *to = device_lend(partial, partial_bytes);
    device_check(sino_spread_take_cuda(NULL, slices, &of_device, total_ray_count, from, to));
    unlend_footprint(footprint, &of_device);
    device_unlend(total, from, total_bytes);
    device_return(partial, to, partial_bytes);
}
