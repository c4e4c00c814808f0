/* SPDX-License-Identifier: BSD-3-Clause */
/* MRC images: a stack behind a header of 1024 bytes and an extended one (MRC2014: Cheng et al., J. Struct. Biol. 192,
 * 146, 2015). Angles lie in a text or SerialEM's .mdoc beside the file, or in the extended header (SerialEM, FEI). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "angle_list.h"
#include "files.h"
#include "image_scan.h"
#include "memory.h"
#include "numbers.h"
#include "scan_limits.h"
#include "scanner_private.h"

enum {
    HEADER = 1024,
    MODE = 12,
    EXTENDED_BYTES = 92,
    EXTENDED_TYPE = 104,
    RECORD_BYTES = 128, /* SerialEM: of an image; FEI: 0 */
    RECORD_FLAGS = 130, /* SerialEM: which numbers a record has; FEI: 32, numbers of 4 bytes */
    IMOD_STAMP = 152,
    IMOD_FLAGS = 156,
    MAP = 208,
    ORDER_OF_BYTES = 212
};

/* A header, or records of the extended one. */
typedef struct Bytes {
    const unsigned char *at;
    bool swapped;
} Bytes;

static void take(const Bytes *bytes, int64_t offset, size_t count, void *value)
{
    memcpy(value, bytes->at + offset, count);
    if (bytes->swapped) sino_number_swap((int64_t)count, 1, value);
}

static int32_t integer(const Bytes *bytes, int64_t offset)
{
    int32_t value;
    take(bytes, offset, sizeof value, &value);
    return value;
}

static int16_t small(const Bytes *bytes, int64_t offset)
{
    int16_t value;
    take(bytes, offset, sizeof value, &value);
    return value;
}

static bool probe_mrc(const char *head, int64_t bytes)
{
    return bytes >= HEADER && memcmp(head + MAP, "MAP", 3) == 0;
}

static SinoStatus take_type(const SinoImageList *list, const Bytes *header, SinoNpy *type)
{
    static const struct {
        int32_t mode;
        SinoNpy type;
    } modes[] = {
        {0, {.kind = SINO_NPY_INT, .item_bytes = 1, .stored_type = "int8"}},
        {1, {.kind = SINO_NPY_INT, .item_bytes = 2, .stored_type = "int16"}},
        {2, {.kind = SINO_NPY_FLOAT, .item_bytes = 4, .stored_type = "float32"}},
        {6, {.kind = SINO_NPY_UINT, .item_bytes = 2, .stored_type = "uint16"}},
        {12, {.kind = SINO_NPY_FLOAT, .item_bytes = 2, .stored_type = "float16"}},
    };
    enum { IMOD = 1146047817, SIGNED_BYTES = 1 };
    static const SinoNpy bytes = {.kind = SINO_NPY_UINT, .item_bytes = 1, .stored_type = "uint8"};
    const int32_t mode = integer(header, MODE);
    size_t i = 0;
    while (i < sizeof modes / sizeof *modes && modes[i].mode != mode) i++;
    SINO_CHECK(i < sizeof modes / sizeof *modes, SINO_BAD_INPUT,
               "%s has pixels of mode %" PRId32 "; allowed: 0, 1, 2, 6 and 12, which are real numbers", list->path,
               mode);
    const bool is_imod = integer(header, IMOD_STAMP) == IMOD && !(integer(header, IMOD_FLAGS) & SIGNED_BYTES);
    *type = mode == 0 && is_imod ? bytes : modes[i].type;
    type->swapped = header->swapped;
    return NULL;
}

/* The angle of one record in degrees; NaN: none. */
typedef double Reader(const Bytes *record);

static double serial_em_angle(const Bytes *record)
{
    return small(record, 0) / 100.0;
}

static double agard_angle(const Bytes *record)
{
    float angle;
    take(record, 0, sizeof angle, &angle);
    return (double)angle;
}

static double fei_angle(const Bytes *record)
{
    enum { FIELDS = 8, HAS_ALPHA = 1 << 7, ALPHA = 100 };
    double angle;
    take(record, ALPHA, sizeof angle, &angle);
    return integer(record, FIELDS) & HAS_ALPHA ? angle : NAN;
}

