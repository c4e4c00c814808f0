/* SPDX-License-Identifier: BSD-3-Clause */
/* Integrals: a whole scan after its stages, in memory. */
#include "stages.h"

#include "memory.h"
#include "stages_tasks.h"

#include <stdlib.h>

/* Slices of a minibatch; slabs of counts in memory. */
enum { BATCH = 16, SLABS = 2 };

struct SinoIntegrals {
    SinoInput input;  /* owns its scan alone */
    SinoAngleRun all; /* angles of a half */
    SinoMemoryScan memory;
    float *value; /* [angle][row][column]; owned */
};

/* A minibatch on its way. */
typedef struct Set {
    SinoData *sinogram, *repaired, *tally;
} Set;

typedef struct Pass {
    SinoStagesRequest request;
    SinoStages *stages;
    int64_t set_count;
    Set set[SINO_COUNT_SETS_MAX];
    float *to;
} Pass;

bool sino_integrals_needed(const SinoInput *input)
{
    for (int64_t i = 0; sino_stage_kinds[i]; i++)
        if (sino_stage_kinds[i]->scope == SINO_SCOPE_SINOGRAM && sino_stage_kinds[i]->wanted(input)) return true;
    return false;
}

/* The input after its stages, with *info, which outlives it. */
static SinoInput after_stages(const SinoInput *input, SinoScanInfo *info)
{
    SinoInput after = *input;
    *info = *input->info;
    info->type = SINO_COUNT_FLOAT32;
    info->full_count = 0;
    info->row_count = input->slice_count;
    info->column_count = input->geometry.column_count;
    info->flat_count = info->dark_count = 0;
    info->line_integrals = true;
    after.scan = NULL;
    after.info = info;
    after.first_row = after.first_column = 0;
    after.row_count = info->row_count;
    after.column_count = info->column_count;
    after.binning = 1;
    after.flat_correction = SINO_FLAT_NONE;
    after.flat_sets = (SinoFlatSets){0};
    after.minus_log = after.stages_chosen = false;
    after.air = 0;
    after.tilt_rad = after.phase.range = 0;
    after.shift = NULL;
    after.hardening.count = 0;
    after.zinger_level = after.saturation = after.most = 0;
    after.stripes.method = SINO_STRIPES_NONE;
    return after;
}

SinoInput sino_integrals_input(const SinoInput *input, SinoScanInfo *info)
{
    return sino_integrals_needed(input) ? after_stages(input, info) : *input;
}

/* Rays of a slice. */
static int64_t rays_of(const SinoInput *input)
{
    return sino_times(input->angle_count, input->geometry.column_count);
}

int64_t sino_integrals_bytes(const SinoInput *input)
{
    if (!sino_integrals_needed(input)) return 0;
    return sino_times(sino_times(rays_of(input), input->slice_count), (int64_t)sizeof(float));
}

static int64_t batch_of(const SinoInput *input)
{
    return sino_smaller(BATCH, input->slice_count);
}

/* Bytes of a pass by slabs of `slab` slices, and `sets` minibatches at a time. */
static int64_t pass_bytes(const SinoInput *input, int64_t worker_count, int64_t sets, int64_t slab)
{
    const SinoStripesOptions stripes = sino_input_stripes(input);
    const int64_t batch = batch_of(input), stride = sino_panel_stride(SINO_SINGLE, batch);
    const int64_t sinogram = sino_times(sino_times(rays_of(input), stride), (int64_t)sizeof(float));
    const int64_t counts = sino_input_slab_bytes(input, input->angle_count, slab);
    const int64_t scratch = (stripes.method ? sino_stripes_scratch_bytes(&stripes) : 0) +
                            sino_input_images_bytes(input, sino_times(batch, input->binning));
    return sino_times(sets, sinogram) + sino_times(SLABS, counts + sino_input_fields_bytes(input, slab)) +
           sino_times(worker_count, scratch);
}

int64_t sino_integrals_pass_bytes(const SinoInput *input, int64_t worker_count)
{
    return sino_integrals_needed(input) ? pass_bytes(input, worker_count, 1, batch_of(input)) : 0;
}

