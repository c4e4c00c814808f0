/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone center: a ray in the plane of the source and its reverse have the same line integral (the weights of Parker,
 * Med. Phys. 9, 254 (1982), rest on the same pairs). The differences are least at the center.
 *
 * Each pair has one ray with γ ≥ 0. This ray is taken as measured, at each angle and column; the reverse is
 * interpolated. */
#include "cone_center.h"

#include "memory.h"
#include "sort.h"

#include <math.h>
#include <stdlib.h>

enum {
    MARGIN = 2, /* columns at each edge that are not compared, as smoothing reaches over the edge */
    COLUMNS_MIN = 16,
    AROUND = 5,           /* columns from the center, beyond which a candidate is another one */
    RAYS_COARSE = 100000, /* compared for a candidate of the first pass */
    RAYS_FINE = 1000000
};

/* Difference and spread of so much of the most informative candidate are added to those of each: a candidate that
 * compares little else then scores 1. */
static const double little = 0.001;

/* A score below this share of the least one around is clear. */
static const double clear_share = 0.7;

typedef struct Rays {
    int64_t angle_count, column_count; /* K, M */
    double *angle_rad;                 /* [2K] rising: those of one turn from 0 on, and once more a turn later */
    float *value;                      /* [M][K], angles in this order */
    float *line;                       /* [2K] values at one column between detector columns */
    double widest;                     /* gap of angles between which rays are interpolated */
    double bend;                       /* width of a pixel over S */
} Rays;

/* Sums over pairs of rays. */
typedef struct Sums {
    double pairs, sum, square, difference;
} Sums;

typedef struct Turned {
    double rad;
    int64_t angle;
} Turned;

static void free_rays(Rays *rays)
{
    free(rays->angle_rad);
    free(rays->value);
    free(rays->line);
}

static int by_angle(const void *a, const void *b)
{
    const Turned *p = a, *q = b;
    return p->rad != q->rad ? (p->rad > q->rad) - (p->rad < q->rad) : (p->angle > q->angle) - (p->angle < q->angle);
}

static void sort_angles(const SinoCone *cone, Turned *turned)
{
    for (int64_t k = 0; k < cone->angle_count; k++) {
        const double rad = fmod(cone->angle_rad[k], 2 * SINO_PI);
        turned[k] = (Turned){rad < 0 ? rad + 2 * SINO_PI : rad, k};
    }
    qsort(turned, (size_t)cone->angle_count, sizeof *turned, by_angle);
}

/* Three times the median gap of angles that differ; `gap`: [K] scratch. */
static double widest_gap(const Rays *rays, double *gap)
{
    int64_t count = 0;
    for (int64_t k = 0; k < rays->angle_count; k++) {
        const double width = rays->angle_rad[k + 1] - rays->angle_rad[k];
        if (width > 1e-6) gap[count++] = width;
    }
    count = sino_sort_finite(count, gap);
    return count > 0 ? fmin(3 * gap[count / 2], SINO_PI / 4) : 0;
}

/* The median of the value and its four neighbours: no outliers, and lines and edges as they are. */
static float without_outlier(const SinoCone *cone, const Turned *turned, const float *sinogram, int64_t k, int64_t c)
{
    const int64_t columns = cone->column_count, last = cone->angle_count - 1;
    const float *row = sinogram + turned[k].angle * columns;
    const float left = row[sino_larger(c - 1, 0)], right = row[sino_smaller(c + 1, columns - 1)];
    const float before = sinogram[turned[sino_larger(k - 1, 0)].angle * columns + c];
    const float after = sinogram[turned[sino_smaller(k + 1, last)].angle * columns + c];
    const float low = fmaxf(fminf(left, right), fminf(before, after));
    const float high = fminf(fmaxf(left, right), fmaxf(before, after));
    return fmaxf(fminf(low, high), fminf(fmaxf(low, high), row[c]));
}

/* Columns smoothed by 1 4 6 4 1, which makes the noise of interpolated and of measured rays alike: a candidate whose
 * reverses lie between columns would otherwise score better. `row`: [M] scratch. */
static void take_row(const SinoCone *cone, const Turned *turned, const float *sinogram, int64_t k, float *row,
                     Rays *rays)
{
    static const float weight[5] = {1 / 16.0F, 4 / 16.0F, 6 / 16.0F, 4 / 16.0F, 1 / 16.0F};
    for (int64_t c = 0; c < rays->column_count; c++) row[c] = without_outlier(cone, turned, sinogram, k, c);
    for (int64_t c = 0; c < rays->column_count; c++) {
        float sum = 0;
        for (int64_t i = 0; i < 5; i++)
            sum += weight[i] * row[sino_smaller(sino_larger(c + i - 2, 0), rays->column_count - 1)];
        rays->value[c * rays->angle_count + k] = sum;
    }
}

