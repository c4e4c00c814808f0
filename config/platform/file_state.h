/* SPDX-License-Identifier: BSD-3-Clause */
/* File state: whether a file that another process may write has changed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

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
