/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone solution: the unit of a cone beam, which is the volume.
 *
 *     of each piece:  load → stages → count → columns
 *     [ of each image:  load_volume → fill_cone ]
 *     start → iterate × iterations
 *     of each image:  assemble_cone from every band → store
 *
 * It is a minibatch of one slice (cone_kind.h), so that the scan and the vectors of the solver are in memory at the
 * same time. Of several ranks each loads its own angles; they take turns in storing images. */
#include "cone_solution.h"

#include "cone_kind.h"
#include "cone_tasks.h"
#include "files_tasks.h"
#include "memory.h"
#include "solve.h"
#include "solvers_tasks.h"
#include "stages.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

enum { IMAGE_SETS_MAX = 64 };

typedef struct Run {
    SinoConeSolution of;
    const SinoCone *cone;
    SinoSolve solve;
    SinoConePieces *pieces;
    SinoAngleRun *piece; /* [piece_count]: the angles of each; owned */
    int64_t piece_count;
    SinoData *image[IMAGE_SETS_MAX];
    SinoData *undefined; /* as the tally of the record */
    SinoData *none;      /* zeros: no undefined values */
    SinoData *history;   /* of the volume, once for each slice of an image */
} Run;

/* ---- bytes ---- */

/* The least window of scratch files: for each worker a band that it reads, one that it writes, and the rays of some
 * angles; and what comes in before it is seen (paged_memory.h). */
static int64_t least_window(const SinoCone *cone, const SinoOperatorSize *size, int64_t worker_count)
{
    enum { BANDS = 2, ANGLES = 4, UNSEEN = 16 << 20 };
    const int64_t rays = sino_times(ANGLES, sino_times(cone->column_count, cone->row_count));
    const int64_t elements = sino_times(BANDS, size->shape.extent[SINO_ROWS_VOXELS].most) + rays;
    return UNSEEN + sino_times(worker_count, sino_times(elements, (int64_t)sizeof(float)));
}

SinoStatus sino_cone_solution_bytes(const SinoProblem *problem, const SinoInput *input, const SinoSolver *solver,
                                    bool supported, int64_t history_numbers, const SinoConeSets *sets,
                                    int64_t worker_count, int64_t rank_count, SinoUnitBytes *result)
{
    const SinoDivision division = {.topology.rank_count = rank_count};
    const SinoCone *cone = problem->cone;
    const SinoOperatorKind *kind = sino_operator_kind(problem);
    const SinoBatch batch = {.stride = 1, .history_numbers = history_numbers};
    const int64_t slice = sino_times(cone->x_count, cone->y_count), real = (int64_t)sizeof(float);
    const int64_t history = sino_times(sets->image_slices, sino_times(history_numbers, (int64_t)sizeof(double)));
    const int64_t tally =
        sino_times(cone->angle_count + cone->column_count + cone->row_count, (int64_t)sizeof(int64_t));
    SinoScanInfo info;
    const SinoInput loaded = sino_integrals_input(input, &info);
    const int64_t images_of_worker = sino_input_images_bytes(&loaded, sino_times(cone->row_count, loaded.binning));
    const int64_t of_solver = solver->scratch_bytes ? solver->scratch_bytes(problem) : 0;
    SinoOperatorSize size;
    SINO_CHECK(kind, SINO_BAD_INPUT,
               "precision is not single; allowed with --geometry cone and an iterative "
               "algorithm: single");
    SINO_TRY(kind->size(problem, &division, worker_count, &size));
    SinoUnitBytes bytes = {
        .vectors = sino_minibatch_bytes(kind, &solver->vectors, &size.shape, batch) +
                   sino_solver_weight_bytes(solver, problem, &size.shape) +
                   (supported ? sino_support_bytes(&size.shape) : 0),
        .pieces = sino_cone_pieces_bytes(cone, &loaded, cone->row_count, sets->piece_sets, 1),
        .images = sino_times(sino_times(sets->image_sets, sets->image_slices), sino_times(slice, real)) + history +
                  2 * sino_larger(tally, sino_times(sets->image_slices, (int64_t)sizeof(int64_t))),
        .scratch = size.map_bytes + sino_times(worker_count, images_of_worker + of_solver),
        .integrals = sino_integrals_bytes(input)};
    if (sets->paged) {
        const int64_t works = solver->weights ? 2 : 1; /* which stay in memory, as messages are among them */
        bytes.paged = bytes.vectors - sino_times(works, kind->work_bytes(&size.shape, batch));
        bytes.window = sino_smaller(least_window(cone, &size, worker_count), bytes.paged);
    }
    bytes.data = bytes.vectors + bytes.pieces + bytes.images;
    bytes.total = bytes.integrals + sino_larger(bytes.data - bytes.paged + bytes.window + bytes.scratch,
                                                sino_integrals_pass_bytes(input, worker_count));
    *result = bytes;
    return NULL;
}

