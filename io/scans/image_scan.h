/* SPDX-License-Identifier: BSD-3-Clause */
/* Image scan: projections, flat or dark fields as images whose pixels lie behind headers, in one file or several. A
 * format of such files is one file NAME_images.c, and one row of `kinds` in image_scan.c. */
#pragma once

#include "image_list.h"

typedef struct SinoImageKind {
    const char *name;                               /* becomes SinoScanInfo.kind */
    const char *evidence;                           /* of SinoScanInfo */
    const char *const *endings;                     /* of the files of a folder; then NULL */
    bool (*probe)(const char *head, int64_t bytes); /* of the first bytes of a file */
    SinoStatus (*list)(SinoImageList *list);        /* adds the images of the file */
} SinoImageKind;

enum { SINO_IMAGE_HEAD = 1024 /* bytes that a probe sees, unless the file is shorter */ };

extern const SinoImageKind sino_edf_images, sino_fits_images, sino_mrc_images, sino_dm_images;
