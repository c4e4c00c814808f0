/* SPDX-License-Identifier: BSD-3-Clause */
/* Compare, report: the measures as a table for people, as JSON, and the ring correlation as CSV. */
#include "compare.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>

/* The threshold of 1/7 that 3-D microscopy of particles uses. */
static const double fixed_threshold = 1.0 / 7;

static const struct {
    const char *title, *name; /* in the table, in JSON */
    bool small_is_good;
} measures[SINO_COMPARE_MEASURES] = {[SINO_COMPARE_RELATIVE] = {"relative L2", "relative_l2", true},
                                     [SINO_COMPARE_RMSE] = {"RMSE", "rmse", true},
                                     [SINO_COMPARE_PSNR] = {"PSNR (dB)", "psnr_db", false},
                                     [SINO_COMPARE_SIMILARITY] = {"SSIM", "ssim", false},
                                     [SINO_COMPARE_CORRELATION] = {"correlation", "correlation", false}};

double sino_compare_measure(const SinoCompare *compare, const SinoComparison *of, SinoCompareMeasure which)
{
    const SinoPairSums *all = &of->all;
    const double range = compare->request.range;
    const double rmse = all->count > 0 ? sqrt(all->difference / (double)all->count) : NAN;
    const double moments = sqrt(all->moment[0]) * sqrt(all->moment[1]);
    switch (which) {
    case SINO_COMPARE_RELATIVE:
        return all->square > 0 ? sqrt(all->difference / all->square) : NAN;
    case SINO_COMPARE_RMSE:
        return rmse;
    case SINO_COMPARE_PSNR:
        return range > 0 ? 20 * log10(range / rmse) : NAN;
    case SINO_COMPARE_SIMILARITY:
        return of->similarity.count > 0 ? of->similarity.sum / (double)of->similarity.count : NAN;
    case SINO_COMPARE_CORRELATION:
        return moments > 0 ? all->product / moments : NAN;
    case SINO_COMPARE_MEASURES:
        break;
    }
    return NAN;
}

int64_t sino_compare_worst(const SinoCompare *compare, SinoCompareMeasure which)
{
    int64_t worst = -1;
    double found = NAN;
    for (int64_t i = 0; i < compare->count; i++) {
        const double value = sino_compare_measure(compare, &compare->slice[i], which);
        const bool worse = measures[which].small_is_good ? value > found : value < found;
        if (isnan(value) || (!isnan(found) && !worse)) continue;
        found = value;
        worst = i;
    }
    return worst;
}

/* Mean over the slices where the measure is defined. */
static double mean_of(const SinoCompare *compare, SinoCompareMeasure which)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < compare->count; i++) {
        const double value = sino_compare_measure(compare, &compare->slice[i], which);
        if (isnan(value)) continue;
        sum += value;
        count++;
    }
    return count > 0 ? sum / (double)count : NAN;
}

/* ‖scale·a + offset − b‖/‖b‖ */
static double fitted_error(const SinoCompare *compare)
{
    const double square = compare->total.all.square;
    return square > 0 && !isnan(compare->request.scale) ? sqrt(compare->total.fit_error / square) : NAN;
}

/* Contrast to noise of the volume (0) or the reference (1); NaN: the surroundings have no noise, or no voxel. */
static double contrast(const SinoComparison *total, int which)
{
    const SinoPairSums *object = &total->object, *around = &total->background;
    if (object->count == 0 || around->count == 0) return NAN;
    const double deviation = sqrt(around->moment[which] / (double)around->count);
    return deviation > 0 ? (object->mean[which] - around->mean[which]) / deviation : NAN;
}

static double crossing(const SinoCompare *compare, double threshold)
{
    return sino_rings_crossing(compare->ring_count, compare->curve, threshold);
}

SinoWorth sino_compare_worth_of(double difference, double square)
{
    return (SinoWorth){.noise = sqrt(difference) / 2,
                       .error = sqrt(difference / 2),
                       .relative = square > 0 ? sqrt(difference / 2 / square) : NAN};
}

SinoWorth sino_compare_worth(const SinoCompare *compare)
{
    const SinoPairSums *all = &compare->total.all;
    const double count = (double)all->count, difference = all->difference / count;
    const double squares = (all->moment[0] + all->square) / count + all->mean[0] * all->mean[0]; /* of both */
    SinoWorth worth = sino_compare_worth_of(difference, squares / 2 - difference / 4);
    worth.half_bit = crossing(compare, 0);
    worth.seventh = crossing(compare, fixed_threshold);
    return worth;
}

static void print_number(double value, FILE *out)
{
    if (isnan(value))
        fprintf(out, "  %-14s", "undefined");
    else
        fprintf(out, "  %-14.6g", value);
}

