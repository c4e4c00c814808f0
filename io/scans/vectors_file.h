/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors file: where source and detector are at each projection, as ASTRA's geometries cone_vec and parallel3d_vec
 * have it (docs/CONES.md). */
#ifndef SINO_VECTORS_FILE_H
#define SINO_VECTORS_FILE_H

#include "status.h"
#include "view.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct SinoVectors {
    int64_t count;  /* projections */
    SinoView *view; /* [count], in mm; `first` is the middle of the detector; owned */
    bool flat;      /* of one plane: `row` points along z, as long as `column` */
} SinoVectors;

/* Reads `name`: FILE or parallel:FILE, a NumPy array of 12 or 6 numbers per projection, or a text with their names in
 * its first line. SINO_BAD_INPUT: no such file or of another form; a number that is missing, NaN or infinite; or a
 * projection whose pixels have no area, or whose rays lie in the plane of the detector. */
SinoStatus sino_vectors_read(const char *name, SinoVectors *vectors);
void sino_vectors_free(SinoVectors *vectors);

#endif
