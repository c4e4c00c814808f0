/* SPDX-License-Identifier: BSD-3-Clause */
/* Reconstruction: the units of a scan, which are slices.
 *
 *     load → stages → [ filter → ] start → iterate × iterations → assemble → store
 *                                   ↑
 *                        [ load_volume → fill ]
 *
 * Of a scan that comes by blocks of angles, all slices are in flight, and what is before the solver's iterations is
 * inserted for each block.
 *
 * Two sets of counts and one slot per minibatch bound the memory. */
#include "reconstruction.h"

#include "files_tasks.h"
#include "input_parts.h"
#include "memory.h"
#include "solve.h"
#include "stages.h"
#include "stages_tasks.h"

#include <math.h>
#include <stdlib.h>

enum { COUNT_SETS = 2 };

typedef struct Run {
    SinoReconstruction of;
    SinoSolve solve;
    SinoGivenWeights given; /* of a file, or an array */
    SinoStages *stages;
    SinoInput of_block;  /* of a scan that comes by blocks: as stages see a block; owns nothing */
    SinoAngleRun *block; /* its blocks; NULL: the scan comes as a whole; owned */
} Run;

SinoStreaming sino_streaming(SinoPrecision precision, int64_t slice_count, int64_t minibatch, int64_t slots)
{
    const int64_t slices = slice_count > 0 ? slice_count : 1;
    const int64_t most = sino_times(slots, minibatch), slab = most < slices ? most : slices;
    return (SinoStreaming){.minibatch = minibatch,
                           .stride = sino_panel_stride(precision, minibatch),
                           .slots = slots,
                           .slab_slices = slab,
                           .slab_count = (slices + slab - 1) / slab};
}

/* Slices of a slab; 0 if this batch group has fewer slabs than the largest group. */
static int64_t slab_slices(const Run *run, int64_t slab)
{
    const int64_t left = run->of.input->slice_count - sino_times(slab, run->of.streaming->slab_slices);
    return left > 0 ? sino_smaller(run->of.streaming->slab_slices, left) : 0;
}

static bool is_by_blocks(const Run *run)
{
    return run->of.solver->blocks;
}

/* Lists the blocks. */
static SinoStatus new_blocks(Run *run)
{
    const SinoInput *input = run->of.input;
    const int64_t angles = input->angle_count, each = run->of.op->problem.block_angles;
    SINO_TRY(sino_allocate(sino_ceil_divide(angles, each), sizeof *run->block, "blocks", &run->block));
    for (int64_t first = 0; first < angles; first += each)
        run->block[first / each] = (SinoAngleRun){first, sino_smaller(each, angles - first)};
    run->of_block = *input;
    run->of_block.angle_count = sino_smaller(each, angles);
    run->of_block.place = NULL;
    return NULL;
}

static SinoStatus new_stages(void *of)
{
    Run *run = of;
    const SinoStreaming *plan = run->of.streaming;
    const int64_t sets = is_by_blocks(run) ? COUNT_SETS : sino_smaller(COUNT_SETS, plan->slab_count);
    if (is_by_blocks(run)) SINO_TRY(new_blocks(run));
    SINO_TRY(sino_live_open(run->of.live, run->of.runtime));
    const SinoStagesRequest stages = {
        .runtime = run->of.runtime,
        .input = is_by_blocks(run) ? &run->of_block : run->of.input,
        .slices = {.precision = run->solve.slices.precision, .stride = plan->stride, .slice_count = plan->minibatch},
        .ray_count =
            is_by_blocks(run) ? run->of.op->shape.extent[SINO_ROWS_BLOCK].total : sino_solver_rays(&run->solve.run),
        .slab_slices = plan->slab_slices,
        .set_count = sets,
        .field_set_count = sino_smaller(COUNT_SETS, plan->slab_count),
        .early = run->of.early,
        .marked = run->of.marked || sino_solver_weighs_rays(run->of.solver)};
    return sino_stages_new(&stages, &run->stages);
}

static int64_t left(const void *of, int64_t first, int64_t count)
{
    const Run *run = of;
    const bool done = run->of.volume && sino_volume_is_done(run->of.volume, run->of.input->first_slice + first, count);
    return done ? 0 : count;
}

/* Whether the sinogram's picture is of one of these slices. */
static bool is_pictured(const void *of, int64_t first, int64_t count)
{
    const Run *run = of;
    const int64_t picture = run->of.record->sections.slice - run->of.input->first_slice - first;
    return run->of.record->sinogram && picture >= 0 && picture < count;
}

