/* SPDX-License-Identifier: BSD-3-Clause */
/* Interfile: the lines become a list of keys, in which what is needed is looked up. */
#include "interfile.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "files.h"
#include "memory.h"

enum { HEADER_BYTES = 1 << 18, KEYS_MAX = 4096, BLOCK_BYTES = 2048, LENGTH_MAX = 1000000 /* mm */, ORBIT_MAX = 65536 };

/* A line "name [index] := value"; index 0: it has none. The texts lie in the header. */
typedef struct Key {
    const char *name, *value;
    int64_t index, line;
} Key;

typedef struct Keys {
    const char *path;
    char *text; /* the header; owned */
    Key *key;   /* owned */
    int64_t count;
} Keys;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '_';
}

/* Makes the text of a name comparable: in small letters, without ! before it, single blanks. Returns its beginning. */
static char *normalise(char *name)
{
    char *to;
    while (is_blank(*name) || *name == '!') name++;
    to = name;
    for (const char *from = name; *from; from++) {
        if (!is_blank(*from))
            *to++ = (char)tolower((unsigned char)*from);
        else if (to > name && to[-1] != ' ')
            *to++ = ' ';
    }
    while (to > name && to[-1] == ' ') to--;
    *to = '\0';
    return name;
}

/* Takes "[3]" off the end of a name; 0: there is none. */
static int64_t take_index(char *name)
{
    char *end, *bracket = strrchr(name, '[');
    if (!bracket || !isdigit((unsigned char)bracket[1])) return 0;
    errno = 0;
    const long long index = strtoll(bracket + 1, &end, 10);
    if (errno || strcmp(end, "]") != 0) return 0;
    while (bracket > name && bracket[-1] == ' ') bracket--;
    *bracket = '\0';
    return index;
}

static char *trim(char *text)
{
    while (is_blank(*text) && *text != '_') text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) length--;
    text[length] = '\0';
    return text;
}

/* Adds the key of a line; lines without := are passed over. False: the line ends the header. */
static bool add_line(Keys *keys, char *text, int64_t line)
{
    char *assign = strstr(text, ":=");
    if (text[strspn(text, " \t")] == ';' || !assign) return true;
    *assign = '\0';
    char *name = normalise(text);
    if (strcmp(name, "end of interfile") == 0) return false;
    Key *key = &keys->key[keys->count++];
    key->index = take_index(name);
    key->name = name;
    key->value = trim(assign + 2);
    key->line = line;
    return true;
}

static SinoStatus read_text(Keys *keys)
{
    int descriptor;
    int64_t bytes;
    SINO_TRY(sino_regular_open(keys->path, &descriptor, &bytes));
    SinoStatus status = NULL;
    if (bytes > HEADER_BYTES)
        status = sino_error(SINO_BAD_INPUT, "%s has %" PRId64 " bytes; allowed for an Interfile header: up to %d",
                            keys->path, bytes, (int)HEADER_BYTES);
    if (!status) status = sino_allocate(bytes + 1, 1, "a header", &keys->text);
    if (!status) status = sino_regular_read(keys->path, descriptor, 0, bytes, keys->text);
    close(descriptor);
    if (!status && memchr(keys->text, '\0', (size_t)bytes))
        status = sino_error(SINO_BAD_INPUT, "%s has bytes of 0; allowed for an Interfile header: text", keys->path);
    return status;
}

static SinoStatus read_keys(Keys *keys)
{
    SINO_TRY(read_text(keys));
    SINO_TRY(sino_allocate(KEYS_MAX, sizeof *keys->key, "keys", &keys->key));
    char *line = keys->text;
    for (int64_t number = 1; *line; number++) {
        const size_t length = strcspn(line, "\n");
        const bool last = line[length] == '\0';
        line[length] = '\0';
        SINO_CHECK(keys->count < KEYS_MAX, SINO_BAD_INPUT, "%s has more than %d keys; allowed: %d", keys->path,
                   KEYS_MAX, KEYS_MAX);
        if (!add_line(keys, line, number) || last) break;
        line += length + 1;
    }
    SINO_CHECK(keys->count > 0 && strcmp(keys->key[0].name, "interfile") == 0, SINO_BAD_INPUT,
               "%s does not begin with INTERFILE :=; allowed: an Interfile header", keys->path);
    return NULL;
}