/* As many minibatches as there are workers, and then as large slabs, as `bytes` take. */
static void divide(const SinoInput *input, int64_t workers, int64_t bytes, int64_t *sets, int64_t *slab)
{
    const int64_t batch = batch_of(input), batches = sino_ceil_divide(input->slice_count, batch);
    *sets = sino_smaller(sino_smaller(workers + 1, batches), SINO_COUNT_SETS_MAX);
    while (*sets > 1 && pass_bytes(input, workers, *sets, batch) > bytes) --*sets;
    *slab = batch;
    while (*slab < input->slice_count && pass_bytes(input, workers, *sets, 2 * *slab) <= bytes) *slab *= 2;
    *slab = sino_smaller(*slab, input->slice_count);
}

static SinoStatus new_sets(Pass *pass)
{
    const SinoStagesRequest *request = &pass->request;
    const int64_t numbers = request->input->angle_count + request->input->geometry.column_count;
    for (int64_t i = 0; i < pass->set_count; i++) {
        Set *set = &pass->set[i];
        SINO_TRY(sino_data_vector(request->runtime, "sinogram", request->ray_count, request->slices.stride,
                                  sizeof(float), &set->sinogram));
        SINO_TRY(
            sino_data_vector(request->runtime, "repaired", request->slices.stride, 1, sizeof(int64_t), &set->repaired));
        SINO_TRY(sino_data_vector(request->runtime, "tally", numbers, 1, sizeof(int64_t), &set->tally));
    }
    return NULL;
}

/* Minibatch `number` of all: slices first … first + count − 1 of a slab. */
static SinoStatus insert_batch(Pass *pass, const SinoStageLoad *slab, int64_t number, int64_t first, int64_t count)
{
    const SinoStagesRequest *request = &pass->request;
    const SinoInput *input = request->input;
    const Set *set = &pass->set[number % pass->set_count];
    const SinoSlices slices = {SINO_SINGLE, sino_panel_stride(SINO_SINGLE, count), count};
    const SinoStageWork work = {.position = slab->position,
                                .slices = slices,
                                .set = slab->set,
                                .field_set = slab->field_set,
                                .angle_count = input->angle_count,
                                .slab_first = slab->first_slice,
                                .slab_slices = slab->slice_count,
                                .slice_in_slab = first,
                                .sinogram = set->sinogram,
                                .repaired = set->repaired,
                                .tally = set->tally};
    const SinoKeepIntegrals keep = {.angle_count = input->angle_count,
                                    .row_count = input->slice_count,
                                    .column_count = input->geometry.column_count,
                                    .first_row = slab->first_slice + first,
                                    .slices = slices,
                                    .to = pass->to};
    SINO_TRY(sino_stages_insert(pass->stages, &work));
    return sino_insert_integrals(request->runtime, slab->position, &keep, set->sinogram);
}

static SinoStatus insert_slabs(Pass *pass)
{
    const SinoStagesRequest *request = &pass->request;
    const SinoInput *input = request->input;
    const int64_t batch = batch_of(input);
    int64_t number = 0;
    SinoStageLoad slab = {.position = SINO_NOWHERE, .fields = true, .run_count = input->run_count, .run = input->run};
    for (int64_t s = 0; slab.first_slice < input->slice_count; s++) {
        if (sino_runtime_failed(request->runtime)) return NULL;
        slab.position.slab = s;
        slab.set = slab.field_set = s % SLABS;
        slab.slice_count = sino_smaller(request->slab_slices, input->slice_count - slab.first_slice);
        SINO_TRY(sino_stages_load(pass->stages, &slab));
        for (int64_t first = 0; first < slab.slice_count; first += batch)
            SINO_TRY(insert_batch(pass, &slab, number++, first, sino_smaller(batch, slab.slice_count - first)));
        slab.first_slice += slab.slice_count;
    }
    return NULL;
}

