/* SPDX-License-Identifier: BSD-3-Clause */
/* Output file: temporary name, lock, sync, rename. */
#include "output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ending.h"
#include "memory.h"

enum { LOCK_ATTEMPTS = 16 };

struct SinoOutputFile {
    char *path, *temporary;
    bool overwrite;
    int descriptor;
    int error_number; /* of the first failed write; 0: none */
    int64_t error_offset;
    SinoLastAct last; /* removes the temporary file, while it is incomplete */
};

static SinoStatus check_target(const char *path, bool overwrite)
{
    struct stat info;
    const size_t length = strlen(path);
    SINO_CHECK(length > 0 && path[length - 1] != '/', SINO_BAD_INPUT, "\"%s\" is not the name of a file", path);
    if (stat(path, &info) == 0) {
        SINO_CHECK(!S_ISDIR(info.st_mode), SINO_BAD_INPUT, "%s is a directory; give the name of a file", path);
        SINO_CHECK(S_ISREG(info.st_mode), SINO_BAD_INPUT, "%s is not a regular file and cannot be replaced", path);
    }
    SINO_CHECK(overwrite || lstat(path, &info) != 0, SINO_BAD_INPUT, "%s exists; --overwrite replaces it", path);
    return NULL;
}

static bool is_named(int descriptor, const char *path)
{
    struct stat mine, named;
    return fstat(descriptor, &mine) == 0 && lstat(path, &named) == 0 && mine.st_dev == named.st_dev &&
           mine.st_ino == named.st_ino;
}

/* Opens and locks a file; −1 and errno on failure. Between open and flock another run may rename or remove the file, so
 * the function then starts again. */
static int open_locked(const char *path)
{
    for (int i = 0; i < LOCK_ATTEMPTS; i++) {
        const int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (descriptor < 0) return -1;
        /* Some network file systems have no locks; the lock is skipped there. */
        const bool taken = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        if (!taken && is_named(descriptor, path)) return descriptor;
        close(descriptor);
        errno = EWOULDBLOCK;
        if (taken) return -1;
    }
    return -1;
}

/* The error names the directory, because nearly always the directory is the cause. */
static SinoStatus cannot_open(const char *path, int error_number)
{
    const char *slash = strrchr(path, '/');
    const int length = slash && slash != path ? (int)(slash - path) : 1;
    const bool disk = error_number == ENOSPC || error_number == EDQUOT || error_number == EIO;
    if (error_number == EWOULDBLOCK) return sino_error(SINO_BAD_INPUT, "%s is being written by another run", path);
    return sino_error(disk ? SINO_FAILED : SINO_BAD_INPUT, "%s cannot be written in directory %.*s: %s", path, length,
                      slash ? path : ".", strerror(error_number));
}

static void release(SinoOutputFile *file)
{
    sino_ending_remove(&file->last);
    if (file->descriptor >= 0) close(file->descriptor); /* a sealed file is synced, any other one is unlinked */
    free(file->path);
    free(file->temporary);
    free(file);
}

static void end_early(void *of, FILE *clause)
{
    (void)clause; /* the owner of the file says what it was */
    unlink(((const SinoOutputFile *)of)->temporary);
}

SinoStatus sino_output_open(const char *path, bool overwrite, SinoOutputFile **opened)
{
    SINO_TRY(check_target(path, overwrite));
    SinoOutputFile *file;
    SINO_TRY(sino_allocate(1, sizeof *file, "an output file", &file));
    SinoStatus status = NULL;
    file->descriptor = -1;
    file->overwrite = overwrite;
    file->path = strdup(path);
    if (asprintf(&file->temporary, "%s.partial", path) < 0) file->temporary = NULL;
    SINO_CHECK_OR(status, end, file->path && file->temporary, SINO_FAILED, "no memory for a file name");
    file->descriptor = open_locked(file->temporary);
    if (file->descriptor < 0) SINO_TRY_OR(status, end, cannot_open(path, errno));
    SINO_CHECK_OR(status, end, ftruncate(file->descriptor, 0) == 0, SINO_FAILED, "%s: %s", file->temporary,
                  strerror(errno));
    file->last = (SinoLastAct){.act = end_early, .of = file};
    sino_ending_add(&file->last);
    *opened = file;
    file = NULL;
end:
    if (file) release(file);
    return status;
}

