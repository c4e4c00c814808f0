/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix arrays: rows of CSR are read piece by piece; CSC and COO are scanned as a whole for the rows asked for. */
#include "matrix_source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { PIECE = 1 << 15 /* elements that are read at once */ };

typedef struct Arrays {
    SinoMatrixArrays about;
    const char *path; /* not owned */
} Arrays;

/* Elements of the arrays during a pass. */
typedef struct Pass {
    const Arrays *arrays;
    void *pass;           /* of the reader */
    int64_t *pointer;     /* [PIECE + 1], or of as many parts as are read */
    int64_t *index;       /* [room] */
    double *value;        /* [room] */
    int64_t room;         /* PIECE at most */
    int64_t first, count; /* the elements that index and value hold */
} Pass;

static void end_pass(Pass *pass)
{
    if (pass->pass) pass->arrays->about.reader->end(pass->pass);
    free(pass->pointer);
    free(pass->index);
    free(pass->value);
}

/* Room for `count` elements, or a piece of them. */
static SinoStatus make_room(Pass *pass, int64_t count)
{
    pass->room = sino_smaller(PIECE, count);
    SINO_TRY(sino_allocate(pass->room, sizeof *pass->index, "indices of a matrix", &pass->index));
    return sino_allocate(pass->room, sizeof *pass->value, "values of a matrix", &pass->value);
}

/* A pass over pointers of `parts` parts at once. It has room for no other elements: a matrix may be read row by row,
 * and memory for pieces would take longer to clear than a row to read. */
static SinoStatus begin_pass(const Arrays *arrays, int64_t parts, Pass *pass)
{
    *pass = (Pass){.arrays = arrays};
    SinoStatus status =
        sino_allocate(sino_smaller(PIECE, parts) + 1, sizeof *pass->pointer, "pointers of a matrix", &pass->pointer);
    if (!status) status = arrays->about.reader->begin(arrays->about.state, &pass->pass);
    if (status) end_pass(pass);
    return status;
}

static SinoStatus read_integers(const Pass *pass, SinoMatrixArray array, int64_t first, int64_t count, int64_t *values)
{
    return count > 0 ? pass->arrays->about.reader->integers(pass->pass, array, first, count, values) : NULL;
}

/* pointer[0 … count]: where the parts (rows or columns) first … first + count begin, checked. */
static SinoStatus read_pointers(const Pass *pass, int64_t first, int64_t count, int64_t *pointer)
{
    const SinoMatrixArrays *about = &pass->arrays->about;
    SINO_TRY(read_integers(pass, SINO_ARRAY_POINTERS, first, count + 1, pointer));
    for (int64_t i = 0; i <= count; i++)
        SINO_CHECK(
            pointer[i] >= (i > 0 ? pointer[i - 1] : 0) && pointer[i] <= about->count[SINO_ARRAY_VALUES], SINO_BAD_INPUT,
            "%s: element %" PRId64 " of %s is %" PRId64 "; allowed: %" PRId64 ", as the one before it, to %" PRId64,
            pass->arrays->path, first + i, about->name[SINO_ARRAY_POINTERS], pointer[i], i > 0 ? pointer[i - 1] : 0,
            about->count[SINO_ARRAY_VALUES]);
    return NULL;
}

/* Reads the piece of indices and values that begins at element `first`, and ends before `end`. */
static SinoStatus read_piece(Pass *pass, int64_t first, int64_t end)
{
    const SinoMatrixArrays *about = &pass->arrays->about;
    const int64_t limit = about->layout == SINO_CSC ? about->row_count : about->column_count;
    pass->first = first;
    pass->count = sino_smaller(pass->room, end - first);
    SINO_TRY(read_integers(pass, SINO_ARRAY_INDICES, first, pass->count, pass->index));
    SINO_TRY(about->reader->doubles(pass->pass, SINO_ARRAY_VALUES, first, pass->count, pass->value));
    bool fine = true;
    for (int64_t k = 0; k < pass->count; k++) fine &= pass->index[k] >= 0 && pass->index[k] < limit;
    for (int64_t k = 0; k < pass->count && !fine; k++)
        SINO_CHECK(pass->index[k] >= 0 && pass->index[k] < limit, SINO_BAD_INPUT,
                   "%s: element %" PRId64 " of %s is %" PRId64 "; allowed: 0 to %" PRId64, pass->arrays->path,
                   first + k, about->name[SINO_ARRAY_INDICES], pass->index[k], limit - 1);
    return NULL;
}

/* Copies elements first … first + count − 1 of a CSR matrix, reading on to `end` at most. */
static SinoStatus take_entries(Pass *pass, int64_t first, int64_t count, int64_t end, SinoEntry *entry)
{
    for (int64_t done = 0; done < count;) {
        const int64_t at = first + done;
        if (at < pass->first || at >= pass->first + pass->count) SINO_TRY(read_piece(pass, at, end));
        const int64_t offset = at - pass->first, more = sino_smaller(count - done, pass->count - offset);
        for (int64_t k = 0; k < more; k++)
            entry[done + k] =
                (SinoEntry){.value = pass->value[offset + k], .column = (uint32_t)pass->index[offset + k]};
        done += more;
    }
    return NULL;
}

