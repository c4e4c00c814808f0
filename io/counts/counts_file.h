/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts file: reads the measured counts of a system matrix's rows, and every other vector that goes with a matrix: a
 * factor or a term for each row, an image of the voxels. The contents of a file say which format it has, not its name.
 *
 *     FILE              a NumPy array (.npy)
 *     FILE:/DATASET     a dataset of an HDF5 file; /exchange/data if it is not named
 *     FILE              an Interfile header (.hs, .hv); its data are in a file beside it, or in a folder below
 *     FILE              text: an event per line (below)
 *     FILE              else raw values [set][element] in the byte order of the machine, int32 or float32
 *     FILE:int32        raw values of which both types could be meant; float32 likewise
 *     FILE              records of events, in the list mode of SAFIR
 *     FILE:u32 a, u32 b records of events, as described (counts_records.c)
 *
 * If a file of the whole name exists, it is that file, whatever else the name could mean.
 *
 * Arrays of numbers are [element] or [set][element]; images also [z][y][x] or [set][z][y][x].
 *
 * Events are numbers of rows; or, if rows are pairs of crystals, two numbers of crystals in either order. They are
 * counted when they are read, and make one set. Text has an event per line; # begins a comment. An array of integers
 * [event][2] holds pairs; an array [event] of rows must be announced (SINO_EVENTS_ONLY), for it looks like values. */
#pragma once

#include "status.h"
#include "system_matrix.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum SinoEventRule {
    SINO_EVENTS_REFUSED, /* the file holds a value for each element */
    SINO_EVENTS_ALLOWED, /* it may hold events */
    SINO_EVENTS_ONLY     /* it does hold events */
} SinoEventRule;

/* Values in an array of a caller: element i of set s is number s·set_step + i·element_step of the array, which is
 * aligned to its type. Steps may be negative. */
typedef struct SinoMemoryCounts {
    const void *first; /* not owned */
    bool doubles;      /* the values are double; false: float */
    int64_t set_count;
    int64_t set_step, element_step;
} SinoMemoryCounts;

/* What a file is expected to hold. */
typedef struct SinoCountsRequest {
    const char *path;
    const SinoMemoryCounts *memory; /* in place of a file; `path` is then a name for errors; NULL: a file; not owned */
    int64_t element_count;          /* at least 1: rows of the matrix, or voxels */
    bool image;                     /* elements are voxels */
    SinoVoxelGrid grid;             /* of an image; x_count 0: unknown */
    int64_t crystal_count;          /* as in SinoMatrixOutline */
    SinoRings rings;                /* likewise */
    int64_t set_count;              /* the file has one set, or this many; 0: any number */
    bool negative;                  /* values below 0 are allowed */
    SinoEventRule events;
} SinoCountsRequest;

typedef struct SinoCountsInfo {
    const char *kind;        /* name of the format */
    const char *stored_type; /* "int32", "float64" … */
    int64_t set_count;       /* at least 1 */
    bool events;             /* the set is counted from events */
    int64_t other_count;     /* records that are no events, once the set has been read */
} SinoCountsInfo;

typedef struct SinoCountsFile SinoCountsFile;

/* Opens a file; the caller closes it. SINO_BAD_INPUT: no such file, no known format, sizes other than those of the
 * request (the error gives both), numbers that are neither integers nor reals, cut. */
SinoStatus sino_counts_open(const SinoCountsRequest *request, SinoCountsFile **file);
void sino_counts_close(SinoCountsFile *file); /* takes NULL */
const SinoCountsInfo *sino_counts_info(const SinoCountsFile *file);

/* The files that `given` names: path[0], and path[1] with the values of a header, or NULL; the caller frees both, on
 * failure too. SINO_BAD_INPUT: there is no such file, or its header does not name its values. */
enum { SINO_COUNTS_PATHS = 2 };
SinoStatus sino_counts_paths(const char *given, char *path[SINO_COUNTS_PATHS]);

/* Opens and closes the file in a child process, as sino_scan_try does. */
SinoStatus sino_counts_try(const SinoCountsRequest *request);

/* Reads sets first_set … first_set + set_count − 1: values[set][element], converted to float. Takes as much memory as a
 * set if it counts events, else little. SINO_BAD_INPUT, with its place: a value that is NaN, infinite, or negative
 * where that is not allowed; an event of a row or a crystal that does not exist, or of one crystal twice. */
SinoStatus sino_counts_read(SinoCountsFile *file, int64_t first_set, int64_t set_count, float *values);
