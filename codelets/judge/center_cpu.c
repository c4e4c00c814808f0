/* SPDX-License-Identifier: BSD-3-Clause */
/* Center: Vo's metric (N. T. Vo et al., Opt. Express 22, 19078 (2014)) and phase correlation (C. D. Kuglin & D. C.
 * Hines, Proc. IEEE Int. Conf. Cybernetics and Society (1975)).
 *
 * The Fourier magnitude of a sinogram over 360° lies in a double wedge, |angular frequency| ≤ 2π·radius·|column
 * frequency|. A sinogram over 180°, joined with its mirror image about a candidate, is a sinogram over 360° only if the
 * candidate is the center. For any other candidate, magnitude leaks out of the wedge. The metric is the leaked
 * magnitude.
 *
 * The angles are resampled to a number K whose only prime factors are 2, 3, 5 and 7: transforms of 2K points with a
 * large prime factor take up to eight times as long. */
#include "center.h"
#include "fast_size.h"
#include "memory.h"

#include <complex.h>

#include <fftw3.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Column frequencies below this one are left out: they hold the object's mass, not its shape. */
enum { FIRST_FREQUENCY = 2 };

/* Mirrored samples before and after each row of spline coefficients. */
enum { SPLINE_MARGIN = 2 };

/* The joined sinogram is smoothed by a Gaussian of this many rows and columns. The Gaussian is a weight on the
 * spectrum, so it costs nothing. Unlike smoothing before joining, it does not flatten the seam, which the metric is to
 * judge. */
static const double smoothing_sigma = 2;

/* The Gaussian's weight is below 10⁻³ above this frequency, given as a share of the sampling frequency. Neither higher
 * frequencies of columns nor of angles are looked at. */
static const double highest_frequency = 0.3;

/* A block of a spectrum that is transposed at a time, in points along each side: 8 KiB are read, and 8 KiB written. */
enum { BLOCK = 32 };

struct SinoCenterVo {
    int64_t angle_count, column_count; /* K, M */
    float *sinogram;                   /* [K][M] */
    float *spline;                     /* [K][M + 2·SPLINE_MARGIN] cubic B-spline coefficients along columns */
    double *overlap;                   /* [M + 1] share of the variance over angles that lies in columns before j */
    int64_t frequency_count;           /* U: column frequencies in use, FIRST_FREQUENCY … FIRST_FREQUENCY + U − 1 */
    int64_t row_frequency_end;         /* E ≤ K: angular frequencies −E < m < E are in use */
    int64_t *mask_first;               /* [U] m ≥ 1 from which |m| < E is outside the wedge; E: none is */
    float *row_weight;                 /* [E] */
    double *column_weight;             /* [U] */
    fftwf_complex *upper;              /* [U][K] transformed rows of `sinogram` */
    fftwf_plan rows;                   /* K rows of M reals */
    fftwf_plan columns;                /* U columns of 2K, in place */
    double least_leak;                 /* leak of a candidate without mirrored columns */
    double mirror_leak;                /* leak caused by the mirrored columns of a wrong candidate, at full overlap */
};

/* Arrays of one call. */
typedef struct CenterScratch {
    float *mirrored;       /* [K][M] */
    fftwf_complex *rows;   /* [K][M/2 + 1] */
    fftwf_complex *joined; /* [U][2K] */
} CenterScratch;

static void free_scratch(CenterScratch *scratch)
{
    free(scratch->mirrored);
    free(scratch->rows);
    free(scratch->joined);
}

/* On failure, too, the caller frees the arrays. */
static SinoStatus allocate_scratch(const SinoCenterVo *vo, CenterScratch *scratch)
{
    const int64_t rows = vo->angle_count, columns = vo->column_count;
    SINO_TRY(sino_allocate(sino_times(rows, columns), sizeof(float), "mirrored sinogram", &scratch->mirrored));
    SINO_TRY(
        sino_allocate(sino_times(rows, columns / 2 + 1), sizeof(fftwf_complex), "transformed rows", &scratch->rows));
    return sino_allocate(sino_times(sino_times(2, rows), vo->frequency_count), sizeof(fftwf_complex), "joined spectrum",
                         &scratch->joined);
}

