/* SPDX-License-Identifier: BSD-3-Clause */
/* Tar file: files in one, without compression (POSIX.1-1988, ustar). */
#pragma once

#include "status.h"

#include <stdio.h>

/* Appends the file `path` under `name`, ASCII of at most 99 bytes. Failures of writing are those of the stream.
 * SINO_FAILED: the file cannot be read, changes meanwhile, or has 8 GiB or more. */
SinoStatus sino_tar_add(FILE *out, const char *name, const char *path);

/* After the last file. */
void sino_tar_end(FILE *out);
