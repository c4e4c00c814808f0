/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, operators: plans, builds and frees operators of parallel beams; checks the arrays of products. */
#include "library_operator.h"

#include "library.h"

#include "memory.h"
#include "scan_limits.h"
#include "solver_fbp.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The operators that exist; protected by the library's lock. */
static SinodagOperator *first_operator;

static const char *const allowed[] = {"precision", "symmetry", "projector", "interpolation",  "partitions",
                                      "minibatch", "memory",   "volume",    "operator-cache", NULL};
static const char *const own[] = {"projector=rays", "algorithm=fbp", NULL}; /* the latter allows any `volume` */
const SinoLibrarySettings sino_library_operator = {.what = "an operator", .allowed = allowed, .own = own};

static SinoStatus check_angles(const SinodagParallel *geometry)
{
    for (int64_t k = 0; k < geometry->angles; k++)
        SINO_CHECK(isfinite(geometry->angle_rad[k]), SINO_BAD_INPUT,
                   "angle %" PRId64 " is %g; allowed: finite numbers of radians", k, geometry->angle_rad[k]);
    return NULL;
}

static SinoStatus check_geometry(const SinodagParallel *geometry)
{
    SINO_CHECK(geometry && geometry->angle_rad, SINO_BAD_INPUT,
               "the geometry has no angles; allowed: an array of them");
    SINO_CHECK(geometry->angles >= 1 && geometry->angles <= SINO_IMAGES_MAX, SINO_BAD_INPUT,
               "angles is %" PRId64 "; allowed: 1 to %d", geometry->angles, SINO_IMAGES_MAX);
    SINO_CHECK(geometry->columns >= 1 && geometry->columns <= SINO_SIDE_MAX, SINO_BAD_INPUT,
               "columns is %" PRId64 "; allowed: 1 to %d", geometry->columns, SINO_SIDE_MAX);
    SINO_CHECK(geometry->slices >= 0 && geometry->slices <= SINO_SIDE_MAX, SINO_BAD_INPUT,
               "slices is %" PRId64 "; allowed: 0 to %d", geometry->slices, SINO_SIDE_MAX);
    SINO_CHECK(geometry->subsets >= 0 && geometry->subsets <= geometry->angles, SINO_BAD_INPUT,
               "subsets is %" PRId64 ", and there are %" PRId64 " angles; allowed: 0 to %" PRId64, geometry->subsets,
               geometry->angles, geometry->angles);
    SINO_CHECK(isnan(geometry->center) || fabs(geometry->center) <= SINO_SIDE_MAX, SINO_BAD_INPUT,
               "center is %g; allowed: NaN, or -%d to %d", geometry->center, SINO_SIDE_MAX, SINO_SIDE_MAX);
    return check_angles(geometry);
}

/* The workload whose plan divides the operator: so many slices, by a method that needs little else. */
static SinoStatus describe(const SinoSettings *settings, const SinodagParallel *geometry, const double *angle_rad,
                           SinoWorkload *job)
{
    SinoGeometry grid = {0};
    SINO_TRY(sino_input_size_grid(settings, geometry->columns, &grid));
    const double middle = (double)(geometry->columns - 1) / 2;
    const int64_t subsets = geometry->subsets > 0 ? geometry->subsets : 1;
    *job = (SinoWorkload){.problem = {.geometry = {.angle_count = geometry->angles,
                                                   .column_count = geometry->columns,
                                                   .grid_size = grid.grid_size,
                                                   .angle_rad = angle_rad,
                                                   .center = isnan(geometry->center) ? middle : geometry->center},
                                      .precision = settings->precision,
                                      .symmetry = settings->symmetry,
                                      .subset_count = subsets,
                                      .projector = settings->projector,
                                      .interpolation = settings->interpolation},
                          .solver = sino_solver_fbp_of(subsets),
                          .history_columns = 1,
                          .history_numbers = 1,
                          .slice_count = geometry->slices > 0 ? geometry->slices : 1,
                          .slice_bytes = sino_times(sino_times(geometry->angles, geometry->columns), sizeof(float))};
    return NULL;
}

static SinoStatus plan(const SinoSettings *settings, const SinodagParallel *geometry, SinodagOperator *made)
{
    const SinoRuntime *runtime = sino_library_runtime();
    SinoPlanRequest request = {.choices = sino_choices_of(settings), .rank_count = 1};
    SINO_TRY(describe(settings, geometry, made->angle_rad, &request.job));
    SINO_TRY(sino_machine_new(settings, sino_runtime_worker_count(runtime), &request.machine));
    request.machine.devices = sino_device_room(runtime);
    /* A product has no other steps between which workers would wait for each other, as iterations have, so that they
     * may share a minibatch as wide as a panel, which is the fastest. */
    if (!request.choices.minibatch && request.machine.devices.count == 0)
        request.choices.minibatch = sino_panel_width(sino_precision_solver(settings->precision));
    return sino_forecast_new(&request, &made->forecast);
}

