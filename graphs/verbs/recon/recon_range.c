/* SPDX-License-Identifier: BSD-3-Clause */
/* recon --output-range auto: the range of an integer volume, by some slices that are reconstructed quickly.
 *
 * Of each slice the percentiles 0.1 and 99.9 of the voxels within the inscribed circle count, so that neither a zinger
 * nor the ring around the field of view makes the range. Of a cone beam it is three planes of a coarse volume. The
 * range holds those of all slices, widened by a quarter of its width at both ends, because other slices and other
 * algorithms differ, and rounded outwards to 1/100 of its order of magnitude. The slices, and every sum in them, are
 * the same for any ranks, workers and minibatches. */
#include "recon_volume.h"

#include "memory.h"
#include "simulation.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { SAMPLES_MOST = 5, VALUES_MOST = 1 << 18 };

static const double share = 0.001, widening = 0.25;

static bool is_integer(const SinoRecon *recon)
{
    return recon->settings->output.type != SINO_OUTPUT_FLOAT32;
}

static bool is_auto(const SinoRecon *recon)
{
    return recon->settings->output.range.low >= recon->settings->output.range.high;
}

SinoStatus sino_recon_check_range(const SinoRecon *recon)
{
    const SinoVoxelCodes codes = {recon->settings->output.type, recon->settings->output.range};
    if (!is_integer(recon)) return NULL;
    if (!is_auto(recon)) return sino_codes_check(&codes);
    return sino_job_check(recon->job, SINO_JOB_RANGE);
}

bool sino_recon_samples_range(const SinoRecon *recon)
{
    return is_integer(recon) && is_auto(recon);
}

SinoStatus sino_recon_sample_slice(SinoRecon *recon, int64_t slice, SinoRecord *record)
{
    /* By this rank alone, in one partition, without a matrix. */
    SinoSettings quick = *recon->settings;
    quick.solver.algorithm = SINO_ALGORITHM_FBP;
    quick.projection.projector = SINO_PROJECTOR_PIXELS;
    quick.projection.precision = SINO_SINGLE;
    quick.runtime.partitions = 1;
    quick.runtime.minibatch = 1;
    quick.team.grid = (SinoGridShape){0};
    quick.team.topology = (SinoTopologyShape){0};
    quick.team.node_weights = (SinoWeightList){0};
    const SinoSolver *solver = sino_solver_of(&quick);
    SinoInput input = recon->input;
    SinoTeam team = {0};
    SinoOperator *op = NULL;
    SINO_TRY(sino_input_enlarge(&input, sino_geometry_slice_side(&input.geometry), 0)); /* fbp needs no margin … */
    input.pad_edges |= recon->input.geometry.margin > 0; /* … but to know that the object is wider than the detector */
    sino_input_take_slices(&input, slice, 1);
    input.first_slice = 0; /* of the record */
    SinoStatus status = sino_team_new(recon->runtime, NULL, &quick, &input, &team);
    if (status) return status;
    const SinoRecordShape shape =
        sino_record_shape(&input.geometry, 1, sino_solver_history_columns(solver, &quick.solver),
                          sino_solver_history_numbers(solver, &quick.solver), true);
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

/* Widens the range by the percentiles of a plane [height][width]; of its inscribed circle, or of all. */
static SinoStatus take_plane(const float *plane, int64_t height, int64_t width, bool circle, SinoValueRange *range)
{
    const int64_t pixels = sino_times(height, width);
    const int64_t step = sino_ceil_divide(pixels, VALUES_MOST) | 1; /* odd, so that columns take turns */
    const double radius = circle ? (double)sino_smaller(height, width) / 2 : INFINITY;
    float *value;
    int64_t count = 0;
    SINO_TRY(sino_allocate(sino_ceil_divide(pixels, step), sizeof *value, "values of a slice", &value));
    for (int64_t i = 0; i < pixels; i += step) {
        const int64_t row = i / width, column = i % width;
        const double x = (double)column - (double)(width - 1) / 2, y = (double)row - (double)(height - 1) / 2;
        if (x * x + y * y <= radius * radius && isfinite(plane[i])) value[count++] = plane[i];
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

/* Slices that are spread over the volume. */
static SinoStatus sample_slices(SinoRecon *recon, SinoValueRange *found)
{
    const int64_t slices = recon->input.slice_count, samples = sino_smaller(slices, SAMPLES_MOST);
    for (int64_t i = 0; i < samples; i++) {
        SinoRecord record = {0};
        const SinoSections *slice = &record.sections;
        SinoStatus status = recon->kind->sample(recon, (2 * i + 1) * slices / (2 * samples), &record);
        if (!status) status = take_plane(slice->xy, slice->height, slice->width, true, found);
        sino_record_free(&record);
        SINO_TRY(sino_processes_agree(recon->processes, status));
    }
    return NULL;
}

/* Planes through the middle of a coarse volume, which rank 0 has. */
static SinoStatus sample_planes(SinoRecon *recon, SinoValueRange *found)
{
    SinoRecord record = {0};
    const SinoSections *planes = &record.sections;
    SinoStatus status = recon->kind->sample_planes(recon, &record);
    if (!status) status = take_plane(planes->xy, planes->height, planes->width, true, found);
    if (!status && planes->xz) status = take_plane(planes->xz, planes->slice_count, planes->width, false, found);
    if (!status && planes->yz) status = take_plane(planes->yz, planes->slice_count, planes->height, false, found);
    sino_record_free(&record);
    SINO_TRY(sino_processes_agree(recon->processes, status));
    return sino_processes_broadcast(recon->processes, (int64_t)sizeof *found, found);
}

static SinoStatus sample(SinoRecon *recon, SinoValueRange *range)
{
    SinoValueRange found = {INFINITY, -INFINITY};
    SINO_TRY(recon->kind->sample ? sample_slices(recon, &found) : sample_planes(recon, &found));
    SINO_CHECK(SINO_SIMULATES || found.low < found.high, SINO_BAD_INPUT,
               "output-range is auto, and all voxels that were reconstructed for it are equal or undefined; allowed: "
               "MIN:MAX, such as --output-range 0:1.5");
    *range = widen(found, recon->settings->output.mask_ratio > 0);
    return NULL;
}

SinoStatus sino_recon_find_range(SinoRecon *recon)
{
    SinoValueRange *range = &recon->request.codes.range;
    SinoStatus status = NULL;
    if (!sino_recon_samples_range(recon) || sino_resume_range(&recon->resume, range)) return NULL;
    status = sample(recon, range);
    SINO_TRY(sino_processes_agree(recon->processes, status));
    SINO_TRY(sino_processes_broadcast(recon->processes, (int64_t)sizeof *range, range));
    sino_recon_mark(recon, "the output range is found");
    if (recon->kind->sample)
        sino_log_info(recon->log, "output",
                      "output range: %.6g to %.6g %s, by %" PRId64 " slices reconstructed with fbp", range->low,
                      range->high, recon->request.units, sino_smaller(recon->input.slice_count, SAMPLES_MOST));
    else
        sino_log_info(recon->log, "output",
                      "output range: %.6g to %.6g %s, by planes of a coarse volume reconstructed with fdk", range->low,
                      range->high, recon->request.units);
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
