/* SPDX-License-Identifier: BSD-3-Clause */
/* TIFF file: reads boxes of the pages of a TIFF file, with any compression that libtiff supports. */
#pragma once

#include "scan_box.h"
#include "status.h"

#include <stdbool.h>

/* One page: an image of one number per pixel. */
typedef struct SinoTiffPage {
    int64_t row_count, column_count;
    SinoCountType type;      /* in memory: uint8 and uint16 stay, every other type becomes float32 */
    const char *stored_type; /* "uint16", "float64" … */
    uint64_t place;          /* offset of the page in its file; 0: the first page */
} SinoTiffPage;

typedef struct SinoTiffFile SinoTiffFile;

/* Whether a regular file has the signature of TIFF or BigTIFF. */
bool sino_tiff_probe(const char *path);

/* Opens a file for reading. `path` must outlive it. SINO_BAD_INPUT: no such file, not TIFF, damaged. */
SinoStatus sino_tiff_file_open(const char *path, SinoTiffFile **file);
void sino_tiff_file_close(SinoTiffFile *file); /* takes NULL */

/* Lists the pages in file order; the caller frees *pages. SINO_BAD_INPUT: more than one number per pixel (colours), a
 * palette, 0 stored as white, bits that are not whole bytes, a side of 0 or of more than 2^20 pixels, an ImageJ stack
 * behind one page, damaged. */
SinoStatus sino_tiff_file_pages(SinoTiffFile *file, int64_t *count, SinoTiffPage **pages); /* caller frees */

/* The description of the first page, valid until another page is read; NULL: it has none. */
const char *sino_tiff_file_description(const SinoTiffFile *file);

/* Reads the box of one page, converted to `type`: the page's own type or float32. A page with place 0 must be read
 * before other pages of the same open file. Only strips or tiles that overlap the box are read; of uncompressed ones
 * only the box. SINO_BAD_INPUT: truncated or damaged. */
SinoStatus sino_tiff_file_read(SinoTiffFile *file, const SinoTiffPage *page, const SinoScanBox *box, SinoCountType type,
                               void *counts);
