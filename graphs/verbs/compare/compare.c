/* SPDX-License-Identifier: BSD-3-Clause */
/* compare: how close a volume is to a reference, in two passes over the slices of both: sums, which give the range of
 * the reference and the straight line that fits best, and then what needs these. */
#include "compare.h"

#include "files.h"
#include "files_tasks.h"
#include "memory.h"
#include "picture.h"
#include "workflows.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Slices in memory, and the tasks of a pass. */
typedef struct Pass {
    SinoRuntime *runtime;
    SinoData *io;
    SinoData **slot; /* [slots][2]; owned, as io is */
    int64_t slots;
} Pass;

static SinoStatus open_inputs(SinoCompare *compare)
{
    const SinoSettings *settings = compare->settings;
    const char *const name[] = {settings->input.file_name, settings->compare.reference};
    for (int i = 0; i < 2; i++)
        SINO_TRY(sino_volume_input_open(name[i], &settings->geometry.volume, &compare->input[i]));
    const SinoVolumeInputInfo *a = sino_volume_input_info(compare->input[0]);
    const SinoVolumeInputInfo *b = sino_volume_input_info(compare->input[1]);
    SINO_CHECK(a->slice_count == b->slice_count && a->height == b->height && a->width == b->width, SINO_BAD_INPUT,
               "%s has %" PRId64 " slices of %" PRId64 " x %" PRId64 " voxels, and %s %" PRId64 " of %" PRId64
               " x %" PRId64 "; allowed: equal sizes",
               name[0], a->slice_count, a->width, a->height, name[1], b->slice_count, b->width, b->height);
    compare->height = a->height;
    compare->width = a->width;
    return NULL;
}

static SinoVolumeRequest map_request(const SinoCompare *compare)
{
    const SinoSettings *settings = compare->settings;
    return (SinoVolumeRequest){.hdf5_path = settings->compare.error_map,
                               .overwrite = settings->output.overwrite,
                               .slice_count = compare->count,
                               .height = compare->height,
                               .width = compare->width,
                               .first_row = compare->first,
                               .row_step = 1,
                               .units = "of the volumes"};
}

static SinoStatus check_outputs(const SinoSettings *settings)
{
    if (settings->compare.error_map)
        SINO_TRY(sino_output_check(settings->compare.error_map, settings->output.overwrite));
    if (settings->compare.frc) SINO_TRY(sino_output_check(settings->compare.frc, settings->output.overwrite));
    return settings->compare.picture ? sino_output_check(settings->compare.picture, settings->output.overwrite) : NULL;
}

static SinoStatus new_results(SinoCompare *compare)
{
    SINO_TRY(sino_allocate(compare->count, sizeof *compare->slice, "results of slices", &compare->slice));
    compare->request.width = compare->width;
    compare->request.region = &compare->region;
    const SinoVolumeRequest map = map_request(compare);
    if (map.hdf5_path) SINO_TRY(sino_volume_open(&map, &compare->map));
    if (!compare->settings->compare.frc) return NULL;
    int64_t sums;
    SINO_TRY(sino_rings_new(&compare->disc, compare->height, compare->width, &compare->rings));
    compare->ring_count = sino_rings_count(compare->rings);
    compare->request.rings = compare->rings;
    SINO_TRY(sino_multiply(compare->count, compare->ring_count, "rings of slices", &sums));
    SINO_TRY(sino_allocate(sums, sizeof *compare->ring_sums, "rings of slices", &compare->ring_sums));
    SINO_TRY(sino_allocate(compare->ring_count, sizeof *compare->curve, "rings", &compare->curve));
    SINO_TRY(sino_allocate(compare->ring_count, sizeof *compare->total.rings, "rings", &compare->total.rings));
    for (int64_t i = 0; i < compare->count; i++) compare->slice[i].rings = compare->ring_sums + i * compare->ring_count;
    return NULL;
}

static SinoStatus new_slots(const SinoCompare *compare, Pass *pass)
{
    pass->slots = sino_smaller(compare->count, sino_runtime_worker_count(pass->runtime) + 1);
    SINO_TRY(sino_allocate(2 * pass->slots, sizeof(SinoData *), "slices", &pass->slot));
    SINO_TRY(sino_data_new(pass->runtime, "files", 0, &pass->io));
    for (int64_t i = 0; i < 2 * pass->slots; i++)
        SINO_TRY(sino_data_vector(pass->runtime, i % 2 == 0 ? "volume" : "reference", compare->height, compare->width,
                                  sizeof(float), &pass->slot[i]));
    return NULL;
}

typedef SinoStatus Insert(SinoRuntime *runtime, const SinoCompareRequest *request, SinoData *a, SinoData *b,
                          SinoComparison *comparison);

