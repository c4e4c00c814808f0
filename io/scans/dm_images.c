/* SPDX-License-Identifier: BSD-3-Clause */
/* DM images: DigitalMicrograph 3 and 4. A file is a tree of tags, which are groups, or data behind a description of
 * their type. Lengths have 4 bytes in DM3 and 8 in DM4, the highest byte first (B. Schaffer, DM3 file format). The
 * largest image of real numbers is read; the others are previews. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "angle_list.h"
#include "files.h"
#include "image_scan.h"
#include "memory.h"
#include "scan_limits.h"

enum {
    LEVELS = 32,
    PATH = 256,
    DESCRIPTION = 256, /* most numbers that describe a type */
    DIMENSIONS = 3,
    TAGS_MAX = 1 << 22,
    WINDOW = 4096,
    GROUP = 20,
    DATA = 21,
};

/* Types of data. */
enum { STRUCTURE = 15, STRING = 18, ARRAY = 20 };

/* An image of ImageList. */
typedef struct Image {
    int64_t type, rank, size[DIMENSIONS], offset, bytes; /* size: columns, rows, images */
    int64_t axis;                                        /* dimensions whose calibration has been seen */
    double origin, step;                                 /* of dimension 2 */
    char unit[16];
    double alpha_deg; /* of the stage */
} Image;

typedef struct Tree {
    SinoImageList *list;
    int64_t at, window_at, window_bytes, tags;
    bool wide, swapped; /* DM4; numbers of data have the other order of bytes than this machine */
    char path[PATH];    /* "/ImageList/#/ImageData/Data"; # has no name */
    int depth;
    struct {
        int64_t left;
        size_t length; /* of the path of this group */
    } level[LEVELS];
    Image image, largest;
    char window[WINDOW];
} Tree;

static SinoStatus damaged(const Tree *tree, const char *fault)
{
    return sino_error(SINO_BAD_INPUT, "%s is damaged: %s at byte %" PRId64, tree->list->path, fault, tree->at);
}

static SinoStatus take(Tree *tree, int64_t count, void *bytes)
{
    const SinoImageList *list = tree->list;
    if (count > list->bytes - tree->at) return damaged(tree, "it ends within a tag");
    if (tree->at < tree->window_at || tree->at + count > tree->window_at + tree->window_bytes) {
        tree->window_at = tree->at;
        tree->window_bytes = sino_smaller(WINDOW, list->bytes - tree->at);
        SINO_TRY(sino_regular_read(list->path, list->descriptor, tree->at, tree->window_bytes, tree->window));
    }
    memcpy(bytes, tree->window + (tree->at - tree->window_at), (size_t)count);
    tree->at += count;
    return NULL;
}

/* A number of the tree, first byte first. */
static SinoStatus take_number(Tree *tree, int bytes, int64_t *number)
{
    unsigned char raw[8];
    uint64_t value = 0;
    SINO_TRY(take(tree, bytes, raw));
    for (int i = 0; i < bytes; i++) value = value << 8 | raw[i];
    *number = (int64_t)value;
    return NULL;
}

static SinoStatus take_length(Tree *tree, int64_t *length)
{
    SINO_TRY(take_number(tree, tree->wide ? 8 : 4, length));
    return *length < 0 ? damaged(tree, "a negative length") : NULL;
}

/* Bytes of a number; 0: another type. */
static int64_t number_bytes(int64_t type)
{
    static const int bytes[] = {
        [2] = 2, [3] = 4, [4] = 2, [5] = 4, [6] = 4, [7] = 8, [8] = 1, [9] = 1, [10] = 1, [11] = 8, [12] = 8};
    return type >= 2 && type <= 12 ? bytes[type] : 0;
}

/* Bytes of a structure whose fields, a length of the name and a type each, begin at field[0]; 0: other fields. */
static int64_t structure_bytes(const int64_t *field, int64_t count, int64_t room)
{
    int64_t sum = 0;
    if (count < 1 || count > room / 2) return 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t bytes = number_bytes(field[2 * i + 1]);
        if (bytes == 0) return 0;
        sum += bytes;
    }
    return sum;
}

