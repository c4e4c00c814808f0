/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors file, for the readers: a row of the table, and what they share. */
#pragma once

#include "scanner_private.h"
#include "vectors_file.h"

enum { SINO_VECTORS_HEAD = 4096, SINO_VECTORS_NUMBERS = SINO_VIEW_NUMBERS, SINO_VECTORS_FLAT_NUMBERS = 6 };

typedef struct SinoVectorsFormat {
    bool bare; /* its numbers do not tell whether rays are parallel: "parallel:FILE" does */
    /* Whether a file of this format begins so: at most SINO_VECTORS_HEAD bytes, and a zero after them. */
    bool (*probe)(const char *head, int64_t bytes);
    /* Of a format of text (sino_header_text_read), or of files: fills zeroed vectors. The caller frees them even on
     * failure. One of both is NULL. */
    SinoStatus (*parse)(const SinoHeaderText *text, SinoVectors *vectors);
    SinoStatus (*read)(const char *path, bool parallel, SinoVectors *vectors);
} SinoVectorsFormat;

extern const SinoVectorsFormat sino_vectors_npy, sino_vectors_volume, sino_vectors_text, sino_vectors_rtk,
    sino_vectors_ctsimu, sino_vectors_scanner;

/* Makes room for `count` projections. */
SinoStatus sino_vectors_new(const char *path, int64_t count, SinoVectors *vectors);

/* Takes projection k from 12 numbers, or from 6: x and y of source, middle and column. `value` must be finite. */
SinoStatus sino_vectors_take_numbers(const char *path, bool parallel, int64_t k, int width, const double *value,
                                     SinoVectors *vectors);
