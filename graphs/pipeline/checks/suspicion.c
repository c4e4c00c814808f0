/* SPDX-License-Identifier: BSD-3-Clause */
/* Suspicion: what in a scan is probably not meant. */
#include "checks.h"

#include "arithmetic.h"
#include "cone_scan.h"
#include "job_kind.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const double degrees = 180 / SINO_PI;

/* Fewer angles than these may have any span. */
enum { FEW_ANGLES = 8 };

/* Angles of a scan in degrees. */
typedef struct Angles {
    int64_t count;
    double first, last, least, most;
    double span, full; /* full: the span with one more step, of a scan that leaves out its end */
    bool even, rising; /* even: equally spaced, in order */
} Angles;

static Angles angles_of(const SinoScanInfo *info)
{
    const int64_t count = info->angle_count;
    Angles angles = {.count = count, .least = INFINITY, .most = -INFINITY, .even = true, .rising = true};
    angles.first = info->angle_rad[0] * degrees;
    angles.last = info->angle_rad[count - 1] * degrees;
    const double step = count > 1 ? (angles.last - angles.first) / (double)(count - 1) : 0;
    for (int64_t k = 0; k < count; k++) {
        const double angle = info->angle_rad[k] * degrees, off = angle - (angles.first + (double)k * step);
        angles.least = fmin(angles.least, angle);
        angles.most = fmax(angles.most, angle);
        angles.even &= fabs(off) <= 0.1 * fabs(step);
        angles.rising &= k == 0 || (info->angle_rad[k] - info->angle_rad[k - 1]) * step > 0;
    }
    angles.span = angles.most - angles.least;
    angles.full = angles.span * (double)count / (double)(count > 1 ? count - 1 : 1);
    return angles;
}

/* Whether the angles cover one or two half turns of `half` degrees, with or without their end, to `share` of it. */
static bool covers(const Angles *angles, double half, double share)
{
    for (int turns = 1; turns <= 2; turns++) {
        const double wanted = turns * half, allowed = share * wanted;
        if (fabs(angles->span - wanted) <= allowed || fabs(angles->full - wanted) <= allowed) return true;
    }
    return false;
}

/* Whether each angle follows the last one by the golden ratio of a half or a whole turn, as scans that may end at any
 * time have it (Kohler, IEEE NSS 2004), whose angles may be counted on over many turns. */
static bool are_golden(const Angles *angles)
{
    const double share = (sqrt(5) - 1) / 2, allowed = 0.05; /* degrees */
    if (!angles->even || angles->count < FEW_ANGLES) return false;
    const double step = (angles->last - angles->first) / (double)(angles->count - 1);
    return fabs(fabs(remainder(step, 180)) - 180 * (1 - share)) < allowed || /* 111.246 is −68.754 */
           fabs(fabs(remainder(step, 360)) - 360 * (1 - share)) < allowed;   /* 222.492 is −137.508 */
}

/* Writes the words that give the angles `factor` times as large. */
static void type_angles(const Angles *angles, double factor, size_t size, char *text)
{
    if (angles->even)
        snprintf(text, size, "--theta %.6g:%.6g", angles->first * factor, angles->last * factor);
    else
        snprintf(text, size, "--theta with a text file of degrees");
}

static void suspect_angles(const SinoScanInfo *info, SinoFindings *findings)
{
    const Angles angles = angles_of(info);
    char type[80];
    if (angles.count > 1 && angles.span <= 0)
        sino_findings_add(findings, true, "theta",
                          "all %" PRId64 " angles are %g degrees; allowed: angles that differ, as by --theta 0:180",
                          angles.count, angles.first);
    if (angles.count < FEW_ANGLES || angles.span <= 0) return;
    const bool turns = fabs(remainder(angles.span, 180)) < 2 || fabs(remainder(angles.full, 180)) < 2;
    if (covers(&angles, SINO_PI, 0.01)) {
        type_angles(&angles, degrees, sizeof type, type);
        sino_findings_add(findings, true, "theta",
                          "the angles cover %.4f degrees, and as many radians make %.0f degrees: they are radians that "
                          "are taken for degrees; allowed: --theta-unit radians, or %s",
                          angles.span, 180 * round(angles.full / SINO_PI), type);
    } else if (covers(&angles, 180 * degrees, 0.005)) {
        type_angles(&angles, 1 / degrees, sizeof type, type);
        sino_findings_add(findings, true, "theta",
                          "the angles cover %.0f degrees, which is %.0f radians: they are degrees that are taken for "
                          "radians; allowed: --theta-unit degrees, or %s",
                          angles.span, angles.span / degrees, type);
    } else if (angles.span < 7) {
        sino_findings_add(
            findings, false, "theta",
            "the angles cover %.3f degrees; are they radians that are taken for degrees? --theta-unit says it",
            angles.span);
    } else if (angles.span > 7200 && !turns && !are_golden(&angles)) {
        sino_findings_add(
            findings, false, "theta",
            "the angles cover %.0f degrees; are they degrees that are taken for radians? --theta-unit says it",
            angles.span);
    } else if (angles.full < 100) {
        sino_findings_add(findings, false, "theta",
                          "the angles cover %.1f degrees; a slice needs about 180, and lacks what the missing angles "
                          "would show; are the angles right? (--theta replaces them)",
                          angles.span);
    }
}

