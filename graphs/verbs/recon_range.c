/* SPDX-License-Identifier: BSD-3-Clause */
/* recon --output-range auto: the range of an integer volume, by some slices that are reconstructed quickly.
 *
 * Of each slice the percentiles 0.1 and 99.9 of the voxels within the inscribed circle count, so that neither a zinger
 * nor the ring around the field of view makes the range. The range holds those of all slices, widened by a quarter of
 * its width at both ends, because other slices and other algorithms differ, and rounded outwards to 1/100 of its order
 * of magnitude. The slices, and every sum in them, are the same for any ranks, workers and minibatches. */
#include "recon_volume.h"

#include "arithmetic.h"
#include "memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { SAMPLES_MOST = 5, VALUES_MOST = 1 << 18 };

static const double share = 0.001, widening = 0.25;

static bool is_integer(const SinoRecon *recon)
{
    return recon->settings->output_type != SINO_OUTPUT_FLOAT32;
}

static bool is_auto(const SinoRecon *recon)
{
    return recon->settings->output_range.low >= recon->settings->output_range.high;
}

SinoStatus sino_recon_check_range(const SinoRecon *recon)
{
    const SinoVoxelCodes codes = {recon->settings->output_type, recon->settings->output_range};
    if (!is_integer(recon)) return NULL;
    if (!is_auto(recon)) return sino_codes_check(&codes);
    SINO_CHECK(recon->kind->sample, SINO_BAD_INPUT,
               "output-range is auto, and no slice of --geometry %s can be reconstructed quickly beforehand; allowed: "
               "MIN:MAX, such as --output-range 0:1.5",
               sino_geometry_name(recon->settings->geometry));
    return NULL;
}

SinoStatus sino_recon_sample_slice(SinoRecon *recon, int64_t slice, SinoRecord *record)
{
    /* By this rank alone, in one partition, without a matrix. */
    SinoSettings quick = *recon->settings;
    quick.algorithm = SINO_ALGORITHM_FBP;
    quick.projector = SINO_PROJECTOR_PIXELS;
    quick.precision = SINO_SINGLE;
    quick.partitions = 1;
    quick.minibatch = 1;
    quick.grid = (SinoGridShape){0};
    quick.topology = (SinoTopologyShape){0};
    quick.node_weights = (SinoWeightList){0};
    const SinoSolver *solver = sino_solver_find(quick.algorithm, quick.projector, quick.weights);
    SinoInput input = recon->input;
    SinoTeam team = {0};
    SinoOperator *op = NULL;
    SINO_TRY(sino_input_enlarge(&input, sino_geometry_slice_side(&input.geometry), 0)); /* fbp needs no margin … */
    input.pad_edges |= recon->input.geometry.margin > 0; /* … but to know that the object is wider than the detector */
    sino_input_take_slices(&input, slice, 1);
    input.first_slice = 0; /* of the record */
    SinoStatus status = sino_team_new(recon->runtime, NULL, &quick, &input, &team);
    if (status) return status;
    const SinoRecordShape shape = sino_record_shape(&input.geometry, 1, sino_solver_history_columns(solver, &quick),
                                                    sino_solver_history_numbers(solver, &quick), true);
    const SinoOperatorRequest wanted = sino_team_operator(&team, &input.geometry, NULL);
    SINO_TRY_OR(status, end, sino_record_new(&shape, record));
    SINO_TRY_OR(status, end, sino_operator_new(recon->runtime, &wanted, &op));
    const SinoReconstruction reconstruction = {.runtime = recon->runtime,
                                               .settings = &quick,
                                               .input = &input,
                                               .op = op,
                                               .solver = solver,
                                               .streaming = &team.forecast.plan.streaming,
                                               .scale = sino_recon_scale(recon->settings),
                                               .record = record,
                                               .aside = true};
    status = sino_reconstruct(&reconstruction);
end:
    sino_operator_free(op);
    sino_team_free(&team);
    return status;
}

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

/* Widens the range by the percentiles of a slice. */
static SinoStatus take_slice(const SinoSections *slice, SinoValueRange *range)
{
    const int64_t pixels = sino_times(slice->height, slice->width);
    const int64_t step = sino_ceil_divide(pixels, VALUES_MOST) | 1; /* odd, so that columns take turns */
    const double radius = (double)sino_smaller(slice->height, slice->width) / 2;
    float *value;
    int64_t count = 0;
    SINO_TRY(sino_allocate(sino_ceil_divide(pixels, step), sizeof *value, "values of a slice", &value));
    for (int64_t i = 0; i < pixels; i += step) {
        const int64_t row = i / slice->width, column = i % slice->width;
        const double x = (double)column - (double)(slice->width - 1) / 2;
        const double y = (double)row - (double)(slice->height - 1) / 2;
        if (x * x + y * y <= radius * radius && isfinite(slice->xy[i])) value[count++] = slice->xy[i];
    }
    qsort(value, (size_t)count, sizeof *value, by_value);
    const int64_t cut = (int64_t)(share * (double)count);
    if (count > 0) {
        range->low = fmin(range->low, (double)value[cut]);
        range->high = fmax(range->high, (double)value[count - 1 - cut]);
    }
    free(value);
    return NULL;
}

