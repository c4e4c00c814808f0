/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone solution: the graph of an iterative reconstruction of a cone beam.
 *
 *     of each piece:  load → stages → count → columns
 *     start → iterate × iterations
 *     of each image:  assemble_cone from every band → store
 *
 * The whole volume is one minibatch of one slice (cone_kind.h), so that the scan and the vectors of the solver are in
 * memory at the same time. */
#include "cone_solution.h"

#include "arithmetic.h"
#include "columns_task.h"
#include "cone_kind.h"
#include "memory.h"
#include "repeat_task.h"

#include <stdlib.h>

enum { IMAGE_SETS_MAX = 64 };

static const SinoSlices whole = {.precision = SINO_SINGLE, .stride = 1, .slice_count = 1};

typedef struct Run {
    SinoConeSolution of;
    const SinoCone *cone;
    SinoSolverRun solver_run;
    SinoConePieces *pieces;
    SinoAngleRun *piece; /* the angles of each piece; owned */
    SinoMinibatch *minibatch;
    SinoData *image[IMAGE_SETS_MAX];
    SinoData *undefined; /* as the tally of the record */
    SinoData *none;      /* zeros: no undefined values */
    SinoData *history;   /* of the volume, once for each slice of an image */
} Run;

/* ---- bytes ---- */

SinoStatus sino_cone_solution_bytes(const SinoProblem *problem, const SinoInput *input, const SinoSolver *solver,
                                    int64_t history_numbers, const SinoConeSets *sets, int64_t worker_count,
                                    SinoConeSolutionBytes *result)
{
    const SinoCone *cone = problem->cone;
    const SinoOperatorKind *kind = sino_operator_kind(problem);
    const SinoBatch batch = {.stride = 1, .history_numbers = history_numbers};
    const int64_t slice = sino_times(cone->x_count, cone->y_count), real = (int64_t)sizeof(float);
    const int64_t history = sino_times(sets->image_slices, sino_times(history_numbers, (int64_t)sizeof(double)));
    const int64_t tally =
        sino_times(cone->angle_count + cone->column_count + cone->row_count, (int64_t)sizeof(int64_t));
    SinoOperatorSize size;
    SINO_CHECK(kind, SINO_BAD_INPUT,
               "precision is not single; allowed with --geometry cone and an iterative "
               "algorithm: single");
    SINO_TRY(kind->size(problem, NULL, worker_count, &size));
    SinoConeSolutionBytes bytes = {
        .vectors = sino_minibatch_bytes(kind, &solver->vectors, &size.shape, batch) +
                   sino_solver_weight_bytes(solver, problem, &size.shape),
        .pieces = sino_cone_pieces_bytes(cone, input, cone->row_count, sets->piece_sets, 1),
        .images = sino_times(sino_times(sets->image_sets, sets->image_slices), sino_times(slice, real)) + history +
                  2 * sino_larger(tally, sino_times(sets->image_slices, (int64_t)sizeof(int64_t))),
        .scratch = size.map_bytes};
    bytes.data = bytes.vectors + bytes.pieces + bytes.images;
    bytes.total = bytes.data + bytes.scratch;
    *result = bytes;
    return NULL;
}

/* ---- what is made once ---- */

static int64_t piece_count(const Run *run)
{
    return sino_ceil_divide(run->cone->angle_count, SINO_PIECE_PROJECTIONS);
}

static SinoStatus new_pieces(Run *run)
{
    const SinoConePiecesRequest request = {.runtime = run->of.runtime,
                                           .input = run->of.input,
                                           .cone = run->cone,
                                           .record = run->of.record,
                                           .row_count = run->cone->row_count,
                                           .set_count = run->of.sets->piece_sets,
                                           .field_set_count = 1,
                                           .marked = true};
    SINO_TRY(sino_allocate(piece_count(run), sizeof *run->piece, "pieces", &run->piece));
    for (int64_t i = 0; i < piece_count(run); i++) {
        const int64_t first = i * SINO_PIECE_PROJECTIONS;
        run->piece[i] = (SinoAngleRun){first, sino_smaller(SINO_PIECE_PROJECTIONS, run->cone->angle_count - first)};
    }
    return sino_cone_pieces_new(&request, &run->pieces);
}

