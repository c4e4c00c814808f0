/* SPDX-License-Identifier: BSD-3-Clause */
/* Stage correct: from the counts of a slab to the line integrals of a minibatch (codelets/stages/correct.h). It is
 * always wanted, because it puts values into the panels that solvers need. */
#include "device_room.h"
#include "memory.h"
#include "stages.h"
#include "stages_tasks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct Own {
    double *flat_at;         /* place of each angle of the input's runs among the sets of flat fields; NULL: one set */
    SinoShift *shift;        /* of each angle of the input's runs; NULL: none */
    SinoImagesPlans *images; /* NULL: neither phase retrieval, tilt nor shifts are wanted; owned */
    bool host;               /* cores alone correct */
    SinoData *scratch;       /* of images; else of GPUs; NULL: none */
    SinoData *angles;        /* with several sets of flat fields: places among the rows and the sets, for GPUs */
} Own;

static bool always(const SinoInput *input)
{
    (void)input;
    return true;
}

static void describe(const SinoInput *input, size_t size, char *text)
{
    static const char *const fields[] = {[SINO_FLAT_MEAN] = "mean of flat and dark fields",
                                         [SINO_FLAT_MEDIAN] = "median of flat and dark fields",
                                         [SINO_FLAT_NONE] = "no flat fields"};
    char binning[80] = "", sets[80] = "", phase[80] = "", tilt[80] = "";
    const char *shifts = input->shift ? ", projections shifted back" : "";
    if (input->tilt_rad != 0)
        snprintf(tilt, sizeof tilt, ", detector turned back by %.3g degrees", input->tilt_rad * 180 / SINO_PI);
    if (input->phase.range > 0)
        snprintf(phase, sizeof phase, ", %s over %.3g pixels", sino_input_phase_title(input), input->phase.range);
    if (input->flat_sets.count > 1)
        snprintf(sets, sizeof sets, ", %" PRId64 " sets of flat fields interpolated", input->flat_sets.count);
    if (input->binning > 1)
        snprintf(binning, sizeof binning, ", averages of %" PRId64 " × %" PRId64 " pixels", input->binning,
                 input->binning);
    snprintf(text, size, "%s%s%s%s%s%s%s", fields[input->flat_correction], sets, tilt, shifts, phase,
             input->minus_log ? ", -ln" : "", binning);
}

/* Angles of the input's runs. */
static int64_t angles_read(const SinoInput *input)
{
    int64_t count = 0;
    for (int64_t i = 0; i < input->run_count; i++) count += input->run[i].count;
    return count;
}

/* The places among the sets of flat fields. */
static SinoStatus place_flats(const SinoInput *input, double **flat_at)
{
    int64_t count = 0;
    SINO_TRY(sino_allocate(sino_larger(angles_read(input), 1), sizeof **flat_at, "angles", flat_at));
    for (int64_t i = 0; i < input->run_count; i++)
        for (int64_t k = 0; k < input->run[i].count; k++)
            (*flat_at)[count++] = sino_flat_sets_at(&input->flat_sets, input->info, input->run[i].first + k);
    return NULL;
}

static SinoStatus list_shifts(const SinoInput *input, SinoShift **shift)
{
    int64_t count = 0;
    SINO_TRY(sino_allocate(sino_larger(angles_read(input), 1), sizeof **shift, "angles", shift));
    for (int64_t i = 0; i < input->run_count; i++)
        for (int64_t k = 0; k < input->run[i].count; k++) (*shift)[count++] = input->shift[input->run[i].first + k];
    return NULL;
}

/* What GPUs read of the angles, as SinoCorrect has it. */
static SinoStatus copy_angles(const SinoStagesRequest *request, Own *own)
{
    const SinoInput *input = request->input;
    const int64_t places = input->place ? input->angle_count : 0, flats = angles_read(input);
    int64_t *table = NULL;
    _Static_assert(sizeof *table == sizeof *own->flat_at, "one table has both");
    SINO_TRY(sino_allocate(places + flats, sizeof *table, "angles", &table));
    if (places > 0) memcpy(table, input->place, (size_t)places * sizeof *table);
    memcpy(table + places, own->flat_at, (size_t)flats * sizeof *table);
    SinoStatus status =
        sino_data_copy(request->runtime, "angles", table, (places + flats) * (int64_t)sizeof *table, &own->angles);
    free(table);
    return status;
}

