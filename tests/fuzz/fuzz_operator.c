/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: a file of --operator-cache, with checksums that are right, so that what they protect is reached. The input
 * is the file, whose last byte chooses what is put right. */
#include "fuzz.h"
#include "operator_file.h"

#include <xxhash.h>

/* Offsets in the header: key, number of pieces, bytes of the file, checksums of the table and of the header. */
enum { KEY = 16, COUNT = 32, TOTAL = 40, TABLE_SUM = 48, HEADER_SUM = 56, HEADER = 64, ENTRY = 24 };

static void set(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, sizeof value);
}

static void put_right(uint8_t *file, size_t size, const SinoOperatorKey *key, uint8_t what)
{
    int64_t count;
    memcpy(file + KEY, key, sizeof *key);
    if (what & 2) set(file + TOTAL, size);
    memcpy(&count, file + COUNT, sizeof count);
    if (count >= 0 && count <= (int64_t)(size - HEADER) / ENTRY)
        set(file + TABLE_SUM, XXH3_64bits(file + HEADER, (size_t)count * ENTRY));
    set(file + HEADER_SUM, XXH3_64bits(file, HEADER_SUM));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEADER) return 0;
    unsigned sum = 0;
    const SinoOperatorKey key = sino_operator_file_key("fuzz", 4);
    SinoOperatorFile *file = NULL;
    uint8_t *copy = malloc(size);
    fuzz_require(copy != NULL);
    memcpy(copy, data, size);
    if (data[size - 1] & 1) put_right(copy, size, &key, data[size - 1]);
    SinoStatus status = sino_operator_file_open(fuzz_file(0, copy, size), &key, &file);
    free(copy);
    for (int64_t i = 0; !status && file && i < sino_operator_file_piece_count(file); i++) {
        const SinoOperatorPiece piece = sino_operator_file_piece(file, i);
        sino_status_free(sino_operator_file_verify(file, i));
        for (int64_t b = 0; b < piece.bytes; b++) sum += ((const uint8_t *)piece.memory)[b];
    }
    fuzz_require(sum < UINT32_MAX); /* every byte is read */
    sino_operator_file_close(file);
    sino_status_free(status);
    return 0;
}