static void print_table(const SinoCompare *compare, FILE *out)
{
    fprintf(out, "%-12s  %-14s  %-14s  %s\n", "", "all slices", "mean", "worst slice");
    for (SinoCompareMeasure which = 0; which < SINO_COMPARE_MEASURES; which++) {
        const int64_t worst = sino_compare_worst(compare, which);
        fprintf(out, "%-12s", measures[which].title);
        print_number(sino_compare_measure(compare, &compare->total, which), out);
        print_number(mean_of(compare, which), out);
        if (worst >= 0)
            fprintf(out, "  %.6g (%" PRId64 ")", sino_compare_measure(compare, &compare->slice[worst], which),
                    compare->first + worst);
        else
            fputs("  undefined", out);
        fputc('\n', out);
    }
}

static void print_inputs(const SinoCompare *compare, FILE *out)
{
    const SinoSettings *settings = compare->settings;
    const char *const title[] = {"volume", "reference"}, *const name[] = {settings->input.file_name,
                                                                          settings->compare.reference};
    char text[SINO_COMPARE_REGION_TEXT];
    for (int i = 0; i < 2; i++) {
        const SinoVolumeInputInfo *info = sino_volume_input_info(compare->input[i]);
        fprintf(out, "%-12s %s (%s, %s", title[i], name[i], info->kind, info->stored_type);
        if (info->scaled) fprintf(out, ", number n stands for %.9g + %.9g n", info->offset, info->scale);
        fputs(")\n", out);
    }
    const SinoPairSums *all = &compare->total.all;
    fprintf(out, "%-12s slices %" PRId64 ":%" PRId64 " of %" PRId64 " x %" PRId64 " voxels, %s: %" PRId64 " voxels\n",
            "compared", compare->first, compare->first + compare->count, compare->width, compare->height,
            sino_compare_region_text(compare, text), all->count);
    fprintf(out, "%-12s volume %.6g to %.6g, reference %.6g to %.6g; PSNR and SSIM take the latter, %.6g\n", "range",
            all->least[0], all->most[0], all->least[1], all->most[1], compare->request.range);
    if (all->bad[0] + all->bad[1] > 0)
        fprintf(out,
                "%-12s NaN or infinite: %" PRId64 " voxels of the volume, %" PRId64 " of the reference; not compared\n",
                "left out", all->bad[0], all->bad[1]);
}

static void print_crossing(const char *threshold, double frequency, FILE *out)
{
    fprintf(out, "%s: ", threshold);
    if (isnan(frequency))
        fputs("never below it, 2 voxels or finer", out);
    else
        fprintf(out, "%.4g voxels (%.4g cycles/voxel)", 1 / frequency, frequency);
}

static void print_rings(const SinoCompare *compare, FILE *out)
{
    const SinoWorth worth = sino_compare_worth(compare);
    fprintf(out, "%-12s ", "resolution");
    print_crossing("1/2 bit", worth.half_bit, out);
    print_crossing("; 1/7", worth.seventh, out);
    fputs("; of independent half-sets only\n", out);
    fprintf(out, "%-12s noise of their mean %.6g, estimated error %.6g", "half-sets", worth.noise, worth.error);
    if (!isnan(worth.relative)) fprintf(out, ", relative %.6g", worth.relative);
    fputs("; of independent half-sets only\n", out);
    fprintf(out, "%-12s %s\n", "curve", compare->settings->compare.frc);
}

static void print_fit(const SinoCompare *compare, FILE *out)
{
    const double error = fitted_error(compare), offset = compare->request.offset;
    if (isnan(error)) return;
    fprintf(out, "%-12s reference = %.9g * volume %c %.9g; relative L2 then %.6g\n", "linear fit",
            compare->request.scale, signbit(offset) ? '-' : '+', fabs(offset), error);
}

static void print_contrast(const SinoCompare *compare, FILE *out)
{
    static const char *const name[] = {"volume", "reference"};
    fprintf(out, "%-12s", "contrast");
    for (int i = 0; i < 2; i++) {
        const double value = contrast(&compare->total, i);
        fprintf(out, "%s %s ", i == 0 ? " to noise:" : ",", name[i]);
        if (isnan(value))
            fputs("undefined", out);
        else
            fprintf(out, "%.6g", value);
    }
    fputc('\n', out);
}

void sino_compare_print(const SinoCompare *compare, FILE *out)
{
    print_inputs(compare, out);
    print_table(compare, out);
    print_fit(compare, out);
    if (compare->request.object) print_contrast(compare, out);
    if (compare->rings) print_rings(compare, out);
    if (compare->settings->compare.error_map)
        fprintf(out,
                "%-12s %s: the estimated error of each voxel; of independent half-sets only, too small where angles "
                "are few\n",
                "error map", compare->settings->compare.error_map);
    if (compare->settings->compare.picture)
        fprintf(out, "%-12s %s: volume, reference (both %.6g to %.6g), difference (-%.6g to %.6g)\n", "picture",
                compare->settings->compare.picture, (double)compare->grey[0], (double)compare->grey[1],
                (double)compare->reach, (double)compare->reach);
}

