/* SPDX-License-Identifier: BSD-3-Clause */
/* Halves, the search: the slices that are searched, minibatches and their sinograms. */
#include "halves_private.h"

#include "cone_solution.h"
#include "input_parts.h"
#include "memory.h"
#include "simulation.h"
#include "solver_fbp.h"

#include <stdlib.h>
#include <string.h>

typedef SinoHalvesSearch Search;

static int64_t rays_of(const Search *search)
{
    const SinoGeometry *geometry = &search->op->problem.geometry;
    return sino_times(geometry->angle_count, geometry->column_count);
}

enum { USUAL_TRIAL = 10 };

/* After 10 the best strength is found within a fifth of a power of two, but of few angles (docs/lab/images.md). */
int64_t sino_halves_trial_iterations(const SinoSolverSettings *settings)
{
    enum { MOST = 40 };
    const bool short_trials = settings->usual_iterations && !settings->few_angles;
    return sino_smaller(sino_settings_iterations(settings), short_trials ? USUAL_TRIAL : MOST);
}

SinoStatus sino_halves_begin(const SinoHalvesRequest *request, int64_t slices, SinoHalvesSearch *search)
{
    *search = (Search){.of = *request, .op = request->op, .slice_count = slices};
    search->folds = sino_smaller(SINO_HALVES, request->width);
    return sino_allocate(sino_times(slices, rays_of(search)), sizeof *search->sinogram, "a sinogram",
                         &search->sinogram);
}

static void close_minibatch(Search *search)
{
    if (search->of.solver->release) search->of.solver->release(&search->run);
    sino_minibatch_free(search->minibatch);
    search->minibatch = NULL;
}

void sino_halves_end(SinoHalvesSearch *search)
{
    close_minibatch(search);
    free(search->sinogram);
    free(search->weights);
    free(search->mask);
    sino_angle_subsets_free(&search->angles);
    free(search->part);
}

/* A run without iterations. */
static SinoStatus run_fan(const Search *search, const SinoInput *one, SinoRecord *record)
{
    const SinoHalvesRequest *of = &search->of;
    const SinoConeSets sets = {1, 1, 1, false};
    const SinoConeSolution solution = {.runtime = of->runtime,
                                       .settings = of->settings,
                                       .input = one,
                                       .op = of->op,
                                       .solver = &sino_solver_cg,
                                       .sets = &sets,
                                       .scale = 1,
                                       .record = record,
                                       .aside = true};
    return sino_cone_solve(&solution);
}

static SinoStatus run_fbp(const Search *search, const SinoInput *one, SinoRecord *record)
{
    const SinoHalvesRequest *of = &search->of;
    SinoSettings settings = *of->settings;
    settings.solver.algorithm = SINO_ALGORITHM_FBP;
    const SinoStreaming streaming = sino_streaming(of->op->problem.precision, 1, 1, 1);
    const SinoReconstruction reconstruction = {.runtime = of->runtime,
                                               .settings = &settings,
                                               .input = one,
                                               .op = of->op,
                                               .solver = sino_solver_fbp_of(of->op->problem.subset_count),
                                               .streaming = &streaming,
                                               .scale = 1,
                                               .record = record,
                                               .marked = of->solver->choice == SINO_ALGORITHM_FISTA &&
                                                         sino_solver_weighs_rays(of->solver),
                                               .alone = true,
                                               .aside = true};
    return sino_reconstruct(&reconstruction);
}

/* The slices of the input are one, whose sinogram a run pictures. */
static SinoStatus take_sinogram(const Search *search, const SinoInput *one, float *sinogram)
{
    const SinoCone *cone = search->of.op->problem.cone;
    const SinoRecordShape shape =
        cone ? sino_cone_record_shape(cone, 1, 1, true) : sino_record_shape(&one->geometry, 1, 1, 1, true);
    SinoRecord record = {0};
    SINO_TRY(sino_record_new(&shape, &record));
    SinoStatus status = (cone ? run_fan : run_fbp)(search, one, &record);
    if (!status) memcpy(sinogram, record.sinogram, (size_t)rays_of(search) * sizeof *sinogram);
    sino_record_free(&record);
    return status;
}

/* SinoGivenWeights.load: `of` is the search, whose slices are all one. */
static SinoStatus insert_weights(void *of, const SinoMinibatch *minibatch, int64_t vector)
{
    const Search *search = of;
    SinoLoadWeights load = sino_input_load_weights(search->of.input, minibatch->slices, 0);
    load.slice = search->weights;
    return sino_minibatch_load_weights(search->of.runtime, minibatch, vector, &load, NULL);
}

