/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix source: what a format implements behind matrix_file.h. A format is one file of io/ and one row of the table in
 * matrix_file.c. */
#pragma once

#include "matrix_file.h"
#include "system_matrix.h"

enum { SINO_MATRIX_HEAD = 512 }; /* first bytes of a file that probes see, as far as there are so many */

typedef struct SinoMatrixSource {
    /* sino_matrix_frame, which sets the grid and the columns. NULL: the file has its columns. */
    SinoStatus (*frame)(void *state, const SinoVoxelGrid *grid, const SinoCamera *camera, SinoMatrixOutline *outline);
    bool takes_camera; /* false: `frame` does not look at it */
    /* As the functions of matrix_file.h; the range lies inside the matrix. */
    SinoStatus (*count_rows)(void *state, int64_t first, int64_t count, int64_t *entries);
    SinoStatus (*read)(void *state, int64_t first, int64_t count, SinoRowBuffer *buffer);
    /* sino_matrix_fold, which sets read_count; sino_matrix_image_row; sino_matrix_lead_row. NULL: there are no mirrors.
     */
    SinoStatus (*fold)(void *state, int64_t *read_count);
    int64_t (*image_row)(const void *state, int64_t row, int64_t orientation);
    int64_t (*lead_row)(const void *state, int64_t row);
    void (*close)(void *state);
} SinoMatrixSource;

struct SinoMatrixFile {
    SinoMatrixOutline outline;
    int64_t read_count;             /* rows that are read: row_count, or the orbits of a folded matrix */
    const char *kind;               /* name of the format */
    char *path;                     /* owned; without the group */
    char *group;                    /* as in FILE:/GROUP; NULL: not given; owned */
    const SinoMatrixSource *source; /* NULL until `open` has set it */
    void *state;                    /* owned by the source */
};

typedef struct SinoMatrixFormat {
    const char *name;
    const char *example; /* for the error when no format recognises a file */
    bool takes_group;    /* FILE:/GROUP may be given */
    bool of_scans;       /* scans have such files, too */
    /* Whether a file is of this format, by its first bytes. A recognised file may still be damaged. */
    bool (*probe)(const char *path, const unsigned char *head, int64_t bytes);
    /* Sets source, state and outline. file->path and file->group are set. On failure the caller closes the file, which
     * releases the state if source is set. */
    SinoStatus (*open)(SinoMatrixFile *file);
} SinoMatrixFormat;

/* As SinoMatrixFormat.open, of a matrix in memory, with its name as the path. */
SinoStatus sino_matrix_memory_open(const SinoMemoryMatrix *matrix, SinoMatrixFile *file);

extern const SinoMatrixFormat sino_crystals_format, sino_csr4_format, sino_hdf5_matrix_format, sino_market_format,
    sino_matlab_format, sino_npz_format, sino_spect_format;

/* Matrix arrays: matrices whose rows or columns are compressed (CSR, CSC), or neither (COO), as arrays that formats
 * with named arrays keep. A format reads arrays; the rest is here. */

typedef enum SinoMatrixLayout {
    SINO_CSR, /* pointers: where each row begins and the last one ends; indices: columns */
    SINO_CSC, /* pointers: of columns; indices: rows */
    SINO_COO, /* pointers: the row of each entry; indices: columns */
} SinoMatrixLayout;

typedef enum SinoMatrixArray {
    SINO_ARRAY_POINTERS,
    SINO_ARRAY_INDICES,
    SINO_ARRAY_VALUES,
    SINO_ARRAYS
} SinoMatrixArray;

/* How a format reads. A pass reads each array mostly from its beginning to its end. Several threads may have one pass
 * each; the format locks what needs it. */
typedef struct SinoArrayReader {
    SinoStatus (*begin)(void *state, void **pass);
    /* Elements first … first + count − 1, which the array has. Integers beyond 63 bits become INT64_MAX. */
    SinoStatus (*integers)(void *pass, SinoMatrixArray array, int64_t first, int64_t count, int64_t *values);
    SinoStatus (*doubles)(void *pass, SinoMatrixArray array, int64_t first, int64_t count, double *values);
    void (*end)(void *pass);
    void (*close)(void *state); /* of SinoMatrixSource */
} SinoArrayReader;

