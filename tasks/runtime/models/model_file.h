/* SPDX-License-Identifier: BSD-3-Clause */
/* Model file: a file of StarPU's measurements that another run can trust. Its last line has a checksum of what precedes
 * it, and the number of the set to which it belongs; StarPU takes the line for a comment. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum SinoModelFileState {
    SINO_MODEL_FILE_NONE,    /* there is no such file, or no memory for it */
    SINO_MODEL_FILE_DAMAGED, /* not a file, not sealed, or not as it was sealed */
    SINO_MODEL_FILE_GOOD
} SinoModelFileState;

typedef struct SinoModelFile {
    char *text; /* without the last line; owned */
    size_t bytes;
    uint64_t set;
} SinoModelFile;

/* Reads a sealed file. Unless the state is GOOD, `file` is empty. */
SinoModelFileState sino_model_file_read(const char *path, SinoModelFile *file);

/* Reads a file that StarPU has written. False: there is none, or it does not end with a line. */
bool sino_model_file_read_plain(const char *path, SinoModelFile *file);

/* Write the text alone, and the text with its last line. An existing file is replaced at once: no reader sees a part of
 * the new one. False, with errno: not written. */
bool sino_model_file_write_plain(const char *path, const SinoModelFile *file);
bool sino_model_file_write(const char *path, const SinoModelFile *file);

bool sino_model_file_same(const SinoModelFile *a, const SinoModelFile *b); /* the texts */
void sino_model_file_free(SinoModelFile *file);                            /* leaves it empty */