/* Reads the weights of the slice. No projection is predicted where rays have none. */
static SinoStatus take_weights(Search *search, const SinoInput *one, float *sinogram)
{
    const int64_t rays = rays_of(search);
    if (search->of.settings->solver.weights != SINO_WEIGHTS_FILE) return NULL;
    if (!search->weights) SINO_TRY(sino_allocate(rays, sizeof *search->weights, "weights", &search->weights));
    SINO_TRY(sino_input_read_weights(one, 0, search->weights));
    search->given = (SinoGivenWeights){insert_weights, search, one->weights_scale};
    if (search->of.solver->choice != SINO_ALGORITHM_FISTA) return NULL;
    for (int64_t i = 0; i < rays; i++)
        if (!(search->weights[i] > 0)) sinogram[i] = -0.0F;
    return NULL;
}

SinoStatus sino_halves_take(SinoHalvesSearch *search, int64_t slice, int64_t i)
{
    SinoInput one = *search->of.input;
    float *sinogram = search->sinogram + i * rays_of(search);
    sino_input_take_slices(&one, slice, 1);
    one.first_slice = 0; /* of the slices that are reconstructed */
    SINO_TRY(take_sinogram(search, &one, sinogram));
    return take_weights(search, &one, sinogram);
}

/* Moves every so many projections to the front. */
static void take_every(Search *search, int64_t step)
{
    const SinoGeometry *geometry = &search->op->problem.geometry;
    const int64_t columns = geometry->column_count;
    for (int64_t k = 1; k < geometry->angle_count; k++)
        memcpy(search->sinogram + k * columns, search->sinogram + k * step * columns,
               (size_t)columns * sizeof *search->sinogram);
}

SinoStatus sino_halves_narrow(SinoHalvesSearch *search)
{
    SinoHalvesRequest *of = &search->of;
    const SinoGeometry *scan = &of->op->problem.geometry;
    search->folds = of->op->problem.cone ? 1 : sino_smaller(search->folds, sino_halves_folds(scan));
    if (of->own) search->op = of->own;
    if (of->binning > 1) sino_halves_bin(scan, of->photon_weights, search->sinogram);
    if (of->step > 1) take_every(search, of->step);
    if (of->binning == 1) return NULL;
    of->scale /= (double)of->binning;
    if (!of->mask) return NULL;
    SINO_TRY(sino_halves_bin_mask(scan, &search->op->problem.geometry, of->mask, &search->mask));
    of->mask = search->mask;
    return NULL;
}

/* Divides the angles into parts, for slices that lack one of them. Every subset has the same share of each part: of the
 * angles of a subset each part has every so many. In a half acquisition, whose projections FBP completes by the
 * opposite ones, these are in the same part. If the operator has a subset of what all slices lack, this is part 0. */
static SinoStatus divide_angles(Search *search)
{
    const SinoOperator *op = search->op;
    const int64_t angles = op->problem.geometry.angle_count, subsets = search->angles.count;
    const bool completed = op->shape.extent[SINO_ROWS_COMPLETED].total > 0;
    const int64_t divided = completed ? sino_ceil_divide(angles, 2) : angles;
    int64_t *before = NULL;
    SINO_TRY(sino_allocate(angles, sizeof *search->part, "angles", &search->part));
    SINO_TRY(sino_allocate(subsets, sizeof *before, "subsets", &before));
    for (int64_t k = 0; k < divided; k++) {
        const int64_t s = search->angles.subset[k];
        search->part[k] = op->problem.left_out > 0 ? s < subsets - 1 : (s + before[s]++) % search->parts;
    }
    for (int64_t k = divided; k < angles; k++) search->part[k] = search->part[k - divided];
    free(before);
    return NULL;
}

/* Divides the rays of a fan into parts by their directions: neighbouring windows of directions belong to the parts in
 * turn. A ray and its reverse, which another projection may have, are left out together, because one predicts the
 * other. */
static SinoStatus divide_rays(Search *search)
{
    const SinoCone *cone = search->op->problem.cone;
    const int64_t angles = cone->angle_count, columns = cone->column_count;
    const double parts = (double)search->parts;
    double least = INFINITY, most = -INFINITY;
    SINO_TRY(sino_allocate(sino_times(angles, columns), sizeof *search->part, "rays", &search->part));
    for (int64_t k = 0; k < angles; k++) {
        least = fmin(least, cone->angle_rad[k]);
        most = fmax(most, cone->angle_rad[k]);
    }
    const double step = (most - least) / (double)sino_larger(angles - 1, 1);
    const double windows = parts * fmax(1, nearbyint(SINO_PI / fmax(step, 1e-6) / parts)), width = SINO_PI / windows;
    for (int64_t k = 0; k < angles; k++)
        for (int64_t c = 0; c < columns; c++) {
            const double across = ((double)c - cone->center) * cone->pixel_width;
            const double direction = cone->angle_rad[k] - atan2(across, cone->source_detector);
            search->part[k * columns + c] =
                (int64_t)(fmod(floor(direction / width), windows) + windows) % search->parts;
        }
    return NULL;
}

