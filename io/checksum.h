/* SPDX-License-Identifier: BSD-3-Clause */
/* Checksum: XXH3-64 of the concatenated bytes of files, as `cat FILES | xxhsum -H3` prints it. */
#ifndef SINO_CHECKSUM_H
#define SINO_CHECKSUM_H

#include "status.h"

#include <stdint.h>

/* Writes 16 hexadecimal digits and NUL. Reads each file once, in pieces of 1 MiB. */
SinoStatus sino_checksum_files(int64_t count, const char *const *path, char digits[17]);

#endif
