/* SPDX-License-Identifier: BSD-3-Clause */
/* MAT files: arrays of MATLAB files of level 5. */
#pragma once

#include "npy.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>
#include <zlib.h>

/* MAT stream: the bytes of one element of a MATLAB file of level 5 from its tag on, inflated where the file has them
 * compressed (MathWorks, MAT-File Format, R2023b: "Level 5 MAT-File Format"). */

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

/* MAT array: an array of a MATLAB file of level 5: what it is, and where its values are. */

enum { SINO_MAT_NAME = 64 }; /* of a variable, with the end of the text */

typedef enum SinoMatClass {
    SINO_MAT_OTHER, /* a text, a structure, a cell array … */
    SINO_MAT_SPARSE_ARRAY,
    SINO_MAT_NUMBERS
} SinoMatClass;

/* Values of a variable: type (without sizes), count, and in header_bytes where the first one is. Doubles that are
 * integers are often stored as such. */
typedef struct SinoMatVariable {
    char name[SINO_MAT_NAME]; /* "": none that could be asked for */
    SinoMatClass class;
    const char *class_name; /* "double", "uint16", "structure" … */
    bool complex;
    int rank;                    /* at least 2 */
    int64_t size[SINO_NPY_RANK]; /* as MATLAB has them: the first dimension is contiguous */
    SinoNpy values;
    SinoNpy rows, ends; /* sparse: the row of each value, and where the values of each column begin, and end */
} SinoMatVariable;

/* Reads what is before the values of an array: class, sizes and name. SINO_BAD_INPUT: it is damaged. */
SinoStatus sino_mat_array_head(SinoMatStream *stream, SinoMatVariable *variable);

/* Thereafter: of a structure of 1 x 1, reads the same of the field whose name ends at the next slash. SINO_BAD_INPUT:
 * the array is something else, or has no such field; damaged. */
SinoStatus sino_mat_array_field(SinoMatStream *stream, const char *field, SinoMatVariable *variable);

/* Thereafter: where the values are; nothing of complex and other arrays. SINO_BAD_INPUT: their number disagrees with
 * the sizes, their type with the class; damaged. */
SinoStatus sino_mat_array_values(SinoMatStream *stream, SinoMatVariable *variable);

/* MAT file: a variable of a MATLAB file of level 5, which MATLAB writes unless it is told `-v7.3` or `-v4`, and Octave
 * and SciPy write, too (MathWorks, MAT-File Format, R2023b). Files of version 7.3 are HDF5. */

enum { SINO_MAT_HEAD = 128 }; /* bytes of a file before its variables */

typedef struct SinoMatFile SinoMatFile;

/* Whether these first bytes of a file are those of a MATLAB file of level 5. */
bool sino_mat_probe(const void *memory, int64_t bytes);

/* The same by the first bytes of a file. */
bool sino_mat_probe_file(const char *path);

/* Opens the variable of this name, of which a slash before it is no part, or VARIABLE/FIELD of a structure; NULL: the
 * only one that is `wanted`, which is asked before the places of values are known. `what` names the wanted ones in
 * errors. `path` must outlive the file. SINO_BAD_INPUT: no MATLAB file of level 5, cut, damaged; there is no such
 * variable, or several (the error lists what is there). */
SinoStatus sino_mat_open(const char *path, const char *name, bool (*wanted)(const SinoMatVariable *), const char *what,
                         SinoMatFile **opened);
void sino_mat_close(SinoMatFile *file); /* takes NULL */

const SinoMatVariable *sino_mat_variable(const SinoMatFile *file);

/* The places of values are bytes of *descriptor, which the file owns. A compressed variable is inflated for that, once,
 * into a file without a name in TMPDIR, or else in /tmp. SINO_BAD_INPUT: it cannot be inflated. SINO_FAILED: no room.
 */
SinoStatus sino_mat_unpack(SinoMatFile *file, int *descriptor);
