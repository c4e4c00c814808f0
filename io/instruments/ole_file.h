/* SPDX-License-Identifier: BSD-3-Clause */
/* OLE file: streams of a compound file (MS-CFB), by path. Everything that a file declares is checked against its size.
 */
#pragma once

#include "status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct SinoOle SinoOle;

/* Opens a compound file; the caller closes it. SINO_BAD_INPUT: it is none, or damaged. */
SinoStatus sino_ole_open(const char *path, SinoOle **ole);
void sino_ole_close(SinoOle *ole); /* takes NULL */

/* The number of the stream "Storage/Stream", upper and lower case alike; −1: there is none. */
int64_t sino_ole_find(const SinoOle *ole, const char *name);
int64_t sino_ole_bytes(const SinoOle *ole, int64_t stream);

/* Reads `count` bytes of a stream from byte `offset` on. SINO_BAD_INPUT: the stream is shorter, or its sectors are
 * damaged. */
SinoStatus sino_ole_read(const SinoOle *ole, int64_t stream, int64_t offset, int64_t count, void *bytes);
