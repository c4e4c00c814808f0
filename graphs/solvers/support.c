/* SPDX-License-Identifier: BSD-3-Clause */
/* Support: the circle of --support-ratio, by the same rule as --mask-ratio (codelets/images/assemble_cpu.c), and the
 * image of --mask. A margin lies outside of the image, and within the support. */
#include "support.h"

#include "arithmetic.h"

static const SinoBuffer buffer = {"support", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES};
static const SinoBatch one = {.stride = 1, .history_numbers = 1};

/* The grid of a slice; its margin lies outside of the image. */
typedef struct Grid {
    int64_t width, height, margin;
} Grid;

static Grid grid_of(const SinoSolverRun *run)
{
    const SinoGeometry *geometry = &run->op->problem.geometry;
    const SinoCone *cone = run->op->problem.cone;
    return cone ? (Grid){cone->x_count, cone->y_count, 0}
                : (Grid){geometry->grid_size, geometry->grid_size, geometry->margin};
}

/* Whether a voxel of the grid stays 0. */
static bool is_outside(const SinoSolverRun *run, Grid grid, int64_t row, int64_t column)
{
    const int64_t i = row - grid.margin, j = column - grid.margin;
    const int64_t height = grid.height - 2 * grid.margin, width = grid.width - 2 * grid.margin;
    const double ratio = run->settings->solver.support_ratio;
    const double half = (double)sino_smaller(grid.width, grid.height) / 2;
    const double x = (double)column + 0.5 - (double)grid.width / 2, y = (double)row + 0.5 - (double)grid.height / 2;
    if (ratio > 0 && x * x + y * y > half * ratio * half * ratio) return true;
    const bool seen = i >= 0 && i < height && j >= 0 && j < width;
    return run->mask && seen && run->mask[i * width + j] == 0;
}

/* value: the vector of a partition that begins with this tile. */
static void fill_tiles(const SinoSolverRun *run, bool in_double, int64_t tile_count, const SinoTilePlace *tile,
                       void *value)
{
    const Grid grid = grid_of(run);
    for (int64_t i = 0; i < tile_count * SINO_TILE_VOXELS; i++) {
        const SinoTilePlace at = tile[i / SINO_TILE_VOXELS];
        const int64_t row = sino_tile_first_voxel(grid.width, at.row) + i % SINO_TILE_VOXELS / SINO_TILE;
        const int64_t column = sino_tile_first_voxel(grid.width, at.column) + i % SINO_TILE;
        const bool inside = !is_outside(run, grid, row, column);
        if (in_double)
            ((double *)value)[i] = inside ? 1 : 0;
        else
            ((float *)value)[i] = inside ? 1 : 0;
    }
}

/* value: float[row][x][z] of a band that begins with this row. */
static void fill_band(const SinoSolverRun *run, const SinoBand *band, int64_t first_row, float *value)
{
    const Grid grid = grid_of(run);
    for (int64_t i = 0; i < band->row_count * band->x_count; i++) {
        const bool outside = is_outside(run, grid, first_row + i / band->x_count, i % band->x_count);
        for (int64_t z = 0; z < band->z_count; z++) value[i * band->z_count + z] = outside ? 0 : 1;
    }
}

static SinoStatus fill(const SinoSolverRun *run, SinoData *const *support)
{
    const SinoOperatorKind *kind = run->op->kind;
    const SinoTiling tiling = kind->tiling ? kind->tiling(run->op) : (SinoTiling){0};
    const bool in_double = sino_precision_solver(run->op->problem.precision) == SINO_DOUBLE;
    int64_t first_row = 0;
    for (int64_t p = 0; p < sino_solver_partitions(run); p++) {
        SinoBand band = {0};
        void *value;
        if (!kind->tiling) band = kind->band(run->op, p);
        if (sino_solver_voxels(run, p) == 0) continue;
        SINO_TRY(sino_data_acquire(support[p], SINO_WRITE, &value));
        if (kind->tiling)
            fill_tiles(run, in_double, tiling.first[p + 1] - tiling.first[p], tiling.tile + tiling.first[p], value);
        else
            fill_band(run, &band, first_row, value);
        first_row += band.row_count;
        sino_data_release(support[p]);
    }
    return NULL;
}

/* Refuses a circle without a voxel of the grid and of the mask. */
static SinoStatus check_voxels(const SinoSolverRun *run)
{
    const Grid grid = grid_of(run);
    for (int64_t row = 0; row < grid.height; row++)
        for (int64_t column = 0; column < grid.width; column++)
            if (!is_outside(run, grid, row, column)) return NULL;
    return sino_error(SINO_BAD_INPUT, "no voxel%s lies within --support-ratio %g; allowed: a larger circle",
                      run->mask ? " of --mask" : "", run->settings->solver.support_ratio);
}

SinoStatus sino_support_new(const SinoSolverRun *run, SinoData ***support)
{
    *support = NULL;
    if (!(run->settings->solver.support_ratio > 0) && !run->mask) return NULL;
    SINO_TRY(check_voxels(run));
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
