/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, operators of parallel beams: their plan is that of a reconstruction of so many slices. */
#include "library_operator.h"

#include "library.h"

#include "solver_fbp.h"

#include <inttypes.h>
#include <math.h>

static SinoStatus check(const SinodagGeometry *geometry)
{
    SINO_TRY(sino_library_check_beams(geometry));
    SINO_CHECK(geometry->rows == 0, SINO_BAD_INPUT,
               "rows is %" PRId64 "; allowed: 0, or the rows of the detector with geometry=cone", geometry->rows);
    return NULL;
}

/* The workload whose plan divides the operator: so many slices, by a method that needs little else. */
static SinoStatus describe(const SinoSettings *settings, const SinodagGeometry *geometry, const double *angle_rad,
                           SinoWorkload *job)
{
    SinoGeometry grid = {0};
    SINO_TRY(sino_input_size_grid(settings, geometry->columns, &grid));
    const double middle = (double)(geometry->columns - 1) / 2;
    const int64_t subsets = sino_library_subsets(geometry);
    *job = (SinoWorkload){.problem = {.geometry = {.angle_count = geometry->angles,
                                                   .column_count = geometry->columns,
                                                   .grid_size = grid.grid_size,
                                                   .angle_rad = angle_rad,
                                                   .center = isnan(geometry->center) ? middle : geometry->center},
                                      .precision = settings->projection.precision,
                                      .symmetry = settings->projection.symmetry,
                                      .subset_count = subsets,
                                      .projector = settings->projection.projector,
                                      .interpolation = settings->projection.interpolation},
                          .solver = sino_solver_fbp_of(subsets),
                          .history_columns = 1,
                          .history_numbers = 1,
                          .slice_count = geometry->slices > 0 ? geometry->slices : 1,
                          .slice_bytes = sino_times(sino_times(geometry->angles, geometry->columns), sizeof(float))};
    return NULL;
}

static SinoStatus forecast(const SinodagGeometry *geometry, const SinoSettings *settings, SinodagOperator *made)
{
    SinoPlanRequest request = {.choices = sino_choices_of(settings), .rank_count = 1};
    SINO_TRY(describe(settings, geometry, made->angle_rad, &request.job));
    SINO_TRY(sino_machine_here(settings, sino_library_runtime(), &request.machine));
    /* A product has no other steps between which workers would wait for each other, as iterations have, so that they
     * may share a minibatch as wide as a panel, which is the fastest; and partial sums of more partitions than workers
     * cost more than a slow worker does. */
    request.choices.worker_products = 1;
    if (!request.choices.minibatch && request.machine.devices.count == 0)
        request.choices.minibatch = sino_panel_width(sino_precision_solver(settings->projection.precision));
    return sino_forecast_new(&request, &made->forecast);
}

static SinoStatus plan(const SinodagGeometry *geometry, const SinoSettings *settings, SinodagOperator *made,
                       SinoOperatorRequest *request)
{
    const SinoRunPlan *plan = &made->forecast.plan;
    SINO_TRY(forecast(geometry, settings, made));
    *request = (SinoOperatorRequest){.problem = plan->problem,
                                     .division = plan->division,
                                     .shape = sino_run_plan_shape(plan, 0),
                                     .window_count = plan->window_count,
                                     .cache = settings->projection.cache};
    return sino_rays_kind.check(settings->projection.cache);
}

static void tell(SinodagOperator *made, SinodagAbout *about)
{
    const SinoRunPlan *plan = &made->forecast.plan;
    const int64_t side = plan->problem.geometry.grid_size;
    *about = (SinodagAbout){.voxels = {1, side, side},
                            .nonzeros = made->op->nonzero_count,
                            .bytes = plan->size.bytes,
                            .partitions = plan->partition_count};
}

/* fbp allows any `volume`. */
const char *const sino_library_own_parallel[] = {"projector=rays", "algorithm=fbp", NULL};
const SinoLibraryKind sino_library_parallel = {
    .check = check, .plan = plan, .tell = tell, .own = sino_library_own_parallel};