static void free_keys(Keys *keys)
{
    free(keys->text);
    free(keys->key);
}

/* The last key of this name and index; index 1 is also a key without index. NULL: none, or it has no value. */
static const Key *find(const Keys *keys, const char *name, int64_t index)
{
    for (int64_t i = keys->count - 1; i >= 0; i--) {
        const Key *key = &keys->key[i];
        if (strcmp(key->name, name) == 0 && (key->index == index || (key->index == 0 && index == 1)) && *key->value)
            return key;
    }
    return NULL;
}

static SinoStatus refuse(const Keys *keys, const Key *key, const char *allowed)
{
    return sino_error(SINO_BAD_INPUT, "%s: line %" PRId64 ": '%.60s' is '%.60s'; allowed: %s", keys->path, key->line,
                      key->name, key->value, allowed);
}

static SinoStatus need(const Keys *keys, const char *name, int64_t index, const Key **key)
{
    *key = find(keys, name, index);
    SINO_CHECK(*key, SINO_BAD_INPUT, "%s has no '%s'%s%.0" PRId64 "%s; needed to find its values", keys->path, name,
               index > 1 ? " [" : "", index > 1 ? index : 0, index > 1 ? "]" : "");
    return NULL;
}

/* Whether nothing but blanks and a comment follows a number. */
static bool ends(const char *text)
{
    text += strspn(text, " \t\r");
    return *text == '\0' || *text == ';';
}

/* *value stays if there is no such key. */
static SinoStatus take_integer(const Keys *keys, const char *name, int64_t index, int64_t least, int64_t *value)
{
    const Key *key = find(keys, name, index);
    char *end;
    if (!key) return NULL;
    errno = 0;
    const long long found = strtoll(key->value, &end, 10);
    if (errno || end == key->value || !ends(end) || found < least)
        return refuse(keys, key, least > 0 ? "an integer of 1 or more" : "an integer of 0 or more");
    *value = found;
    return NULL;
}

static SinoStatus take_real(const Keys *keys, const Key *key, const char *text, char **end, double *value)
{
    *value = strtod(text, end);
    if (*end == text || !isfinite(*value)) return refuse(keys, key, "a number");
    return NULL;
}

/* What matrix size [d] says: one size, or "{a,b,c}", one for each segment. */
typedef struct Sides {
    int64_t count, first, sum;
} Sides;

static SinoStatus take_sides(const Keys *keys, const Key *key, Sides *sides)
{
    const char *at = key->value + strspn(key->value, " \t"), *const list = "1 or more, or a list of such as {1,2,3}";
    const bool listed = *at == '{';
    *sides = (Sides){0};
    for (at += listed;; at++) {
        char *end;
        errno = 0;
        const long long side = strtoll(at, &end, 10);
        if (errno || end == at || side < 1 || __builtin_add_overflow(sides->sum, side, &sides->sum))
            return refuse(keys, key, list);
        if (sides->count++ == 0) sides->first = side;
        at = end + strspn(end, " \t");
        if (!listed || *at != ',') break;
    }
    return (listed ? *at == '}' && ends(at + 1) : ends(at)) ? NULL : refuse(keys, key, list);
}

/* The dimension of segments, whose number is `count`; −1: there is none. */
static int find_segments(const Keys *keys, const SinoInterfile *header, int64_t count)
{
    for (int d = 0; d < header->rank; d++) {
        const Key *label = find(keys, "matrix axis label", d + 1);
        if (label && strcasecmp(label->value, "segment") == 0) return header->size[d] == count ? d : -1;
    }
    return header->size[header->rank - 1] == count ? header->rank - 1 : -1;
}

