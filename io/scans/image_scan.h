/* SPDX-License-Identifier: BSD-3-Clause */
/* Images of scans: lists of them, and scans that consist of them. */
#pragma once

#include "array_scan.h"

/* Image list: the images of files, as layers of an array. A kind of images adds those of a file. */

/* The images of all files up to the current one. */
typedef struct SinoImageList {
    SinoArrayScan *arrays; /* not owned */
    int64_t file;          /* number of the current file */
    const char *path;      /* of the current file, as is all until bytes */
    int descriptor;
    int64_t bytes;
    bool wants_angles; /* false: angles of the files are not used */
    double *angle_deg; /* [images so far]; NaN: unknown; owned */
    int64_t room;      /* images for which there is memory */
    char angle_source[160];
    char remark[256]; /* a problem of the files; "": none */
} SinoImageList;

/* Images of the current file, one behind the other. */
typedef struct SinoImageBlock {
    SinoNpy type; /* kind, item_bytes, swapped, stored_type */
    int64_t row_count, column_count, image_count;
    int64_t offset;          /* of the first pixel in the file */
    SinoPlainScale scale;    /* factor 0: none */
    const double *angle_deg; /* [image_count]; NULL: unknown */
} SinoImageBlock;

/* Adds images. SINO_BAD_INPUT: a size that is not from 1 to the limits; other sizes, types, orders of bytes or scales
 * than those of the first image; pixels beyond the end of the file. */
SinoStatus sino_image_list_add(SinoImageList *list, const SinoImageBlock *block);

/* raw_images.c: opens a file, a folder or a pattern of images without headers that tell what they are. `first`: the
 * first image of each file, one image long; `gap`: bytes before every image, the first one, too. `part` may be filled
 * even on failure, and owns *opened. SINO_BAD_INPUT, in addition: bytes that are no whole images. */
SinoStatus sino_raw_images_open(const char *named, const SinoImageBlock *first, int64_t gap, SinoScanPart *part,
                                SinoArrayScan **opened);

/* Image scan: projections, flat or dark fields as images whose pixels lie behind headers, in one file or several. A
 * format of such files is one file NAME_images.c, and one row of `kinds` in image_scan.c. */

typedef struct SinoImageKind {
    const char *name;                               /* becomes SinoScanInfo.kind */
    const char *evidence;                           /* of SinoScanInfo */
    const char *const *endings;                     /* of the files of a folder; then NULL */
    bool (*probe)(const char *head, int64_t bytes); /* of the first bytes of a file */
    SinoStatus (*list)(SinoImageList *list);        /* adds the images of the file */
} SinoImageKind;

enum { SINO_IMAGE_HEAD = 1024 /* bytes that a probe sees, unless the file is shorter */ };

extern const SinoImageKind sino_edf_images, sino_fits_images, sino_mrc_images, sino_dm_images;
