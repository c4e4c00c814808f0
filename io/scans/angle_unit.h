/* SPDX-License-Identifier: BSD-3-Clause */
/* Angle unit: the unit that a file names for its angles. */
#pragma once

#include "scan_axes.h"

#include <stdbool.h>

/* Radians of one unit: of the one that the user asks for, else, by auto, of the file's. */
double sino_angle_unit_rad(SinoAngleUnit asked, SinoAngleUnit of_file);

/* The unit that an attribute names ("deg", "radians" …); false: another unit. */
bool sino_angle_unit_word(const char *word, SinoAngleUnit *unit);

/* Whether an array or a column is named as angles are: "theta", "rotation_angle", "Angle (deg)". */
bool sino_angle_in_name(const char *name);

/* Whether the name of an array or a column ends in radians: "anglesRad", "theta_rad", "angle [rad]". */
bool sino_angle_unit_in_name(const char *name);
