/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of a setup: collects the rows of its policies and sorts them. */
#include "sweep.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The values of a policy in its place in the table, for which the order of the sweep counts. */
static double *values(const SinoSweepTable *table, SinoSweepFigure figure, int64_t policy)
{
    return table->memory + ((int64_t)figure * table->policy_count + policy) * table->repetitions;
}

static void take_row(const SinoSweepTable *table, const SinoSweepRow *row, int64_t policy)
{
    const int64_t at = row->repetition - 1;
    const double bound_s = fmax(row->area_bound_s, row->path_bound_s);
    if (row->exit_code != 0 || at < 0 || at >= table->repetitions) return;
    values(table, SINO_SWEEP_MAKESPAN, policy)[at] = row->makespan_s;
    values(table, SINO_SWEEP_SHARE, policy)[at] = 100 * row->inside_tasks;
    values(table, SINO_SWEEP_EXCESS, policy)[at] = 100 * (row->makespan_s / bound_s - 1);
}

static void take_rows(const SinoSweep *sweep, int64_t first_case, SinoSweepTable *table)
{
    for (const SinoSweepRow *row = sweep->rows.row; row < sweep->rows.row + sweep->rows.count; row++)
        for (int64_t p = 0; p < table->policy_count; p++) {
            if (!sino_sweep_same_case(&row->of, &sweep->of[first_case + p])) continue;
            if (row->phase == SINO_SWEEP_MEASUREMENT) take_row(table, row, p);
            if (row->phase == SINO_SWEEP_SIMULATION && row->exit_code == 0)
                table->policy[p].predicted_s = row->predicted_s;
        }
}

static SinoQuartiles quartiles_of(int64_t count, const double *value, double *scratch)
{
    memcpy(scratch, value, (size_t)count * sizeof *value);
    return sino_quartiles(count, scratch);
}

/* Regrets in percent, wins, and quartiles of all. `scratch` has room for the repetitions, or for the policies. */
static void compare_policies(SinoSweepTable *table, double *scratch)
{
    const int64_t policies = table->policy_count, repetitions = table->repetitions;
    double *regret = values(table, SINO_SWEEP_REGRET, 0);
    sino_paired_regret(policies, repetitions, values(table, SINO_SWEEP_MAKESPAN, 0), regret, scratch);
    for (int64_t i = 0; i < policies * repetitions; i++) regret[i] *= 100;
    for (int64_t p = 0; p < policies; p++) table->policy[p].wins = scratch[p];
    for (int64_t p = 0; p < policies; p++)
        for (int f = 0; f < SINO_SWEEP_FIGURES; f++) {
            table->policy[p].value[f] = values(table, (SinoSweepFigure)f, p);
            table->policy[p].of[f] = quartiles_of(repetitions, table->policy[p].value[f], scratch);
        }
}

static double correlate(const SinoSweepTable *table, double *scratch)
{
    double *predicted = scratch, *measured = scratch + table->policy_count;
    for (int64_t p = 0; p < table->policy_count; p++) {
        predicted[p] = table->policy[p].predicted_s;
        measured[p] = table->policy[p].of[SINO_SWEEP_MAKESPAN].median;
    }
    return sino_rank_correlation(table->policy_count, predicted, measured);
}

/* Without a run, the prediction counts. */
static double time_of(const SinoSweepPolicy *policy)
{
    const double median = policy->of[SINO_SWEEP_MAKESPAN].median;
    return isnan(median) ? policy->predicted_s : median;
}

static int order_policies(const void *a, const void *b)
{
    const SinoSweepPolicy *x = a, *y = b;
    const double first = time_of(x), second = time_of(y);
    if (isnan(first) || isnan(second)) return isnan(first) - isnan(second);
    if (first != second) return first < second ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* The median of a member over the setup's runs. */
static double median_of(const SinoSweep *sweep, const SinoSweepCase *setup, double (*member)(const SinoSweepRow *row),
                        double *scratch)
{
    int64_t count = 0;
    for (const SinoSweepRow *row = sweep->rows.row; row < sweep->rows.row + sweep->rows.count; row++)
        if (row->phase == SINO_SWEEP_MEASUREMENT && row->exit_code == 0 && sino_sweep_same_setup(&row->of, setup))
            scratch[count++] = member(row);
    return sino_quartiles(count, scratch).median;
}

static double tasks_of(const SinoSweepRow *row)
{
    return (double)row->tasks;
}

static double build_of(const SinoSweepRow *row)
{
    return row->build_s;
}

static double peak_of(const SinoSweepRow *row)
{
    return (double)row->peak_bytes;
}

static double transfers_of(const SinoSweepRow *row)
{
    return (double)row->transfer_bytes;
}

static void summarise(const SinoSweep *sweep, SinoSweepTable *table, double *scratch)
{
    table->tasks = median_of(sweep, &table->setup, tasks_of, scratch);
    table->build_s = median_of(sweep, &table->setup, build_of, scratch);
    table->peak_bytes = median_of(sweep, &table->setup, peak_of, scratch);
    table->transfer_bytes = median_of(sweep, &table->setup, transfers_of, scratch);
}

/* Everything but memory. */
static void fill(const SinoSweep *sweep, int64_t first_case, SinoSweepTable *table, double *scratch)
{
    const int64_t values_of_all = SINO_SWEEP_FIGURES * table->policy_count * table->repetitions;
    for (int64_t i = 0; i < values_of_all; i++) table->memory[i] = NAN;
    for (int64_t p = 0; p < table->policy_count; p++)
        table->policy[p] = (SinoSweepPolicy){.name = sweep->scheduler[p], .predicted_s = NAN};
    take_rows(sweep, first_case, table);
    compare_policies(table, scratch);
    table->correlation = correlate(table, scratch);
    summarise(sweep, table, scratch);
    qsort(table->policy, (size_t)table->policy_count, sizeof *table->policy, order_policies);
}

SinoStatus sino_sweep_table(const SinoSweep *sweep, int64_t first_case, SinoSweepTable *result)
{
    SinoSweepTable table = {.setup = sweep->of[first_case],
                            .policy_count = sweep->scheduler_count,
                            .repetitions = sweep->settings->sweep.repetitions};
    const int64_t shape[] = {SINO_SWEEP_FIGURES, table.policy_count, table.repetitions};
    double *scratch = NULL;
    int64_t count;
    SINO_TRY(sino_product(3, shape, "a table", &count));
    SinoStatus status = sino_allocate(count, sizeof *table.memory, "a table", &table.memory);
    if (!status) status = sino_allocate(table.policy_count, sizeof *table.policy, "a table", &table.policy);
    /* For values of all rows, and for two values of each policy. */
    if (!status)
        status = sino_allocate(sweep->rows.count + 2 * table.policy_count + table.repetitions, sizeof *scratch,
                               "a table", &scratch);
    if (!status) fill(sweep, first_case, &table, scratch);
    free(scratch);
    if (status)
        sino_sweep_table_free(&table);
    else
        *result = table;
    return status;
}

void sino_sweep_table_free(SinoSweepTable *table)
{
    free(table->memory);
    free(table->policy);
    table->memory = NULL;
    table->policy = NULL;
}
