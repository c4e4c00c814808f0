/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix csr4, private: shared by matrix_csr4.c, which opens files, matrix_csr4_rows.c, which reads what they store,
 * and matrix_csr4_mirror.c, which makes the rows of a matrix of it whose mirrored entries are left out. */
#pragma once

#include "matrix_mirror.h"
#include "matrix_source.h"

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
