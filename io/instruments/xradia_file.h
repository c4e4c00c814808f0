/* SPDX-License-Identifier: BSD-3-Clause */
/* Xradia file: the images in a .txrm or .xrm file of Zeiss, which is an OLE file. */
#pragma once

#include "numbers.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct SinoXradia {
    struct SinoOle *ole;           /* owned */
    SinoCountType type, flat_type; /* of the file: uint16 or float32 */
    int64_t row_count, column_count, image_count, flat_count;
    int64_t *stream, *flat; /* [image_count], [flat_count]; owned */
} SinoXradia;

/* Opens a file; the caller closes it even on failure. SINO_BAD_INPUT: numbers or images are missing or impossible. */
SinoStatus sino_xradia_open(const char *path, SinoXradia *xradia);
void sino_xradia_close(SinoXradia *xradia);

/* Reads a box of an image, or of a flat field. `type`: of the file, or float32. */
SinoStatus sino_xradia_read(const SinoXradia *xradia, bool flat, int64_t image, const SinoScanBox *box,
                            SinoCountType type, void *counts);

/* OLE file: streams of a compound file (MS-CFB), by path. Everything that a file declares is checked against its size.
 */

typedef struct SinoOle SinoOle;

/* Opens a compound file; the caller closes it. SINO_BAD_INPUT: it is none, or damaged. */
SinoStatus sino_ole_open(const char *path, SinoOle **ole);
void sino_ole_close(SinoOle *ole); /* takes NULL */

/* The number of the stream "Storage/Stream", upper and lower case alike; −1: there is none. */
int64_t sino_ole_find(const SinoOle *ole, const char *name);
int64_t sino_ole_bytes(const SinoOle *ole, int64_t stream);

/* Reads `count` bytes of a stream from byte `offset` on. SINO_BAD_INPUT: the stream is shorter, or its sectors are
 * damaged. */
SinoStatus sino_ole_read(const SinoOle *ole, int64_t stream, int64_t offset, int64_t count, void *bytes);