/* Reads the sizes; where dimension *listed has one for each segment, its size is their sum, and that of the segments
 * is 1. */
static SinoStatus take_sizes(const Keys *keys, SinoInterfile *header, bool *listed)
{
    Sides list = {0};
    const Key *key, *list_key = NULL;
    int lists = 0;
    for (int d = 0; d < header->rank; d++) {
        Sides sides;
        SINO_TRY(need(keys, "matrix size", d + 1, &key));
        SINO_TRY(take_sides(keys, key, &sides));
        header->size[d] = sides.sum;
        if (sides.count == 1) continue;
        list = sides;
        list_key = key;
        lists++;
    }
    *listed = lists > 0;
    if (!*listed) return NULL;
    const int segments = find_segments(keys, header, list.count);
    if (lists > 1 || segments < 0) return refuse(keys, list_key, "a list with one size for each segment");
    header->size[segments] = 1;
    return NULL;
}

/* Version 3.3 tells the number of images by keys of their own. */
static SinoStatus take_images(const Keys *keys, SinoInterfile *header)
{
    const Key *status = find(keys, "process status", 1);
    const bool made = status && strcasecmp(status->value, "reconstructed") == 0;
    int64_t images = 1;
    if (header->rank != 2) return NULL;
    SINO_TRY(take_integer(keys, "total number of images", 1, 1, &images));
    SINO_TRY(take_integer(keys, made ? "number of slices" : "number of projections", 1, 1, &images));
    header->size[header->rank++] = images;
    return NULL;
}

static SinoStatus take_shape(const Keys *keys, SinoInterfile *header)
{
    int64_t rank = 0;
    bool listed;
    while (rank < SINO_INTERFILE_RANK && find(keys, "matrix size", rank + 1)) rank++;
    SINO_TRY(take_integer(keys, "number of dimensions", 1, 1, &rank));
    SINO_CHECK(rank >= 1 && rank <= SINO_INTERFILE_RANK, SINO_BAD_INPUT,
               "%s has %" PRId64 " dimensions; allowed: 1 to %d", keys->path, rank, SINO_INTERFILE_RANK);
    header->rank = (int)rank;
    SINO_TRY(take_sizes(keys, header, &listed));
    if (!listed) SINO_TRY(take_images(keys, header));
    SINO_TRY(sino_product(header->rank, header->size, "values of an Interfile frame", &header->value_count));
    if (listed) header->rank = 0;
    return NULL;
}

/* What is not read: several of these share the data file in an order that the key does not tell. */
static SinoStatus check_alone(const Keys *keys)
{
    static const char *const names[] = {"number of energy windows", "number of detector heads", "number of gates",
                                        "number of time slots"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int64_t count = 1;
        SINO_TRY(take_integer(keys, names[i], 1, 0, &count));
        if (count > 1) return refuse(keys, find(keys, names[i], 1), "1");
    }
    static const char *const codes[] = {"data compression", "data encode"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        const Key *key = find(keys, codes[i], 1);
        if (key && strcasecmp(key->value, "none") != 0) return refuse(keys, key, "none");
    }
    return NULL;
}

static SinoStatus take_type(const Keys *keys, SinoInterfile *header)
{
    static const struct {
        const char *word;
        SinoNumberKind kind;
    } formats[] = {{"unsigned integer", SINO_NUMBER_UNSIGNED},
                   {"signed integer", SINO_NUMBER_SIGNED},
                   {"float", SINO_NUMBER_REAL},
                   {"short float", SINO_NUMBER_REAL},
                   {"long float", SINO_NUMBER_REAL}};
    const Key *format = find(keys, "number format", 1), *bytes_key;
    const char *word = format ? format->value : formats[0].word;
    size_t i = 0;
    int64_t bytes = 0;
    while (i < sizeof formats / sizeof *formats && strcasecmp(word, formats[i].word) != 0) i++;
    if (i == sizeof formats / sizeof *formats) return refuse(keys, format, "signed integer, unsigned integer or float");
    SINO_TRY(need(keys, "number of bytes per pixel", 1, &bytes_key));
    SINO_TRY(take_integer(keys, "number of bytes per pixel", 1, 1, &bytes));
    header->number = sino_number_find(formats[i].kind, bytes);
    return header->number ? NULL : refuse(keys, bytes_key, "1, 2, 4 or 8; of float 4 or 8");
}

