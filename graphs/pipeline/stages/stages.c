/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages: the list of stages, and the data that pass through it. */
#include "stages.h"

#include "device_room.h"
#include "memory.h"

#include <stdlib.h>

const SinoStageKind *const sino_stage_kinds[] = {&sino_stage_correct, &sino_stage_zingers, &sino_stage_air,
                                                 &sino_stage_stripes, &sino_stage_harden,  NULL};

enum { KINDS = sizeof sino_stage_kinds / sizeof *sino_stage_kinds - 1 };
_Static_assert(KINDS == 1 + SINO_STAGES_MOVABLE, "stage_order.c names every stage after the first");

const SinoStageKind *sino_stage_at(const SinoInput *input, int64_t i)
{
    const bool moved = input->stages_ordered && i >= 1 && i < KINDS;
    return sino_stage_kinds[moved ? input->stage_order[i - 1] : i];
}

typedef struct FieldSet {
    SinoData *flat, *dark;
} FieldSet;

struct SinoStages {
    SinoStagesRequest request;
    bool host;        /* cores alone change sinograms */
    SinoData *places; /* of the angles, for GPUs; NULL: in order, or cores alone compute */
    SinoData *io;
    SinoData *counts[SINO_COUNT_SETS_MAX];
    FieldSet fields[SINO_COUNT_SETS_MAX];
    void *own[KINDS]; /* [kind]: the stage's buffers; owned by the stage */
};

