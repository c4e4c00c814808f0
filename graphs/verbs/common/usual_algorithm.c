/* SPDX-License-Identifier: BSD-3-Clause */
/* Usual algorithm: the one that a scan with cone or fan beams asks for, where the user names none. */
#include "arithmetic.h"
#include "cone_setup.h"
#include "input.h"
#include "job_kind.h"
#include "runtime.h"
#include "solver.h"
#include "stream_socket.h"
#include "workflows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* A whole turn of fewer projections per detector column leaves streaks in FDK's volume (docs/CONES.md). */
static const double few = 0.5;

/* Bytes of a voxel in the vectors of fista, besides those of each subset, and of a ray; and most bytes of a run that
 * nobody asked for. */
enum { VOXEL_BYTES = 36, SUBSET_BYTES = 4, RAY_BYTES = 24 };
static const int64_t most_bytes = (int64_t)4 << 30;

/* Angles of a turn that has their spacing; they cover `arc` radians. */
static double per_turn(const SinoScanInfo *info, double *arc)
{
    double least = INFINITY, most = -INFINITY;
    for (int64_t k = 0; k < info->angle_count; k++) {
        least = fmin(least, info->angle_rad[k]);
        most = fmax(most, info->angle_rad[k]);
    }
    const double steps = (double)sino_larger(info->angle_count - 1, 1);
    *arc = (most - least) * (steps + 1) / steps;
    return *arc > 0 ? 2 * SINO_PI * (double)info->angle_count / *arc : 0;
}

static double extent(int64_t start, int64_t end, int64_t count, int64_t binning)
{
    const int64_t last = end < 0 ? count : sino_smaller(end, count);
    return floor((double)(last - start) / (double)binning);
}

/* Whether the vectors of fista are no burden, and leave a fifth of the memory that was given. */
static bool fits(const SinoSettings *settings, int64_t angles, double columns, double rows)
{
    const SinoVolumeShape *volume = &settings->geometry.volume;
    const double voxels = volume->x > 0
                              ? (double)volume->x * (double)volume->y * (volume->z > 0 ? (double)volume->z : rows)
                              : columns * columns * rows;
    const int64_t memory = settings->runtime.memory_bytes;
    const int64_t subsets = sino_solver_subsets(&sino_solver_fista, &settings->solver, angles);
    const double bytes = (double)(VOXEL_BYTES + SUBSET_BYTES * subsets) * voxels,
                 all_bytes = bytes + RAY_BYTES * (double)angles * columns * rows;
    return all_bytes <= (double)most_bytes &&
           (memory == 0 || all_bytes <= 0.8 * (double)(memory - sino_runtime_base_bytes()));
}

/* The least arc for FDK, in radians; NaN: the lengths of the beam are not known. */
static double least_arc(const SinoSettings *settings, const SinoScanInfo *info)
{
    const SinoScanSetup setup = sino_cone_setup(&settings->geometry, info);
    char missing[SINO_CONE_MISSING_SIZE];
    if (sino_cone_missing(&setup, missing) > 0) return NAN;
    return SINO_PI + 2 * atan(0.5 * (double)info->column_count * setup.pixel_width / setup.source_detector);
}

static void tell(const SinoSettings *settings, const SinoScanInfo *info, SinoToldSettings *told)
{
    const SinoInputSettings *of = &settings->input;
    const double columns = extent(of->start_column, of->end_column, info->column_count, of->binning);
    const double rows = extent(of->start_row, of->end_row, info->row_count, of->binning);
    double arc;
    const double angles = per_turn(info, &arc), least = least_arc(settings, info);
    const bool sparse = !isnan(least) && (angles < few * columns || arc < least);
    if (!sparse || !fits(settings, info->angle_count, columns, rows)) return;
    snprintf(told->by, sizeof told->by, "the scan (%" PRId64 " projections of %g columns in %.4g degrees)",
             info->angle_count, columns, arc * 180 / SINO_PI);
    told->count = 1;
    told->of[0].name = "algorithm";
    snprintf(told->of[0].value, sizeof told->of[0].value, "fista");
}

SinoStatus sino_usual_algorithm(const SinoSettings *given, SinoToldSettings *told)
{
    const bool full = given->center.reconstruction_type == SINO_RECONSTRUCTION_FULL;
    const bool precise =
        given->projection.precision != SINO_MIXED || sino_job_can(&sino_job_kinds[SINO_JOB_VOLUME], SINO_JOB_MIXED);
    if (!sino_geometry_is_cone(given->geometry.kind) || !full || !precise || given->memory) return NULL;
    if (sino_stream_named(given->input.file_name)) return NULL; /* it can be read once */
    const SinoScanRequest request = sino_input_scan_request(given);
    SinoScan *scan = NULL;
    SinoStatus status = sino_scan_try(&request);
    if (!status) status = sino_scan_open(&request, &scan);
    if (!status) tell(given, sino_scan_info(scan), told);
    sino_scan_close(scan);
    sino_status_free(status); /* the verb refuses the scan itself */
    return NULL;
}