/* ---- what is made once ---- */

/* Cuts the angles of this rank into pieces of consecutive ones; there are at most as many as angles. */
static SinoStatus list_pieces(Run *run)
{
    const int64_t *place = run->of.op->place, angles = run->cone->angle_count;
    SinoAngleRun *piece;
    int64_t count = 0;
    SINO_TRY(sino_allocate(angles, sizeof *piece, "pieces", &piece));
    for (int64_t k = 0; k < angles; k++) {
        const SinoAngleRun *last = count > 0 ? &piece[count - 1] : NULL;
        if (place[k] < 0) continue;
        if (!last || last->first + last->count < k || last->count == SINO_PIECE_PROJECTIONS)
            piece[count++] = (SinoAngleRun){.first = k};
        piece[count - 1].count++;
    }
    run->piece = piece;
    run->piece_count = count;
    return NULL;
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
    SINO_TRY(list_pieces(run));
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

static SinoStatus new_data(void *of)
{
    Run *run = of;
    SINO_TRY(new_pieces(run));
    return new_images(run);
}

static void free_data(Run *run)
{
    for (int i = 0; i < IMAGE_SETS_MAX; i++) sino_data_free(run->image[i]);
    sino_data_free(run->undefined);
    sino_data_free(run->none);
    sino_data_free(run->history);
    sino_cone_pieces_free(run->pieces);
    free(run->piece);
}

/* ---- the graph ---- */

/* Loads all projections; the first vector of the minibatch gets their rays. */
static SinoStatus insert_pieces(void *of, SinoMinibatch *minibatch)
{
    Run *run = of;
    const SinoSlices rows = {SINO_SINGLE, sino_panel_stride(SINO_SINGLE, run->cone->row_count), run->cone->row_count};
    for (int64_t i = 0; i < run->piece_count; i++) {
        const SinoConePiece piece = {.position = minibatch->position,
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
        SINO_TRY(
            sino_insert_columns(run->of.runtime, piece.position, &columns, i == 0, sinogram, minibatch->vector[0][0]));
    }
    return NULL;
}

/* SinoGivenStart.fill: `of` is the run. Images are written only after the last iteration. A slice of the margin
 * starts as the nearest slice of the file. */
static SinoStatus insert_start(void *of, SinoMinibatch *minibatch, int64_t vector)
{
    Run *run = of;
    const SinoOperator *op = run->of.op;
    const int64_t slices = run->of.sets->image_slices, sets = run->of.sets->image_sets;
    const SinoProduct product = {.position = minibatch->position, .slices = minibatch->slices};
    const int64_t margin = run->cone->z_margin, last = sino_cone_slices(run->cone) - 1;
    for (int64_t i = 0, first = 0, count; first < run->cone->z_count; i++, first += count) {
        const int64_t slice = sino_smaller(sino_larger(first - margin, 0), last);
        count = slice == first - margin ? sino_smaller(slices, last + 1 - slice) : 1;
        const SinoVolumeSlices part = {.input = run->of.start,
                                       .first_slice = slice,
                                       .slice_count = count,
                                       .name = run->of.settings->solver.start,
                                       .least = run->of.solver->has_likelihood ? 0 : (double)-INFINITY};
        const SinoImaging imaging = {.scale = run->solve.run.begin.scale, .first = first, .count = count};
        if (sino_runtime_failed(run->of.runtime)) return NULL;
        SINO_TRY(sino_insert_load_volume(run->of.runtime, product.position, &part, sino_cone_pieces_io(run->pieces),
                                         run->image[i % sets]));
        SINO_TRY(op->kind->fill(minibatch->work, &product, &imaging, run->image[i % sets], minibatch->vector[vector]));
    }
    return NULL;
}

static bool is_stored(const Run *run, int64_t first, int64_t count)
{
    return run->of.volume && sino_volume_is_done(run->of.volume, first, count);
}

/* Slices that are not stored yet. */
static int64_t left(const void *of, int64_t first, int64_t count)
{
    const Run *run = of;
    int64_t slices = 0;
    const int64_t written = sino_cone_slices(run->cone);
    for (int64_t z = first * written; z < (first + count) * written; z++) slices += !is_stored(run, z, 1);
    return slices;
}

static bool is_pictured(const void *of, int64_t first, int64_t count)
{
    const Run *run = of;
    (void)first;
    (void)count;
    return run->of.record->sinogram;
}

/* Stores image `number`. The first one carries the undefined values of this rank's angles. */
static SinoStatus insert_image(Run *run, SinoMinibatch *minibatch, int64_t number)
{
    SinoRecord *record = run->of.record;
    const int64_t first = sino_times(number, run->of.sets->image_slices);
    const int64_t count = sino_smaller(run->of.sets->image_slices, sino_cone_slices(run->cone) - first);
    const SinoImaging imaging = {.scale = run->of.scale,
                                 .mask_ratio = run->of.settings->output.mask_ratio,
                                 .first = run->cone->z_margin + first,
                                 .count = count};
    SinoData *image = run->image[number % run->of.sets->image_sets];
    minibatch->position.minibatch = number; /* by which ranks take turns */
    const SinoStore store = {.keeper = sino_minibatch_is_kept(minibatch),
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
    if (is_stored(run, first, count)) return NULL;
    SINO_TRY(sino_insert_image(minibatch, &imaging, image));
    return sino_insert_store(run->of.runtime, minibatch->position, &store, sino_cone_pieces_io(run->pieces), image,
                             run->history, run->none, number == 0 ? run->undefined : run->none);
}

static SinoStatus insert_images(void *of, SinoMinibatch *minibatch)
{
    Run *run = of;
    const int64_t slices = run->of.sets->image_slices, numbers = run->of.record->numbers;
    SINO_TRY(sino_insert_repeat(run->of.runtime, minibatch->position, slices, numbers * (int64_t)sizeof(double), 0,
                                minibatch->history, run->history));
    for (int64_t i = 0; i < sino_ceil_divide(sino_cone_slices(run->cone), slices); i++)
        SINO_TRY(insert_image(run, minibatch, i));
    return NULL;
}

/* Waits for the slice. */
static SinoStatus show(void *of, SinoMinibatch *minibatch, int64_t iteration)
{
    Run *run = of;
    const SinoImaging imaging = {.scale = run->of.scale, .first = run->cone->z_margin, .count = 1};
    void *slice;
    if (!run->of.iterated) return NULL;
    SINO_TRY(sino_insert_image(minibatch, &imaging, run->image[0]));
    SINO_TRY(sino_data_acquire(run->image[0], SINO_READ, &slice));
    if (!sino_runtime_failed(run->of.runtime)) run->of.iterated(run->of.of, iteration, slice);
    sino_data_release(run->image[0]);
    return NULL;
}

static const SinoUnitKind volumes = {.open = new_data,
                                     .left = left,
                                     .pictured = is_pictured,
                                     .fill = insert_pieces,
                                     .iterated = show,
                                     .store = insert_images};

SinoStatus sino_cone_solve(const SinoConeSolution *solution)
{
    const SinoConeSolution *of = solution;
    const SinoCone *cone = of->op->problem.cone;
    Run run = {.of = *of, .cone = cone};
    run.solve = (SinoSolve){.solver = of->solver,
                            .run = {.runtime = of->runtime,
                                    .op = of->op,
                                    .settings = of->settings,
                                    .iterations = of->record->columns - 1,
                                    .photon_weights = of->photon_weights,
                                    .regularization = of->regularization,
                                    .mask = of->mask,
                                    .begin = {insert_start, &run, of->start ? 1 / of->scale : 0},
                                    .bounds = sino_solver_bounds(&of->settings->solver, of->scale)},
                            .units = {.kind = &volumes,
                                      .of = &run,
                                      .count = 1,
                                      .minibatch = 1,
                                      .slots = 1,
                                      .slab_count = 1,
                                      .iterations = of->iterations,
                                      .minibatch_work = 2 * sino_cone_product_work(cone)},
                            .slices = {.precision = SINO_SINGLE, .stride = 1},
                            .history_numbers = of->record->numbers,
                            .alone = of->aside,
                            .aside = of->aside,
                            .overlap = true,
                            .shape = {.slice_count = sino_cone_slices(cone),
                                      .slab_slices = sino_cone_slices(cone),
                                      .slab_minibatches = 1,
                                      .minibatch_slices = sino_cone_slices(cone)}};
    if (of->regularization.negative) run.solve.run.bounds.least = -INFINITY;
    SinoStatus status = sino_solve(&run.solve);
    free_data(&run);
    return status;
}
