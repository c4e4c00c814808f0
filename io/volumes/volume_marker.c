/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume marker: a small text file, for people too. */
#include "volume_private.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"

struct SinoVolumeMarker {
    char *path;
    int descriptor; /* holds the lock */
    struct timespec made;
};

/* The word that tells whether the slices beside the marker are those of its run alone. */
static const char replacing_text[] = "It was replacing those of an earlier run.\n";
static const char own_text[] = "All recon_*.tiff files of these rows are its own.\n";

#define TOKEN_TEXT "run %" PRId64 "\n"

const char *sino_volume_marker_name(const SinoVolumeRequest *request, char name[SINO_MARKER_NAME])
{
    const int64_t last = request->first_row + (request->slice_count - 1) * request->row_step;
    snprintf(name, SINO_MARKER_NAME, "recon_%05" PRId64 "_to_%05" PRId64 ".partial", request->first_row, last);
    return name;
}

/* The caller frees *path. */
static SinoStatus marker_path(const SinoVolumeRequest *request, char **path)
{
    char name[SINO_MARKER_NAME];
    SINO_CHECK(asprintf(path, "%s/%s", request->tiff_directory, sino_volume_marker_name(request, name)) >= 0,
               SINO_FAILED, "no memory for a file name");
    return NULL;
}

/* Some network file systems have no locks; the lock is skipped there. */
static bool is_locked(int descriptor)
{
    return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

static SinoStatus busy(const SinoVolumeRequest *request)
{
    return sino_error(SINO_BAD_INPUT, "%s is being written by another run", request->tiff_directory);
}

enum { TEXT_SIZE = 512 };

static void read_text(int descriptor, char text[TEXT_SIZE])
{
    const ssize_t length = pread(descriptor, text, TEXT_SIZE - 1, 0);
    text[length > 0 ? length : 0] = '\0';
}

/* A hard link, or a file of another user, could be anyone's. */
static SinoStatus check_owner(const char *path, int descriptor)
{
    struct stat about;
    SINO_CHECK(fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && about.st_nlink == 1 &&
                   about.st_uid == geteuid(),
               SINO_BAD_INPUT, "%s is no file of this user alone; allowed: no such file", path);
    return NULL;
}

static SinoStatus read_state(const SinoVolumeRequest *request, const char *path, int descriptor, SinoMarkerState *state)
{
    char text[TEXT_SIZE];
    SINO_TRY(check_owner(path, descriptor));
    if (is_locked(descriptor)) return busy(request);
    read_text(descriptor, text);
    /* A marker that was cut off, as by a full disk, tells nothing; replacing is the careful reading. */
    *state = strstr(text, own_text) ? SINO_MARKER_OWN : SINO_MARKER_REPLACING;
    return NULL;
}

SinoStatus sino_volume_marker_look(const SinoVolumeRequest *request, SinoMarkerState *state)
{
    char *path;
    SINO_TRY(marker_path(request, &path));
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const int error_number = errno;
    SinoStatus status = NULL;
    if (descriptor >= 0)
        status = read_state(request, path, descriptor, state);
    else if (error_number == ENOENT || error_number == ENOTDIR)
        *state = SINO_MARKER_NONE;
    else
        status = sino_error(SINO_BAD_INPUT, "%s: %s", path, strerror(error_number));
    if (descriptor >= 0) close(descriptor);
    free(path);
    return status;
}

/* Opens, checks and locks the file. */
static SinoStatus take(const SinoVolumeRequest *request, SinoVolumeMarker *marker)
{
    marker->descriptor = open(marker->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    SINO_CHECK(marker->descriptor >= 0, errno == ENOSPC || errno == EDQUOT ? SINO_FAILED : SINO_BAD_INPUT,
               "%s cannot be written: %s", marker->path, strerror(errno));
    SINO_TRY(check_owner(marker->path, marker->descriptor));
    return is_locked(marker->descriptor) ? busy(request) : NULL;
}

static SinoStatus fill(const SinoVolumeRequest *request, bool replacing, int64_t token, SinoVolumeMarker *marker)
{
    struct stat about;
    char text[TEXT_SIZE];
    const int64_t last = request->first_row + (request->slice_count - 1) * request->row_step;
    const int length = snprintf(
        text, sizeof text,
        "sinodag has not finished the volume of rows %" PRId64 " to %" PRId64 " in this folder.\n%s"
        "If no run is writing them, one ended early; the same command makes the volume anew%s.\n" TOKEN_TEXT,
        request->first_row, last, replacing ? replacing_text : own_text, replacing ? " with --overwrite" : "", token);
    const bool written = ftruncate(marker->descriptor, 0) == 0 &&
                         pwrite(marker->descriptor, text, (size_t)length, 0) == length &&
                         fsync(marker->descriptor) == 0 && fstat(marker->descriptor, &about) == 0;
    SINO_CHECK(written, SINO_FAILED, "%s cannot be written: %s", marker->path, strerror(errno));
    marker->made = about.st_mtim;
    return NULL;
}

SinoStatus sino_volume_marker_open(const SinoVolumeRequest *request, bool replacing, int64_t token,
                                   SinoVolumeMarker **result)
{
    SinoVolumeMarker *marker;
    SINO_TRY(sino_allocate(1, sizeof *marker, "a volume's marker", &marker));
    marker->descriptor = -1;
    SinoStatus status = marker_path(request, &marker->path);
    if (!status) status = take(request, marker);
    if (!status) status = fill(request, replacing, token, marker);
    if (status)
        sino_volume_marker_close(marker, true);
    else
        *result = marker;
    return status;
}

SinoStatus sino_volume_marker_check(const SinoVolumeRequest *request, int64_t token)
{
    char *path, text[TEXT_SIZE] = "", expected[40];
    SINO_TRY(marker_path(request, &path));
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    free(path);
    if (descriptor >= 0) {
        read_text(descriptor, text);
        close(descriptor);
    }
    snprintf(expected, sizeof expected, TOKEN_TEXT, token);
    SINO_CHECK(strstr(text, expected), SINO_BAD_INPUT,
               "%s is another folder on this rank than on rank 0; allowed: a folder that all ranks share",
               request->tiff_directory);
    return NULL;
}

bool sino_volume_marker_precedes(const SinoVolumeMarker *marker, const char *path)
{
    struct stat about;
    if (lstat(path, &about) != 0) return false;
    const struct timespec *time = &about.st_mtim, *made = &marker->made;
    return time->tv_sec > made->tv_sec || (time->tv_sec == made->tv_sec && time->tv_nsec >= made->tv_nsec);
}

void sino_volume_marker_close(SinoVolumeMarker *marker, bool stays)
{
    if (!marker) return;
    if (!stays) unlink(marker->path);
    if (marker->descriptor >= 0) close(marker->descriptor);
    free(marker->path);
    free(marker);
}
