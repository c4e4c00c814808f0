/* SPDX-License-Identifier: BSD-3-Clause */
/* Reconstruction: the graph of a whole run, slab after slab, from the scan to the volume.
 *
 *     load → correct → [ filter → ] start → iterate × iterations → assemble → store
 *
 * A slab's minibatches are independent chains. Two sets of counts and one slot per minibatch bound the memory: StarPU
 * lets the tasks of the next slab begin, each when the slot that it needs is free. */
#include "reconstruction.h"

#include "device_plan.h"
#include "memory.h"

#include <stdlib.h>

enum { COUNT_SETS = 2 };

/* Counts and fields of one slab. */
typedef struct CountSet {
    SinoData *counts, *flat, *dark;
} CountSet;

typedef struct Run {
    SinoReconstruction of;
    SinoSolverRun solver_run;
    SinoData *io;
    CountSet set[COUNT_SETS];
    SinoData *places, *scratch; /* of correct on GPUs; NULL: cores do it */
    SinoMinibatch **slot;
} Run;

static int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* 0 where this batch group has fewer slabs than the largest one. */
static int64_t slab_slices(const Run *run, int64_t slab)
{
    const int64_t left = run->of.input->slice_count - slab * run->of.plan->slab_slices;
    return left > 0 ? min(run->of.plan->slab_slices, left) : 0;
}

/* What GPUs need to correct a slab's counts, unless these are too large for them. */
static SinoStatus new_places(Run *run, SinoSlices slices)
{
    const SinoInput *input = run->of.input;
    const int64_t slab = run->of.plan->slab_slices;
    const int64_t sinogram =
        sino_exchange_ray_count(run->of.exchange) * slices.stride * (int64_t)sino_precision_bytes(slices.precision);
    const int64_t bytes =
        sino_input_slab_bytes(input, input->angle_count, slab) + 2 * sino_input_field_bytes(input, slab) + sinogram;
    if (!sino_device_takes(run->of.runtime, bytes) || input->angle_count == 0) return NULL;
    slices.slice_count = run->of.plan->minibatch;
    const SinoCorrection correction = sino_input_correction(input, slices, slab, 0);
    SINO_TRY(sino_data_copy(run->of.runtime, "places", input->place, input->angle_count * (int64_t)sizeof *input->place,
                            &run->places));
    return sino_correct_scratch(run->of.runtime, &correction, &run->scratch);
}

static SinoStatus new_data(Run *run)
{
    if (run->of.exchange->shape.idle) return NULL;
    const SinoMemoryPlan *plan = run->of.plan;
    const SinoSlices slices = {.precision = sino_precision_solver(run->of.op->layout.precision),
                               .stride = plan->stride};
    const int64_t field = sino_input_field_bytes(run->of.input, plan->slab_slices);
    SINO_TRY(sino_data_new(run->of.runtime, "io", 0, &run->io));
    for (int64_t i = 0; i < min(COUNT_SETS, plan->slab_count); i++) {
        CountSet *set = &run->set[i];
        SINO_TRY(sino_data_new(run->of.runtime, "counts",
                               sino_input_slab_bytes(run->of.input, run->of.input->angle_count, plan->slab_slices),
                               &set->counts));
        SINO_TRY(sino_data_new(run->of.runtime, "flat", field, &set->flat));
        SINO_TRY(sino_data_new(run->of.runtime, "dark", field, &set->dark));
    }
    SINO_TRY(new_places(run, slices));
    SINO_TRY(sino_allocate(plan->slots, sizeof *run->slot, "slots", &run->slot));
    SinoMinibatchRequest request = {.op = run->of.op,
                                    .exchange = run->of.exchange,
                                    .slices = slices,
                                    .vectors = run->of.solver->vectors,
                                    .history_columns = run->of.record->columns,
                                    .overlap = run->of.settings->overlap};
    for (int64_t s = 0; s < plan->slots; s++) {
        request.number = s + 1; /* 0 is what solvers prepare */
        SINO_TRY(sino_minibatch_new(run->of.runtime, &request, &run->slot[s]));
    }
    return NULL;
}

