/* SPDX-License-Identifier: BSD-3-Clause */
/* FBP: filtered backprojection (A. Kak and M. Slaney, Principles of Computerized Tomographic Imaging, ch. 3): x = Aᵀ F
 * b, where F is the ramp filter and A the operator of the iterative solvers. A voxel thus sums the filtered rays of
 * each angle, weighted by the rays' lengths in the voxel. Projections of a half acquisition are filtered in full width,
 * completed by the opposite ones (redundancy.h).
 *
 * Of a scan that comes by blocks of angles each block is filtered as it comes, and backprojected, if the operator adds
 * blocks; others backproject after the last one. Either way x has the bits of the scan as a whole. */
#include "solver_fbp.h"

#include "cone_tasks.h"
#include "fourier_tasks.h"
#include "memory.h"
#include "solvers_tasks.h"

#include <stdlib.h>

/* The sinogram, filtered in place; the tomogram; completed projections, of a half acquisition only. With several
 * subsets also the filtered sinogram by subset, and the tomogram of one. */
enum { B, X, COMPLETED, VECTORS, PART = VECTORS, ADDEND, VECTORS_OF_SUBSETS };

/* By blocks of angles, one of which comes in `block`. */
enum { BLOCK = VECTORS, BLOCK_REPAIRED, BLOCK_TALLY, SUMS, VECTORS_OF_BLOCKS };

