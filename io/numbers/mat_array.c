/* SPDX-License-Identifier: BSD-3-Clause */
/* MAT array: the parts of an array are its flags, sizes and name, then its values, each behind a tag. */
#include "mat_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { LIST_BYTES = 400, SPARSE = 5, FIRST_NUMBERS = 6, LAST_NUMBERS = 15, COMPLEX = 0x800 };

static const char *const class_names[] = {"of an unknown class",
                                          "cell array",
                                          "structure",
                                          "object",
                                          "text",
                                          "sparse",
                                          "double",
                                          "single",
                                          "int8",
                                          "uint8",
                                          "int16",
                                          "uint16",
                                          "int32",
                                          "uint32",
                                          "int64",
                                          "uint64",
                                          "function"};

static uint32_t word_at(const SinoMatStream *stream, const unsigned char *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return stream->swapped ? __builtin_bswap32(word) : word;
}

static SinoStatus damaged(const SinoMatStream *stream, const char *what)
{
    return sino_error(SINO_BAD_INPUT, "%s is damaged: the variable before byte %" PRId64 " has %s", stream->path,
                      stream->next, what);
}

static SinoStatus take_flags(SinoMatStream *stream, SinoMatVariable *variable)
{
    SinoMatTag tag;
    unsigned char bytes[8];
    SINO_TRY(sino_mat_stream_tag(stream, &tag));
    if (tag.type != SINO_MAT_UINT32 || tag.bytes != 8) return damaged(stream, "no flags");
    SINO_TRY(sino_mat_stream_body(stream, &tag, 8, bytes));
    const uint32_t flags = word_at(stream, bytes), class = flags & 0xff;
    variable->complex = flags & COMPLEX;
    variable->class_name = class < sizeof class_names / sizeof *class_names ? class_names[class] : *class_names;
    variable->class = class == SPARSE                                   ? SINO_MAT_SPARSE_ARRAY
                      : class >= FIRST_NUMBERS && class <= LAST_NUMBERS ? SINO_MAT_NUMBERS
                                                                        : SINO_MAT_OTHER;
    return NULL;
}

/* Arrays of more dimensions than are read are of another class. */
static SinoStatus take_sizes(SinoMatStream *stream, SinoMatVariable *variable)
{
    SinoMatTag tag;
    unsigned char bytes[4 * SINO_NPY_RANK];
    SINO_TRY(sino_mat_stream_tag(stream, &tag));
    if (tag.type != SINO_MAT_INT32 || tag.bytes < 8 || tag.bytes % 4 != 0) return damaged(stream, "no sizes");
    SINO_TRY(sino_mat_stream_body(stream, &tag, (int64_t)sizeof bytes, bytes));
    if (tag.bytes > (int64_t)sizeof bytes) variable->class = SINO_MAT_OTHER;
    variable->rank = (int)sino_smaller(tag.bytes / 4, SINO_NPY_RANK);
    for (int d = 0; d < variable->rank; d++) {
        variable->size[d] = (int32_t)word_at(stream, bytes + 4 * (size_t)d);
        if (variable->size[d] < 0) return damaged(stream, "a size below 0");
    }
    return NULL;
}

static SinoStatus take_name(SinoMatStream *stream, SinoMatVariable *variable)
{
    SinoMatTag tag;
    char name[SINO_MAT_NAME] = "";
    SINO_TRY(sino_mat_stream_tag(stream, &tag));
    if (tag.type != SINO_MAT_INT8 && tag.type != SINO_MAT_UINT8 && tag.type != SINO_MAT_UTF8)
        return damaged(stream, "no name");
    SINO_TRY(sino_mat_stream_body(stream, &tag, SINO_MAT_NAME - 1, name));
    if (tag.bytes < SINO_MAT_NAME) memcpy(variable->name, name, sizeof name);
    return NULL;
}

SinoStatus sino_mat_array_head(SinoMatStream *stream, SinoMatVariable *variable)
{
    *variable = (SinoMatVariable){.class = SINO_MAT_OTHER};
    SINO_TRY(take_flags(stream, variable));
    SINO_TRY(take_sizes(stream, variable));
    return take_name(stream, variable);
}

