/* SPDX-License-Identifier: BSD-3-Clause */
/* Inner path: colons may be part of both names, so that files which exist decide. */
#include "paths.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static bool is_file(const char *path)
{
    const SinoPathKind kind = sino_path_kind(path);
    return kind == SINO_PATH_FILE || kind == SINO_PATH_OTHER; /* FIFOs are refused when they are opened */
}

SinoStatus sino_inner_path_split(const char *given, char **file, char **inner)
{
    *inner = NULL;
    *file = strdup(given);
    SINO_CHECK(*file, SINO_FAILED, "no memory for a file name");
    if (sino_path_kind(given) != SINO_PATH_ABSENT) return NULL;
    const int reason = errno;
    for (char *colon = strchr(*file, ':'); colon; colon = strchr(colon + 1, ':')) {
        *colon = '\0';
        if (is_file(*file)) {
            *inner = strdup(colon + 1);
            SINO_CHECK(*inner, SINO_FAILED, "no memory for a file name");
            return NULL;
        }
        *colon = ':';
    }
    return sino_error(SINO_BAD_INPUT, "%s: %s", given, strerror(reason));
}
