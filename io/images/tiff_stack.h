/* SPDX-License-Identifier: BSD-3-Clause */
/* TIFF stack: images of equal size and type: one per file of a list, or one per page of a single file. */
#ifndef SINO_TIFF_STACK_H
#define SINO_TIFF_STACK_H

#include "file_list.h"
#include "tiff_file.h"

typedef struct SinoTiffStack {
    SinoFileList files; /* owned */
    int64_t image_count;
    SinoTiffPage *page; /* a single file: image_count pages; several files: the page of the first file; owned */
} SinoTiffStack;

/* Whether a file, a folder or a pattern names TIFF images. Looks at the first bytes of a file, or at file names. */
bool sino_tiff_stack_probe(const char *named);

/* Opens a stack, and looks at every image; the caller closes it. SINO_BAD_INPUT: every error of sino_file_list_new and
 * sino_tiff_file_pages; sizes or types that differ; a file with several pages among several files. */
SinoStatus sino_tiff_stack_open(const char *named, SinoTiffStack **stack);
void sino_tiff_stack_close(SinoTiffStack *stack); /* takes NULL */

/* Reads the box of images first … first + count − 1: counts[image][row][column]; `type` as in sino_tiff_file_read. */
SinoStatus sino_tiff_stack_read(const SinoTiffStack *stack, int64_t first, int64_t count, const SinoScanBox *box,
                                SinoCountType type, void *counts);

#endif
