/* SPDX-License-Identifier: BSD-3-Clause */
/* Center mirror: projections half a turn apart are mirror images about the rotation axis, wherever it lies. */
#include "center.h"
#include "memory.h"

#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pixels of the longer side of reduced images, at most; of the shorter one, at least; degrees that an axis leans, at
 * most, as --detector-tilt has it. */
enum { MOST_PIXELS = 128, LEAST_PIXELS = 8, MOST_LEAN = 10 };

/* Two reduced images, and their correlation, of twice the size, so that no shift wraps around. */
typedef struct Mirror {
    int64_t rows, columns, pixels, points;
    float *image[2];               /* [row][column] */
    double *values;                /* [2·row][2·column] */
    fftw_complex *spectrum, *left; /* [2·row][column + 1]; left: of the first image, as it is */
    double left_norm;
    fftw_plan forward, backward; /* values to spectrum and back */
} Mirror;

static void free_mirror(Mirror *mirror)
{
    if (mirror->forward) fftw_destroy_plan(mirror->forward);
    if (mirror->backward) fftw_destroy_plan(mirror->backward);
    free(mirror->image[0]);
    free(mirror->image[1]);
    free(mirror->values);
    free(mirror->spectrum);
    free(mirror->left);
}

/* On failure, too, the caller frees the mirror. */
static SinoStatus make_mirror(int64_t rows, int64_t columns, Mirror *made)
{
    const int64_t stored = sino_times(2 * rows, columns + 1);
    *made = (Mirror){.rows = rows, .columns = columns, .pixels = rows * columns, .points = 4 * rows * columns};
    for (int i = 0; i < 2; i++)
        SINO_TRY(sino_allocate(made->pixels, sizeof *made->image[i], "an image", &made->image[i]));
    SINO_TRY(sino_allocate(made->points, sizeof *made->values, "correlation", &made->values));
    SINO_TRY(sino_allocate(stored, sizeof *made->spectrum, "correlation", &made->spectrum));
    SINO_TRY(sino_allocate(stored, sizeof *made->left, "correlation", &made->left));
    const int height = (int)(2 * rows), width = (int)(2 * columns);
    made->forward = fftw_plan_dft_r2c_2d(height, width, made->values, made->spectrum, FFTW_ESTIMATE);
    made->backward = fftw_plan_dft_c2r_2d(height, width, made->spectrum, made->values, FFTW_ESTIMATE);
    SINO_CHECK(made->forward && made->backward, SINO_FAILED, "FFTW made no plan for %d × %d points", height, width);
    return NULL;
}

/* Means of factor × factor pixels. */
static void reduce(const Mirror *mirror, int64_t factor, int64_t columns, const float *from, float *to)
{
    for (int64_t p = 0; p < mirror->pixels; p++) {
        const float *corner = from + (p / mirror->columns * columns + p % mirror->columns) * factor;
        double sum = 0;
        for (int64_t i = 0; i < factor * factor; i++) sum += (double)corner[i / factor * columns + i % factor];
        to[p] = (float)(sum / (double)(factor * factor));
    }
}

/* Between four pixels; outside as at the edge. */
static double sample(const Mirror *mirror, const float *image, double row, double column)
{
    const double r = fmin(fmax(row, 0), (double)(mirror->rows - 1));
    const double c = fmin(fmax(column, 0), (double)(mirror->columns - 1));
    const int64_t r0 = sino_smaller((int64_t)r, mirror->rows - 2), c0 = sino_smaller((int64_t)c, mirror->columns - 2);
    const float *at = image + r0 * mirror->columns + c0;
    const double down = r - (double)r0, right = c - (double)c0;
    return (1 - down) * ((1 - right) * (double)at[0] + right * (double)at[1]) +
           down * ((1 - right) * (double)at[mirror->columns] + right * (double)at[mirror->columns + 1]);
}

/* Where a pixel of a turned image is read: column = turn[0]·column + turn[1]·row, row = turn[2]·column + turn[3]·row,
 * from the middle. */
