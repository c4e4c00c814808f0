/* SPDX-License-Identifier: BSD-3-Clause */
/* Halves, the number of iterations: each half of a slice's projections is reconstructed, iteration by iteration, and
 * compared with FBP of the other half. Several slices are searched in one minibatch, and do not know of each other. */
#include "halves_private.h"

#include "memory.h"
#include "simulation.h"
#include "solve.h"
#include "solver_fbp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* SLICES: most slices of a minibatch. TRIED: most numbers of iterations. */
enum { HALVES = SINO_HALVES, SLICES = SINO_HALVES_WIDTH / HALVES, TRIED = 128 };

/* What is best for halves is this times too few iterations of cg for all projections. */
static const double beyond_halves = 1.2;

/* The slices of one minibatch. A vector of voxels is in the order of the minibatch's, partition after partition. */
typedef struct Group {
    SinoHalvesSearch search;
    int64_t count;    /* slices */
    int64_t lanes;    /* halves of slices that there is room for, padding included */
    float *reference; /* [voxel][lane]: FBP of each half; owned */
    bool *inside;     /* [voxel]: those that count; owned */
    int64_t voxels;   /* that count */
    int64_t tried;    /* numbers of iterations, which are: */
    int64_t number[TRIED];
    double difference[SLICES][TRIED];
    SinoHalvesApart apart[SLICES][TRIED]; /* of both halves, without the number of voxels */
    int64_t best[SLICES];                 /* of the numbers that were tried the one whose difference is least */
    bool ended[SLICES];                   /* further numbers are of no interest */
} Group;

/* Calls use(group, slices of a panel, first slice, first voxel, rows, values) for the voxels of a vector, panel by
 * panel of every partition. */
typedef void Use(Group *group, SinoPanel panel, int64_t first, int64_t rows, const void *value);
static SinoStatus on_voxels(Group *group, const SinoSolverRun *run, const SinoMinibatch *minibatch, int64_t vector,
                            Use *use)
{
    const SinoSlices slices = minibatch->slices;
    int64_t first = 0;
    for (int64_t p = 0; p < sino_solver_partitions(run); p++) {
        const int64_t rows = sino_solver_voxels(run, p);
        void *value;
        if (rows == 0) continue;
        SINO_TRY(sino_data_acquire(minibatch->vector[vector][p], SINO_READ, &value));
        for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at))
            use(group, at, first, rows, sino_panel_from(at, rows, value));
        sino_data_release(minibatch->vector[vector][p]);
        first += rows;
    }
    return NULL;
}

static inline double value_at(SinoPrecision precision, const void *vector, int64_t at)
{
    return precision == SINO_DOUBLE ? ((const double *)vector)[at] : (double)((const float *)vector)[at];
}

/* The references of a panel's slices at a voxel. */
static float *reference_at(const Group *group, SinoPanel panel, int64_t voxel)
{
    return group->reference + voxel * group->lanes + panel.first;
}

static void keep_references(Group *group, SinoPanel panel, int64_t first, int64_t rows, const void *value)
{
    const int64_t width = panel.slices.stride;
    for (int64_t i = 0; i < rows && !SINO_SIMULATES; i++) {
        float *to = reference_at(group, panel, first + i);
        for (int64_t f = 0; f < width; f++) to[f] = (float)(2 * value_at(panel.slices.precision, value, i * width + f));
    }
}

/* A simulation has no values, and takes the last number as the best. */
static void assume_differences(Group *group)
{
    for (int64_t j = 0; j < group->count; j++) group->difference[j][group->tried] = -(double)group->tried;
}

