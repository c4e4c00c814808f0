/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, solutions of system matrices: the graph of the program on the arrays of a caller, which stand for its files.
 */
#include "library_operator.h"

#include "library.h"
#include "matrix_solution.h"
#include "memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Where images go. */
typedef struct Output {
    SinoStrided images; /* (set, voxel) */
    int64_t voxel_count;
} Output;

static SinoStatus check_subsets(const SinodagOperator *op, const SinoSolverSettings *settings, const SinoSolver *solver)
{
    SINO_CHECK(op->about.subsets == 1 || solver->has_subsets, SINO_BAD_INPUT,
               "--algorithm is %s, and the operator has %" PRId64
               " subsets; allowed: osem or bsrem, or an operator with one",
               sino_algorithm_name(settings->algorithm), op->about.subsets);
    return NULL;
}

/* ---- arrays as files ---- */

static SinoStatus open_counts(SinoCountsRequest request, const SinoStrided *array, int64_t sets, SinoCountsFile **file)
{
    const SinoMemoryCounts counts = {.first = array->first,
                                     .doubles = array->type == SINO_STRIDED_FLOAT64,
                                     .set_count = sets,
                                     .set_step = array->step[0],
                                     .element_step = array->step[1]};
    request.memory = &counts;
    return sino_counts_open(&request, file);
}

/* An array beside the projections; NULL: there is none. what: its name in the plural. */
static SinoStatus open_beside(const char *what, const SinoCountsRequest *request, const SinodagArray *array,
                              SinoCountsFile **file)
{
    const int64_t size[3] = {0, request->element_count, 1};
    SinoStrided used;
    if (!array) return NULL;
    SINO_TRY(sino_library_use_array(what, array, size, &used));
    return open_counts(*request, &used, array->size[0], file);
}

static SinoStatus open_files(const SinodagOperator *op, const SinoArrays *arrays, const SinodagSolution *solution,
                             const SinoSolver *solver, SinoMatrixFiles *files)
{
    const SinoMatrixOutline *outline = &op->matrix->outline;
    SinoCountsRequest rows = {.path = "the projections",
                              .element_count = outline->row_count,
                              .set_count = arrays->slice_count,
                              .negative = !solver->has_likelihood};
    SinoCountsRequest image = {.path = "start",
                               .element_count = outline->column_count,
                               .image = true,
                               .grid = outline->grid,
                               .set_count = arrays->slice_count};
    SINO_TRY(open_counts(rows, &arrays->projections, arrays->slice_count, &files->counts));
    rows.negative = false;
    rows.path = "additive";
    SINO_TRY(open_beside("the values of additive", &rows, solution->additive, &files->additive));
    SINO_TRY(open_beside("the images of start", &image, solution->start, &files->start));
    rows.set_count = image.set_count = 1;
    rows.path = "multiplicative";
    SINO_TRY(open_beside("the values of multiplicative", &rows, solution->multiplicative, &files->multiplicative));
    image.path = "sensitivity";
    return open_beside("the values of sensitivity", &image, solution->sensitivity, &files->sensitivity);
}

/* ---- results ---- */

/* SinoMatrixSave.save: `of` is the output. */
static SinoStatus give_image(void *of, int64_t iteration, int64_t set, const float *image)
{
    const Output *output = of;
    const SinoStrided *to = &output->images;
    (void)iteration;
    for (int64_t i = 0; i < output->voxel_count; i++) {
        const int64_t at = set * to->step[0] + i * to->step[1];
        if (to->type == SINO_STRIDED_FLOAT64)
            ((double *)to->first)[at] = (double)image[i];
        else
            ((float *)to->first)[at] = image[i];
    }
    return NULL;
}

/* Every slice of a set's image has the history of the set. */
static void give_residuals(const SinoRecord *record, int64_t sets, double *residual)
{
    const int64_t slices = record->slice_count / sets;
    for (int64_t s = 0; s < sets; s++)
        memcpy(residual + s * record->columns, record->history + s * slices * record->numbers,
               (size_t)record->columns * sizeof *residual);
}

/* ---- the run ---- */

/* Sets that are solved together: as many as memory has room for. */
static SinoStatus choose_sets(const SinodagOperator *op, const SinoMatrixInput *input, int64_t numbers, int64_t *result)
{
    const int64_t workers = sino_runtime_worker_count(sino_library_runtime());
    const int64_t room = sino_products_room(op->products);
    SinoUnitBytes bytes;
    int64_t sets = sino_matrix_batch_sets(input->survey, input->set_count);
    for (;; sets = sino_ceil_divide(sets, 2)) {
        SINO_TRY(sino_matrix_solution_bytes(&input->problem, input->solver, &input->files, numbers, sets, workers,
                                            (SinoMatrixStay){0}, &bytes));
        if (bytes.data <= room || sets == 1) break;
    }
    *result = sets;
    return sino_library_check_room(op, "a set of counts", sets, bytes.data);
}

static SinoStatus compute(const SinodagOperator *op, const SinoSettings *settings, const SinoMatrixInput *input,
                          Output *output, SinoRecord *record)
{
    SinoMatrixSolution run = {.runtime = op->op->runtime,
                              .settings = settings,
                              .op = op->op,
                              .solver = input->solver,
                              .files = &input->files,
                              .set_count = input->set_count,
                              .record = record,
                              .save = {.save = give_image, .of = output}};
    SINO_TRY(sino_matrix_filter(&settings->counts, &op->matrix->outline.grid, &run.filter));
    SINO_TRY(choose_sets(op, input, record->numbers, &run.batch_sets));
    SINO_TRY(sino_allocate(input->set_count, sizeof *run.lost, "sets of counts", &run.lost));
    SinoStatus status = sino_matrix_solve(&run);
    if (!status)
        sino_matrix_tell_lost(sino_runtime_log(run.runtime), input->survey->subset_count, input->set_count, run.lost);
    free(run.lost);
    return status;
}

static SinoStatus solve(const SinodagOperator *op, const SinoSettings *settings, const SinoArrays *arrays,
                        const SinodagSolution *solution, SinoMatrixInput *input)
{
    Output output = {.images = arrays->images, .voxel_count = op->matrix->outline.column_count};
    SinoRecordShape shape = sino_matrix_record_shape(settings, input);
    SinoRecord record;
    shape.pictures = false;
    SINO_CHECK(!solution->residual || solution->columns == shape.columns, SINO_BAD_INPUT,
               "there are %" PRId64 " residuals of a slice; allowed: %" PRId64 ", one more than iterations",
               solution->columns, shape.columns);
    SINO_TRY(sino_record_new(&shape, &record));
    sino_library_show_progress(solution->progress, solution->of);
    SinoStatus status = compute(op, settings, input, &output, &record);
    sino_library_show_progress(NULL, NULL);
    if (!status && solution->residual) give_residuals(&record, input->set_count, solution->residual);
    sino_record_free(&record);
    return status;
}

SinoStatus sino_library_solve_matrix(const SinodagOperator *op, const SinoSettings *settings, const SinoArrays *arrays,
                                     const SinodagSolution *solution)
{
    SinoMatrixInput input = {.solver = sino_matrix_solver(settings),
                             .survey = op->matrix,
                             .set_count = arrays->slice_count,
                             .problem = op->op->problem};
    SINO_TRY(check_subsets(op, &settings->solver, input.solver));
    SINO_TRY(sino_matrix_check_grid(&settings->solver, &op->matrix->outline.grid));
    SinoStatus status = open_files(op, arrays, solution, input.solver, &input.files);
    if (!status) status = solve(op, settings, arrays, solution, &input);
    sino_matrix_files_close(&input.files);
    return status;
}