static SinoStatus put_rows(Pass *pass, SinoRowBuffer *buffer)
{
    const Arrays *arrays = pass->arrays;
    const SinoSparseRows *rows = &buffer->rows;
    const int64_t last = rows->start[rows->row_count];
    SinoEntries entries = {.room = 0};
    SinoStatus status = NULL;
    int64_t begin = pass->pointer[0], end;
    for (int64_t i = 0; i < rows->row_count && !status; i++, begin = end) {
        end = rows->start[i + 1]; /* sino_row_put replaces it */
        status = sino_entries_need(&entries, end - begin);
        if (!status) status = take_entries(pass, begin, end - begin, last, entries.entry);
        if (!status) status = sino_row_put(arrays->path, arrays->about.column_count, &entries, end - begin, buffer, i);
    }
    sino_entries_free(&entries);
    return status;
}

/* Reads rows of CSR: pointers into `start`, then entries. */
static SinoStatus read_compressed(Pass *pass, int64_t first, int64_t count, SinoRowBuffer *buffer)
{
    int64_t *start;
    SINO_TRY(sino_row_buffer_need(buffer, first, count, 0));
    start = buffer->rows.start;
    SINO_TRY(read_pointers(pass, first, count, start));
    pass->pointer[0] = start[0];
    const int64_t entries = start[count] - start[0];
    SINO_TRY(sino_row_buffer_need(buffer, first, count, entries));
    SINO_TRY(make_room(pass, entries));
    return put_rows(pass, buffer);
}

static SinoStatus scan_coordinates(Pass *pass, SinoMatrixScan *scan)
{
    const SinoMatrixArrays *about = &pass->arrays->about;
    const int64_t end = about->count[SINO_ARRAY_VALUES];
    for (int64_t first = 0; first < end; first += pass->count) {
        SINO_TRY(read_piece(pass, first, end));
        SINO_TRY(read_integers(pass, SINO_ARRAY_POINTERS, first, pass->count, pass->pointer));
        for (int64_t k = 0; k < pass->count; k++) {
            SINO_CHECK(pass->pointer[k] >= 0 && pass->pointer[k] < about->row_count, SINO_BAD_INPUT,
                       "%s: element %" PRId64 " of %s is %" PRId64 "; allowed: 0 to %" PRId64, pass->arrays->path,
                       first + k, about->name[SINO_ARRAY_POINTERS], pass->pointer[k], about->row_count - 1);
            SINO_TRY(sino_matrix_scan_entry(scan, pass->pointer[k], (uint32_t)pass->index[k], pass->value[k]));
        }
    }
    return NULL;
}

/* Notes the entries of one column of CSC. */
static SinoStatus scan_column(Pass *pass, int64_t column, int64_t begin, int64_t end, SinoMatrixScan *scan)
{
    for (int64_t at = begin; at < end; at++) {
        if (at >= pass->first + pass->count)
            SINO_TRY(read_piece(pass, at, pass->arrays->about.count[SINO_ARRAY_VALUES]));
        const int64_t k = at - pass->first;
        SINO_TRY(sino_matrix_scan_entry(scan, pass->index[k], (uint32_t)column, pass->value[k]));
    }
    return NULL;
}

static SinoStatus scan_columns(Pass *pass, SinoMatrixScan *scan)
{
    const int64_t end = pass->arrays->about.column_count;
    int64_t piece;
    for (int64_t first = 0; first < end; first += piece) {
        piece = sino_smaller(PIECE, end - first);
        SINO_TRY(read_pointers(pass, first, piece, pass->pointer));
        for (int64_t i = 0; i < piece; i++)
            SINO_TRY(scan_column(pass, first + i, pass->pointer[i], pass->pointer[i + 1], scan));
    }
    return NULL;
}

static SinoStatus scan_arrays(void *state, SinoMatrixScan *scan)
{
    const Arrays *arrays = state;
    Pass pass;
    SINO_TRY(begin_pass(arrays, PIECE, &pass));
    SinoStatus status = make_room(&pass, PIECE);
    if (!status) status = arrays->about.layout == SINO_CSC ? scan_columns(&pass, scan) : scan_coordinates(&pass, scan);
    end_pass(&pass);
    return status;
}

static SinoStatus count_compressed(Pass *pass, int64_t first, int64_t count, int64_t *entries)
{
    int64_t piece;
    for (int64_t done = 0; done < count; done += piece) {
        piece = sino_smaller(PIECE, count - done);
        SINO_TRY(read_pointers(pass, first + done, piece, pass->pointer));
        for (int64_t i = 0; i < piece && entries; i++) entries[done + i] = pass->pointer[i + 1] - pass->pointer[i];
    }
    return NULL;
}