static const double as_it_is[4] = {1, 0, 0, 1};

/* Transforms the turned image without its mean. Returns its norm. */
static double transform(const Mirror *mirror, const float *image, const double turn[4])
{
    const double middle_row = (double)(mirror->rows - 1) / 2, middle_column = (double)(mirror->columns - 1) / 2;
    double sum = 0, squares = 0;
    memset(mirror->values, 0, (size_t)mirror->points * sizeof *mirror->values);
    for (int64_t p = 0; p < mirror->pixels; p++) {
        const int64_t r = p / mirror->columns, c = p % mirror->columns;
        const double down = (double)r - middle_row, right = (double)c - middle_column;
        const double value = sample(mirror, image, turn[2] * right + turn[3] * down + middle_row,
                                    turn[0] * right + turn[1] * down + middle_column);
        mirror->values[2 * r * mirror->columns + c] = value;
        sum += value;
    }
    const double mean = sum / (double)mirror->pixels;
    for (int64_t p = 0; p < mirror->pixels; p++) {
        double *value = &mirror->values[2 * (p / mirror->columns) * mirror->columns + p % mirror->columns];
        *value -= mean;
        squares += *value * *value;
    }
    fftw_execute(mirror->forward);
    return sqrt(squares);
}

/* The correlation of the first image with the turned second one at the best shift, and without a shift. */
static double correlate(const Mirror *mirror, const double turn[4], double *still)
{
    const double norm = mirror->left_norm * transform(mirror, mirror->image[1], turn) * (double)mirror->points;
    double most = 0;
    for (int64_t i = 0; i < 2 * mirror->rows * (mirror->columns + 1); i++)
        mirror->spectrum[i] = mirror->left[i] * conj(mirror->spectrum[i]);
    fftw_execute(mirror->backward);
    for (int64_t i = 0; i < mirror->points; i++) most = fmax(most, mirror->values[i]);
    *still = norm > 0 ? mirror->values[0] / norm : 0;
    return norm > 0 ? most / norm : 0;
}

/* The second image is turned over about the lines that lean by whole degrees from the one `line_deg` from the rows. */
static double best_line(const Mirror *mirror, double line_deg, double *lean_deg)
{
    double most = -1, still;
    for (int lean = -MOST_LEAN; lean <= MOST_LEAN; lean++) {
        const double twice_rad = (line_deg + lean) * SINO_PI / 90, cosine = cos(twice_rad), sine = sin(twice_rad);
        const double here = correlate(mirror, (const double[]){cosine, sine, sine, -cosine}, &still);
        if (here <= most) continue;
        most = here;
        *lean_deg = lean;
    }
    return most;
}

SinoStatus sino_center_mirror(int64_t row_count, int64_t column_count, const float *image0, const float *image180,
                              SinoCenterMirror *found)
{
    const int64_t factor = (sino_larger(row_count, column_count) + MOST_PIXELS - 1) / MOST_PIXELS;
    const int64_t rows = row_count / factor, columns = column_count / factor;
    Mirror mirror = {0};
    SinoStatus status = NULL;
    double ignored;
    *found = (SinoCenterMirror){0};
    if (sino_smaller(rows, columns) < LEAST_PIXELS) return NULL;
    SINO_TRY_OR(status, cleanup, make_mirror(rows, columns, &mirror));
    reduce(&mirror, factor, column_count, image0, mirror.image[0]);
    reduce(&mirror, factor, column_count, image180, mirror.image[1]);
    mirror.left_norm = transform(&mirror, mirror.image[0], as_it_is);
    memcpy(mirror.left, mirror.spectrum, (size_t)(2 * rows * (columns + 1)) * sizeof *mirror.left);
    correlate(&mirror, as_it_is, &found->still);
    found->upright = best_line(&mirror, 90, &ignored);
    found->lying = best_line(&mirror, 0, &found->lean_deg);
cleanup:
    free_mirror(&mirror);
    return status;
}
