/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix, the kind of operator: products with blocks of bricks, a task for each row partition.
 *
 * Sums over row partitions go up a tree of pairs, so that their bits depend on the matrix alone. */
#include "matrix_kind.h"

#include "arithmetic.h"
#include "brick_pack.h"
#include "brick_task.h"
#include "list_bricks_task.h"
#include "matrix_cache.h"
#include "memory.h"
#include "pack_bricks_task.h"
#include "rays_gate_task.h"
#include "voxel_sum.h"
#include "voxels_task.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    RANGE_ENTRIES = 32 << 10, /* that a task reads at a time, so that rows are packed while they are in L2 */
    RANGE_ROWS = 1024         /* at most */
};

/* SinoOperator.own. All members are owned. */
typedef struct Own {
    SinoBrickArea *area;    /* [row partition · subset_count + subset]; blocks are NULL if they are in a kept file */
    SinoOperatorFile *kept; /* blocks of a matrix that was too large for memory; NULL: none */
    bool windows;           /* the blocks do not stay in memory */
    bool listed;            /* the areas have lists, with which devices compute */
    SinoData **block;       /* [subset · partition_count + row partition]; NULL: no rows */
    int64_t bytes;          /* of all blocks */
    int64_t lists_bytes;    /* of their lists */
    SinoData *mask;         /* float[voxel row]; NULL: none */
    SinoExchangePart part;
    SinoRayExchange *exchange;
} Own;

/* SinoOperatorWork.own. All members are owned. */
typedef struct Work {
    SinoData **voxels; /* [row partition]: its share of Aᵀ y; the first is NULL unless there is a mask: the result */
    SinoData **rows;   /* [row partition]: its rows of A x, from devices; NULL until there is a projection */
    SinoData **sums;   /* [row partition]: SinoBrickSums[stride] */
    SinoData *scratch; /* of devices; NULL: none computes */
    SinoData *lost;    /* double[stride] */
    SinoVoxelSum *all; /* over ranks; NULL: one rank */
} Work;

static const SinoBuffer work_buffers[] = {
    {"voxels of a row partition", SINO_ROWS_ADDENDS, SINO_ELEMENT_REAL, SINO_LANES_SLICES}};

/* The order in which the row partition's rows are packed. */
static const int64_t *packed_rows(const SinoMatrixSurvey *matrix, int64_t partition)
{
    return matrix->packed + (matrix->first_row[partition] - matrix->first_row[0]);
}

static const SinoMatrixSurvey *survey_of(const SinoOperator *op)
{
    return op->problem.matrix;
}

/* Units of packing (matrix_survey.h), row partition after row partition. */
static int64_t unit_count_of(const SinoMatrixSurvey *matrix)
{
    return sino_times(matrix->partition_count, matrix->group_count);
}

/* The unit's first block in Own.area; of the unit behind the last one: the number of blocks. */
static int64_t unit_first(const SinoMatrixSurvey *matrix, int64_t unit)
{
    const int64_t partition = unit / matrix->group_count, group = unit % matrix->group_count;
    return partition * matrix->subset_count + sino_matrix_group_first(matrix, group);
}

/* The rows of Own.area[i]. */
static const SinoMatrixBlock *rows_of(const SinoMatrixSurvey *matrix, int64_t i)
{
    const int64_t partition = i / matrix->subset_count, subset = i % matrix->subset_count;
    return &matrix->block[subset * matrix->partition_count + partition];
}

double sino_matrix_iteration_work(const SinoMatrixSurvey *matrix)
{
    return (double)matrix->order->row_count;
}

int64_t sino_matrix_bytes(const SinoOperator *op)
{
    return ((const Own *)op->own)->bytes;
}

SinoData *sino_matrix_lost(const SinoOperatorWork *work)
{
    return ((const Work *)work->own)->lost;
}

static bool takes(const SinoProblem *problem)
{
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
                                     .unit_count = unit_count_of(matrix),
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
    const int64_t tasks = sino_smaller(worker_count, unit_count_of(matrix));
    (void)division;
    *size = (SinoOperatorSize){.bytes = sino_matrix_block_bytes(matrix, problem->precision),
                               .map_bytes = sino_matrix_survey_bytes(matrix),
                               .building_bytes = sino_times(tasks, 16 * (int64_t)RANGE_ENTRIES),
                               .shape.precision = problem->precision,
                               .nonzero_count = (double)matrix->outline.nonzero_count,
                               .orientations = 1};
    /* Such files are read a row partition at a time (matrix_file.h gives the bytes of an entry). */
    if (!matrix->outline.row_access) size->building_bytes = sino_times(tasks, sino_times(nonzeros, 36));
    size->partition_bytes = size->bytes / unit_count_of(matrix);
    size->all_bytes = size->bytes;
    set_extents(matrix, size->shape.extent);
    return NULL;
}

