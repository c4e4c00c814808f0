/* SPDX-License-Identifier: BSD-3-Clause */
/* Path kind: the type of file at a path. A FIFO or a device is recognised before it is opened, because opening may
 * block. */
#pragma once

#include <sys/stat.h>

typedef enum SinoPathKind {
    SINO_PATH_ABSENT, /* no such path, or not reachable; errno is set */
    SINO_PATH_FILE,
    SINO_PATH_FOLDER,
    SINO_PATH_OTHER
} SinoPathKind;

static inline SinoPathKind sino_path_kind(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0) return SINO_PATH_ABSENT;
    if (S_ISREG(about.st_mode)) return SINO_PATH_FILE;
    return S_ISDIR(about.st_mode) ? SINO_PATH_FOLDER : SINO_PATH_OTHER;
}
