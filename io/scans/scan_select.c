/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan, selection: projections that are left out, and projections that are averaged. */
#include "scan_source.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* Bytes of the counts that are averaged together, unless one row needs more. */
enum { AVERAGED_BYTES = 16 << 20 };

/* Largest difference of averaged angles, in degrees. */
static const double spread_max = 10;

static const double degrees = 180 / SINO_PI;

static bool take_integer(const char **text, int64_t *value)
{
    char *end;
    *value = 0;
    if (!isdigit((unsigned char)**text)) return false;
    errno = 0;
    *value = strtoll(*text, &end, 10);
    *text = end;
    return errno == 0;
}

/* Projections first, first + step … below end. */
typedef struct Run {
    int64_t first, end, step;
} Run;

/* Reads A, A:B, A:B:STEP or A::STEP, which goes up to the end of the scan. */
static bool take_run(const char **text, int64_t count, Run *run)
{
    if (!take_integer(text, &run->first)) return false;
    *run = (Run){.first = run->first, .end = run->first + (run->first < INT64_MAX), .step = 1};
    if (**text != ':') return true;
    ++*text;
    if (**text == ':')
        run->end = count;
    else if (!take_integer(text, &run->end))
        return false;
    if (**text != ':') return true;
    ++*text;
    return take_integer(text, &run->step) && run->step > 0;
}

/* Clears keep[k] of the projections in a list such as "30,100:110", where 110 itself stays. */
static SinoStatus exclude(const char *list, int64_t count, bool *keep)
{
    for (const char *at = list;; at++) {
        Run run = {0};
        const bool fine = take_run(&at, count, &run);
        SINO_CHECK(
            fine && (*at == ',' || !*at), SINO_BAD_INPUT,
            "exclude is '%s'; allowed: numbers of projections and ranges, such as 30,100:110 (110 itself stays) or "
            "1::2 (every second one from 1 on)",
            list);
        SINO_CHECK(run.first < run.end && run.end <= count, SINO_BAD_INPUT,
                   "exclude is '%s'; allowed: from 0 to %" PRId64 ", the projections of the scan, the start of a range "
                   "below its end",
                   list, count - 1);
        for (int64_t k = run.first; k < run.end; k += sino_smaller(run.step, run.end - k)) keep[k] = false;
        if (!*at) return NULL;
    }
}

/* Clears keep[k] of the angles outside start … end, in degrees. Angles that were rounded on
 * their way to the file are not lost. */
static void limit(double start, double end, int64_t count, const double *angle_rad, bool *keep)
{
    const double rounding = 1e-4;
    for (int64_t k = 0; k < count; k++) {
        const double angle = angle_rad[k] * degrees;
        if (angle < start - rounding || angle > end + rounding) keep[k] = false;
    }
}

/* The angle of projections first … first + count − 1: their mean, on the shorter way around. */
static SinoStatus mean_angle(const double *angle_rad, int64_t first, int64_t count, double *mean_rad)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        const double away = remainder(angle_rad[first + i] - angle_rad[first], 2 * SINO_PI);
        SINO_CHECK(fabs(away) * degrees <= spread_max, SINO_BAD_INPUT,
                   "angle-binning is %" PRId64 ", but projections %" PRId64 " and %" PRId64 " are %.4g degrees apart; "
                   "allowed: up to %g",
                   count, first, first + i, fabs(away) * degrees, spread_max);
        sum += away;
    }
    *mean_rad = angle_rad[first] + sum / (double)count;
    return NULL;
}

/* Makes angles of `binning` consecutive projections that are kept, and drops those that do not fill one. */
static SinoStatus join(int64_t count, const bool *keep, int64_t binning, SinoScan *scan)
{
    int64_t made = 0, run = 0;
    for (int64_t k = 0; k < count; k++) {
        run = keep[k] ? run + 1 : 0;
        if (run < binning) continue;
        const int64_t first = k - binning + 1;
        if (binning > 1)
            SINO_TRY(mean_angle(scan->angle_rad, first, binning, &scan->angle_rad[made]));
        else
            scan->angle_rad[made] = scan->angle_rad[k];
        scan->frame[made++] = first;
        run = 0;
    }
    SINO_CHECK(made > 0, SINO_BAD_INPUT,
               "none of the %" PRId64
               " projections is left by exclude, start-angle, end-angle and angle-binning; allowed: "
               "settings that leave one",
               count);
    scan->info.angle_count = made;
    return NULL;
}

