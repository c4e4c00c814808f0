/* SPDX-License-Identifier: BSD-3-Clause */
/* Plot axis: the scale of an axis of a plot, with round numbers at its ticks, and text of SVG. */
#ifndef SINO_PLOT_AXIS_H
#define SINO_PLOT_AXIS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct SinoPlotAxis {
    double low, high;    /* numbers of the first and the last tick: whole numbers */
    bool logarithmic;    /* ticks are 1, 2 and 5 times powers of ten */
    double step;         /* between ticks, unless logarithmic */
    double from, length; /* in pixels; a negative length runs upwards or to the left */
} SinoPlotAxis;

/* Spreads [*least, *most], which begins as [INFINITY, -INFINITY], so that it has the value, if that is finite. */
void sino_plot_include(double value, double *least, double *most);

/* An axis for values from `least` to `most`; least > most: from 0 to 1. Logarithmic axes need least > 0. */
SinoPlotAxis sino_plot_axis(double least, double most, bool logarithmic, double from, double length);

/* The number of the last tick, counted from 0, the value of a tick, and the pixel of a value. */
int64_t sino_plot_ticks(const SinoPlotAxis *axis);
double sino_plot_tick(const SinoPlotAxis *axis, int64_t number);
double sino_plot_place(const SinoPlotAxis *axis, double value);

/* Prints a text element at a pixel; `more` are further attributes. */
void sino_plot_text(double x, double y, const char *more, const char *text, FILE *out);

#endif
