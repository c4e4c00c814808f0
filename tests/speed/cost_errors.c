/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost errors: how well times that were measured in one directory of models tell those of another.
 *
 *     STARPU_PERF_MODEL_DIR=known … sinodag recon …; STARPU_PERF_MODEL_DIR=new … sinodag recon …
 *     cost_errors known new
 *
 * For each kind of task, of the entries of `new` that `known` has not measured: how many were told by a curve and by
 * rates, the median and the largest relative error of a time, the median of the error that was told, the error of the
 * sum of all times, and the share of the kind in that sum. */
#include "models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = SINO_SAMPLE_ENTRIES };

typedef struct Kind {
    char symbol[SINO_SAMPLE_SYMBOL_BYTES];
    unsigned device;
    int64_t count, of[SINO_COST_SOURCES];
    double off[MOST], told[MOST];
    double sum, predicted;
} Kind;

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *value, int64_t count)
{
    qsort(value, (size_t)count, sizeof *value, by_value);
    return value[count / 2];
}

static bool read_table(const char *directory, SinoSampleTable *table)
{
    SinoModelFile file;
    char *path = sino_models_kept_samples_path(directory);
    const bool good =
        path && sino_model_file_read(path, &file) == SINO_MODEL_FILE_GOOD && sino_sample_table_parse(file.text, table);
    if (!good) fprintf(stderr, "%s has no samples of this machine\n", directory);
    free(path);
    return good;
}

static void compare(const SinoTaskCosts *costs, const SinoSampleEntry *entry, Kind *kind)
{
    const SinoTaskFeatures task = {.symbol = entry->symbol,
                                   .footprint = entry->footprint,
                                   .work = entry->work,
                                   .flops = entry->flops,
                                   .bytes = (int64_t)entry->bytes,
                                   .width = entry->width,
                                   .precision = entry->precision,
                                   .variant = entry->variant};
    SinoCostSource source;
    double error;
    const double told_us = 1e6 * sino_task_cost_s(costs, entry->device, &task, &source, &error);
    kind->of[source]++;
    if (source == SINO_COST_MEASURED) return;
    const double us = sino_sample_quantile(entry, 0.5);
    if (getenv("COST_ERRORS_ALL"))
        printf("  %s width %g work %g bytes %g: %.4g us, told %.4g ± %.0f %%\n", entry->symbol, (double)entry->width,
               entry->work, entry->bytes, us, told_us, 100 * error);
    kind->off[kind->count] = fabs(told_us / us - 1);
    kind->told[kind->count++] = error;
    kind->sum += us * entry->count;
    kind->predicted += told_us * entry->count;
}

static void print(Kind *kind, double all)
{
    if (kind->count == 0) return;
    const double middle = median(kind->off, kind->count);
    printf("| %s | %d | %d, %d | %.0f %% | %.0f %% | %.0f %% | %+.0f %% | %.1f %% |\n",
           kind->symbol + strlen("sinodag_"), (int)kind->device, (int)kind->of[SINO_COST_FITTED],
           (int)kind->of[SINO_COST_RATE], 100 * middle, 100 * kind->off[kind->count - 1],
           100 * median(kind->told, kind->count), 100 * (kind->predicted / kind->sum - 1), 100 * kind->sum / all);
}

int main(int count, char **argument)
{
    enum { KINDS = 128 };
    SinoMachineFile machine;
    SinoTaskCosts *costs;
    SinoSampleTable table;
    if (count != 3) {
        fprintf(stderr, "usage: cost_errors KNOWN NEW\n");
        return 2;
    }
    static Kind kind[KINDS];
    sino_machine_preset("here", &machine);
    if (!read_table(argument[2], &table) || sino_task_costs_open(argument[1], &machine, &costs)) return 1;
    int64_t kinds = 0;
    for (int64_t i = 0; i < table.count; i++) {
        const SinoSampleEntry *entry = &table.entry[i];
        if (sino_between_is(entry)) continue; /* no task */
        if (kinds == 0 || strcmp(kind[kinds - 1].symbol, entry->symbol) != 0 ||
            kind[kinds - 1].device != entry->device) {
            if (kinds == KINDS) return 1;
            snprintf(kind[kinds].symbol, sizeof kind->symbol, "%s", entry->symbol);
            kind[kinds++].device = entry->device;
        }
        compare(costs, entry, &kind[kinds - 1]);
    }
    double all = 0;
    for (int64_t k = 0; k < kinds; k++) all += kind[k].sum;
    printf("| kind | device | by curve, by rates | error of a time: median | largest | told | of all | share |\n"
           "|---|---|---|---|---|---|---|---|\n");
    for (int64_t k = 0; k < kinds; k++) print(&kind[k], all);
    sino_task_costs_free(costs);
    sino_sample_table_free(&table);
    return 0;
}