/* Takes the planes of the page from a minibatch's images. */
static SinoStatus insert_planes(const Run *run, const SinoMinibatch *minibatch, SinoData *const *plane)
{
    const SinoPlanes planes = {.sections = run->of.record->sections,
                               .first_slice = minibatch->first_slice,
                               .slice_count = minibatch->slices.slice_count};
    return sino_insert_planes(run->of.runtime, minibatch->position, &planes, minibatch->image, plane);
}

static SinoImaging imaging_of(const Run *run)
{
    return (SinoImaging){.scale = run->of.scale, .mask_ratio = run->of.settings->output.mask_ratio};
}

/* Adds a block to the planes of the page, once all minibatches have filtered it, and shows these. */
static SinoStatus insert_live(Run *run, int64_t block)
{
    const SinoAngleRun *angles = &run->block[block];
    const SinoGeometry *geometry = &run->of.op->problem.geometry;
    const SinoLiveMoment moment = {.position = {0, -1, -1, -1}, .added = angles->first + angles->count};
    const SinoSumsShown shown = {.side = sino_geometry_slice_side(geometry),
                                 .slice_count = run->of.input->slice_count,
                                 .scale = run->of.scale * sino_live_gain(run->of.live, moment.added),
                                 .mask_ratio = run->of.settings->output.mask_ratio};
    SinoData *const *sums = sino_live_sums(run->of.live);
    for (int64_t s = 0; s < sino_ceil_divide(slab_slices(run, 0), run->of.streaming->minibatch); s++) {
        const SinoMinibatch *minibatch = run->solve.slot[s];
        const SinoPlaneSums what = {.geometry = *geometry,
                                    .slices = minibatch->slices,
                                    .first_slice = minibatch->first_slice,
                                    .first_angle = angles->first,
                                    .angle_count = angles->count,
                                    .slice = run->of.record->sections.slice};
        SINO_TRY(sino_insert_plane_sums(run->of.runtime, minibatch->position, &what,
                                        minibatch->vector[minibatch->vectors->block][0], sums));
    }
    SINO_TRY(sino_insert_show_sums(run->of.runtime, moment.position, &shown, sums, sino_live_next(run->of.live)));
    return sino_live_show(run->of.live, &moment);
}

/* Fields come with the first block. */
static SinoStatus insert_load_block(Run *run, int64_t block)
{
    SinoStageLoad load = {.position = SINO_NOWHERE,
                          .set = block % COUNT_SETS,
                          .fields = block == 0,
                          .slice_count = slab_slices(run, 0),
                          .run_count = 1,
                          .run = &run->block[block]};
    load.position.slab = 0;
    const bool half = run->of.op->shape.extent[SINO_ROWS_COMPLETED].total > 0; /* waits for what completes it */
    if (run->of.live && block > 0 && !half) SINO_TRY(insert_live(run, block - 1));
    SINO_TRY(sino_input_await(run->of.input, run->of.runtime, sino_stages_io(run->stages), run->of.live,
                              load.run->first + load.run->count));
    return sino_stages_load(run->stages, &load);
}

static SinoStatus insert_load(void *of, int64_t slab)
{
    Run *run = of;
    if (is_by_blocks(run)) return insert_load_block(run, slab);
    if (slab == 0 && run->of.early) return NULL;
    SinoStageLoad load = {.position = SINO_NOWHERE,
                          .set = slab % COUNT_SETS,
                          .field_set = slab % COUNT_SETS,
                          .fields = true,
                          .first_slice = slab * run->of.streaming->slab_slices,
                          .slice_count = slab_slices(run, slab),
                          .run_count = run->of.input->run_count,
                          .run = run->of.input->run};
    load.position.slab = slab;
    return sino_stages_load(run->stages, &load);
}

static SinoStatus insert_sample(Run *run, SinoMinibatch *minibatch)
{
    const SinoInput *input = run->of.input;
    const bool by_blocks = is_by_blocks(run);
    const SinoAngleRun *block = by_blocks ? &run->block[minibatch->block.first / run->block->count] : NULL;
    SinoData *sinogram = minibatch->vector[minibatch->vectors->block][0];
    SinoSample sample = {.slice = run->of.record->sections.slice - input->first_slice - minibatch->first_slice,
                         .column_count = input->geometry.column_count,
                         .run_count = by_blocks ? 1 : input->run_count,
                         .run = by_blocks ? block : input->run,
                         .place = by_blocks ? NULL : input->place,
                         .to = run->of.record->sinogram};
    if (sample.slice < 0 || sample.slice >= minibatch->slices.slice_count) return NULL;
    if (sample.to)
        SINO_TRY(sino_insert_sample(run->of.runtime, minibatch->position, minibatch->slices, &sample, sinogram, NULL));
    if (!run->of.live || !by_blocks) return NULL;
    SinoData *order = sino_live_row(run->of.live, &sample.to);
    return sino_insert_sample(run->of.runtime, minibatch->position, minibatch->slices, &sample, sinogram, order);
}

