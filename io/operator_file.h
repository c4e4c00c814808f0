/* SPDX-License-Identifier: BSD-3-Clause */
/* Operator file: pieces of memory kept under a key, mapped back as they are.
 *
 * The file of a key is DIRECTORY/operator-KEY.sinodag:
 *
 *     header | table: { offset, bytes, XXH3 } per piece | pieces, each on a page boundary
 *
 * in the byte order of the machine that wrote it. Header, table and every piece carry an XXH3-64 checksum; what does
 * not agree with them, with the key or with the file's size is refused. */
#ifndef SINO_OPERATOR_FILE_H
#define SINO_OPERATOR_FILE_H

#include "status.h"

#include <stdint.h>

/* XXH3-128 of whatever determines the pieces, and of the file's format version. */
typedef struct SinoOperatorKey {
    uint8_t digest[16];
} SinoOperatorKey;

typedef struct SinoOperatorPiece {
    const void *memory; /* not owned; not NULL, even without bytes */
    int64_t bytes;
} SinoOperatorPiece;

typedef struct SinoOperatorFile SinoOperatorFile;

SinoOperatorKey sino_operator_file_key(const void *text, int64_t bytes);

/* The name of a key's file; caller frees. */
SinoStatus sino_operator_file_path(const char *directory, const SinoOperatorKey *key, char **path);

/* Whether files can be kept in the directory, which may be new in one that exists; makes nothing. SINO_BAD_INPUT naming
 * --operator-cache: no directory, not writable. */
SinoStatus sino_operator_file_check(const char *directory);

/* Makes the directory of the path, writes the file under another name, syncs and renames: a killed run leaves no file
 * under the final name, and an older file is replaced. SINO_FAILED: no room, writing failed. SINO_BAD_INPUT: the
 * directory cannot be written, or another run is writing this file. */
SinoStatus sino_operator_file_write(const char *path, const SinoOperatorKey *key, int64_t piece_count,
                                    const SinoOperatorPiece *piece);

/* Maps the file, and reads all of it for the checksums. *file is NULL when there is none. SINO_BAD_INPUT: it is
 * damaged, another format's, byte order's or key's, or cannot be read. */
SinoStatus sino_operator_file_open(const char *path, const SinoOperatorKey *key, SinoOperatorFile **file);

int64_t sino_operator_file_piece_count(const SinoOperatorFile *file);

/* Piece i: page-aligned memory that is only read, valid until the file is closed; up to the next multiple of 4096 bytes
 * there are zeros. */
SinoOperatorPiece sino_operator_file_piece(const SinoOperatorFile *file, int64_t i);

void sino_operator_file_close(SinoOperatorFile *file); /* takes NULL */

#endif