/* Version 3.3 says that the order is big-endian unless the header says otherwise. */
static SinoStatus take_order(const Keys *keys, SinoInterfile *header)
{
    const Key *key = find(keys, "imagedata byte order", 1);
    const bool machine_is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    const bool little = key && strcasecmp(key->value, "littleendian") == 0;
    if (key && !little && strcasecmp(key->value, "bigendian") != 0)
        return refuse(keys, key, "LITTLEENDIAN or BIGENDIAN");
    header->swapped = little != machine_is_little;
    return NULL;
}

/* One factor of a frame, or the same for each segment. Some write "quantification units" instead. */
static SinoStatus take_scale(const Keys *keys, int64_t frame, double *scale)
{
    const Key *key = find(keys, "image scaling factor", frame), *units = find(keys, "quantification units", 1);
    char *end;
    double next;
    *scale = 1;
    if (key) {
        const char *at = key->value + strspn(key->value, "{ \t");
        SINO_TRY(take_real(keys, key, at, &end, scale));
        for (at = end + strspn(end, " \t"); *at == ','; at = end + strspn(end, " \t")) {
            SINO_TRY(take_real(keys, key, at + 1, &end, &next));
            if (next != *scale) return refuse(keys, key, "the same factor for all segments");
        }
        if (!ends(at + (*at == '}'))) return refuse(keys, key, "a number");
    }
    if (!units) return NULL;
    SINO_TRY(take_real(keys, units, units->value, &end, &next));
    if (!ends(end) || (*scale != 1 && next != 1 && next != *scale))
        return refuse(keys, units, "1, or the scaling factor");
    if (*scale == 1) *scale = next;
    return NULL;
}

/* Frames follow each other unless the header gives offsets. */
static SinoStatus take_frames(const Keys *keys, SinoInterfile *header)
{
    int64_t block = 0, frame_bytes, end;
    header->frame_count = 1;
    SINO_TRY(take_integer(keys, "number of time frames", 1, 1, &header->frame_count));
    if (header->frame_count > SINO_INTERFILE_FRAMES)
        return refuse(keys, find(keys, "number of time frames", 1), "1 to 1024");
    SINO_TRY(take_integer(keys, "data starting block", 1, 0, &block));
    SINO_TRY(sino_multiply(block, BLOCK_BYTES, "bytes before the values of an Interfile", &header->frame[0].offset));
    SINO_TRY(sino_multiply(header->value_count, header->number->bytes, "bytes of an Interfile frame", &frame_bytes));
    for (int64_t i = 0; i < header->frame_count; i++) {
        SinoInterfileFrame *frame = &header->frame[i];
        if (i > 0) frame->offset = frame[-1].offset + frame_bytes;
        SINO_TRY(take_integer(keys, "data offset in bytes", i + 1, 0, &frame->offset));
        SINO_CHECK(!__builtin_add_overflow(frame->offset, frame_bytes, &end), SINO_BAD_INPUT,
                   "%s: frame %" PRId64 " ends beyond 63 bits", keys->path, i + 1);
        SINO_TRY(take_scale(keys, i + 1, &frame->scale));
    }
    return NULL;
}

/* Whether a name leads to a file beside the header or in a folder below. */
static bool stays_below(const char *name)
{
    if (*name == '/') return false;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) return false;
    }
    return true;
}

