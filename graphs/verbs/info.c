/* SPDX-License-Identifier: BSD-3-Clause */
/* info: the contents of a scan, suspicious values in it, and the resources that a recon of it needs. */
#include "arithmetic.h"
#include "forecast.h"
#include "memory.h"
#include "platform.h"
#include "stages.h"
#include "visible.h"
#include "workflows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double degrees = 180 / SINO_PI;

/* Most images of a kind that are inspected, evenly spread; most values of an image, in pieces of rows, evenly spread;
 * most values of a piece. They bound time and memory whatever sizes a file declares. */
enum { IMAGES = 16, IMAGE_VALUES = 1 << 24, PIECE_VALUES = 1 << 20 };

/* Statistics of a set of counts. */
typedef struct Counts {
    double least, most, sum;
    int64_t count, zero, not_finite, saturated;
} Counts;

static void look(const SinoScanInfo *info, int64_t count, const float *values, Counts *seen)
{
    const float full = info->type == SINO_COUNT_UINT8 ? UINT8_MAX : info->type == SINO_COUNT_UINT16 ? UINT16_MAX : NAN;
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            seen->not_finite++;
            continue;
        }
        seen->least = fmin(seen->least, (double)values[i]);
        seen->most = fmax(seen->most, (double)values[i]);
        seen->sum += (double)values[i];
        seen->count++;
        seen->zero += values[i] == 0;
        seen->saturated += values[i] == full;
    }
}

typedef enum Kind { DATA, FLAT, DARK } Kind;

static int64_t piece_rows(const SinoScanInfo *info)
{
    return sino_smaller(info->row_count, sino_larger(1, PIECE_VALUES / info->column_count));
}

static SinoStatus read_box(SinoScan *scan, Kind kind, int64_t image, const SinoScanBox *box, float *values)
{
    if (kind == FLAT) return sino_scan_read_some_flats(scan, image, 1, box, values);
    if (kind == DARK) return sino_scan_read_some_darks(scan, image, 1, box, values);
    return sino_scan_read_projection(scan, image, box, values);
}

/* Inspects an image: all rows, or as many pieces of rows as have IMAGE_VALUES values. */
static SinoStatus look_at_image(SinoScan *scan, Kind kind, int64_t image, float *values, Counts *seen)
{
    const SinoScanInfo *info = sino_scan_info(scan);
    const int64_t rows = piece_rows(info), pieces = sino_ceil_divide(info->row_count, rows);
    const int64_t taken = sino_smaller(pieces, sino_larger(1, IMAGE_VALUES / sino_times(rows, info->column_count)));
    for (int64_t i = 0; i < taken; i++) {
        const int64_t row = sino_times(i * pieces / taken, rows);
        const SinoScanBox box = {.first_row = row,
                                 .row_count = sino_smaller(rows, info->row_count - row),
                                 .column_count = info->column_count};
        SINO_TRY(read_box(scan, kind, image, &box, values));
        look(info, box.row_count * box.column_count, values, seen);
    }
    return NULL;
}

/* Inspects `taken` of the `images` images of a kind. */
static SinoStatus look_through(SinoScan *scan, Kind kind, int64_t images, int64_t taken, Counts *seen)
{
    const SinoScanInfo *info = sino_scan_info(scan);
    int64_t count;
    float *values = NULL;
    SINO_TRY(sino_multiply(piece_rows(info), info->column_count, "counts", &count));
    SINO_TRY(sino_allocate(count, sizeof *values, "counts", &values));
    SinoStatus status = NULL;
    for (int64_t i = 0; i < taken && !status; i++) status = look_at_image(scan, kind, i * images / taken, values, seen);
    free(values);
    return status;
}

static void print_counts(const char *name, const Counts *seen, const char *which)
{
    if (seen->count == 0) {
        printf("%-12s no finite value%s\n", name, which);
        return;
    }
    printf("%-12s %g to %g, mean %g%s\n", name, seen->least, seen->most, seen->sum / (double)seen->count, which);
}

static void warn_counts(const char *name, const Counts *seen)
{
    if (seen->not_finite) printf("warning      %s: %" PRId64 " values are not finite\n", name, seen->not_finite);
    if (seen->saturated) printf("warning      %s: %" PRId64 " values are saturated\n", name, seen->saturated);
    if (seen->zero) printf("warning      %s: %" PRId64 " values are zero\n", name, seen->zero);
}

static SinoStatus print_fields(SinoScan *scan, Kind kind, const char *name, int64_t images)
{
    Counts seen = {.least = INFINITY, .most = -INFINITY};
    if (images == 0) {
        printf("%-12s none\n", name);
        return NULL;
    }
    const int64_t taken = sino_smaller(images, IMAGES);
    SINO_TRY(look_through(scan, kind, images, taken, &seen));
    char which[80], all[40] = "";
    if (taken < images) snprintf(all, sizeof all, "in %d of ", (int)taken);
    snprintf(which, sizeof which, " (%s%" PRId64 " images)", all, images);
    print_counts(name, &seen, which);
    if (kind == FLAT && seen.most <= 0) printf("warning      flat: every value is zero or less\n");
    if (kind == FLAT) warn_counts(name, &seen);
    return NULL;
}

