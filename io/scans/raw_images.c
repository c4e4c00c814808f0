/* SPDX-License-Identifier: BSD-3-Clause */
/* Raw images: images in files that do not tell their type and size. */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "arithmetic.h"
#include "child.h"
#include "files.h"
#include "image_scan.h"

static SinoStatus list_file(const SinoImageBlock *first, int64_t gap, SinoImageList *list)
{
    SinoImageBlock block = *first;
    const int64_t pixels = sino_times(sino_times(block.row_count, block.column_count), block.type.item_bytes);
    const int64_t image = pixels + gap, head = block.offset - gap, bytes = list->bytes - head;
    SINO_CHECK(bytes >= image && bytes % image == 0, SINO_BAD_INPUT,
               "%s has %" PRId64 " bytes; allowed: %" PRId64 ", and then %" PRId64 " for each image", list->path,
               list->bytes, head, image);
    for (int64_t i = 0; i < bytes / image; i++, block.offset += image) SINO_TRY(sino_image_list_add(list, &block));
    return NULL;
}

static SinoStatus list_files(const char *named, const SinoImageBlock *first, int64_t gap, SinoImageList *list)
{
    static const char *const endings[] = {".raw", NULL};
    SinoFileList *files = &list->arrays->files;
    SINO_TRY(sino_file_list_new(1, &named, endings, files));
    for (list->file = 0; list->file < files->count; list->file++) {
        list->path = files->name[list->file];
        sino_child_step();
        SINO_TRY(sino_regular_open(list->path, &list->descriptor, &list->bytes));
        close(list->descriptor);
        SINO_TRY(list_file(first, gap, list));
    }
    return NULL;
}

SinoStatus sino_raw_images_open(const char *named, const SinoImageBlock *first, int64_t gap, SinoScanPart *part,
                                SinoArrayScan **opened)
{
    SinoImageList list = {.wants_angles = false};
    SINO_TRY(sino_array_scan_new(NULL, part, &list.arrays));
    SinoStatus status = list_files(named, first, gap, &list);
    free(list.angle_deg);
    *opened = list.arrays;
    return status;
}
