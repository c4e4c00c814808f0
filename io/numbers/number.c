/* SPDX-License-Identifier: BSD-3-Clause */
/* Number: the table of types, and one pair of conversions for each. */
#include "number.h"

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

#define DEFINE_TO_INTEGER(name, type)                                                                                  \
    static void name##_to_integer(const void *from, int64_t count, int64_t *to)                                        \
    {                                                                                                                  \
        const char *bytes = from;                                                                                      \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            type value;                                                                                                \
            memcpy(&value, bytes + (size_t)i * sizeof value, sizeof value);                                            \
            to[i] = (int64_t)value;                                                                                    \
        }                                                                                                              \
    }

#define DEFINE_INTEGER(name, type)                                                                                     \
    DEFINE_TO_FLOAT(name, type)                                                                                        \
    DEFINE_TO_INTEGER(name, type)

DEFINE_INTEGER(uint8, uint8_t)
DEFINE_INTEGER(uint16, uint16_t)
DEFINE_INTEGER(uint32, uint32_t)
DEFINE_INTEGER(int8, int8_t)
DEFINE_INTEGER(int16, int16_t)
DEFINE_INTEGER(int32, int32_t)
DEFINE_INTEGER(int64, int64_t)
DEFINE_TO_FLOAT(uint64, uint64_t)
DEFINE_TO_FLOAT(float32, float)
DEFINE_TO_FLOAT(float64, double)

static void uint64_to_integer(const void *from, int64_t count, int64_t *to)
{
    int64_to_integer(from, count, to);
    for (int64_t i = 0; i < count; i++)
        if (to[i] < 0) to[i] = INT64_MAX;
}

#define INTEGER(name, kind, bytes)                                                                                     \
    {                                                                                                                  \
#name, kind, bytes, name##_to_float, name##_to_integer                                                         \
    }

static const SinoNumber numbers[] = {
    INTEGER(uint8, SINO_NUMBER_UNSIGNED, 1),
    INTEGER(uint16, SINO_NUMBER_UNSIGNED, 2),
    INTEGER(uint32, SINO_NUMBER_UNSIGNED, 4),
    INTEGER(uint64, SINO_NUMBER_UNSIGNED, 8),
    INTEGER(int8, SINO_NUMBER_SIGNED, 1),
    INTEGER(int16, SINO_NUMBER_SIGNED, 2),
    INTEGER(int32, SINO_NUMBER_SIGNED, 4),
    INTEGER(int64, SINO_NUMBER_SIGNED, 8),
    {"float32", SINO_NUMBER_REAL, 4, float32_to_float, NULL},
    {"float64", SINO_NUMBER_REAL, 8, float64_to_float, NULL},
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
