/* SPDX-License-Identifier: BSD-3-Clause */
/* Center search: the rotation center of a scan, given or found.
 *
 * Vo's method minimises its metric over whole columns, then over tenths of a column around the best one. Phase
 * correlation compares the projections at 0° and 180°, the method of pairs all opposite projections of a whole turn. */
#include "center_search.h"

#include "arithmetic.h"
#include "center_task.h"
#include "memory.h"
#include "stages.h"
#include "suspicion.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Parameters of Vo's paper: the object-to-field ratio, and the number of rows about zero frequency that are left
 * out. */
static const double vo_radius_ratio = 0.5;
enum { VO_DROP = 20 };

/* Half width of the search, in detector columns, if the user gives none. */
static const double default_width = 50;

static double degrees_from_first(const SinoGeometry *geometry, int64_t angle)
{
    return fabs(geometry->angle_rad[angle] - geometry->angle_rad[0]) * 180 / SINO_PI;
}

/* Number of leading angles that cover half a turn. */
static SinoStatus half_turn(const SinoGeometry *geometry, int64_t *angle_count)
{
    int64_t count = 1;
    while (count < geometry->angle_count && degrees_from_first(geometry, count) < 180.001) count++;
    const double covered = degrees_from_first(geometry, count - 1);
    SINO_CHECK(covered > 150, SINO_BAD_INPUT,
               "the angles cover %.1f degrees; finding the center needs about 180; give --rotation-axis", covered);
    *angle_count = count;
    return NULL;
}

/* Computes, by tasks, the metrics of the `count` candidates first, first + step, … */
static SinoStatus try_candidates(SinoRuntime *runtime, const SinoCenterVo *vo, int64_t count, double first, double step,
                                 double *best, bool *at_edge)
{
    SinoStatus status = NULL;
    double *candidate = NULL, *metric = NULL;
    SINO_TRY_OR(status, cleanup, sino_allocate(count, sizeof *candidate, "centers", &candidate));
    SINO_TRY_OR(status, cleanup, sino_allocate(count, sizeof *metric, "centers", &metric));
    for (int64_t i = 0; i < count; i++) candidate[i] = first + (double)i * step;
    const int64_t share = count / (4 * sino_runtime_worker_count(runtime)) + 1;
    for (int64_t i = 0; i < count && !status; i += share)
        status = sino_insert_center(runtime, vo, count - i < share ? count - i : share, candidate + i, metric + i);
    SINO_TRY_OR(status, cleanup, sino_runtime_wait_after(runtime, status));
    int64_t least = 0;
    for (int64_t i = 1; i < count; i++)
        if (metric[i] < metric[least]) least = i;
    *best = candidate[least];
    *at_edge = least == 0 || least == count - 1;
cleanup:
    free(candidate);
    free(metric);
    return status;
}

/* Whether the angles cover a whole turn but for 10 degrees. */
static bool is_whole_turn(const SinoGeometry *geometry)
{
    const int64_t last = geometry->angle_count - 1;
    const double covered = degrees_from_first(geometry, last);
    return last > 0 && covered + covered / (double)last >= 350;
}

/* The center by Vo's method; *at_edge: it lies at the end of the search. */
static SinoStatus search_vo(SinoRuntime *runtime, const SinoInput *input, double width, const SinoCenterVo *vo,
                            double *center, bool *at_edge)
{
    const double middle = (double)(input->geometry.column_count - 1) / 2;
    const double last = (double)(input->geometry.column_count - 1);
    const double first = fmax(ceil(middle - width), 0), end = fmin(floor(middle + width), last);
    bool fine_at_edge;
    SINO_TRY(try_candidates(runtime, vo, (int64_t)(end - first) + 1, first, 1, center, at_edge));
    const double low = fmax(*center - 2, 0), high = fmin(*center + 2, last);
    SINO_TRY(try_candidates(runtime, vo, (int64_t)((high - low) / 0.1 + 0.5) + 1, low, 0.1, center, &fine_at_edge));
    *at_edge &= end > first;
    if (*at_edge && !is_whole_turn(&input->geometry))
        sino_log_warning(sino_runtime_log(runtime), "center",
                         "the center found lies at the end of the search, columns %.1f to %.1f; consider "
                         "--center-search-width or --rotation-axis",
                         sino_input_column_of_file(input, first), sino_input_column_of_file(input, end));
    return NULL;
}

