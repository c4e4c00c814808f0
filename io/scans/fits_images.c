/* SPDX-License-Identifier: BSD-3-Clause */
/* FITS images: the first array of two or three dimensions of each file (FITS standard 4.0, Pence et al., A&A 524, A42,
 * 2010). A file is a sequence of units, each a header in cards of 80 characters and an array, in blocks of 2880 bytes.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "arithmetic.h"
#include "files.h"
#include "image_scan.h"

enum { CARD = 80, BLOCK = 2880, BLOCKS_MAX = 1024, UNITS_MAX = 1000, DIMENSIONS = 9 };

/* A unit, as far as its cards have been read. */
typedef struct Unit {
    const char *path;
    bool image, compressed;
    int64_t bits, rank, size[DIMENSIONS], groups, extra; /* bits < 0: floating point; extra: bytes beside the array */
    SinoPlainScale scale;
} Unit;

static bool probe_fits(const char *head, int64_t bytes)
{
    return bytes >= 10 && memcmp(head, "SIMPLE  = ", 10) == 0;
}

static SinoStatus take_integer(const Unit *unit, const char *name, const char *value, int64_t low, int64_t high,
                               int64_t *number)
{
    char *end;
    const long long found = strtoll(value, &end, 10);
    SINO_CHECK(end != value && *end == '\0' && found >= low && found <= high, SINO_BAD_INPUT,
               "%s: %.8s is '%.40s'; allowed: %" PRId64 " to %" PRId64, unit->path, name, value, low, high);
    *number = found;
    return NULL;
}

static SinoStatus take_real(const Unit *unit, const char *name, char *value, double *number)
{
    char *end = strpbrk(value, "dD");
    if (end) *end = 'E';
    const double found = strtod(value, &end);
    SINO_CHECK(end != value && *end == '\0' && isfinite(found), SINO_BAD_INPUT,
               "%s: %.8s is '%.40s'; allowed: a number", unit->path, name, value);
    *number = found;
    return NULL;
}

/* The value of a card: before a comment, without blanks around it. */
static void take_value(const char *card, char value[CARD])
{
    const char *from = card + 10, *end = card + CARD;
    while (from < end && *from == ' ') from++;
    const char *comment = from < end && *from != '\'' ? memchr(from, '/', (size_t)(end - from)) : NULL;
    if (comment) end = comment;
    while (end > from && end[-1] == ' ') end--;
    memcpy(value, from, (size_t)(end - from));
    value[end - from] = '\0';
}

/* Takes a card: name[8], "= ", value, "/ comment". */
static SinoStatus take_card(const char *card, Unit *unit)
{
    char name[9] = "", value[CARD];
    memcpy(name, card, 8);
    take_value(card, value);
    name[strcspn(name, " ")] = '\0';
    const char *digit = name + strlen("NAXIS");
    if (strcmp(name, "SIMPLE") == 0) unit->image = true;
    if (strcmp(name, "XTENSION") == 0) unit->image = strncmp(value, "'IMAGE", 6) == 0;
    if (strcmp(name, "ZIMAGE") == 0) unit->compressed = *value == 'T';
    if (strcmp(name, "BITPIX") == 0) return take_integer(unit, name, value, -64, 64, &unit->bits);
    if (strcmp(name, "NAXIS") == 0) return take_integer(unit, name, value, 0, DIMENSIONS, &unit->rank);
    if (strncmp(name, "NAXIS", 5) == 0 && *digit >= '1' && *digit <= '9' && digit[1] == '\0')
        return take_integer(unit, name, value, 0, INT64_MAX, &unit->size[*digit - '1']);
    if (strcmp(name, "PCOUNT") == 0) return take_integer(unit, name, value, 0, INT64_MAX, &unit->extra);
    if (strcmp(name, "GCOUNT") == 0) return take_integer(unit, name, value, 0, INT64_MAX, &unit->groups);
    if (strcmp(name, "BSCALE") == 0) return take_real(unit, name, value, &unit->scale.factor);
    if (strcmp(name, "BZERO") == 0) return take_real(unit, name, value, &unit->scale.offset);
    if (strcmp(name, "BLANK") == 0) return take_real(unit, name, value, &unit->scale.blank);
    return NULL;
}

