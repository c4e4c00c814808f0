/* SPDX-License-Identifier: BSD-3-Clause */
/* Halves: numbers of a solver that the scan decides, by a slice that is reconstructed from a part of the projections.
 */
#include "arithmetic.h"
#include "halves_strength.h"
#include "input_weights.h"
#include "memory.h"
#include "solver_fbp.h"

#include <math.h>
#include <stdlib.h>

enum { HALVES = SINO_HALVES, ITERATIONS_MOST = 40 };

typedef SinoHalvesSearch Search;

/* Threshold of smooth priors, as a share of the slice's typical value. */
static const double usual_threshold = 0.1;

/* What is best for halves is this times too few iterations of cg for all projections. */
static const double beyond_halves = 1.2;

/* In units of √(angles) times the root mean square of the line integrals; about what 1 % of noise asks for. */
static const double usual = 0.015;

/* The sinogram of the slice after all stages, by a run of FBP. */
static SinoStatus take_sinogram(const SinoHalvesRequest *of, SinoRecord *record)
{
    SinoSettings settings = *of->settings;
    settings.algorithm = SINO_ALGORITHM_FBP;
    const SinoStreaming one = sino_streaming(of->op->problem.precision, 1, 1, 1);
    const SinoRecordShape shape = sino_record_shape(&of->input->geometry, 1, 1, 1, true);
    SINO_TRY(sino_record_new(&shape, record));
    const SinoReconstruction reconstruction = {.runtime = of->runtime,
                                               .settings = &settings,
                                               .input = of->input,
                                               .op = of->op,
                                               .solver = sino_solver_fbp_of(of->op->problem.subset_count),
                                               .streaming = &one,
                                               .scale = 1,
                                               .record = record,
                                               .alone = true,
                                               .aside = true};
    return sino_reconstruct(&reconstruction);
}

static double mean_square(const SinoGeometry *geometry, const float *sinogram)
{
    const int64_t rays = sino_times(geometry->angle_count, geometry->column_count);
    double sum = 0;
    for (int64_t i = 0; i < rays; i++) sum += (double)sinogram[i] * (double)sinogram[i];
    return sum / (double)rays;
}

/* Divides the angles into parts, for slices that lack one of them. Every subset has the same share of each part: of the
 * angles of a subset each part has every so many. In a half acquisition, whose projections FBP completes by the
 * opposite ones, these are in the same part. */
static SinoStatus divide_angles(Search *search)
{
    const SinoOperator *op = search->of.op;
    const int64_t angles = op->problem.geometry.angle_count, subsets = search->angles.count;
    const bool completed = op->shape.extent[SINO_ROWS_COMPLETED].total > 0;
    const int64_t divided = completed ? sino_ceil_divide(angles, 2) : angles;
    int64_t *before = NULL;
    SINO_TRY(sino_allocate(angles, sizeof *search->part, "angles", &search->part));
    SINO_TRY(sino_allocate(subsets, sizeof *before, "subsets", &before));
    for (int64_t k = 0; k < divided; k++) {
        const int64_t s = search->angles.subset[k];
        search->part[k] = (s + before[s]++) % search->parts;
    }
    for (int64_t k = divided; k < angles; k++) search->part[k] = search->part[k - divided];
    free(before);
    return NULL;
}

/* Calls use(search, slices, first voxel of the partition, rows, values) for the voxels of a vector in every partition.
 */
typedef void Use(Search *search, SinoSlices slices, int64_t first, int64_t rows, const void *value);
static SinoStatus on_voxels(Search *search, const SinoMinibatch *minibatch, int64_t vector, Use *use)
{
    int64_t first = 0;
    for (int64_t p = 0; p < sino_solver_partitions(&search->run); p++) {
        const int64_t rows = sino_solver_voxels(&search->run, p);
        void *value;
        if (rows == 0) continue;
        SINO_TRY(sino_data_acquire(minibatch->vector[vector][p], SINO_READ, &value));
        use(search, minibatch->slices, first, rows, value);
        sino_data_release(minibatch->vector[vector][p]);
        first += rows;
    }
    return NULL;
}

static void keep_references(Search *search, SinoSlices slices, int64_t first, int64_t rows, const void *value)
{
    for (int h = 0; h < HALVES; h++)
        for (int64_t i = 0; i < rows; i++)
            search->reference[h][first + i] = (float)(2 * sino_halves_value(slices, rows, i, h, value));
}