/* What the values of a scan probably are that lacks flat fields. */
static void suspect_lack(const SinoScanSample *sample, SinoFindings *findings)
{
    const double edges = sample->edges, mean = sample->mean;
    if (!sample->lacks_fields) return;
    if (edges < 0.5 * mean)
        sino_findings_add(findings, false, "data",
                          "the scan has no flat fields, and a mean of %.3g, but %.3g at the edges of the detector, as "
                          "line integrals have (--data line-integrals)",
                          mean, edges);
    else if (fabs(edges - 1) < 0.2 && mean < edges)
        sino_findings_add(findings, false, "data",
                          "the scan has no flat fields, and a mean of %.3g, but %.3g at the edges of the detector, as "
                          "transmissions have (--data transmission)",
                          mean, edges);
    else if (sample->brightest > 1)
        sino_findings_add(findings, false, "flat",
                          "the scan has no flat fields; the outermost columns have %.4g counts at most: the open beam, "
                          "if no ray to them crosses the object (--open-beam %.4g)",
                          sample->brightest, sample->brightest);
}

static void suspect_fields(const SinoInputSettings *settings, const SinoInput *input, const SinoScanSample *sample,
                           SinoFindings *findings)
{
    const bool known = input->info->flat_position || settings->flat_positions.count > 0;
    if (!sample->fields) return;
    if (sample->flat_change != 0 && !known)
        sino_findings_add(findings, false, "flat",
                          "the second half of the %" PRId64
                          " flat fields is %.2g %% %s than the first, and their mean is used; were they taken before "
                          "and after the projections? (--flat-positions 0,%" PRId64 ": a line between them)",
                          input->info->flat_count, 100 * fabs(sample->flat_change),
                          sample->flat_change > 0 ? "brighter" : "darker", input->info->file_angle_count);
    if (sample->flat <= sample->dark)
        sino_findings_add(
            findings, true, "flat",
            "the flat fields have a mean of %g in a sample of the rows, the dark fields %g; allowed: flat fields "
            "brighter than dark fields (if the two are swapped: --flats and --darks with the right images)",
            sample->flat, sample->dark);
    if (sample->undefined * 2 > sample->count) return;
    if (sample->integral > 6)
        sino_findings_add(findings, false, "data",
                          "the projections have 1/%.0f of the light of the flat fields; are their values line "
                          "integrals already? (--data line-integrals)",
                          exp(sample->integral));
    if (sample->integral < -0.7)
        sino_findings_add(findings, false, "data",
                          "the projections are %.1f times as bright as the flat fields; are the flat fields of the "
                          "same exposure? (--flats takes others)",
                          exp(-sample->integral));
    else if (sample->edge_transmission < 0.1 * sample->transmission)
        sino_findings_add(
            findings, false, "data",
            "the projections have %.2f of the light of the flat fields, but their outermost columns, where most scans "
            "see air, %.2f; are their values line integrals already? (--data line-integrals)",
            sample->transmission, sample->edge_transmission);
}

