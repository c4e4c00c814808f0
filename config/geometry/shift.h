/* SPDX-License-Identifier: BSD-3-Clause */
/* Shift: how far the image of one projection lies from its place on the detector, in columns and rows. What belongs to
 * column c and row r is found at c + column and r + row. */
#ifndef SINO_SHIFT_H
#define SINO_SHIFT_H

typedef struct SinoShift {
    double column, row;
} SinoShift;

#endif
