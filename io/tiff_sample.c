/* SPDX-License-Identifier: BSD-3-Clause */
/* TIFF sample: the table of number types, and their conversion. */
#include "tiff_sample.h"

#include <assert.h>
#include <string.h>

#include <tiffio.h>

#define DEFINE_TO_FLOAT(name, type)                                                                                    \
    static void name(const void *from, int64_t count, float *to)                                                       \
    {                                                                                                                  \
        const char *bytes = from;                                                                                      \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            type value;                                                                                                \
            memcpy(&value, bytes + (size_t)i * sizeof value, sizeof value);                                            \
            to[i] = (float)value;                                                                                      \
        }                                                                                                              \
    }

DEFINE_TO_FLOAT(from_uint8, uint8_t)
DEFINE_TO_FLOAT(from_uint16, uint16_t)
DEFINE_TO_FLOAT(from_uint32, uint32_t)
DEFINE_TO_FLOAT(from_int8, int8_t)
DEFINE_TO_FLOAT(from_int16, int16_t)
DEFINE_TO_FLOAT(from_int32, int32_t)
DEFINE_TO_FLOAT(from_float32, float)
DEFINE_TO_FLOAT(from_float64, double)

static const SinoTiffSample samples[] = {
    {"uint8", SAMPLEFORMAT_UINT, 8, 1, SINO_COUNT_UINT8, from_uint8},
    {"uint16", SAMPLEFORMAT_UINT, 16, 2, SINO_COUNT_UINT16, from_uint16},
    {"uint32", SAMPLEFORMAT_UINT, 32, 4, SINO_COUNT_FLOAT32, from_uint32},
    {"int8", SAMPLEFORMAT_INT, 8, 1, SINO_COUNT_FLOAT32, from_int8},
    {"int16", SAMPLEFORMAT_INT, 16, 2, SINO_COUNT_FLOAT32, from_int16},
    {"int32", SAMPLEFORMAT_INT, 32, 4, SINO_COUNT_FLOAT32, from_int32},
    {"float32", SAMPLEFORMAT_IEEEFP, 32, 4, SINO_COUNT_FLOAT32, from_float32},
    {"float64", SAMPLEFORMAT_IEEEFP, 64, 8, SINO_COUNT_FLOAT32, from_float64},
};

const SinoTiffSample *sino_tiff_sample_find(int format, int bits)
{
    if (format == SAMPLEFORMAT_VOID) format = SAMPLEFORMAT_UINT; /* "undefined" means integers in TIFF 6.0 */
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        if (samples[i].format == format && samples[i].bits == bits) return &samples[i];
    return NULL;
}

void sino_tiff_sample_swap(const SinoTiffSample *sample, int64_t count, void *values)
{
    if (sample->bytes == 2) TIFFSwabArrayOfShort(values, count);
    if (sample->bytes == 4) TIFFSwabArrayOfLong(values, count);
    if (sample->bytes == 8) TIFFSwabArrayOfLong8(values, count);
}

void sino_tiff_sample_convert(const SinoTiffSample *sample, int64_t count, const void *from, SinoCountType type,
                              void *to)
{
    assert(type == sample->type || type == SINO_COUNT_FLOAT32);
    if (type == SINO_COUNT_FLOAT32)
        sample->to_float(from, count, to);
    else
        memcpy(to, from, (size_t)(count * sample->bytes));
}
