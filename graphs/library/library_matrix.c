/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, operators of system matrices, from a file or from arrays of the caller. */
#include "library_operator.h"

#include "library.h"

#include "unit_plan.h"

#include <inttypes.h>

/* A matrix has its own rows. */
static SinoStatus check(const SinodagGeometry *geometry)
{
    SINO_CHECK(geometry, SINO_BAD_INPUT, "there is no geometry; allowed: the address of one");
    SINO_CHECK(geometry->angles == 0 && geometry->columns == 0 && geometry->rows == 0 && !geometry->angle_rad,
               SINO_BAD_INPUT, "the geometry has angles, columns or rows, and a system matrix; allowed: one of them");
    SINO_CHECK(geometry->subsets >= 0, SINO_BAD_INPUT, "subsets is %" PRId64 "; allowed: 0 or more", geometry->subsets);
    return sino_library_check_slices(geometry);
}

static SinoStatus check_arrays(const SinodagMatrix *matrix)
{
    const bool wide = matrix->index_type == SINODAG_INT64, doubles = matrix->value_type == SINODAG_FLOAT64;
    const uintptr_t index = wide ? sizeof(int64_t) : sizeof(int32_t), value = doubles ? sizeof(double) : sizeof(float);
    SINO_CHECK(wide || matrix->index_type == SINODAG_INT32, SINO_BAD_INPUT,
               "start and column are of type %d; allowed: SINODAG_INT32, SINODAG_INT64", (int)matrix->index_type);
    SINO_CHECK(doubles || matrix->value_type == SINODAG_FLOAT32, SINO_BAD_INPUT,
               "the values of the matrix are of type %d; allowed: SINODAG_FLOAT32, SINODAG_FLOAT64",
               (int)matrix->value_type);
    SINO_CHECK(matrix->start && matrix->column && matrix->value, SINO_BAD_INPUT,
               "the matrix has no start, column or value; allowed: arrays of all");
    SINO_CHECK((uintptr_t)matrix->start % index == 0 && (uintptr_t)matrix->column % index == 0 &&
                   (uintptr_t)matrix->value % value == 0,
               SINO_BAD_INPUT,
               "an array of the matrix begins at an address that is no multiple of the size of its elements; allowed: "
               "aligned arrays");
    return NULL;
}

/* Devices take part in products with unfolded matrices only. */
static SinoStatus open_survey(const SinodagGeometry *geometry, const SinoSettings *settings, SinodagOperator *made)
{
    const SinodagMatrix *matrix = geometry->matrix;
    const SinoRuntime *runtime = sino_library_runtime();
    SinoMatrixRequest request = sino_matrix_request(settings, (SinoMatrixShare){.rank_count = 1});
    SinoMemoryMatrix memory;
    request.subset_count = sino_library_subsets(geometry);
    if (sino_runtime_device_count(runtime) > 0 && settings->counts.mirrors != SINO_MIRRORS_FOLDED)
        request.folding = SINO_FOLD_NEVER;
    if (matrix) {
        SINO_CHECK(!settings->projection.cache, SINO_BAD_INPUT,
                   "operator-cache is '%s' with a matrix in memory; allowed: with the setting system-matrix",
                   settings->projection.cache);
        SINO_TRY(check_arrays(matrix));
        memory = (SinoMemoryMatrix){.name = request.path,
                                    .row_count = matrix->rows,
                                    .column_count = matrix->columns,
                                    .wide = matrix->index_type == SINODAG_INT64,
                                    .doubles = matrix->value_type == SINODAG_FLOAT64,
                                    .start = matrix->start,
                                    .column = matrix->column,
                                    .value = matrix->value};
        request.memory = &memory;
    }
    return sino_matrix_input_survey(&settings->projection, sino_runtime_log(runtime), &request, &made->matrix);
}

/* The plan of a reconstruction of one set. */
static SinoStatus forecast(const SinoSettings *settings, const SinoProblem *problem, SinoUnitPlan *plan)
{
    const SinoMatrixInput input = {.solver = sino_matrix_solver(settings),
                                   .survey = (SinoMatrixSurvey *)problem->matrix,
                                   .set_count = 1,
                                   .problem = *problem};
    SinoMachine machine;
    SINO_TRY(sino_machine_here(settings, sino_library_runtime(), &machine));
    const SinoUnitPlanRequest request = sino_counts_plan_request(settings, &input, &machine);
    return sino_unit_plan_new(&request, plan);
}

/* The matrix is packed; neither its file nor the arrays of the caller are read any more. */
static void let_go(SinoMatrixSurvey *matrix)
{
    sino_matrix_close(matrix->file);
    matrix->file = NULL;
    matrix->request = (SinoMatrixRequest){.subset_count = matrix->subset_count};
}

static SinoStatus plan(const SinodagGeometry *geometry, const SinoSettings *settings, SinodagOperator *made,
                       SinoOperatorRequest *request)
{
    SinoUnitPlan planned;
    SINO_TRY(open_survey(geometry, settings, made));
    *request = (SinoOperatorRequest){.problem = {.matrix = made->matrix,
                                                 .precision = settings->projection.precision,
                                                 .subset_count = sino_library_subsets(geometry)},
                                     .shape = SINO_EXCHANGE_ALONE(1),
                                     .cache = settings->projection.cache};
    SINO_TRY(forecast(settings, &request->problem, &planned));
    request->window_count = planned.stay.window_count;
    request->listed = planned.stay.listed;
    return NULL;
}

static void tell(SinodagOperator *made, SinodagAbout *about)
{
    const SinoMatrixSurvey *matrix = made->matrix;
    const SinoVoxelGrid *grid = &matrix->outline.grid;
    const bool known = grid->x_count > 0;
    *about = (SinodagAbout){.voxels = {known ? grid->z_count : 1, known ? grid->y_count : 1,
                                       known ? grid->x_count : matrix->outline.column_count},
                            .nonzeros = sino_matrix_all_nonzeros(matrix, made->op->nonzero_count),
                            .bytes = sino_matrix_bytes(made->op),
                            .partitions = matrix->partition_count};
    let_go(made->matrix);
}

static const char *const own[] = {NULL};
const SinoLibraryKind sino_library_matrix = {.check = check, .plan = plan, .tell = tell, .own = own};
