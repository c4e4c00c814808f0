/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan identity: what tells two scans apart, whatever the names of their files. */
#pragma once

#include "scan.h"

/* *text: lines "name: value" of sizes, types, and checksums of the angles, and of the values of `row`, a box one row
 * high, in some projections, the flat and the dark fields, wherever these are. Two copies of a scan have equal lines.
 * The caller frees *text. */
SinoStatus sino_scan_identity(SinoScan *scan, const SinoScanBox *row, char **text);
