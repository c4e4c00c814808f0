/* SPDX-License-Identifier: BSD-3-Clause */
/* Center doubt: how far a center changes when it is searched with every second projection. */
#include "center_methods.h"
#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns to each side of the center in which the halves are searched. */
static const double width = 1;

/* Centers of halves of the projections are as far from that of all as this one is from the truth, on average; two
 * standard deviations are told. */
static const double deviations = 2;

/* Searches with projections first, first + 2, … */
static SinoStatus find_in_half(const SinoCenterRow *row, bool entropy, double around, int64_t first, double *center)
{
    SinoStatus status = NULL;
    SinoGeometry half = *row->geometry;
    SinoCenterFound found = {.center = around};
    const int64_t columns = half.column_count;
    float *sinogram = NULL;
    double *angle_rad = NULL;
    half.angle_count = (row->geometry->angle_count - first + 1) / 2;
    SINO_TRY_OR(status, cleanup, sino_allocate(half.angle_count, sizeof *angle_rad, "angles", &angle_rad));
    SINO_TRY_OR(status, cleanup,
                sino_allocate(sino_times(half.angle_count, columns), sizeof *sinogram, "a sinogram", &sinogram));
    for (int64_t k = 0; k < half.angle_count; k++) {
        angle_rad[k] = row->geometry->angle_rad[first + 2 * k];
        memcpy(sinogram + k * columns, row->sinogram + (first + 2 * k) * columns, (size_t)columns * sizeof *sinogram);
    }
    half.angle_rad = angle_rad;
    SinoCenterRow own = *row;
    own.geometry = &half;
    own.sinogram = sinogram;
    status = sino_center_near(&own, entropy, around, width, &found);
    *center = found.center;
cleanup:
    free(sinogram);
    free(angle_rad);
    return status;
}

SinoStatus sino_center_doubt(const SinoCenterRow *row, bool entropy, double center, double *doubt)
{
    enum { LEAST_ANGLES = 16 }; /* of half a turn, which is searched */
    const double half_turns = fmax(sino_center_span_rad(row->geometry) / SINO_PI, 1);
    *doubt = deviations * width;
    if ((double)row->geometry->angle_count < LEAST_ANGLES * half_turns) return NULL;
    double most = 0;
    for (int64_t first = 0; first < 2; first++) {
        double half;
        SINO_TRY(find_in_half(row, entropy, center, first, &half));
        most = fmax(most, fabs(half - center));
    }
    *doubt = deviations * most;
    return NULL;
}