static SinoStatus open_minibatch(Search *search, int64_t slices)
{
    const SinoSolver *solver = search->of.solver;
    SINO_TRY(sino_halves_minibatch(search, solver, slices, &search->minibatch));
    search->run.stride = search->minibatch->slices.stride;
    return solver->prepare ? solver->prepare(&search->run) : NULL;
}

SinoStatus sino_halves_prepare(SinoHalvesSearch *search, int64_t slices, SinoRegularization regularization)
{
    const SinoHalvesRequest *of = &search->of;
    search->settings = *of->settings;
    search->settings.solver.tolerance = 0;
    search->settings.solver.likelihood_tolerance = 0;
    search->settings.solver.iterations = sino_settings_iterations(&of->settings->solver);
    if (of->settings->solver.iterations > 0 && !of->normal) /* strengths are tried */
        search->settings.solver.iterations = sino_halves_trial_iterations(&of->settings->solver);
    if (search->op->problem.cone) /* from x = 0, after fewer, weak priors predict best */
        search->settings.solver.iterations = sino_larger(search->settings.solver.iterations, USUAL_TRIAL);
    search->run = (SinoSolverRun){.runtime = of->runtime,
                                  .op = search->op,
                                  .settings = &search->settings,
                                  .iterations = search->settings.solver.iterations,
                                  .pad_edges = of->input->pad_edges,
                                  .photon_weights = of->photon_weights,
                                  .given = search->weights ? &search->given : NULL,
                                  .regularization = regularization,
                                  .mask = of->mask,
                                  .bounds = sino_solver_bounds(&of->settings->solver, of->scale),
                                  .lacking = 1 / (double)search->parts};
    SINO_TRY(sino_angle_subsets_new(&search->op->problem, &search->angles));
    SINO_TRY(search->op->problem.cone ? divide_rays(search) : divide_angles(search));
    if (of->normal) return NULL; /* its trials have operators and minibatches of their own */
    return open_minibatch(search, slices);
}

SinoStatus sino_halves_prepare_again(SinoHalvesSearch *search, int64_t slices, SinoRegularization regularization)
{
    close_minibatch(search);
    search->run.regularization = regularization;
    return open_minibatch(search, slices);
}

static void set(SinoSlices slices, int64_t rows, int64_t row, int64_t slice, double value, void *vector)
{
    const int64_t at = sino_panel_element(slices, rows, row, slice);
    if (slices.precision == SINO_DOUBLE)
        ((double *)vector)[at] = value;
    else
        ((float *)vector)[at] = (float)value;
}

SinoStatus sino_halves_fill(const SinoHalvesSearch *search, SinoMinibatch *minibatch)
{
    const SinoGeometry *geometry = &search->op->problem.geometry;
    const int64_t columns = geometry->column_count, rays = sino_solver_rays(&search->run), values = rays_of(search);
    const int64_t fans = sino_halves_fans(search);
    void *b;
    SINO_TRY(sino_data_acquire(minibatch->vector[0][0], SINO_WRITE, &b));
    for (int64_t k = 0; k < geometry->angle_count && !SINO_SIMULATES; k++)
        for (int64_t c = 0; c < columns; c++)
            for (int64_t f = 0; f < minibatch->slices.stride; f++) {
                const bool padding = f >= minibatch->slices.slice_count;
                const int64_t from = search->slice_count > 1 ? f / SINO_HALVES * values : 0;
                const double value = padding ? 0
                                     : sino_halves_has(search, f, k, c)
                                         ? (double)search->sinogram[from + k * columns + c]
                                         : -0.0;
                for (int64_t i = 0; i < fans; i++)
                    set(minibatch->slices, rays, (search->op->place[k] * columns + c) * fans + i, f, value, b);
            }
    sino_data_release(minibatch->vector[0][0]);
    return NULL;
}

SinoStatus sino_halves_minibatch(const SinoHalvesSearch *search, const SinoSolver *solver, int64_t slices,
                                 SinoMinibatch **minibatch)
{
    const SinoHalvesRequest *of = &search->of;
    const SinoPrecision precision = search->op->problem.precision;
    const SinoMinibatchRequest request = {.op = search->op,
                                          .vectors = &solver->vectors,
                                          .slices = {.precision = sino_precision_solver(precision),
                                                     .stride = sino_panel_stride(precision, slices),
                                                     .slice_count = slices},
                                          .history_numbers = search->run.iterations + 1};
    return sino_minibatch_new(of->runtime, &request, minibatch);
}

int64_t sino_halves_best(const double *difference, int64_t begin, int64_t end)
{
    int64_t best = begin;
    for (int64_t i = begin; i < end; i++)
        if (difference[i] < difference[best]) best = i;
    return best;
}