/* Interpolating coefficients of a cubic B-spline, mirrored at the ends (M. Unser, IEEE Signal Process. Mag. 16(6), 22
 * (1999), box 2): one recursive filter forwards, one backwards. coefficient: [count + 2·SPLINE_MARGIN]. */
static void spline_row(int64_t count, const float *row, double *line, float *coefficient)
{
    const double pole = sqrt(3) - 2;
    const int64_t horizon = count < 32 ? count : 32; /* pole³² is below the rounding error */
    double first = 0;
    for (int64_t i = horizon - 1; i >= 0; i--) first = first * pole + 6 * (double)row[i];
    line[0] = first;
    for (int64_t i = 1; i < count; i++) line[i] = 6 * (double)row[i] + pole * line[i - 1];
    line[count - 1] = pole / (pole * pole - 1) * (line[count - 1] + pole * line[count - 2]);
    for (int64_t i = count - 2; i >= 0; i--) line[i] = pole * (line[i + 1] - line[i]);
    for (int64_t i = -SPLINE_MARGIN; i < count + SPLINE_MARGIN; i++) {
        const int64_t inside = i < 0 ? -i : i < count ? i : 2 * (count - 1) - i;
        coefficient[i + SPLINE_MARGIN] = (float)line[inside];
    }
}

static SinoStatus make_splines(SinoCenterVo *vo)
{
    const int64_t columns = vo->column_count, stride = columns + 2 * (int64_t)SPLINE_MARGIN;
    double *line = NULL;
    SINO_TRY(sino_allocate(columns, sizeof *line, "spline", &line));
    for (int64_t k = 0; k < vo->angle_count; k++) {
        spline_row(columns, vo->sinogram + k * columns, line, vo->spline + k * stride);
    }
    free(line);
    return NULL;
}

/* Fills vo->overlap. Its shares stay 0 if the sinogram does not vary over the angles. */
static void make_overlap(SinoCenterVo *vo)
{
    const int64_t columns = vo->column_count;
    const double count = (double)vo->angle_count;
    for (int64_t c = 0; c < columns; c++) {
        double mean = 0, variance = 0;
        for (int64_t k = 0; k < vo->angle_count; k++) mean += (double)vo->sinogram[k * columns + c] / count;
        for (int64_t k = 0; k < vo->angle_count; k++) {
            const double difference = (double)vo->sinogram[k * columns + c] - mean;
            variance += difference * difference;
        }
        vo->overlap[c + 1] = vo->overlap[c] + variance;
    }
    const double total = vo->overlap[columns];
    for (int64_t c = 0; c <= columns && total > 0; c++) vo->overlap[c] /= total;
}

static double gaussian_weight(double frequency)
{
    const double exponent = M_PI * smoothing_sigma * frequency;
    return exp(-2 * exponent * exponent);
}

/* Vo's eq. 3: of angular frequency m, column frequencies up to |m|/(π·radius), rounded, are outside the wedge. */
static void make_mask(SinoCenterVo *vo, double radius_ratio, int64_t drop)
{
    const int64_t rows = 2 * vo->angle_count;
    const int64_t tenth = (rows + 9) / 10;
    const int64_t dropped = drop < tenth ? drop : tenth;
    for (int64_t m = 0; m < vo->row_frequency_end; m++)
        vo->row_weight[m] = (float)gaussian_weight((double)m / (double)rows);
    int64_t m = dropped + 1;
    for (int64_t u = 0; u < vo->frequency_count; u++) {
        while (m < vo->row_frequency_end && lround((double)m / (M_PI * radius_ratio)) < u + FIRST_FREQUENCY) m++;
        vo->mask_first[u] = sino_smaller(m, vo->row_frequency_end);
        vo->column_weight[u] = gaussian_weight((double)(u + FIRST_FREQUENCY) / (double)vo->column_count);
    }
}

