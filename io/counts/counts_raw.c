/* SPDX-License-Identifier: BSD-3-Clause */
/* Raw counts: values without a header, [set][element], 4 bytes each.
 *
 * Small integers are tiny as float32, and floats of a usual size are huge as int32, so that values tell their type: as
 * int32 a word counts up to 2²⁴ from 0, as float32 from 10⁻³⁶ to 10³⁶ in size. A word that is neither, or a file with
 * both, is refused unless the type is given. Whole numbers as float32 in the other byte order pass for int32 (1 for
 * 32831), but hardly all of a file's. */
#include "counts_source.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "memory.h"
#include "numbers.h"

/* Words that are read at a time. */
enum { PIECE_WORDS = 1 << 16, WORD_BYTES = 4 };

typedef struct RawCounts {
    int descriptor;
    int64_t word_count;
    const SinoNumber *number;
    bool given; /* the user told the type */
} RawCounts;

static bool probe_raw(const SinoCountsFile *file)
{
    (void)file;
    return true;
}

static void close_raw(void *content)
{
    RawCounts *raw = content;
    if (raw->descriptor >= 0) close(raw->descriptor);
    free(raw);
}

static bool looks_like_integer(uint32_t word)
{
    const int32_t value = (int32_t)word;
    return value > -(1 << 24) && value < 1 << 24;
}

static bool looks_like_real(uint32_t word)
{
    float value;
    memcpy(&value, &word, sizeof value);
    return value == 0 || (fabsf(value) >= 1e-36f && fabsf(value) <= 1e36f);
}

/* The error for a word that does not have the type of the others; `of`: their type, NULL: none of both. */
static SinoStatus refuse_word(const char *path, int64_t number, uint32_t word, const char *of)
{
    float value;
    memcpy(&value, &word, sizeof value);
    return sino_error(SINO_BAD_INPUT,
                      "%s: value %" PRId64 " is %" PRId32 " as int32 and %g as float32%s%s; allowed: values that tell "
                      "their type, or a name such as %s:float32 that does",
                      path, number, (int32_t)word, (double)value, of ? ", and those before it are " : "", of ? of : "",
                      path);
}

/* The type that a word has: NULL: either (0); an error: neither. */
static SinoStatus type_of(const char *path, int64_t number, uint32_t word, const SinoNumber **type)
{
    const bool integer = looks_like_integer(word), real = looks_like_real(word);
    *type = NULL;
    if (!integer && !real) return refuse_word(path, number, word, NULL);
    if (integer != real) *type = sino_number_find(integer ? SINO_NUMBER_SIGNED : SINO_NUMBER_REAL, WORD_BYTES);
    return NULL;
}

/* Compares words with raw->number, which the first one that tells it sets. */
static SinoStatus check_words(const char *path, int64_t first, int64_t count, const uint32_t *word, RawCounts *raw)
{
    const SinoNumber *type;
    for (int64_t i = 0; i < count && !raw->given; i++) {
        SINO_TRY(type_of(path, first + i, word[i], &type));
        if (!type) continue;
        if (!raw->number) raw->number = type;
        if (raw->number != type) return refuse_word(path, first + i, word[i], raw->number->name);
    }
    return NULL;
}

/* Whether a word is a whole number, which counts are, as float32 in the other byte order. */
static bool looks_swapped(uint32_t word)
{
    float value;
    sino_number_swap(WORD_BYTES, 1, &word);
    memcpy(&value, &word, sizeof value);
    return value >= 1 && value < 1 << 24 && value == floorf(value);
}

static SinoStatus refuse_swapped(const char *path, int64_t first, int64_t count, const uint32_t *word,
                                 const RawCounts *raw)
{
    int64_t told = 0, swapped = 0;
    for (int64_t i = 0; i < count; i++) {
        told += word[i] != 0;
        swapped += looks_swapped(word[i]);
    }
    SINO_CHECK(raw->given || told == 0 || swapped < told, SINO_BAD_INPUT,
               "%s: all values from %" PRId64 " to %" PRId64
               " but those of 0 are whole numbers as float32 in the other "
               "byte order; allowed: the byte order of this machine, or a name such as %s:int32 if they are integers",
               path, first, first + count - 1, path);
    return NULL;
}

