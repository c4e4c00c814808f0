/* SPDX-License-Identifier: BSD-3-Clause */
/* Plots of a setup, as SVG. Private to the files sweep*.c. */
#pragma once

#include "sweep_table.h"

/* One for each figure, and one of predicted beside measured times. */
enum { SINO_SWEEP_PLOTS = SINO_SWEEP_FIGURES + 1 };

/* Whether there is anything in the plot: nothing is measured by --simulate only, or predicted without it. */
bool sino_sweep_has_plot(const SinoSweepTable *table, int plot);
const char *sino_sweep_plot_name(int plot); /* "makespan" … */
SinoStatus sino_sweep_plot(const SinoSweepTable *table, int plot, FILE *out);
