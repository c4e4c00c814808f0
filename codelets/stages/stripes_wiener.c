/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes, by Wiener's filter of column offsets. The means of a column over sectors of angles are split into bands by
 * the width of stripes. Offsets of columns are in all sectors alike, noise and object are not: a mean over sectors that
 * leaves out those with more of the object has the offset, and how far it differs from the sectors tells its variance,
 * hence which share of it is an offset. Detail around the axis is in all sectors alike as well, but at mirrored columns
 * alike. Columns that do not follow the object have no offset, and are interpolated before. */
#include "sort.h"
#include "stripes_private.h"

#include <stdlib.h>
#include <string.h>

/* BANDS: widths of stripes, each twice the last. Fewer angles or columns than SECTORS tell nothing. LINES: scratch. */
enum { BANDS = 4, SECTORS = 16, LINES = 4, NOWHERE = -1000 };

static const double normal = 0.4549; /* median of the square of a normal deviate */

/* A value for each sector. */
typedef double Sectors[SECTORS];

/* Of a sinogram: bands of the means over sectors, what is left without them, scratch memory alike, and lines of one
 * value a column. */
typedef struct Wiener {
    int64_t count;      /* of columns */
    int64_t sum;        /* numbers of mirrored columns add up to it; −1: no symmetry is seen */
    bool turned;        /* opposite sectors of a whole turn tell it, too */
    int64_t outline[2]; /* columns where the object's shadow begins and ends, if all sectors agree; else NOWHERE */
    Sectors *band[BANDS], *smooth, *scratch; /* [column] */
    double *line[LINES], *offset;
} Wiener;

int64_t sino_stripes_wiener_floats(const SinoStripesOptions *options)
{
    const int64_t lines = (BANDS + 2) * SECTORS + LINES + 1, floats = sizeof(double) / sizeof(float);
    return sino_times(floats * lines, options->column_count);
}

static Wiener place_arrays(int64_t count, float *work)
{
    Wiener w = {.count = count, .sum = -1, .smooth = (void *)work};
    w.scratch = w.smooth + count;
    for (int b = 0; b < BANDS; b++) w.band[b] = w.scratch + (b + 1) * count;
    double *next = (double *)(w.band[BANDS - 1] + count);
    for (int i = 0; i < LINES; i++, next += count) w.line[i] = next;
    w.offset = next;
    return w;
}

/* smooth[column][sector]: the mean over the angles of a sector. */
SINO_VECTORISED static void average_sectors(int64_t angle_count, const float *sinogram, Wiener *w)
{
    const int64_t M = w->count;
    double *sum = w->line[0];
    for (int64_t j = 0; j < SECTORS; j++) {
        const int64_t first = j * angle_count / SECTORS, end = (j + 1) * angle_count / SECTORS;
        const double share = 1 / (double)(end - first);
        memset(sum, 0, (size_t)M * sizeof *sum);
        for (int64_t k = first; k < end; k++)
            for (int64_t c = 0; c < M; c++) sum[c] += share * (double)sinogram[k * M + c];
        for (int64_t c = 0; c < M; c++) w->smooth[c][j] = sum[c];
    }
}

/* to: column c of columns that go on beyond their ends as they are before them, turned about the last value: an object
 * that reaches beyond the detector makes no bend there. */
SINO_INLINE void take_column(int64_t count, const Sectors *from, int64_t c, double *to)
{
    const int64_t last = count - 1, end = c < 0 ? 0 : last, before = c < 0 ? -c : 2 * last - c;
    if (c >= 0 && c < count)
        for (int j = 0; j < SECTORS; j++) to[j] = from[c][j];
    else
        for (int j = 0; j < SECTORS; j++) to[j] = 2 * from[end][j] - from[before][j];
}

/* to[c]: mean of from[c] with weight 1/2, and of the columns `apart` beside it with 1/4 each. */
SINO_INLINE void average(int64_t count, int64_t apart, const Sectors *from, Sectors *to)
{
    for (int64_t c = 0; c < count; c++) {
        Sectors left, right;
        take_column(count, from, c - apart, left);
        take_column(count, from, c + apart, right);
        for (int j = 0; j < SECTORS; j++) to[c][j] = (left[j] + 2 * from[c][j] + right[j]) / 4;
    }
}