static void free_data(Run *run)
{
    for (int64_t s = 0; run->slot && s < run->of.plan->slots; s++)
        sino_minibatch_free(run->slot[s], run->of.op->partition_count);
    free(run->slot);
    for (int i = 0; i < COUNT_SETS; i++) {
        sino_data_free(run->set[i].counts);
        sino_data_free(run->set[i].flat);
        sino_data_free(run->set[i].dark);
    }
    sino_data_free(run->io);
    sino_data_free(run->places);
    sino_data_free(run->scratch);
}

static SinoStatus insert_load(Run *run, int64_t slab)
{
    if (slab >= run->of.plan->slab_count || slab_slices(run, slab) == 0) return NULL;
    const CountSet *set = &run->set[slab % COUNT_SETS];
    const SinoLoad load = sino_input_load(run->of.input, slab * run->of.plan->slab_slices, slab_slices(run, slab));
    SinoPosition position = SINO_NOWHERE;
    position.slab = slab;
    return sino_insert_load(run->of.runtime, position, &load, run->io, set->counts, set->flat, set->dark);
}

static SinoStatus insert_sample(Run *run, SinoMinibatch *minibatch)
{
    const SinoInput *input = run->of.input;
    const SinoSample sample = {.slice = run->of.record->picture_slice - input->first_slice - minibatch->first_slice,
                               .column_count = input->geometry.column_count,
                               .run_count = input->run_count,
                               .run = input->run,
                               .place = input->place,
                               .to = run->of.record->sinogram};
    if (!sample.to || sample.slice < 0 || sample.slice >= minibatch->slices.slice_count) return NULL;
    return sino_insert_sample(run->of.runtime, minibatch->position, minibatch->slices, &sample, minibatch->rays[0]);
}

/* Gives a slot to the next minibatch of a slab, and its line integrals. */
static SinoStatus insert_correct(Run *run, int64_t slab, int64_t slot)
{
    const SinoMemoryPlan *plan = run->of.plan;
    const CountSet *set = &run->set[slab % COUNT_SETS];
    SinoMinibatch *minibatch = run->slot[slot];
    const int64_t in_slab = slot * plan->minibatch, in_this = slab_slices(run, slab);
    minibatch->first_slice = slab * plan->slab_slices + in_slab;
    minibatch->slices.slice_count = min(plan->minibatch, in_this - in_slab);
    minibatch->partial_sums->slices = minibatch->slices;
    minibatch->stopped = false;
    minibatch->position.slab = slab;
    minibatch->position.minibatch = slab * plan->slots + slot;
    const SinoCorrect correct = {.correction =
                                     sino_input_correction(run->of.input, minibatch->slices, in_this, in_slab),
                                 .counts = set->counts,
                                 .flat = set->flat,
                                 .dark = set->dark,
                                 .sinogram = minibatch->rays[0],
                                 .repaired = minibatch->repaired,
                                 .places = run->places,
                                 .scratch = run->scratch};
    SINO_TRY(sino_insert_correct(run->of.runtime, minibatch->position, &correct));
    SINO_TRY(insert_sample(run, minibatch));
    return run->of.solver->start(&run->solver_run, minibatch);
}

/* Stops the minibatch when all of its slices had stopped at an earlier iteration; those after it are in flight. */
static SinoStatus look_for_stop(Run *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const int64_t earlier = iteration - SINO_LOOKAHEAD + 1;
    if (run->of.settings->tolerance <= 0 || earlier < 1) return NULL;
    SinoData *active = minibatch->active[earlier % SINO_LOOKAHEAD];
    void *count;
    SINO_TRY(sino_data_acquire(active, STARPU_R, &count));
    minibatch->stopped = *(const int64_t *)count == 0;
    sino_data_release(active);
    if (minibatch->stopped)
        sino_runtime_expect_less(
            run->of.runtime, (double)((run->solver_run.iterations - iteration + 1) * minibatch->slices.slice_count));
    return NULL;
}

