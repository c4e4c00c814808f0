/* SPDX-License-Identifier: BSD-3-Clause */
/* Angle list: the value of --theta.
 *
 *     FILE                 text: an angle in degrees per line, comments from # on, or a table with a column that its
 *                          first line, or a comment before it, names angle or theta; NumPy's .npy: a list in radians;
 *                          else raw float32 in radians
 *     FILE:COLUMN          the column of this name of a table
 *     FILE[A:B]            angles number A … B − 1 of the file, counted from 0
 *     FIRST:LAST           degrees, equal steps, both ends included
 *     FIRST:END:excluded   the same without END
 *     FIRST:step:STEP      degrees: FIRST, FIRST + STEP, …
 *
 * A file is text if all of its bytes are text. A file whose ending contradicts its contents (.txt, .csv; .bin, .raw,
 * .f32) is refused. If a file of the given name exists, the value is that file, whatever else it could mean. */
#pragma once

#include "scan_limits.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

/* Reads the angles in radians; the caller frees *angle_rad. *unit: the one of all values, if not auto; auto becomes
 * radians if the name of a column says so ("theta_rad"). `projections`: the number of angles that the scan needs; 0:
 * all angles of the file, and ranges are refused. SINO_BAD_INPUT: no such file, not a regular file, no angles, a number
 * of angles other than `projections` (the error gives both), a value that is not a finite number, selected angles
 * beyond the last one. */
SinoStatus sino_angle_list_read(const char *theta, SinoAngleUnit *unit, int64_t projections, int64_t *count,
                                double **angle_rad);

/* Angle unit: the unit that a file names for its angles. */

/* Radians of one unit: of the one that the user asks for, else, by auto, of the file's. */
double sino_angle_unit_rad(SinoAngleUnit asked, SinoAngleUnit of_file);

/* The unit that an attribute names ("deg", "radians" …); false: another unit. */
bool sino_angle_unit_word(const char *word, SinoAngleUnit *unit);

/* Whether an array or a column is named as angles are: "theta", "rotation_angle", "Angle (deg)". */
bool sino_angle_in_name(const char *name);

/* Whether the name of an array or a column ends in radians: "anglesRad", "theta_rad", "angle [rad]". */
bool sino_angle_unit_in_name(const char *name);
