/* SPDX-License-Identifier: BSD-3-Clause */
/* NPY: the header is a Python dictionary: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } */
#include "npy.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "files.h"
#include "memory.h"

static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

enum { DESCRIPTION = 16, NUMBER_MAX = 8, TEXT_MAX = 1024 };

#define ALLOWED_TYPES "allowed: bool, int8 to int64, uint8 to uint64, float32, float64 and texts"

/* The text of a header while it is read. */
typedef struct Reading {
    const char *name; /* of the file */
    const char *at, *end;
} Reading;

static void skip_space(Reading *reading)
{
    while (reading->at < reading->end && strchr(" \t\r\n", *reading->at) && *reading->at) reading->at++;
}

/* Whether the text goes on with this word, which is then passed. */
static bool take(Reading *reading, const char *word)
{
    const size_t length = strlen(word);
    skip_space(reading);
    if ((size_t)(reading->end - reading->at) < length || memcmp(reading->at, word, length) != 0) return false;
    reading->at += length;
    return true;
}

static SinoStatus refuse(const Reading *reading, const char *wanted)
{
    const int left = (int)sino_smaller(reading->end - reading->at, 20);
    char found[24];
    for (int i = 0; i < left; i++) found[i] = isprint((unsigned char)reading->at[i]) ? reading->at[i] : '?';
    found[left] = '\0';
    return sino_error(SINO_BAD_INPUT, "%s: the NPY header has '%s' where %s is needed", reading->name, found, wanted);
}

/* Reads a text in quotes, of fewer than DESCRIPTION characters. */
static SinoStatus take_text(Reading *reading, char text[DESCRIPTION])
{
    skip_space(reading);
    const char quote = reading->at < reading->end ? *reading->at : '\0';
    if (quote != '\'' && quote != '"') return refuse(reading, "a text in quotes");
    const char *first = reading->at + 1;
    const char *last = memchr(first, quote, (size_t)(reading->end - first));
    if (!last || last - first >= DESCRIPTION) return refuse(reading, "a short text in quotes");
    memcpy(text, first, (size_t)(last - first));
    text[last - first] = '\0';
    reading->at = last + 1;
    return NULL;
}

static SinoStatus take_size(Reading *reading, int64_t *size)
{
    skip_space(reading);
    if (reading->at >= reading->end || !isdigit((unsigned char)*reading->at)) return refuse(reading, "a size");
    *size = 0;
    for (; reading->at < reading->end && isdigit((unsigned char)*reading->at); reading->at++)
        SINO_CHECK(!__builtin_mul_overflow(*size, 10, size) && !__builtin_add_overflow(*size, *reading->at - '0', size),
                   SINO_BAD_INPUT, "%s: the NPY header has a size of more than 63 bits", reading->name);
    (void)take(reading, "L"); /* Python 2 */
    return NULL;
}

static SinoStatus take_shape(Reading *reading, SinoNpy *npy)
{
    npy->rank = 0;
    if (!take(reading, "(")) return refuse(reading, "( of a shape");
    while (!take(reading, ")")) {
        if (npy->rank > 0 && !take(reading, ",")) return refuse(reading, ", in a shape");
        if (npy->rank > 0 && take(reading, ")")) break;
        SINO_CHECK(npy->rank < SINO_NPY_RANK, SINO_BAD_INPUT, "%s has more than %d dimensions; allowed: %d",
                   reading->name, SINO_NPY_RANK, SINO_NPY_RANK);
        SINO_TRY(take_size(reading, &npy->size[npy->rank]));
        npy->rank++;
    }
    return NULL;
}

static bool is_fixed(int64_t bytes, bool integer)
{
    return bytes == 4 || bytes == 8 || (integer && (bytes == 1 || bytes == 2));
}

