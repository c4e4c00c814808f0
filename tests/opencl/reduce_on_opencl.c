/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of reduce.h by those of reduce_opencl.h: linked first, they make the tests of the CPU's test these. */
#include "lend.h"
#include "reduce.h"
#include "reduce_opencl.h"
#include "testing_update.h"

static size_t list_bytes(const SinoRowMap *map)
{
    return (size_t)map->partial_rows * sizeof *map->row;
}

void sino_reduce_add(SinoSlices slices, const SinoRowMap *map, const void *partial, bool first, void *total)
{
    const size_t part = vector_bytes(slices, map->partial_rows), whole = vector_bytes(slices, map->total_rows);
    cl_mem row = lend(map->row, list_bytes(map)), from = lend(partial, part), to = lend(total, whole);
    lend_check(sino_reduce_add_opencl(lend_device(), slices, map, row, from, first, to));
    lend_return(total, to, whole);
    lend_end(partial, from, part);
    lend_end(map->row, row, list_bytes(map));
}

void sino_spread_take(SinoSlices slices, const SinoRowMap *map, const void *total, void *partial)
{
    const size_t part = vector_bytes(slices, map->partial_rows), whole = vector_bytes(slices, map->total_rows);
    cl_mem row = lend(map->row, list_bytes(map)), from = lend(total, whole), to = lend(partial, part);
    lend_check(sino_spread_take_opencl(lend_device(), slices, map, row, from, to));
    lend_return(partial, to, part);
    lend_end(total, from, whole);
    lend_end(map->row, row, list_bytes(map));
}
