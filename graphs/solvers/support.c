/* SPDX-License-Identifier: BSD-3-Clause */
/* Support: the circle of --support-ratio, by the same rule as --mask-ratio (codelets/assemble_cpu.c). */
#include "support.h"

bool sino_support_is_given(const SinoSolverRun *run)
{
    return run->settings->support_ratio > 0;
}

static bool is_outside(double half, double radius, int64_t row, int64_t column)
{
    const double x = (double)column + 0.5 - half, y = (double)row + 0.5 - half;
    return x * x + y * y > radius * radius;
}

static void clear(SinoSlices slices, int64_t i, void *value)
{
    if (slices.precision == SINO_DOUBLE)
        ((double *)value)[i] = 0;
    else
        ((float *)value)[i] = 0;
}

/* value: the vector of a partition that begins with this tile; of one slice, so that rows are elements. */
static void clear_tiles(const SinoSolverRun *run, SinoSlices slices, int64_t tile_count, const SinoTilePlace *tile,
                        void *value)
{
    const int64_t size = run->op->problem.geometry.grid_size;
    const double half = (double)size / 2, radius = half * run->settings->support_ratio;
    for (int64_t i = 0; i < tile_count * SINO_TILE_VOXELS; i++) {
        const SinoTilePlace at = tile[i / SINO_TILE_VOXELS];
        const int64_t row = sino_tile_first_voxel(size, at.row) + i % SINO_TILE_VOXELS / SINO_TILE;
        const int64_t column = sino_tile_first_voxel(size, at.column) + i % SINO_TILE;
        if (is_outside(half, radius, row, column)) clear(slices, i, value);
    }
}

SinoStatus sino_support_clear_outside(const SinoSolverRun *run, SinoSlices slices, SinoData *const *vector)
{
    const SinoTiling tiling = run->op->kind->tiling(run->op);
    for (int64_t p = 0; p < tiling.partition_count; p++) {
        void *value;
        if (sino_solver_voxels(run, p) == 0) continue;
        SINO_TRY(sino_data_acquire(vector[p], SINO_READ_WRITE, &value));
        clear_tiles(run, slices, tiling.first[p + 1] - tiling.first[p], tiling.tile + tiling.first[p], value);
        sino_data_release(vector[p]);
    }
    return NULL;
}

SinoStatus sino_support_apply(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, SinoData *const *support,
                              int vector)
{
    for (int64_t p = 0; p < sino_solver_partitions(run); p++) {
        const SinoUpdateTask task = {
            .update = {.formula = SINO_UPDATE_SUPPORT, .slices = minibatch->slices, .rows = sino_solver_voxels(run, p)},
            .vector = {support[p], minibatch->vector[vector][p]}};
        if (task.update.rows > 0)
            SINO_TRY(sino_insert_update(run->runtime, sino_minibatch_at(minibatch, iteration, p), &task));
    }
    return NULL;
}
