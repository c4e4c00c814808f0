/* SPDX-License-Identifier: BSD-3-Clause */
/* Plots of a setup: a strip plot for each figure. */
#include "sweep_plots.h"

#include "memory.h"
#include "strip_plot.h"

#include <math.h>
#include <stdlib.h>

enum { PREDICTION = SINO_SWEEP_FIGURES };

typedef struct Look {
    const char *name, *title, *axis;
} Look;

static const Look look[SINO_SWEEP_PLOTS] = {
    [SINO_SWEEP_MAKESPAN] = {"makespan", "Makespan of the reconstruction", "seconds"},
    [SINO_SWEEP_SHARE] = {"share", "Workers' time inside tasks", "per cent"},
    [SINO_SWEEP_REGRET] = {"regret", "Regret against the best policy of each repetition", "per cent"},
    [SINO_SWEEP_EXCESS] = {"bound", "Regret against the bound of the run's own tasks", "per cent"},
    [PREDICTION] = {"prediction", "Predicted beside measured makespan", "seconds"},
};

static bool is_measured(const SinoSweepTable *table)
{
    for (int64_t p = 0; p < table->policy_count; p++)
        if (table->policy[p].of[SINO_SWEEP_MAKESPAN].count > 0) return true;
    return false;
}

static bool is_simulated(const SinoSweepTable *table)
{
    for (int64_t p = 0; p < table->policy_count; p++)
        if (!isnan(table->policy[p].predicted_s)) return true;
    return false;
}

bool sino_sweep_has_plot(const SinoSweepTable *table, int plot)
{
    return plot == PREDICTION ? is_simulated(table) : is_measured(table);
}

const char *sino_sweep_plot_name(int plot)
{
    return look[plot].name;
}

SinoStatus sino_sweep_plot(const SinoSweepTable *table, int plot, FILE *out)
{
    const int figure = plot == PREDICTION ? SINO_SWEEP_MAKESPAN : plot;
    const bool measured = is_measured(table);
    SinoStripRow *row = NULL;
    SINO_TRY(sino_allocate(table->policy_count, sizeof *row, "a plot", &row));
    for (int64_t p = 0; p < table->policy_count; p++)
        row[p] = (SinoStripRow){.name = table->policy[p].name,
                                .count = table->repetitions,
                                .value = table->policy[p].value[figure],
                                .bar = table->policy[p].of[figure].median,
                                .diamond = plot == PREDICTION ? table->policy[p].predicted_s : NAN};
    sino_strip_plot_draw(&(SinoStripPlot){.title = look[plot].title,
                                          .axis = look[plot].axis,
                                          .dot_name = measured ? "a run" : NULL,
                                          .bar_name = measured ? "median" : NULL,
                                          .diamond_name = plot == PREDICTION ? "predicted" : NULL,
                                          .linear = plot == SINO_SWEEP_SHARE,
                                          .row_count = table->policy_count,
                                          .row = row},
                         out);
    free(row);
    return NULL;
}
