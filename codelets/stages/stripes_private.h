/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes, private: the methods behind stripes.h. */
#pragma once

#include "arithmetic.h"
#include "stripes.h"
#include "vector.h"

#include <math.h>

enum { SINO_STRIPES_LINE = 16 }; /* floats of a cache line */

static inline int64_t sino_stripes_whole_lines(int64_t floats)
{
    return sino_ceil_multiple(floats, SINO_STRIPES_LINE);
}

/* Index i of n samples that continue symmetrically: … 1 0 | 0 1 … n−1 | n−1 n−2 … */
static inline int64_t sino_stripes_mirrored(int64_t i, int64_t n)
{
    const int64_t turn = 2 * n, at = (i % turn + turn) % turn;
    return at < n ? at : turn - 1 - at;
}

/* Interpolates dead columns, of which dead[column] is not 0, between their neighbours; the first and the last column
 * are never dead. The value of angle k and column c is sinogram[k·angle_step + c·column_step]. */
void sino_stripes_interpolate(int64_t angle_count, int64_t angle_step, int64_t column_count, int64_t column_step,
                              const uint8_t *dead, float *sinogram);

/* The scaling filter of db5 (Daubechies, Ten Lectures on Wavelets, table 6.1), for SINO_STRIPES_FW. */
enum { SINO_STRIPES_TAPS = 10 };
#define SINO_STRIPES_SCALING                                                                                           \
    {                                                                                                                  \
        0.16010239797412501F, 0.60382926979747287F, 0.72430852843857441F, 0.13842814590110342F, -0.24229488706619015F, \
            -0.03224486958502952F, 0.07757149384006515F, -0.0062414902130117052F, -0.012580751999015526F,              \
            0.0033357252850015492F                                                                                     \
    }

/* Coefficients of n samples. */
static inline int64_t sino_stripes_half(int64_t n)
{
    return (n + SINO_STRIPES_TAPS - 1) / 2;
}

/* Levels of the transform; each doubles the width of the stripes. */
static inline int sino_stripes_levels(const SinoStripesOptions *options)
{
    int level = 1;
    if (options->fw_level > 0) return (int)options->fw_level;
    while ((int64_t)SINO_STRIPES_WIDEST << (level + 1) <= options->column_count) level++;
    return level;
}

/* Rows of the sinogram with zeros before and after. */
static inline int64_t sino_stripes_padded_rows(int64_t angle_count)
{
    return angle_count + angle_count / 8;
}

/* 1 − exp(−y²/2σ²) is what the method keeps, y the frequency. For an even number of rows TomoPy's y lies between two
 * frequencies; of the two signs of a frequency the mean counts. */
SINO_INLINE double sino_stripes_removed_share(int64_t rows, int64_t frequency, double sigma)
{
    const double shift = rows % 2 ? 0 : 0.5, f = (double)frequency, width = 2 * sigma * sigma;
    const double below = exp(-(f - shift) * (f - shift) / width), above = exp(-(f + shift) * (f + shift) / width);
    return 2 * frequency == rows ? below : (below + above) / 2;
}

/* Columns of the median of SINO_STRIPES_SORTING. */
static inline int64_t sino_stripes_sorting_size(const SinoStripesOptions *options)
{
    const int64_t least = 5, most = 21;
    if (options->sorting_size > 0) return options->sorting_size;
    return sino_smaller(most, sino_larger(least, options->column_count / 100));
}

/* Columns of the medians of large and dead stripes. */
static inline int64_t sino_stripes_large_size(const SinoStripesOptions *options)
{
    const int64_t least = 9, most = 61;
    if (options->large_size > 0) return options->large_size;
    return sino_smaller(most, sino_larger(least, 3 * options->column_count / 100));
}

/* Of SINO_STRIPES_VO_ALL: window of the running mean over angles that shows fluctuation; columns at each end that never
 * are dead; share of the noise in the threshold of algorithm 4, and the least noise. */
enum { SINO_STRIPES_MEAN_WINDOW = 10, SINO_STRIPES_MARGIN = 2 };
#define SINO_STRIPES_THRESHOLD_SHARE 0.5
#define SINO_STRIPES_LEAST_NOISE     1e-6

/* The fluctuation of a column: the sum of distances from means, or 0 where this is the rounding of values with such a
 * sum. */
SINO_INLINE double sino_stripes_fluctuation(double distances, double magnitudes)
{
    const double rounding = 1e-6;
    return distances > rounding * magnitudes ? distances : 0;
}

/* Largest values of a column, and as many smallest ones, that do not count for its sensitivity. */
static inline int64_t sino_stripes_dropped_angles(int64_t angle_count)
{
    const double share = 0.1;
    return (int64_t)(0.5 * share * (double)angle_count);
}

/* Largest ratios of a sequence of columns, and as many smallest ones, through which algorithm 4 fits no line. */
static inline int64_t sino_stripes_dropped_columns(int64_t column_count)
{
    const double share = 0.25;
    return (int64_t)(share * (double)column_count);
}

/* Windows do not exceed the columns, so that a mirror shows each column once. */
static inline int64_t sino_stripes_fitting(int64_t size, int64_t column_count)
{
    return sino_larger(1, sino_smaller(size, column_count));
}

/* Sorts a column by value, and by angle among equals: radix sort by three digits. words[SINO_STRIPES_DIGITS_WORDS]
 * [count]; order[rank]: the angle. */
enum { SINO_STRIPES_DIGITS_WORDS = 4 };
void sino_stripes_sort_column(int64_t count, const float *column, uint32_t *words, float *sorted, uint32_t *order);

/* The plans of SINO_STRIPES_FW. */
typedef struct SinoStripesFw SinoStripesFw;
SinoStatus sino_stripes_fw_new(const SinoStripesOptions *options, SinoStripesFw **fw);
void sino_stripes_fw_free(SinoStripesFw *fw); /* takes NULL */

/* One sinogram, in place. `work` has the floats that the _floats function tells.
 *
 * fw, ti, wiener: sinogram[angle][column]. vo: sinogram[column][angle]; with `all` the whole chain of
 * SINO_STRIPES_VO_ALL, else only sorting. wiener and all of vo: dead[column], zeros before, tells which columns they
 * have interpolated. */
int64_t sino_stripes_fw_floats(const SinoStripesOptions *options);
void sino_stripes_fw_run(const SinoStripesFw *fw, float *work, float *sinogram);

int64_t sino_stripes_ti_floats(const SinoStripesOptions *options);
void sino_stripes_ti_run(const SinoStripesOptions *options, float *work, float *sinogram);

int64_t sino_stripes_wiener_floats(const SinoStripesOptions *options);
void sino_stripes_wiener_run(const SinoStripesOptions *options, float *work, float *sinogram, uint8_t *dead);

int64_t sino_stripes_vo_floats(const SinoStripesOptions *options);
void sino_stripes_vo_run(const SinoStripesOptions *options, bool all, float *work, float *sinogram, uint8_t *dead);
