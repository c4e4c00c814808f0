/* SPDX-License-Identifier: BSD-3-Clause */
/* Stage choice: what an expert would switch on, unless the user has decided. */
#include "checks.h"

#include "arithmetic.h"
#include "job_kind.h"
#include "operator.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* What air should be as bright as. */
static const char *light_of(const SinoInputSettings *settings, const SinoScanSample *sample)
{
    return !sample->fields ? "a transmission of 1" : settings->open_beam > 0 ? "the open beam" : "the flat fields";
}

/* No object is brighter than air. An open beam is a number that the user has read off somewhere. */
static void suspect_light(const SinoInputSettings *settings, const SinoScanSample *sample, SinoFindings *findings)
{
    const double open = settings->open_beam, bright = sample->brightest;
    char instead[64] = "";
    if (open > 0) snprintf(instead, sizeof instead, "; --open-beam %.4g", open * bright);
    if (sample->air_level < -SINO_AIR_LEVEL)
        sino_findings_add(findings, false, "air",
                          "the outermost columns are %.2f times as bright as %s, so that line integrals are too small "
                          "by %.2g or more; is it of another exposure? (--air N: N columns at each side see air%s)",
                          exp(-sample->air_level), light_of(settings, sample), -sample->air_level, instead);
    else if (open > 0 && bright < exp(-SINO_AIR_LEVEL))
        sino_findings_add(findings, false, "air",
                          "the outermost columns have %.2f of the open beam at most; does the object reach beyond both "
                          "sides of the detector, or is the open beam too large? (--open-beam %.4g)",
                          bright, open * bright);
}

static void choose_air(const SinoSettings *settings, const SinoInput *input, const SinoScanSample *sample,
                       SinoFindings *findings)
{
    char value[24], why[160];
    if (!isnan(settings->stages.air) || !input->minus_log) return;
    if (sample->air_columns == 0) {
        sino_findings_tell(findings, "air", "0",
                           "a sample shows no air at both edges of the detector, or none whose light changes by 0.005 "
                           "or more, or is off by %g or more",
                           SINO_AIR_LEVEL);
        suspect_light(&settings->input, sample, findings);
        return;
    }
    if (sample->air_drift > 0)
        snprintf(why, sizeof why,
                 "the light beside the object differs from projection to projection by %.2g in line integrals",
                 sample->air_drift);
    else
        snprintf(why, sizeof why,
                 "the air at both edges of the detector is %.2f times as bright as %s, as of another exposure",
                 exp(-sample->air_level), light_of(&settings->input, sample));
    snprintf(value, sizeof value, "%" PRId64, sample->air_columns);
    sino_findings_tell(findings, "air", value, "%s", why);
    findings->stages.air = sample->air_columns;
    sino_findings_add(findings, false, "air",
                      "in a sample of the scan %s: each row is normalised to its first and last %" PRId64
                      " columns (--air N: other columns; 0: no normalisation)",
                      why, sample->air_columns);
}

/* Whether the outermost columns see air, whatever their line integrals are: the user says so, or the sample. */
static bool sees_air(const SinoStageSettings *settings, const SinoInput *input, const SinoScanSample *sample,
                     const SinoFindings *findings)
{
    const bool brighter = input->minus_log && sample->air_level < -SINO_AIR_LEVEL;
    return settings->air > 0 || findings->stages.air > 0 || brighter;
}

/* Mean of the absolute line integrals of a twentieth of the columns, those at the side that has more, as a share of the
 * largest of any column; in a whole turn those at the side that has less, since a half acquisition sees what lies
 * beyond one side from the other. */
static double share_at_edge(const SinoScanInfo *info, const SinoScanSample *sample)
{
    double least = info->angle_rad[0], covered = 0;
    for (int64_t k = 0; k < info->angle_count; k++) least = fmin(least, info->angle_rad[k]);
    for (int64_t k = 0; k < info->angle_count; k++) covered = fmax(covered, info->angle_rad[k] - least);
    const int64_t columns = sample->column_count, edge = sino_larger(columns / 20, 1);
    double left = 0, right = 0, most = 0;
    for (int64_t c = 0; c < columns; c++) {
        most = fmax(most, sample->column_integral[c]);
        if (c < edge) left += sample->column_integral[c] / (double)edge;
        if (c >= columns - edge) right += sample->column_integral[c] / (double)edge;
    }
    return most > 0 ? (covered > 1.9 * SINO_PI ? fmin(left, right) : fmax(left, right)) / most : 0;
}

