/* SPDX-License-Identifier: BSD-3-Clause */
/* Interfile: headers of nuclear medicine's data, with the values in another file (Todd-Pokropek, Cradduck & Deconinck,
 * Nucl. Med. Commun. 13, 673 (1992), version 3.3; with the keys that STIR writes for PET). A line is "key := value";
 * keys are the same in capitals, and with ! before them; ; begins a comment. */
#ifndef SINO_INTERFILE_H
#define SINO_INTERFILE_H

#include "number.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

enum { SINO_INTERFILE_RANK = 8, SINO_INTERFILE_FRAMES = 1024 };

typedef struct SinoInterfileFrame {
    int64_t offset; /* bytes before its values */
    double scale;   /* factor of each value */
} SinoInterfileFrame;

typedef struct SinoInterfile {
    char *data_path;          /* owned */
    const SinoNumber *number; /* type of the values */
    bool swapped;             /* values have the other byte order than this machine */
    int rank;                 /* dimensions of a frame; 0: it is no box, for the sizes of its segments differ */
    int64_t size[SINO_INTERFILE_RANK]; /* the first varies fastest */
    int64_t value_count;               /* of a frame */
    int64_t frame_count;
    SinoInterfileFrame frame[SINO_INTERFILE_FRAMES];
} SinoInterfile;

/* Whether these first bytes of a file are those of a header: its first line is "INTERFILE :=". */
bool sino_interfile_probe(const char *bytes, int64_t count);

/* Reads a header; the caller frees header->data_path, on failure too. SINO_BAD_INPUT: a key is missing, or its value is
 * not understood; more than SINO_INTERFILE_FRAMES frames; several energy windows or gates; compressed values; the data
 * are neither beside the header nor in a folder below, for a header must not name any file of the machine. Whether the
 * values exist is for the caller to check. */
SinoStatus sino_interfile_read(const char *path, SinoInterfile *header);

#endif
