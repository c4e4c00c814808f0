/* SPDX-License-Identifier: BSD-3-Clause */
/* Number: the table of types, and one conversion for each. */
#include "numbers.h"

#include <string.h>

#define DEFINE_TO_FLOAT(name, type)                                                                                    \
    static void name##_to_float(const void *from, int64_t count, float *to)                                            \
    {                                                                                                                  \
        const char *bytes = from;                                                                                      \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            type value;                                                                                                \
            memcpy(&value, bytes + (size_t)i * sizeof value, sizeof value);                                            \
            to[i] = (float)value;                                                                                      \
        }                                                                                                              \
    }

DEFINE_TO_FLOAT(uint8, uint8_t)
DEFINE_TO_FLOAT(uint16, uint16_t)
DEFINE_TO_FLOAT(uint32, uint32_t)
DEFINE_TO_FLOAT(int8, int8_t)
DEFINE_TO_FLOAT(int16, int16_t)
DEFINE_TO_FLOAT(int32, int32_t)
DEFINE_TO_FLOAT(int64, int64_t)
DEFINE_TO_FLOAT(uint64, uint64_t)
DEFINE_TO_FLOAT(float32, float)
DEFINE_TO_FLOAT(float64, double)

static const SinoNumber numbers[] = {
    {"uint8", SINO_NUMBER_UNSIGNED, 1, uint8_to_float},   {"uint16", SINO_NUMBER_UNSIGNED, 2, uint16_to_float},
    {"uint32", SINO_NUMBER_UNSIGNED, 4, uint32_to_float}, {"uint64", SINO_NUMBER_UNSIGNED, 8, uint64_to_float},
    {"int8", SINO_NUMBER_SIGNED, 1, int8_to_float},       {"int16", SINO_NUMBER_SIGNED, 2, int16_to_float},
    {"int32", SINO_NUMBER_SIGNED, 4, int32_to_float},     {"int64", SINO_NUMBER_SIGNED, 8, int64_to_float},
    {"float32", SINO_NUMBER_REAL, 4, float32_to_float},   {"float64", SINO_NUMBER_REAL, 8, float64_to_float},
};

const SinoNumber *sino_number_find(SinoNumberKind kind, int64_t bytes)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].kind == kind && numbers[i].bytes == bytes) return &numbers[i];
    return NULL;
}

static void swap2(int64_t count, char *at)
{
    for (int64_t i = 0; i < count; i++, at += 2) {
        uint16_t value;
        memcpy(&value, at, sizeof value);
        value = __builtin_bswap16(value);
        memcpy(at, &value, sizeof value);
    }
}

static void swap4(int64_t count, char *at)
{
    for (int64_t i = 0; i < count; i++, at += 4) {
        uint32_t value;
        memcpy(&value, at, sizeof value);
        value = __builtin_bswap32(value);
        memcpy(at, &value, sizeof value);
    }
}

static void swap8(int64_t count, char *at)
{
    for (int64_t i = 0; i < count; i++, at += 8) {
        uint64_t value;
        memcpy(&value, at, sizeof value);
        value = __builtin_bswap64(value);
        memcpy(at, &value, sizeof value);
    }
}

void sino_number_swap(int64_t bytes, int64_t count, void *values)
{
    if (bytes == 2) swap2(count, values);
    if (bytes == 4) swap4(count, values);
    if (bytes == 8) swap8(count, values);
}
