/* SPDX-License-Identifier: BSD-3-Clause */
/* Checksum: XXH3-64 over files read in pieces. */
#include "checksum.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "memory.h"
#include "regular_file.h"

enum { PIECE_BYTES = 1 << 20 };

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

SinoStatus sino_checksum_files(int64_t count, const char *const *path, char digits[17])
{
    void *piece = NULL;
    SinoStatus status = NULL;
    XXH3_state_t *state = XXH3_createState();
    SINO_CHECK_OR(status, end, state && XXH3_64bits_reset(state) == XXH_OK, SINO_FAILED, "no memory for a checksum");
    SINO_TRY_OR(status, end, sino_allocate(PIECE_BYTES, 1, "a checksum", &piece));
    for (int64_t i = 0; i < count; i++) SINO_TRY_OR(status, end, digest_file(path[i], piece, state));
    snprintf(digits, 17, "%016" PRIx64, (uint64_t)XXH3_64bits_digest(state));
end:
    free(piece);
    XXH3_freeState(state);
    return status;
}
