/* SPDX-License-Identifier: BSD-3-Clause */
/* File order: the order of a series of images by the numbers in their names. */
#pragma once

#include "status.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum SinoFileOrder {
    SINO_ORDER_NUMBERS,     /* names differ in numbers alone */
    SINO_ORDER_HEXADECIMAL, /* names differ in one number, which has digits from a to f */
    SINO_ORDER_TEXT         /* names differ in more: runs of digits compare as numbers, everything else byte by byte */
} SinoFileOrder;

/* Sorts names, and tells how. Numbers may have decimals; a − before a number counts as its sign if the other names have
 * none there. SINO_BAD_INPUT, with two names: they have several numbers, of which a later one tells all names apart and
 * orders them in another way than those before it; or decimals that order them in another way than two numbers would.
 * SINO_FAILED: no memory. */
SinoStatus sino_file_order(int64_t count, char **name, SinoFileOrder *order);

/* Comparison of texts by SINO_ORDER_TEXT. */
int sino_natural_compare(const char *a, const char *b);

/* Whether texts are equal but for their digits. */
bool sino_differ_in_digits(const char *a, const char *b);
