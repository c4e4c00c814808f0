/* SPDX-License-Identifier: BSD-3-Clause */
/* Regular file: opens input files without waiting. Opening a FIFO or a device may block for ever. */
#pragma once

#include "status.h"

#include <stdbool.h>
#include <stdint.h>

/* Opens a file for reading at *descriptor, which the caller closes; *bytes is its size. SINO_BAD_INPUT: no such file, a
 * folder, or neither a file nor a folder (a FIFO, a device, a socket). */
SinoStatus sino_regular_open(const char *path, int *descriptor, int64_t *bytes);

/* The same check without the file. */
SinoStatus sino_regular_check(const char *path);

/* Reads `count` bytes from byte `offset` on. SINO_FAILED: the file has become shorter, or cannot be read. */
SinoStatus sino_regular_read(const char *path, int descriptor, int64_t offset, int64_t count, void *bytes);

/* Reads the first bytes of a file, at most `most`; returns how many. 0: the file is empty, or cannot be opened or read.
 */
int64_t sino_regular_head(const char *path, int64_t most, void *bytes);

/* Whether a file name has one of the endings (".tif", then NULL); upper and lower case are equal. */
bool sino_file_name_ends(const char *name, const char *const *endings);
