/* SPDX-License-Identifier: BSD-3-Clause */
/* Number: the types of numbers in files, and their conversion. */
#pragma once

#include <stdint.h>

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
