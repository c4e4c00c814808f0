/* SPDX-License-Identifier: BSD-3-Clause */
/* File identity: refuses outputs that would replace an input or another output, however their names are spelled. */
#pragma once

#include "status.h"

#include <stdint.h>

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