SinoStatus sino_output_join(const char *path, SinoOutputFile **joined)
{
    SinoOutputFile *file;
    SinoStatus status = NULL;
    SINO_TRY(sino_allocate(1, sizeof *file, "an output file", &file));
    file->descriptor = -1;
    file->path = strdup(path);
    if (asprintf(&file->temporary, "%s.partial", path) < 0) file->temporary = NULL;
    SINO_CHECK_OR(status, fail, file->path && file->temporary, SINO_FAILED, "no memory for a file name");
    file->descriptor = open(file->temporary, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    SINO_CHECK_OR(status, fail, file->descriptor >= 0, SINO_FAILED,
                  "%s, which rank 0 has made, cannot be opened: %s; needed: a folder that all ranks share",
                  file->temporary, strerror(errno));
    *joined = file;
    return NULL;
fail:
    release(file);
    return status;
}

SinoStatus sino_output_leave(SinoOutputFile *file)
{
    SinoStatus status = sino_output_status(file);
    if (!status && fsync(file->descriptor) != 0)
        status = sino_error(SINO_FAILED, "%s: writing failed: %s", file->path, strerror(errno));
    release(file);
    return status;
}

SinoStatus sino_output_check(const char *path, bool overwrite)
{
    SinoOutputFile *file = NULL;
    SINO_TRY(sino_output_open(path, overwrite, &file));
    sino_output_discard(file);
    return NULL;
}

SinoStatus sino_output_reserve(SinoOutputFile *file, int64_t bytes)
{
    if (bytes == 0 || fallocate(file->descriptor, 0, 0, bytes) == 0) return NULL;
    const bool no_room = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
    char text[24];
    SINO_CHECK(!no_room, SINO_FAILED, "%s: no room for %s: %s", file->path, sino_bytes_text(bytes, text),
               strerror(errno));
    return NULL;
}

static void remember(SinoOutputFile *file, int error_number, int64_t offset)
{
    if (file->error_number) return;
    file->error_number = error_number;
    file->error_offset = offset;
}

void sino_output_write(SinoOutputFile *file, int64_t offset, const void *bytes, size_t count)
{
    const char *rest = bytes;
    while (count > 0) {
        const ssize_t written = pwrite(file->descriptor, rest, count, offset);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            remember(file, written < 0 ? errno : EIO, offset);
            return;
        }
        rest += written;
        offset += written;
        count -= (size_t)written;
    }
}

void sino_output_resize(SinoOutputFile *file, int64_t bytes)
{
    if (ftruncate(file->descriptor, bytes) != 0) remember(file, errno, bytes);
}

void sino_output_sync(SinoOutputFile *file)
{
    if (fsync(file->descriptor) != 0) remember(file, errno, 0);
}

SinoStatus sino_output_status(const SinoOutputFile *file)
{
    SINO_CHECK(!file->error_number, SINO_FAILED, "%s: writing failed at byte %" PRId64 ": %s", file->path,
               file->error_offset, strerror(file->error_number));
    return NULL;
}

bool sino_output_read(const SinoOutputFile *file, int64_t offset, void *bytes, size_t count)
{
    char *rest = bytes;
    while (count > 0) {
        const ssize_t got = pread(file->descriptor, rest, count, offset);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return false;
        if (got == 0) break;
        rest += got;
        offset += got;
        count -= (size_t)got;
    }
    memset(rest, 0, count);
    return true;
}

int64_t sino_output_size(const SinoOutputFile *file)
{
    struct stat info;
    return fstat(file->descriptor, &info) == 0 ? info.st_size : 0;
}

/* Renames, but fails with EEXIST instead of replacing a file. If the file system lacks this rename, link(2) also
 * refuses an existing name; without both, a test of the name before the rename must do. */
static int rename_new(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return -1;
    if (link(from, to) == 0) return unlink(from);
    if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS) return -1;
    struct stat info;
    if (lstat(to, &info) != 0) return rename(from, to);
    errno = EEXIST;
    return -1;
}

static SinoStatus give_name(SinoOutputFile *file, bool *taken)
{
    SINO_TRY(sino_output_status(file));
    SINO_CHECK(fsync(file->descriptor) == 0, SINO_FAILED, "%s: writing failed: %s", file->path, strerror(errno));
    sino_ending_remove(&file->last);
    const int result = file->overwrite ? rename(file->temporary, file->path) : rename_new(file->temporary, file->path);
    *taken = result != 0 && errno == EEXIST;
    SINO_CHECK(!*taken, SINO_FAILED, "%s appeared while it was being written and is left as it is; the new file is %s",
               file->path, file->temporary);
    SINO_CHECK(result == 0, SINO_FAILED, "%s cannot be given its name: %s", file->path, strerror(errno));
    return NULL;
}

SinoStatus sino_output_seal(SinoOutputFile *file)
{
    bool taken = false;
    SinoStatus status = give_name(file, &taken);
    if (status && !taken) unlink(file->temporary);
    release(file);
    return status;
}

void sino_output_discard(SinoOutputFile *file)
{
    if (!file) return;
    unlink(file->temporary);
    release(file);
}
