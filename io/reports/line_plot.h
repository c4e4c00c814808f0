/* SPDX-License-Identifier: BSD-3-Clause */
/* Line plot: a value for each step, with the band between others, as SVG. */
#ifndef SINO_LINE_PLOT_H
#define SINO_LINE_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct SinoLinePlot {
    const char *title, *x_axis, *y_axis;
    const char *line_name, *band_name; /* for the legend; NULL: it has none */
    bool logarithmic;                  /* values must then be above 0 to be drawn */
    int64_t first, count;              /* number of the first step; steps */
    const double *line;                /* [count]; NaN: none */
    const double *low, *high;          /* [count]; NULL: there is no band */
} SinoLinePlot;

/* Prints the plot as an <svg> element, for a page or, as it stands, a file of its own. */
void sino_line_plot_draw(const SinoLinePlot *plot, FILE *out);

#endif