static SinoStatus find_type(const char *path, RawCounts *raw)
{
    uint32_t *word;
    SINO_TRY(sino_allocate(PIECE_WORDS, sizeof *word, "values", &word));
    SinoStatus status = NULL;
    int64_t first = 0;
    for (; first < raw->word_count && !raw->number && !status; first += PIECE_WORDS) {
        const int64_t count = sino_smaller(raw->word_count - first, PIECE_WORDS);
        status = sino_regular_read(path, raw->descriptor, first * WORD_BYTES, count * WORD_BYTES, word);
        if (!status) status = refuse_swapped(path, first, count, word, raw);
        if (!status) status = check_words(path, first, count, word, raw);
    }
    free(word);
    if (!raw->number) raw->number = sino_number_find(SINO_NUMBER_SIGNED, WORD_BYTES); /* every value is 0 */
    return status;
}

static SinoStatus take_given_type(const SinoCountsFile *file, RawCounts *raw)
{
    static const SinoNumberKind kinds[] = {SINO_NUMBER_SIGNED, SINO_NUMBER_REAL};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const SinoNumber *number = sino_number_find(kinds[i], WORD_BYTES);
        if (strcmp(file->inner, number->name) == 0) raw->number = number;
    }
    SINO_CHECK(raw->number, SINO_BAD_INPUT,
               "'%s' follows the name of %s, which holds raw values; allowed: int32 or "
               "float32",
               file->inner, file->path);
    raw->given = true;
    return NULL;
}

static SinoStatus take_size(SinoCountsFile *file, int64_t bytes)
{
    RawCounts *raw = file->content;
    int64_t set_bytes;
    SINO_TRY(sino_multiply(file->request.element_count, WORD_BYTES, "bytes of a set", &set_bytes));
    SINO_CHECK(bytes > 0 && bytes % set_bytes == 0, SINO_BAD_INPUT,
               "%s has %" PRId64 " bytes; allowed for raw values: a multiple of %" PRId64 " %s × 4 = %" PRId64 " bytes",
               file->path, bytes, file->request.element_count, sino_counts_elements(&file->request), set_bytes);
    file->info.set_count = bytes / set_bytes;
    raw->word_count = bytes / WORD_BYTES;
    return NULL;
}

static SinoStatus open_raw(SinoCountsFile *file)
{
    RawCounts *raw;
    int64_t bytes;
    SINO_CHECK(file->request.events != SINO_EVENTS_ONLY, SINO_BAD_INPUT,
               "%s is neither text nor a NumPy array nor an HDF5 file; allowed for events: one of them", file->path);
    SINO_TRY(sino_allocate(1, sizeof *raw, "a file", &raw));
    raw->descriptor = -1;
    file->content = raw;
    SINO_TRY(sino_regular_open(file->path, &raw->descriptor, &bytes));
    SINO_TRY(take_size(file, bytes));
    SINO_TRY(file->inner ? take_given_type(file, raw) : find_type(file->path, raw));
    file->info.stored_type = raw->number->name;
    return NULL;
}

static SinoStatus read_raw(SinoCountsFile *file, int64_t first_set, int64_t set_count, float *values)
{
    RawCounts *raw = file->content;
    const int64_t elements = file->request.element_count;
    const int64_t first = sino_times(first_set, elements), count = sino_times(set_count, elements);
    uint32_t *word;
    SINO_TRY(sino_allocate(PIECE_WORDS, sizeof *word, "values", &word));
    SinoStatus status = NULL;
    for (int64_t done = 0; done < count && !status; done += PIECE_WORDS) {
        const int64_t piece = sino_smaller(count - done, PIECE_WORDS);
        status = sino_regular_read(file->path, raw->descriptor, (first + done) * WORD_BYTES, piece * WORD_BYTES, word);
        if (!status) status = check_words(file->path, first + done, piece, word, raw);
        if (!status) raw->number->to_float(word, piece, values + done);
    }
    free(word);
    return status;
}

const SinoCountsFormat sino_counts_raw = {.name = "raw values",
                                          .takes_inner = true,
                                          .probe = probe_raw,
                                          .open = open_raw,
                                          .read = read_raw,
                                          .close = close_raw};
