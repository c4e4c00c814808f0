/* SPDX-License-Identifier: BSD-3-Clause */
/* Undefined: the mark of a ray without a value, −0 (codelets/stages/correct.h). Shared by C and CUDA C++. */
#pragma once

#include "vector.h"

#include <stdint.h>
#include <string.h>

/* Whether a value is −0: 1 or 0, by its bits, in a number of the value's size. So compilers vectorise the test, and
 * compare whole registers. */
SINO_INLINE uint32_t sino_is_undefined_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits == (uint32_t)1 << 31;
}

SINO_INLINE uint64_t sino_is_undefined_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits == (uint64_t)1 << 63;
}

#ifdef __cplusplus
extern "C++" { /* C has no functions of one name */
SINO_INLINE bool sino_is_undefined(float value)
{
    return sino_is_undefined_float(value) != 0;
}

SINO_INLINE bool sino_is_undefined(double value)
{
    return sino_is_undefined_double(value) != 0;
}
}
#else
#define sino_is_undefined(value)                                                                                       \
    _Generic((value), float : sino_is_undefined_float, double : sino_is_undefined_double)(value)
#endif