/* Voxels beyond each side of a slice that give it room for an object whose mean line integrals at the ends of the
 * detector have this share of the largest: sections of a disk, p(s) ∝ √(R² − s²), with a tenth more; at most half a
 * detector. */
static int64_t roomy_margin(int64_t columns, double share)
{
    const double radii = 1.1 / sqrt(1 - fmin(share * share, 0.99));
    return (int64_t)ceil((fmin(radii, 2) - 1) * (double)columns / 2);
}

/* The scan has them, or becomes them: not counts of emissions, which are line integrals of another kind. */
static bool has_integrals(const SinoSettings *settings, const SinoInput *input)
{
    return input->minus_log || input->info->line_integrals || settings->input.scan_values == SINO_VALUES_LINE_INTEGRALS;
}

#define WIDE                                                                                                           \
    "the outermost columns have %.0f %% of the largest mean line integral: the object reaches beyond the detector, "   \
    "or the light was weaker than in the flat fields"

static bool is_direct(const SinoSolverSettings *settings)
{
    return settings->algorithm == SINO_ALGORITHM_FBP || settings->algorithm == SINO_ALGORITHM_FDK;
}

/* Iterative algorithms put what lies beyond the slice into its rim, and make all of it too dense, unless they have
 * voxels for it. */
static void choose_margin(const SinoSettings *settings, const SinoInput *input, double share, SinoFindings *findings)
{
    const int64_t columns = input->geometry.column_count, margin = roomy_margin(columns, share);
    const bool free_choice = isnan(settings->geometry.margin);
    char value[24];
    if (is_direct(&settings->solver) || sino_operator_is_normal(settings->projection.projector)) return;
    if (!free_choice || settings->geometry.volume.x > columns) return;
    findings->stages.margin = margin;
    snprintf(value, sizeof value, "%" PRId64, margin);
    sino_findings_tell(findings, "margin", value, WIDE, 100 * share);
    sino_findings_add(findings, false, "margin",
                      WIDE
                      "; %" PRId64
                      " voxels beyond each side of the slice take in the rest of the object; they are computed, not "
                      "written (--margin 0: none; --air N: N columns at each side see air)",
                      100 * share, margin);
}

/* Likewise for the volume of a cone beam, which is written as it is. */
static void choose_room(const SinoSettings *settings, const SinoInput *input, double share, SinoFindings *findings)
{
    const int64_t columns = input->geometry.column_count, side = columns + 2 * roomy_margin(columns, share);
    char value[48];
    if (is_direct(&settings->solver) || settings->geometry.volume.x > 0 || settings->geometry.voxel_size_mm > 0) return;
    findings->stages.side = side;
    snprintf(value, sizeof value, "%" PRId64 "x%" PRId64, side, side);
    sino_findings_tell(findings, "volume", value, WIDE, 100 * share);
    sino_findings_add(findings, false, "volume",
                      WIDE "; the volume gets %s voxels along x and y, which have room for the rest of it (--volume "
                           "%" PRId64 "x%" PRId64 ": none; --air N: N columns at each side see air)",
                      100 * share, value, columns, columns);
}

/* The object lies within the detector. */
static void tell_narrow(const SinoSettings *settings, double share, double usual, SinoFindings *findings)
{
    static const char reason[] =
        "the outermost columns have %.0f %% of the largest mean line integral; from %.0f %% on "
        "the object is taken to reach beyond the detector";
    const bool direct = is_direct(&settings->solver);
    if (direct && settings->solver.padding == SINO_PADDING_AUTO)
        sino_findings_tell(findings, "padding-type", "zeros", reason, 100 * share, 100 * usual);
    if (!direct && !sino_job_is_cone(settings) && isnan(settings->geometry.margin) &&
        !sino_operator_is_normal(settings->projection.projector))
        sino_findings_tell(findings, "margin", "0", reason, 100 * share, 100 * usual);
}

