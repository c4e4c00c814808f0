/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix, the kind of operator: its blocks (matrix_blocks.c), its products (matrix_product.c), and what is known of
 * both before. */
#include "matrix_private.h"

#include "matrix_survey.h"
#include "memory.h"

#include <inttypes.h>
#include <stdlib.h>

static bool takes(const SinoOperatorKind *kind, const SinoProblem *problem)
{
    (void)kind;
    return problem->matrix && (problem->precision == SINO_SINGLE || problem->precision == SINO_MIXED);
}

static SinoStatus check(const char *folder)
{
    return sino_matrix_cache_check(folder);
}

static SinoStatus outline(const SinoProblem *problem, SinoOperatorOutline *outline)
{
    const SinoMatrixSurvey *matrix = problem->matrix;
    *outline = (SinoOperatorOutline){.bytes = sino_matrix_block_bytes(matrix, problem->precision),
                                     .unit_count = sino_matrix_units(matrix),
                                     .voxel_count = matrix->order->row_count};
    return NULL;
}

/* The extents that the survey determines. */
static void set_extents(const SinoMatrixSurvey *matrix, SinoExtent *extent)
{
    const int64_t voxels = matrix->order->row_count, addends = matrix->partition_count - (matrix->mask ? 0 : 1);
    extent[SINO_ROWS_MINIBATCH] = sino_extent_one(1);
    extent[SINO_ROWS_RAYS] = sino_extent_of(1, &matrix->row_count);
    extent[SINO_ROWS_SUBSET] = sino_extent_of(matrix->subset_count, matrix->subset_rows);
    extent[SINO_ROWS_VOXELS] = sino_extent_of(1, &matrix->order->row_count);
    extent[SINO_ROWS_ADDENDS] =
        (SinoExtent){.members = addends, .total = sino_times(addends, voxels), .most = voxels, .filled = addends};
    extent[SINO_ROWS_PIXELS] = sino_extent_one(0); /* voxels become images slice by slice */
    extent[SINO_ROWS_TALLY] = sino_extent_one(0);
}

static SinoStatus size(const SinoProblem *problem, const SinoDivision *division, int64_t worker_count,
                       SinoOperatorSize *size)
{
    const SinoMatrixSurvey *matrix = problem->matrix;
    const int64_t nonzeros = matrix->nonzero_count / matrix->partition_count;
    const int64_t tasks = sino_smaller(worker_count, sino_matrix_units(matrix));
    (void)division;
    *size = (SinoOperatorSize){.bytes = sino_matrix_block_bytes(matrix, problem->precision),
                               .map_bytes = sino_matrix_survey_bytes(matrix),
                               .building_bytes = sino_times(tasks, 16 * (int64_t)SINO_MATRIX_RANGE_ENTRIES),
                               .shape.precision = problem->precision,
                               .nonzero_count = (double)matrix->outline.nonzero_count,
                               .orientations = 1};
    /* Such files are read a row partition at a time (matrix_file.h gives the bytes of an entry). */
    if (!matrix->outline.row_access) size->building_bytes = sino_times(tasks, sino_times(nonzeros, 36));
    size->building_bytes += sino_times(tasks, matrix->outline.image_bytes);
    size->partition_bytes = size->bytes / sino_matrix_units(matrix);
    size->all_bytes = size->bytes;
    set_extents(matrix, size->shape.extent);
    return NULL;
}

/* Ranks share the rows, and all have every voxel. */
static SinoStatus open_exchange(SinoOperator *op, const SinoRayExchangeShape *shape)
{
    SinoMatrixOwn *own = op->own;
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(op);
    own->part.footprint.ray_count = matrix->outline.row_count;
    const SinoExchangeParts parts = {.angle_count = matrix->outline.row_count,
                                     .column_count = 1,
                                     .whole = true,
                                     .count = 1,
                                     .part = &own->part,
                                     .all_count = 1,
                                     .all_voxels = &matrix->order->row_count};
    SINO_TRY(sino_ray_exchange_new(op->runtime, shape, &parts, &own->exchange));
    op->shape.precision = op->problem.precision;
    SINO_TRY(sino_ray_exchange_extents(own->exchange, op->shape.extent));
    set_extents(matrix, op->shape.extent);
    op->ranks = own->exchange;
    op->replicated = true;
    return NULL;
}

static SinoStatus open_all(SinoOperator *op, const SinoOperatorRequest *request)
{
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(op);
    SinoProcesses *processes = sino_runtime_processes(op->runtime);
    SinoMatrixOwn *own = NULL;
    SINO_TRY(sino_allocate(1, sizeof *own, "the operator", &own));
    op->own = own;
    own->windows = request->window_count > 0;
    own->listed = request->listed && !own->windows;
    SINO_TRY(sino_processes_agree(processes, sino_matrix_blocks_open(op, request)));
    if (matrix->mask)
        SINO_TRY(sino_data_borrow(op->runtime, "mask", matrix->mask,
                                  sino_times(matrix->order->row_count, (int64_t)sizeof *matrix->mask), &own->mask));
    return open_exchange(op, &request->shape);
}

static void close_all(SinoOperator *op)
{
    SinoMatrixOwn *own = op->own;
    if (!own) return;
    sino_matrix_blocks_close(op);
    sino_data_free(own->mask);
    sino_ray_exchange_free(own->exchange);
    free(own);
}

static void report_mirrors(const SinoOperator *op)
{
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(op);
    const int64_t all = sino_matrix_all_nonzeros(matrix, op->nonzero_count);
    sino_log_info(sino_runtime_log(op->runtime), "operator",
                  "mirrors: these stand for %" PRId64 " orientations of the image, about %" PRId64
                  " nonzeros, %.2f bytes each",
                  matrix->orientation_count, all, (double)sino_matrix_bytes(op) / (double)sino_larger(all, 1));
}

static void report(const SinoOperator *op)
{
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(op);
    const int64_t bytes = sino_matrix_bytes(op);
    char text[24];
    sino_log_info(sino_runtime_log(op->runtime), "operator",
                  "operator: %s, %" PRId64 " rows, %" PRId64 " voxels, %" PRId64 " nonzeros in bricks of %" PRId64
                  ": %s, %.2f bytes per nonzero, %s",
                  matrix->file ? sino_matrix_kind(matrix->file) : "kept", matrix->outline.row_count,
                  matrix->outline.column_count, op->nonzero_count, matrix->order->lanes, sino_bytes_text(bytes, text),
                  (double)bytes / (double)sino_larger(op->nonzero_count, 1), sino_brick_isa_name());
    if (matrix->mirrors) report_mirrors(op);
    if (((const SinoMatrixOwn *)op->own)->listed)
        sino_log_detail(sino_runtime_log(op->runtime), "operator", "lists of it for devices: %s",
                        sino_bytes_text(((const SinoMatrixOwn *)op->own)->lists_bytes, text));
}

const SinoOperatorKind sino_bricks_kind = {.name = "matrix",
                                           .kernels = SINO_KERNELS_OF_ALL,
                                           .stores = true,
                                           .takes = takes,
                                           .check = check,
                                           .outline = outline,
                                           .size = size,
                                           .open = open_all,
                                           .close = close_all,
                                           .work_bytes = sino_matrix_work_bytes,
                                           .work_open = sino_matrix_work_open,
                                           .work_close = sino_matrix_work_close,
                                           .project = sino_matrix_project,
                                           .backproject = sino_matrix_backproject,
                                           .sweep = sino_matrix_sweep,
                                           .updates = sino_matrix_updates,
                                           .image = sino_matrix_image,
                                           .report = report,
                                           .keep = sino_matrix_blocks_keep};
