/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors file: where source and detector are at each projection. vectors_npy.c, vectors_volume.c, vectors_text.c,
 * vectors_rtk.c, vectors_ctsimu.c and vectors_scanner.c read a format each (docs/CONES.md). */
#pragma once

#include "status.h"
#include "view.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct SinoVectors {
    int64_t count;                   /* projections */
    SinoView *view;                  /* [count], in mm; `first` is the middle of the detector; owned */
    bool flat;                       /* of one plane: `row` points along z, as long as `column` */
    bool unsized;                    /* the file tells no size of pixels: `column` and `row` are 1 mm long */
    bool partial;                    /* projections that were left out have views of zeros */
    int64_t column_count, row_count; /* of the detector; 0: the file does not tell */
} SinoVectors;

/* Reads `name`: FILE, or parallel:FILE for an array of parallel rays. SINO_BAD_INPUT: no such file or of another form;
 * a number that is missing, NaN or infinite; something that is not honoured; or a projection whose pixels have no area,
 * or whose rays lie in the plane of the detector. */
SinoStatus sino_vectors_read(const char *name, SinoVectors *vectors);
void sino_vectors_free(SinoVectors *vectors);
