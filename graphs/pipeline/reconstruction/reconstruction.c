/* SPDX-License-Identifier: BSD-3-Clause */
/* Reconstruction: the graph of a whole run, slab after slab, from the scan to the volume.
 *
 *     load → stages → [ filter → ] start → iterate × iterations → assemble → store
 *                                   ↑
 *                        [ load_volume → fill ]
 *
 * A slab's minibatches are independent chains, unless the prior is in 3-D (solver_fista_volume.c). Two sets of counts
 * and one slot per minibatch bound the memory. StarPU starts a task of the next slab as soon as the slot that it needs
 * is free. */
#include "reconstruction.h"

#include "arithmetic.h"
#include "consensus.h"
#include "input_weights.h"
#include "load_volume_task.h"
#include "memory.h"
#include "sample_task.h"
#include "stages.h"
#include "stop_task.h"
#include "store_task.h"

#include <math.h>
#include <stdlib.h>

enum { COUNT_SETS = 2 };

typedef struct Run {
    SinoReconstruction of;
    SinoSolverRun solver_run;
    SinoGivenWeights given; /* of a file, or an array */
    SinoStages *stages;
    SinoMinibatch **slot;
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

static SinoStatus new_data(Run *run)
{
    if (run->of.op->idle) return NULL;
    const SinoStreaming *plan = run->of.streaming;
    const SinoSlices slices = {.precision = sino_precision_solver(run->of.op->problem.precision),
                               .stride = plan->stride};
    const SinoStagesRequest stages = {
        .runtime = run->of.runtime,
        .input = run->of.input,
        .slices = {.precision = slices.precision, .stride = slices.stride, .slice_count = plan->minibatch},
        .ray_count = sino_solver_rays(&run->solver_run),
        .slab_slices = plan->slab_slices,
        .set_count = sino_smaller(COUNT_SETS, plan->slab_count),
        .field_set_count = sino_smaller(COUNT_SETS, plan->slab_count),
        .early = run->of.early,
        .marked = sino_solver_weighs_rays(run->of.solver)};
    SINO_TRY(sino_stages_new(&stages, &run->stages));
    SINO_TRY(sino_allocate(plan->slots, sizeof *run->slot, "slots", &run->slot));
    SinoMinibatchRequest request = {.op = run->of.op,
                                    .vectors = &run->of.solver->vectors,
                                    .slices = slices,
                                    .history_numbers = run->of.record->numbers,
                                    .overlap = run->of.settings->overlap};
    for (int64_t s = 0; s < plan->slots; s++) {
        request.number = s + 1; /* number 0 is used by solvers' `prepare` */
        SINO_TRY(sino_minibatch_new(run->of.runtime, &request, &run->slot[s]));
    }
    return NULL;
}

static void free_data(Run *run)
{
    for (int64_t s = 0; run->slot && s < run->of.streaming->slots; s++) sino_minibatch_free(run->slot[s]);
    free(run->slot);
    sino_stages_free(run->stages);
}

/* Slices of a minibatch, of which the last one of a slab may have fewer. */
static int64_t slot_slices(const Run *run, int64_t slab, int64_t slot)
{
    const int64_t minibatch = run->of.streaming->minibatch;
    return sino_smaller(minibatch, slab_slices(run, slab) - sino_times(slot, minibatch));
}

/* Whether an earlier run has stored a minibatch. Not to be asked once this run's own store task may run. */
static bool is_done(const Run *run, int64_t slab, int64_t slot)
{
    const SinoStreaming *plan = run->of.streaming;
    const int64_t first = slab * plan->slab_slices + slot * plan->minibatch;
    return run->of.volume &&
           sino_volume_is_done(run->of.volume, run->of.input->first_slice + first, slot_slices(run, slab, slot));
}

/* Whether the line integrals of a minibatch are wanted: for its slices, or for the sinogram's picture. */
static bool is_wanted(const Run *run, int64_t slab, int64_t slot)
{
    const SinoStreaming *plan = run->of.streaming;
    const int64_t picture =
        run->of.record->sections.slice - run->of.input->first_slice - slab * plan->slab_slices - slot * plan->minibatch;
    const bool pictured = run->of.record->sinogram && picture >= 0 && picture < slot_slices(run, slab, slot);
    return pictured || !is_done(run, slab, slot);
}

static int64_t slot_count(const Run *run, int64_t slab)
{
    return sino_ceil_divide(slab_slices(run, slab), run->of.streaming->minibatch);
}

static SinoStatus insert_load(Run *run, int64_t slab)
{
    bool wanted = false;
    if (slab >= run->of.streaming->slab_count || (slab == 0 && run->of.early)) return NULL;
    for (int64_t s = 0; s < slot_count(run, slab); s++) wanted |= is_wanted(run, slab, s);
    if (!wanted) return NULL;
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
    const SinoSample sample = {.slice = run->of.record->sections.slice - input->first_slice - minibatch->first_slice,
                               .column_count = input->geometry.column_count,
                               .run_count = input->run_count,
                               .run = input->run,
                               .place = input->place,
                               .to = run->of.record->sinogram};
    if (!sample.to || sample.slice < 0 || sample.slice >= minibatch->slices.slice_count) return NULL;
    return sino_insert_sample(run->of.runtime, minibatch->position, minibatch->slices, &sample,
                              minibatch->vector[0][0]);
}

/* Reads the first x of a minibatch's slices into its images, which are not assembled before the last iteration. Every
 * rank that shares the slices reads them. */
static SinoStatus insert_start_volume(Run *run, SinoMinibatch *minibatch)
{
    const bool counts = run->of.solver->has_likelihood; /* mlem multiplies x, which is never negative */
    const SinoVolumeSlices part = {.input = run->of.start,
                                   .first_slice = run->of.input->first_slice + minibatch->first_slice,
                                   .slice_count = minibatch->slices.slice_count,
                                   .name = run->of.settings->start,
                                   .least = counts ? 0 : (double)-INFINITY};
    if (!run->of.start) return NULL;
    return sino_insert_load_volume(run->of.runtime, minibatch->position, &part, sino_stages_io(run->stages),
                                   minibatch->image);
}

/* Assigns a slot to a slab's next minibatch, and inserts the stages that make its line integrals and the start of the
 * solver. */
static SinoStatus insert_start(Run *run, int64_t slab, int64_t slot)
{
    const SinoStreaming *plan = run->of.streaming;
    SinoMinibatch *minibatch = run->slot[slot];
    const int64_t in_slab = sino_times(slot, plan->minibatch), in_this = slab_slices(run, slab);
    minibatch->first_slice = slab * plan->slab_slices + in_slab;
    minibatch->slices.slice_count = slot_slices(run, slab, slot);
    minibatch->stopped = is_done(run, slab, slot);
    minibatch->position.slab = slab;
    minibatch->position.minibatch = slab * plan->slots + slot;
    const SinoStageWork work = {.position = minibatch->position,
                                .slices = minibatch->slices,
                                .set = slab % COUNT_SETS,
                                .field_set = slab % COUNT_SETS,
                                .angle_count = run->of.input->angle_count,
                                .slab_first = minibatch->first_slice - in_slab,
                                .slab_slices = in_this,
                                .slice_in_slab = in_slab,
                                .sinogram = minibatch->vector[0][0],
                                .repaired = minibatch->repaired,
                                .tally = minibatch->tally};
    SINO_TRY(sino_stages_insert(run->stages, &work));
    SINO_TRY(insert_sample(run, minibatch));
    if (minibatch->stopped) return NULL;
    SINO_TRY(insert_start_volume(run, minibatch));
    return run->of.solver->start(&run->solver_run, minibatch);
}

/* Whether to stop submitting after a failure. A rank that exchanges messages must submit the whole slab, because other
 * ranks wait for them; its tasks then do nothing. */
static bool gives_up(const Run *run)
{
    const bool exchanges =
        run->of.op->ranks->shape.data_count > 1 || (run->of.solver->volume && run->of.grid && !run->of.alone);
    return !exchanges && sino_runtime_failed(run->of.runtime);
}

/* The numbers of iterations of a minibatch's slices; NULL: those of the settings. */
static const int64_t *numbers_of(const Run *run, int64_t slab, int64_t slot)
{
    const SinoStreaming *plan = run->of.streaming;
    const int64_t in_slab = sino_times(slot, plan->minibatch);
    const int64_t first = run->of.input->first_slice + sino_times(slab, plan->slab_slices) + in_slab;
    return run->of.iterations ? run->of.iterations + first : NULL;
}

/* The largest number of iterations of a minibatch's slices. */
static int64_t iterations_of(const Run *run, int64_t slab, int64_t slot)
{
    const int64_t *number = numbers_of(run, slab, slot);
    int64_t most = number ? 0 : run->of.record->columns - 1;
    for (int64_t f = 0; number && f < slot_slices(run, slab, slot); f++) most = sino_larger(most, number[f]);
    return most;
}

/* The same of all slices of a slab. */
static int64_t slab_iterations(const Run *run, int64_t slab)
{
    int64_t most = 0;
    for (int64_t s = 0; s < slot_count(run, slab); s++) most = sino_larger(most, iterations_of(run, slab, s));
    return most;
}

/* Stops the slices whose last iteration this was, where others of the minibatch go on. */
static SinoStatus insert_stop(Run *run, int64_t slab, int64_t slot, int64_t iteration)
{
    const SinoMinibatch *minibatch = run->slot[slot];
    const int64_t *number = numbers_of(run, slab, slot);
    bool last = false;
    for (int64_t f = 0; number && f < minibatch->slices.slice_count; f++) last |= number[f] == iteration;
    if (!last || iteration == iterations_of(run, slab, slot)) return NULL;
    return sino_insert_stop(run->of.runtime, sino_minibatch_at(minibatch, iteration, -1), minibatch->slices, iteration,
                            number, minibatch->state);
}

/* Minibatches that depend on each other. */
static SinoStatus insert_together(Run *run, int64_t slab)
{
    const int64_t most = slab_iterations(run, slab);
    for (int64_t i = 1; i <= most; i++) {
        if (gives_up(run)) return NULL;
        SINO_TRY(run->of.solver->iterate_together(&run->solver_run, slot_count(run, slab), run->slot, i));
    }
    return NULL;
}

/* Submits iteration i of a minibatch, unless all of its slices have stopped. */
static SinoStatus insert_iteration(Run *run, int64_t slab, int64_t slot, int64_t i)
{
    SinoMinibatch *minibatch = run->slot[slot];
    const int64_t left = iterations_of(run, slab, slot) - i + 1;
    if (left <= 0 || is_done(run, slab, slot) || minibatch->stopped) return NULL;
    SINO_TRY(sino_solver_look_for_stop(&run->solver_run, minibatch, i,
                                       (double)sino_times(left, minibatch->slices.slice_count)));
    if (minibatch->stopped) return NULL;
    SINO_TRY(run->of.solver->iterate(&run->solver_run, minibatch, i));
    return insert_stop(run, slab, slot, i);
}

/* Submits iteration by iteration, so that every minibatch of the slab has tasks in flight. */
static SinoStatus insert_iterations(Run *run, int64_t slab)
{
    if (run->of.solver->volume) return insert_together(run, slab);
    const int64_t most = slab_iterations(run, slab);
    for (int64_t i = 1; i <= most; i++) {
        for (int64_t s = 0; s < slot_count(run, slab); s++) {
            if (gives_up(run)) return NULL;
            SINO_TRY(insert_iteration(run, slab, s, i));
        }
    }
    return NULL;
}

SinoTally sino_reconstruction_tally(const SinoInput *input, const SinoRecord *record)
{
    return (SinoTally){.by_angle = record->by_angle,
                       .by_column = record->by_column,
                       .column_count = input->geometry.column_count,
                       .run_count = input->run_count,
                       .run = input->run};
}

static SinoStatus insert_store(Run *run, SinoMinibatch *minibatch)
{
    const SinoImaging imaging = {.scale = run->of.scale, .mask_ratio = run->of.settings->mask_ratio};
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
    return sino_insert_store(run->of.runtime, minibatch->position, &store, sino_stages_io(run->stages),
                             minibatch->image, minibatch->history, minibatch->repaired, minibatch->tally);
}

static SinoStatus insert_slab(Run *run, int64_t slab)
{
    const int64_t count = slot_count(run, slab);
    for (int64_t s = 0; s < count; s++)
        if (is_wanted(run, slab, s)) SINO_TRY(insert_start(run, slab, s));
    SINO_TRY(insert_load(run, slab + 1));
    SINO_TRY(insert_iterations(run, slab));
    for (int64_t s = 0; s < count; s++)
        if (!is_done(run, slab, s)) SINO_TRY(insert_store(run, run->slot[s]));
    return NULL;
}

static SinoStatus insert_all(Run *run)
{
    SINO_TRY(insert_load(run, 0));
    for (int64_t slab = 0; slab < run->of.streaming->slab_count; slab++) {
        if (slab > 0) SINO_TRY(sino_consensus_go_on(run->of.runtime)); /* all ranks have equally many slabs */
        if (sino_runtime_failed(run->of.runtime) && slab > 0) return NULL;
        SINO_TRY(insert_slab(run, slab));
    }
    return NULL;
}

/* Tells the progress of a minibatch that an earlier run has stored. */
static void advance_done(const Run *run, int64_t slab, int64_t slot)
{
    const SinoStreaming *plan = run->of.streaming;
    const SinoRecord *record = run->of.record;
    const int64_t first = run->of.input->first_slice + slab * plan->slab_slices + sino_times(slot, plan->minibatch);
    SinoPosition position = SINO_NOWHERE;
    position.slab = slab;
    position.minibatch = slab * plan->slots + slot;
    SinoMinibatchProgress now = sino_minibatch_progress(slot_slices(run, slab, slot), record->numbers,
                                                        record->columns - 1, record->history + first * record->numbers);
    now.stored = true;
    sino_runtime_advance(run->of.runtime, 0, position, &now);
}

/* Announces the work of this rank: its slices at every iteration, except those that an earlier run has stored. */
static SinoStatus expect(const Run *run)
{
    const SinoStreaming *plan = run->of.streaming;
    const int64_t slices = run->of.input->slice_count;
    int64_t most = 0, work = 0;
    bool done = false;
    for (int64_t slab = 0; slab < plan->slab_count; slab++) {
        most = sino_larger(most, slab_iterations(run, slab));
        for (int64_t s = 0; s < slot_count(run, slab); s++)
            if (is_done(run, slab, s))
                done = true;
            else
                work += sino_times(slot_slices(run, slab, s), iterations_of(run, slab, s) + 1);
    }
    const SinoProgressShape shape = {.slice_count = slices,
                                     .slab_slices = plan->slab_slices,
                                     .slab_minibatches = plan->slots,
                                     .minibatch_slices = plan->minibatch,
                                     .iteration_count = most};
    SINO_TRY(sino_runtime_expect(run->of.runtime, (double)work, &shape));
    for (int64_t slab = 0; done && slab < plan->slab_count; slab++)
        for (int64_t s = 0; s < slot_count(run, slab); s++)
            if (is_done(run, slab, s)) advance_done(run, slab, s);
    return NULL;
}

static SinoStatus begin(Run *run)
{
    if (!run->of.aside) SINO_TRY(expect(run));
    return new_data(run);
}

bool sino_reconstruction_weighs_photons(const SinoSettings *settings, const SinoInput *input)
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

SinoStatus sino_reconstruct(const SinoReconstruction *reconstruction)
{
    SinoStatus status = NULL;
    SinoRuntime *runtime = reconstruction->runtime;
    const SinoSolver *solver = reconstruction->solver;
    Run run = {.of = *reconstruction,
               .solver_run = {.runtime = runtime,
                              .op = reconstruction->op,
                              .settings = reconstruction->settings,
                              .stride = reconstruction->streaming->stride,
                              .iterations = reconstruction->record->columns - 1,
                              .has_likelihood = reconstruction->solver->has_likelihood,
                              .pad_edges = reconstruction->input->pad_edges,
                              .dropped = reconstruction->input->dropped,
                              .photon_weights =
                                  sino_reconstruction_weighs_photons(reconstruction->settings, reconstruction->input),
                              .regularization = reconstruction->regularization,
                              .mask = reconstruction->mask,
                              .grid = reconstruction->grid,
                              .start_scale = reconstruction->start ? 1 / reconstruction->scale : 0,
                              .bounds = sino_solver_bounds(reconstruction->settings, reconstruction->scale)}};
    run.given = (SinoGivenWeights){insert_weights, &run, reconstruction->input->weights_scale};
    if (reconstruction->settings->weights == SINO_WEIGHTS_FILE && solver->choice != SINO_ALGORITHM_FBP)
        run.solver_run.given = &run.given;
    SinoProcesses *processes = reconstruction->alone ? NULL : sino_runtime_processes(runtime);
    if (run.of.regularization.negative) run.solver_run.bounds.least = -INFINITY;
    status = sino_processes_agree(processes, begin(&run));
    const bool begun = !status; /* all ranks have begun */
    if (!status && solver->prepare && !reconstruction->op->idle) status = solver->prepare(&run.solver_run);
    if (!reconstruction->aside) sino_runtime_profile_begin(runtime);
    if (!status) status = insert_all(&run);
    /* Other ranks would wait for ever for messages that this rank no longer submits. */
    if (begun && *sino_status_text(status) && sino_processes_count(processes) > 1)
        sino_processes_abort(processes, status);
    status = sino_runtime_wait_after(runtime, status);
    if (!status && !reconstruction->aside) sino_runtime_profile_report(runtime, "");
    if (solver->release) solver->release(&run.solver_run);
    free_data(&run);
    return status;
}
