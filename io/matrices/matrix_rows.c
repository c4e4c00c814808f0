/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix rows: checking sizes; sorting and combining the entries of a row. */
#include "matrix_source.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

SinoStatus sino_matrix_check_size(const char *path, int64_t rows, int64_t columns)
{
    SINO_CHECK(rows >= 1 && columns >= 1 && columns <= UINT32_MAX, SINO_BAD_INPUT,
               "%s has a matrix of %" PRId64 " rows and %" PRId64
               " columns; allowed: 1 or more of each, and up to %" PRIu32 " columns",
               path, rows, columns, UINT32_MAX);
    return NULL;
}

/* Arrays that grow again, as ranges of rows have different numbers of entries, grow by one part in GROWTH more. */
enum { GROWTH = 8 };

/* A digit of a column while entries are sorted, and from how many entries on that pays. */
enum { DIGIT_BITS = 10, DIGIT_MASK = (1 << DIGIT_BITS) - 1, DIGITS_PAY = 400 };

/* Replaces a large array by one of `count` elements or a few more; what was there is lost. */
static SinoStatus renew(void **array, int64_t count, size_t element_bytes, const char *what)
{
    char size[24];
    const int64_t bytes = sino_times(sino_larger(count, 1), (int64_t)element_bytes);
    sino_free_large(*array);
    *array = sino_allocate_large(bytes);
    SINO_CHECK(*array, SINO_FAILED, "no memory for %s of %s", sino_bytes_text(bytes, size), what);
    return NULL;
}

SinoStatus sino_entries_need(SinoEntries *entries, int64_t count)
{
    if (count <= entries->room) return NULL;
    const int64_t room = count + count / GROWTH;
    entries->room = 0;
    SINO_TRY(renew((void **)&entries->entry, 2 * room, sizeof *entries->entry, "entries of a matrix"));
    entries->room = room;
    return NULL;
}

void sino_entries_free(SinoEntries *entries)
{
    sino_free_large(entries->entry);
    *entries = (SinoEntries){.room = 0};
}

SinoStatus sino_row_buffer_need(SinoRowBuffer *buffer, int64_t first_row, int64_t row_count, int64_t entry_count)
{
    SinoSparseRows *rows = &buffer->rows;
    if (row_count > buffer->row_room || !rows->start) {
        buffer->row_room = -1;
        SINO_TRY(renew((void **)&rows->start, row_count + 1, sizeof *rows->start, "rows of a matrix"));
        buffer->row_room = row_count;
    }
    if (entry_count > buffer->entry_room || !rows->column) {
        const int64_t room = entry_count + (buffer->entry_room > 0 ? entry_count / GROWTH : 0);
        buffer->entry_room = -1;
        SINO_TRY(renew((void **)&rows->column, room, sizeof *rows->column, "entries of a matrix"));
        SINO_TRY(renew((void **)&rows->value, room, sizeof *rows->value, "entries of a matrix"));
        buffer->entry_room = room;
    }
    rows->first_row = first_row;
    rows->row_count = row_count;
    rows->start[0] = 0;
    return NULL;
}

SinoStatus sino_row_buffer_piece(SinoRowBuffer *buffer, int64_t bytes, void *piece)
{
    if (bytes > buffer->piece_bytes) {
        buffer->piece_bytes = 0;
        SINO_TRY(renew(&buffer->piece, bytes, 1, "a piece of a file"));
        buffer->piece_bytes = bytes;
    }
    *(void **)piece = buffer->piece;
    return NULL;
}

void sino_row_buffer_free(SinoRowBuffer *buffer)
{
    sino_free_large(buffer->piece);
    sino_free_large(buffer->rows.start);
    sino_free_large(buffer->rows.column);
    sino_free_large(buffer->rows.value);
    *buffer = (SinoRowBuffer){.row_room = 0};
}

static int compare(const void *a, const void *b)
{
    const SinoEntry *first = a, *second = b;
    if (first->column != second->column) return first->column < second->column ? -1 : 1;
    if (first->rank != second->rank) return first->rank < second->rank ? -1 : 1;
    return (first->value > second->value) - (first->value < second->value);
}

/* Moves entries to `to`, in the order of one digit of their columns; entries of equal digits keep their order. */
static void move_by_digit(const SinoEntry *from, int64_t count, int shift, SinoEntry *to)
{
    uint32_t place[1 << DIGIT_BITS] = {0}, sum = 0;
    for (int64_t k = 0; k < count; k++) place[from[k].column >> shift & DIGIT_MASK]++;
    for (int64_t digit = 0; digit <= DIGIT_MASK; digit++) {
        const uint32_t entries = place[digit];
        place[digit] = sum;
        sum += entries;
    }
    for (int64_t k = 0; k < count; k++) to[place[from[k].column >> shift & DIGIT_MASK]++] = from[k];
}

/* Sorts runs of equal columns, which are short. */
static void sort_runs(SinoEntry *entry, int64_t count)
{
    int64_t next;
    for (int64_t k = 0; k < count; k = next) {
        for (next = k + 1; next < count && entry[next].column == entry[k].column; next++) continue;
        if (next > k + 1) qsort(entry + k, (size_t)(next - k), sizeof *entry, compare);
    }
}