static const SinoBuffer vectors[VECTORS_OF_SUBSETS] = {
    [B] = {"sinogram", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [X] = {"tomogram", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [COMPLETED] = {"completed projections", SINO_ROWS_COMPLETED, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [PART] = {"subset of the sinogram", SINO_ROWS_SUBSET, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [ADDEND] = {"tomogram of a subset", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES}};

static const SinoBuffer vectors_of_blocks[VECTORS_OF_BLOCKS] = {
    [B] = {"sinogram", SINO_ROWS_WAITING, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [X] = {"tomogram", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [COMPLETED] = {"completed projections", SINO_ROWS_COMPLETED, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [BLOCK] = {"block of the sinogram", SINO_ROWS_BLOCK, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [BLOCK_REPAIRED] = {"repaired in a block", SINO_ROWS_MINIBATCH, SINO_ELEMENT_INTEGER, SINO_LANES_SLICES},
    [BLOCK_TALLY] = {"undefined in a block", SINO_ROWS_TALLY, SINO_ELEMENT_INTEGER, SINO_LANES_ONE},
    [SUMS] = {"sums of blocks", SINO_ROWS_GRID, SINO_ELEMENT_FLOAT, SINO_LANES_SLICES}};

typedef struct Filter {
    SinoFilter *filter;
    double *angle_weight;
    SinoFilterPlans *plans;
    SinoCompletion *completion; /* of a half acquisition; NULL: every ray of the slice is seen equally often */
} Filter;

static void release(SinoSolverRun *run)
{
    Filter *filter = run->own;
    if (!filter) return;
    sino_filter_plans_free(filter->plans);
    free(filter->angle_weight);
    sino_completion_free(filter->completion);
    sino_filter_free(filter->filter);
    free(filter);
    run->own = NULL;
}

SinoFilterWindow sino_solver_window(SinoFbpFilter filter)
{
    static const SinoFilterWindow window[] = {[SINO_FILTER_RAMP] = SINO_WINDOW_NONE,
                                              [SINO_FILTER_SHEPP] = SINO_WINDOW_SHEPP,
                                              [SINO_FILTER_COSINE] = SINO_WINDOW_COSINE,
                                              [SINO_FILTER_HANN] = SINO_WINDOW_HANN,
                                              [SINO_FILTER_HAMMING] = SINO_WINDOW_HAMMING,
                                              [SINO_FILTER_PARZEN] = SINO_WINDOW_PARZEN,
                                              [SINO_FILTER_BUTTERWORTH] = SINO_WINDOW_BUTTERWORTH};
    return window[filter];
}

/* Whether blocks are filtered as they come: projections of a half acquisition wait for the opposite ones. Weights of
 * angles are then in the order of the scan. */
static bool filters_blocks(const SinoSolverRun *run)
{
    return run->op->problem.block_angles > 0 && sino_redundancy_width(&run->op->problem.geometry) == 0;
}

/* Fills `own` with the weights of this rank's angles, in the order of its rays or of the scan. Of a half acquisition
 * the two sights of a ray, which may be half a step apart, share their weight by columns (redundancy.h), not by angles.
 */
static SinoStatus weigh_angles(const SinoSolverRun *run, bool half, double *own)
{
    const SinoOperator *op = run->op;
    const SinoGeometry *geometry = &op->problem.geometry;
    const double share = half ? 0.5 : 1;
    double *weight = NULL;
    SINO_TRY(sino_allocate(geometry->angle_count, sizeof *weight, "angles", &weight));
    SinoStatus status =
        sino_filter_angle_shares(geometry->angle_count, geometry->angle_rad, run->dropped, SINO_PI / share, weight);
    for (int64_t k = 0; k < geometry->angle_count && !status; k++)
        if (op->place[k] >= 0) own[filters_blocks(run) ? k : op->place[k]] = share * weight[k];
    free(weight);
    return status;
}

static SinoStatus prepare(SinoSolverRun *run)
{
    const SinoGeometry *geometry = &run->op->problem.geometry;
    const int64_t angle_count = sino_solver_rays(run) / geometry->column_count;
    Filter *filter = NULL;
    SINO_TRY(sino_allocate(1, sizeof *filter, "the filter", &filter));
    run->own = filter;
    const int64_t width = sino_redundancy_width(geometry);
    if (width > 0) SINO_TRY(sino_completion_new(run->runtime, geometry, run->op->place, &filter->completion));
    SINO_TRY(sino_filter_new(width > 0 ? width : geometry->column_count,
                             sino_solver_window(run->settings->solver.fbp_filter),
                             sino_precision_solver(run->op->problem.precision), &filter->filter));
    sino_filter_fill(filter->filter, run->pad_edges, run->bridge_gaps);
    SINO_TRY(sino_allocate(angle_count, sizeof *filter->angle_weight, "angles", &filter->angle_weight));
    SINO_TRY(weigh_angles(run, width > 0, filter->angle_weight));
    return sino_filter_plans_new(run->runtime, filter->filter, angle_count, run->stride, filter->angle_weight,
                                 &filter->plans);
}

/* Filters a vector of rays. */
static SinoStatus insert_filter(const Filter *filter, SinoMinibatch *minibatch, SinoPosition position,
                                SinoData *sinogram, const SinoFbpVectors *of)
{
    if (!filter->completion) return sino_insert_filter(position, filter->plans, minibatch->slices, sinogram);
    SinoData *whole = minibatch->vector[of->completed][0];
    SINO_TRY(sino_insert_complete(filter->completion, position, minibatch->slices, sinogram, whole));
    SINO_TRY(sino_insert_filter(position, filter->plans, minibatch->slices, whole));
    return sino_insert_redundancy(filter->completion, position, minibatch->slices, whole, sinogram);
}

SinoStatus sino_insert_addend(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, int64_t addend,
                              int64_t to, bool first)
{
    const SinoUpdate add = {.formula = SINO_UPDATE_ACCUMULATE, .first = first};
    return sino_solver_update_voxels(run, minibatch, iteration, &add, 2, (const int[]){(int)addend, (int)to});
}

SinoStatus sino_insert_fbp(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, const SinoFbpVectors *of)
{
    const Filter *filter = run->own;
    const SinoPosition position = sino_minibatch_at(minibatch, iteration, -1);
    const int64_t subsets = run->op->problem.subset_count;
    SINO_TRY(insert_filter(filter, minibatch, position, minibatch->vector[of->from][0], of));
    if (subsets == 1) return sino_insert_backproject(minibatch, iteration, of->from, of->to);
    SINO_TRY(sino_solver_divide(run, minibatch, of->from, of->part));
    for (int64_t s = 0; s < subsets; s++) {
        SINO_TRY(sino_insert_backproject_subset(minibatch, iteration, s, of->part, of->addend));
        SINO_TRY(sino_insert_addend(run, minibatch, iteration, of->addend, of->to, s == 0));
    }
    return NULL;
}

static SinoStatus start(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    static const SinoFbpVectors of = {.from = B, .completed = COMPLETED, .to = X, .part = PART, .addend = ADDEND};
    SINO_TRY(sino_solver_start(run, minibatch));
    return sino_insert_fbp(run, minibatch, -1, &of);
}

const SinoSolver sino_solver_fbp = {.choice = SINO_ALGORITHM_FBP,
                                    .iterative = false,
                                    .vectors = {.count = VECTORS, .buffer = vectors, .tomogram = X},
                                    .prepare = prepare,
                                    .release = release,
                                    .start = start};

/* Copies a block of vector `from` to the sinogram. */
static SinoStatus put_block(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t from)
{
    const SinoGeometry *geometry = &run->op->problem.geometry;
    const SinoPut put = {.angle_total = geometry->angle_count,
                         .columns = geometry->column_count,
                         .first_angle = minibatch->block.first,
                         .angle_count = minibatch->block.count,
                         .place = run->op->place};
    return sino_insert_put(run->runtime, sino_minibatch_at(minibatch, -1, -1), minibatch->slices, &put,
                           minibatch->vector[from][0], minibatch->vector[B][0]);
}

static SinoStatus start_block(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    static const SinoFbpVectors of = {.from = B, .completed = COMPLETED, .to = X};
    const Filter *filter = run->own;
    const SinoAngleBlock block = minibatch->block;
    const bool filters = filters_blocks(run);
    SINO_TRY(sino_solver_start_block(run, minibatch, BLOCK));
    if (filters)
        SINO_TRY(sino_insert_filter_some(sino_minibatch_at(minibatch, -1, -1), filter->plans, minibatch->slices,
                                         block.first, block.count, minibatch->vector[BLOCK][0]));
    if (sino_operator_adds(run->op->kind, &run->op->problem.geometry))
        return sino_insert_backproject_block(minibatch, -1, BLOCK, SUMS, X);
    SINO_TRY(put_block(run, minibatch, BLOCK));
    if (!block.last) return NULL;
    return filters ? sino_insert_backproject(minibatch, -1, B, X) : sino_insert_fbp(run, minibatch, -1, &of);
}

const SinoSolver sino_solver_fbp_blocks = {
    .choice = SINO_ALGORITHM_FBP,
    .iterative = false,
    .blocks = true,
    .vectors = {.count = VECTORS_OF_BLOCKS, .buffer = vectors_of_blocks, .tomogram = X, .block = BLOCK},
    .prepare = prepare,
    .release = release,
    .start = start_block};

static const SinoSolver fbp_by_subsets = {.choice = SINO_ALGORITHM_FBP,
                                          .iterative = false,
                                          .vectors = {.count = VECTORS_OF_SUBSETS, .buffer = vectors, .tomogram = X},
                                          .prepare = prepare,
                                          .release = release,
                                          .start = start};

const SinoSolver *sino_solver_fbp_of(int64_t subset_count)
{
    return subset_count > 1 ? &fbp_by_subsets : &sino_solver_fbp;
}
