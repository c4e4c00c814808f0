/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes, by Wiener's filter of column offsets. The cosine transform of each column along the angles is split into
 * bands by the width of stripes. Offsets of columns are in frequency 0 alone, noise and object in the frequencies
 * beside it, too, and as strong: they tell which share of a band at frequency 0 is offsets. Detail around the axis is
 * in frequency 0 alone as well, but at mirrored columns alike. */
#include "sort.h"
#include "stripes_private.h"

#include <stdlib.h>
#include <string.h>

/* BANDS: widths of stripes, each twice the last. Frequency 0, and frequencies FIRST … FREQUENCIES − 1, which tell noise
 * and object. Fewer angles or columns than LEAST tell nothing. */
enum { BANDS = 4, FREQUENCIES = 11, FIRST = 2, LEAST = 16, LINES = 4 };

static const double normal = 0.4549; /* median of the square of a normal deviate */

/* Of a sinogram: a band at all frequencies, the transform without it, and lines of one value a column. */
typedef struct Wiener {
    int64_t count; /* of columns */
    int64_t sum;   /* numbers of mirrored columns add up to it; −1: no symmetry is seen */
    double *band[BANDS], *smooth, *line[LINES], *offset;
} Wiener;

int64_t sino_stripes_wiener_floats(const SinoStripesOptions *options)
{
    const int64_t lines = (BANDS + 1) * FREQUENCIES + LINES + 1, floats = sizeof(double) / sizeof(float);
    return sino_times(floats * lines, options->column_count);
}

static Wiener place_arrays(int64_t count, float *work)
{
    Wiener w = {.count = count, .sum = -1, .smooth = (void *)work};
    double *next = w.smooth;
    for (int b = 0; b < BANDS; b++) w.band[b] = next += FREQUENCIES * count;
    next += FREQUENCIES * count;
    for (int i = 0; i < LINES; i++, next += count) w.line[i] = next;
    w.offset = next;
    return w;
}

/* smooth[frequency][column]: the orthonormal cosine transform along the angles. */
SINO_VECTORISED static void transform(int64_t angle_count, const float *sinogram, Wiener *w)
{
    memset(w->smooth, 0, (size_t)(FREQUENCIES * w->count) * sizeof *w->smooth);
    for (int64_t k = 0; k < angle_count; k++)
        for (int f = 0; f < FREQUENCIES; f++) {
            const double turn = M_PI * ((double)k + 0.5) / (double)angle_count;
            const double share = sqrt((f > 0 ? 2.0 : 1.0) / (double)angle_count) * cos(turn * f);
            const float *row = sinogram + k * w->count;
            double *to = w->smooth + f * w->count;
            for (int64_t c = 0; c < w->count; c++) to[c] += share * (double)row[c];
        }
}

/* to[c]: mean of from[c] with weight 1/2, and of the columns `apart` beside it with 1/4 each. */
static void average(int64_t count, int64_t apart, const double *from, double *to)
{
    for (int64_t c = 0; c < count; c++)
        to[c] = (from[sino_stripes_mirrored(c - apart, count)] + 2 * from[c] +
                 from[sino_stripes_mirrored(c + apart, count)]) /
                4;
}

/* Moves band b out of `smooth`: (1 − h)², h the average, which no cubic has. */
static void split(Wiener *w, int b)
{
    double *once = w->line[0], *twice = w->line[1];
    for (int f = 0; f < FREQUENCIES; f++) {
        double *smooth = w->smooth + f * w->count, *band = w->band[b] + f * w->count;
        average(w->count, (int64_t)1 << b, smooth, once);
        average(w->count, (int64_t)1 << b, once, twice);
        for (int64_t c = 0; c < w->count; c++) {
            const double kept = 2 * once[c] - twice[c];
            band[c] = smooth[c] - kept;
            smooth[c] = kept;
        }
    }
}

/* The variance that a line's median has; line is changed. */
static double variance_of(int64_t count, double *squares)
{
    const int64_t kept = sino_sort_finite(count, squares);
    return kept > 0 ? squares[kept / 2] / normal : 0;
}

/* Finds the axis by the correlation of frequency 0 with its mirror image, of all bands together, in units of their
 * deviations and without large values: an axis in the middle quarter of the columns. Columns near the axis are like
 * their mirror images in any case. `smooth` is scratch memory. */
static void find_axis(Wiener *w)
{
    const double large = 8, least = 0.2;
    const int64_t near = 4, edge = 2, M = w->count;
    double all = 0, best = 0;
    for (int b = 0; b < BANDS; b++) {
        for (int64_t c = 0; c < M; c++) w->line[0][c] = w->band[b][c] * w->band[b][c];
        const double variance = variance_of(M, w->line[0]), unit = variance > 0 ? 1 / sqrt(variance) : 0;
        double *to = w->smooth + b * M;
        for (int64_t c = 0; c < M; c++) to[c] = fmax(-large, fmin(unit * w->band[b][c], large));
        for (int64_t c = 0; c < M; c++) all += to[c] * to[c];
    }
    for (int64_t sum = 3 * M / 4; sum < 5 * M / 4; sum++) {
        double alike = 0;
        for (int b = 0; b < BANDS; b++) {
            const double *from = w->smooth + b * M;
            for (int64_t c = sino_larger(edge, sum - M + 1 + edge); 2 * c < sum - near; c++)
                alike += 2 * from[c] * from[sum - c];
        }
        if (!(alike > best)) continue;
        best = alike;
        w->sum = sum;
    }
    if (!(best > least * all)) w->sum = -1;
}

