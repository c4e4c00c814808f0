/* SPDX-License-Identifier: BSD-3-Clause */
/* For clang's analyzer, before each file but status.c: sino_error never returns NULL, so whoever got no error from a
 * function may use what it wrote. */
#pragma once

#include "../../config/base/status.h"

static inline SinoStatus sino_known_error(SinoStatus status)
{
    if (!status) __builtin_unreachable();
    return status;
}

#define sino_error(...) sino_known_error(sino_error(__VA_ARGS__))
