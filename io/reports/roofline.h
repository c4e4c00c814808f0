/* SPDX-License-Identifier: BSD-3-Clause */
/* Roofline: draws measured speeds over arithmetic intensity, with the limits of the machine above them (cairo).
 *
 * Both axes are logarithmic; at I flops per byte the machine allows min(peak, I·bandwidth) (S. Williams et al., Comm.
 * ACM 52, 65, 2009). */
#ifndef SINO_ROOFLINE_H
#define SINO_ROOFLINE_H

#include "output_file.h"

typedef enum SinoRooflineFormat { SINO_ROOFLINE_SVG, SINO_ROOFLINE_PNG } SinoRooflineFormat;

enum { SINO_ROOFLINE_WIDTH = 900, SINO_ROOFLINE_HEIGHT = 600 }; /* pixels */

/* A horizontal roof: a peak speed. */
typedef struct SinoRoof {
    const char *name;
    double gflops; /* > 0 */
} SinoRoof;

typedef struct SinoRooflinePoint {
    double intensity, gflops; /* flops per byte, GFLOP/s; both > 0 */
    char label[8];            /* drawn beside the point if there is room; "": none */
} SinoRooflinePoint;

/* Points joined by a line. */
typedef struct SinoRooflineSeries {
    const char *name;
    int colour;  /* 0 … 3, then again from 0 */
    bool hollow; /* points are rings instead of disks */
    int64_t point_count;
    const SinoRooflinePoint *point;
} SinoRooflineSeries;

/* Contents of a picture. Nothing is owned; texts are UTF-8. */
typedef struct SinoRoofline {
    const char *title, *note; /* the note is smaller, below the title */
    double read_gbps;         /* > 0: bandwidth, the slope of the roofline */
    int64_t roof_count;       /* ≥ 1 */
    const SinoRoof *roof;
    int64_t series_count; /* at most 8, in the order of the legend's two rows: series 0 above 1, 2 above 3 … */
    const SinoRooflineSeries *series;
} SinoRoofline;

/* SINO_BAD_INPUT: the path ends neither in .svg nor in .png. */
SinoStatus sino_roofline_format(const char *path, SinoRooflineFormat *format);

/* Draws into the file from its beginning; the caller seals the file. SINO_FAILED: cairo has no memory. */
SinoStatus sino_roofline_draw(const SinoRoofline *roofline, SinoRooflineFormat format, SinoOutputFile *file);

#endif