static SinoStatus new_images(Run *run)
{
    SinoRuntime *runtime = run->of.runtime;
    const int64_t slices = run->of.sets->image_slices, pixels = sino_times(run->cone->y_count, run->cone->x_count);
    const int64_t tally = sino_cone_tally_count(run->of.input, run->of.record), zeros = sino_larger(tally, slices);
    int64_t *zero = NULL;
    for (int64_t i = 0; i < run->of.sets->image_sets; i++)
        SINO_TRY(sino_data_vector(runtime, "image", slices, pixels, sizeof(float), &run->image[i]));
    SINO_TRY(sino_data_vector(runtime, "undefined", tally, 1, sizeof(int64_t), &run->undefined));
    SINO_TRY(sino_data_vector(runtime, "history", slices, run->of.record->numbers, sizeof(double), &run->history));
    SINO_TRY(sino_allocate(zeros, sizeof *zero, "images", &zero));
    SinoStatus status = sino_data_copy(runtime, "none", zero, zeros * (int64_t)sizeof *zero, &run->none);
    free(zero);
    return status;
}

static SinoStatus new_data(Run *run)
{
    const SinoMinibatchRequest request = {.op = run->of.op,
                                          .vectors = &run->of.solver->vectors,
                                          .slices = whole,
                                          .history_numbers = run->of.record->numbers,
                                          .number = 1, /* number 0 is used by solvers' `prepare` */
                                          .overlap = true};
    SINO_TRY(new_pieces(run));
    SINO_TRY(sino_minibatch_new(run->of.runtime, &request, &run->minibatch));
    run->minibatch->position.slab = 0;
    run->minibatch->position.minibatch = 0;
    return new_images(run);
}

static void free_data(Run *run)
{
    for (int i = 0; i < IMAGE_SETS_MAX; i++) sino_data_free(run->image[i]);
    sino_data_free(run->undefined);
    sino_data_free(run->none);
    sino_data_free(run->history);
    sino_minibatch_free(run->minibatch);
    sino_cone_pieces_free(run->pieces);
    free(run->piece);
}

/* ---- the graph ---- */

/* Loads all projections; the first vector of the minibatch gets their rays. */
static SinoStatus insert_pieces(Run *run)
{
    const SinoSlices rows = {SINO_SINGLE, sino_panel_stride(SINO_SINGLE, run->cone->row_count), run->cone->row_count};
    for (int64_t i = 0; i < piece_count(run); i++) {
        const SinoConePiece piece = {.position = run->minibatch->position,
                                     .angles = &run->piece[i],
                                     .rows = {0, run->cone->row_count},
                                     .first = i == 0,
                                     .undefined = run->undefined};
        const SinoColumns columns = {.angle_count = piece.angles->count,
                                     .column_count = run->cone->column_count,
                                     .rows = rows,
                                     .place = run->of.op->place + piece.angles->first};
        SinoData *sinogram;
        if (sino_runtime_failed(run->of.runtime)) return NULL;
        SINO_TRY(sino_cone_pieces_insert(run->pieces, &piece, &sinogram));
        SINO_TRY(sino_insert_columns(run->of.runtime, piece.position, &columns, i == 0, sinogram,
                                     run->minibatch->vector[0][0]));
    }
    return NULL;
}

/* Work of an iteration: the products, and the record of its residual. */
static double work_of_iteration(const Run *run)
{
    return 2 * sino_cone_product_work(run->cone) + 1;
}

static SinoStatus insert_iterations(Run *run)
{
    SINO_TRY(run->of.solver->start(&run->solver_run, run->minibatch));
    for (int64_t i = 1; i <= run->solver_run.iterations; i++) {
        if (sino_runtime_failed(run->of.runtime)) return NULL;
        SINO_TRY(sino_solver_look_for_stop(&run->solver_run, run->minibatch, i,
                                           (double)(run->solver_run.iterations - i + 1) * work_of_iteration(run)));
        if (run->minibatch->stopped) return NULL;
        SINO_TRY(run->of.solver->iterate(&run->solver_run, run->minibatch, i));
    }
    return NULL;
}

