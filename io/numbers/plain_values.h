/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain values: numbers in a file, one after the other, as counts of a scan. */
#pragma once

#include "npy.h"
#include "scan_box.h"

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