/* Adds the differences of the slices from FBP of the other half. */
static void add_differences(Group *group, SinoPanel panel, int64_t first, int64_t rows, const void *value)
{
    const int64_t width = panel.slices.stride;
    double sum[SINO_PANEL_MAX] = {0}, apart[SINO_PANEL_MAX] = {0}, square[SINO_PANEL_MAX] = {0};
    if (SINO_SIMULATES) {
        assume_differences(group);
        return;
    }
    for (int64_t i = 0; i < rows; i++) {
        const float *reference = reference_at(group, panel, first + i);
        if (!group->inside[first + i]) continue;
        for (int64_t f = 0; f < width; f++) {
            const double x = value_at(panel.slices.precision, value, i * width + f);
            const double other = value_at(panel.slices.precision, value, i * width + (f ^ 1));
            const double rest = x - (double)reference[f ^ 1];
            sum[f] += rest * rest;
            apart[f] += (x - other) * (x - other) / HALVES; /* both halves add it */
            square[f] += x * (x + other) / 2;
        }
    }
    for (int64_t f = 0; f < width && panel.first + f < HALVES * group->count; f++) {
        const int64_t j = (panel.first + f) / HALVES;
        group->difference[j][group->tried] += sum[f];
        group->apart[j][group->tried].difference += apart[f];
        group->apart[j][group->tried].square += square[f] / HALVES;
    }
}

/* Marks the voxels within the inscribed circle of the slice that is written. */
static void mark_inside(const SinoOperator *op, bool *inside)
{
    const SinoTiling tiling = op->kind->tiling(op);
    const int64_t size = op->problem.geometry.grid_size, shown = sino_geometry_slice_side(&op->problem.geometry);
    for (int64_t t = 0; t < tiling.first[tiling.partition_count]; t++) {
        const SinoTileRange down = sino_tile_range(size, tiling.tile[t].row);
        const SinoTileRange across = sino_tile_range(size, tiling.tile[t].column);
        for (int64_t r = down.first; r < down.first + down.count; r++)
            for (int64_t c = across.first; c < across.first + across.count; c++) {
                const double y = (double)(sino_tile_first_voxel(size, tiling.tile[t].row) + r) - (double)(size - 1) / 2;
                const double x =
                    (double)(sino_tile_first_voxel(size, tiling.tile[t].column) + c) - (double)(size - 1) / 2;
                inside[t * SINO_TILE_VOXELS + r * SINO_TILE + c] = 4 * (x * x + y * y) < (double)(shown * shown);
            }
    }
}

/* FBP of both halves, with which the reconstructions are compared. */
static SinoStatus make_references(Group *group)
{
    SinoHalvesSearch *search = &group->search;
    const SinoSolver *fbp = sino_solver_fbp_of(search->of.op->problem.subset_count);
    SinoSolverRun run = search->run;
    SinoMinibatch *minibatch = NULL;
    SinoStatus status = sino_halves_minibatch(search, fbp, HALVES * group->count, &minibatch);
    if (status) return status;
    run.stride = minibatch->slices.stride;
    status = fbp->prepare(&run);
    if (!status) status = sino_halves_fill(search, minibatch);
    if (!status) status = fbp->start(&run, minibatch);
    if (!status) status = on_voxels(group, &run, minibatch, fbp->vectors.tomogram, keep_references);
    status = sino_runtime_wait_after(run.runtime, status);
    fbp->release(&run);
    sino_minibatch_free(minibatch);
    return status;
}

/* How many iterations all projections want, as a share of those that are best for halves. Steps of cg are as long as
 * the error wants; those of the others have a length, so that their number grows as the square. A ray without a value
 * keeps what it is expected to be in mlem, and in sirt without weights: with half of the rays steps are half as long.
 */
static double share_of_all(const SinoSolver *solver)
{
    if (solver->choice == SINO_ALGORITHM_CG) return beyond_halves;
    return beyond_halves * beyond_halves / (solver->weighted ? 1 : HALVES);
}

/* Takes the differences after so many iterations into account. *open: whether some slice wants further ones. A slice
 * ends after its differences have grown for long. */
static void judge(Group *group, bool *open)
{
    const int64_t now = group->number[group->tried];
    *open = false;
    for (int64_t j = 0; j < group->count; j++) {
        if (group->ended[j]) continue;
        group->best[j] = sino_halves_best(group->difference[j], 0, group->tried + 1);
        group->ended[j] = now >= 2 * group->number[group->best[j]] + 10;
        *open |= !group->ended[j];
    }
}

/* Iterates until every slice has ended, or to the last iteration. All numbers up to 40 are tried, and some beyond, so
 * far apart that rounding does not decide. */
