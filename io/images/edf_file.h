/* SPDX-License-Identifier: BSD-3-Clause */
/* EDF file: images in the ESRF data format: a header in text, "{ Dim_1 = 640 ; … }", then the pixels. */
#pragma once

#include "npy.h"

enum { SINO_EDF_HEADER_BYTES = 65536 /* most bytes of a header */ };

/* An image of a file. */
typedef struct SinoEdfImage {
    SinoNpy type; /* kind, item_bytes, swapped, stored_type */
    int64_t row_count, column_count;
    int64_t header_bytes; /* from the brace to the first pixel */
} SinoEdfImage;

/* Whether these first bytes of a file are those of an EDF file: a brace, and a key of EDF behind it. */
bool sino_edf_probe(const char *text, int64_t bytes);

/* Parses a header at the beginning of `text`, of which `bytes` are there. `name` is the file in errors. SINO_BAD_INPUT:
 * no end of the header within SINO_EDF_HEADER_BYTES; a size or the type is absent, malformed, or none that is read;
 * compressed pixels; more than two dimensions. */
SinoStatus sino_edf_parse(const char *name, const char *text, int64_t bytes, SinoEdfImage *image);
