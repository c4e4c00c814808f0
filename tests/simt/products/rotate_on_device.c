/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_rotate_project and sino_rotate_back by the functions of rotate_cuda.cu. */
#include "rotate_on_device.h"

#include "block.h"
#include "rotate_tables.h"
#include "simt_device.h"

#include <math.h>

/* Tables that a kernel reads. */
static SinoRotateTables lend_tables(const SinoRotate *what)
{
    const size_t numbers = (size_t)sino_rotate_number_count(what->geometry.grid_size);
    const size_t turn_bytes = (size_t)sino_rotate_turn_count(&what->geometry) * sizeof(double);
    double *turn = malloc(turn_bytes);
    int32_t *number = malloc(numbers * sizeof *number);
    if (!turn || !number) abort();
    sino_rotate_turns(&what->geometry, turn);
    sino_rotate_numbers(what, number);
    const SinoRotateTables lent = {.turn = device_lend(turn, turn_bytes),
                                   .number = device_lend(number, numbers * sizeof *number),
                                   .tile = device_lend(what->tile, (size_t)what->tile_count * sizeof *what->tile)};
    free(turn);
    free(number);
    return lent;
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

/* Every other product is made afresh, in undefined memory, and added here. */
static void product(bool back, const SinoRotate *what, const float *from, float *to)
{
    static bool fresh;
    const size_t voxels = (size_t)(what->tile_count * SINO_TILE_VOXELS * what->slices.stride);
    const size_t rays = (size_t)(sino_geometry_ray_count(&what->geometry) * what->slices.stride);
    const size_t from_bytes = (back ? rays : voxels) * sizeof *from, count = back ? voxels : rays;
    fresh = !fresh;
    float *of_from = device_lend(from, from_bytes);
    float *of_to = fresh ? device_memory(count * sizeof *to) : device_lend(to, count * sizeof *to);
    launch(back, fresh, what, of_from, of_to);
    device_unlend(from, of_from, from_bytes);
    float *made = malloc(count * sizeof *made);
    if (!made) abort();
    device_return(made, of_to, count * sizeof *made);
    for (size_t i = 0; i < count; i++) to[i] = !fresh ? made[i] : isnan(made[i]) ? to[i] : to[i] + made[i];
    free(made);
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