/* Bytes of a record of SerialEM. Each flag stands for numbers in it. */
static int64_t serial_em_bytes(int flags)
{
    static const int bytes[] = {2, 6, 4, 2, 2, 4};
    int64_t sum = 0;
    for (int i = 0; i < 6; i++)
        if (flags >> i & 1) sum += bytes[i];
    return sum;
}

/* Finds the bytes and the reader of the records in the extended header, which begins with `first`; false: it has no
 * angles. */
static bool find_reader(const Bytes *header, const Bytes *first, int64_t *record, Reader **reader)
{
    const char *type = (const char *)header->at + EXTENDED_TYPE;
    const int64_t bytes = small(header, RECORD_BYTES), flags = small(header, RECORD_FLAGS);
    if (memcmp(type, "FEI1", 4) == 0 || memcmp(type, "FEI2", 4) == 0) {
        *record = integer(first, 0);
        *reader = fei_angle;
        return *record >= 108 && *record <= 65536;
    }
    if (bytes > 0 && (flags & 1) && bytes == serial_em_bytes((int)flags)) {
        *record = bytes;
        *reader = serial_em_angle;
        return true;
    }
    *record = 128;
    *reader = agard_angle;
    return bytes == 0 && flags == 32;
}

static SinoStatus angles_in_header(SinoImageList *list, const Bytes *header, int64_t images, double *angle_deg)
{
    const int64_t extended = integer(header, EXTENDED_BYTES);
    unsigned char start[4] = {0}, *bytes;
    const Bytes first = {start, header->swapped};
    int64_t record;
    Reader *reader;
    if (extended >= 4) SINO_TRY(sino_regular_read(list->path, list->descriptor, HEADER, sizeof start, start));
    if (!find_reader(header, &first, &record, &reader) || sino_times(record, images) > extended) return NULL;
    SINO_TRY(sino_allocate(images, record, "a header", &bytes));
    SinoStatus status = sino_regular_read(list->path, list->descriptor, HEADER, sino_times(record, images), bytes);
    for (int64_t i = 0; i < images && !status; i++) {
        const double angle = reader(&(Bytes){bytes + i * record, header->swapped});
        if (fabs(angle) <= 360) angle_deg[i] = angle;
    }
    free(bytes);
    snprintf(list->angle_source, sizeof list->angle_source, "its extended header");
    return status;
}

/* The angles of a text, a line each. */
static SinoStatus angles_in_list(const char *path, int64_t images, double *angle_deg)
{
    SinoAngleUnit unit = SINO_ANGLE_UNIT_DEGREES;
    int64_t count;
    double *angle_rad;
    SinoStatus status = sino_angle_list_read(path, &unit, images, &count, &angle_rad);
    if (status) return sino_error_prefix(status, "the angles beside the images, unless --theta is given");
    for (int64_t i = 0; i < images; i++) angle_deg[i] = angle_rad[i] * (180 / SINO_PI);
    free(angle_rad);
    return NULL;
}

/* Whether the line at `text` is NAME = VALUE. */
static bool has_value(const char *text, const char *name, double *value)
{
    const size_t length = strlen(name);
    char *end;
    if (strncmp(text, name, length) != 0) return false;
    text += length + strspn(text + length, " ");
    if (*text++ != '=') return false;
    *value = strtod(text, &end);
    return end != text && isfinite(*value);
}

static SinoStatus read_mdoc(const SinoHeaderText *text, int64_t images, double *angle_deg, double *axis_deg)
{
    int64_t count = 0;
    for (const char *at = text->text; at; at = strchr(at, '\n')) {
        double value;
        at += *at == '\n';
        const char *axis = strncmp(at, "[T =", 4) == 0 ? strcasestr(at, "Tilt axis angle") : NULL;
        if (axis && memchr(at, '\n', (size_t)(axis - at))) axis = NULL;
        if (axis) (void)has_value(axis + strlen("Tilt axis angle"), "", axis_deg);
        if (!has_value(at, "TiltAngle", &value)) continue;
        if (count < images) angle_deg[count] = value;
        count++;
    }
    SINO_CHECK(count == images, SINO_BAD_INPUT,
               "%s has %" PRId64 " lines TiltAngle for %" PRId64 " images; allowed: as many, or --theta", text->path,
               count, images);
    return NULL;
}