/* A matrix in arrays; the format fills this in. */
typedef struct SinoMatrixArrays {
    const SinoArrayReader *reader;
    void *state; /* of the reader, which owns it */
    SinoMatrixLayout layout;
    bool random_access;            /* parts of arrays can be read without what is before them */
    const char *name[SINO_ARRAYS]; /* for errors; not owned */
    int64_t count[SINO_ARRAYS];    /* elements */
    int64_t row_count, column_count;
} SinoMatrixArrays;

/* Sets source, state and outline of the file. Checks sizes, and the pointers. The file takes over `arrays->state`, also
 * on failure. SINO_BAD_INPUT: sizes that disagree, pointers that descend or do not fit. */
SinoStatus sino_matrix_arrays_open(SinoMatrixFile *file, const SinoMatrixArrays *arrays);

/* Matrix csr4, private: shared by matrix_csr4.c, which opens files, matrix_csr4_rows.c, which reads what they store,
 * and matrix_csr4_mirror.c, which makes the rows of a matrix of it whose mirrored entries are left out. */

enum {
    SINO_CSR4_ENTRY = 8,       /* bytes of an entry */
    SINO_CSR4_END = 8,         /* bytes of the end of a row */
    SINO_CSR4_PIECE = 1 << 14, /* entries, or ends of rows, that are read at once */
};

typedef struct SinoCsr4 {
    const char *path; /* not owned */
    int descriptor;
    int flags; /* SINO_MIRROR_X … */
    int64_t row_count, column_count, entry_count;
    int64_t ends_at, entries_at; /* offsets in the file */
    SinoMirror mirror;
    int64_t crystals; /* of the mirror */
    uint32_t *image;  /* [orientation][crystal]: the mirrored crystal; NULL: no flags; owned */
    int64_t *lead;    /* [row that is read]: of folded matrices (matrix_file.h); NULL: each row is read; owned */
} SinoCsr4;

/* start[0 … count]: the first entries of rows first … first + count, checked. */
SinoStatus sino_csr4_starts(const SinoCsr4 *csr4, int64_t first, int64_t count, int64_t *start);

/* SinoMatrixSource.count_rows and read of the rows as they are stored. */
SinoStatus sino_csr4_count_stored(void *state, int64_t first, int64_t count, int64_t *entries);
SinoStatus sino_csr4_read_stored(void *state, int64_t first, int64_t count, SinoRowBuffer *buffer);

/* Checks the rows first … first + count − 1, whose entries begin at start[0 … count]: with mirrors, rows of crystals
 * a > b have none. */
SinoStatus sino_csr4_check_turned(const SinoCsr4 *csr4, int64_t first, int64_t count, const int64_t *start);

/* Fills `image`. SINO_FAILED: no memory. */
SinoStatus sino_csr4_list_images(SinoCsr4 *csr4);

/* SinoMatrixSource of files with flags. */
SinoStatus sino_csr4_count_mirrored(void *state, int64_t first, int64_t count, int64_t *entries);
SinoStatus sino_csr4_read_mirrored(void *state, int64_t first, int64_t count, SinoRowBuffer *buffer);
SinoStatus sino_csr4_fold(void *state, int64_t *read_count);
int64_t sino_csr4_image_row(const void *state, int64_t row, int64_t orientation);
int64_t sino_csr4_lead_row(const void *state, int64_t row);

/* Matrix rows: puts the entries of rows, as formats store them, into the order of SinoSparseRows. */

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

/* Matrix scan: ranges of rows of files whose entries are in any order, each by reading the whole file. */

/* What a scan looks for. Entries of other rows are passed over. */
typedef struct SinoMatrixScan SinoMatrixScan;

/* Takes note of an entry. SINO_FAILED: no memory. */
SinoStatus sino_matrix_scan_entry(SinoMatrixScan *scan, int64_t row, uint32_t column, double value);

/* A format's function that calls sino_matrix_scan_entry for each entry of the file, whose rows lie inside the matrix.
 */
typedef SinoStatus (*SinoMatrixScanner)(void *state, SinoMatrixScan *scan);

/* The functions of SinoMatrixSource, by one scan. `path` and `column_count`: as of sino_row_put. */
SinoStatus sino_matrix_scan_count(SinoMatrixScanner scanner, void *state, int64_t first, int64_t count,
                                  int64_t *entries);
SinoStatus sino_matrix_scan_read(SinoMatrixScanner scanner, void *state, const char *path, int64_t column_count,
                                 int64_t first, int64_t count, SinoRowBuffer *buffer);
