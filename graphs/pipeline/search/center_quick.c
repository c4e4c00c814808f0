/* SPDX-License-Identifier: BSD-3-Clause */
/* Quick center: the rotation axis of a half acquisition, given or by pairs of opposite projections; and centers
 * of some rows at the top, in the middle and at the bottom of the detector. */
#include "center_search.h"

#include "center.h"
#include "center_methods.h"
#include "job_kind.h"
#include "memory.h"

#include <math.h>
#include <stdlib.h>

SinoStatus sino_center_given(const SinoCenterSettings *settings, const SinoInput *input, double *center)
{
    const double last = (double)(input->info->column_count - 1);
    const bool given = !isnan(settings->rotation_axis);
    SINO_CHECK(!given || (settings->rotation_axis >= 0 && settings->rotation_axis <= last), SINO_BAD_INPUT,
               "rotation-axis is %g; allowed: auto, or a column of the detector, 0 to %g", settings->rotation_axis,
               last);
    *center = given ? sino_input_column_of_grid(input, settings->rotation_axis)
                    : (double)(input->geometry.column_count - 1) / 2;
    return NULL;
}

/* *center: of the input's geometry; NaN: opposite projections are unlike, or there are none. */
static SinoStatus search(const SinoInput *input, double *center)
{
    SinoQuickRows row;
    SinoCenterFound found;
    SinoGeometry whole = input->geometry;
    whole.column_count = input->info->column_count;
    *center = NAN;
    SinoStatus status = sino_quick_rows_open(input, input->first_row + input->row_count / 2, 1, &row);
    if (!status) status = sino_center_of_pairs(&whole, sino_quick_rows_read, &row, &found);
    sino_quick_rows_close(&row);
    if (status && sino_status_exit_code(status) == SINO_BAD_INPUT) {
        sino_status_free(status);
        return NULL;
    }
    if (!status && found.metric >= SINO_CENTER_LIKENESS) *center = sino_input_column_of_grid(input, found.center);
    return status;
}

SinoStatus sino_center_quick(const SinoSettings *settings, SinoInput *input, SinoFindings *findings)
{
    double center;
    const int64_t before = findings->count;
    SINO_TRY(sino_center_given(&settings->center, input, &center));
    if (isnan(settings->center.rotation_axis)) {
        if (sino_job_is_cone(settings) || !sino_center_is_whole_turn(&input->geometry)) return NULL;
        SINO_TRY(search(input, &center));
        if (isnan(center)) return NULL;
    }
    const double unknown = input->geometry.center;
    input->geometry.center = center;
    SINO_TRY(sino_suspect_center(settings, input, findings));
    if (findings->half_side > 0) SINO_TRY(sino_input_enlarge(input, findings->half_side, input->geometry.margin));
    if (findings->count == before && !sino_input_is_half(input)) input->geometry.center = unknown;
    return NULL;
}

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
