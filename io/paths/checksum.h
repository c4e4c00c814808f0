/* SPDX-License-Identifier: BSD-3-Clause */
/* Checksum: XXH3-64 of the concatenated bytes of files, as `cat FILES | xxhsum -H3` prints it. */
#pragma once

#include "status.h"

#include <stddef.h>
#include <stdint.h>

/* Writes 16 hexadecimal digits and NUL. Reads each file once, in pieces of 1 MiB. */
SinoStatus sino_checksum_files(int64_t count, const char *const *path, char digits[17]);

/* The checksum of a part of the files: 64 pieces of 64 KiB, spread evenly over the concatenated bytes from the first to
 * the last; of all bytes if there are no more. */
SinoStatus sino_checksum_parts(int64_t count, const char *const *path, char digits[17]);

/* The checksum of bytes in memory. */
void sino_checksum_bytes(const void *bytes, size_t count, char digits[17]);
