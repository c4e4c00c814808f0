/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorts of many sequences at once, by one instruction set. sort_lanes_isa.c is compiled once per instruction set;
 * stripes_sorted.c chooses at run time. */
#pragma once

#include <stdint.h>

enum { SINO_SORT_LANES = 16 };

/* Sorts each lane of key[count][SINO_SORT_LANES] in ascending order, count at least 1. */
typedef void SinoSortLanes(int64_t count, uint32_t *key);

typedef struct SinoSortLanesIsa {
    const char *name;
    SinoSortLanes *sort;
} SinoSortLanesIsa;

extern const SinoSortLanesIsa sino_sort_lanes_plain, sino_sort_lanes_avx2, sino_sort_lanes_avx512;