static SinoStatus build(const SinoSettings *settings, SinodagOperator *made)
{
    const SinoRunPlan *plan = &made->forecast.plan;
    const SinoGeometry *geometry = &plan->problem.geometry;
    const SinoOperatorRequest request = {.problem = plan->problem,
                                         .division = plan->division,
                                         .shape = sino_run_plan_shape(plan, 0),
                                         .window_count = plan->window_count,
                                         .cache = settings->operator_cache};
    SINO_TRY(sino_rays_kind.check(settings->operator_cache));
    SINO_TRY(sino_operator_new(sino_library_runtime(), &request, &made->op));
    made->op->kind->report(made->op);
    made->op->kind->keep(made->op, settings->operator_cache);
    made->about = (SinodagAbout){.angles = geometry->angle_count,
                                 .columns = geometry->column_count,
                                 .side = geometry->grid_size,
                                 .nonzeros = made->op->nonzero_count,
                                 .bytes = plan->size.bytes,
                                 .partitions = plan->partition_count,
                                 .subsets = made->op->problem.subset_count};
    return sino_products_new(made->op, plan->partition_count, settings->minibatch, &made->products);
}

static void free_operator(SinodagOperator *op)
{
    sino_products_free(op->products);
    sino_operator_free(op->op);
    sino_forecast_free(&op->forecast);
    free(op->angle_rad);
    free(op);
}

static SinoStatus make(const SinodagParallel *geometry, const char *const *given, SinodagOperator **result)
{
    SinoSettings *settings = NULL;
    SinodagOperator *made;
    SINO_TRY(sino_library_need_runtime());
    SINO_TRY(check_geometry(geometry));
    SINO_TRY(sino_allocate(1, sizeof *made, "an operator", &made));
    SinoStatus status = sino_library_settings(&sino_library_operator, given, &settings);
    if (!status) status = sino_allocate(geometry->angles, sizeof *made->angle_rad, "angles", &made->angle_rad);
    if (!status) {
        memcpy(made->angle_rad, geometry->angle_rad, (size_t)geometry->angles * sizeof *made->angle_rad);
        status = plan(settings, geometry, made);
    }
    if (!status) status = build(settings, made);
    sino_settings_free(settings);
    if (status)
        free_operator(made);
    else
        *result = made;
    return status;
}

SinodagStatus sinodag_operator_new(const SinodagParallel *geometry, const char *const *settings, SinodagOperator **op)
{
    SinoStatus status = sino_library_enter();
    if (status) return status;
    SinodagOperator *made = NULL;
    status = op ? make(geometry, settings, &made)
                : sino_error(SINO_BAD_INPUT, "there is no place for the operator; allowed: an address");
    if (!status) {
        made->next = first_operator;
        first_operator = made;
        sino_library_keep();
        *op = made;
    }
    sino_library_leave();
    return status;
}

/* The place in the list that points to the operator; *place NULL: there is no such operator. */
static SinodagOperator **place_of(const SinodagOperator *op)
{
    SinodagOperator **place = &first_operator;
    while (*place && *place != op) place = &(*place)->next;
    return place;
}

SinoStatus sino_library_check_operator(const SinodagOperator *op)
{
    SINO_CHECK(op && *place_of(op), SINO_BAD_INPUT, "the operator does not exist, or was freed; allowed: an operator");
    return NULL;
}

SinodagStatus sinodag_operator_free(SinodagOperator *op)
{
    if (!op) return NULL;
    SinoStatus status = sino_library_enter();
    if (status) return status;
    status = sino_library_check_operator(op);
    if (!status) {
        *place_of(op) = op->next;
        free_operator(op);
        status = sino_library_let_go();
    }
    sino_library_leave();
    return status;
}

SinodagStatus sinodag_operator_about(const SinodagOperator *op, SinodagAbout *about)
{
    SinoStatus status = sino_library_enter();
    if (status) return status;
    status = sino_library_check_operator(op);
    if (!status && about) *about = op->about;
    sino_library_leave();
    return status;
}

