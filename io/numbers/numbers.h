/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers in files and texts. */
#pragma once

#include "log.h"
#include "npy.h"
#include "output_settings.h"
#include "status.h"

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>

/* Number: the types of numbers in files, and their conversion. */

typedef enum SinoNumberKind { SINO_NUMBER_UNSIGNED, SINO_NUMBER_SIGNED, SINO_NUMBER_REAL } SinoNumberKind;

/* A type. Values in a file need not be aligned. */
typedef struct SinoNumber {
    const char *name; /* "uint16" … */
    SinoNumberKind kind;
    int64_t bytes; /* 1, 2, 4 or 8; of reals 4 or 8 */
    void (*to_float)(const void *from, int64_t count, float *to);
} SinoNumber;

/* The type; NULL: there is none of this size. */
const SinoNumber *sino_number_find(SinoNumberKind kind, int64_t bytes);

/* Reverses the bytes of each of `count` numbers of `bytes` bytes. */
void sino_number_swap(int64_t bytes, int64_t count, void *values);

/* Text number: tells text, and reads decimal numbers quickly, whatever the program's locale is. */

/* Whether bytes are text: printable ASCII and white space, in comments from # on also UTF-8. No bytes are no text. */
bool sino_text_probe(const char *bytes, int64_t count);

/* Bytes of the mark of UTF-8 that some editors put before a text; 0: there is none. */
int64_t sino_text_mark_bytes(const char *bytes, int64_t count);

/* Reads digits at `text`; returns what follows them. NULL: there are none, or the number exceeds 63 bits. */
const char *sino_text_integer(const char *text, int64_t *number);

/* Reads [+-] digits with an optional point and exponent (1, -.5, 2.5e-7); returns what follows. NULL: there is no such
 * number; the words inf and nan are none. The result is the double next to the number, as strtod gives it, infinity
 * where it is too large. `c_locale`: newlocale(LC_ALL_MASK, "C", 0), for numbers that take the long way. */
const char *sino_text_double(const char *text, locale_t c_locale, double *number);

/* Scan box: the part of a projection that is read, and the type of its counts in memory. */

/* In-memory type of counts. uint8, uint16 and float32 files keep their type; every other integer or float becomes
 * float32. */
typedef enum SinoCountType { SINO_COUNT_UINT8, SINO_COUNT_UINT16, SINO_COUNT_FLOAT32 } SinoCountType;

static inline int64_t sino_count_bytes(SinoCountType type)
{
    return type == SINO_COUNT_UINT8 ? 1 : type == SINO_COUNT_UINT16 ? 2 : 4;
}

/* A box of rows first_row … first_row + row_count − 1, columns likewise. The caller keeps it inside the detector. */
typedef struct SinoScanBox {
    int64_t first_row, row_count, first_column, column_count;
} SinoScanBox;

/* Plain values: numbers in a file, one after the other, as counts of a scan. */

/* The type of counts in memory that holds the values without loss, or float32. */
SinoCountType sino_plain_count_type(const SinoNpy *type);

/* Values are factor × number + offset; numbers equal to `blank` have no value, and become NaN. */
typedef struct SinoPlainScale {
    double factor, offset;
    double blank; /* NaN: there is none */
} SinoPlainScale;

/* Reads `count` values from byte `offset` of the file on, converted to `to`: sino_plain_count_type(type), a type that
 * holds all values of that one, or float32. Of `type` only kind, item_bytes and swapped matter. SINO_FAILED: as
 * of sino_regular_read. */
SinoStatus sino_plain_values_read(const char *path, int descriptor, int64_t offset, const SinoNpy *type, int64_t count,
                                  SinoCountType to, void *values);

/* Reads scaled values likewise; `to` holds them. */
SinoStatus sino_plain_scaled_read(const char *path, int descriptor, int64_t offset, const SinoNpy *type,
                                  const SinoPlainScale *scale, int64_t count, SinoCountType to, void *values);

/* Read `count` values likewise, as sino_npy_doubles and sino_npy_integers convert them. */
SinoStatus sino_plain_doubles_read(const char *path, int descriptor, int64_t offset, const SinoNpy *type, int64_t count,
                                   double *values);
SinoStatus sino_plain_integers_read(const char *path, int descriptor, int64_t offset, const SinoNpy *type,
                                    int64_t count, int64_t *values);

/* Voxel codes: voxels as integers, of which one range serves a whole volume.
 *
 * value = low + code · step, with step = (high − low)/(2ᵇ − 1) for b bits. A value becomes the nearest code; values
 * outside [low, high] become the code of the nearer end, and NaN becomes the code of `low`. */

/* Type and range of a volume. Of float32 the range is what viewers show. Zero: float32 without a range. */
typedef struct SinoVoxelCodes {
    SinoOutputType type;
    SinoValueRange range;
} SinoVoxelCodes;

/* Voxels that a range changes by more than rounding. */
typedef enum SinoClipped { SINO_CLIPPED_BELOW, SINO_CLIPPED_ABOVE, SINO_CLIPPED_NAN, SINO_CLIPPED } SinoClipped;

/* SINO_BAD_INPUT: an integer type without a range, or with steps that float32 cannot tell apart. */
SinoStatus sino_codes_check(const SinoVoxelCodes *codes);

int64_t sino_codes_bytes(SinoOutputType type);          /* of a voxel: 4, 2 or 1 */
double sino_codes_step(const SinoVoxelCodes *codes);    /* between the values of neighbouring codes; 0: float32 */
double sino_codes_largest(const SinoVoxelCodes *codes); /* the largest code: 65535 or 255; 0: float32 */

/* Replaces values by those of their codes, and adds to clipped[SINO_CLIPPED]. Values that are those of codes stay. Does
 * nothing for float32. */
void sino_codes_round(const SinoVoxelCodes *codes, int64_t count, float *values, int64_t *clipped);

/* to[count]: uint16_t or uint8_t; not for float32. */
void sino_codes_encode(const SinoVoxelCodes *codes, int64_t count, const float *values, void *to);
void sino_codes_decode(const SinoVoxelCodes *codes, int64_t count, const void *from, float *values);
