/* SPDX-License-Identifier: BSD-3-Clause */
/* Output file: temporary name, lock, sync, rename. */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
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
    bool stays; /* the temporary file stays if it does not get its final name; changes atomically */
    int descriptor;
    int error_number; /* of the first failed write; 0: none */
    int64_t error_offset;
    int64_t stream_position;
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

/* The folder of a name, without links. NULL: there is none, or no memory. */
static char *folder_of(const char *path)
{
    char *copy = strdup(path);
    char *folder = copy ? realpath(dirname(copy), NULL) : NULL;
    free(copy);
    return folder;
}

/* Whether names in a folder stand for devices and open files of processes. */
static bool is_of_devices(const char *folder)
{
    return strcmp(folder, "/dev") == 0 || strcmp(folder, "/proc") == 0 || strncmp(folder, "/proc/", 6) == 0;
}

/* The name that a link leads to; *next NULL: `path` is no link. */
static SinoStatus read_link(const char *path, char **next)
{
    char target[PATH_MAX];
    struct stat info;
    *next = NULL;
    if (lstat(path, &info) != 0 || !S_ISLNK(info.st_mode)) return NULL;
    char *folder = folder_of(path);
    const bool of_devices = folder && is_of_devices(folder);
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (folder && !of_devices && length > 0 &&
        asprintf(next, "%s%s%.*s", *target == '/' ? "" : folder, *target == '/' ? "" : "/", (int)length, target) < 0)
        *next = NULL;
    free(folder);
    SINO_CHECK(!of_devices, SINO_BAD_INPUT, "%s stands for a device or an open file and cannot be replaced", path);
    SINO_CHECK(*next, SINO_FAILED, "%s is a link that cannot be read", path);
    return NULL;
}

/* The file that `path` names, through links, so that a link stays and what it leads to is replaced. The caller frees
 * it. */
static SinoStatus follow_links(const char *path, char **named)
{
    enum { LINKS_MAX = 40 };
    char *at = strdup(path), *next = NULL;
    SinoStatus status = NULL;
    for (int i = 0; at && i < LINKS_MAX; i++) {
        status = read_link(at, &next);
        if (status || !next) break;
        free(at);
        at = next;
    }
    SINO_CHECK(at, SINO_FAILED, "no memory for a file name");
    *named = at;
    return status;
}

