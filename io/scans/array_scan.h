/* SPDX-License-Identifier: BSD-3-Clause */
/* Array scan: projections, flat or dark fields in one array of a file; what formats of such files share. */
#pragma once

#include "npy.h"
#include "numbers.h"
#include "scan_source.h"

/* Where values with one index of the first dimension are. */
typedef struct SinoArrayLayer {
    int64_t file, offset;
} SinoArrayLayer;

struct SinoArrayScan {
    SinoFileList files;    /* the only one, unless there are layers */
    int descriptor;        /* of the values; owned, unless `close` is set; < 0: none yet */
    SinoNpy array;         /* the last dimension is contiguous; header_bytes: where the values begin */
    SinoArrayLayer *layer; /* [array.size[0]]; owned; NULL: one behind the other in the only file */
    SinoPlainScale scale;  /* factor 0: values are as they are stored */
    SinoScanAxes axes;
    /* What the format keeps: `prepare` runs before each read and gives the descriptor. NULL: nothing. */
    void *owner;
    SinoStatus (*prepare)(void *owner, int *descriptor);
    void (*close)(void *owner);
};

/* Begins a part of a scan, which owns *opened, on failure, too. The format then sets `array`. `path` NULL: the format
 * lists the files, too. */
SinoStatus sino_array_scan_new(const char *path, SinoScanPart *part, SinoArrayScan **opened);

/* Fills the sizes of the scan's info, but for the type. The array may have two dimensions, as one layer of the first of
 * three, which is not that of the angles. SINO_BAD_INPUT: other dimensions, a size of 0. */
SinoStatus sino_array_scan_data(SinoArrayScan *arrays, const SinoScanRequest *request, SinoScanInfo *info);

/* The array is [image][row][column] or [row][column]. SINO_BAD_INPUT, in addition: other rows or columns than `info`
 * has. */
SinoStatus sino_array_scan_images(SinoArrayScan *arrays, const SinoScanInfo *info, int64_t *count,
                                  const SinoFileList **files);

/* Reads angles from a list, the array `name` of a file whose arrays have names. *unit, if auto, becomes radians where
 * the name says so. projections 0: as many as there are. The caller frees *angle_rad. SINO_BAD_INPUT: no such array, no
 * list, another number of angles, an angle that is not finite. */
SinoStatus sino_array_scan_angles(const SinoScanFormat *format, const char *path, const char *name, SinoAngleUnit *unit,
                                  int64_t projections, int64_t *count, double **angle_rad);