/* On failure, too, the caller frees the rays. */
static SinoStatus take_rays(const SinoCone *cone, const float *sinogram, Rays *rays)
{
    const int64_t angles = cone->angle_count, columns = cone->column_count;
    SinoStatus status = NULL;
    Turned *turned = NULL;
    double *gap = NULL;
    float *row = NULL;
    *rays = (Rays){.angle_count = angles, .column_count = columns, .bend = cone->pixel_width / cone->source_detector};
    SINO_TRY_OR(status, out, sino_allocate(sino_times(2, angles), sizeof(double), "angles", &rays->angle_rad));
    SINO_TRY_OR(status, out, sino_allocate(sino_times(angles, columns), sizeof(float), "rays", &rays->value));
    SINO_TRY_OR(status, out, sino_allocate(sino_times(2, angles), sizeof(float), "rays", &rays->line));
    SINO_TRY_OR(status, out, sino_allocate(angles, sizeof *turned, "angles", &turned));
    SINO_TRY_OR(status, out, sino_allocate(angles, sizeof *gap, "angles", &gap));
    SINO_TRY_OR(status, out, sino_allocate(columns, sizeof *row, "rays", &row));
    sort_angles(cone, turned);
    for (int64_t k = 0; k < 2 * angles; k++)
        rays->angle_rad[k] = turned[k % angles].rad + (k < angles ? 0 : 2 * SINO_PI);
    for (int64_t k = 0; k < angles; k++) take_row(cone, turned, sinogram, k, row, rays);
    rays->widest = widest_gap(rays, gap);
out:
    free(turned);
    free(gap);
    free(row);
    return status;
}

/* Values at column whole + t, by the cubic of R. G. Keys, IEEE Trans. Acoust. Speech Signal Process. 29, 1153 (1981).
 */
static void interpolate_column(Rays *rays, int64_t whole, double t)
{
    const int64_t angles = rays->angle_count;
    const float weight[4] = {(float)(t * (t * (2 - t) - 1) / 2), (float)(1 + t * t * (1.5 * t - 2.5)),
                             (float)(t * (0.5 + t * (2 - 1.5 * t))), (float)(t * t * (t - 1) / 2)};
    const float *column = rays->value + whole * angles;
    for (int64_t k = 0; k < angles; k++) {
        rays->line[k] = weight[0] * column[k - angles] + weight[1] * column[k] + weight[2] * column[k + angles] +
                        weight[3] * column[k + 2 * angles];
    }
    for (int64_t k = 0; k < angles; k++) rays->line[angles + k] = rays->line[k];
}

/* Adds the pairs of column c, whose reverses rays->line holds, at the angle `shift` in (0, 2π) later. */
static void compare_column(const Rays *rays, int64_t c, double shift, double weight, Sums *sums)
{
    const double *angle = rays->angle_rad;
    const float *column = rays->value + c * rays->angle_count;
    Sums here = {0};
    for (int64_t k = 0, i = 0; k < rays->angle_count; k++) {
        const double at = angle[k] + shift;
        while (angle[i + 1] <= at) i++;
        const double gap = angle[i + 1] - angle[i];
        if (gap > rays->widest) continue;
        const double share = (at - angle[i]) / gap;
        const double ray = (double)column[k];
        const double reverse = (1 - share) * (double)rays->line[i] + share * (double)rays->line[i + 1];
        here.pairs++;
        here.sum += ray + reverse;
        here.square += ray * ray + reverse * reverse;
        here.difference += (ray - reverse) * (ray - reverse);
    }
    sums->pairs += weight * here.pairs;
    sums->sum += weight * here.sum;
    sums->square += weight * here.square;
    sums->difference += weight * here.difference;
}

/* Compares the rays of every `stride`-th column of the detector with their reverses. The columns at both ends count by
 * the share that is inside, so that the sums do not jump where a column enters. */
static Sums compare(Rays *rays, double center, int64_t stride)
{
    const double last = fmin((double)(rays->column_count - 1 - MARGIN), 2 * center - MARGIN);
    const double whole = floor(2 * center), t = 2 * center - whole;
    Sums sums = {0};
    for (int64_t c = sino_ceil_multiple((int64_t)ceil(fmax(center, 0)), stride); (double)c <= last; c += stride) {
        const double gamma = atan(((double)c - center) * rays->bend);
        const double weight = fmin(1, (double)c - center) * fmin(1, last - (double)c) * (double)stride;
        interpolate_column(rays, (int64_t)whole - c, t);
        compare_column(rays, c, SINO_PI - 2 * gamma, weight, &sums);
    }
    return sums;
}

