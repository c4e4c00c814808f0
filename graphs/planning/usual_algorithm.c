/* SPDX-License-Identifier: BSD-3-Clause */
/* Usual algorithm: the one of a scan with cone or fan beams, or vectors, where the user names none, and usual
 * iterations of fista. */
#include "usual_algorithm.h"

#include "cone_scan.h"
#include "input.h"
#include "job_kind.h"
#include "machine_rates.h"
#include "memory.h"
#include "runtime.h"
#include "solver.h"
#include "sort.h"
#include "stream_socket.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Bytes of a voxel and of a ray in the vectors of fista, as its plan has them; and most bytes of a run that nobody
 * asked for. */
enum { VOXEL_BYTES = 45, RAY_BYTES = 20 };
static const int64_t most_bytes = (int64_t)2 << 30;

static double extent(int64_t start, int64_t end, int64_t count, int64_t binning)
{
    const int64_t last = end < 0 ? count : sino_smaller(end, count);
    return floor((double)(last - start) / (double)binning);
}

static double bytes_of_fista(const SinoSettings *settings, int64_t angles, double columns, double rows)
{
    const SinoVolumeShape *volume = &settings->geometry.volume;
    const double voxels = volume->x > 0
                              ? (double)volume->x * (double)volume->y * (volume->z > 0 ? (double)volume->z : rows)
                              : columns * columns * rows;
    return VOXEL_BYTES * voxels + RAY_BYTES * (double)angles * columns * rows;
}

/* What is no burden, and leaves a fifth of the memory that was given. */
static double allowed_bytes(const SinoSettings *settings)
{
    const int64_t memory = settings->runtime.memory_bytes;
    const double given = memory > 0 ? 0.8 * (double)(memory - sino_runtime_base_bytes()) : INFINITY;
    return fmax(fmin((double)most_bytes, given), 0);
}

static bool lengths_are_known(const SinoSettings *settings, const SinoScanInfo *info)
{
    const SinoScanSetup setup = sino_cone_setup(&settings->geometry, info);
    char missing[SINO_CONE_MISSING_SIZE];
    return sino_cone_missing(&setup, missing) == 0;
}

static void tell(const SinoSettings *settings, const SinoScanInfo *info, SinoToldSettings *told)
{
    const SinoInputSettings *of = &settings->input;
    const double columns = extent(of->start_column, of->end_column, info->column_count, of->binning);
    const double rows = extent(of->start_row, of->end_row, info->row_count, of->binning);
    const bool vectors = settings->geometry.kind == SINO_GEOMETRY_VECTORS;
    if (!vectors && !lengths_are_known(settings, info)) return;
    const double bytes = bytes_of_fista(settings, info->angle_count, columns, rows), most = allowed_bytes(settings);
    const bool fits = bytes <= most;
    const char *const quick = vectors ? "cg" : "fdk";
    char hint[52], taken[24], allowed[24];
    if (fits)
        snprintf(hint, sizeof hint, "--algorithm %.3s is the fast look", quick);
    else
        snprintf(hint, sizeof hint, "fista would take %s, not at most %s",
                 sino_bytes_text((int64_t)fmin(bytes, 0x1p62), taken), sino_bytes_text((int64_t)most, allowed));
    snprintf(told->by, sizeof told->by, "the size of the scan (%" PRId64 " projections of %g columns and %g rows; %s)",
             info->angle_count, columns, rows, hint);
    told->count = 1;
    told->of[0].name = "algorithm";
    snprintf(told->of[0].value, sizeof told->of[0].value, "%s", fits ? "fista" : quick);
}

/* A scan that settings describe; its lengths are usual ones where they are not given. */
static void tell_described(const SinoSettings *settings, SinoToldSettings *told)
{
    const int64_t angles = settings->phantom.angles, columns = settings->input.columns;
    const SinoScanInfo info = {.angle_count = angles,
                               .column_count = columns,
                               .row_count = settings->phantom.slices,
                               .setup = sino_cone_usual_setup(&settings->geometry, columns)};
    if (angles > 0 && columns > 0 && info.row_count > 0) tell(settings, &info, told);
}

static SinoStatus tell_opened(const SinoSettings *settings, SinoToldSettings *told)
{
    const SinoScanRequest request = sino_input_scan_request(settings);
    SinoScan *scan = NULL;
    SinoStatus status = sino_scan_try(&request);
    if (!status) status = sino_scan_open(&request, &scan);
    if (!status) tell(settings, sino_scan_info(scan), told);
    sino_scan_close(scan);
    return status;
}