static SinoStatus take_data_path(const Keys *keys, SinoInterfile *header)
{
    const Key *key;
    SINO_TRY(need(keys, "name of data file", 1, &key));
    if (!stays_below(key->value)) return refuse(keys, key, "a file beside the header, or in a folder below");
    const char *slash = strrchr(keys->path, '/');
    const int folder = slash ? (int)(slash + 1 - keys->path) : 0;
    if (asprintf(&header->data_path, "%.*s%s", folder, keys->path, key->value) < 0) header->data_path = NULL;
    SINO_CHECK(header->data_path, SINO_FAILED, "no memory for a file name");
    return NULL;
}

static SinoStatus take_voxel(const Keys *keys, SinoInterfile *header)
{
    char *end;
    for (int d = 0; d < 3; d++) {
        const Key *key = find(keys, "scaling factor (mm/pixel)", d + 1);
        if (!key || (d > 0 && key->index != d + 1)) continue;
        SINO_TRY(take_real(keys, key, key->value, &end, &header->voxel_mm[d]));
    }
    return NULL;
}

static SinoStatus take_all(const Keys *keys, SinoInterfile *header)
{
    SINO_TRY(check_alone(keys));
    SINO_TRY(take_shape(keys, header));
    SINO_TRY(take_type(keys, header));
    SINO_TRY(take_order(keys, header));
    SINO_TRY(take_frames(keys, header));
    SINO_TRY(take_voxel(keys, header));
    return take_data_path(keys, header);
}

bool sino_interfile_probe(const char *bytes, int64_t count)
{
    static const char first[] = "INTERFILE";
    const char *at = bytes, *end = bytes + count;
    while (at < end && (isspace((unsigned char)*at) || *at == '!')) at++;
    if (end - at < (int64_t)sizeof first || strncasecmp(at, first, sizeof first - 1) != 0) return false;
    at += sizeof first - 1;
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    return end - at >= 2 && at[0] == ':' && at[1] == '=';
}

SinoStatus sino_interfile_read(const char *path, SinoInterfile *header)
{
    Keys keys = {.path = path};
    *header = (SinoInterfile){.data_path = NULL};
    SinoStatus status = read_keys(&keys);
    if (!status) status = take_all(&keys, header);
    free_keys(&keys);
    return status;
}

/* ---- an orbit ---- */

/* A number of which `fits` holds. */
static SinoStatus need_real(const Keys *keys, const char *name, int64_t index, bool (*fits)(double),
                            const char *allowed, double *value)
{
    const Key *key;
    char *end;
    SINO_TRY(need(keys, name, index, &key));
    SINO_TRY(take_real(keys, key, key->value, &end, value));
    return ends(end) && fits(*value) ? NULL : refuse(keys, key, allowed);
}

static bool is_length(double mm)
{
    return mm > 0 && mm <= LENGTH_MAX;
}

static SinoStatus need_length(const Keys *keys, const char *name, int64_t index, double *mm)
{
    return need_real(keys, name, index, is_length, "a length above 0 mm, up to 1e6", mm);
}

static bool is_turn(double degrees)
{
    return fabs(degrees) <= 360;
}

static bool is_extent(double degrees)
{
    return degrees != 0 && is_turn(degrees);
}

/* Keys of other scans than of one detector that goes around the middle of its images. */
static SinoStatus check_orbit(const Keys *keys, const SinoInterfileOrbit *orbit)
{
    const Key *shape = find(keys, "orbit", 1), *heads = find(keys, "number of detector heads", 1);
    const Key *offset = find(keys, "x offset", 1);
    const Key *first = find(keys, "first projection angle in data set", 1);
    char *end;
    double value;
    if (shape && !find(keys, "radii", 1) && strncasecmp(shape->value, "circular", strlen("circular")) != 0)
        return refuse(keys, shape, "circular, or the Radii of all projections");
    if (heads && strtol(heads->value, NULL, 10) != 1) return refuse(keys, heads, "1");
    if (offset) SINO_TRY(take_real(keys, offset, offset->value, &end, &value));
    if (offset && value != 0) return refuse(keys, offset, "0, an axis in the middle of the bins");
    if (first) SINO_TRY(take_real(keys, first, first->value, &end, &value));
    if (first && value != orbit->start_degrees) return refuse(keys, first, "the start angle");
    for (int64_t i = 0; i < orbit->view_count; i++)
        SINO_CHECK(orbit->radius_mm[i] >= (double)orbit->bin_count * orbit->bin_mm / 20, SINO_BAD_INPUT,
                   "%s has a radius of %g mm, of bins that span %g mm; allowed: at least a twentieth of it, in mm",
                   keys->path, orbit->radius_mm[i], (double)orbit->bin_count * orbit->bin_mm);
    return NULL;
}

