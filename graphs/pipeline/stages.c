/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages: the list of stages, and the data that pass through it. */
#include "stages.h"

#include "arithmetic.h"
#include "memory.h"

#include <stdlib.h>

enum { SETS_MAX = 2 };

const SinoStageKind *const sino_stage_kinds[] = {&sino_stage_correct, NULL};

enum { KINDS = sizeof sino_stage_kinds / sizeof *sino_stage_kinds - 1 };

/* Counts and fields of one slab. */
typedef struct CountSet {
    SinoData *counts, *flat, *dark;
} CountSet;

struct SinoStages {
    SinoStagesRequest request;
    SinoData *io;
    CountSet set[SETS_MAX];
    void *own[KINDS]; /* [kind]: the stage's buffers; owned by the stage */
};

static bool is_wanted(const SinoStagesRequest *request, const SinoStageKind *kind)
{
    return kind->wanted(request->input) && !(request->projections && kind->scope == SINO_SCOPE_SINOGRAM);
}

static SinoStatus prepare(const SinoStagesRequest *request, const SinoStageKind *kind, void **own)
{
    const SinoInput *input = request->input;
    if (!is_wanted(request, kind)) return NULL;
    SINO_CHECK(kind->scope != SINO_SCOPE_SINOGRAM || input->angle_count == input->info->angle_count, SINO_BAD_INPUT,
               "%s needs whole sinograms, but ranks share each slice; allowed: --grid with one rank per slice",
               kind->name);
    return kind->prepare ? kind->prepare(request, own) : NULL;
}

static SinoStatus new_set(const SinoStagesRequest *request, CountSet *set)
{
    const SinoInput *input = request->input;
    const int64_t field = sino_input_field_bytes(input, request->slab_slices);
    SINO_TRY(sino_data_new(request->runtime, "counts",
                           sino_input_slab_bytes(input, input->angle_count, request->slab_slices), &set->counts));
    SINO_TRY(sino_data_new(request->runtime, "flat", field, &set->flat));
    return sino_data_new(request->runtime, "dark", field, &set->dark);
}

static SinoStatus new_data(SinoStages *stages)
{
    const SinoStagesRequest *request = &stages->request;
    SINO_TRY(sino_data_new(request->runtime, "io", 0, &stages->io));
    for (int64_t i = 0; i < request->set_count; i++) SINO_TRY(new_set(request, &stages->set[i]));
    for (int i = 0; i < KINDS; i++) SINO_TRY(prepare(request, sino_stage_kinds[i], &stages->own[i]));
    return NULL;
}

SinoStatus sino_stages_new(const SinoStagesRequest *request, SinoStages **result)
{
    SinoStages *stages;
    SINO_TRY(sino_allocate(1, sizeof *stages, "stages", &stages));
    stages->request = *request;
    SinoStatus status = new_data(stages);
    if (status)
        sino_stages_free(stages);
    else
        *result = stages;
    return status;
}

void sino_stages_free(SinoStages *stages)
{
    if (!stages) return;
    for (int i = 0; i < KINDS; i++)
        if (sino_stage_kinds[i]->release) sino_stage_kinds[i]->release(stages->own[i]);
    for (int i = 0; i < SETS_MAX; i++) {
        sino_data_free(stages->set[i].counts);
        sino_data_free(stages->set[i].flat);
        sino_data_free(stages->set[i].dark);
    }
    sino_data_free(stages->io);
    free(stages);
}

SinoData *sino_stages_io(const SinoStages *stages)
{
    return stages->io;
}

SinoStatus sino_stages_load(SinoStages *stages, SinoPosition position, int64_t set, int64_t first_slice,
                            int64_t slice_count)
{
    const CountSet *to = &stages->set[set];
    const SinoLoad load = sino_input_load(stages->request.input, first_slice, slice_count);
    return sino_insert_load(stages->request.runtime, position, &load, stages->io, to->counts, to->flat, to->dark);
}

