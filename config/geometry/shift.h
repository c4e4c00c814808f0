/* SPDX-License-Identifier: BSD-3-Clause */
/* Shift: how far the image of one projection lies from its place on the detector, in columns and rows. The value of
 * column c and row r lies at c + column and r + row. */
#pragma once

typedef struct SinoShift {
    double column, row;
} SinoShift;