static SinoStatus find_vo(SinoRuntime *runtime, const SinoSettings *settings, const SinoInput *input, double *center,
                          bool *at_edge)
{
    SinoStatus status = NULL;
    SinoCenterVo *vo = NULL;
    float *sinogram = NULL;
    int64_t slice, angle_count;
    SINO_TRY(half_turn(&input->geometry, &angle_count));
    SINO_TRY(sino_input_slice_of_row(input, settings->nsino, &slice));
    SINO_TRY(sino_stages_read(runtime, input, false, slice, 1, &sinogram));
    /* With `try`, --center-search-width is the width of the centers tried, not of this search. */
    const bool full = settings->reconstruction_type == SINO_RECONSTRUCTION_FULL;
    const double asked = full ? settings->center_search_width : 0;
    const double width = (asked > 0 ? asked : default_width) / (double)input->binning;
    SINO_TRY_OR(status, cleanup,
                sino_center_vo_new(angle_count, input->geometry.column_count, sinogram, vo_radius_ratio, VO_DROP, &vo));
    status = search_vo(runtime, input, width, vo, center, at_edge);
cleanup:
    sino_center_vo_free(vo);
    free(sinogram);
    return status;
}

void sino_center_tell(SinoRuntime *runtime, const SinoInput *input, const char *how)
{
    const double center = input->geometry.center, of_file = sino_input_column_of_file(input, center);
    SinoLog *log = sino_runtime_log(runtime);
    if (input->geometry.column_count == input->info->column_count)
        sino_log_info(log, "center", "rotation center: column %.2f (%s)", of_file, how);
    else
        sino_log_info(log, "center",
                      "rotation center: column %.2f (%s), which is column %.2f of the %" PRId64
                      " columns after crop and binning",
                      of_file, how, center, input->geometry.column_count);
}

static SinoStatus find_pairs(SinoRuntime *runtime, const SinoSettings *settings, const SinoInput *input, double *center)
{
    const double usual = 0.8;
    double likeness;
    int64_t slice;
    SINO_TRY(sino_input_slice_of_row(input, settings->nsino, &slice));
    SINO_TRY(sino_center_by_pairs(runtime, input, slice, center, &likeness));
    if (likeness < usual)
        sino_log_warning(sino_runtime_log(runtime), "center",
                         "opposite projections are little alike (correlation %.2f); look at the slice, or give "
                         "--rotation-axis",
                         likeness);
    return NULL;
}

/* Finds the center from all columns. *center: as a column of the file; *how: the method that found it. Vo's method
 * looks near the middle of the detector; the axis of a half acquisition is elsewhere. */
static SinoStatus find(SinoRuntime *runtime, const SinoSettings *settings, const SinoInput *input, double *center,
                       const char **how)
{
    const SinoInput all = sino_input_with_all_columns(input);
    SinoCenterMethod method = settings->center_method;
    double found = 0;
    bool at_edge = false;
    if (method == SINO_CENTER_PHASE) SINO_TRY(sino_center_by_phase(runtime, &all, &found));
    if (method == SINO_CENTER_VO) SINO_TRY(find_vo(runtime, settings, &all, &found, &at_edge));
    if (at_edge && is_whole_turn(&all.geometry)) method = SINO_CENTER_PAIRS;
    if (method == SINO_CENTER_PAIRS) SINO_TRY(find_pairs(runtime, settings, &all, &found));
    static const char *const names[] = {[SINO_CENTER_VO] = "by Vo's method",
                                        [SINO_CENTER_PHASE] = "by phase correlation",
                                        [SINO_CENTER_PAIRS] = "by pairs of opposite projections"};
    *how = names[method];
    *center = sino_input_column_of_file(&all, found);
    return NULL;
}

SinoStatus sino_center_take(SinoRuntime *runtime, const SinoSettings *settings, SinoInput *input)
{
    const double last = (double)(input->info->column_count - 1);
    SINO_CHECK(settings->rotation_axis >= 0 && settings->rotation_axis <= last, SINO_BAD_INPUT,
               "rotation-axis is %g; allowed: auto, or a column of the detector, 0 to %g", settings->rotation_axis,
               last);
    input->geometry.center = sino_input_column_of_grid(input, settings->rotation_axis);
    sino_center_tell(runtime, input, "given");
    return NULL;
}

SinoStatus sino_center_search(SinoRuntime *runtime, const SinoSettings *settings, SinoInput *input)
{
    double center;
    const char *how;
    if (!isnan(settings->rotation_axis)) {
        SINO_TRY(sino_center_take(runtime, settings, input));
        return sino_check_center(settings, input, sino_runtime_log(runtime));
    }
    SINO_TRY(find(runtime, settings, input, &center, &how));
    input->geometry.center = sino_input_column_of_grid(input, center);
    sino_center_tell(runtime, input, how);
    return sino_check_center(settings, input, sino_runtime_log(runtime));
}
