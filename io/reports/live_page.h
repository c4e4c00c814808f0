/* SPDX-License-Identifier: BSD-3-Clause */
/* Live page: three planes of a volume to which projections are added as they come, in a page that browsers load again
 * every second until the run has ended. */
#pragma once

#include "status.h"

#include <stdbool.h>
#include <stdint.h>

enum { SINO_LIVE_XY, SINO_LIVE_XZ, SINO_LIVE_YZ, SINO_LIVE_PLANES };

/* How the volume settles as projections are added, point after point. */
enum { SINO_LIVE_POINTS = 128 };
typedef struct SinoLiveTrail {
    int64_t count;
    double added[SINO_LIVE_POINTS];   /* projections */
    double center[SINO_LIVE_POINTS];  /* rotation axis by these, as SinoLivePage.center; NaN: not known */
    double entropy[SINO_LIVE_POINTS]; /* of the xy plane, in nats: less is sharper */
    double doubt;                     /* of the last center: two standard deviations */
} SinoLiveTrail;

/* Nothing is owned. Rates of 0 are not known. */
typedef struct SinoLivePage {
    const char *path, *title, *units; /* units: of the voxels */
    const char *algorithm;            /* of the planes */
    const char *next;                 /* the one that goes on, once all projections are in them; NULL: none */
    int64_t x_count, y_count, z_count;
    const float *plane[SINO_LIVE_PLANES]; /* [y][x], [z][x], [z][y], through the middle of the volume */
    int64_t come, come_total;             /* projections of the scan that have come */
    int64_t added, added_total;           /* projections that the planes have */
    int64_t pass, pass_total;             /* over the projections, each of which has slices of its own */
    double come_per_s, added_per_s;
    double center;              /* rotation axis of the planes, as SinoGeometry.center counts */
    const SinoLiveTrail *trail; /* NULL: none */
    const char *ended;          /* how the run has ended; NULL: it goes on */
    bool failed;
} SinoLivePage;

/* Writes the page under a temporary name, then renames it; an existing file is replaced. Errors as of
 * sino_output_open, and SINO_FAILED: no memory, or the file cannot be written. */
SinoStatus sino_live_page_write(const SinoLivePage *page);

/* Writes a page that says only how the run has ended in place of the file, for a last act (ending.h). Failures are not
 * told. */
void sino_live_page_end(const SinoLivePage *page);
