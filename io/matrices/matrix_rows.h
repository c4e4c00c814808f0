/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix rows: puts the entries of rows, as formats store them, into the order of SinoSparseRows. */
#pragma once

#include "matrix_file.h"

/* SINO_BAD_INPUT: the matrix has no rows, no columns, or too many columns. */
SinoStatus sino_matrix_check_size(const char *path, int64_t rows, int64_t columns);

/* A stored entry. */
typedef struct SinoEntry {
    double value;
    uint32_t column;
    uint32_t rank; /* of entries of equal column those of the lowest rank count, and are added; the others are not */
} SinoEntry;

/* Entries of a row. It begins zeroed. */
typedef struct SinoEntries {
    SinoEntry *entry; /* owned */
    int64_t room;     /* and as much behind it, for sorting */
    bool alike;       /* entries of equal column have the same sum in each rank, or the row is refused */
    int64_t row;      /* of the matrix, for that error */
} SinoEntries;

/* Makes room for this many entries; what was there may be lost. */
SinoStatus sino_entries_need(SinoEntries *entries, int64_t count);
void sino_entries_free(SinoEntries *entries);

/* Names an empty range of rows, and makes room for its rows and for so many entries. */
SinoStatus sino_row_buffer_need(SinoRowBuffer *buffer, int64_t first_row, int64_t row_count, int64_t entry_count);

/* *piece: room for so many bytes of a file, until the buffer is used for the next piece. */
SinoStatus sino_row_buffer_piece(SinoRowBuffer *buffer, int64_t bytes, void *piece);

/* Sorts the first `count` entries as those of row first_row + i (which changes them), combines them, and writes them
 * behind those of row i − 1. Sets start[i + 1]; start[0] is 0. The buffer has room. `path` and `column_count` are for
 * errors: SINO_BAD_INPUT: a column outside the matrix, a value that is negative, not finite or too large, or ranks that
 * are not alike. */
SinoStatus sino_row_put(const char *path, int64_t column_count, SinoEntries *entries, int64_t count,
                        SinoRowBuffer *buffer, int64_t i);

/* Puts all rows of the buffer in order, whose entries lie where `start` says, as they are in the file. Their values are
 * those of the buffer, or of `value` unless it is NULL. Errors as of sino_row_put. */
SinoStatus sino_rows_put(const char *path, int64_t column_count, const double *value, SinoRowBuffer *buffer);
