/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix solution: the graph of a reconstruction from counts and a system matrix.
 *
 *     of each set:  load_counts → gather_values or gather_integrals, by subset
 *     start → iterate × iterations
 *     of each set:  voxels_image → gaussian → store
 *
 * Sets that are solved together are the slices of a minibatch; one minibatch follows another. */
#include "matrix_solution.h"

#include "arithmetic.h"
#include "brick_task.h"
#include "gaussian_task.h"
#include "load_counts_task.h"
#include "memory.h"
#include "repeat_task.h"
#include "store_task.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGES = 2, RAW = 3 /* counts, factors and additive of a set, as the files have them */ };

static const SinoBuffer factor_buffer = {"factors", SINO_ROWS_SUBSET, SINO_ELEMENT_REAL, SINO_LANES_SLICES};
static const SinoBuffer voxel_buffer = {"sensitivity", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES};
static const SinoBatch one_set = {.stride = 1, .history_numbers = 1};

typedef struct Run {
    SinoMatrixSolution of;
    const SinoMatrixSurvey *matrix;
    SinoSolverRun solver_run;
    SinoCountModel model;
    SinoMinibatch *minibatch;
    SinoData *raw[RAW];       /* float[row] */
    SinoData *raw_image;      /* float[voxel] */
    SinoData **factor;        /* [subset]; NULL: none */
    SinoData **sensitivity;   /* [1]; NULL: none */
    SinoData *io;             /* orders the tasks that read and write files */
    SinoData *image[IMAGES];  /* float[z][y][x] */
    SinoData *history, *none; /* of a set, for each slice; zeros */
} Run;

void sino_matrix_files_close(SinoMatrixFiles *files)
{
    sino_counts_close(files->counts);
    sino_counts_close(files->multiplicative);
    sino_counts_close(files->additive);
    sino_counts_close(files->sensitivity);
    sino_counts_close(files->start);
    *files = (SinoMatrixFiles){0};
}

/* Slices of the volume of a set. */
static int64_t slices_of(const SinoMatrixSurvey *matrix)
{
    return sino_larger(matrix->outline.grid.z_count, 1);
}

static bool needs_image(const SinoMatrixFiles *files)
{
    return files->sensitivity || files->start;
}

static bool is_of_counts(const SinoSolver *solver)
{
    return solver->has_likelihood;
}

/* ---- bytes ---- */

static SinoSlices slices_for(int64_t set_count)
{
    return (SinoSlices){SINO_SINGLE, sino_panel_stride(SINO_SINGLE, set_count), set_count};
}

/* Main memory for devices: lists, work memory of each worker, and rows that are projected apart. */
static int64_t device_bytes(const SinoProblem *problem, const SinoSolver *solver, int64_t set_count,
                            int64_t worker_count)
{
    const SinoMatrixSurvey *matrix = problem->matrix;
    const SinoSlices slices = slices_for(set_count);
    const int64_t work = sino_bricks_work_bytes(sino_matrix_block_rows(matrix), slices);
    const int64_t rows = is_of_counts(solver) ? 0 : sino_times(matrix->row_count, slices.stride);
    return sino_matrix_lists_bytes(matrix) + sino_times(worker_count, work) + sino_times(rows, (int64_t)sizeof(float));
}

