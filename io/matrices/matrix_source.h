/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix source: what a format implements behind matrix_file.h. A format is one file of io/ and one row of the table in
 * matrix_file.c. */
#pragma once

#include "matrix_file.h"

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
