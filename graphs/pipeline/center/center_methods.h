/* SPDX-License-Identifier: BSD-3-Clause */
/* Center methods: each finds the rotation center of a scan in its own way; center_search.c chooses among them. Centers
 * are in columns of the input's geometry. Each function submits tasks and waits for them. */
#pragma once

#include "center.h"
#include "center_order.h"
#include "input.h"

/* One detector row: sinogram[angle][column], the line integrals of all angles, not owned. Its projections, and the
 * angles of its geometry, are those of the scan in order. */
typedef struct SinoCenterRow {
    SinoRuntime *runtime;
    const SinoGeometry *geometry; /* that of the order */
    const SinoCenterOrder *order; /* not owned */
    const float *sinogram;
} SinoCenterRow;

/* What a method found. */
typedef struct SinoCenterFound {
    double center;
    double metric; /* vo: 0.1 for clean data, near 1 for a wrong center; pairs: correlation, 1 for clean data; entropy:
                    * in nats */
    double doubt;  /* pairs: difference of the centers of half of them each */
    bool at_edge;  /* the center lies at the end of the range of the search */
    double lean;   /* phase: columns from the center of the upper half of the rows to that of the lower half; NaN:
                    * unknown */
} SinoCenterFound;

/* Columns low … high, both included, in which a center is searched. */
typedef struct SinoCenterRange {
    double low, high;
} SinoCenterRange;

/* Degrees that the angles must cover for Vo's method and the entropy. */
#define SINO_CENTER_LEAST_DEG 150

/* Vo's metric over whole columns of the range, then over tenths. SINO_BAD_INPUT: the angles cover less. */
SinoStatus sino_center_by_vo(const SinoCenterRow *row, SinoCenterRange range, SinoCenterFound *found);

/* The entropy of the slice (center.h) over whole columns of the ranges, then over tenths around the best.
 * SINO_BAD_INPUT: as above. */
SinoStatus sino_center_by_entropy(const SinoCenterRow *row, int64_t range_count, const SinoCenterRange *range,
                                  SinoCenterFound *found);

/* The entropy, or Vo's metric, over tenths of columns within `width` of `around`. Errors: as above. */
SinoStatus sino_center_near(const SinoCenterRow *row, bool entropy, double around, double width,
                            SinoCenterFound *found);

/* *doubt: twice the larger difference between a center of Vo's method, or of the entropy, and those of the projections
 * of even and of odd number, in columns; 2: the halves are farther off, or have less than 8 projections in half a turn.
 * Errors: as above. */
SinoStatus sino_center_doubt(const SinoCenterRow *row, bool entropy, double center, double *doubt);

/* Compares projections with those half a turn later. SINO_BAD_INPUT: no angles are half a turn apart. */
SinoStatus sino_center_by_pairs(const SinoCenterRow *row, SinoCenterFound *found);

/* How alike they are about a center; errors as above. */
SinoStatus sino_center_likeness(const SinoCenterRow *row, double center, double *likeness);

/* The same of projections that `read` gives: integral[column of the geometry], finite. */
typedef SinoStatus SinoCenterRead(void *context, int64_t angle, float *integral);
SinoStatus sino_center_of_pairs(const SinoGeometry *geometry, SinoCenterRead *read, void *context,
                                SinoCenterFound *found);

/* Correlation of opposite projections below which they are too little alike to be believed. */
#define SINO_CENTER_LIKENESS 0.8

/* Whether the angles cover a whole turn but for 10 degrees. */
bool sino_center_is_whole_turn(const SinoGeometry *geometry);

/* Phase correlation of the first projection, all its rows, and the projection half a turn later. SINO_BAD_INPUT: the
 * scan has no such pair. */
SinoStatus sino_center_by_phase(SinoRuntime *runtime, const SinoInput *input, SinoCenterFound *found);

/* How alike these two are about an axis that stands upright, and about one that lies (center.h); 0: the scan has no
 * such pair. */
SinoStatus sino_center_mirrored(SinoRuntime *runtime, const SinoInput *input, SinoCenterMirror *mirror);

/* The projection opposite to the first, which phase correlation needs; −1: the scan has none. */
int64_t sino_center_opposite(const SinoGeometry *geometry);

/* Radians from the smallest angle to the largest one. */
static inline double sino_center_span_rad(const SinoGeometry *geometry)
{
    double least = geometry->angle_rad[0], most = least;
    for (int64_t k = 1; k < geometry->angle_count; k++) {
        const double angle = geometry->angle_rad[k];
        least = angle < least ? angle : least;
        most = angle > most ? angle : most;
    }
    return most - least;
}

/* Degrees between an angle and the first. */
static inline double sino_center_degrees(const SinoGeometry *geometry, int64_t angle)
{
    const double difference = geometry->angle_rad[angle] - geometry->angle_rad[0];
    return (difference < 0 ? -difference : difference) * 180 / SINO_PI;
}
