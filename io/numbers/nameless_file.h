/* SPDX-License-Identifier: BSD-3-Clause */
/* Nameless file: room in TMPDIR, or else in /tmp, for arrays that are compressed in their file. */
#pragma once

#include "status.h"

#include <stdint.h>

/* Makes a file that is gone when it is closed, and lets `fill` write to it. The caller closes *descriptor. SINO_FAILED:
 * there can be none; as of `fill`. */
SinoStatus sino_nameless_new(SinoStatus (*fill)(void *owner, int descriptor), void *owner, int *descriptor);

/* Appends bytes. `path`: the file with the array, for errors. SINO_FAILED: no room. */
SinoStatus sino_nameless_write(const char *path, int descriptor, const char *bytes, int64_t count);