static bool is_done(const Run *run, int64_t first, int64_t count)
{
    return sino_volume_is_done(run->of.volume, first, count);
}

/* Stores image `number`. The first one carries the undefined values of the scan. */
static SinoStatus insert_image(Run *run, int64_t number)
{
    SinoRecord *record = run->of.record;
    const int64_t first = sino_times(number, run->of.sets->image_slices);
    const int64_t count = sino_smaller(run->of.sets->image_slices, run->cone->z_count - first);
    const SinoImaging imaging = {
        .scale = run->of.scale, .mask_ratio = run->of.settings->mask_ratio, .first = first, .count = count};
    SinoPosition position = run->minibatch->position;
    SinoData *image = run->image[number % run->of.sets->image_sets];
    const SinoStore store = {.keeper = true,
                             .volume = run->of.volume,
                             .journal = run->of.journal,
                             .first_slice = first,
                             .slice_count = count,
                             .iteration_count = record->columns - 1,
                             .numbers = record->numbers,
                             .history = record->history,
                             .tallied = number == 0,
                             .tally = sino_cone_tally(run->of.input, record),
                             .sections = record->sections};
    if (is_done(run, first, count)) return NULL;
    position.minibatch = number;
    SINO_TRY(sino_insert_image(run->minibatch, &imaging, image));
    return sino_insert_store(run->of.runtime, position, &store, sino_cone_pieces_io(run->pieces), image, run->history,
                             run->none, number == 0 ? run->undefined : run->none);
}

static SinoStatus insert_images(Run *run)
{
    const int64_t slices = run->of.sets->image_slices;
    SINO_TRY(sino_insert_repeat(run->of.runtime, run->minibatch->position, slices,
                                run->of.record->numbers * (int64_t)sizeof(double), 0, run->minibatch->history,
                                run->history));
    for (int64_t i = 0; i < sino_ceil_divide(run->cone->z_count, slices); i++) SINO_TRY(insert_image(run, i));
    return NULL;
}

/* An earlier run may have stored all slices; then only the sinogram's picture is wanted. */
static SinoStatus insert_all(Run *run)
{
    const bool wanted = !is_done(run, 0, run->cone->z_count);
    SinoStatus status = NULL;
    if (wanted && run->of.solver->prepare) SINO_TRY(run->of.solver->prepare(&run->solver_run));
    sino_runtime_profile_begin(run->of.runtime);
    if (wanted || run->of.record->sinogram) status = insert_pieces(run);
    if (!status && wanted) status = insert_iterations(run);
    return status || !wanted ? status : insert_images(run);
}

/* Announces the work: the products of each iteration, and the store of each slice. */
static SinoStatus expect(const Run *run)
{
    const int64_t slices = run->cone->z_count;
    const SinoProgressShape shape = {.slice_count = slices,
                                     .slab_slices = slices,
                                     .slab_minibatches = 1,
                                     .minibatch_slices = slices,
                                     .iteration_count = run->solver_run.iterations};
    double work = 0;
    for (int64_t i = 0; i < slices; i++) work += !is_done(run, i, 1);
    if (work > 0) work += (double)run->solver_run.iterations * work_of_iteration(run);
    return sino_runtime_expect(run->of.runtime, work, &shape);
}

SinoStatus sino_cone_solve(const SinoConeSolution *solution)
{
    SinoRuntime *runtime = solution->runtime;
    Run run = {.of = *solution,
               .cone = solution->op->problem.cone,
               .solver_run = {.runtime = runtime,
                              .op = solution->op,
                              .settings = solution->settings,
                              .stride = 1,
                              .iterations = solution->record->columns - 1,
                              .has_likelihood = solution->solver->has_likelihood,
                              .bounds = sino_solver_bounds(solution->settings, solution->scale)}};
    SinoStatus status = expect(&run);
    if (!status) status = new_data(&run);
    if (!status) status = insert_all(&run);
    status = sino_runtime_wait_after(runtime, status);
    if (!status) sino_runtime_profile_report(runtime, "");
    if (solution->solver->release) solution->solver->release(&run.solver_run);
    free_data(&run);
    return status;
}
