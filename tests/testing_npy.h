/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing with NPY: makes NPY files as NumPy does. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file in memory: header of a version, type ("<f8") and shape ("(3, 4)"), then the values. The caller frees it. */
__attribute__((unused)) static unsigned char *testing_npy(int version, const char *type, const char *shape,
                                                          const void *values, size_t value_bytes, size_t *bytes)
{
    char text[256];
    const size_t first = version == 1 ? 10 : 12;
    const int written =
        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
    if (written < 0 || (size_t)written >= sizeof text) abort();
    const size_t padded = (first + (size_t)written + 1 + 63) / 64 * 64;
    unsigned char *file = malloc(padded + value_bytes);
    if (!file) abort();
    memset(file, ' ', padded);
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (unsigned char)version;
    file[7] = 0;
    for (size_t i = 8; i < first; i++) file[i] = (unsigned char)((padded - first) >> 8 * (i - 8));
    memcpy(file + first, text, (size_t)written);
    file[padded - 1] = '\n';
    if (value_bytes > 0) memcpy(file + padded, values, value_bytes);
    *bytes = padded + value_bytes;
    return file;
}