/* ---- open ---- */

/* Rows that a task reads at a time. */
static int64_t range_rows(const SinoMatrixSurvey *matrix)
{
    const int64_t per_row = matrix->outline.nonzero_count / matrix->outline.row_count + 1;
    if (!matrix->outline.row_access) return matrix->outline.row_count;
    return sino_larger(1, sino_smaller(RANGE_ENTRIES / per_row, RANGE_ROWS));
}

/* Reserves the memory of a block of up to `bytes` bytes, and of its lists. */
static SinoStatus reserve_area(const Own *own, int64_t bytes, int64_t nonzero_count, SinoBrickArea *area)
{
    const int64_t lists = own->listed ? sino_brick_area_lists_most(area->row_count, nonzero_count) : 0;
    const int64_t capacity = sino_brick_area_lists_at(bytes) + lists;
    char text[24];
    area->block = sino_reserve(capacity);
    SINO_CHECK(area->block, SINO_FAILED, "no addresses for the matrix: %s asked for", sino_bytes_text(capacity, text));
    area->capacity = capacity;
    return NULL;
}

/* Reserves the memory of the unit's blocks. */
static SinoStatus reserve(const SinoOperator *op, int64_t unit)
{
    const SinoMatrixSurvey *matrix = survey_of(op);
    const Own *own = op->own;
    for (int64_t i = unit_first(matrix, unit); i < unit_first(matrix, unit + 1); i++) {
        const SinoMatrixBlock *block = rows_of(matrix, i);
        const int64_t bytes = sino_brick_bytes_most(block->row_count, block->nonzero_count);
        own->area[i] = (SinoBrickArea){.row_count = block->row_count};
        SINO_TRY(reserve_area(own, bytes, block->nonzero_count, &own->area[i]));
    }
    return NULL;
}

static SinoStatus insert_packing(const SinoOperator *op, int64_t unit)
{
    const SinoMatrixSurvey *matrix = survey_of(op);
    const Own *own = op->own;
    const int64_t partition = unit / matrix->group_count, group = unit % matrix->group_count;
    const int64_t first = matrix->first_row[partition], count = matrix->first_row[partition + 1] - first;
    double nonzeros = 0;
    for (int64_t i = unit_first(matrix, unit); i < unit_first(matrix, unit + 1); i++)
        nonzeros += (double)rows_of(matrix, i)->nonzero_count;
    const SinoPackBricks pack = {.file = matrix->file,
                                 .order = matrix->order,
                                 .precision = op->problem.precision,
                                 .first_row = first,
                                 .row_count = count,
                                 .row = packed_rows(matrix, partition),
                                 .range_rows = range_rows(matrix),
                                 .subset_count = matrix->subset_count,
                                 .first_subset = sino_matrix_group_first(matrix, group),
                                 .end_subset = sino_matrix_group_first(matrix, group + 1),
                                 .area = own->area + partition * matrix->subset_count};
    return sino_insert_pack_bricks(op->runtime, partition, &pack, nonzeros);
}

/* The block as StarPU data, with its lists. */
static SinoStatus take_block(SinoOperator *op, int64_t partition, int64_t subset, const void *block, int64_t bytes)
{
    const SinoMatrixSurvey *matrix = survey_of(op);
    Own *own = op->own;
    SinoBrickArea *area = &own->area[partition * matrix->subset_count + subset];
    const int64_t all = area->lists ? sino_brick_area_lists_at(bytes) + area->lists->bytes : bytes;
    own->bytes += bytes;
    own->lists_bytes += all - bytes;
    area->bytes = bytes;
    op->nonzero_count += ((const SinoBrickHead *)block)->nonzero_count;
    if (area->lists) sino_data_pin(area->block, all);
    return sino_data_borrow(op->runtime, "A", block, all, &own->block[subset * matrix->partition_count + partition]);
}