/* The middle one of the line integrals of the columns next to column c, up to three on each side. */
static double level_beside(const SinoScanSample *sample, int64_t c)
{
    double sorted[6];
    int count = 0;
    for (int64_t k = c - 3; k <= c + 3; k++) {
        if (k < 0 || k >= sample->column_count || k == c || isnan(sample->column_level[k])) continue;
        int i = count++;
        for (; i > 0 && sorted[i - 1] > sample->column_level[k]; i--) sorted[i] = sorted[i - 1];
        sorted[i] = sample->column_level[k];
    }
    return count > 0 ? sorted[count / 2] : (double)NAN;
}

/* Columns that are brighter than in the flat fields, where the columns beside them are not: broken pixels. */
static void suspect_bright_columns(const SinoInput *input, const SinoScanSample *sample, SinoFindings *findings)
{
    const double bright = log(1.2), more = 0.3;
    int64_t count = 0, brightest = 0;
    if (!sample->fields || !input->minus_log) return;
    for (int64_t c = 0; c < sample->column_count; c++) {
        const double level = sample->column_level[c];
        if (!(level < -bright) || !(level < level_beside(sample, c) - more)) continue;
        if (count == 0 || level < sample->column_level[brightest]) brightest = c;
        count++;
    }
    if (count == 0) return;
    sino_findings_add(findings, false, "data",
                      "detector columns that are brighter than in the flat fields, unlike those beside them: %" PRId64
                      "; column %" PRId64
                      " %.1f times; broken pixels draw rings (--saturation N gives counts of N and more the weight 0)",
                      count, input->first_column + brightest, exp(-sample->column_level[brightest]));
}

/* Fringes of phase contrast, whose slices are negative beside edges. */
static void suspect_fringes(const SinoSettings *settings, const SinoScanSample *sample, SinoFindings *findings)
{
    const bool known = settings->stages.phase_method != SINO_PHASE_NONE;
    if (known || !sino_settings_nonnegative(&settings->solver)) return;
    if (!(sample->fringed > 0.5)) return;
    sino_findings_add(
        findings, false, "phase",
        "%.0f %% of the rows of a sample are brighter beside the object than in air, by %.2g of their largest line "
        "integrals or more, as fringes of phase contrast are; slices without negative values cannot show such fringes "
        "(--phase-method paganin with --delta-beta, --energy, --propagation-distance and --pixel-size: retrieve the "
        "phase; --nonnegativity no: keep negative values)",
        100 * sample->fringed, SINO_FRINGES);
}

/* Whether the user has said what the values are, so that unusual values are warned of, not refused. */
static bool is_said(const SinoInputSettings *settings, const SinoInput *input)
{
    const bool integrals = input->info->line_integrals;
    return settings->scan_values != SINO_VALUES_AUTO || (!integrals && !settings->minus_log);
}

/* Values that are not divided by flat fields, but are as large as counts. Line integrals may be large in the units of
 * a simulation, but are small at the edges of the detector, where counts are large. Counts of photons that an object
 * emits are line integrals of any size for the algorithms that are made for them. */
static void suspect_values(const SinoSettings *settings, const SinoInput *input, const SinoScanSample *sample,
                           SinoFindings *findings)
{
    const bool emission =
        settings->solver.algorithm == SINO_ALGORITHM_MLEM || settings->solver.algorithm == SINO_ALGORITHM_OSEM;
    const double most = input->minus_log ? 2 : 50; /* of a transmission, of a line integral */
    const bool said = is_said(&settings->input, input);
    const char *kind = input->minus_log ? "transmissions" : "line integrals";
    if (input->flat_correction != SINO_FLAT_NONE || sample->mean <= most) return;
    if (!input->minus_log && (emission || sample->edges < 0.7 * sample->mean)) return;
    if (said)
        sino_findings_add(findings, false, "data",
                          "the values have a mean of %g in a sample of the scan, which is much for %s; are they "
                          "counts, which need flat fields? (--data counts)",
                          sample->mean, kind);
    else
        sino_findings_add(findings, true, "data",
                          "the values have a mean of %g in a sample of the scan, which is much for %s; allowed: --data "
                          "counts with flat fields, or --data %s if that is what they are",
                          sample->mean, kind, input->minus_log ? "transmission" : "line-integrals");
}

