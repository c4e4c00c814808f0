/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan identity: what tells two scans apart, whatever the names of their files. */
#ifndef SINO_SCAN_IDENTITY_H
#define SINO_SCAN_IDENTITY_H

#include "scan.h"

/* *text: lines "name: value" of sizes, types, and checksums of the angles, of parts of the files, and of the values of
 * `row`, a box one row high, in some projections, the flat and the dark fields. Two copies of a scan have equal lines.
 * The caller frees *text. *modified_s: when the last one of the files was changed, in seconds since 1970; a copy may
 * have another time. */
SinoStatus sino_scan_identity(SinoScan *scan, const SinoScanBox *row, char **text, int64_t *modified_s);

#endif