/* The blocks in the areas. */
static SinoStatus take_areas(SinoOperator *op)
{
    const SinoMatrixSurvey *matrix = survey_of(op);
    const Own *own = op->own;
    for (int64_t p = 0; p < matrix->partition_count; p++)
        for (int64_t s = 0; s < matrix->subset_count; s++) {
            const SinoBrickArea *area = &own->area[p * matrix->subset_count + s];
            SINO_TRY(take_block(op, p, s, area->block, area->bytes));
        }
    return NULL;
}

/* Inserts the tasks that make the lists of all blocks, and waits for them. from: blocks that are copied to the areas
 * before, in the order of these; NULL: the areas have them. */
static SinoStatus list_all(const SinoOperator *op, const void *const *from)
{
    const SinoMatrixSurvey *matrix = survey_of(op);
    const Own *own = op->own;
    SinoStatus status = NULL;
    for (int64_t p = 0; own->listed && p < matrix->partition_count && !status; p++) {
        const int64_t first = p * matrix->subset_count;
        const SinoListBricks list = {
            .subset_count = matrix->subset_count, .from = from ? from + first : NULL, .area = own->area + first};
        double bytes = 0;
        for (int64_t s = 0; s < matrix->subset_count; s++) bytes += (double)list.area[s].bytes;
        status = sino_insert_list_bricks(op->runtime, p, &list, bytes);
    }
    return sino_runtime_wait_after(op->runtime, status);
}

/* Copies of the blocks of a kept file, with lists, which the file does not have. */
static SinoStatus copy_kept(SinoOperator *op, const SinoOperatorFile *kept)
{
    const SinoMatrixSurvey *matrix = survey_of(op);
    const Own *own = op->own;
    const void **from = NULL;
    SinoStatus status = NULL;
    SINO_TRY(sino_allocate(sino_times(matrix->subset_count, matrix->partition_count), sizeof *from,
                           "blocks of a matrix", &from));
    for (int64_t p = 0; p < matrix->partition_count && !status; p++)
        for (int64_t s = 0; s < matrix->subset_count && !status; s++) {
            const SinoOperatorPiece piece = sino_matrix_kept_block(kept, matrix, p, s);
            const SinoBrickHead *head = piece.memory;
            SinoBrickArea *area = &own->area[p * matrix->subset_count + s];
            *area = (SinoBrickArea){.row_count = head->row_count, .bytes = piece.bytes};
            from[p * matrix->subset_count + s] = head;
            status = reserve_area(own, piece.bytes, head->nonzero_count, area);
        }
    if (!status) status = list_all(op, from);
    if (!status) status = take_areas(op);
    free(from);
    return status;
}

/* Blocks from a kept file: their pages come into memory as tasks read them. */
static SinoStatus take_kept(SinoOperator *op, const SinoOperatorFile *kept)
{
    const SinoMatrixSurvey *matrix = survey_of(op);
    for (int64_t p = 0; p < matrix->partition_count; p++)
        for (int64_t s = 0; s < matrix->subset_count; s++) {
            const SinoOperatorPiece piece = sino_matrix_kept_block(kept, matrix, p, s);
            SINO_TRY(take_block(op, p, s, piece.memory, piece.bytes));
        }
    return NULL;
}

/* Packs `count` units from `first` on, and waits for them. */
static SinoStatus pack_some(const SinoOperator *op, int64_t first, int64_t count)
{
    SinoStatus status = NULL;
    for (int64_t u = first; u < first + count; u++) SINO_TRY(reserve(op, u));
    for (int64_t u = first; u < first + count && !status; u++) status = insert_packing(op, u);
    return sino_runtime_wait_after(op->runtime, status);
}

static SinoStatus pack_all(SinoOperator *op)
{
    SINO_TRY(pack_some(op, 0, unit_count_of(survey_of(op))));
    SINO_TRY(list_all(op, NULL));
    return take_areas(op);
}

/* Appends the blocks of a unit to the file. */
static SinoStatus keep_unit(const SinoOperator *op, int64_t unit, SinoMatrixKeeper *keeper)
{
    const SinoMatrixSurvey *matrix = survey_of(op);
    const Own *own = op->own;
    for (int64_t i = unit_first(matrix, unit); i < unit_first(matrix, unit + 1); i++)
        SINO_TRY(sino_matrix_keeper_append(keeper, own->area[i].block, own->area[i].bytes));
    return NULL;
}

