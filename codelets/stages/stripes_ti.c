/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes, Titarenko's method: column c gets the offset q[c] that minimises ‖D(m + q)‖² + α‖q‖², where m is the mean of
 * the columns over angles and D takes first or second differences (Miqueles et al. 2014). The equations have a band of
 * five diagonals, and are solved by a Cholesky factorisation. */
#include "stripes_private.h"
#include "vector.h"

#include <math.h>
#include <string.h>

enum { BAND = 3, ORDERS = 2 };

/* D of first and of second differences. */
static const double difference[ORDERS][BAND] = {{1, -1, 0}, {-1, 2, -1}};

/* Doubles of `work`: mean, offsets, and the band; in floats. */
int64_t sino_stripes_ti_floats(const SinoStripesOptions *options)
{
    const int64_t arrays = 1 + ORDERS + BAND, floats = sizeof(double) / sizeof(float);
    return floats * arrays * (options->column_count + 8);
}

/* Means over the angles of a block, and α. */
SINO_VECTORISED static double find_means(int64_t angle_count, int64_t column_count, const float *sinogram, double *mean)
{
    double least = INFINITY, most = -INFINITY;
    memset(mean, 0, (size_t)column_count * sizeof *mean);
    for (int64_t k = 0; k < angle_count; k++) {
        const float *row = sinogram + k * column_count;
        double sum = 0;
        for (int64_t c = 0; c < column_count; c++) {
            mean[c] += (double)row[c];
            sum += (double)row[c];
        }
        least = fmin(least, sum);
        most = fmax(most, sum);
    }
    for (int64_t c = 0; c < column_count; c++) mean[c] /= (double)angle_count;
    return most > least ? 1 / (2 * (most - least)) : INFINITY;
}

/* band[d][c] = (DᵀD)[c][c + d], and right = −DᵀD mean. */
static void make_equations(int order, int64_t count, const double *mean, double *const band[BAND], double *right)
{
    const double *d = difference[order];
    const int64_t taps = order + 2;
    for (int i = 0; i < BAND; i++) memset(band[i], 0, (size_t)count * sizeof *band[i]);
    memset(right, 0, (size_t)count * sizeof *right);
    for (int64_t row = 0; row + taps <= count; row++) {
        double dot = 0;
        for (int64_t i = 0; i < taps; i++) dot += d[i] * mean[row + i];
        for (int64_t i = 0; i < taps; i++) {
            right[row + i] -= d[i] * dot;
            for (int64_t j = i; j < taps; j++) band[j - i][row + i] += d[i] * d[j];
        }
    }
}

/* Solves the equations in place: the band becomes L, row by row below the diagonal, `right` the solution. */
static void solve(int64_t count, double *const band[BAND], double *right)
{
    for (int64_t c = 0; c < count; c++) {
        const double root = sqrt(band[0][c]);
        band[0][c] = root;
        for (int64_t i = 1; i < BAND && c + i < count; i++) band[i][c] /= root;
        for (int64_t i = 1; i < BAND && c + i < count; i++)
            for (int64_t j = i; j < BAND && c + j < count; j++) band[j - i][c + i] -= band[i][c] * band[j][c];
        right[c] /= root;
        for (int64_t i = 1; i < BAND && c + i < count; i++) right[c + i] -= band[i][c] * right[c];
    }
    for (int64_t c = count - 1; c >= 0; c--) {
        for (int64_t i = 1; i < BAND && c + i < count; i++) right[c] -= band[i][c] * right[c + i];
        right[c] /= band[0][c];
    }
}

static void find_offsets(int order, int64_t count, double alpha, const double *mean, double *const band[BAND],
                         double *offset)
{
    if (!(alpha <= 1e300)) { /* all angles have one sum */
        memset(offset, 0, (size_t)count * sizeof *offset);
        return;
    }
    make_equations(order, count, mean, band, offset);
    for (int64_t c = 0; c < count; c++) band[0][c] += alpha;
    solve(count, band, offset);
}

/* Replaces values by the product of both corrections; returns the least product. */
SINO_VECTORISED static float multiply(int64_t angle_count, int64_t column_count, const double *first,
                                      const double *second, float *sinogram)
{
    float least = INFINITY;
    for (int64_t k = 0; k < angle_count; k++) {
        float *row = sinogram + k * column_count;
        for (int64_t c = 0; c < column_count; c++) {
            row[c] = (row[c] + (float)first[c]) * (row[c] + (float)second[c]);
            least = row[c] < least ? row[c] : least;
        }
    }
    return least;
}

SINO_VECTORISED static void take_root(int64_t count, float offset, float *sinogram)
{
    for (int64_t i = 0; i < count; i++) sinogram[i] = sqrtf(sinogram[i] + offset);
}

void sino_stripes_ti_run(const SinoStripesOptions *options, float *work, float *sinogram)
{
    const int64_t columns = options->column_count, room = columns + 8;
    double *mean = (void *)work, *offset[ORDERS], *band[BAND];
    for (int i = 0; i < ORDERS; i++) offset[i] = mean + (1 + i) * room;
    for (int i = 0; i < BAND; i++) band[i] = mean + (1 + ORDERS + i) * room;
    const int64_t asked = options->ti_nblock > 0 ? options->ti_nblock : 1;
    const int64_t blocks = asked < options->angle_count ? asked : options->angle_count;
    float least = INFINITY;
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t first = b * options->angle_count / blocks, end = (b + 1) * options->angle_count / blocks;
        float *block = sinogram + first * columns;
        const double alpha = find_means(end - first, columns, block, mean);
        for (int i = 0; i < ORDERS; i++) find_offsets(i, columns, alpha, mean, band, offset[i]);
        least = fminf(least, multiply(end - first, columns, offset[0], offset[1], block));
    }
    take_root(options->angle_count * columns, (float)options->ti_alpha * fabsf(least), sinogram);
}
