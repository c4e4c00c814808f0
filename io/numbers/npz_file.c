/* SPDX-License-Identifier: BSD-3-Clause */
/* NPZ file: finds arrays by their names and reads their headers. */
#include "npy.h"

#include "arithmetic.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool sino_npz_probe_file(const char *path)
{
    char head[256];
    const int64_t count = sino_regular_head(path, sizeof head, head);
    return count > 30 && memcmp(head, "PK\3\4", 4) == 0 && memmem(head + 30, (size_t)count - 30, ".npy", 4);
}

SinoStatus sino_npz_open(const char *path, zip_t **zip)
{
    int descriptor, code;
    int64_t bytes;
    zip_error_t error;
    SINO_TRY(sino_regular_open(path, &descriptor, &bytes));
    *zip = zip_fdopen(descriptor, 0, &code);
    if (*zip) return NULL;
    close(descriptor);
    zip_error_init_with_code(&error, code);
    SinoStatus status =
        sino_error(SINO_BAD_INPUT, "%s cannot be opened as a zip file: %s", path, zip_error_strerror(&error));
    zip_error_fini(&error);
    return status;
}

SinoStatus sino_npz_refuse(const char *path, const char *name, const char *reason)
{
    return sino_error(SINO_BAD_INPUT, "%s: %s cannot be read: %s", path, name, reason);
}

SinoStatus sino_npz_read(const char *path, const char *name, zip_file_t *file, void *bytes, int64_t count, int64_t *got)
{
    int64_t done = 0;
    while (done < count) {
        const zip_int64_t more = zip_fread(file, (char *)bytes + done, (zip_uint64_t)(count - done));
        if (more < 0) return sino_npz_refuse(path, name, zip_file_strerror(file));
        if (more == 0) break;
        done += more;
    }
    if (got)
        *got = done;
    else
        SINO_CHECK(done == count, SINO_BAD_INPUT, "%s: %s ends early", path, name);
    return NULL;
}

/* Reads the header of an array from an open member, and the values behind it as far as they fit in `block`. */
static SinoStatus read_header(const char *path, const SinoNpzMember *member, zip_file_t *file, const zip_stat_t *about,
                              unsigned char *block, SinoNpy *npy)
{
    char *name = NULL;
    int64_t got;
    SINO_TRY(sino_npz_read(path, member->name, file, block, SINO_NPZ_BLOCK, &got));
    SINO_CHECK(asprintf(&name, "%s: %s", path, member->name) >= 0, SINO_FAILED, "no memory for a name");
    SinoStatus status = sino_npy_parse(name, block, got, npy);
    free(name);
    if (status) return status;
    const int64_t bytes = sino_npy_bytes(npy);
    SINO_CHECK(about->size <= INT64_MAX && (int64_t)about->size - npy->header_bytes == bytes, SINO_BAD_INPUT,
               "%s: %s has %" PRIu64 " bytes; allowed: %" PRId64 " for its header and %" PRId64 " values", path,
               member->name, (uint64_t)about->size, sino_larger(bytes, 0) + npy->header_bytes, npy->count);
    return NULL;
}

SinoStatus sino_npz_find(const char *path, zip_t *zip, const char *name, unsigned char *block, SinoNpzMember *member,
                         bool *found)
{
    zip_stat_t about;
    const zip_int64_t index = zip_name_locate(zip, name, 0);
    if (found) *found = index >= 0;
    if (found && index < 0) return NULL;
    SINO_CHECK(index >= 0, SINO_BAD_INPUT, "%s has no %s", path, name);
    *member = (SinoNpzMember){.name = name, .index = (zip_uint64_t)index};
    const zip_uint64_t wanted = ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD;
    if (zip_stat_index(zip, member->index, 0, &about) != 0 || (about.valid & wanted) != wanted)
        return sino_npz_refuse(path, name, zip_strerror(zip));
    member->stored = about.comp_method == ZIP_CM_STORE;
    zip_file_t *file = zip_fopen_index(zip, member->index, 0);
    if (!file) return sino_npz_refuse(path, name, zip_strerror(zip));
    SinoStatus status = read_header(path, member, file, &about, block, &member->npy);
    (void)zip_fclose(file); /* opened for reading: nothing can be lost */
    return status;
}

/* Nameless file: of the system where it can, else one whose name is removed at once. */

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
