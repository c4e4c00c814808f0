/* SPDX-License-Identifier: BSD-3-Clause */
/* Contact sheet: slices side by side in one page of HTML, each with its value, in one range of grey. */
#pragma once

#include "status.h"

#include <stdbool.h>
#include <stdint.h>

/* Nothing is owned; texts are UTF-8. */
typedef struct SinoContactPicture {
    const char *title, *note; /* above and below the picture */
    bool chosen;              /* is framed */
} SinoContactPicture;

typedef struct SinoContactSheet {
    const char *title, *note;
    int64_t size; /* of each slice: voxels along a side */
    int64_t count;
    const SinoContactPicture *picture;
    SinoStatus (*read)(void *owner, int64_t number, float *values); /* reads picture `number`: [size][size] */
    void *owner;
} SinoContactSheet;

/* Writes the sheet. A slice of more than 300 voxels along a side has the square with the most detail in the middle
 * picture beside it, voxel by voxel; one of more than 512 is averaged down. Grey reaches from the 0.2 to the 99.8
 * percentile of the middle picture; an existing file is replaced. SINO_FAILED: no memory, or the file cannot be
 * written; errors of `read`. */
SinoStatus sino_contact_sheet_write(const char *path, const SinoContactSheet *sheet);