static void release_unit(const SinoOperator *op, int64_t unit)
{
    const SinoMatrixSurvey *matrix = survey_of(op);
    const Own *own = op->own;
    for (int64_t i = unit_first(matrix, unit); i < unit_first(matrix, unit + 1); i++) {
        sino_release(own->area[i].block, own->area[i].capacity);
        own->area[i].block = NULL;
    }
}

/* Packs `count` units at a time into the file. */
static SinoStatus pack_to(const SinoOperator *op, int64_t count, SinoMatrixKeeper *keeper)
{
    const int64_t all = unit_count_of(survey_of(op));
    for (int64_t first = 0; first < all; first += count) {
        const int64_t some = sino_smaller(count, all - first);
        SINO_TRY(pack_some(op, first, some));
        for (int64_t u = first; u < first + some; u++) {
            SINO_TRY(keep_unit(op, u, keeper));
            release_unit(op, u);
        }
    }
    return NULL;
}

/* A matrix that does not fit memory is packed into a file of the cache, and read from there in every product. */
static SinoStatus pack_windows(SinoOperator *op, const SinoOperatorRequest *request)
{
    const SinoMatrixSurvey *matrix = survey_of(op);
    Own *own = op->own;
    SinoMatrixKeeper *keeper = NULL;
    SINO_TRY(sino_matrix_keeper_new(request->cache, op->problem.precision, matrix,
                                    sino_matrix_block_bytes(matrix, op->problem.precision), &keeper));
    SinoStatus status = pack_to(op, request->window_count, keeper);
    if (status) {
        sino_matrix_keeper_discard(keeper);
        return status;
    }
    SINO_TRY(sino_matrix_keeper_end(sino_runtime_log(op->runtime), keeper, &own->kept));
    return take_kept(op, own->kept);
}

static SinoStatus open_blocks(SinoOperator *op, const SinoOperatorRequest *request)
{
    const SinoMatrixSurvey *matrix = survey_of(op);
    Own *own = op->own;
    const int64_t blocks = sino_times(matrix->subset_count, matrix->partition_count);
    SINO_TRY(sino_allocate(blocks, sizeof *own->area, "blocks of a matrix", &own->area));
    SINO_TRY(sino_allocate(blocks, sizeof(void *), "blocks of a matrix", &own->block));
    if (matrix->kept) return own->listed ? copy_kept(op, matrix->kept) : take_kept(op, matrix->kept);
    return request->window_count > 0 ? pack_windows(op, request) : pack_all(op);
}

/* Ranks share the rows, and all have every voxel. */
static SinoStatus open_exchange(SinoOperator *op, const SinoRayExchangeShape *shape)
{
    Own *own = op->own;
    const SinoMatrixSurvey *matrix = survey_of(op);
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
    const SinoMatrixSurvey *matrix = survey_of(op);
    SinoProcesses *processes = sino_runtime_processes(op->runtime);
    Own *own = NULL;
    SINO_TRY(sino_allocate(1, sizeof *own, "the operator", &own));
    op->own = own;
    own->windows = request->window_count > 0;
    own->listed = request->listed && !own->windows;
    SINO_TRY(sino_processes_agree(processes, open_blocks(op, request)));
    if (matrix->mask)
        SINO_TRY(sino_data_borrow(op->runtime, "mask", matrix->mask,
                                  sino_times(matrix->order->row_count, (int64_t)sizeof *matrix->mask), &own->mask));
    return open_exchange(op, &request->shape);
}

static void release_area(SinoBrickArea *area)
{
    if (area->lists) sino_data_unpin(area->block, sino_brick_area_lists_at(area->bytes) + area->lists->bytes);
    sino_release(area->block, area->capacity);
}

static void close_all(SinoOperator *op)
{
    const SinoMatrixSurvey *matrix = survey_of(op);
    const int64_t blocks = sino_times(matrix->subset_count, matrix->partition_count);
    Own *own = op->own;
    if (!own) return;
    sino_data_free_each(own->block, blocks);
    for (int64_t i = 0; own->area && i < blocks; i++) release_area(&own->area[i]);
    free(own->area);
    sino_operator_file_close(own->kept);
    sino_data_free(own->mask);
    sino_ray_exchange_free(own->exchange);
    free(own);
}

/* ---- work ---- */

