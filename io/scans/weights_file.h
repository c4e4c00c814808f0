/* SPDX-License-Identifier: BSD-3-Clause */
/* Weights file: a weight for every ray of a scan, in a file or in an array of a caller.
 *
 *     FILE:/DATASET     a dataset of an HDF5 file
 *     FILE              a NumPy array (.npy)
 *     FILE, FOLDER      what a scan may be (scan.h) with as many projections: a stack of TIFF images, for example
 *
 * An array of three dimensions is as large as the projections in the scan's file, in the order of its axes. One of two
 * is [projection][column], for all rows; one of one is [column], for all projections, too. Weights are finite and at
 * least 0. */
#pragma once

#include "memory_scan.h"
#include "scan.h"

typedef struct SinoWeightsFile SinoWeightsFile;

typedef struct SinoWeightsRequest {
    const char *path;
    SinoScanAxes axes;              /* of three dimensions */
    const SinoMemoryImages *memory; /* in place of a file, of which a size may be 1, for all; `path` is then a name for
                                     * errors; NULL: a file; not owned, outlives what is opened */
    int64_t size[3];                /* projections, rows and columns of the scan's file */
} SinoWeightsRequest;

/* Opens weights; the caller closes them. SINO_BAD_INPUT: as of sino_scan_open; other sizes than those of the request; a
 * weight in one or two dimensions that is not allowed. */
SinoStatus sino_weights_open(const SinoWeightsRequest *request, SinoWeightsFile **file);
void sino_weights_close(SinoWeightsFile *file); /* takes NULL */

/* Opens and closes the file in a child process, as sino_scan_try does; an array needs no such try. The sizes of the
 * request are not looked at. */
SinoStatus sino_weights_try(const SinoWeightsRequest *request);

/* Bytes that stay in memory while a file is open, and that a read takes at most beside a row of a projection's. */
int64_t sino_weights_bytes(const SinoWeightsFile *file);
enum { SINO_WEIGHTS_PIECE_BYTES = 16 << 20 };

/* The rays of a reconstruction: angle k is the mean of angle_binning projections from number projection[k] on, and a
 * row or column the mean of `binning` of the detector's. */
typedef struct SinoWeightsPart {
    const int64_t *projection; /* NULL: k; not owned */
    int64_t angle_binning, binning;
    SinoScanBox box; /* of the detector; its counts are multiples of `binning` */
} SinoWeightsPart;

/* Reads the weights of angles first_angle … first_angle + angle_count − 1: weights[angle][row][column]. A mean has the
 * mean of the weights, or 0 if one of them is 0. One thread at a time, as of scan.h. SINO_BAD_INPUT, with its place: a
 * weight below 0, infinite or NaN. */
SinoStatus sino_weights_read(SinoWeightsFile *file, const SinoWeightsPart *part, int64_t first_angle,
                             int64_t angle_count, float *weights);
