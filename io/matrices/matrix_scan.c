/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix scan: entries are kept in blocks as they come, then put to their rows, whose lengths are known by then. */
#include "matrix_source.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { BLOCK_ENTRIES = 65535 };

/* The rank of an entry here is its row, counted from the first one of the range. */
typedef struct Block {
    struct Block *next;
    int64_t count;
    SinoEntry entry[BLOCK_ENTRIES];
} Block;

struct SinoMatrixScan {
    int64_t first, count;
    int64_t *entries; /* of each row; not owned */
    bool keeps;       /* entries, beside their numbers */
    Block *block, **last;
};

static SinoStatus add_block(SinoMatrixScan *scan)
{
    Block *block = malloc(sizeof *block);
    SINO_CHECK(block, SINO_FAILED, "no memory for entries of a matrix");
    block->next = NULL;
    block->count = 0;
    if (scan->block) scan->last = &(*scan->last)->next;
    *scan->last = block;
    return NULL;
}

SinoStatus sino_matrix_scan_entry(SinoMatrixScan *scan, int64_t row, uint32_t column, double value)
{
    const int64_t i = row - scan->first;
    if (i < 0 || i >= scan->count) return NULL;
    scan->entries[i]++;
    if (!scan->keeps) return NULL;
    if (!scan->block || (*scan->last)->count == BLOCK_ENTRIES) SINO_TRY(add_block(scan));
    Block *block = *scan->last;
    block->entry[block->count++] = (SinoEntry){.value = value, .column = column, .rank = (uint32_t)i};
    return NULL;
}

/* Releases the first block, and returns the next one. */
static Block *drop_block(Block *block)
{
    Block *next = block->next;
    free(block);
    return next;
}

SinoStatus sino_matrix_scan_count(SinoMatrixScanner scanner, void *state, int64_t first, int64_t count,
                                  int64_t *entries)
{
    SinoMatrixScan scan = {.first = first, .count = count, .entries = entries};
    memset(entries, 0, (size_t)count * sizeof *entries);
    return scanner(state, &scan);
}

/* Puts the entries where start[row] says, which then is the row's end. Blocks are released on the way. */
static void distribute(SinoMatrixScan *scan, SinoSparseRows *rows, double *value)
{
    for (; scan->block; scan->block = drop_block(scan->block)) {
        for (int64_t k = 0; k < scan->block->count; k++) {
            const SinoEntry *entry = &scan->block->entry[k];
            const int64_t at = rows->start[entry->rank]++;
            rows->column[at] = entry->column;
            value[at] = entry->value;
        }
    }
}

/* Turns counts of entries, start[i + 1] of row i, into where rows begin; returns their sum. */
static int64_t add_up(SinoSparseRows *rows)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < rows->row_count; i++) {
        const int64_t entries = rows->start[i + 1];
        rows->start[i] = sum;
        sum += entries;
    }
    rows->start[rows->row_count] = sum;
    return sum;
}

static SinoStatus put_rows(SinoMatrixScan *scan, const char *path, int64_t column_count, SinoRowBuffer *buffer)
{
    SinoSparseRows *rows = &buffer->rows;
    const int64_t sum = add_up(rows);
    SINO_TRY(sino_row_buffer_need(buffer, scan->first, scan->count, sum)); /* start[0] is 0 before and after */
    double *value = sino_allocate_large(sum > 0 ? sum * (int64_t)sizeof *value : 1);
    SINO_CHECK(value, SINO_FAILED, "no memory for entries of a matrix");
    distribute(scan, rows, value);
    memmove(rows->start + 1, rows->start, (size_t)rows->row_count * sizeof *rows->start);
    rows->start[0] = 0;
    SinoStatus status = sino_rows_put(path, column_count, value, buffer);
    sino_free_large(value);
    return status;
}

SinoStatus sino_matrix_scan_read(SinoMatrixScanner scanner, void *state, const char *path, int64_t column_count,
                                 int64_t first, int64_t count, SinoRowBuffer *buffer)
{
    SINO_TRY(sino_row_buffer_need(buffer, first, count, 0));
    SinoMatrixScan scan = {.first = first, .count = count, .entries = buffer->rows.start + 1, .keeps = true};
    scan.last = &scan.block;
    memset(scan.entries, 0, (size_t)count * sizeof *scan.entries);
    SinoStatus status = scanner(state, &scan);
    if (!status) status = put_rows(&scan, path, column_count, buffer);
    while (scan.block) scan.block = drop_block(scan.block);
    return status;
}
