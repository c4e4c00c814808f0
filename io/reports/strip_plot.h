/* SPDX-License-Identifier: BSD-3-Clause */
/* Strip plot: a horizontal row for each name with a dot for each value, drawn as SVG. Many rows stay readable, and
 * every value is seen (Cleveland and McGill, JASA 79, 531 (1984)). */
#ifndef SINO_STRIP_PLOT_H
#define SINO_STRIP_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A row. Values that are not finite are left out. */
typedef struct SinoStripRow {
    const char *name;
    int64_t count;
    const double *value;
    double bar;     /* a vertical bar, such as the median; NaN: none */
    double diamond; /* such as a prediction; NaN: none */
} SinoStripRow;

/* Nothing is owned; texts are UTF-8. */
typedef struct SinoStripPlot {
    const char *title, *axis;                       /* the axis with its unit: "makespan (s)" */
    const char *dot_name, *bar_name, *diamond_name; /* for the legend; NULL: there are none */
    bool linear;                                    /* never a logarithmic axis */
    int64_t row_count;
    const SinoStripRow *row; /* from top to bottom */
} SinoStripPlot;

/* Prints an element <svg> of its own name space, which is also a file. Unless `linear`, the axis is logarithmic if
 * the values are positive and differ by a factor of 20 or more. */
void sino_strip_plot_draw(const SinoStripPlot *plot, FILE *out);

#endif