/* One radius for all views, or "{a,b,c}", one for each. */
static SinoStatus take_radii(const Keys *keys, SinoInterfileOrbit *orbit)
{
    const Key *key = find(keys, "radii", 1);
    double all = 0;
    SINO_TRY(sino_allocate(orbit->view_count, sizeof *orbit->radius_mm, "radii", &orbit->radius_mm));
    if (!key) SINO_TRY(need_length(keys, "radius", 1, &all));
    for (int64_t i = 0; i < orbit->view_count; i++) orbit->radius_mm[i] = all;
    if (!key) return NULL;
    const char *at = key->value, *const list = "a list such as {150,151}, a length above 0 mm for each projection";
    char *end;
    for (int64_t i = 0; i < orbit->view_count; i++, at = end) {
        at += strspn(at, " \t");
        if (*at != (i == 0 ? '{' : ',')) return refuse(keys, key, list);
        SINO_TRY(take_real(keys, key, at + 1, &end, &orbit->radius_mm[i]));
        if (!is_length(orbit->radius_mm[i])) return refuse(keys, key, list);
        end += strspn(end, " \t");
    }
    return *at == '}' && ends(at + 1) ? NULL : refuse(keys, key, list);
}

static SinoStatus take_orbit(const Keys *keys, SinoInterfileOrbit *orbit)
{
    const Key *direction = find(keys, "direction of rotation", 1);
    SinoInterfile header = {.data_path = NULL};
    SINO_TRY(take_shape(keys, &header));
    SINO_CHECK(
        find(keys, "extent of rotation", 1) && header.rank == 3, SINO_BAD_INPUT,
        "%s has no 'extent of rotation' of projections of two dimensions; allowed as a system matrix: the header "
        "of a SPECT scan",
        keys->path);
    for (int d = 0; d < header.rank; d++)
        SINO_CHECK(header.size[d] <= ORBIT_MAX, SINO_BAD_INPUT,
                   "%s has %" PRId64 " x %" PRId64 " bins in %" PRId64 " projections; allowed: up to %d of each",
                   keys->path, header.size[0], header.size[1], header.size[2], ORBIT_MAX);
    orbit->bin_count = header.size[0];
    orbit->row_count = header.size[1];
    orbit->view_count = header.size[2];
    SINO_TRY(
        need_real(keys, "extent of rotation", 1, is_extent, "degrees from -360 to 360, not 0", &orbit->extent_degrees));
    SINO_TRY(need_real(keys, "start angle", 1, is_turn, "degrees from -360 to 360", &orbit->start_degrees));
    orbit->counter_clockwise = direction && strcasecmp(direction->value, "ccw") == 0;
    if (direction && !orbit->counter_clockwise && strcasecmp(direction->value, "cw") != 0)
        return refuse(keys, direction, "CW or CCW");
    SINO_TRY(need_length(keys, "scaling factor (mm/pixel)", 1, &orbit->bin_mm));
    SINO_TRY(need_length(keys, "scaling factor (mm/pixel)", 2, &orbit->row_mm));
    SINO_TRY(take_radii(keys, orbit));
    return check_orbit(keys, orbit);
}

