/* SPDX-License-Identifier: BSD-3-Clause */
/* TIFF images: files, stacks and single images, by libtiff. */
#pragma once

#include "files.h"
#include "numbers.h"
#include "output_settings.h"
#include "paths.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

/* TIFF client: puts libtiff's messages about a file into errors, instead of printing them on stderr. */

/* The first member of every handle that io gives to TIFFClientOpen. */
typedef struct SinoTiffClient {
    char message[240]; /* first message of libtiff since the text was cleared; "": none */
} SinoTiffClient;

/* Stops libtiff from printing; its messages go to the clients. Call before TIFFClientOpen. */
void sino_tiff_quiet(void);

/* The message for the end of an error's text, or a text that says that there is none. */
const char *sino_tiff_reason(const SinoTiffClient *client);

/* TIFF file: reads boxes of the pages of a TIFF file, with any compression that libtiff supports. */

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

/* TIFF image: writes one image to one file (libtiff), complete or not at all. */

/* Writes values[height][width]; `description` becomes the ImageDescription tag, NULL: none. The file is written under a
 * temporary name, then renamed; an existing file is replaced. SINO_BAD_INPUT: the directory is missing or not writable,
 * or the path is not a regular file. SINO_FAILED: disk full and similar errors. */
SinoStatus sino_tiff_image_write(const char *path, int64_t height, int64_t width, const float *values,
                                 const char *description);

/* An image of any type of voxel. */
typedef struct SinoTiffImage {
    int64_t height, width;
    SinoOutputType type;
    const void *pixels;      /* [height][width] of the type */
    const char *description; /* NULL: none */
    bool deflate;            /* compressed; integers by differences, which other readers than libtiff know, too */
    double pixel_um[2];      /* width and height of a pixel, for the resolution tags; 0: unknown */
} SinoTiffImage;

/* sino_tiff_image_write of any type; without `overwrite` an existing file stays, and is SINO_BAD_INPUT. */
SinoStatus sino_tiff_image_save(const char *path, bool overwrite, const SinoTiffImage *image);

/* TIFF sample: number types of the TIFF images that are read, and their conversion to counts. */

/* The type of a page's numbers, of SAMPLEFORMAT_… and 8 to 64 bits; NULL: such images are not read. */
const SinoNumber *sino_tiff_sample_find(int format, int bits);

/* The type in memory: uint8 and uint16 stay, every other type becomes float32. */
SinoCountType sino_tiff_sample_type(const SinoNumber *sample);

/* Converts `count` numbers to `type`: the sample's own type or float32. `from` need not be aligned. */
void sino_tiff_sample_convert(const SinoNumber *sample, int64_t count, const void *from, SinoCountType type, void *to);

/* TIFF stack: images of equal size and type: one per file of a list, or one per page of a single file. */

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