/* Moves band b out of `smooth`: (1 − h)², h the average, which no cubic has. */
SINO_VECTORISED static void split(Wiener *w, int b)
{
    Sectors *once = w->scratch, *twice = w->band[b];
    average(w->count, (int64_t)1 << b, w->smooth, once);
    average(w->count, (int64_t)1 << b, once, twice);
    for (int64_t c = 0; c < w->count; c++)
        for (int j = 0; j < SECTORS; j++) {
            const double kept = 2 * once[c][j] - twice[c][j];
            w->band[b][c][j] = w->smooth[c][j] - kept;
            w->smooth[c][j] = kept;
        }
}

/* The variance that a line's median has; line is changed. */
static double variance_of(int64_t count, double *squares)
{
    const int64_t kept = sino_sort_finite(count, squares);
    return kept > 0 ? squares[kept / 2] / normal : 0;
}

/* The number, from `first` to below `end`, whose columns c and number − c are most alike, all bands of `smooth`
 * together; −1: none is by `least`, as a share of `all` squares. Columns near the axis are like their mirror images in
 * any case. */
static int64_t most_alike(const Wiener *w, int64_t first, int64_t end, double all, double least)
{
    const int64_t near = 4, edge = 2, M = w->count;
    double best = least * all;
    int64_t found = -1;
    for (int64_t sum = first; sum < end; sum++) {
        double alike = 0;
        for (int b = 0; b < BANDS; b++) {
            const double *from = (const double *)w->smooth + b * M;
            for (int64_t c = sino_larger(edge, sum - M + 1 + edge); 2 * c < sum - near; c++)
                alike += 2 * from[c] * from[sum - c];
        }
        if (!(alike > best)) continue;
        best = alike;
        found = sum;
    }
    return found;
}

enum { HALF = SECTORS / 2 };

/* The sum over first ≤ i < end of a[i][j]·b[sum − i][j], of all j < HALF. */
SINO_VECTORISED static double mirrored_product(const double *a, const double *b, int64_t sum, int64_t first,
                                               int64_t end)
{
    double product[HALF] = {0}, all = 0;
    for (int64_t i = first; i < end; i++)
        for (int j = 0; j < HALF; j++) product[j] += a[i * HALF + j] * b[(sum - i) * HALF + j];
    for (int j = 0; j < HALF; j++) all += product[j];
    return all;
}

/* The number whose columns c and number − c are alike in opposite sectors of a whole turn; −1: they are not much alike.
 * Of every second column, of a band that is even over two, the differences from the mean over sectors count, which
 * offsets do not have. The correlation is over the root of the squares that have mirrored ones, so that chance makes
 * none of them larger. Columns whose differences are rounding errors tell nothing. */
static int64_t most_opposite(const Wiener *w)
{
    enum { BAND = 2 };
    const double much = 0.6, rounding = 1e-9;
    const int64_t M = w->count, count = (M + 1) / 2, edge = 4;
    double *a = (double *)w->smooth, *b = a + count * HALF, *until_a = b + count * HALF, *until_b = until_a + count;
    double best = 0, of_best = 0, sum_a = 0, sum_b = 0;
    int64_t found = -1;
    for (int64_t i = 0; i < count; i++) {
        double mean = 0;
        for (int64_t j = 0; j < SECTORS; j++) mean += w->band[BAND][2 * i][j] / SECTORS;
        for (int64_t j = 0; j < HALF; j++) {
            a[i * HALF + j] = w->band[BAND][2 * i][j] - mean;
            b[i * HALF + j] = w->band[BAND][2 * i][j + HALF] - mean;
            sum_a += a[i * HALF + j] * a[i * HALF + j];
            sum_b += b[i * HALF + j] * b[i * HALF + j];
        }
        until_a[i] = sum_a;
        until_b[i] = sum_b;
    }
    for (int64_t sum = count / 8; sum < 15 * count / 8; sum++) {
        const int64_t first = sino_larger(edge, sum - count + 1 + edge), end = sino_smaller(count, sum + 1) - edge;
        if (first >= end) continue;
        const double squares = until_a[end - 1] - until_a[first - 1] + until_b[sum - first] - until_b[sum - end];
        const double alike = 2 * mirrored_product(a, b, sum, first, end);
        if (!(squares > rounding * (sum_a + sum_b) && alike > best * sqrt(squares))) continue;
        best = alike / sqrt(squares);
        of_best = alike / squares;
        found = 2 * sum;
    }
    return of_best > much ? found : -1;
}

