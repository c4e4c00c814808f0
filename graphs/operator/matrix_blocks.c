/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix, the kind of operator, blocks: bricks packed by tasks, a few units of rows at a time, and kept in files. */
#include "matrix_private.h"

#include "brick_pack.h"
#include "bricks_tasks.h"
#include "matrix_survey.h"
#include "memory.h"
#include "simulation.h"

#include <stdlib.h>

enum { RANGE_ROWS = 1024 /* that a task reads at a time, at most */ };

/* The order in which the row partition's rows are packed. */
static const int64_t *packed_rows(const SinoMatrixSurvey *matrix, int64_t partition)
{
    return matrix->packed + (matrix->first_row[partition] - matrix->first_row[0]);
}

/* The unit's first block in SinoMatrixOwn.area; of the unit behind the last one: the number of blocks. */
static int64_t unit_first(const SinoMatrixSurvey *matrix, int64_t unit)
{
    const int64_t partition = unit / matrix->group_count, group = unit % matrix->group_count;
    return partition * matrix->subset_count + sino_matrix_group_first(matrix, group);
}

/* The rows of SinoMatrixOwn.area[i]. */
static const SinoMatrixBlock *rows_of(const SinoMatrixSurvey *matrix, int64_t i)
{
    const int64_t partition = i / matrix->subset_count, subset = i % matrix->subset_count;
    return &matrix->block[subset * matrix->partition_count + partition];
}

/* Rows that a task reads at a time. */
static int64_t range_rows(const SinoMatrixSurvey *matrix)
{
    const int64_t per_row = matrix->read_nonzeros / matrix->read_count + 1;
    if (!matrix->outline.row_access) return matrix->read_count;
    return sino_larger(1, sino_smaller(SINO_MATRIX_RANGE_ENTRIES / per_row, RANGE_ROWS));
}

/* Reserves the memory of a block of up to `bytes` bytes, and of its lists. */
static SinoStatus reserve_area(const SinoMatrixOwn *own, int64_t bytes, int64_t nonzero_count, SinoBrickArea *area)
{
    const int64_t lists = own->listed ? sino_brick_lists_bytes_most(area->row_count, nonzero_count) : 0;
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
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(op);
    const SinoMatrixOwn *own = op->own;
    for (int64_t i = unit_first(matrix, unit); i < unit_first(matrix, unit + 1); i++) {
        const SinoMatrixBlock *block = rows_of(matrix, i);
        const int64_t rows = block->row_count / matrix->orientation_count;
        const int64_t bytes = sino_brick_bytes_most(rows, block->nonzero_count);
        own->area[i] = (SinoBrickArea){.row_count = rows};
        SINO_TRY(reserve_area(own, bytes, block->nonzero_count, &own->area[i]));
    }
    return NULL;
}

static SinoStatus insert_packing(const SinoOperator *op, int64_t unit)
{
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(op);
    const SinoMatrixOwn *own = op->own;
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
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(op);
    SinoMatrixOwn *own = op->own;
    SinoBrickArea *area = &own->area[partition * matrix->subset_count + subset];
    const int64_t all = area->lists ? sino_brick_area_lists_at(bytes) + area->lists->bytes : bytes;
    own->bytes += bytes;
    own->lists_bytes += all - bytes;
    area->bytes = bytes;
    op->nonzero_count += ((const SinoBrickHead *)block)->nonzero_count;
    if (area->lists) sino_data_pin(op->runtime, area->block, all);
    return sino_data_borrow(op->runtime, "A", block, all, &own->block[subset * matrix->partition_count + partition]);
}

/* The blocks in the areas. */
static SinoStatus take_areas(SinoOperator *op)
{
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(op);
    const SinoMatrixOwn *own = op->own;
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
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(op);
    const SinoMatrixOwn *own = op->own;
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
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(op);
    const SinoMatrixOwn *own = op->own;
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
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(op);
    for (int64_t p = 0; p < matrix->partition_count; p++)
        for (int64_t s = 0; s < matrix->subset_count; s++) {
            const SinoOperatorPiece piece = sino_matrix_kept_block(kept, matrix, p, s);
            SINO_TRY(take_block(op, p, s, piece.memory, piece.bytes));
        }
    return NULL;
}

/* What a simulation has in place of a packed block: its head, and the head of its lists, of sizes as a plan has them.
 */
static void sketch_block(const SinoOperator *op, int64_t i)
{
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(op);
    const SinoMatrixOwn *own = op->own;
    const int64_t nonzeros = rows_of(matrix, i)->nonzero_count;
    const double share = (double)nonzeros / (double)sino_larger(matrix->nonzero_count, 1);
    SinoBrickArea *area = &own->area[i];
    area->bytes = sino_smaller((int64_t)(share * (double)sino_matrix_block_bytes(matrix, op->problem.precision)),
                               sino_brick_bytes_most(area->row_count, nonzeros));
    *(SinoBrickHead *)area->block = (SinoBrickHead){.bytes = area->bytes, .nonzero_count = nonzeros};
    if (!own->listed) return;
    area->lists = (SinoBrickLists *)(void *)((char *)area->block + sino_brick_area_lists_at(area->bytes));
    area->lists->bytes = sino_smaller((int64_t)(share * (double)sino_matrix_lists_bytes(matrix)),
                                      sino_brick_lists_bytes_most(area->row_count, nonzeros));
}