/* Of pairs at random the sum of squared differences is twice that from the mean of all their rays. */
static double spread(const Sums *sums)
{
    return sums->pairs > 0 ? sums->square - sums->sum * sums->sum / (2 * sums->pairs) : 0;
}

/* `most`: the largest spread of a candidate. */
static double score_of(const Sums *sums, double most)
{
    return most > 0 ? (sums->difference + little * most) / (spread(sums) + little * most) : 1;
}

/* Stride of columns that compares about `count` rays, and 64 columns at least. */
static int64_t stride_of(const Rays *rays, double count)
{
    const double all = (double)rays->angle_count * (double)rays->column_count / 2;
    return (int64_t)fmax(1, fmin(all / count, (double)rays->column_count / 128));
}

/* Candidates a column apart. */
typedef struct Coarse {
    int64_t count, best;
    double *score; /* [count] of the candidates first, first + 1, … */
    double most;   /* largest spread */
} Coarse;

static SinoStatus check_pairs(const Rays *rays, double first, double last, double count)
{
    double widest = 0;
    for (int64_t k = 0; k < rays->angle_count; k++) widest = fmax(widest, rays->angle_rad[k + 1] - rays->angle_rad[k]);
    SINO_CHECK(count > 0, SINO_BAD_INPUT,
               "the angles cover %.4g degrees, and the rotation axis is sought in columns %g to %g, where no ray is "
               "measured from both sides; allowed: more than 180 degrees, columns that are not at the detector's edge, "
               "or a given rotation axis",
               360 - widest * 180 / SINO_PI, first, last);
    return NULL;
}

static SinoStatus try_columns(Rays *rays, double first, double last, Coarse *coarse)
{
    const int64_t stride = stride_of(rays, RAYS_COARSE);
    Sums *sums = NULL;
    double pairs = 0;
    coarse->count = (int64_t)floor(last - first) + 1;
    SINO_TRY(sino_allocate(coarse->count, sizeof *coarse->score, "centers", &coarse->score));
    SINO_TRY(sino_allocate(coarse->count, sizeof *sums, "centers", &sums));
    for (int64_t i = 0; i < coarse->count; i++) {
        sums[i] = compare(rays, first + (double)i, stride);
        coarse->most = fmax(coarse->most, spread(&sums[i]));
        pairs += sums[i].pairs;
    }
    for (int64_t i = 0; i < coarse->count; i++) {
        coarse->score[i] = score_of(&sums[i], coarse->most);
        if (coarse->score[i] < coarse->score[coarse->best]) coarse->best = i;
    }
    free(sums);
    return check_pairs(rays, first, last, pairs);
}

static double score_at(Rays *rays, double center, double most)
{
    const Sums sums = compare(rays, center, stride_of(rays, RAYS_FINE));
    return score_of(&sums, most);
}

/* The minimum of the parabola that fits the scores of seven candidates about `center` best; the best candidate, when
 * there is no minimum among them. */
static double refine(Rays *rays, double center, double step, double most)
{
    enum { HALF = 3, COUNT = 2 * HALF + 1 };
    const double mean_square = 4, spread_of_squares = 84; /* of −3 … 3: mean of i², Σ(i² − 4)² */
    double best = center, least = INFINITY, slope = 0, bend = 0;
    for (int i = -HALF; i <= HALF; i++) {
        const double score = score_at(rays, center + i * step, most);
        slope += score * i / (COUNT * mean_square);
        bend += score * (i * i - mean_square) / spread_of_squares;
        if (score >= least) continue;
        least = score;
        best = center + i * step;
    }
    return bend > 0 && fabs(slope) <= 2 * HALF * bend ? center - slope / (2 * bend) * step : best;
}

/* The least score of a candidate AROUND columns or more from the center. */
static double least_around(Rays *rays, const Coarse *coarse, double first, double center)
{
    double least = fmin(score_at(rays, center - AROUND, coarse->most), score_at(rays, center + AROUND, coarse->most));
    for (int64_t i = 0; i < coarse->count; i++)
        if (fabs(first + (double)i - center) >= AROUND) least = fmin(least, coarse->score[i]);
    return least;
}

/* *most: the largest spread of a candidate. */
static SinoStatus search(Rays *rays, double first, double last, SinoConeCenter *result, double *most)
{
    /* The score is less bent on one side, the more so the further from the minimum: the last steps are short. */
    static const double step[] = {0.5, 0.25, 0.1, 0.1};
    Coarse coarse = {0};
    SinoStatus status = try_columns(rays, first, last, &coarse);
    if (!status) {
        double center = first + (double)coarse.best;
        for (size_t i = 0; i < sizeof step / sizeof *step; i++) center = refine(rays, center, step[i], coarse.most);
        *result =
            (SinoConeCenter){.center = fmin(fmax(center, first), last), .at_end = center < first || center > last};
        result->score = score_at(rays, result->center, coarse.most);
        result->around = least_around(rays, &coarse, first, result->center);
        result->found = !result->at_end && result->score < clear_share * result->around;
        *most = coarse.most;
    }
    free(coarse.score);
    return status;
}

