/* SPDX-License-Identifier: BSD-3-Clause */
/* Plots of a setup: a row for each policy, with a dot for each run. Many rows stay readable, and every value is
 * seen (Cleveland and McGill, JASA 79, 531 (1984)). */
#include "sweep.h"

#include "memory.h"
#include "plot.h"

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

enum { PER_ROW = 3 };

/* What is in a row: the runs, their median, and the prediction. */
static void fill_row(const SinoSweepTable *table, int64_t p, int plot, SinoPlotSeries series[PER_ROW])
{
    const SinoSweepPolicy *policy = &table->policy[p];
    const int figure = plot == PREDICTION ? SINO_SWEEP_MAKESPAN : plot;
    const bool named = p == 0, measured = is_measured(table);
    series[0] = (SinoPlotSeries){.name = named && measured ? "a run" : NULL,
                                 .mark = SINO_PLOT_DOT,
                                 .count = table->repetitions,
                                 .x = policy->value[figure],
                                 .row = p};
    series[1] = (SinoPlotSeries){.name = named && measured ? "median" : NULL,
                                 .mark = SINO_PLOT_BAR,
                                 .colour = SINO_PLOT_BLACK,
                                 .count = 1,
                                 .x = &policy->of[figure].median,
                                 .row = p};
    series[2] = (SinoPlotSeries){.name = named && plot == PREDICTION ? "predicted" : NULL,
                                 .mark = SINO_PLOT_DIAMOND,
                                 .colour = 1,
                                 .count = plot == PREDICTION,
                                 .x = &policy->predicted_s,
                                 .row = p};
}

SinoStatus sino_sweep_plot(const SinoSweepTable *table, int plot, FILE *out)
{
    const int64_t rows = table->policy_count;
    SinoStatus status = NULL;
    SinoPlotSeries *series = NULL;
    const char **name = NULL;
    SINO_TRY_OR(status, end, sino_allocate(rows, PER_ROW * sizeof *series, "a plot", &series));
    SINO_TRY_OR(status, end, sino_allocate(rows, sizeof *name, "a plot", &name));
    for (int64_t p = 0; p < rows; p++) {
        name[p] = table->policy[p].name;
        fill_row(table, p, plot, series + PER_ROW * p);
    }
    sino_plot_draw(&(SinoPlot){.title = look[plot].title,
                               .x = {.name = look[plot].axis,
                                     .scale = plot == SINO_SWEEP_SHARE ? SINO_PLOT_LINEAR : SINO_PLOT_EITHER},
                               .row_count = rows,
                               .row_name = name,
                               .series_count = PER_ROW * rows,
                               .series = series},
                   out);
end:
    free(series);
    free(name);
    return status;
}