static SinoStatus count_rows(void *state, int64_t first, int64_t count, int64_t *entries)
{
    const Arrays *arrays = state;
    Pass pass;
    if (arrays->about.layout != SINO_CSR) return sino_matrix_scan_count(scan_arrays, state, first, count, entries);
    SINO_TRY(begin_pass(arrays, count, &pass));
    SinoStatus status = count_compressed(&pass, first, count, entries);
    end_pass(&pass);
    return status;
}

static SinoStatus read_rows(void *state, int64_t first, int64_t count, SinoRowBuffer *buffer)
{
    const Arrays *arrays = state;
    Pass pass;
    if (arrays->about.layout != SINO_CSR)
        return sino_matrix_scan_read(scan_arrays, state, arrays->path, arrays->about.column_count, first, count,
                                     buffer);
    SINO_TRY(begin_pass(arrays, 0, &pass));
    SinoStatus status = read_compressed(&pass, first, count, buffer);
    end_pass(&pass);
    return status;
}

static void close_arrays(void *state)
{
    Arrays *arrays = state;
    arrays->about.reader->close(arrays->about.state);
    free(arrays);
}

static const SinoMatrixSource source = {.count_rows = count_rows, .read = read_rows, .close = close_arrays};

static SinoStatus check_counts(const Arrays *arrays)
{
    const SinoMatrixArrays *about = &arrays->about;
    const int64_t *count = about->count, entries = count[SINO_ARRAY_VALUES];
    const int64_t parts = about->layout == SINO_CSR ? about->row_count : about->column_count;
    const int64_t pointers = about->layout == SINO_COO ? entries : parts + 1;
    SINO_TRY(sino_matrix_check_size(arrays->path, about->row_count, about->column_count));
    SINO_CHECK(about->row_count < INT64_MAX, SINO_BAD_INPUT, "%s has too many rows", arrays->path);
    SINO_CHECK(count[SINO_ARRAY_INDICES] == entries, SINO_BAD_INPUT,
               "%s: %s has %" PRId64 " elements; allowed: the %" PRId64 " of %s", arrays->path,
               about->name[SINO_ARRAY_INDICES], count[SINO_ARRAY_INDICES], entries, about->name[SINO_ARRAY_VALUES]);
    SINO_CHECK(count[SINO_ARRAY_POINTERS] == pointers, SINO_BAD_INPUT,
               "%s: %s has %" PRId64 " elements; allowed: %" PRId64 " for %" PRId64 " rows, %" PRId64
               " columns and %" PRId64 " entries",
               arrays->path, about->name[SINO_ARRAY_POINTERS], count[SINO_ARRAY_POINTERS], pointers, about->row_count,
               about->column_count, entries);
    return NULL;
}

/* Pointers ascend from 0 to the number of entries. Both ends are looked at first, as they tell most damage. */
static SinoStatus check_pointers(Pass *pass)
{
    const SinoMatrixArrays *about = &pass->arrays->about;
    const int64_t parts = about->count[SINO_ARRAY_POINTERS] - 1;
    int64_t begin, end;
    SINO_TRY(read_integers(pass, SINO_ARRAY_POINTERS, 0, 1, &begin));
    SINO_TRY(read_integers(pass, SINO_ARRAY_POINTERS, parts, 1, &end));
    SINO_CHECK(begin == 0 && end == about->count[SINO_ARRAY_VALUES], SINO_BAD_INPUT,
               "%s: %s goes from %" PRId64 " to %" PRId64 "; allowed: from 0 to %" PRId64, pass->arrays->path,
               about->name[SINO_ARRAY_POINTERS], begin, end, about->count[SINO_ARRAY_VALUES]);
    return count_compressed(pass, 0, parts, NULL);
}

SinoStatus sino_matrix_arrays_open(SinoMatrixFile *file, const SinoMatrixArrays *about)
{
    Arrays *arrays = NULL;
    Pass pass;
    SinoStatus status = sino_allocate(1, sizeof *arrays, "a matrix file", &arrays);
    if (status) {
        about->reader->close(about->state);
        return status;
    }
    arrays->about = *about;
    arrays->path = file->path;
    file->source = &source;
    file->state = arrays;
    SINO_TRY(check_counts(arrays));
    if (about->layout != SINO_COO) {
        SINO_TRY(begin_pass(arrays, PIECE, &pass));
        status = check_pointers(&pass);
        end_pass(&pass);
        if (status) return status;
    }
    file->outline.row_count = about->row_count;
    file->outline.column_count = about->column_count;
    file->outline.nonzero_count = about->count[SINO_ARRAY_VALUES];
    file->outline.row_access = about->layout == SINO_CSR && about->random_access;
    return NULL;
}
