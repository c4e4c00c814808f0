/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of reduce.h by those of reduce.h: linked first, they make the tests of the CPU's test these. */
#include "reduce.h"

#include "simt_device.h"
#include "testing_update.h"

static size_t list_bytes(const SinoRowMap *map)
{
    return (size_t)map->partial_rows * sizeof *map->row;
}

static SinoRowMap lend_map(const SinoRowMap *map)
{
    SinoRowMap lent = *map;
    lent.row = device_lend(map->row, list_bytes(map));
    return lent;
}

static void unlend_map(const SinoRowMap *map, SinoRowMap *lent)
{
    device_unlend(map->row, (void *)(uintptr_t)lent->row, list_bytes(map));
}

void sino_reduce_add(SinoSlices slices, const SinoRowMap *map, const void *partial, bool first, void *total)
{
    const size_t partial_bytes = vector_bytes(slices, map->partial_rows),
                 total_bytes = vector_bytes(slices, map->total_rows);
    SinoRowMap of_device = lend_map(map);
    void *from = device_lend(partial, partial_bytes), *to = device_lend(total, total_bytes);
    device_check(sino_reduce_add_cuda(NULL, slices, &of_device, from, first, to));
    unlend_map(map, &of_device);
    device_unlend(partial, from, partial_bytes);
    device_return(total, to, total_bytes);
}

void sino_spread_take(SinoSlices slices, const SinoRowMap *map, const void *total, void *partial)
{
    const size_t partial_bytes = vector_bytes(slices, map->partial_rows),
                 total_bytes = vector_bytes(slices, map->total_rows);
    SinoRowMap of_device = lend_map(map);
    void *from = device_lend(total, total_bytes), *to = device_lend(partial, partial_bytes);
    device_check(sino_spread_take_cuda(NULL, slices, &of_device, from, to));
    unlend_map(map, &of_device);
    device_unlend(total, from, total_bytes);
    device_return(partial, to, partial_bytes);
}