/* Adds the differences of the slices from FBP of the other half to search->difference. */
static void add_differences(Search *search, SinoSlices slices, int64_t first, int64_t rows, const void *value)
{
    for (int64_t f = 0; f < slices.slice_count; f++) {
        const float *reference = search->reference[1 - f % HALVES] + first;
        double sum = 0;
        for (int64_t i = 0; i < rows; i++) {
            const double rest = sino_halves_value(slices, rows, i, f, value) - (double)reference[i];
            sum += search->inside[first + i] ? rest * rest : 0;
        }
        search->difference[search->tried] += sum;
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
static SinoStatus make_references(Search *search)
{
    const SinoSolver *fbp = sino_solver_fbp_of(search->of.op->problem.subset_count);
    SinoSolverRun run = search->run;
    SinoMinibatch *minibatch = NULL;
    SinoStatus status = sino_halves_minibatch(search, fbp, HALVES, 0, &minibatch);
    if (status) return status;
    run.stride = minibatch->slices.stride;
    status = fbp->prepare(&run);
    if (!status) status = sino_halves_fill(search, minibatch);
    if (!status) status = fbp->start(&run, minibatch);
    if (!status) status = on_voxels(search, minibatch, fbp->vectors.tomogram, keep_references);
    status = sino_runtime_wait_after(run.runtime, status);
    fbp->release(&run);
    sino_minibatch_free(minibatch);
    return status;
}

/* Prepares reconstructions of so many slices at a time. */
static SinoStatus open_search(Search *search, int64_t slices, SinoRegularization regularization)
{
    const SinoHalvesRequest *of = &search->of;
    const int64_t voxels = of->op->shape.extent[SINO_ROWS_VOXELS].total;
    search->settings = *of->settings;
    search->settings.tolerance = 0;
    search->settings.likelihood_tolerance = 0;
    search->settings.iterations = sino_settings_iterations(of->settings);
    if (of->settings->iterations > 0 && !of->normal) /* the strength of a prior is found by no more of them */
        search->settings.iterations = sino_smaller(of->settings->iterations, ITERATIONS_MOST);
    search->run = (SinoSolverRun){.runtime = of->runtime,
                                  .op = of->op,
                                  .settings = &search->settings,
                                  .iterations = search->settings.iterations,
                                  .pad_edges = of->input->pad_edges,
                                  .photon_weights = sino_reconstruction_weighs_photons(of->settings, of->input),
                                  .given = search->weights ? &search->given : NULL,
                                  .regularization = regularization,
                                  .mask = of->mask,
                                  .bounds = sino_solver_bounds(of->settings, of->scale),
                                  .lacking = 1 / (double)search->parts};
    for (int h = 0; h < HALVES; h++)
        SINO_TRY(sino_allocate(voxels, sizeof *search->reference[h], "a slice", &search->reference[h]));
    SINO_TRY(sino_allocate(voxels, sizeof *search->inside, "a slice", &search->inside));
    mark_inside(of->op, search->inside);
    SINO_TRY(sino_angle_subsets_new(&of->op->problem, &search->angles));
    SINO_TRY(divide_angles(search));
    if (of->normal) return NULL; /* its trials have operators and minibatches of their own */
    SINO_TRY(sino_halves_minibatch(search, of->solver, slices, 0, &search->minibatch));
    search->run.stride = search->minibatch->slices.stride;
    return of->solver->prepare ? of->solver->prepare(&search->run) : NULL;
}

static void close_search(Search *search)
{
    if (search->of.solver->release) search->of.solver->release(&search->run);
    sino_minibatch_free(search->minibatch);
    for (int h = 0; h < HALVES; h++) free(search->reference[h]);
    free(search->inside);
    free(search->weights);
    sino_angle_subsets_free(&search->angles);
    free(search->part);
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
static SinoStatus take_weights(Search *search, SinoRecord *record)
{
    const SinoInput *input = search->of.input;
    const int64_t rays = sino_times(input->geometry.angle_count, input->geometry.column_count);
    if (search->of.settings->weights != SINO_WEIGHTS_FILE) return NULL;
    SINO_TRY(sino_allocate(rays, sizeof *search->weights, "weights", &search->weights));
    SINO_TRY(sino_input_read_weights(input, 0, search->weights));
    search->given = (SinoGivenWeights){insert_weights, search, input->weights_scale};
    if (search->of.solver->choice != SINO_ALGORITHM_FISTA) return NULL;
    for (int64_t i = 0; i < rays; i++)
        if (!(search->weights[i] > 0)) record->sinogram[i] = -0.0F;
    return NULL;
}

/* Two digits, which runs whose sums are rounded differently share. */
static double rounded(double value)
{
    const double unit = pow(10, floor(log10(value)) - 1);
    return value > 0 ? nearbyint(value / unit) * unit : 0;
}

/* How much stronger the prior should be with all projections than with those that slices have in the search: noise in
 * the gradient grows as the square root of their number. Streaks of too few projections do not, where less than all
 * that the columns need have been taken, π/2 times as many. */
static double growth(const Search *search)
{
    const SinoGeometry *geometry = &search->of.op->problem.geometry;
    const double parts = (double)search->parts, needed = SINO_PI / 2 * (double)geometry->column_count;
    return pow(parts / (parts - 1), 0.5 * fmin(1, (double)geometry->angle_count / needed));
}

static SinoStatus find_strength(Search *search, SinoRegularization *found)
{
    const SinoHalvesRequest *of = &search->of;
    const SinoGeometry *geometry = &of->op->problem.geometry;
    const double size = sqrt((double)geometry->angle_count * mean_square(geometry, search->sinogram));
    const int64_t count = sino_larger(of->width / HALVES, 1);
    double exponent = 0;
    found->strength = 0;
    if (!(size > 0)) return NULL;
    search->first = usual * size * (search->weights ? search->given.scale : 1);
    SinoRegularization first = *found;
    first.strength = search->first;
    search->parts = sino_halves_parts(geometry->angle_count);
    SINO_TRY(open_search(search, HALVES * count, first));
    SINO_TRY(sino_halves_descend(search, count, &exponent));
    if (of->settings->nonnegativity == SINO_NONNEGATIVITY_AUTO && sino_settings_nonnegative(of->settings))
        SINO_TRY(sino_halves_deny(search, exponent, &found->negative));
    if (found->negative) SINO_TRY(sino_halves_descend(search, count, &exponent));
    found->strength = rounded(growth(search) * search->first * exp2(exponent));
    return NULL;
}

/* The value of a disk with the mass M of the slice and the mean E of the sums of the squares of a projection's line
 * integrals: M = π μ R², E = 16/3 μ² R³. 0: the slice has no mass. */
static double typical_value(const SinoGeometry *geometry, const float *sinogram)
{
    const int64_t rays = sino_times(geometry->angle_count, geometry->column_count);
    const double angles = (double)geometry->angle_count, columns = (double)geometry->column_count;
    double mass = 0;
    for (int64_t i = 0; i < rays; i++) mass += (double)sinogram[i] / angles;
    if (!(mass > 0)) return 0;
    const double root = 3 * columns * mean_square(geometry, sinogram) / 16 / pow(mass / SINO_PI, 1.5);
    return root * root;
}

static SinoStatus find_threshold(const Search *search, SinoRegularization *found)
{
    const double given = search->of.settings->prior_threshold;
    const double typical = typical_value(&search->of.op->problem.geometry, search->sinogram);
    SINO_CHECK(
        typical > 0, SINO_BAD_INPUT,
        "the line integrals of the slice that decides sum to 0 or less, so that differences of its voxels have no "
        "measure; allowed: --prior total-variation");
    found->threshold = rounded(typical * (isnan(given) ? usual_threshold : given));
    return NULL;
}

static SinoStatus find_regularization(Search *search, void *found)
{
    const SinoSettings *settings = search->of.settings;
    SinoRegularization *of = found;
    *of = (SinoRegularization){.prior = settings->prior, .strength = settings->regularization};
    if (of->prior != SINO_PRIOR_TOTAL_VARIATION) SINO_TRY(find_threshold(search, of));
    return isnan(of->strength) ? find_strength(search, of) : NULL;
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

/* Iterates until the differences have grown for long, or to the last iteration. *best: whose differences are least, of
 * all numbers up to 40 and of some beyond, so far apart that rounding does not decide. */
static SinoStatus try_iterations(Search *search, int64_t *best)
{
    const SinoSolver *solver = search->of.solver;
    int64_t number[SINO_TRIED], next = 1;
    for (int64_t i = 1; i <= search->run.iterations; i++) {
        SINO_TRY(solver->iterate(&search->run, search->minibatch, i));
        if (i < next) continue;
        number[search->tried] = i;
        SINO_TRY(on_voxels(search, search->minibatch, solver->vectors.tomogram, add_differences));
        *best = number[sino_halves_best(search->difference, 0, ++search->tried)];
        next = i + sino_larger(1, i / 20);
        if (i >= 2 * *best + 10 || search->tried == SINO_TRIED) break;
    }
    return NULL;
}

static SinoStatus find_iterations(Search *search, void *found)
{
    int64_t *iterations = found, best = 1;
    const SinoSolver *solver = search->of.solver;
    search->parts = HALVES;
    SINO_TRY(open_search(search, HALVES, (SinoRegularization){0}));
    SINO_TRY(make_references(search));
    SINO_TRY(sino_halves_fill(search, search->minibatch));
    SINO_TRY(solver->start(&search->run, search->minibatch));
    SINO_TRY(try_iterations(search, &best));
    *iterations = sino_smaller((int64_t)ceil(share_of_all(solver) * (double)best), search->run.iterations);
    return NULL;
}

static SinoStatus find(const SinoHalvesRequest *request, SinoStatus (*search_for)(Search *search, void *found),
                       void *found)
{
    SinoRecord record = {0};
    Search search = {.of = *request};
    SinoStatus status = take_sinogram(request, &record);
    search.sinogram = record.sinogram;
    if (!status) status = take_weights(&search, &record);
    if (!status) status = search_for(&search, found);
    status = sino_runtime_wait_after(request->runtime, status);
    close_search(&search);
    sino_record_free(&record);
    return status;
}

SinoStatus sino_halves_regularization(const SinoHalvesRequest *request, SinoRegularization *found)
{
    return find(request, find_regularization, found);
}

SinoStatus sino_halves_iterations(const SinoHalvesRequest *request, int64_t *iterations)
{
    return find(request, find_iterations, iterations);
}