static bool set_type(const SinoMatStream *stream, const SinoMatTag *tag, SinoNpy *type)
{
    static const struct {
        SinoMatType type;
        SinoNpyKind kind;
        int64_t bytes;
    } types[] = {{SINO_MAT_INT8, SINO_NPY_INT, 1},     {SINO_MAT_UINT8, SINO_NPY_UINT, 1},
                 {SINO_MAT_INT16, SINO_NPY_INT, 2},    {SINO_MAT_UINT16, SINO_NPY_UINT, 2},
                 {SINO_MAT_INT32, SINO_NPY_INT, 4},    {SINO_MAT_UINT32, SINO_NPY_UINT, 4},
                 {SINO_MAT_SINGLE, SINO_NPY_FLOAT, 4}, {SINO_MAT_DOUBLE, SINO_NPY_FLOAT, 8},
                 {SINO_MAT_INT64, SINO_NPY_INT, 8},    {SINO_MAT_UINT64, SINO_NPY_UINT, 8}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].type != (SinoMatType)tag->type) continue;
        *type = (SinoNpy){.kind = types[i].kind, .item_bytes = types[i].bytes, .swapped = stream->swapped, .rank = 1};
        return true;
    }
    return false;
}

/* Notes what a part holds, and where. */
static SinoStatus take_part(SinoMatStream *stream, SinoNpy *part, SinoMatTag *tag)
{
    SINO_TRY(sino_mat_stream_tag(stream, tag));
    if (!set_type(stream, tag, part)) return damaged(stream, "values of no known type");
    part->count = part->size[0] = tag->bytes / part->item_bytes;
    part->header_bytes = sino_mat_stream_place(stream, tag);
    return NULL;
}

/* Integers that are stored must be among those of the class, so that no value changes. */
static bool fits_class(const SinoMatVariable *variable)
{
    static const char *const of[] = {"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", NULL};
    int i = 0;
    while (of[i] && strcmp(of[i], variable->class_name) != 0) i++;
    if (!of[i]) return true; /* double or single */
    const bool sign = i % 2 == 0;
    const int64_t class_bytes = (int64_t)1 << i / 2, bytes = variable->values.item_bytes;
    if (variable->values.kind == SINO_NPY_UINT) return sign ? bytes < class_bytes : bytes <= class_bytes;
    return variable->values.kind == SINO_NPY_INT && sign && bytes <= class_bytes;
}

static SinoStatus take_numbers(SinoMatStream *stream, SinoMatVariable *variable)
{
    SinoMatTag tag;
    int64_t count;
    SINO_TRY(sino_product(variable->rank, variable->size, "values of a MATLAB file", &count));
    SINO_TRY(take_part(stream, &variable->values, &tag));
    if (tag.bytes != sino_times(count, variable->values.item_bytes))
        return damaged(stream, "another number of values than its sizes say");
    return fits_class(variable) ? NULL : damaged(stream, "values that its class does not have");
}

static SinoStatus take_sparse(SinoMatStream *stream, SinoMatVariable *variable)
{
    SinoNpy *const parts[] = {&variable->rows, &variable->ends, &variable->values};
    SinoMatTag tag;
    char none[1];
    for (int i = 0; i < 3; i++) {
        SINO_TRY(take_part(stream, parts[i], &tag));
        if (i < 2 && !sino_npy_is_integer(parts[i])) return damaged(stream, "indices that are no integers");
        if (i < 2) SINO_TRY(sino_mat_stream_body(stream, &tag, 0, none));
    }
    if (variable->rank != 2 || variable->ends.count != variable->size[1] + 1)
        return damaged(stream, "another number of columns than its sizes say");
    return NULL;
}

SinoStatus sino_mat_array_values(SinoMatStream *stream, SinoMatVariable *variable)
{
    if (variable->complex || variable->class == SINO_MAT_OTHER) return NULL;
    return variable->class == SINO_MAT_NUMBERS ? take_numbers(stream, variable) : take_sparse(stream, variable);
}

