/* SPDX-License-Identifier: BSD-3-Clause */
/* TIFF sample: the number types of TIFF that are read, and what they become in memory. */
#include "tiff_images.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include <tiffio.h>

const SinoNumber *sino_tiff_sample_find(int format, int bits)
{
    const int64_t bytes = bits / 8;
    if (bits % 8 != 0) return NULL;
    if (format == SAMPLEFORMAT_IEEEFP) return sino_number_find(SINO_NUMBER_REAL, bytes);
    if (bytes > 4) return NULL;
    if (format == SAMPLEFORMAT_INT) return sino_number_find(SINO_NUMBER_SIGNED, bytes);
    /* "undefined" means integers in TIFF 6.0 */
    const bool is_unsigned = format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_VOID;
    return is_unsigned ? sino_number_find(SINO_NUMBER_UNSIGNED, bytes) : NULL;
}

SinoCountType sino_tiff_sample_type(const SinoNumber *sample)
{
    if (sample->kind != SINO_NUMBER_UNSIGNED || sample->bytes > 2) return SINO_COUNT_FLOAT32;
    return sample->bytes == 1 ? SINO_COUNT_UINT8 : SINO_COUNT_UINT16;
}

void sino_tiff_sample_convert(const SinoNumber *sample, int64_t count, const void *from, SinoCountType type, void *to)
{
    assert(type == sino_tiff_sample_type(sample) || type == SINO_COUNT_FLOAT32);
    if (type == SINO_COUNT_FLOAT32)
        sample->to_float(from, count, to);
    else
        memcpy(to, from, (size_t)(count * sample->bytes));
}
