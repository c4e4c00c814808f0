/* SPDX-License-Identifier: BSD-3-Clause */
/* Stream header: takes sizes that a scan may have. */
#include "stream_header.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "arithmetic.h"
#include "scan_limits.h"

enum { TEXT_MAX = 1 << 16 /* bytes of a header */ };

typedef struct Word {
    const char *name;
    SinoStreamKind kind;
    SinoScanField field;
} Word;

static const Word words[] = {{"header", SINO_STREAM_SERIES, SINO_FIELD_DATA},
                             {"image", SINO_STREAM_FRAME, SINO_FIELD_DATA},
                             {"flat", SINO_STREAM_FRAME, SINO_FIELD_FLATS},
                             {"dark", SINO_STREAM_FRAME, SINO_FIELD_DARKS},
                             {"series_end", SINO_STREAM_END, SINO_FIELD_DATA}};

typedef struct Type {
    const char *name;
    SinoNpyKind kind;
    int bytes;
} Type;

static const Type types[] = {{"uint8", SINO_NPY_UINT, 1},   {"uint16", SINO_NPY_UINT, 2},
                             {"uint32", SINO_NPY_UINT, 4},  {"int16", SINO_NPY_INT, 2},
                             {"int32", SINO_NPY_INT, 4},    {"float32", SINO_NPY_FLOAT, 4},
                             {"float64", SINO_NPY_FLOAT, 8}};

bool sino_stream_type(const char *name, SinoNpy *values)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(name, types[i].name) != 0) continue;
        values->kind = types[i].kind;
        values->item_bytes = types[i].bytes;
        values->swapped = __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__;
        snprintf(values->stored_type, sizeof values->stored_type, "%s", name);
        return true;
    }
    return false;
}

/* An integer of 0 … most; an absent one is `usual`, unless that is negative. */
static SinoStatus read_number(const json_t *value, const char *name, int64_t usual, int64_t most, int64_t *number)
{
    const bool absent = !value && usual >= 0;
    const int64_t found = absent ? usual : json_is_integer(value) ? (int64_t)json_integer_value(value) : -1;
    SINO_CHECK(found >= 0 && found <= most, SINO_BAD_INPUT, "its %s is no integer of 0 to %" PRId64, name, most);
    *number = found;
    return NULL;
}

static SinoStatus read_values(const json_t *root, int rank, SinoNpy *values)
{
    const json_t *shape = json_object_get(root, "shape");
    const char *type = json_string_value(json_object_get(root, "type"));
    const char *packed = json_string_value(json_object_get(root, "compression"));
    SINO_CHECK(type && sino_stream_type(type, values), SINO_BAD_INPUT,
               "its type is none of uint8, uint16, uint32, int16, int32, float32, float64");
    SINO_CHECK(!packed || strcmp(packed, "none") == 0, SINO_BAD_INPUT, "its values are compressed");
    SINO_CHECK(json_is_array(shape) && json_array_size(shape) == (size_t)rank, SINO_BAD_INPUT,
               "its shape is no list of %d numbers", rank);
    values->rank = rank;
    values->count = 1;
    for (int d = 0; d < rank; d++) {
        const int64_t most = rank == 3 && d == 0 ? SINO_IMAGES_MAX : SINO_SIDE_MAX;
        SINO_TRY(read_number(json_array_get(shape, (size_t)d), "shape", -1, most, &values->size[d]));
        SINO_CHECK(values->size[d] > 0, SINO_BAD_INPUT, "its shape has a 0");
        values->count = sino_times(values->count, values->size[d]);
    }
    return NULL;
}

static SinoStatus read_series(const json_t *root, SinoStreamHeader *header)
{
    SINO_TRY(read_values(root, 3, &header->values));
    header->fields[SINO_FIELD_DATA] = header->values.size[0];
    SINO_TRY(
        read_number(json_object_get(root, "flats"), "flats", 0, SINO_IMAGES_MAX, &header->fields[SINO_FIELD_FLATS]));
    return read_number(json_object_get(root, "darks"), "darks", 0, SINO_IMAGES_MAX, &header->fields[SINO_FIELD_DARKS]);
}

static SinoStatus read_root(const json_t *root, SinoStreamHeader *header)
{
    const char *name = json_string_value(json_object_get(root, "htype"));
    const Word *word = NULL;
    for (size_t i = 0; name && i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i].name) == 0) word = &words[i];
    SINO_CHECK(word, SINO_BAD_INPUT, "its htype is none of header, flat, dark, image, series_end");
    *header = (SinoStreamHeader){.kind = word->kind, .field = word->field};
    if (word->kind == SINO_STREAM_END) return NULL;
    if (word->kind == SINO_STREAM_SERIES) return read_series(root, header);
    SINO_TRY(read_number(json_object_get(root, "frame"), "frame", -1, SINO_IMAGES_MAX, &header->frame));
    return read_values(root, 2, &header->values);
}

SinoStatus sino_stream_header_parse(const void *text, int64_t bytes, SinoStreamHeader *header)
{
    json_error_t error;
    SINO_CHECK(bytes <= TEXT_MAX, SINO_BAD_INPUT, "its header has %" PRId64 " bytes; allowed: %d", bytes,
               (int)TEXT_MAX);
    json_t *root = json_loadb(text, (size_t)bytes, JSON_REJECT_DUPLICATES, &error);
    SINO_CHECK(root, SINO_BAD_INPUT, "its header is no JSON at byte %d", error.position);
    SinoStatus status = read_root(root, header);
    json_decref(root);
    return status;
}