SinoStatus sino_matrix_solution_bytes(const SinoProblem *problem, const SinoSolver *solver,
                                      const SinoMatrixFiles *files, int64_t history_numbers, int64_t set_count,
                                      int64_t worker_count, SinoMatrixStay stay, SinoMatrixSolutionBytes *result)
{
    const SinoMatrixSurvey *matrix = problem->matrix;
    const SinoBatch batch = {.stride = sino_panel_stride(SINO_SINGLE, set_count), .history_numbers = history_numbers};
    const int64_t real = (int64_t)sizeof(float), image = sino_times(matrix->order->column_count, real);
    const int64_t raw = sino_times(sino_times(matrix->outline.row_count, real),
                                   1 + (files->multiplicative != NULL) + (files->additive != NULL));
    const int64_t history = sino_times(slices_of(matrix), sino_times(history_numbers, (int64_t)sizeof(double)));
    SinoOperatorSize size;
    SINO_TRY(sino_bricks_kind.size(problem, NULL, worker_count, &size));
    const int64_t window = sino_times(stay.window_count, size.partition_bytes);
    const int64_t bricks = window > 0 ? sino_smaller(window, size.bytes) : size.bytes;
    SinoMatrixSolutionBytes bytes = {.bricks = bricks,
                                     .lists = stay.listed ? device_bytes(problem, solver, set_count, worker_count) : 0,
                                     .orders = size.map_bytes,
                                     .building = size.building_bytes,
                                     .vectors =
                                         sino_minibatch_bytes(&sino_bricks_kind, &solver->vectors, &size.shape, batch) +
                                         sino_solver_weight_bytes(solver, problem, &size.shape) + raw,
                                     .images = sino_times(IMAGES, image) + history};
    bytes.vectors += sino_matrix_mirror_bytes(matrix, batch.stride, worker_count);
    if (solver->weights) bytes.vectors += sino_matrix_mirror_bytes(matrix, 1, worker_count);
    if (files->multiplicative) bytes.vectors += sino_buffers_bytes(1, &factor_buffer, &size.shape, one_set);
    if (files->sensitivity) bytes.vectors += sino_buffers_bytes(1, &voxel_buffer, &size.shape, one_set);
    if (needs_image(files)) bytes.vectors += image;
    bytes.operator_bytes = bytes.bricks + bytes.lists + bytes.orders + bytes.building;
    bytes.data = bytes.vectors + bytes.images;
    bytes.total = bytes.operator_bytes + bytes.data;
    *result = bytes;
    return NULL;
}

/* The largest block has its share of the nonzeros. */
SinoStatus sino_matrix_device_need(const SinoProblem *problem, const SinoMatrixFiles *files, int64_t set_count,
                                   SinoMatrixDeviceNeed *result)
{
    const SinoMatrixSurvey *matrix = problem->matrix;
    const SinoSlices slices = slices_for(set_count);
    const int64_t real = (int64_t)sizeof(float), blocks = sino_times(matrix->subset_count, matrix->partition_count);
    const double bytes =
        (double)(sino_matrix_block_bytes(matrix, problem->precision) + sino_matrix_lists_bytes(matrix));
    int64_t nonzeros = 0, rows = 0;
    for (int64_t i = 0; i < blocks; i++) nonzeros = sino_larger(nonzeros, matrix->block[i].nonzero_count);
    for (int64_t s = 0; s < matrix->subset_count; s++) rows = sino_larger(rows, matrix->subset_rows[s]);
    const int64_t rays = sino_times(sino_times(rows, 1 + (files->additive != NULL)), slices.stride);
    const int64_t voxels = sino_times(sino_times(matrix->order->row_count, 2), slices.stride);
    *result = (SinoMatrixDeviceNeed){
        .block = (int64_t)(bytes * (double)nonzeros / (double)sino_larger(matrix->nonzero_count, 1)),
        .vectors = sino_times(rays + voxels + (files->multiplicative ? rows : 0), real) +
                   sino_bricks_work_bytes(sino_matrix_block_rows(matrix), slices)};
    return NULL;
}

/* ---- what is made once ---- */

static SinoStatus new_raw(Run *run)
{
    const SinoMatrixFiles *files = run->of.files;
    const SinoCountsFile *of[RAW] = {files->counts, files->multiplicative, files->additive};
    const int64_t rows = run->matrix->outline.row_count, voxels = run->matrix->order->column_count;
    SinoRuntime *runtime = run->of.runtime;
    for (int i = 0; i < RAW; i++)
        if (of[i]) SINO_TRY(sino_data_vector(runtime, "values of rows", rows, 1, sizeof(float), &run->raw[i]));
    if (needs_image(files))
        SINO_TRY(sino_data_vector(runtime, "values of voxels", voxels, 1, sizeof(float), &run->raw_image));
    return sino_data_new(runtime, "files", 0, &run->io);
}

static SinoStatus new_images(Run *run)
{
    SinoRuntime *runtime = run->of.runtime;
    const int64_t slices = slices_of(run->matrix), voxels = run->matrix->order->column_count;
    int64_t *zero = NULL;
    for (int i = 0; i < IMAGES; i++)
        SINO_TRY(sino_data_vector(runtime, "image", voxels, 1, sizeof(float), &run->image[i]));
    SINO_TRY(sino_data_vector(runtime, "history", slices, run->of.record->numbers, sizeof(double), &run->history));
    SINO_TRY(sino_allocate(slices, sizeof *zero, "images", &zero));
    SinoStatus status = sino_data_copy(runtime, "none", zero, slices * (int64_t)sizeof *zero, &run->none);
    free(zero);
    return status;
}

