/* SPDX-License-Identifier: BSD-3-Clause */
/* NPZ file: a zip file of NPY arrays, compressed or not, as numpy.savez writes it. */
#pragma once

#include "npy.h"

#include <zip.h>

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