static SinoStatus run_stages(SinoRuntime *runtime, const SinoInput *input, int64_t bytes, float *to)
{
    const int64_t batch = batch_of(input);
    Pass pass = {.to = to,
                 .request = {.runtime = runtime,
                             .input = input,
                             .slices = {SINO_SINGLE, sino_panel_stride(SINO_SINGLE, batch), batch},
                             .ray_count = rays_of(input),
                             .set_count = SLABS,
                             .field_set_count = SLABS,
                             .marked = true}};
    divide(input, sino_runtime_worker_count(runtime), bytes, &pass.set_count, &pass.request.slab_slices);
    SinoStatus status = sino_stages_new(&pass.request, &pass.stages);
    if (!status) status = new_sets(&pass);
    if (!status) status = insert_slabs(&pass);
    status = sino_runtime_wait_after(runtime, status);
    for (int64_t i = 0; i < pass.set_count; i++) {
        sino_data_free(pass.set[i].sinogram);
        sino_data_free(pass.set[i].repaired);
        sino_data_free(pass.set[i].tally);
    }
    sino_stages_free(pass.stages);
    return status;
}

/* The array as a scan. half: SinoScanRequest. */
static SinoStatus open_scan(SinoIntegrals *integrals, const SinoInput *input, const float *value, int half)
{
    SinoScanInfo info;
    const SinoInput after = after_stages(input, &info);
    const int64_t angles = after.info->angle_count, rows = after.info->row_count, columns = after.info->column_count;
    integrals->memory = (SinoMemoryScan){.projections = {.type = SINO_MEMORY_FLOAT32,
                                                         .first = value,
                                                         .size = {angles, rows, columns},
                                                         .step = {rows * columns, columns, 1}},
                                         .angle_rad = half ? input->geometry.angle_rad : after.info->angle_rad};
    const SinoScanRequest request = {.path = "", .memory = &integrals->memory, .half = half};
    integrals->input = after;
    SINO_TRY(sino_scan_open(&request, &integrals->input.scan));
    integrals->input.info = sino_scan_info(integrals->input.scan);
    return NULL;
}

SinoStatus sino_integrals_new(SinoRuntime *runtime, const SinoInput *input, int64_t total_bytes, SinoIntegrals **result)
{
    SinoIntegrals *integrals;
    *result = NULL;
    if (!sino_integrals_needed(input)) return NULL;
    SINO_TRY(sino_allocate(1, sizeof *integrals, "line integrals", &integrals));
    const int64_t values = sino_times(rays_of(input), input->slice_count);
    const int64_t besides = total_bytes - sino_runtime_base_bytes() - sino_integrals_bytes(input);
    SinoStatus status = sino_allocate(values, sizeof *integrals->value, "line integrals", &integrals->value);
    if (!status) status = run_stages(runtime, input, besides, integrals->value);
    if (!status) status = open_scan(integrals, input, integrals->value, 0);
    SINO_GIVE(status, integrals, sino_integrals_free, result);
}

/* The scan of one half, whose angles are those of the geometry. */
static SinoStatus open_half(SinoIntegrals *integrals, const SinoInput *input, const float *value, int half)
{
    SinoInput *after = &integrals->input;
    SINO_TRY(open_scan(integrals, input, value, half));
    after->geometry.angle_rad = after->info->angle_rad;
    after->geometry.angle_count = after->angle_count = after->info->angle_count;
    integrals->all = (SinoAngleRun){.count = after->angle_count};
    after->run_count = 1;
    after->run = &integrals->all;
    after->place = NULL;
    after->dropped = NULL;
    return NULL;
}

SinoStatus sino_integrals_halves(SinoRuntime *runtime, const SinoInput *input, SinoIntegrals *half[2])
{
    const int64_t values = sino_times(rays_of(input), input->slice_count);
    half[0] = half[1] = NULL;
    SINO_TRY(sino_allocate(1, sizeof *half[0], "line integrals", &half[0]));
    SINO_TRY(sino_allocate(1, sizeof *half[1], "line integrals", &half[1]));
    SINO_TRY(sino_allocate(values, sizeof *half[0]->value, "line integrals", &half[0]->value));
    SINO_TRY(run_stages(runtime, input, 0, half[0]->value));
    for (int h = 0; h < 2; h++) SINO_TRY(open_half(half[h], input, half[0]->value, 1 + h));
    return NULL;
}

void sino_integrals_free(SinoIntegrals *integrals)
{
    if (!integrals) return;
    sino_scan_close(integrals->input.scan);
    free(integrals->value);
    free(integrals);
}

const SinoInput *sino_integrals_or(const SinoIntegrals *integrals, const SinoInput *input)
{
    return integrals ? &integrals->input : input;
}
