/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone center search: the rotation axis of a cone-beam scan, by rays and their reverses in the plane of the source. */
#include "arithmetic.h"
#include "center_search.h"
#include "checks.h"
#include "cone_tasks.h"
#include "simulation.h"
#include "stages.h"

#include <math.h>
#include <stdlib.h>

/* Half width of the search if the user gives none, as a share of the columns. */
static const double default_share = 0.25;

/* Reads the row in the plane of the source, between two rows by linear interpolation: *row is float[angle][column]. */
static SinoStatus read_row(SinoRuntime *runtime, const SinoInput *input, double center_row, float **row)
{
    const double last = (double)(input->slice_count - 1);
    SINO_CHECK(center_row >= -0.5 && center_row <= last + 0.5, SINO_BAD_INPUT,
               "the plane of the source is row %g of the %g rows that are used, so that no row shows the rotation axis "
               "from both sides; needed: --rotation-axis",
               center_row, last + 1);
    const double inside = fmin(fmax(center_row, 0), last);
    const int64_t above = (int64_t)inside, count = inside > (double)above ? 2 : 1;
    const int64_t rays = sino_times(input->angle_count, input->geometry.column_count);
    const float share = (float)(inside - (double)above);
    float *rows;
    SINO_TRY(sino_stages_read(runtime, input, false, false, above, count, &rows));
    for (int64_t i = 0; count == 2 && i < rays; i++) rows[i] += share * (rows[rays + i] - rows[i]);
    *row = rows;
    return NULL;
}

static void warn(SinoRuntime *runtime, const SinoInput *all, const SinoConeCenterSearch *search)
{
    if (search->result->found) return;
    sino_log_warning(sino_runtime_log(runtime), "center",
                     "the rotation axis was not found with confidence between columns %.1f and %.1f (rays and their "
                     "reverses differ by %.2g of what rays at random do); consider --rotation-axis, "
                     "--center-search-width or --angle-direction",
                     sino_input_column_of_file(all, search->first), sino_input_column_of_file(all, search->last),
                     search->result->score);
}

/* The input with all columns, and, where the plane of the source is not among its rows, with all rows, of which that is
 * number *center_row. */
static SinoInput whole_of(const SinoInput *input, double *center_row)
{
    SinoInput all = sino_input_with_all_columns(input);
    const double last = (double)(all.slice_count - 1), binning = (double)all.binning;
    if (*center_row >= -0.5 && *center_row <= last + 0.5) return all;
    *center_row += ((double)all.first_row - (double)all.first_slice * binning) / binning;
    all.slice_count = all.info->row_count / all.binning;
    all.row_count = sino_times(all.slice_count, all.binning);
    all.first_row = all.first_slice = 0;
    return all;
}

/* *center: as a column of the file. */
static SinoStatus find(SinoRuntime *runtime, const SinoCenterSettings *settings, const SinoCone *part,
                       const SinoInput *input, double *center)
{
    SinoCone cone = *part;
    const SinoInput whole = whole_of(input, &cone.center_row), *all = &whole;
    const double last = (double)(all->geometry.column_count - 1), asked = settings->search_width;
    const double width = asked > 0 ? asked / (double)all->binning : default_share * (last + 1);
    SinoConeCenter result = {.center = last / 2, .found = true}; /* which a simulation leaves */
    float *row;
    cone.column_count = all->geometry.column_count;
    cone.center = last / 2;
    SINO_TRY(read_row(runtime, all, cone.center_row, &row));
    const SinoConeCenterSearch search = {.cone = &cone,
                                         .sinogram = row,
                                         .first = fmax(last / 2 - width, 0),
                                         .last = fmin(last / 2 + width, last),
                                         .result = &result};
    SinoStatus status = sino_runtime_wait_after(runtime, sino_insert_cone_center(runtime, &search));
    free(row);
    if (status) return status;
    warn(runtime, all, &search);
    *center = sino_input_column_of_file(all, result.center);
    return NULL;
}

SinoStatus sino_cone_center_search(SinoRuntime *runtime, const SinoSettings *settings, const SinoCone *cone,
                                   SinoInput *input)
{
    double center;
    if (!isnan(settings->center.rotation_axis)) {
        SINO_TRY(sino_center_take(runtime, &settings->center, input));
    } else {
        SINO_TRY(find(runtime, &settings->center, cone, input, &center));
        input->geometry.center = sino_input_column_of_grid(input, center);
        sino_center_tell(runtime, input, SINO_SIMULATES ? "assumed" : "by rays and their reverses");
    }
    return sino_check_center(settings, input, sino_runtime_log(runtime));
}
