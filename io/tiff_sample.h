/* SPDX-License-Identifier: BSD-3-Clause */
/* TIFF sample: number types of the TIFF images that are read, and their conversion to counts. */
#ifndef SINO_TIFF_SAMPLE_H
#define SINO_TIFF_SAMPLE_H

#include "scan.h"

typedef struct SinoTiffSample {
    const char *name;   /* "uint16" … */
    int format, bits;   /* SAMPLEFORMAT_…, 8 to 64 */
    int64_t bytes;      /* of a number */
    SinoCountType type; /* in memory: uint8 and uint16 stay, every other type becomes float32 */
    void (*to_float)(const void *from, int64_t count, float *to);
} SinoTiffSample;

/* The sample type of a TIFF page; NULL: such images are not read. */
const SinoTiffSample *sino_tiff_sample_find(int format, int bits);

/* Reverses the bytes of each number. */
void sino_tiff_sample_swap(const SinoTiffSample *sample, int64_t count, void *values);

/* Converts `count` numbers to `type`: the sample's own type or float32. `from` need not be aligned. */
void sino_tiff_sample_convert(const SinoTiffSample *sample, int64_t count, const void *from, SinoCountType type,
                              void *to);

#endif