SinoStatus sino_interfile_read_orbit(const char *path, SinoInterfileOrbit *orbit)
{
    Keys keys = {.path = path};
    *orbit = (SinoInterfileOrbit){.radius_mm = NULL};
    SinoStatus status = read_keys(&keys);
    if (!status) status = take_orbit(&keys, orbit);
    free_keys(&keys);
    return status;
}

/* ---- projections ---- */

static SinoStatus take_spect(const Keys *keys, SinoInterfileViews *views)
{
    SinoInterfileOrbit orbit = {.radius_mm = NULL};
    SinoStatus status = take_orbit(keys, &orbit);
    free(orbit.radius_mm);
    const double sense = orbit.counter_clockwise ? 1 : -1;
    if (status) return status;
    *views = (SinoInterfileViews){.view_count = orbit.view_count,
                                  .row_count = orbit.row_count,
                                  .bin_count = orbit.bin_count,
                                  .view_step = sino_times(orbit.row_count, orbit.bin_count),
                                  .row_step = orbit.bin_count,
                                  .first_degrees = sense * orbit.start_degrees,
                                  .step_degrees = sense * orbit.extent_degrees / (double)orbit.view_count,
                                  .bin_mm = orbit.bin_mm};
    return NULL;
}

/* The dimension with this label; −1: there is none. */
static int labelled(const Keys *keys, const SinoInterfile *header, const char *name)
{
    for (int d = 0; d < header->rank; d++) {
        const Key *label = find(keys, "matrix axis label", d + 1);
        if (label && strcasecmp(label->value, name) == 0) return d;
    }
    return -1;
}

/* STIR's views turn clockwise in images, from 0 to 180 degrees. */
static SinoStatus take_pet(const Keys *keys, const SinoInterfile *header, SinoInterfileViews *views)
{
    const int view = labelled(keys, header, "view"), row = labelled(keys, header, "axial coordinate");
    const Key *corrections = find(keys, "applied corrections", 1), *offset = find(keys, "view offset (degrees)", 1);
    const Key *bin = find(keys, "effective central bin size (cm)", 1);
    double offset_degrees = 0, bin_cm = 0;
    char *end;
    SINO_CHECK(
        view > 0 && row > 0 && view + row == 3 &&
            (header->rank == 3 || header->value_count == header->size[0] * header->size[1] * header->size[2]),
        SINO_BAD_INPUT,
        "%s has no projections of one frame and one segment with the axes 'view' and 'axial coordinate'; allowed: "
        "those, a SPECT scan, or counts with --system-matrix",
        keys->path);
    if (offset) SINO_TRY(take_real(keys, offset, offset->value, &end, &offset_degrees));
    if (bin) SINO_TRY(take_real(keys, bin, bin->value, &end, &bin_cm));
    *views = (SinoInterfileViews){.view_count = header->size[view],
                                  .row_count = header->size[row],
                                  .bin_count = header->size[0],
                                  .view_step = view == 1 ? header->size[0] : header->size[0] * header->size[1],
                                  .row_step = row == 1 ? header->size[0] : header->size[0] * header->size[1],
                                  .first_degrees = -offset_degrees,
                                  .step_degrees = -180.0 / (double)header->size[view],
                                  .bin_mm = 10 * bin_cm,
                                  .uneven = !corrections || !strcasestr(corrections->value, "arc corr")};
    return NULL;
}

SinoStatus sino_interfile_read_views(const char *path, SinoInterfile *header, SinoInterfileViews *views)
{
    Keys keys = {.path = path};
    *header = (SinoInterfile){.data_path = NULL};
    SinoStatus status = read_keys(&keys);
    if (!status) status = take_all(&keys, header);
    if (!status && header->frame_count > 1) status = refuse(&keys, find(&keys, "number of time frames", 1), "1");
    if (!status)
        status = find(&keys, "extent of rotation", 1) ? take_spect(&keys, views) : take_pet(&keys, header, views);
    free_keys(&keys);
    return status;
}
