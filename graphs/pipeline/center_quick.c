/* SPDX-License-Identifier: BSD-3-Clause */
/* Quick center: the rotation axis of a half acquisition, given or by pairs of opposite projections. */
#include "center_quick.h"

#include "arithmetic.h"
#include "center_methods.h"
#include "memory.h"

#include <math.h>
#include <stdlib.h>

SinoStatus sino_center_given(const SinoSettings *settings, const SinoInput *input, double *center)
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

/* The middle row of the detector, all columns, without binning. */
typedef struct Row {
    const SinoInput *input;
    SinoScanBox box;
    float *flat, *dark, *counts; /* [column]; means of the fields; owned */
} Row;

/* Fields that are averaged. */
enum { FIELDS = 16 };

typedef SinoStatus ReadFields(SinoScan *scan, int64_t first, int64_t count, const SinoScanBox *box, float *counts);

static SinoStatus mean_of_fields(Row *row, ReadFields *read, int64_t images, float *mean)
{
    const int64_t taken = sino_smaller(images, FIELDS);
    for (int64_t i = 0; i < taken; i++) {
        SINO_TRY(read(row->input->scan, i * images / taken, 1, &row->box, row->counts));
        for (int64_t c = 0; c < row->box.column_count; c++) mean[c] += row->counts[c] / (float)taken;
    }
    return NULL;
}

static SinoStatus open_row(const SinoInput *input, Row *row)
{
    const int64_t columns = input->info->column_count;
    const bool fields = input->flat_correction != SINO_FLAT_NONE;
    *row =
        (Row){.input = input,
              .box = {.first_row = input->first_row + input->row_count / 2, .row_count = 1, .column_count = columns}};
    SINO_TRY(sino_allocate(columns, sizeof *row->flat, "a row", &row->flat));
    SINO_TRY(sino_allocate(columns, sizeof *row->dark, "a row", &row->dark));
    SINO_TRY(sino_allocate(columns, sizeof *row->counts, "a row", &row->counts));
    if (!fields) return NULL;
    SINO_TRY(mean_of_fields(row, sino_scan_read_some_flats, input->info->flat_count, row->flat));
    return mean_of_fields(row, sino_scan_read_some_darks, input->info->dark_count, row->dark);
}

static void close_row(Row *row)
{
    free(row->flat);
    free(row->dark);
    free(row->counts);
}

/* Line integrals of a projection; an undefined one is that of the column before. */
static SinoStatus read_projection(void *context, int64_t angle, float *integral)
{
    Row *row = context;
    const SinoInput *input = row->input;
    float before = 0;
    SINO_TRY(sino_scan_read_projection(input->scan, angle, &row->box, integral));
    for (int64_t c = 0; c < row->box.column_count; c++) {
        if (input->flat_correction != SINO_FLAT_NONE)
            integral[c] = (integral[c] - row->dark[c]) / (row->flat[c] - row->dark[c]);
        if (input->minus_log) integral[c] = -logf(integral[c]);
        if (!isfinite(integral[c])) integral[c] = before;
        before = integral[c];
    }
    return NULL;
}

/* *center: of the input's geometry; NaN: opposite projections are unlike, or there are none. */
static SinoStatus search(const SinoInput *input, double *center)
{
    Row row;
    SinoCenterFound found;
    SinoGeometry whole = input->geometry;
    whole.column_count = input->info->column_count;
    *center = NAN;
    SinoStatus status = open_row(input, &row);
    if (!status) status = sino_center_of_pairs(&whole, read_projection, &row, &found);
    close_row(&row);
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
    if (settings->geometry == SINO_GEOMETRY_CONE) return NULL;
    SINO_TRY(sino_center_given(settings, input, &center));
    if (isnan(settings->rotation_axis)) {
        if (!sino_center_is_whole_turn(&input->geometry)) return NULL;
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
