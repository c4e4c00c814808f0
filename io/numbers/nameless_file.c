/* SPDX-License-Identifier: BSD-3-Clause */
/* Nameless file: of the system where it can, else one whose name is removed at once. */
#include "npy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static SinoStatus open_file(int *descriptor)
{
    const char *place = getenv("TMPDIR");
    char name[4096];
    if (!place || !*place) place = "/tmp";
    *descriptor = open(place, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (*descriptor >= 0) return NULL;
    const int length = snprintf(name, sizeof name, "%s/sinodag-XXXXXX", place);
    *descriptor = length < (int)sizeof name ? mkstemp(name) : -1;
    SINO_CHECK(*descriptor >= 0, SINO_FAILED, "no temporary file in %s: %s; allowed: TMPDIR with another folder", place,
               strerror(errno));
    (void)unlink(name);
    return NULL;
}

SinoStatus sino_nameless_new(SinoStatus (*fill)(void *owner, int descriptor), void *owner, int *descriptor)
{
    int opened;
    SINO_TRY(open_file(&opened));
    SinoStatus status = fill(owner, opened);
    if (status)
        close(opened);
    else
        *descriptor = opened;
    return status;
}

SinoStatus sino_nameless_write(const char *path, int descriptor, const char *bytes, int64_t count)
{
    while (count > 0) {
        const ssize_t written = write(descriptor, bytes, (size_t)count);
        if (written < 0 && errno == EINTR) continue;
        SINO_CHECK(written > 0, SINO_FAILED,
                   "%s: the temporary file for a compressed array cannot be written: %s; allowed: TMPDIR with a "
                   "folder that has room",
                   path, strerror(errno));
        bytes += written;
        count -= written;
    }
    return NULL;
}
