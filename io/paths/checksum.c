/* SPDX-License-Identifier: BSD-3-Clause */
/* Checksum: XXH3-64 over files read in pieces. */
#include "paths.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "files.h"
#include "memory.h"

enum { PIECE_BYTES = 1 << 20, PART_BYTES = 64 << 10, PART_COUNT = 64 };

/* Adds the bytes [first, end) of a file to the digest, as far as the file has them. */
static SinoStatus digest_range(const char *path, int descriptor, int64_t first, int64_t end, void *piece,
                               XXH3_state_t *state)
{
    while (first < end) {
        const int64_t most = end - first < PIECE_BYTES ? end - first : PIECE_BYTES;
        const ssize_t count = pread(descriptor, piece, (size_t)most, first);
        if (count < 0 && errno == EINTR) continue;
        SINO_CHECK(count >= 0, SINO_FAILED, "%s: reading failed: %s", path, strerror(errno));
        if (count == 0) return NULL;
        SINO_CHECK(XXH3_64bits_update(state, piece, (size_t)count) == XXH_OK, SINO_FAILED, "%s: no checksum", path);
        first += count;
    }
    return NULL;
}

/* Where part i of PART_COUNT begins in `total` bytes. */
static int64_t part_begin(int64_t total, int64_t i)
{
    const int64_t last = total - PART_BYTES;
    return last <= 0 ? 0 : last / (PART_COUNT - 1) * i + last % (PART_COUNT - 1) * i / (PART_COUNT - 1);
}

/* Adds the parts of `total` concatenated bytes that lie in one file, whose bytes are [begin, begin + bytes) of them. */
static SinoStatus digest_parts(const char *path, int64_t begin, int64_t bytes, int64_t total, void *piece,
                               XXH3_state_t *state)
{
    int descriptor;
    int64_t found;
    SINO_TRY(sino_regular_open(path, &descriptor, &found));
    SinoStatus status = NULL;
    const bool all = total <= (int64_t)PART_COUNT * PART_BYTES;
    if (all) status = digest_range(path, descriptor, 0, bytes, piece, state);
    for (int64_t i = 0; i < PART_COUNT && !all && !status; i++) {
        const int64_t first = part_begin(total, i) - begin, end = first + PART_BYTES;
        status = digest_range(path, descriptor, first < 0 ? 0 : first, end < bytes ? end : bytes, piece, state);
    }
    close(descriptor);
    return status;
}

static SinoStatus digest_all_parts(int64_t count, const char *const *path, void *piece, XXH3_state_t *state)
{
    struct stat about;
    int64_t total = 0, begin = 0;
    for (int64_t i = 0; i < count; i++) {
        SINO_CHECK(stat(path[i], &about) == 0, SINO_BAD_INPUT, "%s: %s", path[i], strerror(errno));
        total += about.st_size;
    }
    for (int64_t i = 0; i < count; i++) {
        SINO_CHECK(stat(path[i], &about) == 0, SINO_BAD_INPUT, "%s: %s", path[i], strerror(errno));
        SINO_TRY(digest_parts(path[i], begin, about.st_size, total, piece, state));
        begin += about.st_size;
    }
    return NULL;
}

static SinoStatus digest(const char *path, int descriptor, void *piece, XXH3_state_t *state)
{
    for (;;) {
        const ssize_t count = read(descriptor, piece, PIECE_BYTES);
        if (count < 0 && errno == EINTR) continue;
        SINO_CHECK(count >= 0, SINO_FAILED, "%s: reading failed: %s", path, strerror(errno));
        if (count == 0) return NULL;
        SINO_CHECK(XXH3_64bits_update(state, piece, (size_t)count) == XXH_OK, SINO_FAILED, "%s: no checksum", path);
    }
}

static SinoStatus digest_file(const char *path, void *piece, XXH3_state_t *state)
{
    int descriptor;
    int64_t bytes;
    SINO_TRY(sino_regular_open(path, &descriptor, &bytes));
    SinoStatus status = digest(path, descriptor, piece, state);
    close(descriptor);
    return status;
}

static SinoStatus digest_all_files(int64_t count, const char *const *path, void *piece, XXH3_state_t *state)
{
    for (int64_t i = 0; i < count; i++) SINO_TRY(digest_file(path[i], piece, state));
    return NULL;
}

static void print(uint64_t digest_value, char digits[17])
{
    snprintf(digits, 17, "%016" PRIx64, digest_value);
}

/* The digest of what `take` adds to it. */
static SinoStatus checksum(SinoStatus (*take)(int64_t, const char *const *, void *, XXH3_state_t *), int64_t count,
                           const char *const *path, char digits[17])
{
    void *piece = sino_allocate_large(PIECE_BYTES);
    SinoStatus status = NULL;
    XXH3_state_t *state = XXH3_createState();
    SINO_CHECK_OR(status, end, piece && state && XXH3_64bits_reset(state) == XXH_OK, SINO_FAILED,
                  "no memory for a checksum");
    SINO_TRY_OR(status, end, take(count, path, piece, state));
    print((uint64_t)XXH3_64bits_digest(state), digits);
end:
    sino_free_large(piece);
    XXH3_freeState(state);
    return status;
}

SinoStatus sino_checksum_files(int64_t count, const char *const *path, char digits[17])
{
    return checksum(digest_all_files, count, path, digits);
}

SinoStatus sino_checksum_parts(int64_t count, const char *const *path, char digits[17])
{
    return checksum(digest_all_parts, count, path, digits);
}

void sino_checksum_bytes(const void *bytes, size_t count, char digits[17])
{
    print((uint64_t)XXH3_64bits(bytes, count), digits);
}