/* Understands the letter and the number behind the byte order. False: no type that is read. */
static bool set_kind(char letter, int64_t number, SinoNpy *npy)
{
    static const struct {
        char letter;
        SinoNpyKind kind;
        const char *word;
    } kinds[] = {{'b', SINO_NPY_BOOL, "bool"},   {'i', SINO_NPY_INT, "int"},   {'u', SINO_NPY_UINT, "uint"},
                 {'f', SINO_NPY_FLOAT, "float"}, {'S', SINO_NPY_BYTES, "str"}, {'U', SINO_NPY_UNICODE, "str"}};
    size_t i = 0;
    while (i < sizeof kinds / sizeof *kinds && kinds[i].letter != letter) i++;
    if (i == sizeof kinds / sizeof *kinds) return false;
    npy->kind = kinds[i].kind;
    npy->item_bytes = number;
    if (npy->kind == SINO_NPY_UNICODE) npy->item_bytes = number * 4;
    const bool text = npy->kind == SINO_NPY_BYTES || npy->kind == SINO_NPY_UNICODE;
    const bool sized = text || npy->kind == SINO_NPY_BOOL;
    snprintf(npy->stored_type, sizeof npy->stored_type, sized ? "%s" : "%s%d", kinds[i].word, (int)npy->item_bytes * 8);
    if (text) return npy->item_bytes <= TEXT_MAX;
    if (npy->kind == SINO_NPY_BOOL) return npy->item_bytes == 1;
    return npy->item_bytes <= NUMBER_MAX && is_fixed(npy->item_bytes, npy->kind != SINO_NPY_FLOAT);
}

static SinoStatus take_type(Reading *reading, SinoNpy *npy)
{
    char text[DESCRIPTION] = "";
    int64_t number = 0;
    skip_space(reading);
    SINO_CHECK(reading->at >= reading->end || *reading->at != '[', SINO_BAD_INPUT,
               "%s has values of several members; " ALLOWED_TYPES, reading->name);
    SINO_TRY(take_text(reading, text));
    const bool ordered = text[0] && strchr("<>|=", text[0]);
    const char *digit = text + ordered + 1;
    bool fine = ordered && text[ordered] && isdigit((unsigned char)*digit);
    for (; fine && isdigit((unsigned char)*digit); digit++)
        if (number <= TEXT_MAX) number = number * 10 + (*digit - '0');
    fine = fine && *digit == '\0' && set_kind(text[ordered], number, npy);
    SINO_CHECK(fine, SINO_BAD_INPUT, "%s has values of the type '%s'; " ALLOWED_TYPES, reading->name, text);
    const bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    npy->swapped = text[0] == (little ? '>' : '<');
    return NULL;
}

static SinoStatus take_order(Reading *reading, bool *fortran)
{
    *fortran = take(reading, "True");
    return *fortran || take(reading, "False") ? NULL : refuse(reading, "True or False");
}

enum { HAS_TYPE = 1, HAS_ORDER = 2, HAS_SHAPE = 4, HAS_ALL = 7 };

static SinoStatus take_entry(Reading *reading, SinoNpy *npy, bool *fortran, int *found)
{
    char key[DESCRIPTION] = "";
    int which = 0;
    SINO_TRY(take_text(reading, key));
    if (!take(reading, ":")) return refuse(reading, ":");
    if (strcmp(key, "descr") == 0) which = HAS_TYPE;
    if (strcmp(key, "fortran_order") == 0) which = HAS_ORDER;
    if (strcmp(key, "shape") == 0) which = HAS_SHAPE;
    SINO_CHECK(which && !(*found & which), SINO_BAD_INPUT,
               "%s: the NPY header has the key '%s'; allowed: descr, fortran_order and shape, once each", reading->name,
               key);
    *found |= which;
    if (which == HAS_TYPE) return take_type(reading, npy);
    return which == HAS_ORDER ? take_order(reading, fortran) : take_shape(reading, npy);
}

