/* SPDX-License-Identifier: BSD-3-Clause */
/* Files: opened, compared, and written as a whole or not at all. */
#pragma once

#include "status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

/* Regular file: opens input files without waiting. Opening a FIFO or a device may block for ever. */

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

/* File identity: refuses outputs that would replace an input or another output, however their names are spelled. */

/* A named file of a run. */
typedef struct SinoNamedFile SinoNamedFile;

typedef struct SinoNamedFiles {
    int64_t count;
    SinoNamedFile *file; /* owned */
} SinoNamedFiles;

/* Add a file that is read, or one that will be written, with the temporary name PATH.partial. `what` names its role in
 * errors, such as "--out", and is a constant. `path` is copied. Path NULL: no file. SINO_FAILED: no memory. */
SinoStatus sino_files_input(SinoNamedFiles *files, const char *what, const char *path);
SinoStatus sino_files_output(SinoNamedFiles *files, const char *what, const char *path);

/* Sorts the files. SINO_BAD_INPUT: an output is the same file as an input or another output: by device and inode, or,
 * of files that do not exist, by name in the same folder. */
SinoStatus sino_files_check(SinoNamedFiles *files);

void sino_files_free(SinoNamedFiles *files); /* leaves an empty list */

/* File state: whether a file that another process may write has changed. */

typedef struct SinoFileState {
    int64_t inode, bytes, modified_s, modified_ns;
} SinoFileState;

/* Of a file now; zeros: it is not there. */
static inline SinoFileState sino_file_state(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0) return (SinoFileState){0};
    return (SinoFileState){.inode = (int64_t)about.st_ino,
                           .bytes = (int64_t)about.st_size,
                           .modified_s = (int64_t)about.st_mtim.tv_sec,
                           .modified_ns = (int64_t)about.st_mtim.tv_nsec};
}

static inline bool sino_file_state_same(const SinoFileState *a, const SinoFileState *b)
{
    return a->inode == b->inode && a->bytes == b->bytes && a->modified_s == b->modified_s &&
           a->modified_ns == b->modified_ns;
}

/* Output file: a file that gets its final name only when it is complete; until then it is "NAME.partial" in the same
 * folder.
 *
 * The temporary file is a new one (O_EXCL), so that nothing that exists is written to. It is locked (flock), so a
 * second run with the same output is refused. The temporary file of a killed run of the same user is removed, unless it
 * is reopened. */

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
 * appears at this moment. */
SinoStatus sino_output_seal(SinoOutputFile *file);
void sino_output_discard(SinoOutputFile *file); /* removes the temporary file; takes NULL */
void sino_output_keep(SinoOutputFile *file);    /* leaves the temporary file for sino_output_reopen; takes NULL */

/* From now on the temporary file is left for sino_output_reopen if it cannot be sealed, and if the program ends early
 * (ending.h). A reopened file always is. Called from any thread. */
void sino_output_stay(SinoOutputFile *file);

/* Ends a file that cannot be completed: as _keep if it is to stay, else as _discard. */
void sino_output_give_up(SinoOutputFile *file);