static SinoStatus try_iterations(Group *group)
{
    SinoHalvesSearch *search = &group->search;
    const SinoSolver *solver = search->of.solver;
    int64_t next = 1;
    bool open = true;
    for (int64_t i = 1; i <= search->run.iterations && open && group->tried < TRIED; i++) {
        SINO_TRY(sino_solve_iterations(solver, &search->run, search->minibatch, i, i));
        if (i < next) continue;
        group->number[group->tried] = i;
        SINO_TRY(on_voxels(group, &search->run, search->minibatch, solver->vectors.tomogram, add_differences));
        judge(group, &open);
        group->tried++;
        next = i + sino_larger(1, i / 20);
    }
    return NULL;
}

/* Makes the minibatch, and room for what its slices are compared with. */
static SinoStatus prepare(Group *group, int64_t width)
{
    SinoHalvesSearch *search = &group->search;
    const SinoOperator *op = search->of.op;
    const int64_t voxels = op->shape.extent[SINO_ROWS_VOXELS].total;
    search->parts = HALVES;
    SINO_TRY(sino_halves_prepare(search, HALVES * width, (SinoRegularization){0}));
    group->lanes = search->minibatch->slices.stride;
    SINO_TRY(sino_allocate(sino_times(voxels, group->lanes), sizeof *group->reference, "slices", &group->reference));
    SINO_TRY(sino_allocate(voxels, sizeof *group->inside, "a slice", &group->inside));
    mark_inside(op, group->inside);
    for (int64_t i = 0; i < voxels; i++) group->voxels += group->inside[i];
    return NULL;
}

/* Adds the sums of slice j after the iterations that all projections want. */
static void add_apart(const Group *group, int64_t j, int64_t iterations, SinoHalvesApart *apart)
{
    int64_t tried = group->tried - 1;
    while (tried > 0 && group->number[tried] > iterations) tried--;
    apart->difference += group->apart[j][tried].difference;
    apart->square += group->apart[j][tried].square;
    apart->voxels += (double)group->voxels;
}

/* Searches at most `width` slices. */
static SinoStatus find(Group *group, int64_t width, int64_t count, const int64_t *slice, int64_t *iterations,
                       SinoHalvesApart *apart)
{
    SinoHalvesSearch *search = &group->search;
    const SinoSolver *solver = search->of.solver;
    for (int64_t j = 0; j < count; j++) SINO_TRY(sino_halves_take(search, slice[j], j));
    if (!search->minibatch) SINO_TRY(prepare(group, width));
    group->count = count;
    group->tried = 0;
    for (int64_t j = 0; j < SLICES; j++) {
        group->best[j] = 0;
        group->ended[j] = false;
    }
    memset(group->difference, 0, sizeof group->difference);
    memset(group->apart, 0, sizeof group->apart);
    search->minibatch->slices.slice_count = HALVES * count;
    SINO_TRY(make_references(group));
    SINO_TRY(sino_halves_fill(search, search->minibatch));
    SINO_TRY(solver->start(&search->run, search->minibatch));
    SINO_TRY(try_iterations(group));
    for (int64_t j = 0; j < count; j++) {
        const double best = (double)group->number[group->best[j]];
        iterations[j] = sino_smaller((int64_t)ceil(share_of_all(solver) * best), search->run.iterations);
        add_apart(group, j, iterations[j], apart);
    }
    return NULL;
}

SinoStatus sino_halves_iterations(const SinoHalvesRequest *request, int64_t count, const int64_t *slice,
                                  int64_t *iterations, SinoHalvesApart *apart)
{
    const bool weights = request->settings->solver.weights == SINO_WEIGHTS_FILE; /* which slices of a minibatch share */
    const int64_t most = weights ? 1 : sino_smaller(SLICES, sino_larger(1, request->width / HALVES));
    const int64_t width = sino_smaller(most, count);
    Group *group = NULL;
    if (count == 0) return NULL;
    SINO_TRY(sino_allocate(1, sizeof *group, "the search", &group));
    SinoStatus status = sino_halves_begin(request, width, &group->search);
    for (int64_t j = 0; j < count && !status; j += width)
        status = find(group, width, sino_smaller(width, count - j), slice + j, iterations + j, apart);
    status = sino_runtime_wait_after(request->runtime, status);
    sino_halves_end(&group->search);
    free(group->reference);
    free(group->inside);
    free(group);
    return status;
}