static bool is_named(int descriptor, const char *path)
{
    struct stat mine, named;
    return fstat(descriptor, &mine) == 0 && lstat(path, &named) == 0 && mine.st_dev == named.st_dev &&
           mine.st_ino == named.st_ino;
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

/* Whether no other run has the lock. Some network file systems have no locks; they are as if nobody had it. */
static bool lock(int descriptor)
{
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/* Why a file cannot be one that a run of this user left; NULL: it can. */
static const char *why_foreign(const struct stat *info)
{
    return S_ISLNK(info->st_mode)      ? "it is a symbolic link"
           : !S_ISREG(info->st_mode)   ? "it is not a regular file"
           : info->st_uid != geteuid() ? "it belongs to another user"
           : info->st_nlink != 1       ? "it has a second name"
                                       : NULL;
}

static SinoStatus refuse_foreign(const char *path, const char *temporary, const char *why)
{
    return sino_error(SINO_BAD_INPUT,
                      "%s cannot be written, because %s exists and no killed run of yours left it: %s; remove it, or "
                      "give another name",
                      path, temporary, why);
}

/* Opens and locks a temporary file that a killed run of this user left; *result: −1 if there is none. */
static SinoStatus open_left(const char *path, const char *temporary, int *result)
{
    struct stat info;
    *result = -1;
    if (lstat(temporary, &info) != 0) return errno == ENOENT ? NULL : cannot_open(path, errno);
    const char *why = why_foreign(&info);
    if (why) return refuse_foreign(path, temporary, why);
    const int descriptor = open(temporary, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) return errno == ENOENT ? NULL : refuse_foreign(path, temporary, strerror(errno));
    if (!lock(descriptor)) {
        close(descriptor);
        return cannot_open(path, EWOULDBLOCK);
    }
    if (is_named(descriptor, temporary))
        *result = descriptor;
    else
        close(descriptor);
    return NULL;
}

/* Removes such a file. It is not written to: what is in it might have a second name since. */
static SinoStatus remove_left(const char *path, const char *temporary)
{
    int descriptor;
    SINO_TRY(open_left(path, temporary, &descriptor));
    if (descriptor < 0) return NULL;
    const int failure = unlink(temporary) == 0 ? 0 : errno;
    close(descriptor);
    return failure && failure != ENOENT ? cannot_open(path, failure) : NULL;
}

/* Creates and locks the temporary file. Between the two another run may take it for a file that was left, and remove
 * it; the function then starts again. */
static SinoStatus create_locked(void *of)
{
    SinoOutputFile *file = of;
    const char *path = file->path, *temporary = file->temporary;
    for (int i = 0; i < LOCK_ATTEMPTS; i++) {
        const int descriptor = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (descriptor < 0) {
            if (errno != EEXIST) return cannot_open(path, errno);
            SINO_TRY(remove_left(path, temporary));
            continue;
        }
        if (lock(descriptor) && is_named(descriptor, temporary)) {
            file->descriptor = descriptor;
            return NULL;
        }
        close(descriptor);
    }
    return cannot_open(path, EWOULDBLOCK);
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

/* `again`: with what a killed run left. Such a file also stays when the program ends early. */
static SinoStatus open_output(const char *path, bool overwrite, bool again, SinoOutputFile **opened)
{
    SINO_TRY(check_target(path, overwrite));
    SinoOutputFile *file;
    SINO_TRY(sino_allocate(1, sizeof *file, "an output file", &file));
    SinoStatus status = NULL;
    file->descriptor = -1;
    file->overwrite = overwrite;
    SINO_TRY_OR(status, end, follow_links(path, &file->path));
    if (asprintf(&file->temporary, "%s.partial", file->path) < 0) file->temporary = NULL;
    SINO_CHECK_OR(status, end, file->path && file->temporary, SINO_FAILED, "no memory for a file name");
    if (again) SINO_TRY_OR(status, end, open_left(path, file->temporary, &file->descriptor));
    file->stays = file->descriptor >= 0;
    if (!file->stays) {
        file->last = (SinoLastAct){.act = end_early, .of = file};
        SINO_TRY_OR(status, end, sino_ending_add_made(&file->last, create_locked));
    }
    *opened = file;
    file = NULL;
end:
    if (file) release(file);
    return status;
}

SinoStatus sino_output_open(const char *path, bool overwrite, SinoOutputFile **opened)
{
    return open_output(path, overwrite, false, opened);
}

SinoStatus sino_output_reopen(const char *path, bool overwrite, SinoOutputFile **opened)
{
    return open_output(path, overwrite, true, opened);
}

SinoStatus sino_output_join(const char *path, SinoOutputFile **joined)
{
    SinoOutputFile *file;
    SinoStatus status = NULL;
    SINO_TRY(sino_allocate(1, sizeof *file, "an output file", &file));
    file->descriptor = -1;
    SINO_TRY_OR(status, fail, follow_links(path, &file->path));
    if (asprintf(&file->temporary, "%s.partial", file->path) < 0) file->temporary = NULL;
    SINO_CHECK_OR(status, fail, file->path && file->temporary, SINO_FAILED, "no memory for a file name");
    file->descriptor = open(file->temporary, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    SINO_CHECK_OR(status, fail, file->descriptor >= 0, SINO_FAILED,
                  "%s, which rank 0 has made, cannot be opened: %s; needed: a folder that all ranks share",
                  file->temporary, strerror(errno));
    struct stat info;
    SINO_CHECK_OR(status, fail, fstat(file->descriptor, &info) == 0 && !why_foreign(&info), SINO_FAILED,
                  "%s is not the file that rank 0 has made", file->temporary);
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
    SINO_TRY(open_output(path, overwrite, true, &file));
    if (sino_output_size(file) == 0)
        sino_output_discard(file);
    else
        sino_output_keep(file);
    return NULL;
}

SinoStatus sino_output_protect(SinoOutputFile *file)
{
    struct stat info;
    const mode_t others_write = S_IWGRP | S_IWOTH;
    const bool done =
        fstat(file->descriptor, &info) == 0 &&
        (!(info.st_mode & others_write) || fchmod(file->descriptor, info.st_mode & 07777 & ~others_write) == 0);
    SINO_CHECK(done, SINO_FAILED, "%s: its mode cannot be set: %s", file->path, strerror(errno));
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

/* Puts the new name on disk. Folders that cannot be opened, and file systems that cannot sync folders, do without. */
static SinoStatus sync_folder(const char *path)
{
    char *copy = strdup(path);
    const int folder = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    free(copy);
    if (folder < 0) return NULL;
    const int failure = fsync(folder) == 0 ? 0 : errno;
    close(folder);
    SINO_CHECK(failure != EIO, SINO_FAILED, "%s is complete, but the directory's entry may not be on disk: %s", path,
               strerror(failure));
    return NULL;
}

static SinoStatus give_name(SinoOutputFile *file, bool *taken)
{
    SINO_TRY(sino_output_status(file));
    SINO_CHECK(fsync(file->descriptor) == 0, SINO_FAILED, "%s: writing failed: %s", file->path, strerror(errno));
    SINO_CHECK(is_named(file->descriptor, file->temporary), SINO_FAILED,
               "%s was not written: %s was removed or replaced meanwhile", file->path, file->temporary);
    sino_ending_remove(&file->last);
    const int result = file->overwrite ? rename(file->temporary, file->path) : rename_new(file->temporary, file->path);
    *taken = result != 0 && errno == EEXIST;
    SINO_CHECK(!*taken, SINO_FAILED, "%s appeared while it was being written and is left as it is; the new file is %s",
               file->path, file->temporary);
    SINO_CHECK(result == 0, SINO_FAILED, "%s cannot be given its name: %s", file->path, strerror(errno));
    return NULL;
}

/* Not a file that has taken its place. */
static void remove_temporary(const SinoOutputFile *file)
{
    if (is_named(file->descriptor, file->temporary)) unlink(file->temporary);
}

static void give_up(const SinoOutputFile *file)
{
    if (!__atomic_load_n(&file->stays, __ATOMIC_ACQUIRE)) remove_temporary(file);
}

SinoStatus sino_output_seal(SinoOutputFile *file)
{
    bool taken = false;
    SinoStatus status = give_name(file, &taken);
    if (!status)
        status = sync_folder(file->path);
    else if (!taken)
        give_up(file);
    release(file);
    return status;
}

void sino_output_give_up(SinoOutputFile *file)
{
    give_up(file);
    release(file);
}

void sino_output_discard(SinoOutputFile *file)
{
    if (!file) return;
    remove_temporary(file);
    release(file);
}

void sino_output_stay(SinoOutputFile *file)
{
    __atomic_store_n(&file->stays, true, __ATOMIC_RELEASE);
    sino_ending_remove(&file->last);
}

void sino_output_keep(SinoOutputFile *file)
{
    if (file) release(file);
}

static ssize_t stream_write(void *cookie, const char *bytes, size_t count)
{
    SinoOutputFile *file = cookie;
    sino_output_write(file, file->stream_position, bytes, count);
    file->stream_position += (int64_t)count;
    return (ssize_t)count;
}

FILE *sino_output_stream(SinoOutputFile *file)
{
    file->stream_position = 0;
    return fopencookie(file, "w", (cookie_io_functions_t){.write = stream_write});
}

SinoStatus sino_output_print(SinoOutputFile *file, SinoStatus (*print)(const void *of, FILE *out), const void *of)
{
    FILE *out = sino_output_stream(file);
    SinoStatus status = out ? print(of, out) : sino_error(SINO_FAILED, "no memory for %s", file->path);
    if (out) (void)fclose(out); /* the file has recorded what failed */
    if (!status) return sino_output_seal(file);
    sino_output_discard(file);
    return status;
}
