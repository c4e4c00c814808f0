/* SPDX-License-Identifier: BSD-3-Clause */
/* Image quality on a CPU core: sums over a region, and the structural similarity row by row. */
#include "image_quality.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pixels from the middle of a window to its end; rows of a window. */
enum { REACH = 5, WINDOW = 2 * REACH + 1 };
static const double deviation = 1.5, k1 = 0.01, k2 = 0.03;

/* Filtered images: a, b, a², b², ab. */
enum { OF_A, OF_B, OF_AA, OF_BB, OF_AB, FILTERED };

SinoPairSums sino_pair_none(void)
{
    return (SinoPairSums){.least = {INFINITY, INFINITY}, .most = {-INFINITY, -INFINITY}};
}

/* Counts, means and extremes; `sums` are those of no voxel before. */
static void add_means(const SinoImageRegion *region, int64_t width, const float *a, const float *b, SinoPairSums *sums)
{
    for (int64_t r = region->first_row; r < region->end_row; r++) {
        int64_t first, end;
        sino_image_region_span(region, r, &first, &end);
        for (int64_t i = r * width + first; i < r * width + end; i++) {
            const double pair[2] = {(double)a[i], (double)b[i]};
            sums->bad[0] += !isfinite(pair[0]);
            sums->bad[1] += !isfinite(pair[1]);
            if (!isfinite(pair[0]) || !isfinite(pair[1])) continue;
            sums->count++;
            for (int k = 0; k < 2; k++) {
                sums->mean[k] += pair[k];
                sums->least[k] = fmin(sums->least[k], pair[k]);
                sums->most[k] = fmax(sums->most[k], pair[k]);
            }
        }
    }
    for (int k = 0; k < 2 && sums->count > 0; k++) sums->mean[k] /= (double)sums->count;
}

SinoPairSums sino_pair_sums(const SinoImageRegion *region, int64_t width, const float *a, const float *b)
{
    SinoPairSums sums = sino_pair_none();
    add_means(region, width, a, b, &sums);
    for (int64_t r = region->first_row; r < region->end_row; r++) {
        int64_t first, end;
        sino_image_region_span(region, r, &first, &end);
        for (int64_t i = r * width + first; i < r * width + end; i++) {
            const double x = (double)a[i], y = (double)b[i], u = x - sums.mean[0], v = y - sums.mean[1];
            if (!isfinite(x) || !isfinite(y)) continue;
            sums.moment[0] += u * u;
            sums.moment[1] += v * v;
            sums.product += u * v;
            sums.difference += (x - y) * (x - y);
            sums.square += y * y;
        }
    }
    return sums;
}

void sino_pair_add(const SinoPairSums *from, SinoPairSums *to)
{
    const double all = (double)(to->count + from->count);
    const double off[2] = {from->mean[0] - to->mean[0], from->mean[1] - to->mean[1]};
    const double share = all > 0 ? (double)from->count / all : 0, weight = share * (double)to->count;
    for (int k = 0; k < 2; k++) {
        to->moment[k] += from->moment[k] + weight * off[k] * off[k];
        to->mean[k] += share * off[k];
        to->bad[k] += from->bad[k];
        to->least[k] = fmin(to->least[k], from->least[k]);
        to->most[k] = fmax(to->most[k], from->most[k]);
    }
    to->product += from->product + weight * off[0] * off[1];
    to->difference += from->difference;
    to->square += from->square;
    to->count += from->count;
}

double sino_pair_fit_error(const SinoImageRegion *region, int64_t width, double scale, double offset, const float *a,
                           const float *b)
{
    double sum = 0;
    for (int64_t r = region->first_row; r < region->end_row; r++) {
        int64_t first, end;
        sino_image_region_span(region, r, &first, &end);
        for (int64_t i = r * width + first; i < r * width + end; i++) {
            const double off = scale * (double)a[i] + offset - (double)b[i];
            if (isfinite(a[i]) && isfinite(b[i])) sum += off * off;
        }
    }
    return sum;
}

/* The images in work, and their rows, each [FILTERED][width]. */
typedef struct Filter {
    const SinoImageRegion *region;
    int64_t width;
    const float *a, *b;
    double weight[REACH + 1]; /* of a pixel so far from the middle; those of a window add up to 1 along an axis */
    double *row;              /* [WINDOW]: the last rows, filtered along the rows; owned with the next two */
    double *product, *window; /* one row: not filtered yet; filtered along both axes */
} Filter;

static double *filtered(const Filter *filter, int64_t row)
{
    return filter->row + row % WINDOW * FILTERED * filter->width;
}