static SinoStatus new_data(Run *run)
{
    const SinoMatrixSolution *of = &run->of;
    const SinoShape *shape = &of->op->shape;
    const SinoMinibatchRequest request = {
        .op = of->op,
        .vectors = &of->solver->vectors,
        .slices = {SINO_SINGLE, sino_panel_stride(SINO_SINGLE, of->batch_sets), of->batch_sets},
        .history_numbers = of->record->numbers,
        .number = 1, /* number 0 is used by solvers' `prepare` */
        .overlap = true};
    SINO_TRY(new_raw(run));
    if (of->files->multiplicative && is_of_counts(of->solver))
        SINO_TRY(sino_buffer_new(of->runtime, &factor_buffer, shape, one_set, &run->factor));
    if (of->files->sensitivity)
        SINO_TRY(sino_buffer_new(of->runtime, &voxel_buffer, shape, one_set, &run->sensitivity));
    SINO_TRY(sino_minibatch_new(of->runtime, &request, &run->minibatch));
    return new_images(run);
}

static void free_data(Run *run)
{
    for (int i = 0; i < IMAGES; i++) sino_data_free(run->image[i]);
    for (int i = 0; i < RAW; i++) sino_data_free(run->raw[i]);
    sino_data_free(run->raw_image);
    sino_data_free_each(run->factor, run->matrix->subset_count);
    sino_data_free_each(run->sensitivity, 1);
    sino_data_free(run->history);
    sino_data_free(run->none);
    sino_minibatch_free(run->minibatch);
    sino_data_free(run->io);
}

/* ---- values from files ---- */

/* The list by which a subset's vectors get the values of rows; set −1: of every set. */
static SinoGather gather_of_rows(const Run *run, int64_t subset, SinoSlices slices, int64_t set)
{
    return (SinoGather){.row_count = run->matrix->subset_rows[subset],
                        .row = run->matrix->row + sino_matrix_subset_first(run->matrix, subset),
                        .slices = slices,
                        .set = set};
}

static SinoGather gather_of_voxels(const Run *run, SinoSlices slices, int64_t set)
{
    return (SinoGather){.row_count = run->matrix->order->row_count,
                        .column = run->matrix->order->column,
                        .mask = run->matrix->mask,
                        .slices = slices,
                        .set = set};
}

static const SinoSlices alone = {SINO_SINGLE, 1, 1};

/* n of every subset, and the sensitivity: once for the run. */
static SinoStatus insert_factors(Run *run)
{
    const SinoMatrixFiles *files = run->of.files;
    SinoRuntime *runtime = run->of.runtime;
    if (files->multiplicative)
        SINO_TRY(sino_insert_load_counts(runtime, SINO_NOWHERE, files->multiplicative, 0, run->io, run->raw[1]));
    for (int64_t s = 0; run->factor && s < run->matrix->subset_count; s++) {
        const SinoGather gather = gather_of_rows(run, s, alone, 0);
        SINO_TRY(sino_insert_gather_values(runtime, SINO_NOWHERE, &gather, true, run->raw[1], run->factor[s]));
    }
    if (!files->sensitivity) return NULL;
    const SinoGather gather = gather_of_voxels(run, alone, 0);
    SINO_TRY(sino_insert_load_counts(runtime, SINO_NOWHERE, files->sensitivity, 0, run->io, run->raw_image));
    return sino_insert_gather_values(runtime, SINO_NOWHERE, &gather, true, run->raw_image, run->sensitivity[0]);
}

/* Whether a file has a set for each of the counts. */
static bool is_by_set(const SinoCountsFile *file)
{
    return sino_counts_info(file)->set_count > 1;
}

/* Loads g of a set, and r where it is that of this set or the first one of the run. */
static SinoStatus insert_load(Run *run, int64_t set)
{
    const SinoMatrixFiles *files = run->of.files;
    SinoRuntime *runtime = run->of.runtime;
    const SinoPosition position = run->minibatch->position;
    SINO_TRY(sino_insert_load_counts(runtime, position, files->counts, set, run->io, run->raw[0]));
    if (!files->additive || (set > 0 && !is_by_set(files->additive))) return NULL;
    return sino_insert_load_counts(runtime, position, files->additive, is_by_set(files->additive) ? set : 0, run->io,
                                   run->raw[2]);
}

