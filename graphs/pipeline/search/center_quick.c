/* SPDX-License-Identifier: BSD-3-Clause */
/* Quick center: the rotation axis of a half acquisition, given or by pairs of opposite projections. */
#include "center_quick.h"

#include "center_methods.h"
#include "job_kind.h"
#include "quick_rows.h"

#include <math.h>

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