/* ---- fields of structures ---- */

enum { FIELD_BYTES = 1 << 16 /* of all names of a structure, at most */ };

/* Names of the fields, each in `width` bytes. */
typedef struct FieldNames {
    int64_t width, count;
    char *text; /* owned */
} FieldNames;

static SinoStatus take_field_names(SinoMatStream *stream, FieldNames *names)
{
    SinoMatTag tag;
    unsigned char width[4];
    SINO_TRY(sino_mat_stream_tag(stream, &tag));
    if (tag.type != SINO_MAT_INT32 || tag.bytes != 4) return damaged(stream, "no width of the names of its fields");
    SINO_TRY(sino_mat_stream_body(stream, &tag, 4, width));
    names->width = (int32_t)word_at(stream, width);
    SINO_TRY(sino_mat_stream_tag(stream, &tag));
    if (names->width < 1 || tag.type != SINO_MAT_INT8 || tag.bytes > FIELD_BYTES || tag.bytes % names->width != 0)
        return damaged(stream, "no names of its fields");
    names->count = tag.bytes / names->width;
    SINO_TRY(sino_allocate(tag.bytes + 1, 1, "names of fields", &names->text));
    return sino_mat_stream_body(stream, &tag, tag.bytes, names->text);
}

/* Whether field i has this name of `length` characters. */
static bool is_field(const FieldNames *names, int64_t i, const char *name, size_t length)
{
    const char *text = names->text + i * names->width;
    return strnlen(text, (size_t)names->width) == length && memcmp(text, name, length) == 0;
}

static SinoStatus refuse_field(const SinoMatStream *stream, const SinoMatVariable *variable, const FieldNames *names,
                               const char *field)
{
    char list[LIST_BYTES] = "nothing";
    size_t length = 0;
    for (int64_t i = 0; i < names->count && length < sizeof list; i++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%.*s", i ? ", " : "",
                                   (int)sino_smaller(names->width, SINO_MAT_NAME), names->text + i * names->width);
    return sino_error(SINO_BAD_INPUT, "%s: %s has no field %s; it has: %s", stream->path, variable->name, field, list);
}

/* Moves to the field number `wanted`, behind the tags of all before it, and reads what is before its values. */
static SinoStatus open_field(SinoMatStream *stream, int64_t wanted, SinoMatVariable *variable)
{
    SinoMatTag tag = {0};
    for (int64_t i = 0; i <= wanted; i++) {
        SINO_TRY(sino_mat_stream_tag(stream, &tag));
        if (tag.type != SINO_MAT_MATRIX || tag.small) return damaged(stream, "a field that is no array");
        if (i < wanted) SINO_TRY(sino_mat_stream_skip(stream, tag.bytes));
    }
    stream->end = stream->at + tag.bytes;
    return sino_mat_array_head(stream, variable);
}

SinoStatus sino_mat_array_field(SinoMatStream *stream, const char *field, SinoMatVariable *variable)
{
    const size_t length = strcspn(field, "/");
    FieldNames names = {.count = 0};
    int64_t elements, i = 0;
    SINO_TRY(sino_product(variable->rank, variable->size, "structures", &elements));
    SINO_CHECK(strcmp(variable->class_name, "structure") == 0 && elements == 1, SINO_BAD_INPUT,
               "%s: %s is no structure of 1 x 1, which could have a field %s", stream->path, variable->name, field);
    SinoStatus status = take_field_names(stream, &names);
    while (!status && i < names.count && !is_field(&names, i, field, length)) i++;
    if (!status && i == names.count) status = refuse_field(stream, variable, &names, field);
    free(names.text);
    if (status) return status;
    SINO_TRY(open_field(stream, i, variable));
    snprintf(variable->name, sizeof variable->name, "%.*s", (int)sino_smaller((int64_t)length, SINO_MAT_NAME - 1),
             field);
    return NULL;
}