static void sketch_units(const SinoOperator *op, int64_t first, int64_t count)
{
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(op);
    for (int64_t i = unit_first(matrix, first); i < unit_first(matrix, first + count); i++) sketch_block(op, i);
}

/* Packs `count` units from `first` on, and waits for them. */
static SinoStatus pack_some(const SinoOperator *op, int64_t first, int64_t count)
{
    SinoStatus status = NULL;
    for (int64_t u = first; u < first + count; u++) SINO_TRY(reserve(op, u));
    for (int64_t u = first; u < first + count && !status; u++) status = insert_packing(op, u);
    if (SINO_SIMULATES) sketch_units(op, first, count);
    return sino_runtime_wait_after(op->runtime, status);
}

static SinoStatus pack_all(SinoOperator *op)
{
    SINO_TRY(pack_some(op, 0, sino_matrix_units(sino_matrix_survey_of(op))));
    SINO_TRY(list_all(op, NULL));
    return take_areas(op);
}

/* Appends the blocks of a unit to the file. */
static SinoStatus keep_unit(const SinoOperator *op, int64_t unit, SinoMatrixKeeper *keeper)
{
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(op);
    const SinoMatrixOwn *own = op->own;
    for (int64_t i = unit_first(matrix, unit); i < unit_first(matrix, unit + 1); i++)
        SINO_TRY(sino_matrix_keeper_append(keeper, own->area[i].block, own->area[i].bytes));
    return NULL;
}

static void release_unit(const SinoOperator *op, int64_t unit)
{
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(op);
    const SinoMatrixOwn *own = op->own;
    for (int64_t i = unit_first(matrix, unit); i < unit_first(matrix, unit + 1); i++) {
        sino_release(own->area[i].block, own->area[i].capacity);
        own->area[i].block = NULL;
    }
}

/* Packs `count` units at a time into the file. */
static SinoStatus pack_to(const SinoOperator *op, int64_t count, SinoMatrixKeeper *keeper)
{
    const int64_t all = sino_matrix_units(sino_matrix_survey_of(op));
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
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(op);
    SinoMatrixOwn *own = op->own;
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

SinoStatus sino_matrix_blocks_open(SinoOperator *op, const SinoOperatorRequest *request)
{
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(op);
    SinoMatrixOwn *own = op->own;
    const int64_t blocks = sino_times(matrix->subset_count, matrix->partition_count);
    SINO_TRY(sino_allocate(blocks, sizeof *own->area, "blocks of a matrix", &own->area));
    SINO_TRY(sino_allocate(blocks, sizeof(void *), "blocks of a matrix", &own->block));
    if (matrix->kept) return own->listed ? copy_kept(op, matrix->kept) : take_kept(op, matrix->kept);
    return request->window_count > 0 ? pack_windows(op, request) : pack_all(op);
}

static void release_area(SinoBrickArea *area)
{
    if (area->lists) sino_data_unpin(area->block, sino_brick_area_lists_at(area->bytes) + area->lists->bytes);
    sino_release(area->block, area->capacity);
}

void sino_matrix_blocks_close(SinoOperator *op)
{
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(op);
    const int64_t blocks = sino_times(matrix->subset_count, matrix->partition_count);
    SinoMatrixOwn *own = op->own;
    sino_data_free_each(own->block, blocks);
    for (int64_t i = 0; own->area && i < blocks; i++) release_area(&own->area[i]);
    free(own->area);
    sino_operator_file_close(own->kept);
}

int64_t sino_matrix_bytes(const SinoOperator *op)
{
    return ((const SinoMatrixOwn *)op->own)->bytes;
}

static SinoStatus keep_all(const SinoOperator *op, const char *folder)
{
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(op);
    SinoMatrixKeeper *keeper = NULL;
    SinoStatus status = NULL;
    SINO_TRY(sino_matrix_keeper_new(folder, op->problem.precision, matrix, sino_matrix_bytes(op), &keeper));
    for (int64_t u = 0; u < sino_matrix_units(matrix) && !status; u++) status = keep_unit(op, u, keeper);
    if (!status) return sino_matrix_keeper_end(sino_runtime_log(op->runtime), keeper, NULL);
    sino_matrix_keeper_discard(keeper);
    return status;
}

void sino_matrix_blocks_keep(SinoOperator *op, const char *folder)
{
    if (!folder || sino_matrix_survey_of(op)->kept || ((const SinoMatrixOwn *)op->own)->kept) return;
    SinoStatus status = keep_all(op, folder);
    if (status)
        sino_log_warning(sino_runtime_log(op->runtime), "operator", "the matrix is not kept: %s",
                         sino_status_text(status));
    sino_status_free(status);
}
