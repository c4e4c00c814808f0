/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, operators of cone beams, of which nothing is stored. */
#include "library_operator.h"

#include "library.h"

#include "cone_kind.h"
#include "cone_scan.h"
#include "machine_rates.h"
#include "memory.h"
#include "scan_limits.h"

#include <inttypes.h>
#include <math.h>

static SinoStatus check(const SinodagGeometry *geometry)
{
    SINO_TRY(sino_library_check_beams(geometry));
    SINO_CHECK(geometry->rows >= 1 && geometry->rows <= SINO_SIDE_MAX, SINO_BAD_INPUT,
               "rows is %" PRId64 "; allowed with geometry=cone: 1 to %d", geometry->rows, SINO_SIDE_MAX);
    return NULL;
}

/* The geometry of the caller as a scan whose file knows no lengths. */
static SinoStatus describe(const SinodagGeometry *geometry, const SinoSettings *settings, SinodagOperator *made)
{
    const SinoScanInfo info = {.angle_count = geometry->angles,
                               .row_count = geometry->rows,
                               .column_count = geometry->columns,
                               .angle_rad = made->angle_rad,
                               .remark = ""};
    const SinoInput input = {.info = &info,
                             .row_count = geometry->rows,
                             .column_count = geometry->columns,
                             .binning = 1,
                             .slice_count = geometry->rows,
                             .geometry = {.angle_count = geometry->angles,
                                          .column_count = geometry->columns,
                                          .grid_size = geometry->columns,
                                          .angle_rad = made->angle_rad}};
    const double middle = (double)(geometry->columns - 1) / 2;
    return sino_cone_scan(settings, &input, isnan(geometry->center) ? middle : geometry->center, &made->cone);
}

/* A product has the volume and its projections in vectors. */
static SinoStatus check_memory(const SinoSettings *settings, const SinoProblem *problem)
{
    const int64_t workers = sino_runtime_worker_count(sino_library_runtime()), real = (int64_t)sizeof(float);
    char wanted[24], budget[24];
    SinoMachine machine;
    SinoOperatorSize size;
    SINO_TRY(sino_machine_new(settings, workers, &machine));
    SINO_TRY(sino_cone_kind.size(problem, NULL, workers, &size));
    const SinoExtent *extent = size.shape.extent;
    const int64_t volumes = problem->subset_count > 1 ? 2 : 1; /* backprojections of subsets are added */
    const int64_t values = sino_times(volumes, extent[SINO_ROWS_VOXELS].total) + extent[SINO_ROWS_SUBSET].total;
    const int64_t bytes = size.map_bytes + sino_times(values, real);
    SINO_CHECK(bytes <= machine.memory_bytes, SINO_BAD_INPUT,
               "memory: %s may be used, and a volume and its projections need %s; allowed: memory=%" PRId64
               "MiB or more",
               sino_bytes_text(machine.memory_bytes, budget), sino_bytes_text(bytes, wanted), (bytes >> 20) + 1);
    return NULL;
}

static SinoStatus plan(const SinodagGeometry *geometry, const SinoSettings *settings, SinodagOperator *made,
                       SinoOperatorRequest *request)
{
    SINO_TRY(describe(geometry, settings, made));
    *request = (SinoOperatorRequest){.problem = {.cone = &made->cone,
                                                 .precision = settings->projection.precision,
                                                 .subset_count = sino_library_subsets(geometry)},
                                     .shape = SINO_EXCHANGE_ALONE(1)};
    SINO_CHECK(sino_cone_kind.takes(&sino_cone_kind, &request->problem), SINO_BAD_INPUT,
               "precision is not single; allowed with geometry=cone: single");
    return check_memory(settings, &request->problem);
}

static void tell(SinodagOperator *made, SinodagAbout *about)
{
    const SinoCone *cone = &made->cone;
    *about = (SinodagAbout){.voxels = {cone->z_count, cone->y_count, cone->x_count},
                            .partitions = sino_ceil_divide(cone->y_count, sino_cone_band_rows(cone))};
}

/* sirt allows any arc. */
static const char *const own[] = {"algorithm=sirt", NULL};
const SinoLibraryKind sino_library_cone = {.check = check, .plan = plan, .tell = tell, .own = own};
