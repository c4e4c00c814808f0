/* SPDX-License-Identifier: BSD-3-Clause */
/* Regular file: O_NONBLOCK for the open, then a look at what was opened, so that no other file can slip in between. */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>
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

SinoStatus sino_regular_read(const char *path, int descriptor, int64_t offset, int64_t count, void *bytes)
{
    char *rest = bytes;
    while (count > 0) {
        const ssize_t got = pread(descriptor, rest, (size_t)count, offset);
        if (got < 0 && errno == EINTR) continue;
        SINO_CHECK(got > 0, SINO_FAILED, "%s cannot be read at byte %" PRId64 ": %s", path, offset,
                   got < 0 ? strerror(errno) : "the file has become shorter");
        rest += got;
        offset += got;
        count -= got;
    }
    return NULL;
}

int64_t sino_regular_head(const char *path, int64_t most, void *bytes)
{
    int descriptor;
    int64_t count = 0;
    SinoStatus status = sino_regular_open(path, &descriptor, &count);
    if (!status) {
        count = count < most ? count : most;
        status = sino_regular_read(path, descriptor, 0, count, bytes);
        close(descriptor);
    }
    if (!status) return count;
    sino_status_free(status);
    return 0;
}

bool sino_file_name_ends(const char *name, const char *const *endings)
{
    const size_t length = strlen(name);
    for (int i = 0; endings[i]; i++) {
        const size_t ending = strlen(endings[i]);
        if (length > ending && strcasecmp(name + length - ending, endings[i]) == 0) return true;
    }
    return false;
}
