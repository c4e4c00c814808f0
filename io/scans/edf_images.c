/* SPDX-License-Identifier: BSD-3-Clause */
/* EDF images: files of the ESRF, each of one image or more. */
#include <stdlib.h>

#include "edf_file.h"
#include "files.h"
#include "image_scan.h"
#include "memory.h"

static const char *const endings[] = {".edf", NULL};

static SinoStatus list_headers(SinoImageList *list, char *text)
{
    for (int64_t at = 0; at < list->bytes;) {
        SinoEdfImage image;
        const int64_t head = sino_smaller(list->bytes - at, SINO_EDF_HEADER_BYTES);
        SINO_TRY(sino_regular_read(list->path, list->descriptor, at, head, text));
        SINO_TRY(sino_edf_parse(list->path, text, head, &image));
        const SinoImageBlock block = {.type = image.type,
                                      .row_count = image.row_count,
                                      .column_count = image.column_count,
                                      .image_count = 1,
                                      .offset = at + image.header_bytes};
        SINO_TRY(sino_image_list_add(list, &block));
        at = block.offset + sino_times(sino_times(image.row_count, image.column_count), image.type.item_bytes);
        if (list->bytes - at < 16) break; /* padding */
    }
    return NULL;
}

static SinoStatus list_edf(SinoImageList *list)
{
    char *text;
    SINO_TRY(sino_allocate(SINO_EDF_HEADER_BYTES, 1, "a header", &text));
    SinoStatus status = list_headers(list, text);
    free(text);
    return status;
}

const SinoImageKind sino_edf_images = {.name = "EDF images",
                                       .evidence = "headers of the ESRF data format",
                                       .endings = endings,
                                       .probe = sino_edf_probe,
                                       .list = list_edf};