/* Finds the axis, if it is not known: of a whole turn by opposite sectors, if a sixteenth of the columns lies at each
 * side of it; else in the middle quarter of the columns by the mean over sectors and its mirror image, in units of the
 * bands' deviations and without large values, which also tells the axis of a whole turn to half a column. `smooth` is
 * scratch memory. */
static void find_axis(const SinoStripesOptions *options, Wiener *w)
{
    const double large = 8, least = 0.2;
    const int64_t M = w->count, turn = most_opposite(w);
    double all = 0;
    w->turned = turn >= 0;
    if (options->has_axis && options->axis >= 0 && options->axis < (double)M) {
        w->sum = llround(2 * options->axis);
        w->turned = turn >= 0 && llabs(turn - w->sum) <= 4;
        return;
    }
    for (int b = 0; b < BANDS; b++) {
        double *to = (double *)w->smooth + b * M;
        memset(to, 0, (size_t)M * sizeof *to);
        for (int64_t i = 0; i < SECTORS * M; i++) to[i / SECTORS] += w->band[b][i / SECTORS][i % SECTORS] / SECTORS;
        for (int64_t c = 0; c < M; c++) w->line[0][c] = to[c] * to[c];
        const double variance = variance_of(M, w->line[0]), unit = variance > 0 ? 1 / sqrt(variance) : 0;
        for (int64_t c = 0; c < M; c++) to[c] = fmax(-large, fmin(unit * to[c], large));
        for (int64_t c = 0; c < M; c++) all += to[c] * to[c];
    }
    w->sum = turn >= 0 ? most_alike(w, turn - 2, turn + 3, all, 0) : most_alike(w, 3 * M / 4, 5 * M / 4, all, least);
    if (w->sum < 0) w->sum = turn;
}

/* to[c]: at least the mean of from over c − reach … c + reach, of `lanes` lines whose values take turns. */
SINO_INLINE void smear_lanes(int64_t count, int lanes, int64_t reach, const double *from, double *to)
{
    Sectors sum = {0};
    const double share = 1 / (double)(2 * reach + 1);
    for (int64_t c = -reach; c < reach; c++)
        for (int j = 0; j < lanes; j++) sum[j] += from[sino_stripes_mirrored(c, count) * lanes + j];
    for (int64_t c = 0; c < count; c++) {
        const double *next = from + sino_stripes_mirrored(c + reach, count) * lanes;
        const double *last = from + sino_stripes_mirrored(c - reach, count) * lanes;
        for (int j = 0; j < lanes; j++) {
            const double all = sum[j] + next[j], mean = share * all, least = to[c * lanes + j];
            to[c * lanes + j] = mean > least ? mean : least;
            sum[j] = all - last[j];
        }
    }
}

static void smear(int64_t count, int64_t reach, const double *from, double *to)
{
    smear_lanes(count, 1, reach, from, to);
}

SINO_INLINE double sum_of(const double *value)
{
    double sum[SECTORS / 2];
    for (int j = 0; j < SECTORS / 2; j++) sum[j] = value[j] + value[j + SECTORS / 2];
    for (int n = SECTORS / 4; n > 0; n /= 2)
        for (int j = 0; j < n; j++) sum[j] += sum[j + n];
    return sum[0];
}

/* The median of a column over sectors, the larger of the two in the middle: the least value that more than half of the
 * sectors do not exceed. */
