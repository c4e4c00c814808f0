/* SPDX-License-Identifier: BSD-3-Clause */
/* Regular file: O_NONBLOCK for the open, then a look at what was opened, so that no other file can slip in between. */
#include "regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static SinoStatus check_kind(const char *path, int descriptor, int64_t *bytes)
{
    struct stat about;
    SINO_CHECK(fstat(descriptor, &about) == 0, SINO_BAD_INPUT, "%s: %s", path, strerror(errno));
    SINO_CHECK(!S_ISDIR(about.st_mode), SINO_BAD_INPUT, "%s is a directory; give the name of a file", path);
    SINO_CHECK(S_ISREG(about.st_mode), SINO_BAD_INPUT, "%s is not a regular file", path);
    *bytes = about.st_size;
    return NULL;
}

SinoStatus sino_regular_open(const char *path, int *descriptor, int64_t *bytes)
{
    const int opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    SINO_CHECK(opened >= 0, SINO_BAD_INPUT, "%s: %s", path, strerror(errno));
    SinoStatus status = check_kind(path, opened, bytes);
    if (status) {
        close(opened);
        return status;
    }
    *descriptor = opened;
    return NULL;
}

SinoStatus sino_regular_check(const char *path)
{
    int descriptor;
    int64_t bytes;
    SINO_TRY(sino_regular_open(path, &descriptor, &bytes));
    close(descriptor);
    return NULL;
}
