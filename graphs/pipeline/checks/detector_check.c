/* SPDX-License-Identifier: BSD-3-Clause */
/* Detector check: tilt and center row of a cone beam, by a sample of its projections. */
#include "checks.h"

#include "center_methods.h"
#include "cone_consistency.h"
#include "cone_scan.h"
#include "job_kind.h"
#include "memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_ANGLES = 90, MOST_COLUMNS = 128, MOST_ROWS = 96, LEAST_PIXELS = 24, LEAST_ANGLES = 20 };

static const double degrees = 180 / SINO_PI;

/* The tilt is told if its error is at most so many degrees, and the center row if its error is so many rows of the
 * sample; a number is denied by a difference of so many errors. */
static const double tilt_error = 0.2, row_error = 1, doubtless = 5;

/* Differences that do not show: degrees, columns at the ends of the middle row, and rows of the sample. */
static const double little_tilt = 0.05, little_columns = 0.5, little_rows = 0.5;

/* What the pixels of the sample may add to the errors: degrees, and rows of the sample. */
static const double sampling_tilt = 0.02, sampling_rows = 0.1;

/* Projections of fewer angles, columns and rows. */
typedef struct Sample {
    int64_t step, width;             /* angles from one to the next; columns, and rows, that are averaged */
    int64_t first_column, first_row; /* of the detector */
    int64_t angles, columns, rows;   /* of the sample */
    double *angle_rad;               /* [angles]; owned */
    float *projections;              /* [angles][rows][columns]; owned */
} Sample;

static void free_sample(Sample *sample)
{
    free(sample->angle_rad);
    free(sample->projections);
}

/* false: too small. */
static bool size_sample(const SinoScanInfo *info, Sample *sample)
{
    const int64_t width =
        sino_larger(sino_ceil_divide(info->column_count, MOST_COLUMNS), sino_ceil_divide(info->row_count, MOST_ROWS));
    *sample = (Sample){.step = sino_ceil_divide(info->angle_count, MOST_ANGLES),
                       .width = width,
                       .columns = info->column_count / width,
                       .rows = info->row_count / width};
    sample->angles = info->angle_count / sample->step;
    sample->first_column = (info->column_count - sample->columns * width) / 2;
    sample->first_row = (info->row_count - sample->rows * width) / 2;
    return sample->angles >= LEAST_ANGLES && sample->columns >= LEAST_PIXELS && sample->rows >= LEAST_PIXELS;
}

/* `whole`: [row][column of the detector] scratch. */
static SinoStatus read_projection(SinoQuickRows *rows, int64_t k, const Sample *sample, float *whole)
{
    const int64_t columns = rows->box.column_count, width = sample->width;
    float *projection = sample->projections + k * sample->rows * sample->columns;
    SINO_TRY(sino_quick_rows_read(rows, k * sample->step, whole));
    for (int64_t r = 0; r < sample->rows * width; r++) {
        const float *line = whole + r * columns + sample->first_column;
        for (int64_t c = 0; c < sample->columns * width; c++)
            projection[r / width * sample->columns + c / width] += line[c] / (float)(width * width);
    }
    return NULL;
}

static SinoStatus read_sample(const SinoInput *input, bool turned, Sample *sample)
{
    SinoStatus status = NULL;
    SinoQuickRows rows = {0};
    float *whole = NULL;
    const int64_t high = sino_times(sample->rows, sample->width), pixels = sino_times(high, input->info->column_count);
    const int64_t values = sino_times(sample->angles, sino_times(sample->rows, sample->columns));
    SINO_TRY_OR(status, out, sino_allocate(sample->angles, sizeof(double), "angles", &sample->angle_rad));
    SINO_TRY_OR(status, out, sino_allocate(values, sizeof(float), "a sample", &sample->projections));
    SINO_TRY_OR(status, out, sino_allocate(pixels, sizeof *whole, "a projection", &whole));
    SINO_TRY_OR(status, out, sino_quick_rows_open(input, sample->first_row, high, &rows));
    for (int64_t k = 0; k < sample->angles; k++) {
        sample->angle_rad[k] = (turned ? -1 : 1) * input->geometry.angle_rad[k * sample->step];
        SINO_TRY_OR(status, out, read_projection(&rows, k, sample, whole));
    }
out:
    sino_quick_rows_close(&rows);
    free(whole);
    return status;
}

/* Convert between pixels of the file and of the sample. */
static double of_sample(const Sample *sample, int64_t first, double pixel)
{
    return (pixel - (double)first - (double)(sample->width - 1) / 2) / (double)sample->width;
}