/* Copies the frequencies in use of one half of the joined sinogram: from `spectrum` [K][M/2 + 1] to `used`, of which
 * column frequency u begins at u·stride. */
static void transpose_used(const SinoCenterVo *vo, const fftwf_complex *spectrum, int64_t stride, fftwf_complex *used)
{
    const int64_t pitch = vo->column_count / 2 + 1;
    for (int64_t k = 0; k < vo->angle_count; k += BLOCK) {
        const int64_t k_end = sino_smaller(k + BLOCK, vo->angle_count);
        for (int64_t u = 0; u < vo->frequency_count; u += BLOCK) {
            const int64_t u_end = sino_smaller(u + BLOCK, vo->frequency_count);
            for (int64_t v = u; v < u_end; v++)
                for (int64_t l = k; l < k_end; l++) used[v * stride + l] = spectrum[l * pitch + v + FIRST_FREQUENCY];
        }
    }
}

static void transform_joined(const SinoCenterVo *vo, CenterScratch *scratch)
{
    const int64_t count = vo->angle_count;
    for (int64_t u = 0; u < vo->frequency_count; u++)
        memcpy(scratch->joined + 2 * u * count, vo->upper + u * count, (size_t)count * sizeof *scratch->joined);
    fftwf_execute_dft_r2c(vo->rows, scratch->mirrored, scratch->rows);
    transpose_used(vo, scratch->rows, 2 * count, scratch->joined + count);
    fftwf_execute_dft(vo->columns, scratch->joined, scratch->joined);
}

/* Fills columns first … end − 1 of row k of the lower half with the upside-down sinogram, which makes no seam: columns
 * without a mirror image hold it. */
static void complement_row(const SinoCenterVo *vo, int64_t k, int64_t first, int64_t end, float *row)
{
    const float *opposite = vo->sinogram + (vo->angle_count - 1 - k) * vo->column_count;
    if (end > first) memcpy(row + first, opposite + first, (size_t)(end - first) * sizeof *row);
}

/* Makes the projections from 180° to 360° for a candidate: column j of a projection equals column 2·candidate − j of
 * the projection 180° before it. */
static void mirror_sinogram(const SinoCenterVo *vo, double candidate, float *mirrored)
{
    const int64_t columns = vo->column_count, last_column = columns - 1;
    const double whole = floor(2 * candidate), t = 2 * candidate - whole, s = 1 - t;
    const float weight[4] = {(float)(s * s * s / 6), (float)((4 - 6 * t * t + 3 * t * t * t) / 6),
                             (float)((4 - 6 * s * s + 3 * s * s * s) / 6), (float)(t * t * t / 6)};
    const int64_t first = (int64_t)fmax(0, ceil(2 * candidate - (double)last_column));
    const int64_t end = (int64_t)fmin((double)last_column, whole) + 1;
    for (int64_t k = 0; k < vo->angle_count; k++) {
        const float *spline = vo->spline + k * (columns + 2 * (int64_t)SPLINE_MARGIN) + SPLINE_MARGIN;
        float *row = mirrored + k * columns;
        complement_row(vo, k, 0, sino_smaller(first, columns), row);
        complement_row(vo, k, end, columns, row);
        for (int64_t j = first; j < end; j++) {
            const float *tap = spline + (int64_t)whole - j;
            row[j] = weight[0] * tap[-1] + weight[1] * tap[0] + weight[2] * tap[1] + weight[3] * tap[2];
        }
    }
}

/* |value − base|; a base that is NULL is 0. */
static float magnitude(const fftwf_complex *value, const fftwf_complex *base, int64_t at)
{
    const float re = crealf(value[at]) - (base ? crealf(base[at]) : 0);
    const float im = cimagf(value[at]) - (base ? cimagf(base[at]) : 0);
    return sqrtf(re * re + im * im);
}

