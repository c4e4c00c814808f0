/* SPDX-License-Identifier: BSD-3-Clause */
/* Slice quality: entropy, noise and rings. */
#include "slice_quality.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>

/* Classes of the histogram, which reach to so many standard deviations from the mean. */
enum { CLASSES = 256 };
static const double reach = 8;

/* Circles nearer to the axis have too few voxels. */
enum { FIRST_CIRCLE = 8 };

/* Mean and standard deviation. */
static void moments(int64_t count, const float *values, double *mean, double *deviation)
{
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < count; i++) {
        sum += (double)values[i];
        squares += (double)values[i] * (double)values[i];
    }
    *mean = count > 0 ? sum / (double)count : 0;
    *deviation = count > 0 ? sqrt(fmax(squares / (double)count - *mean * *mean, 0)) : 0;
}

double sino_slice_entropy(int64_t count, const float *values)
{
    int64_t members[CLASSES] = {0};
    double mean, deviation, entropy = 0;
    moments(count, values, &mean, &deviation);
    if (!(deviation > 0)) return 0;
    for (int64_t i = 0; i < count; i++) {
        const double place = (((double)values[i] - mean) / (2 * reach * deviation) + 0.5) * CLASSES;
        if (place >= 0 && place < CLASSES) members[(int)place]++;
    }
    for (int i = 0; i < CLASSES; i++) {
        const double share = (double)members[i] / (double)count;
        if (share > 0) entropy -= share * log(share);
    }
    return entropy;
}

/* Distance of a voxel to the axis, in voxels. */
static double distance(int64_t size, int64_t row, int64_t column)
{
    const double middle = 0.5 * (double)(size - 1);
    return hypot((double)row - middle, (double)column - middle);
}

/* Immerkær's operator at every voxel whose neighbours lie in the circle. */
static double noise_of(int64_t size, const float *slice)
{
    const double radius = 0.5 * (double)size - 2;
    double sum = 0;
    int64_t count = 0;
    for (int64_t r = 1; r < size - 1; r++)
        for (int64_t c = 1; c < size - 1; c++) {
            if (distance(size, r, c) > radius) continue;
            const float *up = slice + (r - 1) * size + c, *at = up + size, *down = at + size;
            sum += fabs((double)up[-1] - 2 * (double)up[0] + (double)up[1] - 2 * (double)at[-1] + 4 * (double)at[0] -
                        2 * (double)at[1] + (double)down[-1] - 2 * (double)down[0] + (double)down[1]);
            count++;
        }
    return count > 0 ? sqrt(SINO_PI / 2) * sum / (6 * (double)count) : 0;
}

/* mean[d] of the circle of distance d; sum and count are work. */
static double rings_of(int64_t size, const float *slice, double deviation, double *mean, int64_t *count)
{
    const int64_t circles = size / 2;
    double squares = 0;
    int64_t compared = 0;
    for (int64_t r = 0; r < size; r++)
        for (int64_t c = 0; c < size; c++) {
            const int64_t d = llround(distance(size, r, c));
            if (d >= circles) continue;
            mean[d] += (double)slice[r * size + c];
            count[d]++;
        }
    for (int64_t d = 0; d < circles; d++) mean[d] = count[d] > 0 ? mean[d] / (double)count[d] : 0;
    for (int64_t d = FIRST_CIRCLE; d < circles - 1; d++, compared++) {
        const double off = mean[d] - (mean[d - 1] + mean[d + 1]) / 2;
        squares += off * off;
    }
    return compared > 0 && deviation > 0 ? sqrt(squares / (double)compared) / deviation : 0;
}

SinoStatus sino_slice_quality(int64_t size, const float *slice, SinoSliceQuality *quality)
{
    SinoStatus status = NULL;
    float *inside = NULL;
    double *mean = NULL, average, deviation;
    int64_t *members = NULL, count = 0;
    SINO_TRY_OR(status, cleanup, sino_allocate(sino_times(size, size), sizeof *inside, "a slice", &inside));
    SINO_TRY_OR(status, cleanup, sino_allocate(size / 2 + 1, sizeof *mean, "circles", &mean));
    SINO_TRY_OR(status, cleanup, sino_allocate(size / 2 + 1, sizeof *members, "circles", &members));
    for (int64_t r = 0; r < size; r++)
        for (int64_t c = 0; c < size; c++)
            if (distance(size, r, c) <= 0.5 * (double)size) inside[count++] = slice[r * size + c];
    moments(count, inside, &average, &deviation);
    quality->entropy = sino_slice_entropy(count, inside);
    quality->noise = noise_of(size, slice);
    quality->rings = rings_of(size, slice, deviation, mean, members);
cleanup:
    free(inside);
    free(mean);
    free(members);
    return status;
}
