/* SPDX-License-Identifier: BSD-3-Clause */
/* Center by phase correlation: a projection and the projection half a turn later are mirror images about the axis. */
#include "arithmetic.h"
#include "center.h"
#include "center_methods.h"
#include "simulation.h"
#include "stages.h"

#include <math.h>
#include <stdlib.h>

/* The angle nearest to half a turn after the first, at most half a degree off, or −1. *off: by how many radians. */
static int64_t opposite_angle(const SinoGeometry *geometry, double *off)
{
    const double allowed_rad = SINO_PI / 360;
    int64_t opposite = -1;
    double least = INFINITY;
    for (int64_t k = 1; k < geometry->angle_count; k++) {
        const double turned = geometry->angle_rad[k] - geometry->angle_rad[0];
        const double here = fabs(fabs(remainder(turned, 2 * SINO_PI)) - SINO_PI);
        if (here >= least) continue;
        least = here;
        opposite = k;
    }
    /* A scan of [0°, 180°) ends one step short of half a turn. */
    const int64_t steps = geometry->angle_count - 1;
    const double step = steps > 0 ? sino_center_span_rad(geometry) / (double)steps : 0;
    *off = least;
    return least <= fmax(allowed_rad, 1.5 * step) ? opposite : -1;
}

int64_t sino_center_opposite(const SinoGeometry *geometry)
{
    double off;
    return opposite_angle(geometry, &off);
}

/* Reads the line integrals of one projection: float[row][column]; the caller frees them. */
static SinoStatus read_projection(SinoRuntime *runtime, const SinoInput *input, int64_t angle, float **projection)
{
    SinoAngleRun run = {.first = angle, .count = 1};
    SinoInput one = *input;
    one.run = &run;
    one.run_count = 1;
    one.angle_count = 1;
    return sino_stages_read(runtime, &one, true, false, 0, input->slice_count, projection);
}

/* Reads the first projection and the opposite one; the caller frees both, on failure, too. */
static SinoStatus read_pair(SinoRuntime *runtime, const SinoInput *input, int64_t opposite, float *pair[2])
{
    pair[0] = pair[1] = NULL;
    SINO_TRY(read_projection(runtime, input, 0, &pair[0]));
    return read_projection(runtime, input, opposite, &pair[1]);
}

/* The center of each half of the rows by itself. Halves without content give centers that do not agree with that of all
 * rows, and tell nothing. */
static double lean_of(const SinoInput *input, const float *first, const float *second, double center)
{
    enum { LEAST_ROWS = 16 };
    const double agreement = 0.5;
    const int64_t half = input->slice_count / 2, columns = input->geometry.column_count;
    const int64_t lower = (input->slice_count - half) * columns;
    double upper_center = NAN, lower_center = NAN;
    if (input->slice_count < LEAST_ROWS) return NAN;
    SinoStatus status = sino_center_phase_correlation(half, columns, first, second, &upper_center);
    if (!status) status = sino_center_phase_correlation(half, columns, first + lower, second + lower, &lower_center);
    const bool told = !status && fabs((upper_center + lower_center) / 2 - center) <= agreement;
    sino_status_free(status);
    return told ? lower_center - upper_center : NAN;
}

SinoStatus sino_center_by_phase(SinoRuntime *runtime, const SinoInput *input, SinoCenterFound *found)
{
    SinoStatus status = NULL;
    float *pair[2];
    double off;
    const int64_t opposite = opposite_angle(&input->geometry, &off);
    SINO_CHECK(opposite >= 0, SINO_BAD_INPUT,
               "no two angles are half a turn apart (the nearest pair is %.2f degrees off), which phase correlation "
               "needs; give --rotation-axis, or --rotation-axis-auto vo",
               off * 180 / SINO_PI);
    *found = (SinoCenterFound){.metric = NAN, .lean = NAN};
    SINO_TRY_OR(status, cleanup, read_pair(runtime, input, opposite, pair));
    if (!SINO_SIMULATES)
        status = sino_center_phase_correlation(input->slice_count, input->geometry.column_count, pair[0], pair[1],
                                               &found->center);
    if (!status && !SINO_SIMULATES) found->lean = lean_of(input, pair[0], pair[1], found->center);
cleanup:
    free(pair[0]);
    free(pair[1]);
    return status;
}

SinoStatus sino_center_mirrored(SinoRuntime *runtime, const SinoInput *input, SinoCenterMirror *mirror)
{
    SinoStatus status = NULL;
    float *pair[2];
    const int64_t opposite = sino_center_opposite(&input->geometry);
    *mirror = (SinoCenterMirror){0};
    if (opposite < 0) return NULL;
    SINO_TRY_OR(status, cleanup, read_pair(runtime, input, opposite, pair));
    status = sino_center_mirror(input->slice_count, input->geometry.column_count, pair[0], pair[1], mirror);
cleanup:
    free(pair[0]);
    free(pair[1]);
    return status;
}