static int64_t work_bytes(const SinoShape *shape, SinoBatch batch)
{
    const int64_t sums = sino_times(shape->extent[SINO_ROWS_ADDENDS].members + 1, (int64_t)sizeof(SinoBrickSums));
    const int64_t elements = sino_times(shape->extent[SINO_ROWS_VOXELS].total, batch.stride);
    return sino_buffers_bytes(1, work_buffers, shape, batch) +
           sino_voxel_sum_bytes(elements, shape->extent[SINO_ROWS_RANKS].members) +
           sino_times(batch.stride, sums + (int64_t)sizeof(double)) +
           sino_buffers_bytes(SINO_PARTIAL_BUFFERS, sino_partial_buffers, shape, batch);
}

static SinoStatus work_open(SinoOperatorWork *work, const SinoSlices *slices, int64_t number, bool overlap)
{
    const SinoOperator *op = work->op;
    const SinoMatrixSurvey *matrix = survey_of(op);
    const Own *own = op->own;
    const int64_t stride = slices->stride;
    Work *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "a minibatch", &made));
    work->own = made;
    SINO_TRY(sino_allocate(matrix->partition_count, sizeof(void *), "a minibatch", &made->voxels));
    for (int64_t p = matrix->mask ? 0 : 1; p < matrix->partition_count; p++)
        SINO_TRY(sino_data_vector(op->runtime, work_buffers[0].name, matrix->order->row_count, stride, sizeof(float),
                                  &made->voxels[p]));
    SINO_TRY(sino_allocate(matrix->partition_count, sizeof(void *), "a minibatch", &made->sums));
    SINO_TRY(sino_allocate(matrix->partition_count, sizeof(void *), "a minibatch", &made->rows));
    for (int64_t p = 0; p < matrix->partition_count; p++)
        SINO_TRY(
            sino_data_vector(op->runtime, "sums of a row partition", 1, stride, sizeof(SinoBrickSums), &made->sums[p]));
    if (own->listed)
        SINO_TRY(sino_data_scratch(op->runtime, "products of devices",
                                   sino_bricks_work_bytes(sino_matrix_block_rows(matrix), *slices), &made->scratch));
    SINO_TRY(sino_data_vector(op->runtime, "lost counts", 1, stride, sizeof(double), &made->lost));
    SINO_TRY(sino_partial_sums_new(op->runtime, own->exchange, &op->shape, slices, number, overlap, &work->sums));
    return sino_voxel_sum_new(op->runtime, work->sums, sino_times(matrix->order->row_count, stride), &made->all);
}

static void work_close(SinoOperatorWork *work)
{
    Work *made = work->own;
    if (!made) return;
    sino_voxel_sum_free(made->all);
    sino_partial_sums_free(work->sums, &work->op->shape);
    sino_data_free_each(made->voxels, survey_of(work->op)->partition_count);
    sino_data_free_each(made->rows, survey_of(work->op)->partition_count);
    sino_data_free_each(made->sums, survey_of(work->op)->partition_count);
    sino_data_free(made->scratch);
    sino_data_free(made->lost);
    free(made);
}

/* ---- products ---- */

/* `share`: of the work of an iteration that the products of all row partitions of a subset are. */
static SinoBrickPart part_of(const SinoOperatorWork *work, const SinoProduct *product, int64_t partition, double share)
{
    const SinoOperator *op = work->op;
    const SinoMatrixSurvey *matrix = survey_of(op);
    const Own *own = op->own;
    const SinoMatrixBlock *block = &matrix->block[product->subset * matrix->partition_count + partition];
    const SinoBrickArea *area = &own->area[partition * matrix->subset_count + product->subset];
    const double bytes = (double)area->bytes;
    const double all = sino_matrix_iteration_work(matrix) * bytes / (double)own->bytes;
    return (SinoBrickPart){.slices = product->slices,
                           .rows = matrix->subset_rows[product->subset],
                           .first_row = block->first,
                           .row_count = block->row_count,
                           .voxel_rows = matrix->order->row_count,
                           .partition = partition,
                           .forget = own->windows,
                           .progress = product->position.iteration < 0 ? 0 : share * all,
                           .work = bytes * (double)product->slices.stride,
                           .flops = 2 * (double)block->nonzero_count * (double)product->slices.slice_count,
                           .precision = op->problem.precision,
                           .lists = area->lists,
                           .work_memory = ((const Work *)work->own)->scratch};
}

static SinoData *block_of(const SinoOperatorWork *work, const SinoProduct *product, int64_t partition)
{
    const Own *own = work->op->own;
    return own->block[product->subset * survey_of(work->op)->partition_count + partition];
}