/* Reads the first x of a minibatch's slices into its images, which are not assembled before the last iteration. Every
 * rank that shares the slices reads them. */
static SinoStatus insert_start_volume(Run *run, SinoMinibatch *minibatch)
{
    const bool counts = run->of.solver->has_likelihood; /* mlem multiplies x, which is never negative */
    const SinoVolumeSlices part = {.input = run->of.start,
                                   .first_slice = run->of.input->first_slice + minibatch->first_slice,
                                   .slice_count = minibatch->slices.slice_count,
                                   .name = run->of.settings->solver.start,
                                   .least = counts ? 0 : (double)-INFINITY};
    if (!run->of.start) return NULL;
    return sino_insert_load_volume(run->of.runtime, minibatch->position, &part, sino_stages_io(run->stages),
                                   minibatch->image);
}

/* Adds the undefined values of a block to those of the minibatch. */
static SinoStatus insert_count(const Run *run, const SinoMinibatch *minibatch, const SinoStageWork *work)
{
    const SinoCount count = {.first_angle = work->first_angle,
                             .angle_count = work->angle_count,
                             .angle_total = run->of.input->angle_count,
                             .column_count = run->of.input->geometry.column_count,
                             .row_count = work->slices.slice_count};
    return sino_insert_count(run->of.runtime, work->position, &count, work->first_angle == 0, work->repaired,
                             work->tally, minibatch->tally, count.angle_total + count.column_count,
                             minibatch->repaired);
}

/* Inserts the stages that make a minibatch's line integrals, or those of a block. */
static SinoStatus insert_stages(void *of, SinoMinibatch *minibatch)
{
    Run *run = of;
    const SinoAngleBlock block = minibatch->block;
    const int64_t at = minibatch->vectors->block;
    const int64_t slab = minibatch->position.slab, slab_first = sino_times(slab, run->of.streaming->slab_slices);
    const SinoStageWork work = {.position = minibatch->position,
                                .slices = minibatch->slices,
                                .set = (block.count > 0 ? block.first / run->block->count : slab) % COUNT_SETS,
                                .field_set = slab % COUNT_SETS,
                                .angle_count = block.count > 0 ? block.count : run->of.input->angle_count,
                                .first_angle = block.first,
                                .slab_first = slab_first,
                                .slab_slices = slab_slices(run, slab),
                                .slice_in_slab = minibatch->first_slice - slab_first,
                                .sinogram = minibatch->vector[at][0],
                                .repaired = at > 0 ? minibatch->vector[at + 1][0] : minibatch->repaired,
                                .tally = at > 0 ? minibatch->vector[at + 2][0] : minibatch->tally};
    SINO_TRY(sino_stages_insert(run->stages, &work));
    SINO_TRY(insert_sample(run, minibatch));
    if (at > 0) return insert_count(run, minibatch, &work);
    return minibatch->stopped ? NULL : insert_start_volume(run, minibatch);
}

SinoTally sino_reconstruction_tally(const SinoInput *input, const SinoRecord *record)
{
    return (SinoTally){.by_angle = record->by_angle,
                       .by_column = record->by_column,
                       .column_count = input->geometry.column_count,
                       .run_count = input->run_count,
                       .run = input->run};
}

/* Minibatches are stored in their order. */
static SinoStatus insert_last_planes(const Run *run, const SinoMinibatch *minibatch)
{
    const int64_t end = minibatch->first_slice + minibatch->slices.slice_count;
    const SinoLiveMoment moment = {.position = minibatch->position, .added = run->of.input->angle_count};
    SinoData *const *plane =
        minibatch->first_slice == 0 ? sino_live_next(run->of.live) : sino_live_planes(run->of.live);
    SINO_TRY(insert_planes(run, minibatch, plane));
    return end < run->of.input->slice_count ? NULL : sino_live_show(run->of.live, &moment);
}

