/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix file: reads system matrices (system_matrix.h) of several formats in ranges of rows. docs/COUNTS.md lists the
 * formats; the content of a file decides, not its name.
 *
 * All formats deliver the same matrix alike, to the bit: stored values become doubles; those of equal row and column
 * are added in ascending order; the sum is rounded to float once; what is then 0 is left out. */
#pragma once

#include "status.h"
#include "system_matrix.h"

typedef struct SinoMatrixFile SinoMatrixFile;

/* Rows that were read. It begins zeroed, and is used for one range of a file after another, as its arrays are kept and
 * grow. It belongs to one thread at a time. */
typedef struct SinoRowBuffer {
    SinoSparseRows rows; /* its arrays belong to the buffer */
    int64_t row_room, entry_room;
    void *piece; /* of a file, while it is read */
    int64_t piece_bytes;
} SinoRowBuffer;

void sino_row_buffer_free(SinoRowBuffer *buffer); /* leaves it zeroed */

/* Opens FILE, or FILE:/GROUP in an HDF5 file; the caller closes it. Headers are read and checked, and the row pointers
 * of formats that have them, in bounded memory. SINO_BAD_INPUT: no such file, of no known format, damaged, with sizes
 * that disagree, with more than 2³² − 1 columns, or with properties that are not read (the text names them). */
SinoStatus sino_matrix_open(const char *path, SinoMatrixFile **file);
void sino_matrix_close(SinoMatrixFile *file); /* takes NULL */

/* Opens and closes the file in a process of its own, which has 10 seconds of computing and 512 MiB: libraries may crash
 * or loop on malformed files. NULL: sino_matrix_open will succeed. Call it before threads start. */
SinoStatus sino_matrix_try(const char *path);

/* Whether nothing but a system matrix can be meant: the file begins as one of a format that scans do not have, or a
 * group of a file is named. The file may be damaged. */
bool sino_matrix_probe(const char *path);

/* A matrix in the arrays of a caller, compressed by rows (CSR): row i has the entries start[i] … start[i + 1] − 1, in
 * any order; those of one column are added. Arrays are aligned to their types, and not owned. */
typedef struct SinoMemoryMatrix {
    const char *name; /* for errors, as that of a file */
    int64_t row_count, column_count;
    bool wide;          /* start and column are int64_t; false: int32_t */
    bool doubles;       /* value is double; false: float */
    const void *start;  /* [row_count + 1]; the last one is the number of entries */
    const void *column; /* [entry] */
    const void *value;  /* [entry] */
} SinoMemoryMatrix;

/* Opens the file, or, unless it is NULL, the matrix in memory, whose arrays outlive what is opened. SINO_BAD_INPUT,
 * too: starts that do not ascend from 0. */
SinoStatus sino_matrix_open_from(const char *path, const SinoMemoryMatrix *memory, SinoMatrixFile **file);

/* Valid until the file is closed. */
const SinoMatrixOutline *sino_matrix_outline(const SinoMatrixFile *file);

/* The name of the file, without :/GROUP. Valid likewise. */
const char *sino_matrix_path(const SinoMatrixFile *file);

/* The format: "csr4" … */
const char *sino_matrix_kind(const SinoMatrixFile *file);

/* What a gamma camera with parallel holes does to photons, beside counting them. */
typedef struct SinoCamera {
    const char *attenuation; /* an image in 1/cm (counts_file.h); NULL: none; not owned */
    double slope, width_mm;  /* the standard deviation of its blur h mm before it is slope·h + width_mm; 0, 0: none */
} SinoCamera;

/* Gives the voxels to a matrix that is computed from a map of crystals or a SPECT header, before anything is asked of
 * its rows: until then its outline has no columns. Nothing changes in others. SINO_BAD_INPUT: the grid lacks counts or
 * sizes that the file does not have, or has too many voxels; a crystal lies in it; an image of another size, or that
 * cannot be read; a camera for a matrix that is not of SPECT. */
SinoStatus sino_matrix_frame(SinoMatrixFile *file, const SinoVoxelGrid *grid, const SinoCamera *camera);

/* Folds a matrix with mirrors (SinoMatrixOutline.mirrors) before its rows are read: from then on the rows of
 * sino_matrix_count_rows and sino_matrix_read are one of each orbit, which stands for the others. An orbit is what the
 * mirrors make of a row, in the orientations of system_matrix.h; the first row of the matrix among them, its lead, is
 * read. The rows are numbered in ascending order of their leads. Reading refuses a file that stores an entry and a
 * mirror image of it with different values (SINO_BAD_INPUT), as the matrix then lacks the symmetry. Without mirrors
 * nothing changes. SINO_FAILED: no memory. */
SinoStatus sino_matrix_fold(SinoMatrixFile *file);

/* How many rows are read: those of the matrix, or orbits. */
int64_t sino_matrix_read_count(const SinoMatrixFile *file);

/* The row of the matrix that row `row`, as it is read, is in an orientation; −1: an earlier orientation gives it.
 * Orientation 0 of a matrix that is not folded: the row itself. */
int64_t sino_matrix_image_row(const SinoMatrixFile *file, int64_t row, int64_t orientation);

/* The lead of the orbit of row `row` as it is read; without mirrors the row. */
int64_t sino_matrix_lead_row(const SinoMatrixFile *file, int64_t row);

/* entries[i]: how many entries of row first + i are stored, an upper bound of those that sino_matrix_read gives.
 * Without row_access the whole file is read. Errors as of sino_matrix_read; threads likewise. */
SinoStatus sino_matrix_count_rows(SinoMatrixFile *file, int64_t first, int64_t count, int64_t *entries);

/* Reads rows first … first + count − 1, count < 2³², into buffer->rows. While it reads it takes, beside the buffer's 8
 * bytes per entry and per row, less than 2 MiB and 40 bytes per entry of the longest row; without row_access also 28
 * bytes per entry of these rows. Several threads may read one file, each into a buffer of its own. Readers of HDF5
 * files wait for each other; nobody else may call HDF5 meanwhile.
 *
 * SINO_BAD_INPUT: a column outside the matrix, a value that is negative, not finite or above the largest float, a file
 * that ends early. SINO_FAILED: no memory, or the file has become shorter or cannot be read. The rows are then
 * undefined. */
SinoStatus sino_matrix_read(SinoMatrixFile *file, int64_t first, int64_t count, SinoRowBuffer *buffer);
