/* SPDX-License-Identifier: BSD-3-Clause */
/* Center by phase correlation: a projection and the projection half a turn later are mirror images about the axis. */
#include "arithmetic.h"
#include "center.h"
#include "center_search.h"
#include "stages.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The angle nearest to half a turn after the first, at most half a degree off. */
static SinoStatus opposite_angle(const SinoGeometry *geometry, int64_t *opposite)
{
    const double allowed_rad = SINO_PI / 360;
    double least = INFINITY;
    for (int64_t k = 1; k < geometry->angle_count; k++) {
        const double off = fabs(fabs(geometry->angle_rad[k] - geometry->angle_rad[0]) - SINO_PI);
        if (off >= least) continue;
        least = off;
        *opposite = k;
    }
    /* A scan of [0°, 180°) ends one step short of half a turn. */
    const double step = geometry->angle_count > 1 ? fabs(geometry->angle_rad[1] - geometry->angle_rad[0]) : 0;
    SINO_CHECK(least <= fmax(allowed_rad, 1.5 * step), SINO_BAD_INPUT,
               "no two angles are half a turn apart (the nearest pair is %.2f degrees off), which phase correlation "
               "needs; give --rotation-axis, or --rotation-axis-auto vo",
               least * 180 / SINO_PI);
    return NULL;
}

/* Reads the line integrals of one projection: float[row][column]; the caller frees them. */
static SinoStatus read_projection(SinoRuntime *runtime, const SinoInput *input, int64_t angle, float **projection)
{
    SinoAngleRun run = {.first = angle, .count = 1};
    SinoInput one = *input;
    one.run = &run;
    one.run_count = 1;
    one.angle_count = 1;
    return sino_stages_read(runtime, &one, true, 0, input->slice_count, projection);
}

SinoStatus sino_center_by_phase(SinoRuntime *runtime, const SinoInput *input, double *center)
{
    SinoStatus status = NULL;
    float *first = NULL, *second = NULL;
    int64_t opposite = 0;
    SINO_TRY(opposite_angle(&input->geometry, &opposite));
    SINO_TRY_OR(status, cleanup, read_projection(runtime, input, 0, &first));
    SINO_TRY_OR(status, cleanup, read_projection(runtime, input, opposite, &second));
    status = sino_center_phase_correlation(input->slice_count, input->geometry.column_count, first, second, center);
cleanup:
    free(first);
    free(second);
    return status;
}
