/* SPDX-License-Identifier: BSD-3-Clause */
/* Fast size: lengths of which FFTs are fast. */
#pragma once

#include <stdint.h>

/* The smallest even number ≥ `least` without prime factors above 7. */
static inline int64_t sino_fast_size(int64_t least)
{
    for (int64_t size = least + least % 2;; size += 2) {
        int64_t rest = size;
        for (int64_t factor = 2; factor <= 7; factor++) {
            while (rest % factor == 0) rest /= factor;
        }
        if (rest == 1) return size;
    }
}