/* Line integrals, as solvers without a model of counts take them. */
static SinoStatus insert_integrals(Run *run, int64_t place)
{
    const SinoGather gather = gather_of_rows(run, 0, run->minibatch->slices, place);
    return sino_insert_gather_integrals(run->of.runtime, run->minibatch->position, &gather, place == 0, run->raw[0],
                                        run->raw[2], run->raw[1], run->minibatch->vector[0][0]);
}

/* Counts, and randoms and scatter, by subset. */
static SinoStatus insert_counts(Run *run, int64_t place)
{
    const SinoMinibatch *minibatch = run->minibatch;
    for (int64_t s = 0; s < run->matrix->subset_count; s++) {
        const SinoGather gather = gather_of_rows(run, s, minibatch->slices, place);
        SINO_TRY(sino_insert_gather_values(run->of.runtime, minibatch->position, &gather, place == 0, run->raw[0],
                                           minibatch->vector[SINO_COUNTS_G][s]));
        if (run->of.files->additive)
            SINO_TRY(sino_insert_gather_values(run->of.runtime, minibatch->position, &gather, place == 0, run->raw[2],
                                               minibatch->vector[SINO_COUNTS_R][s]));
    }
    return NULL;
}

/* The image that the set begins from, where the mask is not 0. */
static SinoStatus insert_start(Run *run, int64_t set, int64_t place)
{
    const SinoMatrixFiles *files = run->of.files;
    const SinoMinibatch *minibatch = run->minibatch;
    const SinoGather gather = gather_of_voxels(run, minibatch->slices, place);
    if (!files->start) return NULL;
    SINO_TRY(sino_insert_load_counts(run->of.runtime, minibatch->position, files->start,
                                     is_by_set(files->start) ? set : 0, run->io, run->raw_image));
    return sino_insert_gather_values(run->of.runtime, minibatch->position, &gather, place == 0, run->raw_image,
                                     minibatch->vector[SINO_COUNTS_X][0]);
}

/* Sets first … of the minibatch. */
static SinoStatus insert_sets(Run *run)
{
    for (int64_t i = 0; i < run->minibatch->slices.slice_count; i++) {
        const int64_t set = run->minibatch->first_slice + i;
        SINO_TRY(insert_load(run, set));
        SINO_TRY(is_of_counts(run->of.solver) ? insert_counts(run, i) : insert_integrals(run, i));
        SINO_TRY(insert_start(run, set, i));
    }
    return NULL;
}

/* ---- iterations ---- */

/* Work of an iteration: the sweep or the products, and the record of its residual. */
static double work_of_iteration(const Run *run)
{
    return sino_matrix_iteration_work(run->matrix) + (double)run->minibatch->slices.slice_count;
}

static SinoData *image_of(const Run *run, int64_t place)
{
    return run->image[place % IMAGES];
}

/* Makes the finished image of a set of the minibatch. */
static SinoStatus insert_image(Run *run, int64_t place, SinoData *image)
{
    const int64_t slices = slices_of(run->matrix);
    const SinoImaging imaging = {.scale = 1, .first = place * slices, .count = slices};
    const SinoGaussian *filter = &run->of.filter;
    SINO_TRY(sino_insert_image(run->minibatch, &imaging, image));
    if (!sino_minibatch_is_kept(run->minibatch)) return NULL;
    if (!(filter->fwhm[0] > 0 || filter->fwhm[1] > 0 || filter->fwhm[2] > 0)) return NULL;
    return sino_insert_gaussian(run->of.runtime, run->minibatch->position, filter, image);
}

/* Saves the images of all sets after an iteration, where that is asked for. The last iteration's are the volume. */
static SinoStatus save_images(Run *run, int64_t iteration)
{
    const SinoMatrixSave *save = &run->of.save;
    const bool last = iteration == run->solver_run.iterations;
    void *image;
    if (save->every == 0 || iteration % save->every != 0 || last || !sino_minibatch_is_kept(run->minibatch))
        return NULL;
    for (int64_t i = 0; i < run->minibatch->slices.slice_count; i++) {
        SINO_TRY(insert_image(run, i, image_of(run, i)));
        SINO_TRY(sino_data_acquire(image_of(run, i), SINO_READ, &image));
        SinoStatus status = sino_runtime_failed(run->of.runtime)
                                ? NULL
                                : save->save(save->of, iteration, run->minibatch->first_slice + i, image);
        sino_data_release(image_of(run, i));
        SINO_TRY(status);
    }
    return NULL;
}

