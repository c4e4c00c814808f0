/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain values: reads what memory holds alike as it is, and converts the rest by way of double. */
#include "numbers.h"

#include <math.h>
#include <stddef.h>

#include "arithmetic.h"
#include "files.h"

enum { PIECE_VALUES = 4096, VALUE_BYTES = 8 };

SinoCountType sino_plain_count_type(const SinoNpy *type)
{
    if (type->kind != SINO_NPY_UINT || type->item_bytes > 2) return SINO_COUNT_FLOAT32;
    return type->item_bytes == 1 ? SINO_COUNT_UINT8 : SINO_COUNT_UINT16;
}

static bool is_alike(const SinoNpy *type, SinoCountType to)
{
    if (type->swapped && type->item_bytes > 1) return false;
    if (to == SINO_COUNT_FLOAT32) return type->kind == SINO_NPY_FLOAT && type->item_bytes == 4;
    return sino_plain_count_type(type) == to;
}

static void convert(int64_t count, const double *from, SinoCountType to, void *values, int64_t first)
{
    for (int64_t i = 0; i < count; i++) {
        if (to == SINO_COUNT_FLOAT32)
            ((float *)values)[first + i] = (float)from[i];
        else if (to == SINO_COUNT_UINT16)
            ((uint16_t *)values)[first + i] = (uint16_t)from[i];
        else
            ((uint8_t *)values)[first + i] = (uint8_t)from[i];
    }
}

static void scale_values(const SinoPlainScale *scale, int64_t count, double *values)
{
    for (int64_t i = 0; i < count; i++)
        values[i] = values[i] == scale->blank ? NAN : scale->factor * values[i] + scale->offset;
}

SinoStatus sino_plain_scaled_read(const char *path, int descriptor, int64_t offset, const SinoNpy *type,
                                  const SinoPlainScale *scale, int64_t count, SinoCountType to, void *values)
{
    double real[PIECE_VALUES];
    for (int64_t i = 0, piece; i < count; i += piece) {
        piece = sino_smaller(PIECE_VALUES, count - i);
        SINO_TRY(sino_plain_doubles_read(path, descriptor, offset + i * type->item_bytes, type, piece, real));
        scale_values(scale, piece, real);
        convert(piece, real, to, values, i);
    }
    return NULL;
}

SinoStatus sino_plain_values_read(const char *path, int descriptor, int64_t offset, const SinoNpy *type, int64_t count,
                                  SinoCountType to, void *values)
{
    static const SinoPlainScale same = {.factor = 1, .blank = NAN};
    if (is_alike(type, to))
        return sino_regular_read(path, descriptor, offset, sino_times(count, type->item_bytes), values);
    return sino_plain_scaled_read(path, descriptor, offset, type, &same, count, to, values);
}

/* Reads the values from number `first` on, of `count`, as far as they fit in `items`; *piece: how many. */
static SinoStatus read_piece(const char *path, int descriptor, int64_t offset, const SinoNpy *type, int64_t first,
                             int64_t count, char items[PIECE_VALUES * VALUE_BYTES], int64_t *piece)
{
    *piece = sino_smaller(PIECE_VALUES, count - first);
    return sino_regular_read(path, descriptor, offset + first * type->item_bytes, *piece * type->item_bytes, items);
}

SinoStatus sino_plain_doubles_read(const char *path, int descriptor, int64_t offset, const SinoNpy *type, int64_t count,
                                   double *values)
{
    char items[PIECE_VALUES * VALUE_BYTES];
    for (int64_t i = 0, piece; i < count; i += piece) {
        SINO_TRY(read_piece(path, descriptor, offset, type, i, count, items, &piece));
        sino_npy_doubles(type, items, piece, values + i);
    }
    return NULL;
}

SinoStatus sino_plain_integers_read(const char *path, int descriptor, int64_t offset, const SinoNpy *type,
                                    int64_t count, int64_t *values)
{
    char items[PIECE_VALUES * VALUE_BYTES];
    for (int64_t i = 0, piece; i < count; i += piece) {
        SINO_TRY(read_piece(path, descriptor, offset, type, i, count, items, &piece));
        sino_npy_integers(type, items, piece, values + i);
    }
    return NULL;
}
