/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix csr4, rows: reads rows as a file stores them. */
#include "matrix_source.h"

#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "memory.h"
#include "vector.h"

SinoStatus sino_csr4_starts(const SinoCsr4 *csr4, int64_t first, int64_t count, int64_t *start)
{
    const int64_t skipped = first == 0; /* the file has the ends of rows only */
    bool fine = true;
    start[0] = 0;
    SINO_TRY(sino_regular_read(csr4->path, csr4->descriptor, csr4->ends_at + (first - 1 + skipped) * SINO_CSR4_END,
                               (count + 1 - skipped) * SINO_CSR4_END, start + skipped));
    for (int64_t i = 0; i <= count; i++) start[i] = (int64_t)le64toh((uint64_t)start[i]);
    for (int64_t i = 0; i < count; i++) fine &= start[i] <= start[i + 1];
    if (fine && start[0] >= 0 && start[count] <= csr4->entry_count) return NULL;
    int64_t i = start[0] < 0 || start[0] > csr4->entry_count ? -1 : 0;
    while (i >= 0 && start[i + 1] >= start[i] && start[i + 1] <= csr4->entry_count) i++;
    return sino_error(SINO_BAD_INPUT,
                      "%s: row %" PRId64 " ends at entry %" PRIu64 "; allowed: %" PRIu64
                      " (the end of the row before it) to %" PRId64,
                      csr4->path, first + i, (uint64_t)start[i + 1], i < 0 ? 0 : (uint64_t)start[i], csr4->entry_count);
}

SinoStatus sino_csr4_count_stored(void *state, int64_t first, int64_t count, int64_t *entries)
{
    const SinoCsr4 *csr4 = state;
    int64_t *start = NULL, piece;
    SINO_TRY(sino_allocate(sino_smaller(SINO_CSR4_PIECE, count) + 1, sizeof *start, "rows of a matrix", &start));
    SinoStatus status = NULL;
    for (int64_t done = 0; done < count && !status; done += piece) {
        piece = sino_smaller(SINO_CSR4_PIECE, count - done);
        status = sino_csr4_starts(csr4, first + done, piece, start);
        for (int64_t i = 0; i < piece && !status; i++) entries[done + i] = start[i + 1] - start[i];
    }
    free(start);
    return status;
}

/* What is not as it should be among entries. */
typedef struct Flaws {
    int64_t descents; /* columns that are not above the one before them, also those that begin a row */
    bool others;      /* columns outside the matrix, values that are 0, negative or not finite */
} Flaws;

/* raw[2 · count]: column and value in turns. True: there is a column or a value of Flaws.others. */
SINO_VECTORISED static bool split(const uint32_t *restrict raw, int64_t count, uint32_t column_count,
                                  uint32_t *restrict column, float *restrict value)
{
    uint32_t others = 0;
    for (int64_t i = 0; i < count; i++) {
        const uint32_t bits = raw[2 * i + 1];
        column[i] = raw[2 * i];
        memcpy(&value[i], &bits, sizeof bits);
        others |= (column[i] >= column_count) | (bits - 1 >= 0x7f7fffff);
    }
    return others != 0;
}

/* How many of these columns are not above the one before them. The one before the first is there. */
SINO_VECTORISED static int64_t count_descents(const uint32_t *column, int64_t count)
{
    uint32_t descents = 0;
    for (int64_t i = 0; i < count; i++) descents += column[i] <= column[i - 1];
    return descents;
}

/* Reads entries first … first + count − 1 of the file as they are into the rows' arrays. */
static SinoStatus read_entries(const SinoCsr4 *csr4, int64_t first, int64_t count, SinoRowBuffer *buffer, Flaws *flaws)
{
    uint32_t *raw = NULL, *column = buffer->rows.column;
    float *value = buffer->rows.value;
    int64_t piece;
    *flaws = (Flaws){.descents = 0};
    SINO_TRY(sino_row_buffer_piece(buffer, sino_smaller(SINO_CSR4_PIECE, count) * SINO_CSR4_ENTRY, &raw));
    for (int64_t done = 0; done < count; done += piece) {
        piece = sino_smaller(SINO_CSR4_PIECE, count - done);
        SINO_TRY(sino_regular_read(csr4->path, csr4->descriptor, csr4->entries_at + (first + done) * SINO_CSR4_ENTRY,
                                   piece * SINO_CSR4_ENTRY, raw));
        if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
            for (int64_t i = 0; i < 2 * piece; i++) raw[i] = le32toh(raw[i]);
        flaws->others |= split(raw, piece, (uint32_t)csr4->column_count, column + done, value + done);
        const int64_t compared = done == 0; /* the first entry of all has none before it */
        flaws->descents += count_descents(column + done + compared, piece - compared);
    }
    return NULL;
}

/* Whether descents are at the beginnings of rows only. */
static bool are_ascending(const SinoSparseRows *rows, int64_t descents)
{
    const uint32_t *column = rows->column;
    int64_t between = 0;
    for (int64_t i = 0; i < rows->row_count; i++) {
        const int64_t at = rows->start[i];
        if (at > 0 && at < rows->start[i + 1]) between += column[at] <= column[at - 1];
    }
    return between == descents;
}

SinoStatus sino_csr4_read_stored(void *state, int64_t first, int64_t count, SinoRowBuffer *buffer)
{
    const SinoCsr4 *csr4 = state;
    SinoSparseRows *rows = &buffer->rows;
    Flaws flaws;
    SINO_TRY(sino_row_buffer_need(buffer, first, count, 0));
    SINO_TRY(sino_csr4_starts(csr4, first, count, rows->start));
    const int64_t begin = rows->start[0], entry_count = rows->start[count] - begin;
    SINO_TRY(sino_row_buffer_need(buffer, first, count, entry_count));
    for (int64_t i = count; i > 0; i--) rows->start[i] -= begin;
    SINO_TRY(read_entries(csr4, begin, entry_count, buffer, &flaws));
    if (!flaws.others && are_ascending(rows, flaws.descents)) return NULL;
    return sino_rows_put(csr4->path, csr4->column_count, NULL, buffer);
}
