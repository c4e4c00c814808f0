/* SPDX-License-Identifier: BSD-3-Clause */
/* NPY: arrays of numbers or short texts as NumPy saves them, alone (.npy) or as members of a zip file (.npz). A header
 * in text, then the values in C order (Harris et al., Nature 585, 357, 2020; numpy.lib.format, versions 1 to 3). */
#pragma once

#include "status.h"

#include <stdbool.h>
#include <stdint.h>
#include <zip.h>

enum {
    SINO_NPY_RANK = 8,            /* most dimensions that are read */
    SINO_NPY_HEADER_BYTES = 65536 /* most bytes before the values that are read */
};

typedef enum SinoNpyKind {
    SINO_NPY_BOOL,    /* 1 byte: 0 or 1 */
    SINO_NPY_INT,     /* 1, 2, 4 or 8 bytes */
    SINO_NPY_UINT,    /* likewise */
    SINO_NPY_FLOAT,   /* 4 or 8 bytes; 2 in other formats that use this type */
    SINO_NPY_BYTES,   /* text of fixed length: a byte per character, zeros behind it */
    SINO_NPY_UNICODE, /* the same with 4 bytes per character */
} SinoNpyKind;

typedef struct SinoNpy {
    SinoNpyKind kind;
    int64_t item_bytes;
    bool swapped;                /* values have the other byte order than this machine */
    int rank;                    /* 0: one value */
    int64_t size[SINO_NPY_RANK]; /* the last dimension is contiguous */
    int64_t count;               /* values: the product of the sizes */
    int64_t header_bytes;        /* before the values */
    char stored_type[16];        /* "int32", "float64", "str" … */
} SinoNpy;

/* Whether these first bytes of a file, at most 6 of which are looked at, are those of an NPY file. */
bool sino_npy_probe(const void *memory, int64_t bytes);

/* Whether a file is an NPY file. False, too, if it cannot be read. */
bool sino_npy_probe_file(const char *path);

/* Reads the header at the beginning of `memory`. `bytes`: those of the file that are there; when the file has more,
 * at least SINO_NPY_HEADER_BYTES. `name` is the file in errors. SINO_BAD_INPUT: no NPY header, damaged, of another
 * version, type or order of dimensions, or with sizes whose product exceeds 63 bits. Whether the values exist is for
 * the caller to check. */
SinoStatus sino_npy_parse(const char *name, const void *memory, int64_t bytes, SinoNpy *npy);

/* Bytes of all values; saturates as sino_times does. */
int64_t sino_npy_bytes(const SinoNpy *npy);

/* Whether the values are numbers; booleans are integers. */
bool sino_npy_is_integer(const SinoNpy *npy);
bool sino_npy_is_number(const SinoNpy *npy);

/* Whether there are values, and at most one dimension is longer than 1. */
bool sino_npy_is_list(const SinoNpy *npy);

/* Converts `count` stored values at `items`, which need not be aligned. Of numbers; integers beyond 2⁵³ are rounded. */
void sino_npy_doubles(const SinoNpy *npy, const void *items, int64_t count, double *values);

/* Of integers; unsigned ones beyond 63 bits become INT64_MAX. */
void sino_npy_integers(const SinoNpy *npy, const void *items, int64_t count, int64_t *values);

/* Writes a stored text, as much as fits, into the caller's `text`, and returns it. Other characters than printable
 * ASCII become '?'. */
const char *sino_npy_text(const SinoNpy *npy, const void *item, char *text, int64_t text_bytes);

/* NPZ file: a zip file of NPY arrays, compressed or not, as numpy.savez writes it. */

enum { SINO_NPZ_BLOCK = 1 << 16 /* bytes that are read at a time */ };

/* One array of the archive. */
typedef struct SinoNpzMember {
    const char *name; /* "data.npy"; not owned */
    zip_uint64_t index;
    bool stored; /* not compressed */
    SinoNpy npy;
} SinoNpzMember;

/* Whether a file is a zip file that begins with an array. False, too, if it cannot be read. */
bool sino_npz_probe_file(const char *path);

/* Opens the archive; the caller ends with zip_discard. */
SinoStatus sino_npz_open(const char *path, zip_t **zip);

/* Reads the next `count` bytes of an open member. got NULL: fewer are SINO_BAD_INPUT; else *got is their number. */
SinoStatus sino_npz_read(const char *path, const char *name, zip_file_t *file, void *bytes, int64_t count,
                         int64_t *got);

/* Finds an array and reads its header. found NULL: a missing one is SINO_BAD_INPUT; else *found says whether it is
 * there. `block`, SINO_NPZ_BLOCK bytes, gets the first bytes of the member. SINO_BAD_INPUT: no header of NPY, or
 * another number of bytes than it says. */
SinoStatus sino_npz_find(const char *path, zip_t *zip, const char *name, unsigned char *block, SinoNpzMember *member,
                         bool *found);

/* The error for a member that the library cannot read. */
SinoStatus sino_npz_refuse(const char *path, const char *name, const char *reason);

/* Nameless file: room in TMPDIR, or else in /tmp, for arrays that are compressed in their file. */

/* Makes a file that is gone when it is closed, and lets `fill` write to it. The caller closes *descriptor. SINO_FAILED:
 * there can be none; as of `fill`. */
SinoStatus sino_nameless_new(SinoStatus (*fill)(void *owner, int descriptor), void *owner, int *descriptor);

/* Appends bytes. `path`: the file with the array, for errors. SINO_FAILED: no room. */
SinoStatus sino_nameless_write(const char *path, int descriptor, const char *bytes, int64_t count);