/* Bytes of the data that `count` numbers describe; < 0: another description. */
static int64_t data_bytes(const int64_t *about, int64_t count)
{
    int64_t item = 0;
    if (count == 1) item = number_bytes(about[0]);
    if (count == 2 && about[0] == STRING) return sino_times(about[1], 2);
    if (count >= 5 && about[0] == STRUCTURE) item = structure_bytes(about + 3, about[2], count - 3);
    if (count >= 3 && about[0] == ARRAY && about[1] != STRUCTURE)
        return number_bytes(about[1]) ? sino_times(about[count - 1], number_bytes(about[1])) : -1;
    if (count >= 7 && about[0] == ARRAY) {
        item = structure_bytes(about + 4, about[3], count - 5);
        return item ? sino_times(about[count - 1], item) : -1;
    }
    return item ? item : -1;
}

/* Reads a number of the data at `at`; NaN: they are no number. */
static SinoStatus read_number(const Tree *tree, const int64_t *about, int64_t count, double *value)
{
    static const SinoNpyKind kinds[] = {
        [2] = SINO_NPY_INT,   [3] = SINO_NPY_INT,   [4] = SINO_NPY_UINT, [5] = SINO_NPY_UINT,
        [6] = SINO_NPY_FLOAT, [7] = SINO_NPY_FLOAT, [8] = SINO_NPY_UINT, [9] = SINO_NPY_INT,
        [10] = SINO_NPY_INT,  [11] = SINO_NPY_INT,  [12] = SINO_NPY_UINT};
    char item[8];
    *value = NAN;
    if (count != 1 || number_bytes(about[0]) == 0) return NULL;
    const SinoNpy type = {.kind = kinds[about[0]], .item_bytes = number_bytes(about[0]), .swapped = tree->swapped};
    SINO_TRY(sino_regular_read(tree->list->path, tree->list->descriptor, tree->at, type.item_bytes, item));
    sino_npy_doubles(&type, item, 1, value);
    return NULL;
}

