/* SPDX-License-Identifier: BSD-3-Clause */
/* TIFF sample: number types of the TIFF images that are read, and their conversion to counts. */
#pragma once

#include "number.h"
#include "scan_box.h"

/* The type of a page's numbers, of SAMPLEFORMAT_… and 8 to 64 bits; NULL: such images are not read. */
const SinoNumber *sino_tiff_sample_find(int format, int bits);

/* The type in memory: uint8 and uint16 stay, every other type becomes float32. */
SinoCountType sino_tiff_sample_type(const SinoNumber *sample);

/* Converts `count` numbers to `type`: the sample's own type or float32. `from` need not be aligned. */
void sino_tiff_sample_convert(const SinoNumber *sample, int64_t count, const void *from, SinoCountType type, void *to);
