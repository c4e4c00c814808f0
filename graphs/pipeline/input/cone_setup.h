/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone setup: the lengths of a cone beam, from what the settings and the file say. */
#pragma once

#include "scan.h"
#include "settings.h"

/* The lengths that the settings give, and else the file; 0: neither does. */
SinoScanSetup sino_cone_setup(const SinoGeometrySettings *settings, const SinoScanInfo *info);

/* Degrees over which rays spread by the lengths of the file; 0: it tells none, or they spread over less than one
 * degree, as at a synchrotron. */
double sino_cone_spread(const SinoScanInfo *info);

/* Lengths of a scan that has none: the detector is one and a half times as far from the source as the axis, and the
 * axis four sides of a slice; pixels are 0.2 mm wide. A distance or a width that the settings give determines the
 * others. */
SinoScanSetup sino_cone_usual_setup(const SinoGeometrySettings *settings, int64_t column_count);

/* SINO_BAD_INPUT: a length is missing, or the lengths are those of no cone beam. */
SinoStatus sino_cone_check_setup(const SinoSettings *settings, const SinoScanSetup *setup);

/* Writes the names of the options whose lengths are 0 as "--a, --b and --c" into `text`; returns their number. */
enum { SINO_CONE_MISSING_SIZE = 128 };
int sino_cone_missing(const SinoScanSetup *setup, char text[SINO_CONE_MISSING_SIZE]);
