/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotate on an OpenCL device: the tests of the CPU's products. Every other product is made afresh, of values that are
 * no numbers, and added here. */
#include "lend.h"
#include "rotate_tables.h"

#include "block.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of main memory, as the device has them. */
typedef struct Tables {
    SinoRotateOpenclTables lent;
    double *turn;
    int32_t *number;
    size_t turn_bytes, number_bytes, tile_bytes;
} Tables;

static Tables lend_rotate_tables(const SinoRotate *what)
{
    Tables tables = {.tile_bytes = (size_t)what->tile_count * sizeof *what->tile};
    tables.turn_bytes = (size_t)sino_rotate_turn_count(&what->geometry) * sizeof *tables.turn;
    tables.number_bytes = (size_t)sino_rotate_number_count(what->geometry.grid_size) * sizeof *tables.number;
    tables.turn = malloc(tables.turn_bytes);
    tables.number = malloc(tables.number_bytes);
    if (!tables.turn || !tables.number) abort();
    sino_rotate_turns(&what->geometry, tables.turn);
    sino_rotate_numbers(what, tables.number);
    tables.lent = (SinoRotateOpenclTables){.turn = lend(tables.turn, tables.turn_bytes),
                                           .number = lend(tables.number, tables.number_bytes),
                                           .tile = lend(what->tile, tables.tile_bytes)};
    return tables;
}

static void end_rotate_tables(const SinoRotate *what, Tables *tables)
{
    lend_end(tables->turn, tables->lent.turn, tables->turn_bytes);
    lend_end(tables->number, tables->lent.number, tables->number_bytes);
    lend_end(what->tile, tables->lent.tile, tables->tile_bytes);
    free(tables->turn);
    free(tables->number);
}

static void on_opencl(bool back, const SinoRotate *what, const float *from, float *to)
{
    static bool fresh;
    const size_t voxels = (size_t)(what->tile_count * SINO_TILE_VOXELS * what->slices.stride);
    const size_t rays = (size_t)(sino_geometry_ray_count(&what->geometry) * what->slices.stride);
    const size_t from_bytes = (back ? rays : voxels) * sizeof *from, count = back ? voxels : rays;
    Tables tables = lend_rotate_tables(what);
    float *made = malloc(count * sizeof *made);
    if (!made) abort();
    fresh = !fresh;
    for (size_t i = 0; i < count; i++) made[i] = fresh ? NAN : to[i];
    cl_mem of_from = lend(from, from_bytes), of_to = lend(made, count * sizeof *made);
    if (back)
        lend_check(sino_rotate_back_opencl(lend_device(), what, &tables.lent, fresh, of_from, of_to));
    else
        lend_check(sino_rotate_project_opencl(lend_device(), what, &tables.lent, fresh, of_from, of_to));
    lend_return(made, of_to, count * sizeof *made);
    lend_end(from, of_from, from_bytes);
    for (size_t i = 0; i < count; i++) to[i] = fresh ? to[i] + (isnan(made[i]) ? 0 : made[i]) : made[i];
    end_rotate_tables(what, &tables);
    free(made);
}

static void rotate_project_on_opencl(const SinoRotate *what, const float *x, void *scratch, float *y)
{
    (void)scratch;
    on_opencl(false, what, x, y);
}

static void rotate_back_on_opencl(const SinoRotate *what, const float *y, void *scratch, float *x)
{
    (void)scratch;
    on_opencl(true, what, y, x);
}

#define TESTING_ON_DEVICE
#define sino_rotate_project rotate_project_on_opencl
#define sino_rotate_back    rotate_back_on_opencl

#include "../codelets/test_rotate.c" /* NOLINT(bugprone-suspicious-include) */