SinoStatus sino_stages_insert(SinoStages *stages, int64_t set, const SinoStageWork *work)
{
    SinoStageWork of_set = *work;
    of_set.counts = stages->set[set].counts;
    of_set.flat = stages->set[set].flat;
    of_set.dark = stages->set[set].dark;
    for (int i = 0; i < KINDS; i++)
        if (is_wanted(&stages->request, sino_stage_kinds[i]))
            SINO_TRY(sino_stage_kinds[i]->insert(&stages->request, stages->own[i], &of_set));
    return NULL;
}

/* Copies slices from panels to sinograms[slice][ray]. */
static void deinterleave(SinoSlices slices, int64_t rays, const void *interleaved, float *sinograms)
{
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.slice_count; at = sino_panel_next(slices, at)) {
        const float *panel = sino_panel_from(at, rays, interleaved);
        float *to = sinograms + at.first * rays;
        for (int64_t f = 0; f < at.slices.slice_count; f++)
            for (int64_t r = 0; r < rays; r++) to[f * rays + r] = panel[r * at.slices.stride + f];
    }
}

/* A temporary chain of stages for one minibatch. */
typedef struct Reading {
    SinoStagesRequest request;
    SinoStages *stages;
    SinoStageWork work;
} Reading;

static SinoStatus read_sinograms(Reading *reading, int64_t first_slice, float *sinograms)
{
    const SinoStagesRequest *request = &reading->request;
    const SinoSlices slices = request->slices;
    const int64_t bytes = sino_times(sino_times(request->ray_count, slices.stride), (int64_t)sizeof(float));
    void *memory;
    SINO_TRY(sino_stages_new(request, &reading->stages));
    SINO_TRY(sino_data_new(request->runtime, "sinogram", bytes, &reading->work.sinogram));
    SINO_TRY(
        sino_data_new(request->runtime, "repaired", slices.stride * (int64_t)sizeof(int64_t), &reading->work.repaired));
    SINO_TRY(
        sino_data_new(request->runtime, "undefined",
                      (request->input->angle_count + request->input->geometry.column_count) * (int64_t)sizeof(int64_t),
                      &reading->work.tally));
    SINO_TRY(sino_stages_load(reading->stages, SINO_NOWHERE, 0, first_slice, slices.slice_count));
    SINO_TRY(sino_stages_insert(reading->stages, 0, &reading->work));
    SINO_TRY(sino_runtime_wait(request->runtime));
    SINO_TRY(sino_data_acquire(reading->work.sinogram, SINO_READ, &memory));
    deinterleave(slices, request->ray_count, memory, sinograms);
    sino_data_release(reading->work.sinogram);
    return NULL;
}

SinoStatus sino_stages_read(SinoRuntime *runtime, const SinoInput *input, bool projections, int64_t first_slice,
                            int64_t slice_count, float **result)
{
    const SinoSlices slices = {
        .precision = SINO_SINGLE, .stride = sino_panel_stride(SINO_SINGLE, slice_count), .slice_count = slice_count};
    const int64_t rays = sino_times(input->angle_count, input->geometry.column_count);
    Reading reading = {.request = {.runtime = runtime,
                                   .input = input,
                                   .slices = slices,
                                   .ray_count = rays,
                                   .slab_slices = slice_count,
                                   .set_count = 1,
                                   .projections = projections},
                       .work = {.position = SINO_NOWHERE, .slices = slices, .slab_slices = slice_count}};
    float *sinograms = NULL;
    SinoStatus status = sino_allocate(sino_times(rays, slice_count), sizeof *sinograms, "sinograms", &sinograms);
    if (!status) status = read_sinograms(&reading, first_slice, sinograms);
    sino_stages_free(reading.stages);
    sino_data_free(reading.work.sinogram);
    sino_data_free(reading.work.repaired);
    sino_data_free(reading.work.tally);
    if (status)
        free(sinograms);
    else
        *result = sinograms;
    return status;
}
