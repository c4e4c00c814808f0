/* SPDX-License-Identifier: BSD-3-Clause */
/* Orbit views: the vectors of projections by words, for helices, laminography and turned detectors.
 *
 *     orbit:source=200,detector=300,pixel=0.2,turns=3,pitch=8       a helix
 *     orbit:tilt=30                                                 laminography by parallel rays
 *
 * source, detector   mm from the source to the axis, and to the detector; without both: parallel rays
 * pixel              side of a detector pixel, mm; 1 if it is not given
 * tilt               degrees by which the middle ray rises towards larger slices
 * roll               degrees by which the detector is turned, as --detector-tilt has them
 * turns              projections are spread evenly over so many turns; if not given: the angles of the scan
 * pitch              mm, with turns: how far source and detector go towards larger slices in a turn
 */
#pragma once

#include "status.h"
#include "view.h"

#include <stdbool.h>

typedef struct SinoOrbit {
    double source_mm, detector_mm; /* 0: parallel rays */
    double pixel_mm;
    double tilt_deg, roll_deg;
    double turns; /* 0: not given */
    double pitch_mm;
} SinoOrbit;

bool sino_orbit_probe(const char *vectors); /* "orbit:" */

/* SINO_BAD_INPUT: an unknown word, a number that is none or out of bounds, or words that do not go together. */
SinoStatus sino_orbit_parse(const char *vectors, SinoOrbit *orbit);

/* At an angle, with the part of the whole motion in [0, 1] that is done then; `first` is the middle of the detector. */
SinoView sino_orbit_view(const SinoOrbit *orbit, double angle_rad, double part);
