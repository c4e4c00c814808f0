/* SPDX-License-Identifier: BSD-3-Clause */
/* Support: the circle of --support-ratio, by the same rule as --mask-ratio (codelets/images/assemble_cpu.c), and the
 * image of
 * --mask. A margin lies outside of the image, and within the support. */
#include "support.h"

#include <stdlib.h>

static const SinoBuffer buffer = {"support", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES};
static const SinoBatch one = {.stride = 1, .history_numbers = 1};

/* Whether a voxel of the grid stays 0. */
static bool is_outside(const SinoSolverRun *run, int64_t row, int64_t column)
{
    const SinoGeometry *geometry = &run->op->problem.geometry;
    const int64_t side = sino_geometry_slice_side(geometry), i = row - geometry->margin, j = column - geometry->margin;
    const double ratio = run->settings->solver.support_ratio, half = (double)geometry->grid_size / 2;
    const double x = (double)column + 0.5 - half, y = (double)row + 0.5 - half;
    if (ratio > 0 && x * x + y * y > half * ratio * half * ratio) return true;
    const bool seen = i >= 0 && i < side && j >= 0 && j < side;
    return run->mask && seen && run->mask[i * side + j] == 0;
}

/* value: the vector of a partition that begins with this tile. */
static void fill_tiles(const SinoSolverRun *run, bool in_double, int64_t tile_count, const SinoTilePlace *tile,
                       void *value)
{
    const int64_t size = run->op->problem.geometry.grid_size;
    for (int64_t i = 0; i < tile_count * SINO_TILE_VOXELS; i++) {
        const SinoTilePlace at = tile[i / SINO_TILE_VOXELS];
        const int64_t row = sino_tile_first_voxel(size, at.row) + i % SINO_TILE_VOXELS / SINO_TILE;
        const int64_t column = sino_tile_first_voxel(size, at.column) + i % SINO_TILE;
        const bool inside = !is_outside(run, row, column);
        if (in_double)
            ((double *)value)[i] = inside ? 1 : 0;
        else
            ((float *)value)[i] = inside ? 1 : 0;
    }
}

static SinoStatus fill(const SinoSolverRun *run, SinoData *const *support)
{
    const SinoTiling tiling = run->op->kind->tiling(run->op);
    const bool in_double = sino_precision_solver(run->op->problem.precision) == SINO_DOUBLE;
    for (int64_t p = 0; p < tiling.partition_count; p++) {
        void *value;
        if (sino_solver_voxels(run, p) == 0) continue;
        SINO_TRY(sino_data_acquire(support[p], SINO_WRITE, &value));
        fill_tiles(run, in_double, tiling.first[p + 1] - tiling.first[p], tiling.tile + tiling.first[p], value);
        sino_data_release(support[p]);
    }
    return NULL;
}

SinoStatus sino_support_new(const SinoSolverRun *run, SinoData ***support)
{
    *support = NULL;
    if (!(run->settings->solver.support_ratio > 0) && !run->mask) return NULL;
    SINO_TRY(sino_buffer_new(run->runtime, &buffer, &run->op->shape, one, support));
    return fill(run, *support);
}

void sino_support_free(const SinoSolverRun *run, SinoData **support)
{
    sino_data_free_each(support, sino_solver_partitions(run));
}

int64_t sino_support_bytes(const SinoShape *shape)
{
    return sino_buffers_bytes(1, &buffer, shape, one);
}

SinoStatus sino_support_apply(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, SinoData *const *support,
                              int vector)
{
    for (int64_t p = 0; support && p < sino_solver_partitions(run); p++) {
        const SinoUpdateTask task = {
            .update = {.formula = SINO_UPDATE_SUPPORT, .slices = minibatch->slices, .rows = sino_solver_voxels(run, p)},
            .vector = {support[p], minibatch->vector[vector][p]}};
        if (task.update.rows > 0)
            SINO_TRY(sino_insert_update(run->runtime, sino_minibatch_at(minibatch, iteration, p), &task));
    }
    return NULL;
}