static SinoStatus insert_iterations(Run *run)
{
    SinoSolverRun *solver_run = &run->solver_run;
    run->minibatch->stopped = false;
    SINO_TRY(run->of.solver->start(solver_run, run->minibatch));
    for (int64_t i = 1; i <= solver_run->iterations; i++) {
        if (sino_runtime_failed(run->of.runtime)) return NULL;
        SINO_TRY(sino_solver_look_for_stop(solver_run, run->minibatch, i,
                                           (double)(solver_run->iterations - i + 1) * work_of_iteration(run)));
        if (run->minibatch->stopped) return NULL;
        SINO_TRY(run->of.solver->iterate(solver_run, run->minibatch, i));
        SINO_TRY(save_images(run, i));
    }
    return NULL;
}

/* The progress that the store of an image tells. */
static void tell_saved(const Run *run, int64_t set)
{
    const SinoRecord *record = run->of.record;
    const int64_t slices = slices_of(run->matrix);
    SinoPosition position = run->minibatch->position;
    SinoMinibatchProgress now =
        sino_minibatch_progress(slices, record->numbers, record->columns - 1,
                                record->history + sino_times(sino_times(set, slices), record->numbers));
    position.minibatch = set;
    now.stored = true;
    sino_runtime_advance(run->of.runtime, (double)slices, position, &now);
}

/* Saves the last image of a set, for which this thread waits, and its history. */
static SinoStatus save_last(Run *run, int64_t place)
{
    const SinoRecord *record = run->of.record;
    const int64_t slices = slices_of(run->matrix), set = run->minibatch->first_slice + place;
    const size_t numbers = (size_t)record->numbers;
    void *image, *history;
    SINO_TRY(insert_image(run, place, image_of(run, place)));
    SINO_TRY(sino_data_acquire(image_of(run, place), SINO_READ, &image));
    SinoStatus status = sino_runtime_failed(run->of.runtime)
                            ? NULL
                            : run->of.save.save(run->of.save.of, record->columns - 1, set, image);
    sino_data_release(image_of(run, place));
    SINO_TRY(status);
    SINO_TRY(sino_data_acquire(run->minibatch->history, SINO_READ, &history));
    for (int64_t i = 0; i < slices; i++)
        memcpy(record->history + (size_t)(set * slices + i) * numbers,
               (const double *)history + (size_t)place * numbers, numbers * sizeof(double));
    sino_data_release(run->minibatch->history);
    tell_saved(run, set);
    return NULL;
}

static SinoStatus insert_store(Run *run, int64_t place)
{
    if (!run->of.volume) return save_last(run, place);
    SinoRecord *record = run->of.record;
    const int64_t slices = slices_of(run->matrix), set = run->minibatch->first_slice + place;
    SinoPosition position = run->minibatch->position;
    const SinoStore store = {.keeper = true,
                             .volume = run->of.volume,
                             .first_slice = set * slices,
                             .slice_count = slices,
                             .iteration_count = record->columns - 1,
                             .numbers = record->numbers,
                             .history = record->history,
                             .sections = record->sections};
    position.minibatch = set;
    SINO_TRY(insert_image(run, place, image_of(run, place)));
    SINO_TRY(sino_insert_repeat(run->of.runtime, position, slices, record->numbers * (int64_t)sizeof(double), place,
                                run->minibatch->history, run->history));
    return sino_insert_store(run->of.runtime, position, &store, run->io, image_of(run, place), run->history, run->none,
                             run->none);
}

/* The counts that no voxel explained in the last iteration. */
static SinoStatus take_lost(Run *run)
{
    void *lost;
    if (!is_of_counts(run->of.solver)) return NULL;
    SINO_TRY(sino_data_acquire(sino_matrix_lost(run->minibatch->work), SINO_READ, &lost));
    memcpy(run->of.lost + run->minibatch->first_slice, lost,
           (size_t)run->minibatch->slices.slice_count * sizeof *run->of.lost);
    sino_data_release(sino_matrix_lost(run->minibatch->work));
    return NULL;
}

