/* SPDX-License-Identifier: BSD-3-Clause */
/* Array scan: projections, flat or dark fields in one array of a file; what formats of such files share. */
#ifndef SINO_ARRAY_SCAN_H
#define SINO_ARRAY_SCAN_H

#include "npy.h"
#include "scan_source.h"

typedef struct SinoArrayScan {
    SinoFileList files; /* the only one */
    int descriptor;     /* of the values; owned, unless `close` is set; < 0: none yet */
    SinoNpy array;      /* the last dimension is contiguous; header_bytes: where the values begin */
    SinoScanAxes axes;
    /* What the format keeps: `prepare` runs before each read and gives the descriptor. NULL: nothing. */
    void *owner;
    SinoStatus (*prepare)(void *owner, int *descriptor);
    void (*close)(void *owner);
} SinoArrayScan;

/* Begins a part of a scan, which owns *opened, on failure, too. The format then sets `array`. */
SinoStatus sino_array_scan_new(const char *path, SinoScanPart *part, SinoArrayScan **opened);

/* Fills the sizes of the scan's info, but for the type. The array may have two dimensions, as one layer of the first of
 * three, which is not that of the angles. SINO_BAD_INPUT: other dimensions, a size of 0. */
SinoStatus sino_array_scan_data(SinoArrayScan *arrays, const SinoScanRequest *request, SinoScanInfo *info);

/* The array is [image][row][column] or [row][column]. SINO_BAD_INPUT, in addition: other rows or columns than `info`
 * has. */
SinoStatus sino_array_scan_images(SinoArrayScan *arrays, const SinoScanInfo *info, int64_t *count,
                                  const SinoFileList **files);

#endif
