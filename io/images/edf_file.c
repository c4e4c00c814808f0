/* SPDX-License-Identifier: BSD-3-Clause */
/* EDF file: parses headers. */
#include "edf_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "scan_limits.h"

enum { WORD = 64 };

/* A header: from behind the brace that opens it to the one that closes it. */
typedef struct Header {
    const char *name, *text;
    int64_t length;
} Header;

/* Copies the text from … to without white space around it; false: it is too long. */
static bool trim(const char *from, const char *to, char word[WORD])
{
    while (from < to && isspace((unsigned char)*from)) from++;
    while (to > from && isspace((unsigned char)to[-1])) to--;
    if (to - from >= WORD) return false;
    memcpy(word, from, (size_t)(to - from));
    word[to - from] = '\0';
    return true;
}

/* The value of a key, whose letters may be large or small. False: there is no such key. */
static bool value_of(const Header *header, const char *key, char value[WORD])
{
    const char *end = header->text + header->length;
    for (const char *at = header->text; at < end;) {
        const char *stop = memchr(at, ';', (size_t)(end - at));
        if (!stop) stop = end;
        const char *equals = memchr(at, '=', (size_t)(stop - at));
        char word[WORD];
        if (equals && trim(at, equals, word) && strcasecmp(word, key) == 0) return trim(equals + 1, stop, value);
        at = stop + 1;
    }
    return false;
}

bool sino_edf_probe(const char *text, int64_t bytes)
{
    static const char *const keys[] = {"HeaderID", "EDF_DataBlockID", "ByteOrder", "Dim_1", "DataType", NULL};
    int64_t i = 0;
    while (i < bytes && isspace((unsigned char)text[i])) i++;
    if (i == bytes || text[i] != '{') return false;
    for (int k = 0; keys[k]; k++)
        if (memmem(text + i, (size_t)(bytes - i), keys[k], strlen(keys[k]))) return true;
    return false;
}

/* Finds the header's end: a brace and the end of its line. */
static SinoStatus find_header(const char *name, const char *text, int64_t bytes, Header *header, int64_t *header_bytes)
{
    int64_t first = 0;
    while (first < bytes && isspace((unsigned char)text[first])) first++;
    SINO_CHECK(first < bytes && text[first] == '{', SINO_BAD_INPUT, "%s has no EDF header where one should begin",
               name);
    for (int64_t i = first + 1; i < bytes; i++) {
        if (text[i] != '}') continue;
        const int64_t after = i + 1 < bytes && text[i + 1] == '\r' ? i + 2 : i + 1;
        if (after >= bytes || text[after] != '\n') continue;
        *header = (Header){.name = name, .text = text + first + 1, .length = i - first - 1};
        *header_bytes = after + 1;
        return NULL;
    }
    return sino_error(SINO_BAD_INPUT, "%s has an EDF header without end; allowed: one of up to %d bytes", name,
                      SINO_EDF_HEADER_BYTES);
}

static SinoStatus take_size(const Header *header, const char *key, int64_t *size)
{
    char value[WORD], *end = value;
    SINO_CHECK(value_of(header, key, value), SINO_BAD_INPUT, "%s: its EDF header has no %s", header->name, key);
    errno = 0;
    const long long number = isdigit((unsigned char)*value) ? strtoll(value, &end, 10) : 0;
    SINO_CHECK(!errno && end != value && !*end && number >= 1 && number <= SINO_SIDE_MAX, SINO_BAD_INPUT,
               "%s: %s is '%s'; allowed: 1 to %d", header->name, key, value, (int)SINO_SIDE_MAX);
    *size = number;
    return NULL;
}

static SinoStatus take_type(const Header *header, SinoNpy *type)
{
    static const struct {
        const char *word, *stored_type;
        SinoNpyKind kind;
        int64_t bytes;
    } types[] = {
        {"UnsignedByte", "uint8", SINO_NPY_UINT, 1},     {"SignedByte", "int8", SINO_NPY_INT, 1},
        {"UnsignedShort", "uint16", SINO_NPY_UINT, 2},   {"SignedShort", "int16", SINO_NPY_INT, 2},
        {"UnsignedInteger", "uint32", SINO_NPY_UINT, 4}, {"UnsignedLong", "uint32", SINO_NPY_UINT, 4},
        {"SignedInteger", "int32", SINO_NPY_INT, 4},     {"SignedLong", "int32", SINO_NPY_INT, 4},
        {"Unsigned64", "uint64", SINO_NPY_UINT, 8},      {"Signed64", "int64", SINO_NPY_INT, 8},
        {"FloatValue", "float32", SINO_NPY_FLOAT, 4},    {"Float", "float32", SINO_NPY_FLOAT, 4},
        {"FLOATVALUE", "float32", SINO_NPY_FLOAT, 4},    {"Real", "float32", SINO_NPY_FLOAT, 4},
        {"DoubleValue", "float64", SINO_NPY_FLOAT, 8},   {"Double", "float64", SINO_NPY_FLOAT, 8},
    };
    char value[WORD];
    SINO_CHECK(value_of(header, "DataType", value), SINO_BAD_INPUT, "%s: its EDF header has no DataType", header->name);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcasecmp(value, types[i].word) != 0) continue;
        type->kind = types[i].kind;
        type->item_bytes = types[i].bytes;
        snprintf(type->stored_type, sizeof type->stored_type, "%s", types[i].stored_type);
        return NULL;
    }
    return sino_error(SINO_BAD_INPUT,
                      "%s: DataType is '%s'; allowed: Unsigned and Signed Byte, Short, Integer, Long and 64, "
                      "FloatValue, DoubleValue",
                      header->name, value);
}

static SinoStatus take_order(const Header *header, SinoNpy *type)
{
    char value[WORD];
    if (!value_of(header, "ByteOrder", value)) snprintf(value, sizeof value, "LowByteFirst"); /* as fabio takes it */
    const bool low = strcasecmp(value, "LowByteFirst") == 0, high = strcasecmp(value, "HighByteFirst") == 0;
    SINO_CHECK(low || high, SINO_BAD_INPUT, "%s: ByteOrder is '%s'; allowed: LowByteFirst or HighByteFirst",
               header->name, value);
    type->swapped = low != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    return NULL;
}

static SinoStatus check_plain(const Header *header)
{
    char value[WORD] = "";
    SINO_CHECK(!value_of(header, "Compression", value) || !*value || strcasecmp(value, "None") == 0 ||
                   strcasecmp(value, "NoSpecificValue") == 0,
               SINO_BAD_INPUT, "%s: Compression is '%s'; allowed: None", header->name, value);
    SINO_CHECK(!value_of(header, "Dim_3", value) || strcmp(value, "1") == 0, SINO_BAD_INPUT,
               "%s: Dim_3 is '%s'; allowed: images of two dimensions", header->name, value);
    return NULL;
}

SinoStatus sino_edf_parse(const char *name, const char *text, int64_t bytes, SinoEdfImage *image)
{
    Header header;
    SinoEdfImage found = {.header_bytes = 0};
    SINO_TRY(find_header(name, text, bytes, &header, &found.header_bytes));
    SINO_TRY(check_plain(&header));
    SINO_TRY(take_size(&header, "Dim_1", &found.column_count));
    SINO_TRY(take_size(&header, "Dim_2", &found.row_count));
    SINO_TRY(take_type(&header, &found.type));
    SINO_TRY(take_order(&header, &found.type));
    *image = found;
    return NULL;
}
