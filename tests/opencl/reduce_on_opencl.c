/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of reduce.h by those of reduce_opencl.h: linked first, they make the tests of the CPU's test these. */
#include "lend.h"
#include "reduce.h"
#include "reduce_opencl.h"

static size_t bytes_of(SinoSlices slices, int64_t rows)
{
    return (size_t)(rows * slices.stride) * sino_precision_bytes(slices.precision);
}

static size_t list_bytes(const SinoFootprint *footprint)
{
    return (size_t)footprint->ray_count * sizeof *footprint->ray;
}

void sino_reduce_add(SinoSlices slices, const SinoFootprint *footprint, const void *partial, bool first,
                     int64_t total_ray_count, void *total)
{
    const size_t part = bytes_of(slices, footprint->ray_count), whole = bytes_of(slices, total_ray_count);
    cl_mem ray = lend(footprint->ray, list_bytes(footprint)), from = lend(partial, part), to = lend(total, whole);
    lend_check(
        sino_reduce_add_opencl(lend_device(), slices, footprint->ray_count, ray, from, first, total_ray_count, to));
    lend_return(total, to, whole);
    lend_end(partial, from, part);
    lend_end(footprint->ray, ray, list_bytes(footprint));
}

void sino_spread_take(SinoSlices slices, const SinoFootprint *footprint, int64_t total_ray_count, const void *total,
                      void *partial)
{
    const size_t part = bytes_of(slices, footprint->ray_count), whole = bytes_of(slices, total_ray_count);
    cl_mem ray = lend(footprint->ray, list_bytes(footprint)), from = lend(total, whole), to = lend(partial, part);
    lend_check(sino_spread_take_opencl(lend_device(), slices, footprint->ray_count, ray, total_ray_count, from, to));
    lend_return(partial, to, part);
    lend_end(total, from, whole);
    lend_end(footprint->ray, ray, list_bytes(footprint));
}
