/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan limits: the largest scan that is read. A larger number in a file is damage or an attack. */
#pragma once

/* Rows or columns of a detector; projections, flat fields or dark fields of a scan. Planning takes some seconds for as
 * many projections. */
enum { SINO_SIDE_MAX = 1 << 20, SINO_IMAGES_MAX = 1 << 20 };

/* Scan axes: the order of the dimensions of an array of projections, the slowest one first, and the unit of angles. */

typedef enum SinoScanAxes {
    SINO_AXES_ANGLE_ROW_COLUMN, /* projections */
    SINO_AXES_ROW_ANGLE_COLUMN, /* sinograms */
    SINO_AXES_ANGLE_COLUMN_ROW,
    SINO_AXES_ROW_COLUMN_ANGLE,
    SINO_AXES_COLUMN_ANGLE_ROW,
    SINO_AXES_COLUMN_ROW_ANGLE
} SinoScanAxes;

/* AUTO: as the file says, or its format has it. */
typedef enum SinoAngleUnit { SINO_ANGLE_UNIT_AUTO, SINO_ANGLE_UNIT_DEGREES, SINO_ANGLE_UNIT_RADIANS } SinoAngleUnit;