/* Sum of the weighted magnitudes outside the wedge. If `base` is not NULL, it is subtracted from the spectrum first. */
static double measure_leak(const SinoCenterVo *vo, const fftwf_complex *joined, const fftwf_complex *base)
{
    double sum = 0;
    for (int64_t u = 0; u < vo->frequency_count; u++) {
        const int64_t start = 2 * u * vo->angle_count, end = start + 2 * vo->angle_count;
        double column_sum = 0;
        for (int64_t m = vo->mask_first[u]; m < vo->row_frequency_end; m++)
            column_sum +=
                (double)(vo->row_weight[m] * (magnitude(joined, base, start + m) + magnitude(joined, base, end - m)));
        sum += vo->column_weight[u] * column_sum;
    }
    return sum;
}

/* Share of the variance over angles that lies in the columns covered by the candidate's mirror image. */
static double overlap_share(const SinoCenterVo *vo, double candidate)
{
    const double last_column = (double)vo->column_count - 1;
    const int64_t first = (int64_t)fmax(0, 2 * candidate - last_column);
    const int64_t end = (int64_t)fmin(last_column, 2 * candidate) + 1;
    return vo->overlap[end] - vo->overlap[first];
}

/* The leak to expect from a wrong candidate; it varies slowly with the candidate. Leaks are compared relative to it.
 * Otherwise the least leak would be at the ends of the detector, where a candidate mirrors few columns: the other
 * columns hold the upside-down sinogram, which is smooth and leaks little. */
static double expected_leak(const SinoCenterVo *vo, double candidate)
{
    const double mirrored = overlap_share(vo, candidate) * vo->mirror_leak * vo->mirror_leak;
    return sqrt(vo->least_leak * vo->least_leak + mirrored);
}

/* Leak of the spectrum's difference from `base`, which is due to the candidate's mirror image, scaled up to a full
 * overlap. */
static double measure_mirror_leak(const SinoCenterVo *vo, double candidate, const fftwf_complex *base,
                                  CenterScratch *scratch)
{
    mirror_sinogram(vo, candidate, scratch->mirrored);
    transform_joined(vo, scratch);
    const double share = overlap_share(vo, candidate);
    return share > 0 ? measure_leak(vo, scratch->joined, base) / sqrt(share) : 0;
}

/* Measures the constants of expected_leak. This needs a wrong candidate: of two candidates far apart at least one is
 * wrong, so the larger leak is taken. */
static SinoStatus measure_scale(SinoCenterVo *vo)
{
    const double last_column = (double)vo->column_count - 1;
    CenterScratch scratch = {0}, base = {0};
    SinoStatus status = NULL;
    SINO_TRY_OR(status, out, allocate_scratch(vo, &scratch));
    SINO_TRY_OR(status, out, allocate_scratch(vo, &base));
    fftwf_execute_dft_r2c(vo->rows, vo->sinogram, scratch.rows); /* does not change the sinogram */
    transpose_used(vo, scratch.rows, vo->angle_count, vo->upper);
    for (int64_t k = 0; k < vo->angle_count; k++)
        complement_row(vo, k, 0, vo->column_count, base.mirrored + k * vo->column_count);
    transform_joined(vo, &base);
    vo->least_leak = measure_leak(vo, base.joined, NULL);
    vo->mirror_leak = fmax(measure_mirror_leak(vo, 0.4 * last_column, base.joined, &scratch),
                           measure_mirror_leak(vo, 0.6 * last_column, base.joined, &scratch));
out:
    free_scratch(&scratch);
    free_scratch(&base);
    return status;
}