static SinoStatus take_dictionary(Reading *reading, SinoNpy *npy)
{
    bool fortran = false;
    int found = 0, wide = 0;
    if (!take(reading, "{")) return refuse(reading, "{");
    while (!take(reading, "}")) {
        if (found && !take(reading, ",")) return refuse(reading, ", or }");
        if (found && take(reading, "}")) break;
        SINO_TRY(take_entry(reading, npy, &fortran, &found));
    }
    skip_space(reading);
    if (reading->at < reading->end) return refuse(reading, "the header's end");
    SINO_CHECK(found == HAS_ALL, SINO_BAD_INPUT, "%s: the NPY header lacks descr, fortran_order or shape",
               reading->name);
    for (int d = 0; d < npy->rank; d++) wide += npy->size[d] > 1;
    SINO_CHECK(!fortran || wide <= 1, SINO_BAD_INPUT,
               "%s has its first dimension contiguous (fortran_order); allowed: C order, as "
               "numpy.ascontiguousarray makes it",
               reading->name);
    return sino_product(npy->rank, npy->size, "values of an NPY file", &npy->count);
}

bool sino_npy_is_list(const SinoNpy *npy)
{
    int64_t longest = 1;
    for (int d = 0; d < npy->rank; d++) longest = sino_larger(longest, npy->size[d]);
    return npy->count == longest;
}

bool sino_npy_probe(const void *memory, int64_t bytes)
{
    return bytes >= (int64_t)sizeof magic && memcmp(memory, magic, sizeof magic) == 0;
}

bool sino_npy_probe_file(const char *path)
{
    char head[sizeof magic] = "";
    return sino_npy_probe(head, sino_regular_head(path, sizeof head, head));
}

/* Finds the text of the header behind signature, version and length. */
static SinoStatus find_text(const char *name, const unsigned char *byte, int64_t bytes, int64_t *first, int64_t *length)
{
    SINO_CHECK(sino_npy_probe(byte, bytes), SINO_BAD_INPUT, "%s is not an NPY file", name);
    const int version = bytes > 6 ? byte[6] : 1;
    SINO_CHECK(version >= 1 && version <= 3, SINO_BAD_INPUT, "%s has NPY version %d; allowed: 1, 2 and 3", name,
               version);
    *first = version == 1 ? 10 : 12;
    SINO_CHECK(bytes >= *first, SINO_BAD_INPUT, "%s ends within the NPY header, after %" PRId64 " bytes", name, bytes);
    *length = byte[8] | (int64_t)byte[9] << 8;
    if (version > 1) *length |= (int64_t)byte[10] << 16 | (int64_t)byte[11] << 24;
    SINO_CHECK(*length <= SINO_NPY_HEADER_BYTES - *first, SINO_BAD_INPUT,
               "%s has an NPY header of %" PRId64 " bytes; allowed: up to %d", name, *length, SINO_NPY_HEADER_BYTES);
    SINO_CHECK(*length <= bytes - *first, SINO_BAD_INPUT, "%s ends within the NPY header, after %" PRId64 " bytes",
               name, bytes);
    return NULL;
}

SinoStatus sino_npy_parse(const char *name, const void *memory, int64_t bytes, SinoNpy *npy)
{
    int64_t first = 0, length = 0;
    SinoNpy found = {.rank = 0};
    SINO_TRY(find_text(name, memory, bytes, &first, &length));
    const char *text = (const char *)memory + first;
    Reading reading = {.name = name, .at = text, .end = text + length};
    SINO_TRY(take_dictionary(&reading, &found));
    found.header_bytes = first + length;
    *npy = found;
    return NULL;
}

int64_t sino_npy_bytes(const SinoNpy *npy)
{
    return sino_times(npy->count, npy->item_bytes);
}

bool sino_npy_is_integer(const SinoNpy *npy)
{
    return npy->kind == SINO_NPY_BOOL || npy->kind == SINO_NPY_INT || npy->kind == SINO_NPY_UINT;
}

bool sino_npy_is_number(const SinoNpy *npy)
{
    return sino_npy_is_integer(npy) || npy->kind == SINO_NPY_FLOAT;
}