/* Whether the sample speaks against the normal operator, which takes columns beyond the detector for 0 and weighs no
 * rays. Least squares without weights are as exact as those with weights from `evenness` of the rays
 * (docs/lab/images.md). */
static bool is_uneven(const SinoSettings *settings, const SinoInput *input, const SinoScanSample *sample, double share)
{
    const double usual = 0.1, even = 0.6;
    const bool integrals = has_integrals(settings, input);
    const bool weighs =
        settings->solver.weights == SINO_WEIGHTS_AUTO && settings->solver.algorithm == SINO_ALGORITHM_FISTA;
    if (integrals && share > usual) return true;
    return weighs && input->minus_log && sample->evenness < even;
}

/* The filter of fbp and fdk sees the end of the detector as the end of the object, which gives the slice a bright rim.
 */
static void choose_padding(const SinoSettings *settings, const SinoInput *input, const SinoScanSample *sample,
                           double share, SinoFindings *findings)
{
    enum { LEAST_COLUMNS = 32 };
    const double usual = 0.1;
    const bool free_choice = settings->solver.padding == SINO_PADDING_AUTO && is_direct(&settings->solver);
    const bool zeros = sino_operator_is_normal(settings->projection.projector);
    const bool integrals = has_integrals(settings, input);
    if (zeros && integrals && sample->column_count >= LEAST_COLUMNS && share > usual)
        sino_findings_add(
            findings, false, "padding",
            "the outermost columns have %.0f %% of the largest mean line integral, so the object reaches beyond the "
            "detector: --projector toeplitz takes the columns beyond it for 0 (--projector rays: leaves them out)",
            100 * share);
    if (!integrals || sample->column_count < LEAST_COLUMNS) return;
    if (!(share > usual)) {
        tell_narrow(settings, share, usual, findings);
        return;
    }
    (sino_job_is_cone(settings) ? choose_room : choose_margin)(settings, input, share, findings);
    if (!free_choice) return;
    sino_findings_tell(findings, "padding-type", "edges", WIDE, 100 * share);
    findings->stages.edges = true;
    sino_findings_add(
        findings, false, "padding",
        WIDE ": each projection is continued beyond it before it is filtered (--padding-type zeros: by zeros; --air N: "
             "N columns at each side see air)",
        100 * share);
}

/* Whether values are taken for counts of photons that an object emits. They differ between neighbours and from angle to
 * angle by their own noise, as stray photons and faulty columns do. */
static bool is_emission(const SinoSolverSettings *settings, const SinoInput *input)
{
    if (input->minus_log) return false;
    return settings->algorithm == SINO_ALGORITHM_MLEM || settings->algorithm == SINO_ALGORITHM_OSEM;
}

#define NO_EVENTS "mlem and osem take counts of events, whose noise looks like it; nothing is taken out by itself"

static void choose_zingers(const SinoSettings *settings, const SinoInput *input, const SinoScanSample *sample,
                           SinoFindings *findings)
{
    const int64_t least = 3;     /* fewer are perhaps the object's */
    const int64_t together = 16; /* more in each, but in few projections, are the object's: gaps along the rays */
    const bool chosen = sample->with_zingers >= least &&
                        together * sample->with_zingers >= sino_smaller(sample->zingers, sample->looked_at);
    if (settings->stages.zinger_removal != SINO_ZINGERS_AUTO) return;
    if (is_emission(&settings->solver, input)) {
        sino_findings_tell(findings, "zinger-removal-method", "none", NO_EVENTS);
        return;
    }
    sino_findings_tell(findings, "zinger-removal-method", chosen ? "standard" : "none",
                       "%" PRId64 " of %" PRId64
                       " values of a sample are far too bright for a single projection, in %" PRId64
                       " projections; from %" PRId64 " on they are taken out, unless few have many",
                       sample->zingers, sample->neighbours, sample->with_zingers, least);
    if (!chosen) return;
    findings->stages.zingers = true;
    sino_findings_add(findings, false, "zingers",
                      "%" PRId64 " of %" PRId64 " values of a sample of the scan are far too bright for a single "
                      "projection: zingers are taken out (--zinger-removal-method none: keep them)",
                      sample->zingers, sample->neighbours);
}