/* Whether GPUs have room for the counts of a slab, a sinogram and `bytes` of scratch memory. */
static bool is_for_gpus(const SinoStagesRequest *request, int64_t bytes)
{
    const SinoInput *input = request->input;
    const int64_t slab = request->slab_slices;
    const int64_t counts = sino_input_slab_bytes(input, input->angle_count, slab);
    const int64_t data = counts + sino_input_fields_bytes(input, slab) + sino_stage_sinogram_bytes(request);
    return input->angle_count > 0 && sino_device_takes(request->runtime, data + bytes);
}

/* Scratch memory has one size on cores and GPUs. */
static SinoStatus prepare_images(const SinoStagesRequest *request, Own *own)
{
    const SinoInput *input = request->input;
    const SinoPhaseOptions options = sino_input_phase(input), *phase = options.range > 0 ? &options : NULL;
    const int64_t slices = request->slices.slice_count, of_gpus = sino_input_images_gpu_bytes(input, slices);
    const int64_t of_cores = sino_input_images_bytes(input, sino_times(slices, input->binning));
    const bool cuda = sino_runtime_devices(request->runtime) & SINO_DEVICE_CUDA;
    own->host = input->shift || !(cuda && is_for_gpus(request, of_gpus + sino_images_plan_bytes(phase)));
    SINO_TRY(sino_images_plans_new(request->runtime, phase, own->host, &own->images));
    if (own->flat_at && !own->host) SINO_TRY(copy_angles(request, own));
    if (input->shift) SINO_TRY(list_shifts(input, &own->shift));
    return sino_data_scratch(request->runtime, "images", own->host ? of_cores : sino_larger(of_cores, of_gpus),
                             &own->scratch);
}

/* Allocates the buffers with which GPUs correct, unless a slab's counts are too large for a GPU. */
static SinoStatus prepare(const SinoStagesRequest *request, void **result)
{
    Own *own;
    const SinoInput *input = request->input;
    SINO_TRY(sino_allocate(1, sizeof *own, "a stage", &own));
    *result = own;
    if (input->flat_sets.count > 1) SINO_TRY(place_flats(input, &own->flat_at));
    if (sino_input_has_images(input)) return prepare_images(request, own);
    own->host = !is_for_gpus(request, 0);
    if (own->host) return NULL;
    const SinoCorrection correction = sino_input_correction(input, request->slices, 0, request->slab_slices, 0);
    if (own->flat_at) SINO_TRY(copy_angles(request, own));
    return sino_correct_scratch(request->runtime, &correction, &own->scratch);
}

static void release(void *released)
{
    Own *own = released;
    if (!own) return;
    free(own->flat_at);
    free(own->shift);
    sino_images_plans_free(own->images);
    sino_data_free(own->scratch);
    sino_data_free(own->angles);
    free(own);
}

static SinoStatus insert(const SinoStagesRequest *request, void *prepared, const SinoStageWork *work)
{
    const Own *own = prepared;
    SinoCorrect correct = {.correction = sino_input_correction(request->input, work->slices, work->slab_first,
                                                               work->slab_slices, work->slice_in_slab),
                           .counts = work->counts,
                           .flat = work->flat,
                           .dark = work->dark,
                           .sinogram = work->sinogram,
                           .repaired = work->repaired,
                           .tally = work->tally,
                           .angles = own->flat_at ? own->angles
                                     : own->host  ? NULL
                                                  : work->places,
                           .place_count = request->input->place ? request->input->angle_count : 0,
                           .flat_first = work->first_angle,
                           .scratch = own->scratch};
    correct.correction.angle_count = work->angle_count;
    if (own->flat_at) correct.correction.flat_at = own->flat_at + work->first_angle;
    correct.correction.uncounted = work->uncounted;
    correct.correction.marked = request->marked;
    if (own->images) {
        const int64_t row =
            request->input->first_row + (work->slab_first + work->slice_in_slab) * request->input->binning;
        SinoTilt tilt = sino_input_tilt(request->input, row - correct.correction.first_row);
        tilt.shift = own->shift ? own->shift + work->first_angle : NULL;
        return sino_insert_images(work->position, own->images, &correct, &tilt);
    }
    return sino_insert_correct(request->runtime, work->position, &correct);
}

const SinoStageKind sino_stage_correct = {
    .name = "correct",
    .help = "counts to line integrals; undefined values get weight 0, or are interpolated for fbp",
    .scope = SINO_SCOPE_ROW,
    .wanted = always,
    .describe = describe,
    .prepare = prepare,
    .release = release,
    .insert = insert};
