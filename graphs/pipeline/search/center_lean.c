/* SPDX-License-Identifier: BSD-3-Clause */
/* Center lean: centers of some rows at the top, in the middle and at the bottom of the detector. */
#include "center_lean.h"

#include "arithmetic.h"
#include "center.h"
#include "center_methods.h"
#include "job_kind.h"
#include "memory.h"
#include "quick_rows.h"

#include <math.h>
#include <stdlib.h>

/* Rows that tell a center, at least and at most; columns. */
enum { LEAST_ROWS = 8, MOST_ROWS = 128 };
static const double agreement = 0.5, much = 1;

/* *center of some rows; NaN: they have no content. */
static SinoStatus center_of(const SinoInput *input, int64_t opposite, int64_t first_row, int64_t rows, double *center)
{
    SinoStatus status = NULL;
    SinoQuickRows band;
    float *pair = NULL;
    const int64_t columns = input->info->column_count, pixels = sino_times(rows, columns);
    *center = NAN;
    SINO_TRY_OR(status, cleanup, sino_quick_rows_open(input, first_row, rows, &band));
    SINO_TRY_OR(status, cleanup, sino_allocate(2 * pixels, sizeof *pair, "projections", &pair));
    SINO_TRY_OR(status, cleanup, sino_quick_rows_read(&band, 0, pair));
    SINO_TRY_OR(status, cleanup, sino_quick_rows_read(&band, opposite, pair + pixels));
    SinoStatus alike = sino_center_phase_correlation(rows, columns, pair, pair + pixels, center);
    if (alike && sino_status_exit_code(alike) != SINO_BAD_INPUT) status = alike;
    if (alike && !status) sino_status_free(alike);
cleanup:
    sino_quick_rows_close(&band);
    free(pair);
    return status;
}

SinoStatus sino_center_lean(const SinoSettings *settings, const SinoInput *input, SinoFindings *findings)
{
    const SinoGeometry *geometry = &input->geometry;
    const int64_t rows = sino_smaller(input->row_count / 2, MOST_ROWS), apart = input->row_count - rows;
    double center[3];
    if (sino_job_kind(settings)->beam != SINO_BEAM_PARALLEL || input->tilt_rad != 0 || rows < LEAST_ROWS) return NULL;
    const int64_t opposite = sino_center_opposite(geometry);
    if (opposite < 0 || sino_center_is_whole_turn(geometry)) return NULL;
    for (int64_t i = 0; i < 3; i++)
        SINO_TRY(center_of(input, opposite, input->first_row + i * apart / 2, rows, &center[i]));
    const double lean = center[2] - center[0];
    if (!(fabs(lean) > much) || fabs((center[0] + center[2]) / 2 - center[1]) > agreement) return NULL;
    sino_findings_add(findings, false, "center",
                      "the rotation axis leans: the last rows have their center %.1f columns beside that of the first "
                      "ones; --detector-tilt %.2f turns the projections back",
                      lean, atan2(lean, (double)apart) * 180 / SINO_PI);
    return NULL;
}
