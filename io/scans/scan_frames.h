/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan frames: which frames of an array belong to a field, and in which order the array has its dimensions. */
#pragma once

#include "scan.h"
#include "scan_limits.h"

/* Frames first … first + count − 1 of an array. */
typedef struct SinoFrameRun {
    int64_t first, count;
} SinoFrameRun;

/* Some frames of an array, in order. */
typedef struct SinoFrameList {
    int64_t count; /* frames */
    int64_t run_count;
    SinoFrameRun *run; /* owned; NULL: the first `count` frames */
} SinoFrameList;

/* Appends a frame behind all that are in the list, whose memory has room for it. */
void sino_frame_list_add(SinoFrameList *list, int64_t frame);

/* The run of frames of the array that begins with frame number `first` of the list, and has at most `most` frames. */
SinoFrameRun sino_frame_list_run(const SinoFrameList *list, int64_t first, int64_t most);

/* Frames of the list among the first `frames` of the array. */
int64_t sino_frame_list_among(const SinoFrameList *list, int64_t frames);

/* The dimension of the array that is the angle (0), the row (1), the column (2). */
int sino_axes_dimension(SinoScanAxes axes, int meaning);

/* Puts {angle, row, column} into the order of the dimensions. */
void sino_axes_order(SinoScanAxes axes, const int64_t by_meaning[3], int64_t by_dimension[3]);

/* Copies a block of an array, whose sizes `count` are in the order of the dimensions, into the part of
 * to[angle][row][column] that begins at `start` (angle, row, column); `whole` has the sizes of `to`. */
void sino_axes_arrange(SinoScanAxes axes, const int64_t count[3], int64_t value_bytes, const void *from,
                       const int64_t start[3], const int64_t whole[3], void *to);