SINO_INLINE double median_of(const double *sector)
{
    int64_t below[SECTORS] = {0};
    Sectors least;
    for (int i = 0; i < SECTORS; i++)
        for (int j = 0; j < SECTORS; j++) below[j] += sector[i] <= sector[j];
    for (int j = 0; j < SECTORS; j++) least[j] = below[j] > SECTORS / 2 ? sector[j] : INFINITY;
    for (int n = SECTORS / 2; n > 0; n /= 2)
        for (int j = 0; j < n; j++) least[j] = least[j + n] < least[j] ? least[j + n] : least[j];
    return least[0];
}

/* The weights of sectors that are off the mean by the squares `power`. */
SINO_INLINE void find_weights(const double *power, double *weight)
{
    const double even = 2; /* less lets few sectors decide */
    const double usual = even * median_of(power);
    for (int j = 0; j < SECTORS; j++) {
        const double of_usual = usual / (power[j] + usual), of_none = power[j] > 0 ? 0 : 1;
        weight[j] = usual > 0 ? of_usual : of_none;
    }
}

/* The variance of a column's mean over sectors, by their differences from it. The object changes slowly: neighbouring
 * sectors may differ alike, and then tell less. residual[SECTORS]: differences, each times the root of its weight. */
SINO_INLINE double variance_of_mean(const double *residual, double weights)
{
    enum { NEIGHBOURS = 2 };
    Sectors square, product = {0};
    for (int j = 0; j < SECTORS; j++) square[j] = residual[j] * residual[j];
    for (int i = 1; i <= NEIGHBOURS; i++)
        for (int j = 0; j < SECTORS - i; j++) product[j] += 2 * residual[j] * residual[j + i];
    return (sum_of(square) + fmax(sum_of(product), 0)) / weights / (SECTORS - 1);
}

/* The mean of a column with the weights that `power` gives, and its variance. */
SINO_INLINE void average_column(const double *band, const double *power, double *mean, double *variance)
{
    Sectors weight, value;
    find_weights(power, weight);
    for (int j = 0; j < SECTORS; j++) value[j] = weight[j] * band[j];
    const double all = sum_of(weight);
    *mean = sum_of(value) / all;
    for (int j = 0; j < SECTORS; j++) value[j] = sqrt(weight[j]) * (band[j] - *mean);
    *variance = variance_of_mean(value, all);
}

/* mean[c]: of band b over sectors, those of more noise and object nearby counting less. variance[c]: its own. `smooth`
 * is scratch memory. */
SINO_VECTORISED static void find_mean(const Wiener *w, int b, double *mean, double *variance)
{
    enum { STEPS = 2 };
    const int64_t M = w->count, apart = (int64_t)1 << b;
    const Sectors *band = w->band[b];
    Sectors *power = w->smooth, *square = w->scratch;
    for (int64_t c = 0; c < M; c++) mean[c] = median_of(band[c]);
    for (int step = 0; step < STEPS; step++) {
        memset(power, 0, (size_t)M * sizeof *power);
        for (int64_t c = 0; c < M; c++)
            for (int j = 0; j < SECTORS; j++) square[c][j] = (band[c][j] - mean[c]) * (band[c][j] - mean[c]);
        smear_lanes(M, SECTORS, 2 * apart, *square, *power);
        for (int64_t c = 0; c < M; c++) average_column(band[c], power[c], mean + c, variance + c);
    }
}

/* noise[c]: variance of noise and object in the mean of a band, the larger one of a narrow and a wide neighbourhood. */
static void find_noise(const Wiener *w, int b, const double *variance, double *noise)
{
    const int64_t M = w->count, apart = (int64_t)1 << b;
    memset(noise, 0, (size_t)M * sizeof *noise);
    smear(M, apart, variance, noise);
    smear(M, 4 * apart, variance, noise);
}