static void json_of_input(SinoJson *json, const char *name, const char *path, const SinoVolumeInputInfo *info)
{
    sino_json_open(json, name);
    sino_json_text(json, "file", path);
    sino_json_text(json, "format", info->kind);
    sino_json_text(json, "stored_type", info->stored_type);
    sino_json_real(json, "scale", info->scale);
    sino_json_real(json, "offset", info->offset);
    sino_json_close(json);
}

/* Members of the open object. */
static void json_of_measures(SinoJson *json, const SinoCompare *compare, const SinoComparison *of)
{
    sino_json_integer(json, "voxels", of->all.count);
    sino_json_integer(json, "not_finite_in_volume", of->all.bad[0]);
    sino_json_integer(json, "not_finite_in_reference", of->all.bad[1]);
    for (SinoCompareMeasure which = 0; which < SINO_COMPARE_MEASURES; which++)
        sino_json_real(json, measures[which].name, sino_compare_measure(compare, of, which));
}

static void json_of_slices(SinoJson *json, const SinoCompare *compare)
{
    sino_json_open_list(json, "slices");
    for (int64_t i = 0; i < compare->count; i++) {
        sino_json_open(json, NULL);
        sino_json_integer(json, "slice", compare->first + i);
        json_of_measures(json, compare, &compare->slice[i]);
        sino_json_close(json);
    }
    sino_json_close_list(json);
}

static void json_of_rings(SinoJson *json, const SinoCompare *compare)
{
    const SinoWorth worth = sino_compare_worth(compare);
    sino_json_open(json, "half_sets");
    sino_json_real(json, "noise", worth.noise);
    sino_json_real(json, "error", worth.error);
    sino_json_real(json, "relative_error", worth.relative);
    sino_json_close(json);
    sino_json_open(json, "ring_correlation");
    sino_json_real(json, "half_bit_frequency", worth.half_bit);
    sino_json_real(json, "half_bit_resolution", 1 / worth.half_bit);
    sino_json_real(json, "seventh_frequency", worth.seventh);
    sino_json_real(json, "seventh_resolution", 1 / worth.seventh);
    sino_json_open_list(json, "curve");
    for (int64_t i = 0; i < compare->ring_count; i++) {
        sino_json_open(json, NULL);
        sino_json_real(json, "frequency", compare->curve[i].frequency);
        sino_json_real(json, "correlation", compare->curve[i].correlation);
        sino_json_real(json, "half_bit", compare->curve[i].half_bit);
        sino_json_close(json);
    }
    sino_json_close_list(json);
    sino_json_close(json);
}

static void json_of_whole(SinoJson *json, const SinoCompare *compare)
{
    const SinoPairSums *all = &compare->total.all;
    sino_json_open(json, "all_slices");
    json_of_measures(json, compare, &compare->total);
    sino_json_real(json, "volume_least", all->least[0]);
    sino_json_real(json, "volume_most", all->most[0]);
    sino_json_real(json, "reference_least", all->least[1]);
    sino_json_real(json, "reference_most", all->most[1]);
    sino_json_close(json);
    sino_json_open(json, "fit");
    sino_json_real(json, "scale", compare->request.scale);
    sino_json_real(json, "offset", compare->request.offset);
    sino_json_real(json, "relative_l2", fitted_error(compare));
    sino_json_close(json);
    if (!compare->request.object) return;
    sino_json_open(json, "contrast_to_noise");
    sino_json_real(json, "volume", contrast(&compare->total, 0));
    sino_json_real(json, "reference", contrast(&compare->total, 1));
    sino_json_close(json);
}

void sino_compare_json(const SinoCompare *compare, FILE *out)
{
    const SinoSettings *settings = compare->settings;
    SinoJson json = {.out = out};
    sino_json_open(&json, NULL);
    json_of_input(&json, "volume", settings->input.file_name, sino_volume_input_info(compare->input[0]));
    json_of_input(&json, "reference", settings->compare.reference, sino_volume_input_info(compare->input[1]));
    sino_json_open(&json, "size");
    sino_json_integer(&json, "slices", sino_volume_input_info(compare->input[0])->slice_count);
    sino_json_integer(&json, "rows", compare->height);
    sino_json_integer(&json, "columns", compare->width);
    sino_json_close(&json);
    sino_json_text(&json, "region", settings->compare.region);
    json_of_whole(&json, compare);
    if (compare->rings) json_of_rings(&json, compare);
    json_of_slices(&json, compare);
    sino_json_close(&json);
}

void sino_compare_curve(const SinoCompare *compare, FILE *out)
{
    fputs("cycles_per_voxel,voxels,correlation,half_bit,independent_numbers\n", out);
    for (int64_t i = 0; i < compare->ring_count; i++) {
        const SinoRingPoint *ring = &compare->curve[i];
        fprintf(out, "%.9g,", ring->frequency);
        if (i > 0) fprintf(out, "%.9g", 1 / ring->frequency);
        fputc(',', out);
        if (!isnan(ring->correlation)) fprintf(out, "%.9g", ring->correlation);
        fprintf(out, ",%.9g,%.9g\n", ring->half_bit, ring->numbers);
    }
}
