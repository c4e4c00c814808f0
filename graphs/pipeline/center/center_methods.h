/* SPDX-License-Identifier: BSD-3-Clause */
/* Center methods: each finds the rotation center of a scan in its own way. */
#pragma once

#include "center.h"
#include "center_settings.h"
#include "geometry.h"
#include "input.h"
#include "status.h"

/* Center order: the methods that find the center take half a turn of projections in the order of their angles.
 * Interlaced scans, and those of golden angles, take them in another order; interlaced ones over several turns. */

typedef struct SinoCenterOrder {
    SinoGeometry geometry; /* with the angles in order, each within a turn of the smallest one */
    double *angle_rad;     /* owned; NULL: the angles were in order, and within one and a half turns */
    int64_t *place;        /* place[k]: the projection with the k-th angle; owned, NULL as above */
} SinoCenterOrder;

/* The caller frees the order. The geometry's angles must outlive it. */
SinoStatus sino_center_order_new(const SinoGeometry *geometry, SinoCenterOrder *order);

/* Puts the projections of sinogram[angle][column] in order, in place. */
SinoStatus sino_center_order_apply(const SinoCenterOrder *order, float *sinogram);

void sino_center_order_free(SinoCenterOrder *order);

/* The methods, among which center_search.c chooses. Centers are in columns of the input's geometry. Each function
 * submits tasks and waits for them. */

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

/* Center in several rows: how far the rotation center of one detector row holds for others. */

enum { SINO_CENTER_ROWS = 3 };

/* Centers of the same scan in several rows, columns of the input's geometry. */
typedef struct SinoCenterRows {
    int64_t count; /* 1 … SINO_CENTER_ROWS */
    double center[SINO_CENTER_ROWS];
    int64_t moment_count; /* rows whose moments tell a center (center.h) */
    double moments[SINO_CENTER_ROWS], uncertainty[SINO_CENTER_ROWS];
} SinoCenterRows;

/* A center, and how far the true one may be from it: about two standard deviations. */
typedef struct SinoCenterEstimate {
    double center, uncertainty;
} SinoCenterEstimate;

/* Asks the moments of the first row, whose center is known. SINO_FAILED: no memory. */
SinoStatus sino_center_add_moments(const SinoCenterRow *row, SinoCenterRows *rows);

/* Adds to rows, which has the center of slice `slice` and its sinogram `row`, those of the rows a quarter from the top
 * and from the bottom, where these rows have a fifth of the signal (standard deviation) of the first, else of the rows
 * halfway between; a row of air adds none. Vo's method and the entropy look within half a column of the first row's
 * center, and only where that ends at the border within six; phase correlation has compared all rows. Moments
 * are asked if the first row's are. Errors: those of sino_stages_read. */
SinoStatus sino_center_add_rows(SinoRuntime *runtime, const SinoInput *input, SinoCenterMethod method,
                                const SinoCenterRow *row, int64_t slice, SinoCenterRows *rows);

/* The median of the rows, which half of their range and `doubt` make uncertain. */
SinoCenterEstimate sino_center_of_rows(const SinoCenterRows *rows, double doubt);

/* The mean of the rows' moments, each by its uncertainty; as uncertain as the best row, or half of the range. No row:
 * INFINITY. */
SinoCenterEstimate sino_center_of_moments(const SinoCenterRows *rows);

/* The mean of both, each by its uncertainty; it is as much more uncertain as they differ by more than theirs. */
SinoCenterEstimate sino_center_mean(SinoCenterEstimate a, SinoCenterEstimate b);

/* Quick rows: line integrals of some detector rows, for verbs that predict a run and start no StarPU. */

/* Rows of the detector, all columns, without binning. */
typedef struct SinoQuickRows {
    const SinoInput *input; /* not owned */
    SinoScanBox box;
    float *flat, *dark, *counts; /* [row][column]; means of at most 16 fields; owned */
} SinoQuickRows;

/* SINO_FAILED: the file cannot be read, or no memory; the caller closes the rows also then. */
SinoStatus sino_quick_rows_open(const SinoInput *input, int64_t first_row, int64_t row_count, SinoQuickRows *rows);
void sino_quick_rows_close(SinoQuickRows *rows);

/* integral[row][column]: line integrals of a projection; an undefined one is that of the column before. `rows` is a
 * SinoQuickRows. */
SinoStatus sino_quick_rows_read(void *rows, int64_t angle, float *integral);
