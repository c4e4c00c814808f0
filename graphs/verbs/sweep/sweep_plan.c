/* SPDX-License-Identifier: BSD-3-Clause */
/* Plan of a sweep: all combinations of its lists, and the order of the runs. */
#include "sweep.h"

#include "memory.h"
#include "platform.h"

#include <inttypes.h>
#include <string.h>

enum { LISTS = 8, RUNS_MAX = 100000 };

/* A list of the settings, and the member of a case that it sets. */
typedef struct Axis {
    const SinoCountList *list;
    size_t offset;
} Axis;

static SinoStatus check_workers(const SinoSweepSettings *settings)
{
    const int64_t cores = sino_platform_core_count();
    for (int64_t i = 0; settings->simulation != SINO_SIMULATION_ONLY && i < settings->worker_counts.count; i++)
        SINO_CHECK(settings->worker_counts.value[i] <= cores, SINO_BAD_INPUT,
                   "--workers has %" PRId64 "; allowed: 1 to %" PRId64 ", the cores that this process may use, and 0",
                   settings->worker_counts.value[i], cores);
    return NULL;
}

static SinoStatus count_runs(const SinoSweep *sweep, const Axis axis[LISTS], int64_t kinds, int64_t *setups)
{
    int64_t count = kinds;
    for (int a = 0; a < LISTS && axis[a].list; a++) count = sino_times(count, axis[a].list->count);
    const int64_t runs = sino_times(sino_times(count, sweep->scheduler_count), sweep->settings->sweep.repetitions);
    SINO_CHECK(runs <= RUNS_MAX, SINO_BAD_INPUT,
               "the lists have more than %d combinations and repetitions; allowed: at most that many", RUNS_MAX);
    *setups = count;
    return NULL;
}

/* Combination number `number` of the lists; the last list changes fastest. */
static SinoSweepCase combine(const Axis axis[LISTS], int64_t number)
{
    SinoSweepCase of = {.columns = 0};
    int lists = 0;
    while (lists < LISTS && axis[lists].list) lists++;
    for (int a = lists - 1; a >= 0; a--) {
        const SinoCountList *list = axis[a].list;
        memcpy((char *)&of + axis[a].offset, &list->value[number % list->count], sizeof(int64_t));
        number /= list->count;
    }
    return of;
}

/* The precisions and sets of devices as lists, for they are no counts. */
static SinoCountList list_precisions(const SinoSweepSettings *settings)
{
    SinoCountList list = {.count = 0};
    for (int p = 0; p < SINO_PRECISIONS; p++)
        if (settings->precisions >> p & 1) list.value[list.count++] = p;
    return list;
}

static void fill(SinoSweep *sweep, const Axis axis[LISTS], const SinoCountList *precisions)
{
    const SinoCountList *sets = &sweep->settings->sweep.device_sets;
    const int64_t kinds = precisions->count * sets->count;
    for (int64_t i = 0; i < sweep->case_count; i++) {
        const int64_t setup = i / sweep->scheduler_count;
        SinoSweepCase of = combine(axis, setup / kinds);
        of.devices = (unsigned)sets->value[setup % kinds / precisions->count];
        of.precision = (SinoPrecision)precisions->value[setup % precisions->count];
        snprintf(of.scheduler, sizeof of.scheduler, "%s", sweep->scheduler[i % sweep->scheduler_count]);
        sweep->of[i] = of;
    }
}

SinoStatus sino_sweep_cases(SinoSweep *sweep)
{
    static const SinoCountList of_file = {.count = 1};
    const SinoSettings *settings = sweep->settings;
    const bool file = settings->input.file_name != NULL;
    const SinoCountList precisions = list_precisions(&settings->sweep);
    const Axis axis[LISTS] = {
        {file ? &of_file : &settings->sweep.column_counts, offsetof(SinoSweepCase, columns)},
        {file ? &of_file : &settings->sweep.angle_counts, offsetof(SinoSweepCase, angles)},
        {file ? &of_file : &settings->sweep.slice_counts, offsetof(SinoSweepCase, slices)},
        {&settings->sweep.minibatches, offsetof(SinoSweepCase, minibatch)},
        {&settings->sweep.partition_counts, offsetof(SinoSweepCase, partitions)},
        {&settings->sweep.worker_counts, offsetof(SinoSweepCase, workers)},
        {NULL, 0},
    };
    int64_t setups;
    SINO_TRY(check_workers(&settings->sweep));
    SINO_TRY(count_runs(sweep, axis, sino_times(precisions.count, settings->sweep.device_sets.count), &setups));
    sweep->case_count = sino_times(setups, sweep->scheduler_count);
    SINO_TRY(sino_allocate(sweep->case_count, sizeof *sweep->of, "the runs of a sweep", &sweep->of));
    fill(sweep, axis, &precisions);
    return NULL;
}

SinoStatus sino_sweep_order(const SinoSweep *sweep, int64_t **order)
{
    const int64_t repetitions = sweep->settings->sweep.repetitions, shape[] = {repetitions, sweep->case_count};
    int64_t count;
    SINO_TRY(sino_product(2, shape, "the order of runs", &count));
    SINO_TRY(sino_allocate(count, sizeof **order, "the order of runs", order));
    for (int64_t r = 0; r < repetitions; r++)
        sino_random_order((uint64_t)sweep->settings->phantom.seed, (uint64_t)r, sweep->case_count,
                          *order + r * sweep->case_count);
    return NULL;
}

bool sino_sweep_same_setup(const SinoSweepCase *a, const SinoSweepCase *b)
{
    return a->columns == b->columns && a->angles == b->angles && a->slices == b->slices &&
           a->minibatch == b->minibatch && a->partitions == b->partitions && a->workers == b->workers &&
           a->devices == b->devices && a->precision == b->precision;
}

bool sino_sweep_same_case(const SinoSweepCase *a, const SinoSweepCase *b)
{
    return sino_sweep_same_setup(a, b) && strcmp(a->scheduler, b->scheduler) == 0;
}

const SinoSweepRow *sino_sweep_find(const SinoSweep *sweep, SinoSweepPhase phase, const SinoSweepCase *of,
                                    int64_t repetition)
{
    for (const SinoSweepRow *row = sweep->rows.row; row < sweep->rows.row + sweep->rows.count; row++)
        if (row->phase == phase && row->repetition == repetition && sino_sweep_same_case(&row->of, of)) return row;
    return NULL;
}

static void print_count(int64_t count, const char *before, const char *after, FILE *out)
{
    if (count > 0) fprintf(out, ", %s%" PRId64 "%s", before, count, after);
}

char *sino_sweep_setup_text(const SinoSweep *sweep, const SinoSweepCase *of)
{
    char *text = NULL, devices[SINO_DEVICES_SIZE];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    if (of->columns == 0)
        fputs(sweep->settings->input.file_name, out);
    else
        fprintf(out, "%" PRId64 " columns, %" PRId64 " angles, %" PRId64 " slices", of->columns, of->angles,
                of->slices);
    print_count(of->minibatch, "minibatch ", "", out);
    print_count(of->partitions, "", of->partitions == 1 ? " partition" : " partitions", out);
    print_count(of->workers, "", of->workers == 1 ? " worker" : " workers", out);
    fprintf(out, ", %s, %s", sino_devices_text(of->devices, '+', devices), sino_precision_name(of->precision));
    return fclose(out) == 0 ? text : NULL;
}
