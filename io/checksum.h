/* SPDX-License-Identifier: BSD-3-Clause */
/* Checksum: XXH3-64 of a file's bytes, as `xxhsum -H3` prints it. */
#ifndef SINO_CHECKSUM_H
#define SINO_CHECKSUM_H

#include "status.h"

/* 16 hexadecimal digits and NUL. Reads the file once in pieces of 1 MiB. */
SinoStatus sino_checksum_file(const char *path, char digits[17]);

#endif
