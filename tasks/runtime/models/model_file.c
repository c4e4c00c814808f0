/* SPDX-License-Identifier: BSD-3-Clause */
/* Model file: reading, sealing, replacing. */
#include "models.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <starpu.h>
#include <xxhash.h>

static const int64_t most_bytes = (int64_t)64 << 20;
enum { SEAL_BYTES = 96 }; /* room for the last line */

/* The last line; in files that are XML it is a comment of XML. `crc`: as older programs made it, with StarPU's
 * checksum, which takes some 17 ns for each byte. */
static void make_seal(const SinoModelFile *file, bool crc, char seal[SEAL_BYTES])
{
    const bool xml = file->bytes > 0 && file->text[0] == '<';
    char sum[32];
    if (crc)
        snprintf(sum, sizeof sum, "crc32c %08" PRIx32, starpu_hash_crc32c_be_n(file->text, file->bytes, 0));
    else
        snprintf(sum, sizeof sum, "xxh3 %016" PRIx64,
                 (uint64_t)XXH3_64bits_withSeed(file->text, file->bytes, file->set));
    snprintf(seal, SEAL_BYTES, "%s sinodag set %016" PRIx64 " %s of %zu bytes%s\n", xml ? "<!--" : "#", file->set, sum,
             file->bytes, xml ? " -->" : "");
}

/* Where the last line begins. */
static size_t last_line(const char *text, size_t bytes)
{
    size_t at = bytes > 0 ? bytes - 1 : 0;
    while (at > 0 && text[at - 1] != '\n') at--;
    return at;
}

/* Removes the last line, if it is the seal of what precedes it. */
static bool unseal(SinoModelFile *file)
{
    char expected[SEAL_BYTES];
    const size_t whole = file->bytes, at = last_line(file->text, whole);
    const char *set = strstr(file->text + at, " sinodag set ");
    if (!set) return false;
    file->set = strtoull(set + strlen(" sinodag set "), NULL, 16);
    file->bytes = at;
    make_seal(file, strstr(set, " crc32c ") != NULL, expected);
    const bool same = strlen(expected) == whole - at && memcmp(expected, file->text + at, whole - at) == 0;
    file->text[at] = '\0';
    return same;
}

static bool read_whole(int descriptor, const struct stat *info, SinoModelFile *file)
{
    const size_t bytes = (size_t)info->st_size;
    if (!S_ISREG(info->st_mode) || info->st_size > most_bytes) return false;
    *file = (SinoModelFile){.text = calloc(1, bytes + 1), .bytes = bytes};
    return file->text && pread(descriptor, file->text, bytes, 0) == (ssize_t)bytes;
}

SinoModelFileState sino_model_file_read(const char *path, SinoModelFile *file)
{
    struct stat info;
    *file = (SinoModelFile){0};
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0 || fstat(descriptor, &info) != 0) {
        if (descriptor >= 0) close(descriptor);
        return SINO_MODEL_FILE_NONE;
    }
    const bool good = read_whole(descriptor, &info, file) && unseal(file);
    close(descriptor);
    if (good) return SINO_MODEL_FILE_GOOD;
    sino_model_file_free(file);
    return SINO_MODEL_FILE_DAMAGED;
}

bool sino_model_file_read_plain(const char *path, SinoModelFile *file)
{
    struct stat info;
    *file = (SinoModelFile){0};
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return false;
    const bool good = fstat(descriptor, &info) == 0 && read_whole(descriptor, &info, file) && file->bytes > 0 &&
                      file->text[file->bytes - 1] == '\n';
    close(descriptor);
    if (!good) sino_model_file_free(file);
    return good;
}

static bool write_all(int descriptor, const char *text, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t written = write(descriptor, text, bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text += written;
        bytes -= (size_t)written;
    }
    return true;
}

/* Nothing is synced: a file that a crash of the machine damages is recognised by its seal. */
static bool replace(const char *path, const SinoModelFile *file, const char *seal)
{
    char *temporary = NULL;
    if (asprintf(&temporary, "%s.XXXXXX", path) < 0) return false;
    const int descriptor = mkostemp(temporary, O_CLOEXEC);
    bool done = descriptor >= 0 && write_all(descriptor, file->text, file->bytes) &&
                write_all(descriptor, seal, strlen(seal)) && fchmod(descriptor, 0644) == 0;
    if (descriptor >= 0) done = (close(descriptor) == 0) & done;
    done = done && rename(temporary, path) == 0;
    const int error_number = errno;
    if (descriptor >= 0 && !done) unlink(temporary);
    free(temporary);
    errno = error_number;
    return done;
}

bool sino_model_file_write_plain(const char *path, const SinoModelFile *file)
{
    return replace(path, file, "");
}

bool sino_model_file_write(const char *path, const SinoModelFile *file)
{
    char seal[SEAL_BYTES];
    make_seal(file, false, seal);
    return replace(path, file, seal);
}

bool sino_model_file_same(const SinoModelFile *a, const SinoModelFile *b)
{
    return a->bytes == b->bytes && (a->bytes == 0 || memcmp(a->text, b->text, a->bytes) == 0);
}

void sino_model_file_free(SinoModelFile *file)
{
    free(file->text);
    *file = (SinoModelFile){0};
}