static SinoStatus angles_in_mdoc(SinoImageList *list, const char *path, int64_t images, double *angle_deg)
{
    SinoHeaderText text;
    double axis_deg = 0;
    SinoStatus status = sino_header_text_read(path, &text);
    if (!status) status = read_mdoc(&text, images, angle_deg, &axis_deg);
    sino_header_text_clear(&text);
    if (fabs(remainder(axis_deg, 180)) > 1)
        snprintf(list->remark, sizeof list->remark,
                 "%.80s says that the tilt axis is turned by %g degrees; slices need it along the columns: align the "
                 "images, or give --axes angle,column,row if it lies along the rows",
                 path, axis_deg);
    return status;
}

/* Takes angles from a file that programs write beside NAME.mrc; list->angle_source becomes its name. */
static SinoStatus angles_beside(SinoImageList *list, int64_t images, double *angle_deg)
{
    static const char *const endings[] = {".tlt", ".rawtlt", ".mdoc", NULL};
    const char *path = list->path, *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    const int whole = (int)strlen(path), stem = dot ? (int)(dot - path) : whole;
    const int aligned = stem > 4 && strncmp(path + stem - 4, "_ali", 4) == 0 ? stem - 4 : stem;
    const int lengths[] = {stem, whole, aligned};
    for (int i = 0; i < 3 * 3 && !*list->angle_source; i++) {
        const char *ending = endings[i / 3];
        char *name;
        SINO_CHECK(asprintf(&name, "%.*s%s", lengths[i % 3], path, ending) >= 0, SINO_FAILED, "no memory for a name");
        SinoStatus status = NULL;
        if (access(name, F_OK) == 0) {
            snprintf(list->angle_source, sizeof list->angle_source, "%s", name);
            status = strcmp(ending, ".mdoc") == 0 ? angles_in_mdoc(list, name, images, angle_deg)
                                                  : angles_in_list(name, images, angle_deg);
        }
        free(name);
        SINO_TRY(status);
    }
    return NULL;
}

static SinoStatus list_mrc(SinoImageList *list)
{
    unsigned char head[HEADER];
    SINO_CHECK(list->bytes >= HEADER, SINO_BAD_INPUT, "%s is cut: an MRC file has %d bytes or more", list->path,
               HEADER);
    SINO_TRY(sino_regular_read(list->path, list->descriptor, 0, HEADER, head));
    const bool big = head[ORDER_OF_BYTES] == 0x11;
    const Bytes header = {.at = head, .swapped = big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)};
    const int32_t extended = integer(&header, EXTENDED_BYTES);
    SINO_CHECK(extended >= 0, SINO_BAD_INPUT, "%s has an extended header of %" PRId32 " bytes; allowed: 0 or more",
               list->path, extended);
    SinoImageBlock block = {.column_count = integer(&header, 0),
                            .row_count = integer(&header, 4),
                            .image_count = integer(&header, 8),
                            .offset = HEADER + (int64_t)extended};
    SINO_TRY(take_type(list, &header, &block.type));
    const int64_t images = block.image_count;
    if (!list->wants_angles || images < 1 || images > SINO_IMAGES_MAX) return sino_image_list_add(list, &block);
    double *angle_deg;
    SINO_TRY(sino_allocate(images, sizeof *angle_deg, "angles", &angle_deg));
    for (int64_t i = 0; i < images; i++) angle_deg[i] = NAN;
    block.angle_deg = angle_deg;
    SinoStatus status = angles_beside(list, images, angle_deg);
    if (!status && !*list->angle_source && block.offset <= list->bytes)
        status = angles_in_header(list, &header, images, angle_deg);
    if (!status) status = sino_image_list_add(list, &block);
    free(angle_deg);
    return status;
}

static const char *const endings[] = {".mrc", ".mrcs", ".st", ".ali", NULL};

const SinoImageKind sino_mrc_images = {
    .name = "MRC images", .evidence = "header of MRC", .endings = endings, .probe = probe_mrc, .list = list_mrc};