static SinoStatus check_columns(const SinoCone *cone)
{
    SINO_CHECK(cone->column_count >= COLUMNS_MIN, SINO_BAD_INPUT,
               "the detector has %lld columns, too few to find the rotation axis; allowed: %d or more, or a given "
               "rotation axis",
               (long long)cone->column_count, COLUMNS_MIN);
    return NULL;
}

SinoStatus sino_cone_center_find(const SinoCone *cone, const float *sinogram, double first, double last,
                                 SinoConeCenter *result)
{
    Rays rays;
    double most;
    const double end = (double)(cone->column_count - 1);
    SINO_TRY(check_columns(cone));
    SINO_CHECK(first >= 0 && first <= last && last <= end, SINO_BAD_INPUT,
               "the rotation axis is sought in columns %g to %g; allowed: columns of the detector, 0 to %g", first,
               last, end);
    SinoStatus status = take_rays(cone, sinogram, &rays);
    if (!status) status = search(&rays, first, last, result, &most);
    free_rays(&rays);
    return status;
}

/* Keeps the better one of *beam and the best axis near `center` of rays with this bend. */
static void try_bend(Rays *rays, double bend, double center, double step, double most, SinoConeBeam *beam)
{
    rays->bend = bend;
    const double last = (double)(rays->column_count - 1);
    const double at = fmin(fmax(refine(rays, center, step, most), 0), last);
    const SinoConeBeam tried = {.center = at, .bend = bend, .score = score_at(rays, at, most)};
    if (tried.score < beam->score) *beam = tried;
}

/* The fan of one direction that fits best, sought from fans of all angles about the axes of the first beams. */
static SinoConeBeam fit_fan(Rays *rays, double sign, double most, const SinoConeBeam *from)
{
    enum { WIDTHS = 20, HALVINGS = 6 };
    static const double narrowest = 0.01, factor = 1.3; /* tangents of half the fan: up to 1.5 */
    const double half = (double)(rays->column_count - 1) / 2;
    const int axes = from[0].bend != from[1].bend ? 2 : 1;
    SinoConeBeam beam = {.score = INFINITY};
    for (int w = 0; w < WIDTHS; w++) {
        const double tangent = narrowest * pow(factor, w);
        for (int i = 0; i < axes; i++) try_bend(rays, sign * tangent / half, from[i].center, 1, most, &beam);
    }
    for (int h = 0; h < HALVINGS; h++) {
        const double share = ldexp(0.15, -h);
        const SinoConeBeam best = beam;
        for (int i = -1; i <= 1; i++) try_bend(rays, best.bend * (1 + i * share), best.center, 0.25, most, &beam);
    }
    return beam;
}

static SinoStatus find_beam(Rays *rays, double bend, SinoConeBeam *beam, double *most)
{
    SinoConeCenter result;
    rays->bend = bend;
    SINO_TRY(search(rays, 0, (double)(rays->column_count - 1), &result, most));
    *beam = (SinoConeBeam){.center = result.center, .bend = bend, .score = result.score};
    return NULL;
}

static SinoStatus compare_beams(Rays *rays, SinoConeBeam *beam)
{
    const double bend = rays->bend;
    double most[2];
    SINO_TRY(find_beam(rays, 0, &beam[SINO_CONE_BEAM_PARALLEL], &most[0]));
    beam[SINO_CONE_BEAM_GIVEN] = beam[SINO_CONE_BEAM_PARALLEL];
    most[1] = most[0];
    if (bend != 0) SINO_TRY(find_beam(rays, bend, &beam[SINO_CONE_BEAM_GIVEN], &most[1]));
    const double larger = fmax(most[0], most[1]);
    beam[SINO_CONE_BEAM_FAN] = fit_fan(rays, 1, larger, beam);
    beam[SINO_CONE_BEAM_TURNED] = fit_fan(rays, -1, larger, beam);
    for (int i = 0; i < SINO_CONE_BEAMS; i++) {
        rays->bend = beam[i].bend;
        beam[i].score = fmax(0, score_at(rays, beam[i].center, larger) * (1 + little) - little);
    }
    return NULL;
}

SinoStatus sino_cone_center_beams(const SinoCone *cone, const float *sinogram, SinoConeBeam beam[SINO_CONE_BEAMS])
{
    Rays rays;
    SINO_TRY(check_columns(cone));
    SinoStatus status = take_rays(cone, sinogram, &rays);
    if (!status) status = compare_beams(&rays, beam);
    free_rays(&rays);
    return status;
}