static SinoStatus print_data(const SinoInput *input)
{
    const SinoScanInfo *info = input->info;
    SinoScan *scan = input->scan;
    const int64_t images = sino_smaller(info->angle_count, IMAGES);
    Counts seen = {.least = INFINITY, .most = -INFINITY};
    SINO_TRY(look_through(scan, DATA, info->angle_count, images, &seen));
    char which[80];
    snprintf(which, sizeof which, " (in %" PRId64 " of %" PRId64 " projections)", images, info->angle_count);
    const char *name = input->flat_correction == SINO_FLAT_NONE ? "values" : "counts";
    print_counts(name, &seen, which);
    if (!input->minus_log) seen.zero = 0; /* zero is the line integral of air */
    warn_counts(name, &seen);
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Prints range and step of the angles, and warnings about them. */
static SinoStatus print_angles(const SinoScanInfo *info)
{
    const int64_t count = info->angle_count;
    double *sorted = NULL;
    SINO_TRY(sino_allocate(count, sizeof *sorted, "angles", &sorted));
    for (int64_t k = 0; k < count; k++) sorted[k] = info->angle_rad[k] * degrees;
    qsort(sorted, (size_t)count, sizeof *sorted, by_value);
    int64_t repeated = 0;
    double least = INFINITY, most = 0;
    for (int64_t k = 1; k < count; k++) {
        const double step = sorted[k] - sorted[k - 1];
        repeated += step == 0;
        least = fmin(least, step);
        most = fmax(most, step);
    }
    printf("angles       %" PRId64 ", %.4f to %.4f degrees", count, sorted[0], sorted[count - 1]);
    if (count > 1) printf(", steps of %.4f to %.4f", least, most);
    printf("%s\n", info->angle_assumed ? " (assumed: the file has none)" : "");
    if (repeated) printf("warning      angles: %" PRId64 " are repeated\n", repeated);
    free(sorted);
    return NULL;
}

static void print_warning(const char *before, const char *text)
{
    printf("warning      %s", before);
    sino_print_visible(text, stdout);
    printf("\n");
}

/* Prints the memory of `recon` with the default settings on this machine, and the least memory that suffices. */
static SinoStatus print_plan(const SinoSettings *settings, const SinoInput *input)
{
    SinoForecast usual, least;
    char usual_text[24], least_text[24], operator_text[24];
    SinoPlanRequest request = {
        .job = sino_workload_of_input(settings, input), .choices = sino_choices_of(settings), .rank_count = 1};
    SINO_TRY(sino_machine_new(settings, 0, &request.machine));
    SinoPlanRequest small = request;
    small.least = true;
    small.choices.minibatch = small.choices.partitions = 1;
    small.machine.memory_bytes = INT64_MAX;
    SINO_TRY(sino_forecast_new(&small, &least));
    sino_bytes_text(least.plan.resources.total_bytes, least_text);
    SinoStatus status = sino_forecast_new(&request, &usual);
    if (status)
        print_warning("recon: ", sino_status_text(status));
    else
        printf("recon        %s with the default settings, at least %s (ray lengths: %s)\n",
               sino_bytes_text(usual.plan.resources.total_bytes, usual_text), least_text,
               sino_bytes_text(usual.plan.resources.operator_bytes, operator_text));
    if (!status) sino_forecast_free(&usual);
    sino_status_free(status);
    sino_forecast_free(&least);
    return NULL;
}

/* Prints the stages from values to line integrals under the default settings. */
static void print_stages(const SinoInput *input)
{
    for (int i = 0; sino_stage_kinds[i]; i++) {
        const SinoStageKind *kind = sino_stage_kinds[i];
        char details[160];
        if (!kind->wanted(input)) continue;
        kind->describe(input, sizeof details, details);
        printf("stage        %s: %s (%s)\n", kind->name, kind->help, details);
    }
}

static SinoStatus print_all(const SinoSettings *settings, const SinoInput *input)
{
    const SinoScanInfo *info = input->info;
    SinoScan *scan = input->scan;
    printf("file         ");
    sino_print_visible(settings->file_name, stdout);
    printf("\n");
    printf("kind         %s, %s\n", info->kind, info->stored_type);
    printf("shape        %" PRId64 " angles, %" PRId64 " rows, %" PRId64 " columns\n", info->angle_count,
           info->row_count, info->column_count);
    if (info->remark[0]) print_warning("", info->remark);
    SINO_TRY(print_angles(info));
    SINO_TRY(print_data(input));
    if (input->flat_correction != SINO_FLAT_NONE) {
        SINO_TRY(print_fields(scan, FLAT, "flat", info->flat_count));
        SINO_TRY(print_fields(scan, DARK, "dark", info->dark_count));
    }
    print_stages(input);
    return print_plan(settings, input);
}

SinoStatus sino_info(const SinoSettings *settings, SinoLog *log)
{
    (void)log;
    SinoInput input;
    SINO_TRY(sino_input_try(settings));
    SINO_TRY(sino_input_describe(settings, &input));
    SinoStatus status = print_all(settings, &input);
    sino_input_close(&input);
    return status;
}
