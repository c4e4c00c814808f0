/* SPDX-License-Identifier: BSD-3-Clause */
/* Center in several rows: the search is repeated in other rows, near the center of the first one. */
#include "center_methods.h"

#include "arithmetic.h"
#include "center.h"
#include "stages.h"

#include <math.h>
#include <stdlib.h>

static const double near = 0.5, further = 6; /* columns to each side of the first row's center */
static const double least_signal = 0.2;      /* of the first row's */

/* The least uncertainty, half a step of the search: phantoms have edges within columns. */
static const double resolution = 0.05;

static double deviation(int64_t count, const float *value)
{
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < count; i++) sum += (double)value[i];
    const double mean = sum / (double)count;
    for (int64_t i = 0; i < count; i++) squares += ((double)value[i] - mean) * ((double)value[i] - mean);
    return sqrt(squares / (double)count);
}

static SinoStatus find(const SinoCenterRow *row, SinoCenterMethod method, double around, SinoCenterFound *found)
{
    const SinoCenterRange wide = {around - further, around + further};
    if (method == SINO_CENTER_PAIRS) return sino_center_by_pairs(row, found);
    SINO_TRY(sino_center_near(row, method == SINO_CENTER_ENTROPY, around, near, found));
    if (!found->at_edge) return NULL;
    return method == SINO_CENTER_ENTROPY ? sino_center_by_entropy(row, 1, &wide, found)
                                         : sino_center_by_vo(row, wide, found);
}

/* Reads the slice. *sinogram is NULL if it has too little signal. */
static SinoStatus read_slice(SinoRuntime *runtime, const SinoInput *input, double signal, int64_t slice,
                             float **sinogram)
{
    const int64_t rays = sino_times(input->angle_count, input->geometry.column_count);
    SINO_TRY(sino_stages_read(runtime, input, false, false, slice, 1, sinogram));
    if (deviation(rays, *sinogram) >= least_signal * signal) return NULL;
    free(*sinogram);
    *sinogram = NULL;
    return NULL;
}

SinoStatus sino_center_add_moments(const SinoCenterRow *row, SinoCenterRows *rows)
{
    const SinoGeometry *geometry = row->geometry;
    double center, uncertainty;
    SINO_TRY(sino_center_moments(geometry->angle_count, geometry->angle_rad, geometry->column_count, row->sinogram,
                                 rows->center[0], &center, &uncertainty));
    if (isinf(uncertainty)) return NULL;
    rows->moments[rows->moment_count] = center;
    rows->uncertainty[rows->moment_count++] = uncertainty;
    return NULL;
}

/* Adds the row a quarter of the slices from one end, or the one halfway from there to the first. */
static SinoStatus add_row(SinoRuntime *runtime, const SinoInput *input, SinoCenterMethod method,
                          const SinoCenterRow *first, double signal, int64_t slice, bool below, SinoCenterRows *rows)
{
    const int64_t quarter = below ? input->slice_count - 1 - input->slice_count / 4 : input->slice_count / 4;
    SinoCenterRow row = *first;
    SinoCenterFound found = {0};
    float *sinogram = NULL;
    for (int64_t step = 1; step <= 2 && !sinogram; step++) {
        const int64_t at = slice + (quarter - slice) / step;
        if (below ? at <= slice : at >= slice) return NULL;
        SINO_TRY(read_slice(runtime, input, signal, at, &sinogram));
    }
    if (!sinogram) return NULL;
    row.sinogram = sinogram;
    SinoStatus status = sino_center_order_apply(row.order, sinogram);
    if (!status && method != SINO_CENTER_PHASE) {
        status = find(&row, method, rows->center[0], &found);
        if (!status) rows->center[rows->count++] = found.center;
    }
    if (!status && rows->moment_count > 0) status = sino_center_add_moments(&row, rows);
    free(sinogram);
    return status;
}

SinoStatus sino_center_add_rows(SinoRuntime *runtime, const SinoInput *input, SinoCenterMethod method,
                                const SinoCenterRow *row, int64_t slice, SinoCenterRows *rows)
{
    const int64_t rays = sino_times(input->angle_count, input->geometry.column_count);
    const double signal = deviation(rays, row->sinogram);
    SINO_TRY(add_row(runtime, input, method, row, signal, slice, false, rows));
    return add_row(runtime, input, method, row, signal, slice, true, rows);
}

static double half_range(int64_t count, const double *center)
{
    double least = center[0], most = center[0];
    for (int64_t i = 1; i < count; i++) {
        least = fmin(least, center[i]);
        most = fmax(most, center[i]);
    }
    return (most - least) / 2;
}

static double median(const SinoCenterRows *rows)
{
    const double *c = rows->center;
    if (rows->count == 1) return c[0];
    if (rows->count == 2) return (c[0] + c[1]) / 2;
    return fmax(fmin(c[0], c[1]), fmin(fmax(c[0], c[1]), c[2]));
}

SinoCenterEstimate sino_center_of_rows(const SinoCenterRows *rows, double doubt)
{
    return (SinoCenterEstimate){median(rows), fmax(fmax(half_range(rows->count, rows->center), doubt), resolution)};
}

SinoCenterEstimate sino_center_of_moments(const SinoCenterRows *rows)
{
    double sum = 0, weights = 0, least = INFINITY;
    if (rows->moment_count == 0) return (SinoCenterEstimate){0, INFINITY};
    for (int64_t i = 0; i < rows->moment_count; i++) {
        const double here = fmax(rows->uncertainty[i], resolution), weight = 1 / (here * here);
        sum += weight * rows->moments[i];
        weights += weight;
        least = fmin(least, here);
    }
    return (SinoCenterEstimate){sum / weights, fmax(least, half_range(rows->moment_count, rows->moments))};
}

SinoCenterEstimate sino_center_mean(SinoCenterEstimate a, SinoCenterEstimate b)
{
    const double wa = 1 / (a.uncertainty * a.uncertainty), wb = 1 / (b.uncertainty * b.uncertainty);
    const double apart = 2 * fabs(a.center - b.center) / hypot(a.uncertainty, b.uncertainty);
    return (SinoCenterEstimate){(wa * a.center + wb * b.center) / (wa + wb),
                                fmax(fmax(apart, 1) / sqrt(wa + wb), resolution)};
}
