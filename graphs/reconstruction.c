/* SPDX-License-Identifier: BSD-3-Clause */
/* Reconstruction: the graph of a whole run, slab after slab, from the scan to the volume.
 *
 *     load → correct → [ filter → ] start → iterate × iterations → assemble → store
 *
 * A slab's minibatches are independent chains. Two sets of counts and one slot per minibatch bound the memory: StarPU
 * lets the tasks of the next slab begin, each when the slot that it needs is free. */
#include "reconstruction.h"

#include "memory.h"

#include <stdlib.h>

enum { COUNT_SETS = 2 };

/* Counts and fields of one slab. */
typedef struct CountSet {
    SinoData *counts, *flat, *dark;
} CountSet;

typedef struct Run {
    SinoRuntime *runtime;
    const SinoSettings *settings;
    const SinoInput *input;
    const SinoOperator *op;
    const SinoSolver *solver;
    const SinoMemoryPlan *plan;
    double scale;
    SinoVolume *volume;
    SinoRecord *record;
    SinoSolverRun solver_run;
    SinoData *io;
    CountSet set[COUNT_SETS];
    SinoMinibatch **slot;
} Run;

static int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t slab_slices(const Run *run, int64_t slab)
{
    return min(run->plan->slab_slices, run->input->slice_count - slab * run->plan->slab_slices);
}

static SinoStatus new_data(Run *run)
{
    const SinoMemoryPlan *plan = run->plan;
    const SinoSlices slices = {.precision = sino_precision_solver(run->op->layout.precision), .stride = plan->stride};
    const int64_t field = sino_input_field_bytes(run->input, plan->slab_slices);
    SINO_TRY(sino_data_new(run->runtime, "io", 0, &run->io));
    for (int64_t i = 0; i < min(COUNT_SETS, plan->slab_count); i++) {
        CountSet *set = &run->set[i];
        SINO_TRY(
            sino_data_new(run->runtime, "counts", sino_input_slab_bytes(run->input, plan->slab_slices), &set->counts));
        SINO_TRY(sino_data_new(run->runtime, "flat", field, &set->flat));
        SINO_TRY(sino_data_new(run->runtime, "dark", field, &set->dark));
    }
    SINO_TRY(sino_allocate(plan->slots, sizeof *run->slot, "slots", &run->slot));
    for (int64_t s = 0; s < plan->slots; s++)
        SINO_TRY(sino_minibatch_new(run->runtime, run->op, slices, run->solver->vectors, run->record->columns,
                                    &run->slot[s]));
    return NULL;
}

static void free_data(Run *run)
{
    for (int64_t s = 0; run->slot && s < run->plan->slots; s++)
        sino_minibatch_free(run->slot[s], run->op->partition_count);
    free(run->slot);
    for (int i = 0; i < COUNT_SETS; i++) {
        sino_data_free(run->set[i].counts);
        sino_data_free(run->set[i].flat);
        sino_data_free(run->set[i].dark);
    }
    sino_data_free(run->io);
}

static SinoStatus insert_load(Run *run, int64_t slab)
{
    if (slab >= run->plan->slab_count) return NULL;
    const CountSet *set = &run->set[slab % COUNT_SETS];
    const SinoLoad load = sino_input_load(run->input, slab * run->plan->slab_slices, slab_slices(run, slab));
    SinoPosition position = SINO_NOWHERE;
    position.slab = slab;
    return sino_insert_load(run->runtime, position, &load, run->io, set->counts, set->flat, set->dark);
}

/* Gives a slot to the next minibatch of a slab, and its line integrals. */
static SinoStatus insert_correct(Run *run, int64_t slab, int64_t slot)
{
    const SinoMemoryPlan *plan = run->plan;
    const CountSet *set = &run->set[slab % COUNT_SETS];
    SinoMinibatch *minibatch = run->slot[slot];
    const int64_t in_slab = slot * plan->minibatch, in_this = slab_slices(run, slab);
    minibatch->first_slice = slab * plan->slab_slices + in_slab;
    minibatch->slices.slice_count = min(plan->minibatch, in_this - in_slab);
    minibatch->stopped = false;
    minibatch->position.slab = slab;
    minibatch->position.minibatch = slab * plan->slots + slot;
    SinoCorrection correction = sino_input_correction(run->input, minibatch->slices, in_this, in_slab);
    correction.place = run->op->layout.place;
    SINO_TRY(sino_insert_correct(run->runtime, minibatch->position, &correction, set->counts, set->flat, set->dark,
                                 minibatch->rays[0], minibatch->repaired));
    const int64_t picture = run->record->picture_slice - minibatch->first_slice;
    if (run->record->sinogram && picture >= 0 && picture < minibatch->slices.slice_count)
        SINO_TRY(sino_insert_sample(run->runtime, minibatch->position, minibatch->slices, picture, &run->op->layout,
                                    minibatch->rays[0], run->record->sinogram));
    return run->solver->start(&run->solver_run, minibatch);
}

/* Stops the minibatch when all of its slices had stopped at an earlier iteration; those after it are in flight. */
static SinoStatus look_for_stop(Run *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const int64_t earlier = iteration - SINO_LOOKAHEAD + 1;
    if (run->settings->tolerance <= 0 || earlier < 1) return NULL;
    SinoData *active = minibatch->active[earlier % SINO_LOOKAHEAD];
    void *count;
    SINO_TRY(sino_data_acquire(active, STARPU_R, &count));
    minibatch->stopped = *(const int64_t *)count == 0;
    sino_data_release(active);
    if (minibatch->stopped)
        sino_runtime_expect_less(
            run->runtime, (double)((run->solver_run.iterations - iteration + 1) * minibatch->slices.slice_count));
    return NULL;
}