static SinoStatus make_plans(SinoCenterVo *vo)
{
    const int rows = (int)vo->angle_count, joined_rows = 2 * rows, columns = (int)vo->column_count;
    const int used = (int)vo->frequency_count;
    CenterScratch scratch = {0};
    SinoStatus status = NULL;
    SINO_TRY_OR(status, out, allocate_scratch(vo, &scratch));
    vo->rows = fftwf_plan_many_dft_r2c(1, &columns, rows, scratch.mirrored, NULL, 1, columns, scratch.rows, NULL, 1,
                                       columns / 2 + 1, FFTW_ESTIMATE);
    vo->columns = fftwf_plan_many_dft(1, &joined_rows, used, scratch.joined, NULL, 1, joined_rows, scratch.joined, NULL,
                                      1, joined_rows, FFTW_FORWARD, FFTW_ESTIMATE);
    SINO_CHECK_OR(status, out, vo->rows && vo->columns, SINO_FAILED, "FFTW made no plan for a sinogram of %d×%d", rows,
                  columns);
out:
    free_scratch(&scratch);
    return status;
}

/* Cubic interpolation along angles, from `count` rows to K; the first and the last row stay the first and the last. */
static void resample_angles(const SinoCenterVo *vo, int64_t count, const float *sinogram)
{
    const int64_t rows = vo->angle_count, columns = vo->column_count;
    for (int64_t k = 0; k < rows; k++) {
        const double at = (double)(k * (count - 1)) / (double)(rows - 1);
        int64_t tap = (int64_t)at - 1;
        tap = tap < 0 ? 0 : sino_smaller(tap, count - 4);
        const double x = at - (double)tap;
        const float weight[4] = {(float)((x - 1) * (x - 2) * (3 - x) / 6), (float)(x * (x - 2) * (x - 3) / 2),
                                 (float)(x * (x - 1) * (3 - x) / 2), (float)(x * (x - 1) * (x - 2) / 6)};
        const float *from = sinogram + tap * columns;
        for (int64_t c = 0; c < columns; c++)
            vo->sinogram[k * columns + c] = weight[0] * from[c] + weight[1] * from[columns + c] +
                                            weight[2] * from[2 * columns + c] + weight[3] * from[3 * columns + c];
    }
}

/* Allocates all arrays. */
static SinoStatus allocate_vo(SinoCenterVo *vo)
{
    const int64_t rows = vo->angle_count, columns = vo->column_count;
    SINO_TRY(sino_allocate(sino_times(rows, columns), sizeof(float), "sinogram", &vo->sinogram));
    SINO_TRY(
        sino_allocate(sino_times(rows, columns + 2 * (int64_t)SPLINE_MARGIN), sizeof(float), "splines", &vo->spline));
    SINO_TRY(sino_allocate(columns + 1, sizeof(double), "overlaps", &vo->overlap));
    SINO_TRY(sino_allocate(vo->frequency_count, sizeof(int64_t), "mask", &vo->mask_first));
    SINO_TRY(sino_allocate(vo->row_frequency_end, sizeof(float), "row weights", &vo->row_weight));
    SINO_TRY(sino_allocate(vo->frequency_count, sizeof(double), "column weights", &vo->column_weight));
    return sino_allocate(sino_times(rows, vo->frequency_count), sizeof(fftwf_complex), "upper spectrum", &vo->upper);
}

SinoStatus sino_center_vo_new(int64_t angle_count, int64_t column_count, const float *sinogram, double radius_ratio,
                              int64_t drop, SinoCenterVo **vo)
{
    SINO_CHECK(angle_count >= 8 && angle_count <= 1 << 24 && column_count >= 8 && column_count <= 1 << 24,
               SINO_BAD_INPUT,
               "finding the center in %" PRId64 " angles by %" PRId64
               " columns; allowed: 8 to 16777216 of each, or --rotation-axis, which gives it",
               angle_count, column_count);
    SINO_CHECK(radius_ratio > 0 && radius_ratio <= 1, SINO_BAD_INPUT,
               "radius ratio %g of the center's search; allowed: above 0, to 1", radius_ratio);
    SINO_CHECK(drop >= 0, SINO_BAD_INPUT, "%" PRId64 " rows dropped in the center's search; allowed: 0 or more", drop);
    SinoCenterVo *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "center search", &made));
    made->angle_count = sino_fast_size(2 * angle_count) / 2;
    made->column_count = column_count;
    made->frequency_count = (int64_t)(highest_frequency * (double)column_count) + 1 - FIRST_FREQUENCY;
    made->row_frequency_end = (int64_t)(highest_frequency * 2 * (double)made->angle_count) + 1;
    SinoStatus status = NULL;
    SINO_TRY_OR(status, fail, allocate_vo(made));
    resample_angles(made, angle_count, sinogram);
    SINO_TRY_OR(status, fail, make_splines(made));
    SINO_TRY_OR(status, fail, make_plans(made));
    make_overlap(made);
    make_mask(made, radius_ratio, drop);
    SINO_TRY_OR(status, fail, measure_scale(made));
    *vo = made;
    return NULL;
