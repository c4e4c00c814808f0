/* SPDX-License-Identifier: BSD-3-Clause */
/* Plot: points, lines and bands over two axes, printed as SVG; whoever shows it draws the text. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum SinoPlotScale {
    SINO_PLOT_LINEAR,
    SINO_PLOT_LOGARITHMIC, /* values that are not above 0 are not drawn */
    SINO_PLOT_EITHER       /* logarithmic if all values are above 0 and differ by a factor of 20 or more */
} SinoPlotScale;

/* An axis, with round numbers at its ticks. Members after the scale belong to plot.c. */
typedef struct SinoPlotAxis {
    const char *name; /* with its unit: "makespan (s)"; not owned */
    SinoPlotScale scale;
    double low, high;    /* numbers of the first and the last tick: whole numbers; equal: as the series need it */
    double step;         /* between ticks, unless logarithmic: those are 1, 2 and 5 times powers of ten */
    double from, length; /* in pixels; a negative length runs upwards */
} SinoPlotAxis;

typedef enum SinoPlotMark {
    SINO_PLOT_NO_MARK,
    SINO_PLOT_DOT,
    SINO_PLOT_RING,
    SINO_PLOT_BAR,
    SINO_PLOT_DIAMOND,
    SINO_PLOT_BAND, /* the area from y to high */
    SINO_PLOT_LIMIT /* a line whose name stands along it instead of in the legend */
} SinoPlotMark;

enum { SINO_PLOT_BLACK = 4 }; /* colours 0 … 3 are those that the colour-blind tell apart, then again from black */

/* Points. Values that are not finite are not drawn. Nothing is owned; texts are UTF-8. */
typedef struct SinoPlotSeries {
    const char *name; /* for the legend; NULL: none */
    SinoPlotMark mark;
    int colour;
    bool joined; /* by a line, which ends where a point is not drawn */
    int64_t count;
    const double *x; /* [count]; NULL: 0, 1, 2 … */
    const double *y; /* [count]; NULL: all are in this row */
    int64_t row;
    const double *high;   /* [count], of a band */
    const int64_t *label; /* [count], numbers beside the points where there is room; NULL: none */
} SinoPlotSeries;

typedef struct SinoPlot {
    const char *title, *note;     /* note: below the title; NULL: none */
    int width, height;            /* in pixels; 0: those of a plot in a page */
    SinoPlotAxis x, y;            /* y is not used with rows */
    int64_t row_count;            /* 0: y has an axis */
    const char *const *row_name;  /* [row_count], from top to bottom; a long one loses its beginning */
    int64_t series_count;         /* later ones cover earlier ones */
    const SinoPlotSeries *series; /* [series_count] */
} SinoPlot;

/* The axis with round ends beyond `least` and `most`; least > most: 0 and 1. `least_step`: ticks are not closer, 0:
 * any. A logarithmic axis needs least > 0. */
void sino_plot_axis(SinoPlotAxis *axis, double least, double most, double least_step);

/* The number of the last tick, counted from 0, and the value of a tick. */
int64_t sino_plot_ticks(const SinoPlotAxis *axis);
double sino_plot_tick(const SinoPlotAxis *axis, int64_t number);

/* Spreads [*least, *most], which begins as [INFINITY, -INFINITY], so that it has the value, if that is finite. */
void sino_plot_include(double value, double *least, double *most);

/* Prints the plot as an <svg> element, for a page or, as it stands, a file of its own. */
void sino_plot_draw(const SinoPlot *plot, FILE *out);
