/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix solution: the units of a system matrix, which are sets of counts.
 *
 *     of each set:  load_counts → gather_values or gather_integrals, by subset
 *     start → iterate × iterations
 *     of each set:  voxels_image → gaussian → store
 *
 * Sets that are solved together are the slices of a minibatch; one minibatch follows another. */
#include "matrix_solution.h"

#include "bricks_tasks.h"
#include "files_tasks.h"
#include "memory.h"
#include "simulation.h"
#include "solve.h"
#include "solvers_tasks.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGES = 2, RAW = 3 /* counts, factors and additive of a set, as the files have them */ };

static const SinoBuffer factor_buffer = {"factors", SINO_ROWS_SUBSET, SINO_ELEMENT_REAL, SINO_LANES_SLICES};
static const SinoBuffer voxel_buffer = {"sensitivity", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES};
static const SinoBatch one_set = {.stride = 1, .history_numbers = 1};

typedef struct Run {
    SinoMatrixSolution of;
    const SinoMatrixSurvey *matrix;
    SinoSolve solve;
    SinoCountModel model;
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
                                      int64_t worker_count, SinoMatrixStay stay, SinoUnitBytes *result)
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
    SinoUnitBytes bytes = {.bricks = bricks,
                           .lists = stay.listed ? device_bytes(problem, solver, set_count, worker_count) : 0,
                           .orders = size.map_bytes,
                           .building = size.building_bytes,
                           .vectors = sino_minibatch_bytes(&sino_bricks_kind, &solver->vectors, &size.shape, batch) +
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

static void free_data(Run *run)
{
    for (int i = 0; i < IMAGES; i++) sino_data_free(run->image[i]);
    for (int i = 0; i < RAW; i++) sino_data_free(run->raw[i]);
    sino_data_free(run->raw_image);
    sino_data_free_each(run->factor, run->matrix->subset_count);
    sino_data_free_each(run->sensitivity, 1);
    sino_data_free(run->history);
    sino_data_free(run->none);
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

static SinoStatus new_data(void *of)
{
    Run *run = of;
    const SinoMatrixFiles *files = run->of.files;
    SinoRuntime *runtime = run->of.runtime;
    const SinoShape *shape = &run->of.op->shape;
    SINO_TRY(new_raw(run));
    if (files->multiplicative && is_of_counts(run->of.solver))
        SINO_TRY(sino_buffer_new(runtime, &factor_buffer, shape, one_set, &run->factor));
    if (files->sensitivity) SINO_TRY(sino_buffer_new(runtime, &voxel_buffer, shape, one_set, &run->sensitivity));
    run->model = (SinoCountModel){.multiplicative = run->factor,
                                  .sensitivity = run->sensitivity ? run->sensitivity[0] : NULL,
                                  .started = files->start != NULL};
    SINO_TRY(new_images(run));
    return insert_factors(run);
}

enum { HALVES = 2 };

/* The set of the files that is solved as number `set`. */
static int64_t set_of_files(const Run *run, int64_t set)
{
    return run->of.first_set + (run->of.halved ? set / HALVES : set);
}

/* The set of one file, which may have one for all. */
static int64_t set_of_file(const Run *run, const SinoCountsFile *file, int64_t set)
{
    return sino_counts_info(file)->set_count > 1 ? set_of_files(run, set) : 0;
}

/* Loads g of a set, and r where it is that of this set or the first one of the run. */
static SinoStatus insert_load(Run *run, SinoPosition position, int64_t set)
{
    const SinoMatrixFiles *files = run->of.files;
    SinoRuntime *runtime = run->of.runtime;
    SINO_TRY(sino_insert_load_counts(runtime, position, files->counts, set_of_files(run, set), run->io, run->raw[0]));
    if (!files->additive || (set > 0 && sino_counts_info(files->additive)->set_count == 1)) return NULL;
    return sino_insert_load_counts(runtime, position, files->additive, set_of_file(run, files->additive, set), run->io,
                                   run->raw[2]);
}

/* Line integrals, as solvers without a model of counts take them. */
static SinoStatus insert_integrals(Run *run, const SinoMinibatch *minibatch, int64_t place)
{
    const SinoGather gather = gather_of_rows(run, 0, minibatch->slices, place);
    return sino_insert_gather_integrals(run->of.runtime, minibatch->position, &gather, place == 0, run->raw[0],
                                        run->raw[2], run->raw[1], minibatch->vector[0][0]);
}

/* Counts, and randoms and scatter, by subset. */
static SinoStatus insert_counts(Run *run, const SinoMinibatch *minibatch, int64_t place)
{
    const int64_t set = minibatch->first_slice + place;
    for (int64_t s = 0; s < run->matrix->subset_count; s++) {
        SinoGather gather = gather_of_rows(run, s, minibatch->slices, place);
        gather.seed = (uint64_t)set_of_files(run, set);
        if (run->of.halved) gather.share = set % HALVES == 0 ? SINO_SHARE_FIRST : SINO_SHARE_SECOND;
        SINO_TRY(sino_insert_gather_values(run->of.runtime, minibatch->position, &gather, place == 0, run->raw[0],
                                           minibatch->vector[SINO_COUNTS_G][s]));
        if (run->of.halved) gather.share = SINO_SHARE_HALF;
        if (run->of.files->additive)
            SINO_TRY(sino_insert_gather_values(run->of.runtime, minibatch->position, &gather, place == 0, run->raw[2],
                                               minibatch->vector[SINO_COUNTS_R][s]));
    }
    return NULL;
}

/* The image that the set begins from, where the mask is not 0. */
static SinoStatus insert_start(Run *run, const SinoMinibatch *minibatch, int64_t place)
{
    const SinoMatrixFiles *files = run->of.files;
    const int64_t set = minibatch->first_slice + place;
    const SinoGather gather = gather_of_voxels(run, minibatch->slices, place);
    if (!files->start) return NULL;
    SINO_TRY(sino_insert_load_counts(run->of.runtime, minibatch->position, files->start,
                                     set_of_file(run, files->start, set), run->io, run->raw_image));
    return sino_insert_gather_values(run->of.runtime, minibatch->position, &gather, place == 0, run->raw_image,
                                     minibatch->vector[SINO_COUNTS_X][0]);
}

static SinoStatus insert_sets(void *of, SinoMinibatch *minibatch)
{
    Run *run = of;
    for (int64_t i = 0; i < minibatch->slices.slice_count; i++) {
        SINO_TRY(insert_load(run, minibatch->position, minibatch->first_slice + i));
        SINO_TRY(is_of_counts(run->of.solver) ? insert_counts(run, minibatch, i) : insert_integrals(run, minibatch, i));
        SINO_TRY(insert_start(run, minibatch, i));
    }
    return NULL;
}

/* ---- images ---- */

static SinoData *image_of(const Run *run, int64_t place)
{
    return run->image[place % IMAGES];
}

/* Makes the finished image of a set of the minibatch. */
static SinoStatus insert_image(Run *run, SinoMinibatch *minibatch, int64_t place)
{
    const int64_t slices = slices_of(run->matrix);
    const SinoImaging imaging = {.scale = 1, .first = place * slices, .count = slices};
    const SinoGaussian *filter = &run->of.filter;
    SinoData *image = image_of(run, place);
    SINO_TRY(sino_insert_image(minibatch, &imaging, image));
    if (!sino_minibatch_is_kept(minibatch)) return NULL;
    if (!(filter->fwhm[0] > 0 || filter->fwhm[1] > 0 || filter->fwhm[2] > 0)) return NULL;
    return sino_insert_gaussian(run->of.runtime, minibatch->position, filter, image);
}

/* Saves the images of all sets after an iteration, where that is asked for. The last iteration's are the volume. */
static SinoStatus save_images(void *of, SinoMinibatch *minibatch, int64_t iteration)
{
    Run *run = of;
    const SinoMatrixSave *save = &run->of.save;
    const bool last = iteration == run->solve.run.iterations;
    void *image;
    if (save->every == 0 || iteration % save->every != 0 || last || !sino_minibatch_is_kept(minibatch)) return NULL;
    for (int64_t i = 0; i < minibatch->slices.slice_count; i++) {
        SINO_TRY(insert_image(run, minibatch, i));
        SINO_TRY(sino_data_acquire(image_of(run, i), SINO_READ, &image));
        SinoStatus status = sino_runtime_failed(run->of.runtime)
                                ? NULL
                                : save->save(save->of, iteration, minibatch->first_slice + i, image);
        sino_data_release(image_of(run, i));
        SINO_TRY(status);
    }
    return NULL;
}

/* Tells the progress of a set that is stored, and its steps. */
static void tell_stored(const Run *run, SinoPosition position, int64_t set, double steps)
{
    const SinoRecord *record = run->of.record;
    const int64_t slices = slices_of(run->matrix);
    if (run->of.halved) return;
    SinoMinibatchProgress now =
        sino_minibatch_progress(slices, record->numbers, record->columns - 1,
                                record->history + sino_times(sino_times(set, slices), record->numbers));
    position.minibatch = set;
    now.stored = true;
    sino_runtime_advance(run->of.runtime, steps, position, &now);
}

/* Saves the last image of a set, for which this thread waits, and its history. */
static SinoStatus save_last(Run *run, SinoMinibatch *minibatch, int64_t place)
{
    const SinoRecord *record = run->of.record;
    const int64_t slices = slices_of(run->matrix), set = minibatch->first_slice + place;
    const size_t numbers = (size_t)record->numbers;
    void *image, *history;
    SINO_TRY(insert_image(run, minibatch, place));
    SINO_TRY(sino_data_acquire(image_of(run, place), SINO_READ, &image));
    SinoStatus status = sino_runtime_failed(run->of.runtime)
                            ? NULL
                            : run->of.save.save(run->of.save.of, record->columns - 1, set, image);
    sino_data_release(image_of(run, place));
    SINO_TRY(status);
    SINO_TRY(sino_data_acquire(minibatch->history, SINO_READ, &history));
    for (int64_t i = 0; i < slices; i++)
        memcpy(record->history + (size_t)(set * slices + i) * numbers,
               (const double *)history + (size_t)place * numbers, numbers * sizeof(double));
    sino_data_release(minibatch->history);
    tell_stored(run, minibatch->position, set, (double)slices);
    return NULL;
}

static SinoStatus insert_store(Run *run, SinoMinibatch *minibatch, int64_t place)
{
    const bool simulated = SINO_SIMULATES && !run->of.halved; /* without a volume that there would be */
    if (!run->of.volume && run->of.save.save && !simulated) return save_last(run, minibatch, place);
    SinoRecord *record = run->of.record;
    const int64_t slices = slices_of(run->matrix), set = minibatch->first_slice + place;
    SinoPosition position = minibatch->position;
    const SinoStore store = {.keeper = true,
                             .volume = run->of.volume,
                             .journal = run->of.journal,
                             .first_slice = set * slices,
                             .slice_count = slices,
                             .iteration_count = record->columns - 1,
                             .numbers = record->numbers,
                             .history = record->history,
                             .sections = record->sections};
    position.minibatch = set;
    SINO_TRY(insert_image(run, minibatch, place));
    SINO_TRY(sino_insert_repeat(run->of.runtime, position, slices, record->numbers * (int64_t)sizeof(double), place,
                                minibatch->history, run->history));
    return sino_insert_store(run->of.runtime, position, &store, run->io, image_of(run, place), run->history, run->none,
                             run->none);
}

/* The counts that no voxel explained in the last iteration, and the strength of the prior. */
static SinoStatus take_results(void *of, const SinoMinibatch *minibatch)
{
    const Run *run = of;
    void *lost;
    if (!is_of_counts(run->of.solver)) return NULL;
    SINO_TRY(sino_data_acquire(sino_matrix_lost(minibatch->work), SINO_READ, &lost));
    memcpy(run->of.lost + minibatch->first_slice, lost, (size_t)minibatch->slices.slice_count * sizeof *run->of.lost);
    sino_data_release(sino_matrix_lost(minibatch->work));
    if (!run->of.strength) return NULL;
    return sino_solver_counts_strengths(&run->solve.run, minibatch, run->of.strength + minibatch->first_slice);
}

static SinoStatus insert_stores(void *of, SinoMinibatch *minibatch)
{
    Run *run = of;
    for (int64_t i = 0; i < minibatch->slices.slice_count && sino_minibatch_is_kept(minibatch); i++)
        SINO_TRY(insert_store(run, minibatch, i));
    return NULL;
}

static int64_t left(const void *of, int64_t first, int64_t count)
{
    const Run *run = of;
    const int64_t slices = slices_of(run->matrix), all = count * slices;
    const bool done = run->of.volume && sino_volume_is_done(run->of.volume, first * slices, all);
    return done ? 0 : all;
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
    for (int64_t s = 0; s < set_count; s++) sum += isnan(lost[s]) ? 0 : lost[s];
    if (sum > 0)
        sino_log_warning(log, "counts",
                         "%.10g counts are in rows that no voxel explains; they have no part in the image%s", sum, why);
}

/* Sets that an earlier run has stored. */
static void pass(const void *of, SinoPosition position, int64_t first, int64_t count)
{
    const Run *run = of;
    for (int64_t set = first; set < first + count; set++) {
        tell_stored(run, position, set, 0);
        run->of.lost[set] = NAN;
    }
}

static const SinoUnitKind sets = {.open = new_data,
                                  .left = left,
                                  .fill = insert_sets,
                                  .iterated = save_images,
                                  .store = insert_stores,
                                  .stored = take_results,
                                  .passed = pass};

SinoStatus sino_matrix_solve(const SinoMatrixSolution *solution)
{
    const SinoMatrixSolution *of = solution;
    const SinoMatrixSurvey *matrix = of->op->problem.matrix;
    const int64_t count = of->halved ? sino_times(HALVES, of->set_count) : of->set_count;
    const int64_t slices = slices_of(matrix), all = sino_times(slices, count);
    Run run = {.of = *of, .matrix = matrix};
    run.solve = (SinoSolve){
        .solver = of->solver,
        .run = {.runtime = of->runtime,
                .op = of->op,
                .settings = of->settings,
                .iterations = of->record->columns - 1,
                .counts = &run.model,
                .bounds = sino_solver_bounds(&of->settings->solver, 1)},
        .units = {.kind = &sets,
                  .of = &run,
                  .count = count,
                  .minibatch = of->batch_sets,
                  .slots = 1,
                  .slab_count = sino_ceil_divide(count, of->batch_sets),
                  .iterations = of->iterations,
                  .minibatch_work = sino_matrix_iteration_work(matrix)},
        .slices = {SINO_SINGLE, sino_panel_stride(SINO_SINGLE, of->batch_sets), of->batch_sets},
        .history_numbers = of->record->numbers,
        .overlap = true,
        .aside = of->halved,
        .shape = {.slice_count = all, .slab_slices = all, .slab_minibatches = count, .minibatch_slices = slices}};
    SinoStatus status = sino_solve(&run.solve);
    free_data(&run);
    return status;
}
