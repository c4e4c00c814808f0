/* SPDX-License-Identifier: BSD-3-Clause */
/* Operator file: stores pieces of memory under a key, and maps them back unchanged.
 *
 * The file of a key is DIRECTORY/operator-KEY.sinodag:
 *
 *     header | table: { offset, bytes, XXH3 } per piece | pieces, each on a page boundary
 *
 * in the byte order of the machine that wrote it. Header, table and every piece have an XXH3-64 checksum. A file that
 * contradicts its checksums, the key or its own size is refused. */
#pragma once

#include "status.h"

#include <stdint.h>

/* XXH3-128 of everything that determines the pieces, and of the file's format version. */
typedef struct SinoOperatorKey {
    uint8_t digest[16];
} SinoOperatorKey;

typedef struct SinoOperatorPiece {
    const void *memory; /* not owned; never NULL, even for 0 bytes */
    int64_t bytes;
} SinoOperatorPiece;

typedef struct SinoOperatorFile SinoOperatorFile;

SinoOperatorKey sino_operator_file_key(const void *text, int64_t bytes);

/* Path of the file of a key; the caller frees *path. */
SinoStatus sino_operator_file_path(const char *directory, const SinoOperatorKey *key, char **path);

/* Checks that the directory is the user's alone, and that files can be written to it. It may be missing if its parent
 * exists; nothing is created. SINO_BAD_INPUT, naming --operator-cache: not a directory, not writable, another user's,
 * or others may write to it. */
SinoStatus sino_operator_file_check(const char *directory);

/* Creates the directory of the path, writes the file under a temporary name, syncs and renames it: a killed run leaves
 * no file with the final name. An older file is replaced. SINO_FAILED: no disk space, or writing failed.
 * SINO_BAD_INPUT: the directory is not writable, or another run is writing this file. */
SinoStatus sino_operator_file_write(const char *path, const SinoOperatorKey *key, int64_t piece_count,
                                    const SinoOperatorPiece *piece);

/* The same piece by piece, for pieces that are not in memory at the same time. `bytes`: of all pieces, about, for which
 * disk space is reserved. Pieces follow in the order of their numbers. _end completes the file; after an error of any
 * function the caller calls _discard. Errors as above. */
typedef struct SinoOperatorWriter SinoOperatorWriter;
SinoStatus sino_operator_writer_new(const char *path, const SinoOperatorKey *key, int64_t piece_count, int64_t bytes,
                                    SinoOperatorWriter **writer);
SinoStatus sino_operator_writer_append(SinoOperatorWriter *writer, const SinoOperatorPiece *piece);
SinoStatus sino_operator_writer_end(SinoOperatorWriter *writer); /* frees the writer */
void sino_operator_writer_discard(SinoOperatorWriter *writer);   /* takes NULL */

/* Maps the file, and verifies its header and table. *file NULL: no such file. SINO_BAD_INPUT: the file is damaged, has
 * another format, byte order or key, belongs to another user or may be written by others, or cannot be read. */
SinoStatus sino_operator_file_open(const char *path, const SinoOperatorKey *key, SinoOperatorFile **file);

int64_t sino_operator_file_piece_count(const SinoOperatorFile *file);

/* Piece i: page-aligned read-only memory, valid until the file is closed. Zeros follow it up to the next multiple of
 * 4096 bytes. */
SinoOperatorPiece sino_operator_file_piece(const SinoOperatorFile *file, int64_t i);

/* Reads piece i to verify its checksum. A checksum detects accidents; whether the piece is what it should be is for the
 * caller to check. SINO_BAD_INPUT: the text is a predicate, "is damaged: …". */
SinoStatus sino_operator_file_verify(const SinoOperatorFile *file, int64_t i);

void sino_operator_file_close(SinoOperatorFile *file); /* takes NULL */