static SinoValueRange widen(SinoValueRange range, bool masked)
{
    const double width = range.high - range.low;
    double low = range.low - widening * width, high = range.high + widening * width;
    if (masked) low = fmin(low, 0), high = fmax(high, 0);
    const double step = pow(10, floor(log10(high - low))) / 100;
    return (SinoValueRange){floor(low / step) * step, ceil(high / step) * step};
}

static SinoStatus sample(SinoRecon *recon, SinoValueRange *range)
{
    const int64_t slices = recon->input.slice_count, samples = sino_smaller(slices, SAMPLES_MOST);
    SinoValueRange found = {INFINITY, -INFINITY};
    for (int64_t i = 0; i < samples; i++) {
        SinoRecord record = {0};
        SinoStatus status = recon->kind->sample(recon, (2 * i + 1) * slices / (2 * samples), &record);
        if (!status) status = take_slice(&record.sections, &found);
        sino_record_free(&record);
        SINO_TRY(sino_processes_agree(recon->processes, status));
    }
    SINO_CHECK(found.low < found.high, SINO_BAD_INPUT,
               "output-range is auto, and all voxels of %" PRId64
               " slices that were reconstructed for it are equal or undefined; allowed: MIN:MAX, such as "
               "--output-range 0:1.5",
               samples);
    *range = widen(found, recon->settings->mask_ratio > 0);
    return NULL;
}

SinoStatus sino_recon_find_range(SinoRecon *recon)
{
    SinoValueRange *range = &recon->request.codes.range;
    SinoStatus status = NULL;
    if (!is_integer(recon) || !is_auto(recon) || sino_resume_range(&recon->resume, range)) return NULL;
    status = sample(recon, range);
    SINO_TRY(sino_processes_agree(recon->processes, status));
    SINO_TRY(sino_processes_broadcast(recon->processes, (int64_t)sizeof *range, range));
    sino_log_info(recon->log, "output", "output range: %.6g to %.6g %s, by %" PRId64 " slices reconstructed with fbp",
                  range->low, range->high, recon->request.units, sino_smaller(recon->input.slice_count, SAMPLES_MOST));
    return NULL;
}

/* Adds up the slices' counts. */
static SinoStatus count_clipped(const SinoRecon *recon, int64_t clipped[SINO_CLIPPED])
{
    const int64_t slices = recon->request.slice_count;
    int64_t *of_slice;
    SINO_TRY(sino_allocate(sino_times(SINO_CLIPPED, slices), sizeof *of_slice, "clipped voxels", &of_slice));
    sino_volume_clipped(recon->volume, 0, slices, of_slice);
    for (int c = 0; c < SINO_CLIPPED; c++)
        for (int64_t i = 0; i < slices; i++) clipped[c] += of_slice[c * slices + i];
    free(of_slice);
    return NULL;
}

/* More than this share of clipped voxels is worth a warning. */
static const double clipped_share = 0.001;

static void tell_clipped(const SinoRecon *recon, const int64_t clipped[SINO_CLIPPED])
{
    const SinoVolumeRequest *request = &recon->request;
    const SinoValueRange *range = &request->codes.range;
    const double voxels = (double)request->slice_count * (double)request->height * (double)request->width;
    const double part = (double)(clipped[SINO_CLIPPED_BELOW] + clipped[SINO_CLIPPED_ABOVE]) / voxels;
    sino_log_info(
        recon->log, "output",
        "%s: 0 is %.6g %s, %.0f is %.6g; clipped: %" PRId64 " voxels below and %" PRId64 " above, NaN as 0: %" PRId64,
        sino_output_type_name(request->codes.type), range->low, request->units, sino_codes_largest(&request->codes),
        range->high, clipped[SINO_CLIPPED_BELOW], clipped[SINO_CLIPPED_ABOVE], clipped[SINO_CLIPPED_NAN]);
    if (part > clipped_share)
        sino_log_warning(recon->log, "output",
                         "%.2g %% of the voxels are beyond the range %.6g:%.6g and were clipped; a wider "
                         "--output-range or --output-type float32 keeps them",
                         100 * part, range->low, range->high);
    if (clipped[SINO_CLIPPED_NAN] > 0)
        sino_log_warning(recon->log, "output",
                         "%" PRId64 " voxels are undefined (NaN), which %s cannot say; they are 0",
                         clipped[SINO_CLIPPED_NAN], sino_output_type_name(request->codes.type));
}

SinoStatus sino_recon_write_range(SinoRecon *recon)
{
    int64_t clipped[SINO_CLIPPED] = {0};
    const SinoValueRange *range = &recon->request.codes.range;
    const double ends[] = {range->low, range->high};
    if (!is_integer(recon)) return NULL;
    SINO_TRY(count_clipped(recon, clipped));
    tell_clipped(recon, clipped);
    SINO_TRY(sino_volume_process_doubles(recon->volume, "output_range", 2, 0, ends,
                                         "values of the least and the largest integer of /exchange/data"));
    return sino_volume_process_integers(recon->volume, "clipped", SINO_CLIPPED, clipped,
                                        "voxels below the range, above it, and NaN");
}
