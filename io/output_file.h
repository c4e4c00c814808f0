/* SPDX-License-Identifier: BSD-3-Clause */
/* Output file: a file that gets its name only when it is whole; until then its bytes are in "NAME.partial" beside it.
 *
 * The temporary file is locked (flock), so a second run with the same output is refused, and what a killed run left is
 * overwritten. */
#ifndef SINO_OUTPUT_FILE_H
#define SINO_OUTPUT_FILE_H

#include "status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct SinoOutputFile SinoOutputFile;

/* SINO_BAD_INPUT: the path exists and no overwrite, is no regular file, its directory is missing or not writable, or
 * another process is writing it. */
SinoStatus sino_output_open(const char *path, bool overwrite, SinoOutputFile **file);

/* The temporary file that another process has opened, to write parts of it beside. SINO_FAILED: it is not there. */
SinoStatus sino_output_join(const char *path, SinoOutputFile **file);

/* Syncs what was written to a joined file, which keeps its temporary name. Frees it. */
SinoStatus sino_output_leave(SinoOutputFile *file);

/* The same checks; nothing stays behind. */
SinoStatus sino_output_check(const char *path, bool overwrite);

/* Makes sure of `bytes` of room on disk; does nothing on file systems that cannot. */
SinoStatus sino_output_reserve(SinoOutputFile *file, int64_t bytes);

/* A failed write or resize is remembered, not returned: libraries that write through these calls (HDF5, libtiff) go on
 * to a clean end instead of each library's own behaviour on a full disk. Later writes are tried nevertheless. */
void sino_output_write(SinoOutputFile *file, int64_t offset, const void *bytes, size_t count);
void sino_output_resize(SinoOutputFile *file, int64_t bytes);

/* The first failure so far, as SINO_FAILED; NULL when there was none. */
SinoStatus sino_output_status(const SinoOutputFile *file);

/* Reads back; beyond the end are zeros. False: failed. */
bool sino_output_read(const SinoOutputFile *file, int64_t offset, void *bytes, size_t count);

/* Size in bytes; 0 when it cannot be told. */
int64_t sino_output_size(const SinoOutputFile *file);

/* Syncs and gives the final name, unless a write failed. Frees the file either way; on failure the temporary file is
 * removed, except when the name was taken meanwhile: then it is whole and stays. Without overwrite no existing file is
 * ever replaced, not even one that appears at this moment. */
SinoStatus sino_output_seal(SinoOutputFile *file);
void sino_output_discard(SinoOutputFile *file); /* removes the temporary file; takes NULL */

#endif
