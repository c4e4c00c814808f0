/* SPDX-License-Identifier: BSD-3-Clause */
/* Image list: the images of files, as layers of an array. */
#include "image_scan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arithmetic.h"
#include "scan_limits.h"

static SinoStatus check_like_first(const SinoImageList *list, const SinoImageBlock *block)
{
    const SinoNpy *first = &list->arrays->array, *type = &block->type;
    const SinoPlainScale *scale = &list->arrays->scale;
    SINO_CHECK(block->row_count == first->size[1] && block->column_count == first->size[2], SINO_BAD_INPUT,
               "%s has %" PRId64 " rows and %" PRId64 " columns; allowed: %" PRId64 " and %" PRId64
               ", as the first image has",
               list->path, block->row_count, block->column_count, first->size[1], first->size[2]);
    SINO_CHECK(strcmp(type->stored_type, first->stored_type) == 0 && type->swapped == first->swapped, SINO_BAD_INPUT,
               "%s holds %s%s; allowed: %s, in the order of bytes of the first image", list->path, type->stored_type,
               type->swapped != first->swapped ? " in another order of bytes" : "", first->stored_type);
    SINO_CHECK(block->scale.factor == scale->factor && block->scale.offset == scale->offset, SINO_BAD_INPUT,
               "%s scales its values by %g and %g; allowed: %g and %g, as the first image", list->path,
               block->scale.factor, block->scale.offset, scale->factor, scale->offset);
    return NULL;
}

static SinoStatus check_block(const SinoImageList *list, const SinoImageBlock *block)
{
    const int64_t sizes[] = {block->column_count, block->row_count, block->image_count};
    static const char *const names[] = {"columns", "rows", "images"};
    for (int i = 0; i < 3; i++)
        SINO_CHECK(sizes[i] >= 1 && sizes[i] <= SINO_SIDE_MAX, SINO_BAD_INPUT,
                   "%s has %" PRId64 " %s; allowed: 1 to %d", list->path, sizes[i], names[i], (int)SINO_SIDE_MAX);
    const int64_t needed = sino_times(sino_times(sizes[0], sizes[1]), sino_times(sizes[2], block->type.item_bytes)),
                  found = sino_larger(list->bytes - block->offset, 0);
    SINO_CHECK(found >= needed, SINO_BAD_INPUT, "%s is cut: it has %" PRId64 " of the %" PRId64 " bytes of its pixels",
               list->path, found, needed);
    SINO_CHECK(list->arrays->array.size[0] + block->image_count <= SINO_IMAGES_MAX, SINO_BAD_INPUT,
               "%s: more than %d images; allowed: up to %d", list->path, (int)SINO_IMAGES_MAX, (int)SINO_IMAGES_MAX);
    return NULL;
}

/* Makes room for so many images. */
static SinoStatus make_room(SinoImageList *list, int64_t count)
{
    SinoArrayScan *arrays = list->arrays;
    if (count <= list->room) return NULL;
    const int64_t room = sino_larger(count, 2 * list->room);
    SinoArrayLayer *layers = reallocarray(arrays->layer, (size_t)room, sizeof *layers);
    if (layers) arrays->layer = layers;
    double *angles = reallocarray(list->angle_deg, (size_t)room, sizeof *angles);
    if (angles) list->angle_deg = angles;
    SINO_CHECK(layers && angles, SINO_FAILED, "no memory for the images of a scan");
    list->room = room;
    return NULL;
}

SinoStatus sino_image_list_add(SinoImageList *list, const SinoImageBlock *block)
{
    SinoArrayScan *arrays = list->arrays;
    SinoNpy *array = &arrays->array;
    SINO_TRY(check_block(list, block));
    if (array->size[0] == 0) {
        *array = block->type;
        array->rank = 3;
        array->size[0] = 0;
        array->size[1] = block->row_count;
        array->size[2] = block->column_count;
        arrays->scale = block->scale;
    }
    SINO_TRY(check_like_first(list, block));
    SINO_TRY(make_room(list, array->size[0] + block->image_count));
    const int64_t image = sino_times(sino_times(block->row_count, block->column_count), array->item_bytes);
    for (int64_t i = 0; i < block->image_count; i++, array->size[0]++) {
        arrays->layer[array->size[0]] = (SinoArrayLayer){.file = list->file, .offset = block->offset + i * image};
        list->angle_deg[array->size[0]] = block->angle_deg ? block->angle_deg[i] : NAN;
    }
    array->count = sino_times(array->size[0], sino_times(array->size[1], array->size[2]));
    return NULL;
}