/* Reads a text of characters of 16 bits, as far as it fits. Characters beyond Latin-1 become '?'. */
static SinoStatus read_text(const Tree *tree, int64_t bytes, char text[16])
{
    unsigned char raw[30];
    const int64_t count = sino_smaller(bytes, (int64_t)sizeof raw) / 2;
    const bool little = (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != tree->swapped;
    SINO_TRY(sino_regular_read(tree->list->path, tree->list->descriptor, tree->at, 2 * count, raw));
    for (int64_t i = 0; i < count; i++) text[i] = raw[2 * i + little] ? '?' : (char)raw[2 * i + !little];
    text[count] = '\0';
    if (strcmp(text, "\xb0") == 0) snprintf(text, 16, "deg");
    return NULL;
}

static bool is_at(const Tree *tree, const char *place)
{
    return strcmp(tree->path, place) == 0;
}

/* Takes the data at the path, if the image needs them. */
static SinoStatus take_data(Tree *tree, const int64_t *about, int64_t count, int64_t bytes)
{
    Image *image = &tree->image;
    double value;
    if (strncmp(tree->path, "/ImageList/#/", 13) != 0) return NULL;
    SINO_TRY(read_number(tree, about, count, &value));
    const int64_t whole = value >= 0 && value <= INT32_MAX ? (int64_t)value : -1;
    if (is_at(tree, "/ImageList/#/ImageData/DataType")) image->type = whole;
    if (is_at(tree, "/ImageList/#/ImageTags/Microscope Info/Stage Position/Stage Alpha")) image->alpha_deg = value;
    if (is_at(tree, "/ImageList/#/ImageData/Dimensions/#")) {
        if (image->rank < DIMENSIONS)
            image->size[image->rank++] = whole;
        else if (whole != 1)
            image->rank = DIMENSIONS + 1; /* too many */
    }
    if (is_at(tree, "/ImageList/#/ImageData/Data")) {
        image->offset = tree->at;
        image->bytes = bytes;
    }
    if (image->axis != DIMENSIONS) return NULL;
    if (is_at(tree, "/ImageList/#/ImageData/Calibrations/Dimension/#/Origin")) image->origin = value;
    if (is_at(tree, "/ImageList/#/ImageData/Calibrations/Dimension/#/Scale")) image->step = value;
    if (is_at(tree, "/ImageList/#/ImageData/Calibrations/Dimension/#/Units"))
        return read_text(tree, bytes, image->unit);
    return NULL;
}

static SinoStatus read_data(Tree *tree)
{
    char mark[4];
    int64_t count, about[DESCRIPTION];
    SINO_TRY(take(tree, 4, mark));
    if (memcmp(mark, "%%%%", 4) != 0) return damaged(tree, "no %%%% before data");
    SINO_TRY(take_length(tree, &count));
    if (count < 1 || count > DESCRIPTION) return damaged(tree, "a type of unusual length");
    for (int64_t i = 0; i < count; i++) SINO_TRY(take_length(tree, &about[i]));
    const int64_t bytes = data_bytes(about, count);
    if (bytes < 0) return damaged(tree, "an unknown type of data");
    if (bytes > tree->list->bytes - tree->at)
        return sino_error(SINO_BAD_INPUT, "%s is cut: it has %" PRId64 " of the %" PRId64 " bytes of a tag",
                          tree->list->path, tree->list->bytes - tree->at, bytes);
    SINO_TRY(take_data(tree, about, count, bytes));
    tree->at += bytes;
    return NULL;
}

static SinoStatus enter_group(Tree *tree)
{
    char flags[2];
    int64_t tags;
    SINO_TRY(take(tree, 2, flags));
    SINO_TRY(take_length(tree, &tags));
    if (tree->depth == LEVELS) return damaged(tree, "groups within groups, too deep");
    tree->level[tree->depth].left = tags;
    tree->level[tree->depth++].length = strlen(tree->path);
    if (is_at(tree, "/ImageList/#")) tree->image = (Image){.type = -1, .alpha_deg = NAN, .step = NAN};
    if (is_at(tree, "/ImageList/#/ImageData/Calibrations/Dimension/#")) tree->image.axis++;
    return NULL;
}

/* The type of pixels; NULL: pixels of this type are not read. */
static const SinoNpy *pixel_type(int64_t type)
{
    static const SinoNpy types[] = {
        [1] = {.kind = SINO_NPY_INT, .item_bytes = 2, .stored_type = "int16"},
        [2] = {.kind = SINO_NPY_FLOAT, .item_bytes = 4, .stored_type = "float32"},
        [6] = {.kind = SINO_NPY_UINT, .item_bytes = 1, .stored_type = "uint8"},
        [7] = {.kind = SINO_NPY_INT, .item_bytes = 4, .stored_type = "int32"},
        [9] = {.kind = SINO_NPY_INT, .item_bytes = 1, .stored_type = "int8"},
        [10] = {.kind = SINO_NPY_UINT, .item_bytes = 2, .stored_type = "uint16"},
        [11] = {.kind = SINO_NPY_UINT, .item_bytes = 4, .stored_type = "uint32"},
        [12] = {.kind = SINO_NPY_FLOAT, .item_bytes = 8, .stored_type = "float64"},
        [14] = {.kind = SINO_NPY_UINT, .item_bytes = 1, .stored_type = "uint8"},
    };
    const int64_t count = (int64_t)(sizeof types / sizeof *types);
    return type >= 0 && type < count && types[type].item_bytes ? &types[type] : NULL;
}

/* Keeps the image that ends here, if it is the largest so far. */
static void keep_largest(Tree *tree)
{
    Image *image = &tree->image;
    const SinoNpy *type = pixel_type(image->type);
    if (image->rank == 2) image->size[image->rank++] = 1;
    if (!type || image->rank != DIMENSIONS || image->bytes <= tree->largest.bytes) return;
    int64_t count = type->item_bytes;
    for (int d = 0; d < DIMENSIONS; d++) {
        if (image->size[d] < 1) return;
        count = sino_times(count, image->size[d]);
    }
    if (count <= image->bytes) tree->largest = *image;
}

static void leave_group(Tree *tree)
{
    tree->path[tree->level[--tree->depth].length] = '\0';
    if (is_at(tree, "/ImageList/#")) keep_largest(tree);
}

static SinoStatus read_tag(Tree *tree)
{
    int64_t kind, length, unused;
    char name[PATH] = "#";
    SINO_TRY(take_number(tree, 1, &kind));
    SINO_TRY(take_number(tree, 2, &length));
    if (kind != GROUP && kind != DATA) return damaged(tree, "neither a group nor data");
    if (length > 0 && length < PATH) SINO_TRY(take(tree, length, name));
    if (length >= PATH) tree->at += length; /* none that is needed */
    if (tree->wide) SINO_TRY(take_length(tree, &unused));
    const size_t end = strlen(tree->path), more = strlen(name);
    if (end + more + 2 > PATH) return damaged(tree, "too long names");
    tree->path[end] = '/';
    memcpy(tree->path + end + 1, name, more + 1);
    return kind == GROUP ? enter_group(tree) : read_data(tree);
}

static SinoStatus read_tree(Tree *tree)
{
    int64_t version, bytes, little;
    SINO_TRY(take_number(tree, 4, &version));
    tree->wide = version == 4;
    SINO_TRY(take_length(tree, &bytes));
    SINO_TRY(take_number(tree, 4, &little));
    if (little != 0 && little != 1) return damaged(tree, "an unknown order of bytes");
    tree->swapped = (little == 1) != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    SINO_TRY(enter_group(tree));
    while (tree->depth > 0) {
        const int level = tree->depth - 1;
        if (tree->level[level].left-- == 0) {
            leave_group(tree);
            continue;
        }
        tree->path[tree->level[level].length] = '\0';
        if (++tree->tags > TAGS_MAX) return damaged(tree, "too many tags");
        SINO_TRY(read_tag(tree));
    }
    return NULL;
}

/* Angles of a stack by the calibration of its third dimension, of one image by the stage. */
static void fill_angles(SinoImageList *list, const Image *image, double *angle_deg)
{
    SinoAngleUnit unit;
    const int64_t count = image->size[2];
    const bool stepped = count > 1 && sino_angle_unit_word(image->unit, &unit) && isfinite(image->step * image->origin);
    const double degrees = stepped && unit == SINO_ANGLE_UNIT_RADIANS ? 180 / SINO_PI : 1;
    for (int64_t k = 0; k < count; k++)
        angle_deg[k] = stepped      ? ((double)k - image->origin) * image->step * degrees
                       : count == 1 ? image->alpha_deg
                                    : NAN;
    snprintf(list->angle_source, sizeof list->angle_source,
             stepped ? "the calibration of the third dimension" : "Stage Alpha");
}

static SinoStatus add_image(SinoImageList *list, const Tree *tree)
{
    const Image *image = &tree->largest;
    SINO_CHECK(image->bytes > 0, SINO_BAD_INPUT,
               "%s has no image that is read; allowed: 2 or 3 dimensions of integers or real numbers", list->path);
    SinoImageBlock block = {.type = *pixel_type(image->type),
                            .row_count = image->size[1],
                            .column_count = image->size[0],
                            .image_count = image->size[2],
                            .offset = image->offset};
    block.type.swapped = tree->swapped;
    if (image->size[2] > SINO_IMAGES_MAX) return sino_image_list_add(list, &block);
    double *angle_deg;
    SINO_TRY(sino_allocate(image->size[2], sizeof *angle_deg, "angles", &angle_deg));
    fill_angles(list, image, angle_deg);
    block.angle_deg = angle_deg;
    SinoStatus status = sino_image_list_add(list, &block);
    free(angle_deg);
    return status;
}

static SinoStatus list_dm(SinoImageList *list)
{
    Tree tree = {.list = list, .path = ""};
    SINO_TRY(read_tree(&tree));
    return add_image(list, &tree);
}

/* The version, the length of the file, an order of bytes. */
static bool probe_dm(const char *head, int64_t bytes)
{
    const bool wide = bytes >= 16 && head[3] == 4;
    const char *order = head + (wide ? 12 : 8);
    return bytes >= 16 && memcmp(head, "\0\0\0", 3) == 0 && (wide || head[3] == 3) && memcmp(order, "\0\0\0", 3) == 0 &&
           (order[3] == 0 || order[3] == 1);
}

static const char *const endings[] = {".dm3", ".dm4", NULL};

const SinoImageKind sino_dm_images = {.name = "DigitalMicrograph images",
                                      .evidence = "header of DM3 or DM4",
                                      .endings = endings,
                                      .probe = probe_dm,
                                      .list = list_dm};
