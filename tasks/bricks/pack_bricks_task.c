/* SPDX-License-Identifier: BSD-3-Clause */
/* Task pack_bricks: reads the rows of some subsets in a partition of a system matrix, and packs them into blocks of
 * bricks. Task list_bricks: makes the lists that devices need (brick_lists.h) behind the blocks. */
#include "bricks_tasks.h"

#include "memory.h"
#include "task.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A partition on its way into blocks. */
typedef struct Packing {
    const SinoPackBricks *what;
    SinoBrickPacker **packer; /* [subset] */
    SinoRowBuffer buffer;
} Packing;

static SinoStatus begin(Packing *packing)
{
    const SinoPackBricks *what = packing->what;
    SINO_TRY(sino_allocate(what->subset_count, sizeof *packing->packer, "blocks of a matrix", &packing->packer));
    for (int64_t s = what->first_subset; s < what->end_subset; s++)
        SINO_TRY(sino_brick_packer_new(what->order, what->precision, what->area[s].row_count, what->area[s].block,
                                       what->area[s].capacity, &packing->packer[s]));
    return NULL;
}

/* The subset that a row belongs to. */
static int64_t subset_of(const SinoPackBricks *what, int64_t row)
{
    return what->subset_count > 1 ? sino_matrix_lead_row(what->file, row) % what->subset_count : 0;
}

/* Packs a row of the buffer. */
static SinoStatus pack_row(Packing *packing, int64_t row)
{
    const SinoSparseRows *rows = &packing->buffer.rows;
    SinoSparseRows one = *rows;
    one.first_row = row;
    one.row_count = 1;
    one.start = rows->start + (row - rows->first_row);
    return sino_brick_pack_rows(packing->packer[subset_of(packing->what, row)], &one);
}

/* The number of the partition's i-th row in the order of packing. */
static int64_t row_at(const SinoPackBricks *what, int64_t i)
{
    return what->row ? what->row[i] : what->first_row + i;
}

/* Whether the partition's i-th row belongs to a subset of the task. */
static bool is_packed(const SinoPackBricks *what, int64_t i)
{
    const int64_t subset = subset_of(what, row_at(what, i));
    return subset >= what->first_subset && subset < what->end_subset;
}

/* The first row behind a run of rows that follow each other in the file, too. */
static int64_t end_of_run(const SinoPackBricks *what, int64_t first)
{
    int64_t end = first + 1;
    while (end < what->row_count && end - first < what->range_rows && row_at(what, end) == row_at(what, end - 1) + 1 &&
           is_packed(what, end))
        end++;
    return end;
}

static SinoStatus pack_all(Packing *packing)
{
    const SinoPackBricks *what = packing->what;
    const bool whole = what->range_rows >= what->row_count;
    if (whole) SINO_TRY(sino_matrix_read(what->file, what->first_row, what->row_count, &packing->buffer));
    for (int64_t i = 0, end; i < what->row_count; i = end) {
        end = whole || !is_packed(what, i) ? i + 1 : end_of_run(what, i);
        if (!is_packed(what, i)) continue;
        if (!whole) SINO_TRY(sino_matrix_read(what->file, row_at(what, i), end - i, &packing->buffer));
        for (int64_t k = i; k < end; k++) SINO_TRY(pack_row(packing, row_at(what, k)));
    }
    for (int64_t s = what->first_subset; s < what->end_subset; s++)
        SINO_TRY(sino_brick_pack_end(packing->packer[s], &what->area[s].bytes));
    return NULL;
}

static SinoStatus pack_bricks_cpu(const SinoTask *task)
{
    Packing packing = {.what = task->arguments};
    SinoStatus status = begin(&packing);
    if (!status) status = pack_all(&packing);
    for (int64_t s = 0; packing.packer && s < packing.what->subset_count; s++)
        sino_brick_packer_free(packing.packer[s]);
    free(packing.packer);
    sino_row_buffer_free(&packing.buffer);
    return status;
}

static const SinoTaskKind pack_bricks_kind = {
    .name = "pack_bricks", .argument_bytes = sizeof(SinoPackBricks), .cpu = pack_bricks_cpu};

/* Of a nonzero that is read, put in order and stored: its time beside that of products (docs/lab/sparse.md). */
static const double pack_flops = 130;

SinoStatus sino_insert_pack_bricks(SinoRuntime *runtime, int64_t partition, const SinoPackBricks *what, double work)
{
    return SINO_SUBMIT(runtime, &pack_bricks_kind, SINO_AT_PARTITION(partition), what, .work = work,
                       .effort = pack_flops * work);
}

static SinoStatus list(SinoBrickArea *area)
{
    const int64_t at = sino_brick_area_lists_at(area->bytes);
    SinoBrickLists *const lists = (SinoBrickLists *)(void *)((char *)area->block + at);
    int64_t bytes = 0;
    SINO_TRY(sino_brick_lists_bytes(area->block, &bytes));
    SINO_CHECK(at + bytes <= area->capacity, SINO_FAILED,
               "lists of a block of bricks take %" PRId64 " bytes; there is room for %" PRId64, bytes,
               area->capacity - at);
    SINO_TRY(sino_brick_lists_fill(area->block, lists));
    area->lists = lists;
    return NULL;
}

static SinoStatus list_cpu(const SinoTask *task)
{
    const SinoListBricks *what = task->arguments;
    for (int64_t s = 0; s < what->subset_count; s++) {
        SinoBrickArea *area = &what->area[s];
        if (what->from) memcpy(area->block, what->from[s], (size_t)area->bytes);
        SINO_TRY(list(area));
    }
    return NULL;
}

static const SinoTaskKind list_kind = {
    .name = "list_bricks", .argument_bytes = sizeof(SinoListBricks), .cpu = list_cpu};

SinoStatus sino_insert_list_bricks(SinoRuntime *runtime, int64_t partition, const SinoListBricks *what, double work)
{
    return SINO_SUBMIT(runtime, &list_kind, SINO_AT_PARTITION(partition), what, .work = work);
}