/* to[c]: mean of from over c − reach … c + reach. */
static void smear(int64_t count, int64_t reach, const double *from, double *to)
{
    double sum = 0;
    for (int64_t c = -reach; c < reach; c++) sum += from[sino_stripes_mirrored(c, count)];
    for (int64_t c = 0; c < count; c++) {
        sum += from[sino_stripes_mirrored(c + reach, count)];
        to[c] = fmax(to[c], sum / (double)(2 * reach + 1));
        sum -= from[sino_stripes_mirrored(c - reach, count)];
    }
}

/* noise[c]: variance of noise and object in band b, the larger one of a narrow and a wide neighbourhood. */
static void find_noise(const Wiener *w, int b, double *noise)
{
    const int64_t M = w->count, apart = (int64_t)1 << b;
    double *mean = w->line[1];
    memset(mean, 0, (size_t)M * sizeof *mean);
    memset(noise, 0, (size_t)M * sizeof *noise);
    for (int f = FIRST; f < FREQUENCIES; f++)
        for (int64_t c = 0; c < M; c++) mean[c] += pow(w->band[b][f * M + c], 2) / (FREQUENCIES - FIRST);
    smear(M, apart, mean, noise);
    smear(M, 4 * apart, mean, noise);
}

/* The mirrored column of c; −1: it has none. */
static int64_t mirror_of(const Wiener *w, int64_t c)
{
    const int64_t mirror = w->sum - c;
    return w->sum >= 0 && mirror >= 1 && mirror < w->count - 1 ? mirror : -1;
}

/* The part of a column that its mirror image lacks, and the common one, of equal variance if both are noise. */
static double odd_part(const double *a, int64_t c, int64_t mirror)
{
    return mirror < 0 ? a[c] : (a[c] - a[mirror]) * M_SQRT1_2;
}

static double even_part(const double *a, int64_t c, int64_t mirror)
{
    return (a[c] + a[mirror]) * M_SQRT1_2;
}

/* The value near the mirrored column that is nearest to a[c]; 0: there is no mirrored column. */
static double partner_of(const Wiener *w, const double *a, int64_t apart, int64_t c)
{
    const int64_t mirror = mirror_of(w, c);
    if (mirror < 0) return 0;
    double partner = a[mirror];
    for (int64_t i = mirror - apart; i <= mirror + apart; i += 2 * apart) {
        const double other = a[sino_larger(0, sino_smaller(i, w->count - 1))];
        if (fabs(other - a[c]) < fabs(partner - a[c])) partner = other;
    }
    return partner;
}

/* Variances of band b at frequency 0: of offsets, by the parts that no detail around the axis has, and of all that is
 * alike at mirrored columns. noise[c]: by find_noise. */
static void find_variances(const Wiener *w, int b, const double *noise, double *offsets, double *even)
{
    const double least_share = 0.4; /* of the noise; less is none */
    const int64_t M = w->count, apart = (int64_t)1 << b;
    const double *a = w->band[b];
    double *line = w->line[1];
    int64_t count = 0;
    memcpy(line, noise, (size_t)M * sizeof *line);
    const double usual = variance_of(M, line) * normal;
    for (int64_t c = 0; c < M; c++) line[c] = pow(odd_part(a, c, mirror_of(w, c)), 2);
    *offsets = variance_of(M, line) - usual;
    if (*offsets < least_share * usual) *offsets = 0;
    for (int64_t c = 0; c < M; c++) {
        const int64_t mirror = mirror_of(w, c);
        if (mirror < 0 || llabs(mirror - c) <= 2 * apart) continue;
        line[count++] = pow(even_part(a, c, mirror), 2);
    }
    *even = variance_of(count, line);
}

/* Adds the offsets of band b. Columns that stand out are offsets, or detail around the axis if the mirrored column
 * stands out, too. */
static void add_offsets(Wiener *w, int b)
{
    const double far = w->sum >= 0 ? 3 : 6, alike = 0.3;
    const int64_t apart = (int64_t)1 << b;
    const double *a = w->band[b];
    double *noise = w->line[0], offsets, even;
    find_noise(w, b, noise);
    find_variances(w, b, noise, &offsets, &even);
    for (int64_t c = 0; c < w->count; c++) {
        const int64_t mirror = mirror_of(w, c);
        const double share = offsets > 0 ? offsets / (offsets + noise[c]) : 0;
        const double of_even = even > 0 ? fmin(share, offsets / even) : share;
        const double partner = partner_of(w, a, apart, c);
        const bool outstanding = a[c] * a[c] > far * far * (offsets + noise[c]);
        if (outstanding && partner * a[c] > 0 && fabs(partner) > alike * fabs(a[c]))
            w->offset[c] += share * (a[c] - partner) / 2;
        else if (outstanding)
            w->offset[c] += a[c];
        else if (mirror >= 0 && llabs(mirror - c) > 2 * apart)
            w->offset[c] += (share * odd_part(a, c, mirror) + of_even * even_part(a, c, mirror)) * M_SQRT1_2;
        else
            w->offset[c] += share * a[c];
    }
}

SINO_VECTORISED static void subtract(int64_t angle_count, const Wiener *w, float *sinogram)
{
    const double share = 1 / sqrt((double)angle_count);
    for (int64_t k = 0; k < angle_count; k++)
        for (int64_t c = 0; c < w->count; c++) sinogram[k * w->count + c] -= (float)(share * w->offset[c]);
}

void sino_stripes_wiener_run(const SinoStripesOptions *options, float *work, float *sinogram)
{
    const int64_t K = options->angle_count, M = options->column_count;
    if (K < LEAST || M < LEAST) return;
    Wiener w = place_arrays(M, work);
    transform(K, sinogram, &w);
    for (int b = 0; b < BANDS; b++) split(&w, b);
    find_axis(&w);
    memset(w.offset, 0, (size_t)M * sizeof *w.offset);
    for (int b = 0; b < BANDS; b++) add_offsets(&w, b);
    subtract(K, &w, sinogram);
}
