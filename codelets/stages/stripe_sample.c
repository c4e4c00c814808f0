/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripe sample: how much stripe removal would take from some projections of a scan, beside their noise. */
#include "stripe_sample.h"

#include "memory.h"
#include "sort.h"
#include "stripes.h"

#include <math.h>
#include <stdlib.h>

/* Mean over columns of the squares of the offsets between both; −1: there is no value. Of the values of a column the
 * median counts, so that a zinger, for which a column is taken for dead, is none. squares: scratch memory. */
static double offsets_between(int64_t projections, int64_t columns, const float *before, const float *after,
                              double *squares)
{
    double sum = 0;
    int64_t defined = 0;
    for (int64_t c = 0; c < columns; c++) {
        for (int64_t k = 0; k < projections; k++)
            squares[k] = pow((double)before[k * columns + c] - (double)after[k * columns + c], 2);
        const int64_t kept = sino_sort_finite(projections, squares);
        if (kept == 0) continue;
        sum += squares[kept / 2];
        defined++;
    }
    return defined > 0 ? sum / (double)defined : -1;
}

static double bend_of(const float *p)
{
    return (double)p[-1] - 2 * (double)p[0] + (double)p[1];
}

/* The variance of a value, by how much the second differences along the columns change from one projection to the next:
 * constant offsets of columns cancel. Most changes are noise, some are edges of the object. squares: scratch memory. */
static double noise_of(int64_t projections, int64_t columns, const float *integrals, double *squares)
{
    const double normal = 0.4549; /* median of the square of a normal deviate */
    const double of_bends = 12;   /* variance of a difference of bends of unit variances */
    int64_t count = 0;
    double sum = 0;
    for (int64_t k = 1; k < projections; k++)
        for (int64_t c = 1; c + 1 < columns; c++) {
            const float *here = integrals + k * columns + c;
            squares[count++] = pow(bend_of(here) - bend_of(here - columns), 2) / of_bends;
        }
    const int64_t kept = sino_sort_finite(count, squares);
    for (int64_t i = 0; i < kept; i++) sum += squares[i] / (double)kept;
    return kept > 0 ? fmax(squares[kept / 2] / normal, sum / 4) : 0;
}

SinoStatus sino_stripe_sample_add(int64_t projections, int64_t columns, const float *integrals,
                                  SinoStripeSample *sample)
{
    const SinoStripesOptions options = {
        .method = SINO_STRIPES_WIENER, .angle_count = projections, .column_count = columns};
    const SinoSlices one_slice = {SINO_SINGLE, 1, 1};
    const int64_t count = sino_times(projections, columns);
    SinoStripes *stripes = NULL;
    float *values = NULL;
    double *squares = NULL;
    void *scratch = NULL;
    SinoStatus status = NULL;
    SINO_TRY_OR(status, end, sino_stripes_new(&options, &stripes));
    SINO_TRY_OR(status, end, sino_allocate(count, sizeof *values, "a sample", &values));
    SINO_TRY_OR(status, end, sino_allocate(count, sizeof *squares, "a sample", &squares));
    SINO_TRY_OR(status, end, sino_allocate(sino_stripes_scratch_bytes(&options), 1, "a sample", &scratch));
    for (int64_t i = 0; i < count; i++) values[i] = isfinite(integrals[i]) ? integrals[i] : -0.0F;
    sino_stripes_run(stripes, one_slice, NULL, false, scratch, values);
    const double offsets = offsets_between(projections, columns, integrals, values, squares);
    if (offsets >= 0) {
        sample->rows++;
        sample->columns += columns;
        sample->offsets += offsets;
        sample->noise += noise_of(projections, columns, integrals, squares);
    }
end:
    sino_stripes_free(stripes);
    free(values);
    free(squares);
    free(scratch);
    return status;
}

double sino_stripe_sample_deviation(const SinoStripeSample *sample)
{
    const double least = 0.01;        /* of the noise: rings of such offsets begin to show */
    const double columns_usual = 512; /* fewer have more offsets by chance: 104 columns up to 0.08 */
    if (sample->rows == 0) return NAN;
    const double share = least * fmax(1, columns_usual / (double)sample->columns);
    return sample->offsets >= share * sample->noise ? sqrt(sample->offsets / (double)sample->rows) : 0;
}