/* Reads a header at *at, which then is behind it. */
static SinoStatus read_unit(const SinoImageList *list, int64_t *at, Unit *unit)
{
    char block[BLOCK];
    *unit = (Unit){.path = list->path, .groups = 1, .scale = {.factor = 1, .blank = NAN}};
    for (int i = 0; i < BLOCKS_MAX; i++, *at += BLOCK) {
        SINO_CHECK(list->bytes - *at >= BLOCK, SINO_BAD_INPUT, "%s has a FITS header without END", list->path);
        SINO_TRY(sino_regular_read(list->path, list->descriptor, *at, BLOCK, block));
        for (int k = 0; k < BLOCK; k += CARD) {
            if (memcmp(block + k, "END     ", 8) == 0) {
                *at += BLOCK;
                return NULL;
            }
            SINO_TRY(take_card(block + k, unit));
        }
    }
    return sino_error(SINO_BAD_INPUT, "%s has a FITS header without END in %d blocks", list->path, BLOCKS_MAX);
}

/* Bytes of the array, with those that fill its last block; INT64_MAX: more than there can be. */
static int64_t unit_bytes(const Unit *unit)
{
    int64_t count = unit->rank > 0 ? 1 : 0;
    for (int64_t d = 0; d < unit->rank; d++) count = sino_times(count, unit->size[d]);
    if (count > INT64_MAX - unit->extra) return INT64_MAX;
    const int64_t bytes = sino_times(sino_times(count + unit->extra, unit->groups), llabs(unit->bits) / 8);
    return bytes > INT64_MAX - BLOCK ? INT64_MAX : (bytes + BLOCK - 1) / BLOCK * BLOCK;
}

static SinoStatus take_type(const Unit *unit, SinoNpy *type)
{
    static const struct {
        int64_t bits;
        SinoNpy type;
    } types[] = {
        {8, {.kind = SINO_NPY_UINT, .item_bytes = 1, .stored_type = "uint8"}},
        {16, {.kind = SINO_NPY_INT, .item_bytes = 2, .stored_type = "int16"}},
        {32, {.kind = SINO_NPY_INT, .item_bytes = 4, .stored_type = "int32"}},
        {64, {.kind = SINO_NPY_INT, .item_bytes = 8, .stored_type = "int64"}},
        {-32, {.kind = SINO_NPY_FLOAT, .item_bytes = 4, .stored_type = "float32"}},
        {-64, {.kind = SINO_NPY_FLOAT, .item_bytes = 8, .stored_type = "float64"}},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].bits != unit->bits) continue;
        *type = types[i].type;
        type->swapped = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
        return NULL;
    }
    return sino_error(SINO_BAD_INPUT, "%s: BITPIX is %" PRId64 "; allowed: 8, 16, 32, 64, -32 and -64", unit->path,
                      unit->bits);
}

static SinoStatus add_array(SinoImageList *list, const Unit *unit, int64_t offset)
{
    const SinoPlainScale *scale = &unit->scale;
    const bool plain = scale->factor == 1 && scale->offset == 0 && isnan(scale->blank);
    SinoImageBlock block = {.row_count = unit->size[1],
                            .column_count = unit->size[0],
                            .image_count = unit->rank > 2 ? unit->size[2] : 1,
                            .offset = offset};
    SINO_TRY(take_type(unit, &block.type));
    if (!plain) block.scale = *scale;
    SINO_CHECK(plain || scale->factor != 0, SINO_BAD_INPUT, "%s: BSCALE is 0; allowed: other numbers", list->path);
    for (int64_t d = 3; d < unit->rank; d++)
        SINO_CHECK(unit->size[d] == 1, SINO_BAD_INPUT,
                   "%s: NAXIS%d is %" PRId64 "; allowed: 1, beyond three dimensions", list->path, (int)d + 1,
                   unit->size[d]);
    return sino_image_list_add(list, &block);
}

static SinoStatus list_fits(SinoImageList *list)
{
    int64_t at = 0;
    for (int i = 0; i < UNITS_MAX && at < list->bytes; i++) {
        Unit unit;
        SINO_TRY(read_unit(list, &at, &unit));
        SINO_CHECK(!unit.compressed, SINO_BAD_INPUT,
                   "%s has a compressed image (ZIMAGE), which is not read: funpack of CFITSIO unpacks it", list->path);
        const int64_t bytes = unit_bytes(&unit);
        if (unit.image && unit.rank >= 2) {
            if (bytes < list->bytes - at)
                snprintf(list->remark, sizeof list->remark, "%.120s: only its first image or cube is read", list->path);
            return add_array(list, &unit, at);
        }
        if (bytes >= list->bytes - at) break;
        at += bytes;
    }
    return sino_error(SINO_BAD_INPUT, "%s has no image; allowed: FITS with an array of 2 or 3 dimensions", list->path);
}

static const char *const endings[] = {".fits", ".fit", ".fts", NULL};

const SinoImageKind sino_fits_images = {
    .name = "FITS images", .evidence = "header of FITS", .endings = endings, .probe = probe_fits, .list = list_fits};