static double of_file(const Sample *sample, int64_t first, double pixel)
{
    return pixel * (double)sample->width + (double)(sample->width - 1) / 2 + (double)first;
}

static SinoCone cone_of(const SinoSettings *settings, const SinoInput *input, const Sample *sample)
{
    const SinoScanSetup setup = sino_cone_setup(&settings->geometry, input->info);
    const double middle = (double)(input->info->row_count - 1) / 2;
    const double row = isnan(settings->center.row) ? middle : settings->center.row;
    return (SinoCone){.angle_count = sample->angles,
                      .column_count = sample->columns,
                      .row_count = sample->rows,
                      .angle_rad = sample->angle_rad,
                      .source_object = setup.source_object,
                      .source_detector = setup.source_detector,
                      .pixel_width = setup.pixel_width * (double)sample->width,
                      .pixel_height = setup.pixel_height * (double)sample->width,
                      .center = of_sample(sample, sample->first_column, settings->center.rotation_axis),
                      .center_row = of_sample(sample, sample->first_row, row)};
}

static bool is_denied(const SinoConeNumber *found, double usual, double little)
{
    return fabs(found->value - usual) >= fmax(doubtless * found->error, little);
}

/* Rounded as they are told, so that options with the same numbers give the same volume. */
static void choose(const SinoSettings *settings, const SinoInput *input, const Sample *sample,
                   const SinoConeConsistency *found, SinoFindings *findings)
{
    const double half = (double)input->info->column_count / 2, width = (double)sample->width;
    const double middle = (double)(input->info->row_count - 1) / 2;
    const double row = of_file(sample, sample->first_row, found->center_row.value);
    const bool tells_tilt = found->tilt.error * degrees <= tilt_error, tells_row = found->center_row.error <= row_error;
    const bool tilted = tells_tilt && isnan(settings->stages.detector_tilt_deg) &&
                        is_denied(&found->tilt, 0, fmax(little_columns / half, little_tilt / degrees));
    const bool moved = tells_row && isnan(settings->center.row) &&
                       is_denied(&found->center_row, of_sample(sample, sample->first_row, middle), little_rows);
    char tilt[120] = "", center_row[120] = "";
    if (!tells_tilt && !tells_row) return;
    if (tells_tilt)
        snprintf(tilt, sizeof tilt, "tilted by %.3f ± %.3f degrees%s", found->tilt.value * degrees,
                 hypot(found->tilt.error * degrees, sampling_tilt),
                 tilted ? " (turned back; --detector-tilt 0: not)" : "");
    if (tells_row)
        snprintf(center_row, sizeof center_row, "%scenter row %.2f ± %.2f%s", tells_tilt ? ", " : "", row,
                 hypot(found->center_row.error, sampling_rows) * width, moved ? " (taken)" : "");
    if (tilted) findings->stages.tilt_rad = round(found->tilt.value * degrees * 1e3) / 1e3 / degrees;
    if (moved) findings->stages.row_shift = round(row * 100) / 100 - middle;
    sino_findings_note(findings, "detector", "by planes through two places of the source: %s%s", tilt, center_row);
}

SinoStatus sino_detector_check(const SinoSettings *settings, const SinoInput *input, SinoFindings *findings)
{
    static const double apart = 0.5; /* columns of the sample */
    const SinoScanSetup setup = sino_cone_setup(&settings->geometry, input->info);
    char missing[SINO_CONE_MISSING_SIZE];
    SinoConeConsistency found = {0};
    Sample sample;
    if (!sino_job_is_cone(settings) || sino_job_is_fan(&settings->geometry) || input->view) return NULL;
    if (sino_cone_missing(&setup, missing) > 0 || !size_sample(input->info, &sample)) return NULL;
    if (!isnan(settings->stages.detector_tilt_deg) && !isnan(settings->center.row)) return NULL;
    SinoStatus status = read_sample(input, findings->stages.turned, &sample);
    SinoCone cone = cone_of(settings, input, &sample);
    const double tilt = isnan(settings->stages.detector_tilt_deg) ? 0 : settings->stages.detector_tilt_deg / degrees;
    if (!status) status = sino_cone_consistency_find(&cone, tilt, sample.projections, &found);
    const bool agree = fabs(found.center.value - found.axis) <= apart + doubtless * found.center.error;
    if (!status && found.line_count > 0 && agree) choose(settings, input, &sample, &found, findings);
    free_sample(&sample);
    return status;
}
