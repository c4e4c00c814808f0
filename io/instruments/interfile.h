/* SPDX-License-Identifier: BSD-3-Clause */
/* Interfile: headers of nuclear medicine's data, with the values in another file (Todd-Pokropek, Cradduck & Deconinck,
 * Nucl. Med. Commun. 13, 673 (1992), version 3.3; with the keys that STIR writes for PET). A line is "key := value";
 * keys are the same in capitals, and with ! before them; ; begins a comment. */
#pragma once

#include "numbers.h"
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
    double voxel_mm[3];                /* scaling factors; 0: not told */
    int64_t value_count;               /* of a frame */
    int64_t frame_count;
    SinoInterfileFrame frame[SINO_INTERFILE_FRAMES];
} SinoInterfile;

/* How the detector of a SPECT scan goes around. */
typedef struct SinoInterfileOrbit {
    int64_t view_count, row_count, bin_count;
    double bin_mm, row_mm;
    double start_degrees, extent_degrees; /* from the top of the image, in the direction of rotation */
    bool counter_clockwise;
    double *radius_mm; /* [view_count]: from the axis to the detector; owned */
} SinoInterfileOrbit;

/* Projections of parallel beams: value (view, row, bin) is number view·view_step + row·row_step + bin of a frame. */
typedef struct SinoInterfileViews {
    int64_t view_count, row_count, bin_count, view_step, row_step;
    double first_degrees, step_degrees; /* counter-clockwise, as those of --theta */
    double bin_mm;                      /* 0: not told */
    bool uneven;                        /* bins have no equal width: the header tells no arc correction */
} SinoInterfileViews;

/* Whether these first bytes of a file are those of a header: its first line is "INTERFILE :=". */
bool sino_interfile_probe(const char *bytes, int64_t count);

/* Reads a header; the caller frees header->data_path, on failure too. SINO_BAD_INPUT: a key is missing, or its value is
 * not understood; more than SINO_INTERFILE_FRAMES frames; several energy windows or gates; compressed values; the data
 * are neither beside the header nor in a folder below, for a header must not name any file of the machine. Whether the
 * values exist is for the caller to check. */
SinoStatus sino_interfile_read(const char *path, SinoInterfile *header);

/* Reads the orbit of a header of version 3.3; the caller frees orbit->radius_mm, on failure too. SINO_BAD_INPUT: a key
 * is missing, or its value is not understood; the header is of no SPECT scan, as it does not tell an orbit. */
SinoStatus sino_interfile_read_orbit(const char *path, SinoInterfileOrbit *orbit);

/* Reads a header of a SPECT scan, or of PET sinograms of one segment as STIR writes them; header: as of
 * sino_interfile_read. SINO_BAD_INPUT, too: other values, several frames or segments. */
SinoStatus sino_interfile_read_views(const char *path, SinoInterfile *header, SinoInterfileViews *views);
