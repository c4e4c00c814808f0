/* SPDX-License-Identifier: BSD-3-Clause */
/* Output file: a file that gets its final name only when it is complete; until then it is "NAME.partial" in the same
 * folder.
 *
 * The temporary file is a new one (O_EXCL), so that nothing that exists is written to. It is locked (flock), so a
 * second run with the same output is refused. The temporary file of a killed run of the same user is removed, unless it
 * is reopened. */
#pragma once

#include "status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct SinoOutputFile SinoOutputFile;

/* Creates the temporary file; the caller ends with _seal or _discard. SINO_BAD_INPUT: the path exists without
 * overwrite, is not a regular file, its directory is missing or not writable, another process is writing this output,
 * or the temporary name is taken by something that no killed run of this user can have left. */
SinoStatus sino_output_open(const char *path, bool overwrite, SinoOutputFile **file);

/* Opens the temporary file that a killed run of the same user left behind, with its contents, and otherwise creates it.
 * Errors as of sino_output_open. */
SinoStatus sino_output_reopen(const char *path, bool overwrite, SinoOutputFile **file);

/* Opens the temporary file of another process, to write parts of it at the same time. SINO_FAILED: the file does not
 * exist. */
SinoStatus sino_output_join(const char *path, SinoOutputFile **file);

/* Syncs a joined file, which keeps its temporary name, and frees it. */
SinoStatus sino_output_leave(SinoOutputFile *file);

/* Does the checks of sino_output_open, and leaves the folder as it was. */
SinoStatus sino_output_check(const char *path, bool overwrite);

/* Takes from everybody but the owner the permission to write to the file. */
SinoStatus sino_output_protect(SinoOutputFile *file);

/* Reserves `bytes` of disk space; does nothing on file systems that cannot. */
SinoStatus sino_output_reserve(SinoOutputFile *file, int64_t bytes);

/* A failed write or resize is recorded, not returned: libraries that write through these functions (HDF5, libtiff) then
 * finish normally, instead of reacting to a full disk each in its own way. Later writes are still tried. */
void sino_output_write(SinoOutputFile *file, int64_t offset, const void *bytes, size_t count);
void sino_output_resize(SinoOutputFile *file, int64_t bytes);

/* A stream that writes to the file from its beginning; NULL: no memory. The caller closes it before the file is sealed
 * or discarded. A failed write is recorded, not reported by the stream. */
FILE *sino_output_stream(SinoOutputFile *file);

/* Lets `print` write the whole file as text, and seals it, or discards it after an error. */
SinoStatus sino_output_print(SinoOutputFile *file, SinoStatus (*print)(const void *of, FILE *out), const void *of);

/* Makes what was written visible to other processes that open the file, on network file systems too. */
void sino_output_sync(SinoOutputFile *file);

/* The first recorded failure as SINO_FAILED; NULL: none. */
SinoStatus sino_output_status(const SinoOutputFile *file);

/* Reads bytes back; bytes beyond the end of the file are zeros. False: reading failed. */
bool sino_output_read(const SinoOutputFile *file, int64_t offset, void *bytes, size_t count);

/* Size in bytes; 0 when the system cannot tell. */
int64_t sino_output_size(const SinoOutputFile *file);

/* Syncs the file, gives it its final name unless a write failed, and syncs its folder. Frees the file in either case.
 * On failure the temporary file is removed, unless sino_output_stay was called or another file took the name meanwhile:
 * then the temporary file is complete and stays. Without overwrite no existing file is ever replaced, not even one that
 * appears at this moment.
 */
SinoStatus sino_output_seal(SinoOutputFile *file);
void sino_output_discard(SinoOutputFile *file); /* removes the temporary file; takes NULL */
void sino_output_keep(SinoOutputFile *file);    /* leaves the temporary file for sino_output_reopen; takes NULL */

/* From now on the temporary file is left for sino_output_reopen if it cannot be sealed, and if the program ends early
 * (ending.h). A reopened file always is. Called from any thread. */
void sino_output_stay(SinoOutputFile *file);

/* Ends a file that cannot be completed: as _keep if it is to stay, else as _discard. */
void sino_output_give_up(SinoOutputFile *file);