/* Checks an array of the sizes (any, rows, columns) and describes it for tasks. */
static SinoStatus use(const char *what, const SinodagArray *array, int64_t rows, int64_t columns, SinoStrided *used)
{
    SINO_CHECK(array && array->data, SINO_BAD_INPUT, "%s have no data; allowed: an array", what);
    SINO_CHECK(array->type == SINODAG_FLOAT32 || array->type == SINODAG_FLOAT64, SINO_BAD_INPUT,
               "%s are of type %d; allowed: SINODAG_FLOAT32, SINODAG_FLOAT64", what, (int)array->type);
    SINO_CHECK(array->size[0] >= 1 && array->size[1] == rows && array->size[2] == columns, SINO_BAD_INPUT,
               "%s have the sizes (%" PRId64 ", %" PRId64 ", %" PRId64 "); allowed: (S, %" PRId64 ", %" PRId64
               ") with S slices",
               what, array->size[0], array->size[1], array->size[2], rows, columns);
    const bool wide = array->type == SINODAG_FLOAT64;
    SINO_CHECK((uintptr_t)array->data % (wide ? sizeof(double) : sizeof(float)) == 0, SINO_BAD_INPUT,
               "%s begin at an address that is no multiple of the size of their elements; allowed: aligned arrays",
               what);
    const bool usual = array->stride[0] == 0 && array->stride[1] == 0 && array->stride[2] == 0;
    *used = (SinoStrided){.type = wide ? SINO_STRIDED_FLOAT64 : SINO_STRIDED_FLOAT32, .first = array->data};
    used->step[0] = usual ? sino_times(rows, columns) : array->stride[0];
    used->step[1] = usual ? columns : array->stride[1];
    used->step[2] = usual ? 1 : array->stride[2];
    return NULL;
}

static SinoStatus check_bounds(const SinodagArray *images, const SinodagArray *projections)
{
    SINO_CHECK(images->size[0] == projections->size[0], SINO_BAD_INPUT,
               "there are %" PRId64 " images and projections of %" PRId64 " slices; allowed: as many of both",
               images->size[0], projections->size[0]);
    SINO_CHECK(images->size[0] <= SINO_SIDE_MAX, SINO_BAD_INPUT, "there are %" PRId64 " slices; allowed: 1 to %d",
               images->size[0], SINO_SIDE_MAX);
    return NULL;
}

SinoStatus sino_library_use_arrays(const SinodagOperator *op, const SinodagArray *images,
                                   const SinodagArray *projections, SinoArrays *arrays)
{
    const int64_t angles = sino_products_angles(op->op, arrays->subset);
    SINO_TRY(use("the images", images, op->about.side, op->about.side, &arrays->images));
    SINO_TRY(use("the projections", projections, angles, op->about.columns, &arrays->projections));
    SINO_TRY(check_bounds(images, projections));
    arrays->slice_count = images->size[0];
    return NULL;
}

static SinoStatus multiply(SinodagOperator *op, SinoArrays arrays, const SinodagArray *images,
                           const SinodagArray *projections)
{
    SINO_TRY(sino_library_check_operator(op));
    SINO_CHECK(arrays.subset == SINO_ALL_SUBSETS || (arrays.subset >= 0 && arrays.subset < op->about.subsets),
               SINO_BAD_INPUT, "subset is %" PRId64 "; allowed: 0 to %" PRId64, arrays.subset, op->about.subsets - 1);
    SINO_TRY(sino_library_use_arrays(op, images, projections, &arrays));
    return sino_products_compute(op->products, &arrays);
}

static SinodagStatus locked(SinodagOperator *op, SinoArrays arrays, const SinodagArray *images,
                            const SinodagArray *projections)
{
    SinoStatus status = sino_library_enter();
    if (status) return status;
    status = multiply(op, arrays, images, projections);
    sino_library_leave();
    return status;
}

/* A number that stands for all subsets is none of a caller's. */
static SinodagStatus of_subset(SinodagOperator *op, bool back, int64_t subset, const SinodagArray *images,
                               const SinodagArray *projections)
{
    SINO_CHECK(subset >= 0, SINO_BAD_INPUT, "subset is %" PRId64 "; allowed: 0 or more", subset);
    return locked(op, (SinoArrays){.back = back, .subset = subset}, images, projections);
}

SinodagStatus sinodag_project(SinodagOperator *op, const SinodagArray *images, const SinodagArray *projections)
{
    return locked(op, (SinoArrays){.subset = SINO_ALL_SUBSETS}, images, projections);
}

SinodagStatus sinodag_backproject(SinodagOperator *op, const SinodagArray *projections, const SinodagArray *images)
{
    return locked(op, (SinoArrays){.back = true, .subset = SINO_ALL_SUBSETS}, images, projections);
}

SinodagStatus sinodag_project_subset(SinodagOperator *op, int64_t subset, const SinodagArray *images,
                                     const SinodagArray *projections)
{
    return of_subset(op, false, subset, images, projections);
}

SinodagStatus sinodag_backproject_subset(SinodagOperator *op, int64_t subset, const SinodagArray *projections,
                                         const SinodagArray *images)
{
    return of_subset(op, true, subset, images, projections);
}
