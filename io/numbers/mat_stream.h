/* SPDX-License-Identifier: BSD-3-Clause */
/* MAT stream: the bytes of one element of a MATLAB file of level 5 from its tag on, inflated where the file has them
 * compressed (MathWorks, MAT-File Format, R2023b: "Level 5 MAT-File Format"). */
#pragma once

#include "status.h"

#include <stdbool.h>
#include <stdint.h>

#include <zlib.h>

enum { SINO_MAT_BLOCK = 1 << 16 };

typedef struct SinoMatStream {
    const char *path; /* not owned */
    int descriptor;   /* not owned */
    bool swapped;     /* the file has the other byte order than this machine */
    bool compressed;
    int64_t at, end;           /* bytes that were read, and all bytes with the tag of 8 bytes */
    int64_t base;              /* of the first byte in the file; 0 of a compressed element */
    int64_t file_at, file_end; /* compressed: bytes of the file that were not inflated */
    int64_t next;              /* where the next element begins */
    z_stream inflater;
    bool complete;        /* the compressed bytes have ended, with the right checksum */
    unsigned char *block; /* [SINO_MAT_BLOCK], owned */
} SinoMatStream;

/* A tag: the type of what follows, and its bytes. Up to 4 bytes may lie within the tag. */
typedef struct SinoMatTag {
    uint32_t type;
    int64_t bytes;
    bool small;
    unsigned char within[4];
} SinoMatTag;

typedef enum SinoMatType {
    SINO_MAT_INT8 = 1,
    SINO_MAT_UINT8 = 2,
    SINO_MAT_INT16 = 3,
    SINO_MAT_UINT16 = 4,
    SINO_MAT_INT32 = 5,
    SINO_MAT_UINT32 = 6,
    SINO_MAT_SINGLE = 7,
    SINO_MAT_DOUBLE = 9,
    SINO_MAT_INT64 = 12,
    SINO_MAT_UINT64 = 13,
    SINO_MAT_MATRIX = 14,
    SINO_MAT_COMPRESSED = 15,
    SINO_MAT_UTF8 = 16
} SinoMatType;

/* Opens the element at byte `offset` of a file of `bytes` bytes, which is an array, and reads its tag. The caller
 * closes the stream, on failure, too. SINO_BAD_INPUT: the element is something else, reaches beyond the end of the
 * file, or cannot be inflated. SINO_FAILED: as of sino_regular_read. */
SinoStatus sino_mat_stream_open(const char *path, int descriptor, bool swapped, int64_t offset, int64_t bytes,
                                SinoMatStream *stream);
void sino_mat_stream_close(SinoMatStream *stream); /* also of a zeroed stream */

/* Read or skip the next `count` bytes. SINO_BAD_INPUT: the element has fewer, or they cannot be inflated. */
SinoStatus sino_mat_stream_read(SinoMatStream *stream, int64_t count, void *bytes);
SinoStatus sino_mat_stream_skip(SinoMatStream *stream, int64_t count);

/* Reads a tag. SINO_BAD_INPUT: what follows does not fit in the element. */
SinoStatus sino_mat_stream_tag(SinoMatStream *stream, SinoMatTag *tag);

/* Reads what follows a tag, `room` bytes at most, and skips the rest up to the next tag. */
SinoStatus sino_mat_stream_body(SinoMatStream *stream, const SinoMatTag *tag, int64_t room, void *bytes);

/* Where what follows a tag begins, as a byte of the file or of the inflated element. */
int64_t sino_mat_stream_place(const SinoMatStream *stream, const SinoMatTag *tag);

/* Behind the last byte: whether the checksum of a compressed element is right. SINO_BAD_INPUT: it is not. */
SinoStatus sino_mat_stream_finish(SinoMatStream *stream);