/* The bytes of a value of at most 8 bytes, as an unsigned number. */
static uint64_t bits_of(const SinoNpy *npy, const unsigned char *item)
{
    uint64_t bits = 0;
    const bool little = (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != npy->swapped;
    for (int64_t i = 0; i < npy->item_bytes; i++)
        bits |= (uint64_t)item[i] << 8 * (little ? i : npy->item_bytes - 1 - i);
    return bits;
}

static int64_t integer_of(const SinoNpy *npy, const unsigned char *item)
{
    const uint64_t bits = bits_of(npy, item);
    const int unused = 64 - 8 * (int)npy->item_bytes;
    if (npy->kind == SINO_NPY_INT) return (int64_t)(bits << unused) >> unused;
    return bits > INT64_MAX ? INT64_MAX : (int64_t)bits;
}

/* A float of 16 bits: sign, 5 bits of exponent, 10 of fraction. */
static double half_value(uint32_t bits)
{
    const int exponent = bits >> 10 & 31;
    const double fraction = bits & 1023, sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 31) return fraction > 0 ? NAN : sign * INFINITY;
    return sign * (exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25));
}

static double double_of(const SinoNpy *npy, const unsigned char *item)
{
    const uint64_t bits = bits_of(npy, item);
    const uint32_t half = (uint32_t)bits;
    float single;
    double value;
    if (npy->kind != SINO_NPY_FLOAT) return npy->kind == SINO_NPY_INT ? (double)integer_of(npy, item) : (double)bits;
    if (npy->item_bytes == 2) return half_value(half);
    if (npy->item_bytes == 8) {
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    memcpy(&single, &half, sizeof single);
    return (double)single;
}

#define CONVERT(type)                                                                                                  \
    for (int64_t i = 0; i < count; i++) {                                                                              \
        type item;                                                                                                     \
        memcpy(&item, from + i * (int64_t)sizeof item, sizeof item);                                                   \
        values[i] = (__typeof__(*values))item;                                                                         \
    }

void sino_npy_doubles(const SinoNpy *npy, const void *items, int64_t count, double *values)
{
    const unsigned char *from = items;
    assert(sino_npy_is_number(npy));
    if (npy->kind == SINO_NPY_FLOAT && npy->item_bytes == 4 && !npy->swapped) {
        CONVERT(float)
    } else if (npy->kind == SINO_NPY_FLOAT && npy->item_bytes == 8 && !npy->swapped) {
        CONVERT(double)
    } else {
        for (int64_t i = 0; i < count; i++) values[i] = double_of(npy, from + i * npy->item_bytes);
    }
}

void sino_npy_integers(const SinoNpy *npy, const void *items, int64_t count, int64_t *values)
{
    const unsigned char *from = items;
    assert(sino_npy_is_integer(npy));
    if (npy->kind == SINO_NPY_INT && npy->item_bytes == 4 && !npy->swapped) {
        CONVERT(int32_t)
    } else if (npy->kind == SINO_NPY_INT && npy->item_bytes == 8 && !npy->swapped) {
        CONVERT(int64_t)
    } else {
        for (int64_t i = 0; i < count; i++) values[i] = integer_of(npy, from + i * npy->item_bytes);
    }
}

const char *sino_npy_text(const SinoNpy *npy, const void *item, char *text, int64_t text_bytes)
{
    SinoNpy character = *npy;
    int64_t length = 0;
    assert(!sino_npy_is_number(npy) && text_bytes > 0);
    character.item_bytes = npy->kind == SINO_NPY_UNICODE ? 4 : 1;
    for (int64_t at = 0; at < npy->item_bytes && length < text_bytes - 1; at += character.item_bytes) {
        const uint64_t code = bits_of(&character, (const unsigned char *)item + at);
        if (code == 0) break;
        text[length++] = code >= ' ' && code <= '~' ? (char)code : '?';
    }
    text[length] = '\0';
    return text;
}