/* Solves the sets `first` and those behind it that fit the minibatch. */
static SinoStatus insert_minibatch(Run *run, int64_t first)
{
    SinoMinibatch *minibatch = run->minibatch;
    minibatch->first_slice = first;
    minibatch->slices.slice_count = sino_smaller(run->of.batch_sets, run->of.set_count - first);
    minibatch->position.slab = 0;
    minibatch->position.minibatch = first / run->of.batch_sets;
    SINO_TRY(insert_sets(run));
    SINO_TRY(insert_iterations(run));
    for (int64_t i = 0; i < minibatch->slices.slice_count && sino_minibatch_is_kept(minibatch); i++)
        SINO_TRY(insert_store(run, i));
    return take_lost(run);
}

static SinoStatus insert_all(Run *run)
{
    SINO_TRY(insert_factors(run));
    if (run->of.solver->prepare) SINO_TRY(run->of.solver->prepare(&run->solver_run));
    sino_runtime_profile_begin(run->of.runtime);
    for (int64_t first = 0; first < run->of.set_count; first += run->of.batch_sets) {
        if (sino_runtime_failed(run->of.runtime)) return NULL;
        SINO_TRY(insert_minibatch(run, first));
    }
    return NULL;
}

/* Announces the work: the iterations of each minibatch, and the store of each slice. */
static SinoStatus expect(const Run *run)
{
    const int64_t slices = slices_of(run->matrix), sets = run->of.set_count;
    const int64_t batches = sino_ceil_divide(sets, run->of.batch_sets);
    const int64_t all = sino_times(slices, sets);
    const SinoProgressShape shape = {.slice_count = all,
                                     .slab_slices = all,
                                     .slab_minibatches = sets,
                                     .minibatch_slices = slices,
                                     .iteration_count = run->solver_run.iterations};
    const double products = (double)batches * sino_matrix_iteration_work(run->matrix);
    const double work = (double)run->solver_run.iterations * (products + (double)sets);
    return sino_runtime_expect(run->of.runtime, work + (double)all, &shape);
}

int64_t sino_matrix_batch_sets(const SinoMatrixSurvey *matrix, int64_t set_count)
{
    return sino_smaller(set_count, sino_smaller(2 * sino_panel_width(SINO_SINGLE), sino_matrix_sets_most(matrix)));
}

void sino_matrix_tell_lost(SinoLog *log, int64_t subset_count, int64_t set_count, const double *lost)
{
    double sum = 0;
    char why[160] = "";
    if (subset_count > 1)
        snprintf(why, sizeof why,
                 ": a voxel without counts in one of %" PRId64
                 " subsets stays 0; --subsets with a smaller number, or --algorithm mlem, may keep them",
                 subset_count);
    for (int64_t s = 0; s < set_count; s++) sum += lost[s];
    if (sum > 0)
        sino_log_warning(log, "counts",
                         "%.10g counts are in rows that no voxel explains; they have no part in the image%s", sum, why);
}

SinoStatus sino_matrix_solve(const SinoMatrixSolution *solution)
{
    SinoRuntime *runtime = solution->runtime;
    Run run = {.of = *solution,
               .matrix = solution->op->problem.matrix,
               .solver_run = {.runtime = runtime,
                              .op = solution->op,
                              .settings = solution->settings,
                              .stride = sino_panel_stride(SINO_SINGLE, solution->batch_sets),
                              .iterations = solution->record->columns - 1,
                              .has_likelihood = solution->solver->has_likelihood,
                              .bounds = sino_solver_bounds(solution->settings, 1)}};
    SinoStatus status = expect(&run);
    if (!status) status = new_data(&run);
    run.model = (SinoCountModel){.multiplicative = run.factor,
                                 .sensitivity = run.sensitivity ? run.sensitivity[0] : NULL,
                                 .started = solution->files->start != NULL};
    run.solver_run.counts = &run.model;
    if (!status) status = insert_all(&run);
    status = sino_runtime_wait_after(runtime, status);
    if (!status) sino_runtime_profile_report(runtime, "");
    if (solution->solver->release) solution->solver->release(&run.solver_run);
    free_data(&run);
    return status;
}
