/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_rotate_project and sino_rotate_back by the functions of rotate_cuda.h. */
#include "rotate_on_device.h"

#include "block.h"
#include "device.h"
#include "rotate_cuda.h"

#include <math.h>

/* Tables that a kernel reads, filled in on the device. */
static SinoRotateTables lend_tables(const SinoRotate *what)
{
    const size_t numbers = (size_t)sino_rotate_number_count(what->geometry.grid_size);
    double *turn = device_memory((size_t)sino_rotate_turn_count(&what->geometry) * sizeof *turn);
    int32_t *number = device_memory(numbers * sizeof *number);
    sino_rotate_turns(&what->geometry, turn);
    sino_rotate_numbers(what, number);
    return (SinoRotateTables){
        .turn = turn, .number = number, .tile = device_lend(what->tile, (size_t)what->tile_count * sizeof *what->tile)};
}

static void unlend_tables(const SinoRotate *what, const SinoRotateTables *tables)
{
    device_unlend(what->tile, (void *)tables->tile, (size_t)what->tile_count * sizeof *what->tile);
    device_free((void *)tables->turn);
    device_free((void *)tables->number);
}

static void launch(bool back, bool fresh, const SinoRotate *what, const float *from, float *to)
{
    const SinoRotateTables tables = lend_tables(what);
    if (back)
        device_check(sino_rotate_back_cuda(NULL, what, &tables, fresh, from, to));
    else
        device_check(sino_rotate_project_cuda(NULL, what, &tables, fresh, from, to));
    unlend_tables(what, &tables);
}

/* Every other product is made afresh, of values that are no numbers, and added here. */
static void product(bool back, const SinoRotate *what, const float *from, float *to)
{
    static bool fresh;
    const size_t voxels = (size_t)(what->tile_count * SINO_TILE_VOXELS * what->slices.stride);
    const size_t rays = (size_t)(sino_geometry_ray_count(&what->geometry) * what->slices.stride);
    const size_t from_bytes = (back ? rays : voxels) * sizeof *from, count = back ? voxels : rays;
    float *of_from = device_lend(from, from_bytes), *of_to = device_lend(to, count * sizeof *to);
    fresh = !fresh;
    for (size_t i = 0; fresh && i < count; i++) of_to[i] = NAN;
    launch(back, fresh, what, of_from, of_to);
    for (size_t i = 0; fresh && i < count; i++) of_to[i] = to[i] + (isnan(of_to[i]) ? 0 : of_to[i]);
    device_unlend(from, of_from, from_bytes);
    device_return(to, of_to, count * sizeof *to);
}

void rotate_project_on_device(const SinoRotate *what, const float *x, void *scratch, float *y)
{
    (void)scratch;
    product(false, what, x, y);
}

void rotate_back_on_device(const SinoRotate *what, const float *y, void *scratch, float *x)
{
    (void)scratch;
    product(true, what, y, x);
}
