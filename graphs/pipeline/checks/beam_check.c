/* SPDX-License-Identifier: BSD-3-Clause */
/* Beam check: compares beams by rays and their reverses. */
#include "checks.h"

#include "center_methods.h"
#include "cone_center.h"
#include "cone_scan.h"
#include "job_kind.h"
#include "memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Of the sinogram that is compared. Neighbouring projections should be alike, so that columns are averaged until they
 * are fewer than angles. */
enum { MOST_ANGLES = 360, LEAST_ANGLES = 40, MOST_COLUMNS = 192, LEAST_COLUMNS = 24 };

/* Another beam is proposed if its score is at most `good`, and `far` times smaller than that of the settings. A fan
 * must be `little` times better than parallel rays. `equal`, the error of the sample, is added to every score. */
static const double far = 3, little = 1.5, good = 0.1, equal = 0.0003;

/* The other direction is taken if the distance of the source that fits it is that of the settings up to this factor. */
static const double same_distance = 1.25;

/* A sinogram of fewer angles and columns. */
typedef struct Sample {
    int64_t step, width;     /* angles from one to the next, columns that are averaged */
    int64_t angles, columns; /* of the sample */
    int64_t row;
    double *angle_rad; /* [angles]; owned */
    float *sinogram;   /* [angles][columns]; owned */
} Sample;

static void free_sample(Sample *sample)
{
    free(sample->angle_rad);
    free(sample->sinogram);
}

/* Reads the sample's projections, evenly spread over the turn; `line`: [columns of the detector] scratch. */
static SinoStatus read_lines(const SinoCenterOrder *order, SinoQuickRows *row, Sample *sample, float *line)
{
    for (int64_t k = 0; k < sample->angles; k++) {
        const int64_t at = k * sample->step;
        SINO_TRY(sino_quick_rows_read(row, order->place ? order->place[at] : at, line));
        sample->angle_rad[k] = order->geometry.angle_rad[at];
        for (int64_t c = 0; c < sample->columns * sample->width; c++)
            sample->sinogram[k * sample->columns + c / sample->width] += line[c] / (float)sample->width;
    }
    return NULL;
}

static SinoStatus read_sample(const SinoInput *input, Sample *sample)
{
    SinoStatus status = NULL;
    SinoCenterOrder order = {0};
    SinoQuickRows row = {0};
    float *line = NULL;
    const int64_t rays = sino_times(sample->angles, sample->columns);
    SINO_TRY_OR(status, out, sino_allocate(sample->angles, sizeof(double), "angles", &sample->angle_rad));
    SINO_TRY_OR(status, out, sino_allocate(rays, sizeof(float), "a sample", &sample->sinogram));
    SINO_TRY_OR(status, out, sino_allocate(input->info->column_count, sizeof *line, "a sample", &line));
    SINO_TRY_OR(status, out, sino_center_order_new(&input->geometry, &order));
    SINO_TRY_OR(status, out, sino_quick_rows_open(input, sample->row, 1, &row));
    status = read_lines(&order, &row, sample, line);
out:
    sino_center_order_free(&order);
    sino_quick_rows_close(&row);
    free(line);
    return status;
}

/* Sizes of the sample; false: too small, or the plane of the source is beside the detector. */
static bool size_sample(const SinoCenterSettings *settings, const SinoInput *input, Sample *sample)
{
    const SinoScanInfo *info = input->info;
    const double middle = (double)(info->row_count - 1) / 2;
    const bool given = !isnan(settings->row);
    const double row = round(given ? settings->row : floor(middle));
    *sample = (Sample){.step = sino_ceil_divide(info->angle_count, MOST_ANGLES)};
    sample->angles = info->angle_count / sample->step;
    const int64_t most = sino_smaller(sample->angles * 2 / 3, MOST_COLUMNS);
    if (sample->angles < LEAST_ANGLES || !(row >= 0 && row < (double)info->row_count)) return false;
    sample->row = (int64_t)row;
    sample->width = sino_ceil_divide(info->column_count, most);
    sample->columns = info->column_count / sample->width;
    return sample->columns >= LEAST_COLUMNS;
}

/* Root mean square difference of rays and their reverses, in percent of the standard deviation. */
static double percent(const SinoConeBeam *beam)
{
    return 100 * sqrt(2 * beam->score);
}

/* Writes the option that turns the other way, if the bend asks for it. */
static void type_direction(const SinoGeometrySettings *settings, double bend, size_t size, char *text)
{
    const bool clockwise = settings->angle_direction != SINO_COUNTERCLOCKWISE;
    *text = 0;
    if (bend < 0) snprintf(text, size, " --angle-direction %s", clockwise ? "counterclockwise" : "clockwise");
}

/* The beginning of a finding: the mismatch of the beam of the settings. */
static void add(const char *event, const char *is, const SinoConeBeam *given, const char *other, SinoFindings *findings)
{
    sino_findings_add(
        findings, false, event,
        "rays and their reverses in a whole turn differ by %.2g %% of the standard deviation%s, and by %s",
        percent(given), is, other);
}