/* Iteration by iteration, so that every minibatch of the slab has tasks in flight. */
static SinoStatus insert_iterations(Run *run, int64_t slot_count)
{
    for (int64_t i = 1; i <= run->solver_run.iterations; i++) {
        for (int64_t s = 0; s < slot_count; s++) {
            SinoMinibatch *minibatch = run->slot[s];
            if (minibatch->stopped) continue;
            if (sino_runtime_failed(run->runtime)) return NULL;
            SINO_TRY(look_for_stop(run, minibatch, i));
            if (!minibatch->stopped) SINO_TRY(run->solver->iterate(&run->solver_run, minibatch, i));
        }
    }
    return NULL;
}

static SinoStatus insert_store(Run *run, SinoMinibatch *minibatch)
{
    const SinoOperator *op = run->op;
    for (int64_t p = 0; p < op->partition_count; p++) {
        const SinoAssemble part = {.slices = minibatch->slices,
                                   .grid_size = op->layout.geometry.grid_size,
                                   .tile_count = op->partition[p].tile_count,
                                   .tile = op->partition[p].tile,
                                   .scale = run->scale,
                                   .mask_ratio = run->settings->mask_ratio};
        SINO_TRY(sino_insert_assemble(run->runtime, sino_minibatch_at(minibatch, -1, p), &part, p == 0,
                                      op->partition[p].tiles, minibatch->voxels[0][p], minibatch->image));
    }
    const SinoStore store = {.volume = run->volume,
                             .first_slice = minibatch->first_slice,
                             .slice_count = minibatch->slices.slice_count,
                             .columns = run->record->columns,
                             .residuals = run->record->residuals,
                             .repaired = run->record->repaired,
                             .picture_slice = run->record->picture_slice,
                             .pixel_count = op->layout.geometry.grid_size * op->layout.geometry.grid_size,
                             .picture = run->record->tomogram};
    return sino_insert_store(run->runtime, minibatch->position, &store, run->io, minibatch->image, minibatch->history,
                             minibatch->repaired);
}

static SinoStatus insert_slab(Run *run, int64_t slab)
{
    const int64_t slot_count = (slab_slices(run, slab) + run->plan->minibatch - 1) / run->plan->minibatch;
    for (int64_t s = 0; s < slot_count; s++) SINO_TRY(insert_correct(run, slab, s));
    SINO_TRY(insert_load(run, slab + 1));
    SINO_TRY(insert_iterations(run, slot_count));
    for (int64_t s = 0; s < slot_count; s++) SINO_TRY(insert_store(run, run->slot[s]));
    return NULL;
}

static SinoStatus insert_all(Run *run)
{
    SINO_TRY(insert_load(run, 0));
    for (int64_t slab = 0; slab < run->plan->slab_count && !sino_runtime_failed(run->runtime); slab++)
        SINO_TRY(insert_slab(run, slab));
    return NULL;
}

SinoStatus sino_reconstruct(SinoRuntime *runtime, const SinoSettings *settings, const SinoInput *input,
                            const SinoOperator *op, const SinoSolver *solver, const SinoMemoryPlan *plan, double scale,
                            SinoVolume *volume, SinoRecord *record)
{
    SinoStatus status = NULL;
    Run run = {.runtime = runtime,
               .settings = settings,
               .input = input,
               .op = op,
               .solver = solver,
               .plan = plan,
               .scale = scale,
               .volume = volume,
               .record = record,
               .solver_run = {.runtime = runtime, .op = op, .settings = settings, .iterations = record->columns - 1}};
    sino_runtime_expect(runtime, (double)(input->slice_count * record->columns), plan->slab_count);
    status = new_data(&run);
    if (!status && solver->prepare) status = solver->prepare(&run.solver_run);
    sino_runtime_profile_begin(runtime);
    if (!status) status = insert_all(&run);
    status = sino_runtime_wait_after(runtime, status);
    if (!status) sino_runtime_profile_report(runtime, NULL);
    if (solver->release) solver->release(&run.solver_run);
    free_data(&run);
    return status;
}

SinoStatus sino_record_new(const SinoInput *input, int64_t history_columns, bool pictures, SinoRecord *result)
{
    SinoStatus status = NULL;
    const int64_t size = input->geometry.grid_size;
    SinoRecord record = {
        .slice_count = input->slice_count, .columns = history_columns, .picture_slice = input->slice_count / 2};
    SINO_TRY_OR(status, fail,
                sino_allocate(input->slice_count * history_columns, sizeof(double), "residuals", &record.residuals));
    SINO_TRY_OR(status, fail, sino_allocate(input->slice_count, sizeof(int64_t), "repair counts", &record.repaired));
    if (pictures) {
        SINO_TRY_OR(status, fail, sino_allocate(size * size, sizeof(float), "a picture", &record.tomogram));
        SINO_TRY_OR(
            status, fail,
            sino_allocate(sino_geometry_ray_count(&input->geometry), sizeof(float), "a picture", &record.sinogram));
    }
    *result = record;
    return NULL;
fail:
    sino_record_free(&record);
    return status;
}

void sino_record_free(SinoRecord *record)
{
    free(record->residuals);
    free(record->repaired);
    free(record->sinogram);
    free(record->tomogram);
    *record = (SinoRecord){0};
}