/* map: gets the error map of each slice; NULL: there is none. */
static SinoStatus insert_pass(const SinoCompare *compare, const Pass *pass, Insert *insert, SinoVolume *map)
{
    for (int64_t i = 0; i < compare->count; i++) {
        SinoData *const *slot = pass->slot + i % pass->slots * 2;
        for (int k = 0; k < 2; k++) {
            const SinoVolumeSlices part = {
                .input = compare->input[k], .first_slice = compare->first + i, .slice_count = 1};
            SINO_TRY(sino_insert_load_volume(pass->runtime, SINO_NOWHERE, &part, pass->io, slot[k]));
        }
        SINO_TRY(insert(pass->runtime, &compare->request, slot[0], slot[1], &compare->slice[i]));
        if (map)
            SINO_TRY(sino_insert_compare_map(pass->runtime, compare->height, compare->width, pass->io, slot[0], slot[1],
                                             map, i));
    }
    return NULL;
}

/* Adds up the sums of all slices; the range of the reference and the best straight line follow from them. */
static SinoStatus add_sums(SinoCompare *compare)
{
    SinoComparison *total = &compare->total;
    total->all = total->object = total->background = sino_pair_none();
    for (int64_t i = 0; i < compare->count; i++) {
        sino_pair_add(&compare->slice[i].all, &total->all);
        sino_pair_add(&compare->slice[i].object, &total->object);
        sino_pair_add(&compare->slice[i].background, &total->background);
    }
    const SinoPairSums *all = &total->all;
    const char *const name[] = {compare->settings->input.file_name, compare->settings->compare.reference};
    SINO_CHECK(all->count > 0, SINO_BAD_INPUT,
               "no voxel of the region is finite in both volumes: NaN or infinite are %" PRId64 " of %s, %" PRId64
               " of %s",
               all->bad[0], name[0], all->bad[1], name[1]);
    SINO_CHECK(!compare->rings || all->bad[0] + all->bad[1] == 0, SINO_BAD_INPUT,
               "--frc needs finite values: NaN or infinite are %" PRId64 " voxels of %s, %" PRId64
               " of %s; allowed: a --region or --slices without them",
               all->bad[0], name[0], all->bad[1], name[1]);
    compare->request.range = all->most[1] - all->least[1];
    compare->request.scale = all->moment[0] > 0 ? all->product / all->moment[0] : NAN;
    compare->request.offset = all->mean[1] - compare->request.scale * all->mean[0];
    return NULL;
}

static void add_likeness(SinoCompare *compare)
{
    SinoComparison *total = &compare->total;
    for (int64_t i = 0; i < compare->count; i++) {
        const SinoComparison *slice = &compare->slice[i];
        total->similarity.sum += slice->similarity.sum;
        total->similarity.count += slice->similarity.count;
        total->fit_error += slice->fit_error;
        for (int64_t r = 0; r < compare->ring_count; r++) {
            total->rings[r].product += slice->rings[r].product;
            for (int k = 0; k < 2; k++) total->rings[r].square[k] += slice->rings[r].square[k];
        }
    }
    if (compare->rings) sino_rings_curve(compare->rings, compare->count, total->rings, compare->curve);
}

static SinoStatus run_passes(SinoCompare *compare, Pass *pass)
{
    SINO_TRY(new_slots(compare, pass));
    SINO_TRY(sino_runtime_wait_after(pass->runtime, insert_pass(compare, pass, sino_insert_compare_sums, NULL)));
    SINO_TRY(add_sums(compare));
    SINO_TRY(
        sino_runtime_wait_after(pass->runtime, insert_pass(compare, pass, sino_insert_compare_likeness, compare->map)));
    add_likeness(compare);
    return NULL;
}

static SinoStatus compute_in(SinoRuntime *runtime, SinoCompare *compare)
{
    Pass pass = {.runtime = runtime};
    SinoStatus status = run_passes(compare, &pass);
    sino_data_free_each(pass.slot, 2 * pass.slots);
    sino_data_free(pass.io);
    return status;
}

static SinoStatus compute(SinoCompare *compare, SinoLog *log)
{
    SinoRuntime *runtime;
    const SinoRuntimeRequest request = {.workers = compare->settings->runtime.workers,
                                        .stall_limit_s = compare->settings->runtime.stall_limit_s,
                                        .log = log};
    SINO_TRY(sino_runtime_start(&request, &runtime));
    SinoStatus status = compute_in(runtime, compare);
    if (!status) return sino_runtime_stop(runtime);
    sino_runtime_abandon(runtime);
    return status;
}