static void suspect_missing(const SinoInputSettings *settings, const SinoInput *input, const SinoScanSample *sample,
                            SinoFindings *findings)
{
    const double share = (double)sample->undefined / (double)sample->count;
    const bool divided = sample->fields && !(sample->flat <= sample->dark);
    const bool usable = divided || input->flat_correction == SINO_FLAT_NONE;
    if (sample->finite == 0)
        sino_findings_add(findings, true, "data",
                          "every value of a sample of the scan is NaN or infinite; allowed: a scan with values");
    else if (sample->zero == sample->count)
        sino_findings_add(findings, true, "data",
                          "every value of a sample of the scan is 0; allowed: a scan with values");
    else if (usable && share > settings->max_repaired)
        sino_findings_add(
            findings, true, "data",
            "%.1f %% of the values of a sample of the scan are undefined; allowed: up to %g %% (--max-repaired %g): %s",
            100 * share, 100 * settings->max_repaired, settings->max_repaired, sino_repairs_advice);
}

/* A laboratory's scan whose rays are taken to be parallel. */
static void suspect_beam(const SinoSettings *settings, const SinoInput *input, SinoFindings *findings)
{
    const SinoScanSetup *setup = &input->info->setup;
    const double width = (double)input->info->column_count * setup->pixel_width;
    const double spread = sino_cone_spread(input->info);
    if (sino_job_is_cone(settings) || !(spread > 0)) return;
    sino_findings_add(findings, false, "geometry",
                      "the file says that the source is %.6g mm from the axis, and %.6g mm from a detector of %.6g mm, "
                      "so that rays spread over %.3g degrees; is it a cone beam? (--geometry cone)",
                      setup->source_object, setup->source_detector, width, spread);
}

/* Raw sinograms know their width from --columns alone. Neighbouring projections are alike; parts of one are not. */
static SinoStatus suspect_columns(const SinoInputSettings *settings, const SinoInput *input, SinoFindings *findings)
{
    const double little = 0.25;
    SinoScanLikeness likeness;
    if (settings->columns == 0 || !angles_of(input->info).rising) return NULL;
    SINO_TRY(sino_scan_likeness(input, &likeness));
    for (int f = 2; f <= 4; f++) {
        if (likeness.lag[1] > 0.2 && likeness.lag[f] < little * likeness.lag[1]) {
            sino_findings_add(
                findings, false, "columns",
                "a projection is less like the next one than like the one %d further on; are there %" PRId64
                " columns? (--columns %" PRId64 ")",
                f, f * settings->columns, f * settings->columns);
            break;
        }
        if (settings->columns % f == 0 && likeness.part[f] < 0.05) {
            sino_findings_add(findings, false, "columns",
                              "every projection looks like %d alike side by side; are there %" PRId64
                              " columns? (--columns %" PRId64 ")",
                              f, settings->columns / f, settings->columns / f);
            break;
        }
    }
    return NULL;
}

SinoStatus sino_suspect(const SinoSettings *settings, const SinoInput *input, SinoFindings *findings)
{
    SinoScanSample sample;
    if (!input->view) suspect_angles(input->info, findings);
    suspect_beam(settings, input, findings);
    if (settings->input.follow) return NULL; /* its projections may not have come */
    SINO_TRY(sino_scan_sample_new(input, true, &sample));
    suspect_lack(&sample, findings);
    suspect_fields(&settings->input, input, &sample, findings);
    suspect_bright_columns(input, &sample, findings);
    suspect_fringes(settings, &sample, findings);
    suspect_values(settings, input, &sample, findings);
    suspect_missing(&settings->input, input, &sample, findings);
    sino_choose_stages(settings, input, &sample, findings);
    sino_scan_sample_free(&sample);
    SINO_TRY(sino_beam_check(settings, input, findings));
    SINO_TRY(sino_detector_check(settings, input, findings));
    return suspect_columns(&settings->input, input, findings);
}

/* Mean of the absolute line integrals of the columns whose distance from the center is at least `from` and below `to`.
 */
static double mean_between(const SinoScanSample *sample, double center, double from, double to)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t c = 0; c < sample->column_count; c++) {
        const double distance = fabs((double)c - center);
        if (distance < from || distance >= to) continue;
        sum += sample->column_integral[c];
        count++;
    }
    return count > 0 ? sum / (double)count : 0;
}

/* Of slices with the usual size of voxels: a cone's may have another. */
static double voxels_per_column(const SinoSettings *settings, const SinoInput *input)
{
    const SinoScanSetup setup = sino_cone_setup(&settings->geometry, input->info);
    const double column = setup.pixel_width * (double)input->binning * setup.source_object / setup.source_detector;
    const bool other = sino_job_is_cone(settings) && settings->geometry.voxel_size_mm > 0 && column > 0;
    return other ? column / settings->geometry.voxel_size_mm : 1;
}