/* The mirrored column of c; −1: it has none. A band tells little near the ends of the detector. */
static int64_t mirror_of(const Wiener *w, int b, int64_t c)
{
    const int64_t mirror = w->sum - c, edge = w->turned ? (int64_t)1 << b : 1;
    return w->sum >= 0 && mirror >= edge && mirror < w->count - edge ? mirror : -1;
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
static double partner_of(const Wiener *w, int b, const double *a, int64_t c)
{
    const int64_t mirror = mirror_of(w, b, c), apart = (int64_t)1 << b;
    if (mirror < 0) return 0;
    double partner = a[mirror];
    for (int64_t i = mirror - apart; i <= mirror + apart; i += 2 * apart) {
        const double other = a[sino_larger(0, sino_smaller(i, w->count - 1))];
        if (fabs(other - a[c]) < fabs(partner - a[c])) partner = other;
    }
    return partner;
}

/* Variances of a band's means a[c]: of offsets, by the parts that no detail around the axis has, and of all that is
 * alike at mirrored columns. noise[c]: by find_noise; line: scratch memory. */
static void find_variances(const Wiener *w, int b, const double *a, const double *noise, double *line, double *offsets,
                           double *even)
{
    const int64_t M = w->count, apart = (int64_t)1 << b;
    int64_t count = 0;
    memcpy(line, noise, (size_t)M * sizeof *line);
    const double usual = variance_of(M, line) * normal;
    for (int64_t c = 0; c < M; c++) line[c] = pow(odd_part(a, c, mirror_of(w, b, c)), 2);
    const double variance = variance_of(M, line), sure = 1 + 10 * sqrt(4 * (double)apart / (double)M);
    *offsets = variance > sure * usual ? variance - usual : 0;
    for (int64_t c = 0; c < M; c++) {
        const int64_t mirror = mirror_of(w, b, c);
        if (mirror < 0 || llabs(mirror - c) <= 2 * apart) continue;
        line[count++] = pow(even_part(a, c, mirror), 2);
    }
    *even = variance_of(count, line);
}

/* The first column, or the last, from which on the means over a sector, SECTORS apart, are above a tenth of their
 * range, over more columns than a stripe has; NOWHERE: there is none. */
static int64_t end_of_shadow(int64_t count, const double *mean, bool last)
{
    const int64_t wide = (int64_t)1 << BANDS;
    double low = INFINITY, high = -INFINITY;
    for (int64_t c = 0; c < count; c++) {
        low = fmin(low, mean[c * SECTORS]);
        high = fmax(high, mean[c * SECTORS]);
    }
    for (int64_t i = 0, run = 0; i < count; i++) {
        run = mean[(last ? count - 1 - i : i) * SECTORS] > low + (high - low) / 10 ? run + 1 : 0;
        if (run == wide) return last ? count - 1 - i + wide - 1 : i - wide + 1;
    }
    return NOWHERE;
}

/* Finds the outline of an object that is round about the axis. */
static void find_outline(Wiener *w)
{
    const int64_t still = 4;
    for (int end = 0; end < 2; end++) {
        int64_t least = w->count, most = NOWHERE;
        for (int64_t j = 0; j < SECTORS; j++) {
            const int64_t c = end_of_shadow(w->count, *w->smooth + j, end == 1);
            least = sino_smaller(least, c);
            most = sino_larger(most, c);
        }
        w->outline[end] = most - least <= still ? (least + most) / 2 : NOWHERE;
    }
}

/* Whether column c stands out by detail around the axis: it is at the outline of a round object, the mirrored column
 * stands out, too, or one beside c whose mirrored one does. In a whole turn about an axis far from the middle, columns
 * without a mirrored one are many, and nothing tells detail from offsets. far: squares of offsets and noise. */
static bool is_detail(const Wiener *w, int b, const double *a, const double *far, int64_t c)
{
    const double alike = 0.3;
    const int64_t apart = (int64_t)1 << b, end = sino_smaller(c + apart, w->count - 1);
    if (w->turned && mirror_of(w, b, c) < 0) return true;
    if (llabs(c - w->outline[0]) <= 2 * apart || llabs(c - w->outline[1]) <= 2 * apart) return true;
    for (int64_t i = sino_larger(c - apart, 0); i <= end; i++) {
        const double partner = partner_of(w, b, a, i);
        if (a[i] * a[i] > far[i] && a[i] * a[c] > 0 && partner * a[i] > 0 && fabs(partner) > alike * fabs(a[i]))
            return true;
    }
    return false;
}

/* Adds the offsets of band b. Columns that stand out are offsets, or detail around the axis, which stays where no
 * mirrored column tells how much of it is an offset. */
static void add_offsets(Wiener *w, int b)
{
    const double times = w->sum >= 0 ? 4 : 8;
    const int64_t apart = (int64_t)1 << b;
    double *a = w->line[0], *noise = w->line[1], *line = w->line[2], *far = w->line[LINES - 1], offsets, even;
    find_mean(w, b, a, line);
    find_noise(w, b, line, noise);
    find_variances(w, b, a, noise, line, &offsets, &even);
    for (int64_t c = 0; c < w->count; c++) far[c] = times * times * (offsets + noise[c]);
    for (int64_t c = 0; c < w->count; c++) {
        const int64_t mirror = mirror_of(w, b, c);
        const double share = offsets > 0 ? offsets / (offsets + noise[c]) : 0;
        const double of_even = even > 0 ? fmin(share, offsets / even) : share;
        const double partner = partner_of(w, b, a, c);
        const bool outstanding = a[c] * a[c] > far[c], detail = outstanding && is_detail(w, b, a, far, c);
        if (detail && mirror < 0) continue;
        if (outstanding && !detail)
            w->offset[c] += a[c];
        else if (detail && partner * a[c] > 0)
            w->offset[c] += share * (a[c] - partner) / 2;
        else if (mirror >= 0 && llabs(mirror - c) > 2 * apart)
            w->offset[c] += (share * odd_part(a, c, mirror) + of_even * even_part(a, c, mirror)) * M_SQRT1_2;
        else
            w->offset[c] += share * a[c];
    }
}

/* mean[c]: over the angles. Returns the mean of sizes. */
SINO_VECTORISED static double find_level(int64_t K, int64_t M, const float *sinogram, double *mean, double *size)
{
    double level = 0;
    memset(mean, 0, (size_t)M * sizeof *mean);
    memset(size, 0, (size_t)M * sizeof *size);
    for (int64_t k = 0; k < K; k++)
        for (int64_t c = 0; c < M; c++) {
            mean[c] += (double)sinogram[k * M + c];
            size[c] += fabs((double)sinogram[k * M + c]);
        }
    for (int64_t c = 0; c < M; c++) {
        mean[c] /= (double)K;
        level += size[c] / (double)(K * M);
    }
    return level;
}

/* change[c]: mean distance of the difference of columns c + reach and c from its mean over the angles. */
SINO_VECTORISED static void find_changes(int64_t K, int64_t M, int64_t reach, const float *sinogram, const double *mean,
                                         double *change)
{
    memset(change, 0, (size_t)M * sizeof *change);
    for (int64_t k = 0; k < K; k++)
        for (int64_t c = 0; c < M - reach; c++)
            change[c] +=
                fabs(((double)sinogram[k * M + c + reach] - mean[c + reach]) - ((double)sinogram[k * M + c] - mean[c]));
    for (int64_t c = 0; c < M; c++) change[c] /= (double)K;
}

/* The largest of the changes of three columns at each side of c, from reach on. */
static double change_beside(int64_t M, int64_t reach, const double *change, int64_t c)
{
    double most = 0;
    for (int64_t i = reach; i < reach + 3; i++)
        most = fmax(most, fmax(change[sino_larger(c - i, 0)], change[sino_smaller(c + i, M - 1)]));
    return most;
}

/* Adds a value to the sum and the sum of squares. */
static void add_moments(double value, double moment[2])
{
    moment[0] += value;
    moment[1] += value * value;
}

/* Whether column c itself tells that it is dead: it changes less than those beside it, as a stuck pixel; or it is off
 * their mean, by more than a quarter of `change` beyond what is usual, in a third of the angles or more, where a small
 * part of the object that turns round in a column is in fewer. */
static bool is_dead_itself(int64_t K, const Wiener *w, int64_t reach, const float *sinogram, int64_t c, double change)
{
    const int64_t M = w->count;
    double own[2] = {0}, others[2] = {0};
    Sectors offset = {0};
    int64_t off = 0;
    for (int64_t j = 0; j < SECTORS; j++) {
        const int64_t first = j * K / SECTORS, end = (j + 1) * K / SECTORS;
        double sum = 0;
        for (int64_t k = first; k < end; k++) {
            const float *at = sinogram + k * M + c;
            const double here = (double)at[0], beside = ((double)at[-reach] + (double)at[reach]) / 2;
            sum += here - beside;
            add_moments(here, own);
            add_moments(beside, others);
        }
        offset[j] = sum / (double)(end - first);
    }
    if (own[1] - own[0] * own[0] / (double)K < others[1] - others[0] * others[0] / (double)K) return true;
    const double usual = median_of(offset);
    for (int64_t k = 0; k < K; k++) {
        const float *at = sinogram + k * M + c;
        off += fabs((double)at[0] - ((double)at[-reach] + (double)at[reach]) / 2 - usual) > change / 4;
    }
    return 3 * off >= K;
}

/* Leaves out columns whose mirrored ones would be dead as well: a toothed rim about the axis. sum: of mirrored columns;
 * marked: what dead was. */
static void leave_mirrored(int64_t M, int64_t sum, const uint8_t *marked, uint8_t *dead)
{
    const int64_t near = 4;
    for (int64_t c = 0; c < M; c++)
        for (int64_t i = sum - c - 1; i <= sum - c + 1; i++)
            if (i >= 0 && i < M && llabs(i - c) > near && marked[i]) dead[c] = 0;
}

/* Finds columns that differ from those at both sides by what changes with the angle, more than any column nearby does:
 * they do not follow the object, or fluctuate. Up to two beside each other are found, and of three the middle one. */
static void find_dead(const SinoStripesOptions *options, const Wiener *w, const float *sinogram, uint8_t *dead)
{
    const double times = 1.8, least = 0.02; /* twelve phantoms without such columns: at most 1.6 times */
    const int64_t K = options->angle_count, M = w->count;
    double *mean = w->line[0], *pair = w->line[1], *change = w->line[2];
    const double level = find_level(K, M, sinogram, mean, pair);
    for (int64_t reach = 1; reach <= 2; reach++) {
        find_changes(K, M, reach, sinogram, mean, pair);
        for (int64_t c = 0; c < M; c++) change[c] = c < reach || c >= M - reach ? 0 : fmin(pair[c - reach], pair[c]);
        for (int64_t c = reach; c < M - reach; c++)
            if (change[c] > least * level && change[c] > times * change_beside(M, reach, change, c) &&
                is_dead_itself(K, w, reach, sinogram, c, change[c]))
                dead[c] = 1;
    }
    if (!options->has_axis) return;
    uint8_t *marked = (uint8_t *)w->line[0];
    memcpy(marked, dead, (size_t)M * sizeof *dead);
    leave_mirrored(M, llround(2 * options->axis), marked, dead);
}

SINO_VECTORISED static void subtract(int64_t angle_count, const Wiener *w, float *sinogram)
{
    for (int64_t k = 0; k < angle_count; k++)
        for (int64_t c = 0; c < w->count; c++) sinogram[k * w->count + c] -= (float)w->offset[c];
}

void sino_stripes_wiener_run(const SinoStripesOptions *options, float *work, float *sinogram, uint8_t *dead)
{
    const int64_t K = options->angle_count, M = options->column_count;
    if (K < SECTORS || M < SECTORS) return;
    Wiener w = place_arrays(M, work);
    find_dead(options, &w, sinogram, dead);
    sino_stripes_interpolate(K, M, M, 1, dead, sinogram);
    average_sectors(K, sinogram, &w);
    find_outline(&w);
    for (int b = 0; b < BANDS; b++) split(&w, b);
    find_axis(options, &w);
    memset(w.offset, 0, (size_t)M * sizeof *w.offset);
    for (int b = 0; b < BANDS; b++) add_offsets(&w, b);
    subtract(K, &w, sinogram);
}