/* The memory of a row partition's rows of A x of any subset. */
static SinoStatus open_rows(SinoOperatorWork *work, int64_t partition, int64_t stride)
{
    const SinoMatrixSurvey *matrix = survey_of(work->op);
    const Work *made = work->own;
    int64_t most = 0;
    if (made->rows[partition]) return NULL;
    for (int64_t s = 0; s < matrix->subset_count; s++)
        most = sino_larger(most, matrix->block[s * matrix->partition_count + partition].row_count);
    return sino_data_vector(work->op->runtime, "rows of a row partition", most, stride, sizeof(float),
                            &made->rows[partition]);
}

/* Cores or devices project into rows of their own, which are copied into y. */
static SinoStatus project_apart(SinoOperatorWork *work, const SinoProduct *product, SinoData *const *x, SinoData *y)
{
    SinoRuntime *runtime = work->op->runtime;
    const Work *made = work->own;
    const int64_t count = survey_of(work->op)->partition_count;
    for (int64_t p = 0; p < count; p++) {
        SinoBrickPart part = part_of(work, product, p, 0.5);
        part.rows = part.row_count;
        part.first_row = 0;
        SINO_TRY(open_rows(work, p, product->slices.stride));
        SINO_TRY(sino_insert_bricks_project(runtime, product->position, &part, block_of(work, product, p), x[0],
                                            made->rows[p]));
    }
    SINO_TRY(sino_insert_rays_begin(runtime, product->position, false, y));
    for (int64_t p = 0; p < count; p++) {
        const SinoBrickPart part = part_of(work, product, p, 0);
        SINO_TRY(sino_insert_bricks_paste(runtime, product->position, &part, made->rows[p], y));
    }
    return sino_insert_rays_end(runtime, product->position, y);
}

static SinoStatus project(SinoOperatorWork *work, const SinoProduct *product, SinoData *const *x, SinoData *y)
{
    SinoRuntime *runtime = work->op->runtime;
    if (((const Own *)work->op->own)->listed) return project_apart(work, product, x, y);
    SINO_TRY(sino_insert_rays_begin(runtime, product->position, false, y));
    for (int64_t p = 0; p < survey_of(work->op)->partition_count; p++) {
        const SinoBrickPart part = part_of(work, product, p, 0.5);
        SINO_TRY(sino_insert_bricks_project(runtime, product->position, &part, block_of(work, product, p), x[0], y));
    }
    return sino_insert_rays_end(runtime, product->position, y);
}

/* The voxels that a row partition writes. The first row partition's become the sum: the result itself, unless a mask
 * comes in between. */
static SinoData *voxels_of(const Work *made, int64_t partition, SinoData *result)
{
    return made->voxels[partition] ? made->voxels[partition] : result;
}

/* to = the sum of the voxels of all row partitions and ranks, where the mask is not 0. */
static SinoStatus insert_sum(SinoOperatorWork *work, const SinoProduct *product, SinoData *to)
{
    const SinoOperator *op = work->op;
    const Work *made = work->own;
    const int64_t rows = survey_of(op)->order->row_count, count = survey_of(op)->partition_count;
    for (int64_t step = 1; step < count; step *= 2)
        for (int64_t p = 0; p + step < count; p += 2 * step)
            SINO_TRY(sino_insert_voxels_add(op->runtime, product->position, product->slices, rows,
                                            made->voxels[p + step], voxels_of(made, p, to)));
    SINO_TRY(sino_insert_voxel_sum(made->all, product->position, voxels_of(made, 0, to)));
    if (!made->voxels[0]) return NULL;
    return sino_insert_voxels_mask(op->runtime, product->position, product->slices, rows, ((const Own *)op->own)->mask,
                                   made->voxels[0], to);
}

static SinoStatus backproject(SinoOperatorWork *work, const SinoProduct *product, SinoData *y, SinoData *const *x)
{
    const Work *made = work->own;
    for (int64_t p = 0; p < survey_of(work->op)->partition_count; p++) {
        const SinoBrickPart part = part_of(work, product, p, 0.5);
        SINO_TRY(sino_insert_bricks_backproject(work->op->runtime, product->position, &part, block_of(work, product, p),
                                                y, voxels_of(made, p, x[0])));
    }
    return insert_sum(work, product, x[0]);
}