/* In pixels the slice is right but for its scale, whatever the distance to the axis is. */
static void add_fan(const SinoGeometrySettings *settings, const SinoInput *input, double distance,
                    const SinoConeBeam *given, const SinoConeBeam *best, SinoFindings *findings)
{
    const SinoScanSetup setup = sino_cone_setup(settings, input->info);
    char missing[SINO_CONE_MISSING_SIZE], lengths[240] = "", direction[48], text[480];
    type_direction(settings, best->bend, sizeof direction, direction);
    if (sino_cone_missing(&setup, missing) > 0)
        snprintf(lengths, sizeof lengths,
                 " --detector-pixel 1 --source-detector-distance %.0f --source-object-distance %.0f", distance,
                 distance);
    snprintf(
        text, sizeof text,
        "%.2g %% as a fan or cone from a source %.0f pixels before the detector; is it one? (--geometry cone%s%s%s)",
        percent(best), distance, direction, lengths,
        *lengths ? ": right but for the scale, which needs the pixel and both distances in mm" : "");
    add("geometry", " as parallel rays", given, text, findings);
}

static void add_other(const SinoGeometrySettings *settings, double distance, const SinoConeBeam *given,
                      const SinoConeBeam *best, SinoFindings *findings)
{
    char direction[48], text[320];
    type_direction(settings, best->bend, sizeof direction, direction);
    if (best->bend == 0)
        snprintf(text, sizeof text, "%.2g %% as parallel rays; is the beam parallel? (--geometry parallel)",
                 percent(best));
    else if (*direction)
        snprintf(
            text, sizeof text,
            "%.2g %% if the sample turns the other way, with a source %.0f pixels before the detector; does it? (%s)",
            percent(best), distance, direction + 1);
    else
        snprintf(text, sizeof text,
                 "%.2g %% with a source %.0f pixels before the detector instead of %.0f; are "
                 "--source-detector-distance and --detector-pixel right?",
                 percent(best), distance, distance * best->bend / given->bend);
    add(*direction ? "theta" : "geometry", " as a cone beam", given, text, findings);
}

/* By a factor. */
static bool is_better(const SinoConeBeam *a, const SinoConeBeam *b, double factor)
{
    return factor * (a->score + equal) < b->score + equal;
}

/* Whether a cone or fan beam whose direction is left to sinodag turns the other way; then it takes it. */
static bool take_direction(const SinoGeometrySettings *settings, const SinoConeBeam *given, const SinoConeBeam *best,
                           SinoFindings *findings)
{
    const double ratio = -best->bend / given->bend;
    if (settings->angle_direction != SINO_DIRECTION_AUTO || !(given->bend > 0)) return false;
    if (!(ratio <= same_distance && ratio >= 1 / same_distance)) return false;
    findings->stages.turned = true;
    sino_findings_note(
        findings, "direction",
        "the sample turns counterclockwise: rays and their reverses in a whole turn then differ by %.2g %% "
        "of the standard deviation, otherwise by %.2g %% (--angle-direction clockwise: it does not)",
        percent(best), percent(given));
    return true;
}

static void judge(const SinoGeometrySettings *settings, const SinoInput *input, const Sample *sample,
                  const SinoConeBeam beam[SINO_CONE_BEAMS], SinoFindings *findings)
{
    const SinoConeBeam *given = &beam[SINO_CONE_BEAM_GIVEN], *parallel = &beam[SINO_CONE_BEAM_PARALLEL], *best = given;
    for (int i = 0; i < SINO_CONE_BEAMS; i++)
        if (beam[i].score < best->score) best = &beam[i];
    if (!is_better(best, parallel, little)) best = parallel;
    if (best->score > good || !is_better(best, given, far)) {
        const double width = (double)sample->width;
        if (given->score <= good) findings->reverse_percent = percent(given);
        findings->reverse_axis = given->center * width + (width - 1) / 2;
        return;
    }
    if (take_direction(settings, given, best, findings)) return;
    const double distance = best->bend != 0 ? (double)sample->width / fabs(best->bend) : 0;
    if (given->bend == 0)
        add_fan(settings, input, distance, given, best, findings);
    else
        add_other(settings, distance, given, best, findings);
}

SinoStatus sino_beam_check(const SinoSettings *settings, const SinoInput *input, SinoFindings *findings)
{
    const SinoScanSetup setup = sino_cone_setup(&settings->geometry, input->info);
    const bool fan = sino_job_is_cone(settings);
    SinoConeBeam beam[SINO_CONE_BEAMS];
    Sample sample;
    char missing[SINO_CONE_MISSING_SIZE];
    if (fan && sino_cone_missing(&setup, missing) > 0) return NULL; /* refused */
    if (input->view || !sino_center_is_whole_turn(&input->geometry) || !size_sample(&settings->center, input, &sample))
        return NULL;
    SinoStatus status = read_sample(input, &sample);
    const SinoCone cone = {.angle_count = sample.angles,
                           .column_count = sample.columns,
                           .angle_rad = sample.angle_rad,
                           .pixel_width = setup.pixel_width * (double)sample.width,
                           .source_detector = fan ? setup.source_detector : INFINITY};
    if (!status) status = sino_cone_center_beams(&cone, sample.sinogram, beam);
    if (!status) judge(&settings->geometry, input, &sample, beam, findings);
    free_sample(&sample);
    if (!status || sino_status_exit_code(status) != SINO_BAD_INPUT) return status;
    sino_status_free(status); /* no ray is measured from both sides */
    return NULL;
}