/* After a failure the rest need not be submitted; but where processes wait for each other's messages, all submit the
 * whole slab, whose tasks then do nothing. */
static bool gives_up(const Run *run)
{
    return run->of.exchange->shape.data_count == 1 && sino_runtime_failed(run->of.runtime);
}

/* Iteration by iteration, so that every minibatch of the slab has tasks in flight. */
static SinoStatus insert_iterations(Run *run, int64_t slot_count)
{
    for (int64_t i = 1; i <= run->solver_run.iterations; i++) {
        for (int64_t s = 0; s < slot_count; s++) {
            SinoMinibatch *minibatch = run->slot[s];
            if (minibatch->stopped) continue;
            if (gives_up(run)) return NULL;
            SINO_TRY(look_for_stop(run, minibatch, i));
            if (!minibatch->stopped) SINO_TRY(run->of.solver->iterate(&run->solver_run, minibatch, i));
        }
    }
    return NULL;
}

/* The images of a minibatch, where they are kept, from the voxels of all partitions. */
static SinoStatus insert_images(Run *run, SinoMinibatch *minibatch)
{
    const SinoOperator *op = run->of.op;
    const SinoDecomposition *all = &op->decomposition;
    bool first = true;
    for (int64_t p = 0; p < all->partition_count; p++) {
        const int64_t own = p - op->first_partition;
        const SinoAssemble part = {.slices = minibatch->slices,
                                   .grid_size = op->layout.geometry.grid_size,
                                   .tile_count = all->first[p + 1] - all->first[p],
                                   .tile = all->tile + all->first[p],
                                   .scale = run->of.scale,
                                   .mask_ratio = run->of.settings->mask_ratio};
        const bool here = own >= 0 && own < op->partition_count;
        if (part.tile_count == 0) continue;
        SINO_TRY(sino_insert_assemble(
            run->of.runtime, sino_minibatch_at(minibatch, -1, p), &part, first, here ? op->partition[own].tiles : NULL,
            here ? minibatch->voxels[0][own] : minibatch->partial_sums->voxels[p], minibatch->image));
        first = false;
    }
    return NULL;
}

static SinoStatus insert_store(Run *run, SinoMinibatch *minibatch)
{
    const int64_t size = run->of.op->layout.geometry.grid_size;
    const int64_t keeper = sino_partial_sums_keeper(minibatch->partial_sums, minibatch->position.minibatch);
    const SinoStore store = {.keeper = keeper == run->of.exchange->shape.data_rank,
                             .volume = run->of.volume,
                             .first_slice = run->of.input->first_slice + minibatch->first_slice,
                             .slice_count = minibatch->slices.slice_count,
                             .columns = run->of.record->columns,
                             .residuals = run->of.record->residuals,
                             .repaired = run->of.record->repaired,
                             .picture_slice = run->of.record->picture_slice,
                             .pixel_count = size * size,
                             .picture = run->of.record->tomogram};
    SINO_TRY(sino_insert_gathering(run->of.runtime, minibatch->partial_sums, run->of.op, minibatch->position,
                                   minibatch->voxels[0]));
    if (store.keeper) SINO_TRY(insert_images(run, minibatch));
    return sino_insert_store(run->of.runtime, minibatch->position, &store, run->io, minibatch->image,
                             minibatch->history, minibatch->repaired);
}

static SinoStatus insert_slab(Run *run, int64_t slab)
{
    const int64_t slot_count = (slab_slices(run, slab) + run->of.plan->minibatch - 1) / run->of.plan->minibatch;
    for (int64_t s = 0; s < slot_count; s++) SINO_TRY(insert_correct(run, slab, s));
    SINO_TRY(insert_load(run, slab + 1));
    SINO_TRY(insert_iterations(run, slot_count));
    for (int64_t s = 0; s < slot_count; s++) SINO_TRY(insert_store(run, run->slot[s]));
    return NULL;
}