static SinoStatus insert_store(void *of, SinoMinibatch *minibatch)
{
    Run *run = of;
    const SinoImaging imaging = imaging_of(run);
    const SinoSections *planes = &run->of.record->sections;
    const SinoStore store = {.keeper = sino_minibatch_is_kept(minibatch),
                             .volume = run->of.volume,
                             .journal = run->of.journal,
                             .first_slice = run->of.input->first_slice + minibatch->first_slice,
                             .slice_count = minibatch->slices.slice_count,
                             .iteration_count = run->of.record->columns - 1,
                             .numbers = run->of.record->numbers,
                             .history = run->of.record->history,
                             .repaired = run->of.record->repaired,
                             .tallied = true,
                             .tally = sino_reconstruction_tally(run->of.input, run->of.record),
                             .sections = run->of.record->sections};
    SINO_TRY(sino_insert_image(minibatch, &imaging, minibatch->image));
    if (sino_live_takes(run->of.live, planes->width, planes->height, planes->slice_count))
        SINO_TRY(insert_last_planes(run, minibatch));
    return sino_insert_store(run->of.runtime, minibatch->position, &store, sino_stages_io(run->stages),
                             minibatch->image, minibatch->history, minibatch->repaired, minibatch->tally);
}

/* Tells the progress of a minibatch that an earlier run has stored. */
static void advance_done(const void *of, SinoPosition position, int64_t first, int64_t count)
{
    const Run *run = of;
    const SinoRecord *record = run->of.record;
    SinoMinibatchProgress now =
        sino_minibatch_progress(count, record->numbers, record->columns - 1,
                                record->history + sino_times(run->of.input->first_slice + first, record->numbers));
    now.stored = true;
    sino_runtime_advance(run->of.runtime, 0, position, &now);
}

static const SinoUnitKind slices = {.open = new_stages,
                                    .left = left,
                                    .pictured = is_pictured,
                                    .load = insert_load,
                                    .fill = insert_stages,
                                    .store = insert_store,
                                    .passed = advance_done};

bool sino_reconstruction_weighs_photons(const SinoSolverSettings *settings, const SinoInput *input)
{
    return settings->weights == SINO_WEIGHTS_COUNTS || (settings->weights == SINO_WEIGHTS_AUTO && input->minus_log);
}

/* SinoGivenWeights.load: `of` is the run. */
static SinoStatus insert_weights(void *of, const SinoMinibatch *minibatch, int64_t vector)
{
    const Run *run = of;
    SinoLoadWeights load = sino_input_load_weights(run->of.input, minibatch->slices, minibatch->first_slice);
    return sino_minibatch_load_weights(run->of.runtime, minibatch, vector, &load, sino_stages_io(run->stages));
}

static SinoSolverRun solver_run(const SinoReconstruction *of)
{
    return (SinoSolverRun){.runtime = of->runtime,
                           .op = of->op,
                           .settings = of->settings,
                           .iterations = of->record->columns - 1,
                           .pad_edges = of->input->pad_edges,
                           .dropped = of->input->dropped,
                           .photon_weights = sino_reconstruction_weighs_photons(&of->settings->solver, of->input),
                           .regularization = of->regularization,
                           .mask = of->mask,
                           .grid = of->grid,
                           .begin.scale = of->start ? 1 / of->scale : 0,
                           .bounds = sino_solver_bounds(&of->settings->solver, of->scale)};
}

SinoStatus sino_reconstruct(const SinoReconstruction *reconstruction)
{
    const SinoReconstruction *of = reconstruction;
    const SinoStreaming *plan = of->streaming;
    const int64_t *iterations = of->iterations;
    Run run = {.of = *of};
    run.solve =
        (SinoSolve){.solver = of->solver,
                    .run = solver_run(of),
                    .units = {.kind = &slices,
                              .of = &run,
                              .count = of->input->slice_count,
                              .minibatch = plan->minibatch,
                              .slots = plan->slots,
                              .slab_count = plan->slab_count,
                              .iterations = iterations ? iterations + of->input->first_slice : NULL},
                    .slices = {.precision = sino_precision_solver(of->op->problem.precision), .stride = plan->stride},
                    .history_numbers = of->record->numbers,
                    .overlap = of->settings->team.overlap,
                    .shape = {.slice_count = of->input->slice_count,
                              .slab_slices = plan->slab_slices,
                              .slab_minibatches = plan->slots,
                              .minibatch_slices = plan->minibatch},
                    .alone = of->alone,
                    .aside = of->aside};
    if (of->regularization.negative) run.solve.run.bounds.least = -INFINITY;
    run.given = (SinoGivenWeights){insert_weights, &run, of->input->weights_scale};
    if (of->settings->solver.weights == SINO_WEIGHTS_FILE && of->solver->choice != SINO_ALGORITHM_FBP)
        run.solve.run.given = &run.given;
    SinoStatus status = sino_solve(&run.solve);
    sino_live_close(run.of.live);
    sino_stages_free(run.stages);
    free(run.block);
    return status;
}