/* Sorts entries by column digit by digit, where that is faster than comparing; `room`: for as many entries. */
static void sort(SinoEntry *entry, int64_t count, int64_t column_count, SinoEntry *room)
{
    SinoEntry *from = entry, *to = room;
    if (count < DIGITS_PAY || count > UINT32_MAX) {
        qsort(entry, (size_t)count, sizeof *entry, compare);
        return;
    }
    for (int shift = 0; (column_count - 1) >> shift > 0; shift += DIGIT_BITS) {
        move_by_digit(from, count, shift, to);
        SinoEntry *other = from;
        from = to;
        to = other;
    }
    if (from != entry) memcpy(entry, from, (size_t)count * sizeof *entry);
    sort_runs(entry, count);
}

static bool is_ascending(const SinoEntry *entry, int64_t count)
{
    bool fine = true;
    for (int64_t k = 1; k < count; k++) fine &= entry[k - 1].column < entry[k].column;
    return fine;
}

/* Checks before anything is sorted, as NaN has no place in an order. */
static SinoStatus check(const char *path, int64_t column_count, const SinoEntry *entry, int64_t count, int64_t row)
{
    bool fine = true;
    for (int64_t k = 0; k < count; k++)
        fine &= entry[k].column < column_count && entry[k].value >= 0 && entry[k].value <= DBL_MAX;
    for (int64_t k = 0; k < count && !fine; k++) {
        SINO_CHECK(entry[k].column < column_count, SINO_BAD_INPUT,
                   "%s: row %" PRId64 " has an entry in column %" PRIu32 "; allowed: 0 to %" PRId64, path, row,
                   entry[k].column, column_count - 1);
        SINO_CHECK(entry[k].value >= 0 && entry[k].value <= DBL_MAX, SINO_BAD_INPUT,
                   "%s: row %" PRId64 " has the value %g in column %" PRIu32 "; allowed: finite values of at least 0",
                   path, row, entry[k].value, entry[k].column);
    }
    return NULL;
}

/* Whether the entries of one column that are not of the rank of the first add up to its sum in each rank, too. */
static bool are_alike(const SinoEntry *entry, int64_t count, double sum)
{
    int64_t next;
    for (int64_t k = 0; k < count; k = next) {
        double other = 0;
        for (next = k; next < count && entry[next].rank == entry[k].rank; next++) other += entry[next].value;
        if ((float)other < (float)sum || (float)other > (float)sum) return false;
    }
    return true;
}

SinoStatus sino_row_put(const char *path, int64_t column_count, SinoEntries *entries, int64_t count,
                        SinoRowBuffer *buffer, int64_t i)
{
    SinoEntry *entry = entries->entry;
    SinoSparseRows *rows = &buffer->rows;
    int64_t end = rows->start[i], next;
    assert(i < rows->row_count && end + count <= buffer->entry_room && count <= entries->room);
    SINO_TRY(check(path, column_count, entry, count, rows->first_row + i));
    if (!is_ascending(entry, count)) sort(entry, count, column_count, entry + entries->room);
    for (int64_t k = 0; k < count; k = next) {
        double sum = 0;
        for (next = k; next < count && entry[next].column == entry[k].column; next++)
            if (entry[next].rank == entry[k].rank) sum += entry[next].value;
        const float value = (float)sum;
        SINO_CHECK(!entries->alike || are_alike(entry + k, next - k, sum), SINO_BAD_INPUT,
                   "%s stores different values of the entry in row %" PRId64 ", column %" PRIu32
                   " and of its mirror images; allowed: the same values, or --mirrors unfolded",
                   path, entries->row, entry[k].column);
        SINO_CHECK(isfinite(value), SINO_BAD_INPUT,
                   "%s: row %" PRId64 " has the value %g in column %" PRIu32 "; allowed: up to %g", path,
                   rows->first_row + i, sum, entry[k].column, (double)FLT_MAX);
        rows->column[end] = entry[k].column;
        rows->value[end] = value;
        end += value > 0;
    }
    rows->start[i + 1] = end;
    return NULL;
}

SinoStatus sino_rows_put(const char *path, int64_t column_count, const double *value, SinoRowBuffer *buffer)
{
    SinoSparseRows *rows = &buffer->rows;
    SinoEntries entries = {.room = 0};
    SinoStatus status = NULL;
    int64_t begin = rows->start[0], end;
    for (int64_t i = 0; i < rows->row_count && !status; i++, begin = end) {
        end = rows->start[i + 1]; /* sino_row_put replaces it; rows only become shorter */
        status = sino_entries_need(&entries, end - begin);
        assert(status || entries.entry || begin == end);
        for (int64_t k = begin; k < end && !status; k++)
            entries.entry[k - begin] =
                (SinoEntry){.value = value ? value[k] : (double)rows->value[k], .column = rows->column[k]};
        if (!status) status = sino_row_put(path, column_count, &entries, end - begin, buffer, i);
    }
    sino_entries_free(&entries);
    return status;
}