static SinoStatus print_curve(const void *compare, FILE *out)
{
    sino_compare_curve(compare, out);
    return NULL;
}

static SinoStatus write_curve(const SinoCompare *compare)
{
    const SinoSettings *settings = compare->settings;
    SinoOutputFile *file;
    SINO_TRY(sino_output_open(settings->compare.frc, settings->output.overwrite, &file));
    return sino_output_print(file, print_curve, compare);
}

/* The slice that differs most. */
static SinoStatus write_picture(SinoCompare *compare)
{
    const int64_t voxels = sino_times(compare->height, compare->width);
    const int64_t slice = compare->first + sino_larger(0, sino_compare_worst(compare, SINO_COMPARE_RMSE));
    float *values = NULL;
    SINO_TRY(sino_allocate(voxels, 2 * sizeof *values, "slices", &values));
    SinoStatus status = sino_volume_input_read(compare->input[0], slice, values);
    if (!status) status = sino_volume_input_read(compare->input[1], slice, values + voxels);
    if (!status)
        status = sino_picture_beside_write(compare->settings->compare.picture, compare->height, compare->width, values,
                                           values + voxels, compare->grey, &compare->reach);
    free(values);
    return status;
}

/* The map's file says what no difference of the halves shows (docs/lab/images.md). */
static SinoStatus finish_map(SinoCompare *compare)
{
    SinoVolume *map = compare->map;
    if (!map) return NULL;
    SINO_TRY(sino_volume_process_text(map, "lacks",
                                      "errors that both halves have in common: where angles are few the error is up to "
                                      "1.5 times as large, beside edges more than twice"));
    compare->map = NULL;
    return sino_volume_finish(map);
}

/* Whether the volumes are as close as --at-most says. */
static SinoStatus judge(const SinoCompare *compare)
{
    const double most = compare->settings->compare.at_most;
    const double found = sino_compare_measure(compare, &compare->total, SINO_COMPARE_RELATIVE);
    SINO_CHECK(!(most > 0) || !isnan(found), SINO_BAD_INPUT,
               "--at-most needs a relative error, but %s is 0 throughout the region; allowed: another reference",
               compare->settings->compare.reference);
    SINO_CHECK(!(most > 0) || found <= most, SINO_FAILED, "the relative L2 error is %.6g; allowed by --at-most: %.6g",
               found, most);
    return NULL;
}

static SinoStatus run(SinoCompare *compare, SinoLog *log)
{
    const SinoSettings *settings = compare->settings;
    const char *const name[] = {settings->input.file_name, settings->compare.reference};
    SINO_TRY(check_outputs(settings));
    for (int i = 0; i < 2; i++) SINO_TRY(sino_volume_input_try(name[i], &settings->geometry.volume));
    SINO_TRY(open_inputs(compare));
    SINO_TRY(sino_compare_select(compare));
    SINO_TRY(new_results(compare));
    SINO_TRY(compute(compare, log));
    SINO_TRY(finish_map(compare));
    if (settings->compare.frc) SINO_TRY(write_curve(compare));
    if (settings->compare.picture) SINO_TRY(write_picture(compare));
    if (settings->output.json)
        sino_compare_json(compare, stdout);
    else
        sino_compare_print(compare, stdout);
    return judge(compare);
}

static void release(SinoCompare *compare)
{
    for (int i = 0; i < 2; i++) sino_volume_input_close(compare->input[i]);
    sino_volume_abandon(compare->map);
    sino_rings_free(compare->rings);
    free(compare->slice);
    free(compare->total.rings);
    free(compare->ring_sums);
    free(compare->curve);
}

SinoStatus sino_compare(const SinoSettings *settings, SinoLog *log)
{
    SinoCompare compare = {.settings = settings};
    SinoStatus status = run(&compare, log);
    release(&compare);
    return status;
}

static SinoStatus judge_halves(SinoRuntime *runtime, SinoCompare *compare)
{
    SINO_TRY(open_inputs(compare));
    SINO_TRY(sino_compare_select(compare));
    SINO_TRY(new_results(compare));
    return compute_in(runtime, compare);
}

SinoStatus sino_compare_halves(SinoRuntime *runtime, char *even, char *odd, SinoWorth *worth)
{
    static char circle[] = "circle", wanted[] = ""; /* a curve, without a file */
    const SinoSettings settings = {.input.file_name = even,
                                   .compare = {.reference = odd, .region = circle, .frc = wanted}};
    SinoCompare compare = {.settings = &settings};
    SinoStatus status = judge_halves(runtime, &compare);
    if (!status) *worth = sino_compare_worth(&compare);
    release(&compare);
    return status;
}