static SinoStatus sweep(SinoOperatorWork *work, const SinoProduct *product, const SinoSweep *sweep, SinoData *const *x,
                        SinoData *const *to, SinoData *sums)
{
    const Work *made = work->own;
    const int64_t count = survey_of(work->op)->partition_count;
    const SinoBrickVectors vectors = {
        .counts = sweep->counts, .multiplicative = sweep->multiplicative, .additive = sweep->additive};
    SinoRuntime *runtime = work->op->runtime;
    for (int64_t p = 0; p < count; p++) {
        const SinoBrickPart part = part_of(work, product, p, 1);
        SINO_TRY(sino_insert_bricks_sweep(runtime, product->position, &part, block_of(work, product, p), &vectors, x[0],
                                          voxels_of(made, p, to[0]), made->sums[p]));
    }
    SINO_TRY(sino_insert_bricks_sums(runtime, product->position, product->slices.stride, count, sweep->add, made->sums,
                                     sums, made->lost));
    return insert_sum(work, product, to[0]);
}

/* Some slices of the volumes of all count sets, one volume after another. */
static SinoStatus image(SinoOperatorWork *work, const SinoProduct *product, const SinoImaging *imaging,
                        SinoData *const *x, SinoData *image)
{
    const SinoMatrixSurvey *matrix = survey_of(work->op);
    const SinoVoxelGrid *grid = &matrix->outline.grid;
    const int64_t slices = sino_larger(grid->z_count, 1), voxels = matrix->order->column_count / slices;
    const SinoVoxelsImage what = {.order = matrix->order,
                                  .slices = product->slices,
                                  .set = imaging->first / slices,
                                  .first = sino_times(imaging->first % slices, voxels),
                                  .count = sino_times(imaging->count, voxels),
                                  .scale = imaging->scale};
    return sino_insert_voxels_image(work->op->runtime, product->position, &what, x[0], image);
}

static void report(const SinoOperator *op)
{
    const SinoMatrixSurvey *matrix = survey_of(op);
    const int64_t bytes = sino_matrix_bytes(op);
    char text[24];
    sino_log_info(sino_runtime_log(op->runtime), "operator",
                  "operator: %s, %" PRId64 " rows, %" PRId64 " voxels, %" PRId64 " nonzeros in bricks of %" PRId64
                  ": %s, %.2f bytes per nonzero, %s",
                  matrix->file ? sino_matrix_kind(matrix->file) : "kept", matrix->outline.row_count,
                  matrix->outline.column_count, op->nonzero_count, matrix->order->lanes, sino_bytes_text(bytes, text),
                  (double)bytes / (double)sino_larger(op->nonzero_count, 1), sino_bricks_isa_name());
    if (((const Own *)op->own)->listed)
        sino_log_detail(sino_runtime_log(op->runtime), "operator", "lists of it for devices: %s",
                        sino_bytes_text(((const Own *)op->own)->lists_bytes, text));
}

static SinoStatus keep_all(const SinoOperator *op, const char *folder)
{
    const SinoMatrixSurvey *matrix = survey_of(op);
    SinoMatrixKeeper *keeper = NULL;
    SinoStatus status = NULL;
    SINO_TRY(sino_matrix_keeper_new(folder, op->problem.precision, matrix, sino_matrix_bytes(op), &keeper));
    for (int64_t u = 0; u < unit_count_of(matrix) && !status; u++) status = keep_unit(op, u, keeper);
    if (!status) return sino_matrix_keeper_end(sino_runtime_log(op->runtime), keeper, NULL);
    sino_matrix_keeper_discard(keeper);
    return status;
}

static void keep(SinoOperator *op, const char *folder)
{
    if (!folder || survey_of(op)->kept || ((const Own *)op->own)->kept) return;
    SinoStatus status = keep_all(op, folder);
    if (status)
        sino_log_warning(sino_runtime_log(op->runtime), "operator", "the matrix is not kept: %s",
                         sino_status_text(status));
    sino_status_free(status);
}

const SinoOperatorKind sino_bricks_kind = {.name = "matrix",
                                           .takes = takes,
                                           .check = check,
                                           .outline = outline,
                                           .size = size,
                                           .open = open_all,
                                           .close = close_all,
                                           .work_bytes = work_bytes,
                                           .work_open = work_open,
                                           .work_close = work_close,
                                           .project = project,
                                           .backproject = backproject,
                                           .sweep = sweep,
                                           .image = image,
                                           .report = report,
                                           .keep = keep};