/* Whether some process has failed, once per slab. All have as many slabs. */
static SinoStatus agree(Run *run)
{
    SinoProcesses *processes = sino_runtime_processes(run->of.runtime);
    int64_t failed = sino_runtime_failed(run->of.runtime);
    SINO_TRY(sino_processes_largest(processes, &failed));
    return failed && !sino_runtime_failed(run->of.runtime) ? sino_error_told(SINO_FAILED) : NULL;
}

static SinoStatus insert_all(Run *run)
{
    SINO_TRY(insert_load(run, 0));
    for (int64_t slab = 0; slab < run->of.plan->slab_count; slab++) {
        if (slab > 0) SINO_TRY(agree(run));
        if (sino_runtime_failed(run->of.runtime) && slab > 0) return NULL;
        SINO_TRY(insert_slab(run, slab));
    }
    return NULL;
}

SinoStatus sino_reconstruct(const SinoReconstruction *reconstruction)
{
    SinoStatus status = NULL;
    SinoRuntime *runtime = reconstruction->runtime;
    const SinoSolver *solver = reconstruction->solver;
    const int64_t columns = reconstruction->record->columns;
    Run run = {.of = *reconstruction,
               .solver_run = {.runtime = runtime,
                              .op = reconstruction->op,
                              .exchange = reconstruction->exchange,
                              .settings = reconstruction->settings,
                              .stride = reconstruction->plan->stride,
                              .iterations = columns - 1}};
    sino_runtime_expect(runtime, (double)(reconstruction->input->slice_count * columns),
                        reconstruction->plan->slab_count);
    status = sino_processes_agree(sino_runtime_processes(runtime), new_data(&run));
    const bool begun = !status; /* by all */
    if (!status && solver->prepare && !reconstruction->exchange->shape.idle) status = solver->prepare(&run.solver_run);
    sino_runtime_profile_begin(runtime);
    if (!status) status = insert_all(&run);
    /* Others would wait for messages that are not submitted any more. */
    if (begun && *sino_status_text(status) && sino_processes_count(sino_runtime_processes(runtime)) > 1)
        sino_processes_abort(sino_runtime_processes(runtime), status);
    status = sino_runtime_wait_after(runtime, status);
    if (!status) sino_runtime_profile_report(runtime, "");
    if (solver->release) solver->release(&run.solver_run);
    free_data(&run);
    return status;
}

SinoStatus sino_record_new(const SinoInput *input, int64_t history_columns, bool pictures, SinoRecord *result)
{
    SinoStatus status = NULL;
    const int64_t size = input->geometry.grid_size;
    SinoRecord record = {.slice_count = input->slice_count,
                         .columns = history_columns,
                         .picture_slice = input->slice_count / 2,
                         .pixel_count = size * size,
                         .ray_count = sino_geometry_ray_count(&input->geometry)};
    SINO_TRY_OR(status, fail,
                sino_allocate(input->slice_count * history_columns, sizeof(double), "residuals", &record.residuals));
    SINO_TRY_OR(status, fail, sino_allocate(input->slice_count, sizeof(int64_t), "repair counts", &record.repaired));
    if (pictures) {
        SINO_TRY_OR(status, fail, sino_allocate(record.pixel_count, sizeof(float), "a picture", &record.tomogram));
        SINO_TRY_OR(status, fail, sino_allocate(record.ray_count, sizeof(float), "a picture", &record.sinogram));
    }
    *result = record;
    return NULL;
fail:
    sino_record_free(&record);
    return status;
}

SinoStatus sino_record_join(SinoProcesses *processes, SinoRecord *record)
{
    /* What a process does not know is 0 there. */
    SINO_TRY(sino_processes_sum_doubles(processes, record->slice_count * record->columns, record->residuals));
    SINO_TRY(sino_processes_sum_integers(processes, record->slice_count, record->repaired));
    if (!record->tomogram) return NULL;
    SINO_TRY(sino_processes_sum_floats(processes, record->pixel_count, record->tomogram));
    return sino_processes_sum_floats(processes, record->ray_count, record->sinogram);
}

void sino_record_free(SinoRecord *record)
{
    free(record->residuals);
    free(record->repaired);
    free(record->sinogram);
    free(record->tomogram);
    *record = (SinoRecord){0};
}
