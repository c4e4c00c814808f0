/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan follow: waits for the projections of a scan that another process still writes (SinoScanRequest.follow_s).
 *
 * Such a scan has all of its angles, and the flat and dark fields that are there when it is opened. Its projections
 * come in their order. Whoever submits tasks that read projections waits for them first, so that no task waits. */
#pragma once

#include "scan.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct SinoScan SinoScan;

/* How a followed scan has come so far; times by sino_platform_now_s. */
typedef struct SinoScanArrival {
    double limit_s;         /* the longest wait; 0: the scan is not followed */
    int64_t frames;         /* projections of the file, from the first one on, that can be read */
    int64_t first_frames;   /* those that were there at the first look */
    double first_s, last_s; /* the first look, and the one that saw the last projection; 0: not yet */
    int64_t refused;        /* messages of a stream */
    const char *refusal;    /* of the first and the last one; not owned */
} SinoScanArrival;

/* What a wait does around every look at the file, and why it may end; NULL members: nothing. */
typedef struct SinoScanGate {
    void *of;
    SinoStatus (*enter)(void *of); /* keeps others from calling HDF5 */
    void (*leave)(void *of);
    bool (*stopped)(void *of); /* whether nobody wants the projections any more */
} SinoScanGate;

/* Projections of the file up to the last one that angles 0 … end − 1 of the scan take. */
int64_t sino_scan_frames_before(const SinoScan *scan, int64_t end);

/* Whether angles 0 … end − 1 of the scan can be read. Always true of a scan that is not followed. */
bool sino_scan_has_come(const SinoScan *scan, int64_t end);

/* Looks once how many projections have come. Errors: as of sino_scan_await, but it does not wait. */
SinoStatus sino_scan_look(SinoScan *scan, const SinoScanGate *gate);

/* Waits until sino_scan_has_come, or the gate says `stopped`. SINO_FAILED: no projection came for limit_s, or there are
 * fewer than there were. */
SinoStatus sino_scan_await(SinoScan *scan, int64_t end, const SinoScanGate *gate);

SinoScanArrival sino_scan_arrival(const SinoScan *scan);

/* Scan identity: what tells two scans apart, whatever the names of their files. *text: lines "name: value" of sizes,
 * types, and checksums of the angles, and of the values of `row`, a box one row high, in some projections, the flat and
 * the dark fields, wherever these are. Two copies of a scan have equal lines. The caller frees *text. */
SinoStatus sino_scan_identity(SinoScan *scan, const SinoScanBox *row, char **text);