/* Whether --machine is one of fdk's own: a preset, or a table of its rates. */
static bool has_rates_of_fdk(const SinoSettings *settings)
{
    SinoMachineFile machine;
    SinoStatus status = settings->plan.machine ? sino_machine_named(settings, &machine) : NULL;
    const bool refused = status;
    sino_status_free(status);
    return refused;
}

static bool has_choice(SinoGeometryChoice geometry)
{
    return sino_geometry_is_cone(geometry) || geometry == SINO_GEOMETRY_VECTORS;
}

SinoStatus sino_usual_algorithm(const SinoSettings *given, SinoToldSettings *told)
{
    const bool precise =
        given->projection.precision != SINO_MIXED || sino_job_can(&sino_job_kinds[SINO_JOB_VOLUME], SINO_JOB_MIXED);
    const char *const file = given->input.file_name;
    if (!has_choice(given->geometry.kind) || !precise || has_rates_of_fdk(given)) return NULL;
    if (given->team.grid.batch_groups > 1) {
        if (given->geometry.kind == SINO_GEOMETRY_VECTORS) return NULL;
        told->count = 1;
        told->of[0].name = "algorithm";
        snprintf(told->by, sizeof told->by, "--grid, by which ranks have parts of the volume,");
        snprintf(told->of[0].value, sizeof told->of[0].value, "fdk");
        return NULL;
    }
    if (given->input.follow || (file && sino_stream_named(file))) return NULL; /* fdk ends with the scan */
    if (file) return tell_opened(given, told);
    tell_described(given, told);
    return NULL;
}

/* Where angles are few or leave a gap, 15 iterations are far from the minimum, and trials of 10 find too strong a prior
 * (docs/lab/images.md). */
enum { ITERATIONS_OF_FEW = 40, STEPS_OF_A_GAP = 3 };
static const double narrowest_gap_rad = 10 * SINO_PI / 180;

/* Directions of rays in rising order, in [0, π); those nearer to each other than a tenth of an even step count once. */
static bool are_few(const double *direction_rad, int64_t count, int64_t columns)
{
    double widest = 0;
    int64_t different = 0;
    for (int64_t k = 0; k < count; k++) {
        const double next = k + 1 < count ? direction_rad[k + 1] : direction_rad[0] + SINO_PI;
        const double gap = next - direction_rad[k];
        different += gap > SINO_PI / (10 * (double)count);
        widest = fmax(widest, gap);
    }
    const double step = (SINO_PI - widest) / (double)sino_larger(different - 1, 1);
    return columns > SINO_COLUMNS_OF_AN_ANGLE * different ||
           (widest > narrowest_gap_rad && widest > STEPS_OF_A_GAP * step);
}

static SinoStatus set_of_parallel(const SinoGeometry *geometry, SinoSolverSettings *solver)
{
    const int64_t count = geometry->angle_count;
    double *direction_rad;
    SINO_TRY(sino_allocate(count, sizeof *direction_rad, "directions", &direction_rad));
    for (int64_t k = 0; k < count; k++) {
        const double turns = geometry->angle_rad[k] / SINO_PI;
        direction_rad[k] = (turns - floor(turns)) * SINO_PI;
    }
    (void)sino_sort_finite(count, direction_rad);
    solver->few_angles = are_few(direction_rad, count, geometry->column_count);
    free(direction_rad);
    if (solver->few_angles) solver->iterations = ITERATIONS_OF_FEW;
    return NULL;
}

SinoStatus sino_usual_iterations(const SinoGeometry *geometry, SinoSettings *settings)
{
    SinoSolverSettings *solver = &settings->solver;
    const SinoGeometryChoice kind = settings->geometry.kind;
    if (solver->algorithm != SINO_ALGORITHM_FISTA || !solver->usual_iterations) return NULL;
    if (sino_geometry_is_cone(kind)) solver->iterations = sino_solver_orbit_iterations(solver, geometry->angle_count);
    const bool normal = settings->projection.projector == SINO_PROJECTOR_TOEPLITZ;
    return kind == SINO_GEOMETRY_PARALLEL && !normal ? set_of_parallel(geometry, solver) : NULL;
}