static void set_weights(Filter *filter)
{
    double sum = 0;
    for (int i = 0; i <= REACH; i++) {
        filter->weight[i] = exp(-0.5 * i * i / (deviation * deviation));
        sum += (i > 0 ? 2 : 1) * filter->weight[i];
    }
    for (int i = 0; i <= REACH; i++) filter->weight[i] /= sum;
}

static void multiply_row(const Filter *filter, int64_t row, int64_t first, int64_t end)
{
    const int64_t width = filter->width;
    double *to = filter->product;
    for (int64_t c = first; c < end; c++) {
        const double x = (double)filter->a[row * width + c], y = (double)filter->b[row * width + c];
        to[OF_A * width + c] = x;
        to[OF_B * width + c] = y;
        to[OF_AA * width + c] = x * x;
        to[OF_BB * width + c] = y * y;
        to[OF_AB * width + c] = x * y;
    }
}

/* to[c] += weight·from[c] */
static void add_weighted(int64_t first, int64_t end, double weight, const double *restrict from, double *restrict to)
{
    for (int64_t c = first; c < end; c++) to[c] += weight * from[c];
}

static double weight_at(const Filter *filter, int64_t offset)
{
    return filter->weight[offset < 0 ? -offset : offset];
}

/* Filters a row of the region along it, where the window lies in the region. */
static void filter_row(const Filter *filter, int64_t row)
{
    int64_t first, end;
    const int64_t width = filter->width;
    sino_image_region_span(filter->region, row, &first, &end);
    multiply_row(filter, row, first, end);
    for (int64_t which = 0; which < FILTERED && first + REACH < end - REACH; which++) {
        double *to = filtered(filter, row) + which * width;
        memset(to + first, 0, (size_t)(end - first) * sizeof *to);
        for (int64_t k = -REACH; k <= REACH; k++)
            add_weighted(first + REACH, end - REACH, weight_at(filter, k), filter->product + which * width + k, to);
    }
}

/* The columns of a row around which whole windows lie in the region. */
static void inner_span(const SinoImageRegion *region, int64_t row, int64_t *first, int64_t *end)
{
    *first = region->first_column;
    *end = region->end_column;
    for (int64_t r = row - REACH; r <= row + REACH; r++) {
        int64_t from, to;
        sino_image_region_span(region, r, &from, &to);
        *first = sino_larger(*first, from + REACH);
        *end = sino_smaller(*end, to - REACH);
    }
}

static double similarity_at(const Filter *filter, int64_t column, double c1, double c2)
{
    const double *of = filter->window + column;
    const double x = of[OF_A * filter->width], y = of[OF_B * filter->width];
    const double xx = of[OF_AA * filter->width] - x * x, yy = of[OF_BB * filter->width] - y * y;
    const double xy = of[OF_AB * filter->width] - x * y;
    return (2 * x * y + c1) * (2 * xy + c2) / ((x * x + y * y + c1) * (xx + yy + c2));
}

static void add_row(const Filter *filter, int64_t row, double range, SinoSimilarity *similarity)
{
    const double c1 = k1 * range * k1 * range, c2 = k2 * range * k2 * range;
    const int64_t width = filter->width;
    int64_t first, end;
    inner_span(filter->region, row, &first, &end);
    memset(filter->window, 0, (size_t)sino_times(FILTERED, width) * sizeof *filter->window);
    for (int64_t which = 0; which < FILTERED; which++)
        for (int64_t k = -REACH; k <= REACH; k++)
            add_weighted(first, end, weight_at(filter, k), filtered(filter, row + k) + which * width,
                         filter->window + which * width);
    for (int64_t c = first; c < end; c++) {
        const double value = similarity_at(filter, c, c1, c2);
        if (!isfinite(value)) continue; /* a value of the window is not finite */
        similarity->sum += value;
        similarity->count++;
    }
}

SinoStatus sino_similarity(const SinoImageRegion *region, int64_t width, double range, const float *a, const float *b,
                           SinoSimilarity *similarity)
{
    Filter filter = {.region = region, .width = width, .a = a, .b = b};
    SinoSimilarity found = {0};
    set_weights(&filter);
    const int64_t row = sino_times(FILTERED, width);
    SINO_TRY(sino_allocate(sino_times(WINDOW + 2, row), sizeof *filter.row, "rows of a window", &filter.row));
    filter.product = filter.row + WINDOW * row;
    filter.window = filter.product + row;
    for (int64_t r = region->first_row; r < region->end_row; r++) {
        filter_row(&filter, r);
        if (r - region->first_row >= WINDOW - 1) add_row(&filter, r - REACH, range, &found);
    }
    free(filter.row);
    *similarity = found;
    return NULL;
}