static void choose_stripes(const SinoSettings *settings, const SinoInput *input, const SinoScanSample *sample,
                           SinoFindings *findings)
{
    const double visible = 0.002 * sample->unit, odd_from = SINO_ODD_COLUMN * sample->unit;
    const int64_t least = 3; /* fewer are perhaps the object's */
    const bool stand = sample->standing >= least;
    const bool chosen = sample->stripes >= visible || stand || sample->odd_columns > 0;
    const bool offsets = sample->in_order;
    const char *method = offsets ? "wiener" : "sorting";
    if (settings->stages.stripe_removal != SINO_REMOVE_AUTO) return;
    if (is_emission(&settings->solver, input)) {
        sino_findings_tell(findings, "remove-stripe-method", "none", NO_EVENTS);
        return;
    }
    if (isnan(sample->stripes))
        sino_findings_tell(findings, "remove-stripe-method", "none", "too few columns or projections tell stripes");
    else
        sino_findings_tell(findings, "remove-stripe-method", chosen ? method : "none",
                           "columns of a sample differ from their neighbours by %.2g in line integrals, %" PRId64
                           " pixels by more than %.2g, %" PRId64 " columns by more than %.3g; from %.3g, %" PRId64
                           " such pixels or one such column on, stripes are taken out",
                           sample->stripes, sample->standing, SINO_STANDING * sample->unit, sample->odd_columns,
                           odd_from, visible, least);
    if (!chosen) return;
    findings->stages.stripes = offsets ? SINO_STRIPES_WIENER : SINO_STRIPES_SORTING;
    char all[48] = "", odd[64] = "";
    if (sample->stripes >= visible)
        snprintf(all, sizeof all, " by %.2g", sample->stripes);
    else if (stand)
        snprintf(all, sizeof all, " by more than %.2g", SINO_STANDING * sample->unit);
    if (sample->odd_columns > 0)
        snprintf(odd, sizeof odd, ", %" PRId64 " of them by more than %.3g", sample->odd_columns, odd_from);
    sino_findings_add(findings, false, "stripes",
                      "in a sample of the scan columns of the detector differ from their neighbours%s%s in line "
                      "integrals, which makes rings: stripes are taken out by %s (--remove-stripe-method vo-all, fw or "
                      "ti: in another way; none: keep them)",
                      all, odd, offsets ? method : "sorting, as angles are not in order");
}

/* Counts of photons that an object emits may be few in nearly all bins, and many in some: as many as 64 bits count. */
static double most_of(const SinoSolverSettings *settings, const SinoInput *input, const SinoScanSample *sample)
{
    return is_emission(settings, input) && sample->most > 0 ? 0x1p64 * sample->unit : sample->most;
}

void sino_choose_stages(const SinoSettings *settings, const SinoInput *input, const SinoScanSample *sample,
                        SinoFindings *findings)
{
    findings->stages.most = most_of(&settings->solver, input, sample);
    findings->stages.unit = sample->unit;
    if (sample->lacks_fields) return; /* nothing is known of its line integrals */
    choose_air(settings, input, sample, findings);
    const double share = sees_air(&settings->stages, input, sample, findings) ? 0 : share_at_edge(input->info, sample);
    choose_padding(settings, input, sample, share, findings);
    findings->stages.uneven = is_uneven(settings, input, sample, share);
    choose_zingers(settings, input, sample, findings);
    choose_stripes(settings, input, sample, findings);
    if (settings->stages.beam_hardening.count == 0)
        sino_findings_tell(
            findings, "beam-hardening", "A,B,C",
            "no sample shows it; the numbers come from a wedge of the object's material, or from a simulation");
}