fail:
    sino_center_vo_free(made);
    return status;
}

void sino_center_vo_free(SinoCenterVo *vo)
{
    if (!vo) return;
    if (vo->rows) fftwf_destroy_plan(vo->rows);
    if (vo->columns) fftwf_destroy_plan(vo->columns);
    free(vo->sinogram);
    free(vo->spline);
    free(vo->overlap);
    free(vo->mask_first);
    free(vo->row_weight);
    free(vo->column_weight);
    free(vo->upper);
    free(vo);
}

SinoStatus sino_center_vo_metric(const SinoCenterVo *vo, int64_t candidate_count, const double *candidate,
                                 double *metric)
{
    const double last_column = (double)vo->column_count - 1;
    for (int64_t i = 0; i < candidate_count; i++) {
        SINO_CHECK(candidate[i] >= 0 && candidate[i] <= last_column, SINO_BAD_INPUT,
                   "candidate %g of the center's search; allowed: 0 to %g", candidate[i], last_column);
    }
    CenterScratch scratch = {0};
    SinoStatus status = NULL;
    SINO_TRY_OR(status, out, allocate_scratch(vo, &scratch));
    for (int64_t i = 0; i < candidate_count; i++) {
        mirror_sinogram(vo, candidate[i], scratch.mirrored);
        transform_joined(vo, &scratch);
        const double expected = expected_leak(vo, candidate[i]);
        metric[i] = expected > 0 ? measure_leak(vo, scratch.joined, NULL) / expected : 1;
    }
out:
    free_scratch(&scratch);
    return status;
}

/* Arrays and plans of one phase correlation with P points. */
typedef struct CenterCorrelation {
    int64_t point_count, column_count; /* P ≥ 2M, so that no shift wraps around; M */
    double *signal;                    /* [P] */
    fftw_complex *left, *right, *sum;  /* [P/2 + 1] */
    fftw_plan forward, backward;       /* signal to left and back */
} CenterCorrelation;

static void free_correlation(CenterCorrelation *correlation)
{
    if (correlation->forward) fftw_destroy_plan(correlation->forward);
    if (correlation->backward) fftw_destroy_plan(correlation->backward);
    free(correlation->signal);
    free(correlation->left);
    free(correlation->right);
    free(correlation->sum);
}

/* On failure, too, the caller frees the correlation. */
static SinoStatus make_correlation(int64_t column_count, CenterCorrelation *made)
{
    made->column_count = column_count;
    made->point_count = 2;
    while (made->point_count < 2 * column_count) made->point_count = 2 * made->point_count;
    const int64_t half_count = made->point_count / 2 + 1;
    SINO_TRY(sino_allocate(made->point_count, sizeof *made->signal, "correlation", &made->signal));
    SINO_TRY(sino_allocate(half_count, sizeof *made->left, "correlation", &made->left));
    SINO_TRY(sino_allocate(half_count, sizeof *made->right, "correlation", &made->right));
    SINO_TRY(sino_allocate(half_count, sizeof *made->sum, "correlation", &made->sum));
    made->forward = fftw_plan_dft_r2c_1d((int)made->point_count, made->signal, made->left, FFTW_ESTIMATE);
    made->backward = fftw_plan_dft_c2r_1d((int)made->point_count, made->left, made->signal, FFTW_ESTIMATE);
    SINO_CHECK(made->forward && made->backward, SINO_FAILED, "FFTW made no plan for %d points", (int)made->point_count);
    return NULL;
}