SinoStatus sino_suspect_center(const SinoSettings *settings, const SinoInput *input, SinoFindings *findings)
{
    const Angles angles = angles_of(input->info);
    const double columns = (double)input->column_count, binning = (double)input->binning;
    const double of_file = sino_input_column_of_file(input, input->geometry.center);
    const double center = of_file - (double)input->first_column, off = fabs(center - (columns - 1) / 2);
    const double shorter = fmax(columns / 2 - off, 0), longer = columns / 2 + off;
    SinoScanSample sample;
    if (angles.full < 350 || off < 0.1 * columns) return NULL;
    SINO_TRY(sino_scan_sample_new(input, false, &sample));
    for (int64_t c = 0; c < sample.column_count && input->air > 0; c++) { /* air will be 0 */
        const double above = fabs(sample.column_level[c] - sample.air_level);
        if (isfinite(above)) sample.column_integral[c] = above;
    }
    const double near = mean_between(&sample, center, 0, shorter);
    const double far = mean_between(&sample, center, shorter, INFINITY);
    sino_scan_sample_free(&sample);
    const bool direct = settings->solver.algorithm == SINO_ALGORITHM_FBP;
    const int64_t side = 2 * (int64_t)ceil(longer / binning * voxels_per_column(settings, input));
    const int64_t own = sino_geometry_slice_side(&input->geometry);
    if (far < 0.1 * near || own >= side - 2) return NULL;
    if (settings->geometry.volume.x > 0 && settings->solver.algorithm == SINO_ALGORITHM_FDK)
        return NULL; /* parts are right, too */
    char axis[240], instead[160] = "";
    snprintf(axis, sizeof axis,
             "the rotation axis, column %.1f, is %.0f columns off the middle in a scan of a whole turn, and the object "
             "reaches beyond the shorter side, where it is seen once instead of twice",
             of_file, off);
    if (settings->geometry.volume.x == 0) {
        findings->half_side = side;
        sino_findings_note(findings, "half",
                           "%s: the slice gets %" PRId64 " x %" PRId64
                           " voxels, which have room for the whole object (--volume %" PRId64 "x%" PRId64
                           ": cut it off)",
                           axis, side, side, own, own);
        return NULL;
    }
    if (shorter >= 0.1 * columns)
        snprintf(instead, sizeof instead,
                 "--start-column %.0f --end-column %.0f for the part that is seen all around, or ",
                 fmax(ceil(of_file - shorter), 0), floor(of_file + shorter) + 1);
    sino_findings_add(findings, direct, "center",
                      "%s%s; allowed: %s--volume auto, or %" PRId64 "x%" PRId64 ", which has room for the whole object",
                      axis, direct ? ", which fbp only knows with room for it" : ": the slice cuts it off", instead,
                      side, side);
    return NULL;
}

SinoStatus sino_findings_judge(const SinoFindings *findings, SinoLog *log)
{
    for (int64_t i = 0; i < findings->count; i++)
        SINO_CHECK(!findings->finding[i].refused, SINO_BAD_INPUT, "%s", findings->finding[i].text);
    for (int64_t i = 0; i < findings->count; i++) {
        const SinoFinding *finding = &findings->finding[i];
        if (finding->harmless)
            sino_log_info(log, finding->event, "%s", finding->text);
        else
            sino_log_warning(log, finding->event, "%s", finding->text);
    }
    return NULL;
}

SinoStatus sino_check_scan(const SinoSettings *settings, const SinoInput *input, SinoLog *log, SinoStageChoice *stages)
{
    SinoFindings findings = {0};
    SINO_TRY(sino_suspect(settings, input, &findings));
    *stages = findings.stages;
    return sino_findings_judge(&findings, log);
}

SinoStatus sino_check_center(const SinoSettings *settings, SinoInput *input, SinoLog *log)
{
    SinoFindings findings = {0};
    SINO_TRY(sino_suspect_center(settings, input, &findings));
    if (findings.half_side > 0) SINO_TRY(sino_input_enlarge(input, findings.half_side, input->geometry.margin));
    return sino_findings_judge(&findings, log);
}