/* Keeps the angles of even (1) or odd (2) number. */
static SinoStatus halve(int half, SinoScan *scan)
{
    int64_t made = 0;
    SINO_CHECK(scan->info.angle_count > 1, SINO_BAD_INPUT,
               "the scan has 1 projection, which has no halves; allowed: 2 or more");
    for (int64_t k = half - 1; k < scan->info.angle_count; k += 2) {
        scan->angle_rad[made] = scan->angle_rad[k];
        scan->frame[made++] = scan->frame[k];
    }
    scan->info.angle_count = made;
    return NULL;
}

SinoStatus sino_scan_select(const SinoScanRequest *request, SinoScan *scan)
{
    SinoScanInfo *info = &scan->info;
    const int64_t count = info->angle_count, binning = sino_larger(request->angle_binning, 1);
    const bool limited = request->limit_angles;
    bool *keep = NULL;
    SinoStatus status = NULL;
    info->file_angle_count = count;
    info->angle_binning = binning;
    if (!request->exclude && !limited && binning == 1 && request->half == 0) return NULL;
    SINO_TRY(sino_allocate(count, sizeof *scan->frame, "projections", &scan->frame));
    SINO_TRY(sino_allocate(sino_larger(count, 1), sizeof *keep, "projections", &keep));
    memset(keep, 1, (size_t)count);
    if (request->exclude) status = exclude(request->exclude, count, keep);
    if (limited) limit(request->start_angle, request->end_angle, count, scan->angle_rad, keep);
    if (!status) status = join(count, keep, binning, scan);
    if (!status && request->half > 0) status = halve(request->half, scan);
    free(keep);
    info->projection = scan->frame;
    if (binning > 1) info->type = SINO_COUNT_FLOAT32;
    return status;
}

/* sum[i] of `count` images: their mean or, where one of them is saturated, the largest. */
static void average(int64_t count, int64_t pixels, double saturation, const float *images, float *mean)
{
    for (int64_t p = 0; p < pixels; p++) {
        double sum = 0, most = 0;
        for (int64_t i = 0; i < count; i++) {
            const double value = (double)images[i * pixels + p];
            sum += value;
            most = fmax(most, value);
        }
        mean[p] = (float)(saturation > 0 && most >= saturation ? most : sum / (double)count);
    }
}

/* Reads the average of the projections of one angle. */
static SinoStatus read_mean(SinoScan *scan, int64_t angle, const SinoScanBox *box, float *images, int64_t rows_at_once,
                            float *mean)
{
    const SinoScanPart *part = &scan->data;
    const int64_t count = scan->info.angle_binning;
    SinoScanBox piece = *box;
    for (int64_t row = 0; row < box->row_count; row += rows_at_once) {
        piece.first_row = box->first_row + row;
        piece.row_count = sino_smaller(rows_at_once, box->row_count - row);
        SINO_TRY(part->source->read(part->file, SINO_FIELD_DATA, scan->frame[angle], count, &piece, SINO_COUNT_FLOAT32,
                                    images));
        average(count, piece.row_count * piece.column_count, scan->saturation, images, mean + row * box->column_count);
    }
    return NULL;
}

static SinoStatus read_means(SinoScan *scan, int64_t first, int64_t count, const SinoScanBox *box, float *means)
{
    const int64_t binning = scan->info.angle_binning;
    const int64_t row_values = sino_times(binning, box->column_count);
    const int64_t rows =
        sino_smaller(box->row_count, sino_larger(1, AVERAGED_BYTES / sino_times(row_values, (int64_t)sizeof *means)));
    float *images = NULL;
    int64_t values;
    SINO_TRY(sino_multiply(rows, row_values, "projections to average", &values));
    SINO_TRY(sino_allocate(values, sizeof *images, "projections to average", &images));
    SinoStatus status = NULL;
    for (int64_t k = 0; k < count && !status; k++)
        status = read_mean(scan, first + k, box, images, rows, means + k * box->row_count * box->column_count);
    free(images);
    return status;
}

SinoStatus sino_scan_read_selected(SinoScan *scan, int64_t first, int64_t count, const SinoScanBox *box,
                                   SinoCountType type, void *counts)
{
    const SinoScanPart *part = &scan->data;
    char *to = counts;
    if (scan->info.angle_binning > 1) return read_means(scan, first, count, box, counts);
    while (count > 0) {
        int64_t run = 1;
        while (run < count && scan->frame[first + run] == scan->frame[first] + run) run++;
        SINO_TRY(part->source->read(part->file, SINO_FIELD_DATA, scan->frame[first], run, box, type, to));
        to += sino_times(run, sino_times(box->row_count, box->column_count)) * sino_count_bytes(type);
        first += run;
        count -= run;
    }
    return NULL;
}