/* Transforms one row, read forwards or backwards, without the line through its ends. With that line, the zeros after
 * the row would make a step, which stays in place while the image moves. */
static void transform_row(const CenterCorrelation *correlation, const float *row, int64_t step, fftw_complex *spectrum)
{
    const int64_t last = correlation->column_count - 1;
    const float *start = step > 0 ? row : row + last;
    const double slope = last > 0 ? ((double)start[last * step] - (double)start[0]) / (double)last : 0;
    memset(correlation->signal, 0, (size_t)correlation->point_count * sizeof *correlation->signal);
    for (int64_t c = 0; c <= last; c++) {
        correlation->signal[c] = (double)start[c * step] - (double)start[0] - slope * (double)c;
    }
    fftw_execute_dft_r2c(correlation->forward, correlation->signal, spectrum);
}

/* Keeps only the phase, smoothed as in Vo's metric. The peak of the correlation then is a Gaussian, to which a parabola
 * is fitted. */
static void whiten(const CenterCorrelation *correlation)
{
    for (int64_t k = 0; k <= correlation->point_count / 2; k++) {
        const double magnitude = cabs(correlation->sum[k]);
        const double weight = gaussian_weight((double)k / (double)correlation->point_count);
        correlation->left[k] = magnitude > 0 ? correlation->sum[k] * (weight / magnitude) : 0;
    }
    correlation->left[0] = 0; /* the mean has no position */
}

/* The shift in (−M, M) of the highest value, refined by a parabola through it and its two neighbours. NAN if all values
 * are 0. */
static double peak_shift(const CenterCorrelation *correlation)
{
    const int64_t count = correlation->point_count, reach = correlation->column_count - 1;
    const double *signal = correlation->signal;
    int64_t peak = 0;
    for (int64_t d = -reach; d <= reach; d++) {
        if (signal[(d + count) % count] > signal[(peak + count) % count]) peak = d;
    }
    const double here = signal[(peak + count) % count];
    const double before = signal[(peak - 1 + count) % count], after = signal[(peak + 1 + count) % count];
    const double curvature = before - 2 * here + after;
    return here > 0 && curvature < 0 ? (double)peak + 0.5 * (before - after) / curvature : NAN;
}

SinoStatus sino_center_phase_correlation(int64_t row_count, int64_t column_count, const float *image0,
                                         const float *image180, double *center)
{
    SINO_CHECK(row_count >= 1 && column_count >= 2 && column_count <= 1 << 24, SINO_BAD_INPUT,
               "phase correlation of %" PRId64 " rows by %" PRId64 " columns; allowed: 1 or more by 2 to 16777216",
               row_count, column_count);
    CenterCorrelation correlation = {0};
    SinoStatus status = NULL;
    SINO_TRY_OR(status, out, make_correlation(column_count, &correlation));
    for (int64_t r = 0; r < row_count; r++) {
        transform_row(&correlation, image0 + r * column_count, 1, correlation.left);
        transform_row(&correlation, image180 + r * column_count, -1, correlation.right);
        for (int64_t k = 0; k <= correlation.point_count / 2; k++) {
            correlation.sum[k] += correlation.left[k] * conj(correlation.right[k]);
        }
    }
    whiten(&correlation);
    fftw_execute_dft_c2r(correlation.backward, correlation.left, correlation.signal);
    const double shift = peak_shift(&correlation);
    SINO_CHECK_OR(status, out, isfinite(shift), SINO_BAD_INPUT,
                  "projections at 0° and 180° do not correlate; they are constant or not finite");
    *center = fmin(fmax(((double)column_count - 1 + shift) / 2, 0), (double)column_count - 1);
out:
    free_correlation(&correlation);
    return status;
}
