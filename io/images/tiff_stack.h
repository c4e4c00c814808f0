/* SPDX-License-Identifier: BSD-3-Clause */
/* TIFF stack: images of equal size and type: one per file of a list, or one per page of a single file. */
#pragma once

#include "file_list.h"
#include "file_state.h"
#include "tiff_file.h"

typedef struct SinoTiffStack {
    SinoFileList files; /* owned */
    int64_t image_count;
    char *named;          /* as it was opened, if another process still writes files; owned; else NULL */
    int64_t whole;        /* then: images from the first one on that can be read */
    SinoFileState *state; /* [image_count], then: of each file at the last look before it was whole; owned */
    SinoTiffPage *page;   /* a single file: image_count pages; several files: the page of the first file; owned */
} SinoTiffStack;

/* Whether a file, a folder or a pattern names TIFF images. Looks at the first bytes of a file, or at file names. */
bool sino_tiff_stack_probe(const char *named);

/* Opens a stack, and looks at every image; the caller closes it. SINO_BAD_INPUT: every error of sino_file_list_new and
 * sino_tiff_file_pages; sizes or types that differ; a file with several pages among several files. */
SinoStatus sino_tiff_stack_open(const char *named, SinoTiffStack **stack);

/* Opens images to which another process still adds files of one image each, the first of which is there.
 * sino_tiff_stack_look lists the files anew, and counts those from the first one on that are whole, and have not
 * changed since the last look. *reason: why there are no more; owned by the caller; NULL: nothing is wrong.
 * SINO_FAILED: a file came between others, or once the last one is whole, one of them has been written again. */
SinoStatus sino_tiff_stack_follow(const char *named, SinoTiffStack **stack);
SinoStatus sino_tiff_stack_look(SinoTiffStack *stack, SinoStatus *reason);
void sino_tiff_stack_close(SinoTiffStack *stack); /* takes NULL */

/* Reads the box of images first … first + count − 1: counts[image][row][column]; `type` as in sino_tiff_file_read.
 * SINO_FAILED: a file has been written again since it was whole. */
SinoStatus sino_tiff_stack_read(const SinoTiffStack *stack, int64_t first, int64_t count, const SinoScanBox *box,
                                SinoCountType type, void *counts);