static bool is_wanted(const SinoStagesRequest *request, const SinoStageKind *kind)
{
    const SinoInput *input = request->input;
    const bool parts = input->angle_count != input->info->angle_count;
    /* Stages that the user has asked for are refused instead, by prepare. */
    if (kind->scope == SINO_SCOPE_SINOGRAM && (request->projections || (parts && input->stages_chosen))) return false;
    return kind->wanted(input);
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

static SinoStatus new_counts(SinoRuntime *runtime, const SinoInput *input, int64_t slab_slices, SinoData **counts)
{
    return sino_data_new(runtime, "counts", sino_input_slab_bytes(input, input->angle_count, slab_slices), counts);
}

static SinoStatus new_fields(SinoRuntime *runtime, const SinoInput *input, int64_t slab_slices, SinoData **flat,
                             SinoData **dark)
{
    const int64_t bytes = sino_input_field_bytes(input, slab_slices);
    SINO_TRY(sino_data_new(runtime, "flat", sino_input_fields_bytes(input, slab_slices) - bytes, flat));
    return sino_data_new(runtime, "dark", bytes, dark);
}

static SinoStatus load_early(SinoRuntime *runtime, const SinoInput *input, int64_t slab_slices, SinoEarlyLoad *early)
{
    SinoPosition position = SINO_NOWHERE;
    position.slab = 0;
    early->run = (SinoAngleRun){.count = input->geometry.angle_count};
    SINO_TRY(sino_data_new(runtime, "io", 0, &early->io));
    SINO_TRY(new_counts(runtime, input, slab_slices, &early->counts));
    SINO_TRY(new_fields(runtime, input, slab_slices, &early->flat, &early->dark));
    SinoLoad load = sino_input_load(input, 0, sino_smaller(slab_slices, input->slice_count));
    load.run_count = 1;
    load.run = &early->run;
    load.aside = true;
    return sino_insert_load(runtime, position, &load, early->io, early->counts, early->flat, early->dark);
}

SinoStatus sino_early_load_new(SinoRuntime *runtime, const SinoInput *input, int64_t slab_slices,
                               SinoEarlyLoad **result)
{
    SinoEarlyLoad *early;
    SINO_TRY(sino_allocate(1, sizeof *early, "the first slab", &early));
    SINO_GIVE(load_early(runtime, input, slab_slices, early), early, sino_early_load_free, result);
}

void sino_early_load_free(SinoEarlyLoad *early)
{
    if (!early) return;
    sino_data_free(early->counts);
    sino_data_free(early->flat);
    sino_data_free(early->dark);
    sino_data_free(early->io);
    free(early);
}

/* Set 0 of the stages. */
static void take_early(SinoStages *stages, SinoEarlyLoad *early)
{
    stages->io = early->io;
    stages->counts[0] = early->counts;
    stages->fields[0] = (FieldSet){early->flat, early->dark};
    early->io = early->counts = early->flat = early->dark = NULL;
}

/* Whether GPUs change sinograms, and what they need for it. */
static SinoStatus prepare_devices(SinoStages *stages)
{
    const SinoStagesRequest *request = &stages->request;
    const SinoInput *input = request->input;
    stages->host = input->angle_count == 0 || !sino_device_takes(request->runtime, sino_stage_sinogram_bytes(request));
    if (stages->host || !input->place) return NULL;
    return sino_data_copy(request->runtime, "places", input->place, input->angle_count * (int64_t)sizeof *input->place,
                          &stages->places);
}

static SinoStatus new_data(SinoStages *stages)
{
    const SinoStagesRequest *request = &stages->request;
    const int64_t first = request->early ? 1 : 0, slices = request->slab_slices;
    if (request->early)
        take_early(stages, request->early);
    else
        SINO_TRY(sino_data_new(request->runtime, "io", 0, &stages->io));
    for (int64_t i = first; i < request->set_count; i++)
        SINO_TRY(new_counts(request->runtime, request->input, slices, &stages->counts[i]));
    for (int64_t i = first; i < request->field_set_count; i++)
        SINO_TRY(
            new_fields(request->runtime, request->input, slices, &stages->fields[i].flat, &stages->fields[i].dark));
    SINO_TRY(prepare_devices(stages));
    for (int i = 0; i < KINDS; i++) SINO_TRY(prepare(request, sino_stage_at(request->input, i), &stages->own[i]));
    return NULL;
}

SinoStatus sino_stages_new(const SinoStagesRequest *request, SinoStages **result)
{
    SinoStages *stages;
    SINO_TRY(sino_allocate(1, sizeof *stages, "stages", &stages));
    stages->request = *request;
    SINO_GIVE(new_data(stages), stages, sino_stages_free, result);
}

void sino_stages_free(SinoStages *stages)
{
    if (!stages) return;
    for (int i = 0; i < KINDS; i++) {
        const SinoStageKind *kind = sino_stage_at(stages->request.input, i);
        if (kind->release) kind->release(stages->own[i]);
    }
    for (int i = 0; i < SINO_COUNT_SETS_MAX; i++) {
        sino_data_free(stages->counts[i]);
        sino_data_free(stages->fields[i].flat);
        sino_data_free(stages->fields[i].dark);
    }
    sino_data_free(stages->io);
    sino_data_free(stages->places);
    free(stages);
}

SinoData *sino_stages_io(const SinoStages *stages)
{
    return stages->io;
}

SinoStatus sino_stages_load(SinoStages *stages, const SinoStageLoad *what)
{
    const FieldSet *fields = &stages->fields[what->field_set];
    SinoLoad load = sino_input_load(stages->request.input, what->first_slice, what->slice_count);
    load.run_count = what->run_count;
    load.run = what->run;
    load.fields = what->fields;
    return sino_insert_load(stages->request.runtime, what->position, &load, stages->io, stages->counts[what->set],
                            fields->flat, fields->dark);
}

SinoStatus sino_stages_insert(SinoStages *stages, const SinoStageWork *work)
{
    SinoStageWork of_set = *work;
    of_set.counts = stages->counts[work->set];
    of_set.flat = stages->fields[work->field_set].flat;
    of_set.dark = stages->fields[work->field_set].dark;
    of_set.places = stages->places;
    of_set.host = stages->host;
    for (int i = 0; i < KINDS; i++) {
        const SinoStageKind *kind = sino_stage_at(stages->request.input, i);
        if (is_wanted(&stages->request, kind)) SINO_TRY(kind->insert(&stages->request, stages->own[i], &of_set));
    }
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
    const SinoStageLoad load = {.position = SINO_NOWHERE,
                                .fields = true,
                                .first_slice = first_slice,
                                .slice_count = slices.slice_count,
                                .run_count = request->input->run_count,
                                .run = request->input->run};
    SINO_TRY(sino_stages_load(reading->stages, &load));
    SINO_TRY(sino_stages_insert(reading->stages, &reading->work));
    SINO_TRY(sino_runtime_wait(request->runtime));
    SINO_TRY(sino_data_acquire(reading->work.sinogram, SINO_READ, &memory));
    deinterleave(slices, request->ray_count, memory, sinograms);
    sino_data_release(reading->work.sinogram);
    return NULL;
}

SinoStatus sino_stages_read(SinoRuntime *runtime, const SinoInput *input, bool projections, bool marked,
                            int64_t first_slice, int64_t slice_count, float **result)
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
                                   .field_set_count = 1,
                                   .projections = projections,
                                   .marked = marked},
                       .work = {.position = SINO_NOWHERE,
                                .slices = slices,
                                .angle_count = input->angle_count,
                                .slab_first = first_slice,
                                .slab_slices = slice_count}};
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
