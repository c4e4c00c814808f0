/* SPDX-License-Identifier: BSD-3-Clause */
/* Task cost: the choice between measurements, curves and rates. */
#include "models.h"

#include "device.h"
#include "memory.h"
#include "panel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Tasks that one curve describes. */
typedef struct Group {
    const SinoSampleEntry *like; /* one of them */
    int64_t count;
    SinoCostFit *fit; /* owned */
} Group;

struct SinoTaskCosts {
    SinoMachineFile machine;
    SinoSampleTable table;
    Group *group; /* [group_count]; owned */
    int64_t group_count;
};

/* Relative error of a curve of tasks that read and write other data. */
static const double variant_error = 0.5;

const char *sino_cost_source_name(SinoCostSource source)
{
    static const char *const name[SINO_COST_SOURCES] = {
        [SINO_COST_MEASURED] = "measured", [SINO_COST_FITTED] = "fitted", [SINO_COST_RATE] = "rate"};
    return name[source];
}

/* ---- rates ---- */

/* Rates of the machine's processors of a kind; NULL: it has none. */
static const SinoProcessorRates *rates_of(const SinoMachineFile *machine, unsigned device)
{
    if (device == SINO_DEVICE_CPU) return &machine->core;
    return machine->device_count > 0 && machine->device_kind == device ? &machine->device : NULL;
}

/* A register has half as many doubles. */
static double flops_per_single(int precision)
{
    return precision == 1 + SINO_DOUBLE ? 2 : 1;
}

/* Products come within a factor of two. Of other tasks rates know only the bytes of data. */
static double rate_error(const SinoTaskFeatures *task)
{
    return task->flops > 0 ? 1 : 4;
}

double sino_processor_s(const SinoProcessorRates *rates, double flops, double bytes)
{
    return 1e-6 * rates->task_us + fmax(flops / (1e9 * rates->gflops), bytes / (1e9 * rates->memory_gbps));
}

bool sino_devices_iterate_alone(unsigned devices, const char *scheduler, double cores_gbps, double devices_gbps)
{
    if (devices != SINO_DEVICE_ALL) return !(devices & SINO_DEVICE_CPU);
    return cores_gbps < devices_gbps / 8 && (!scheduler || strcmp(scheduler, "sino-affinity") != 0);
}

static double rate_s(const SinoTaskCosts *costs, unsigned device, const SinoTaskFeatures *task)
{
    const SinoProcessorRates *rates = rates_of(&costs->machine, device);
    if (!rates) return INFINITY;
    return sino_processor_s(rates, task->flops * flops_per_single(task->precision), (double)task->bytes);
}

/* ---- curves ---- */

static double median_s(const SinoSampleEntry *entry)
{
    return 1e-6 * fmax(sino_sample_quantile(entry, 0.5), 1e-3);
}

/* Standard deviation of a time, relative, from the quartiles of a normal distribution. */
static double spread(const SinoSampleEntry *entry)
{
    const double between = 1.35;
    return 1e-6 * (sino_sample_quantile(entry, 0.75) - sino_sample_quantile(entry, 0.25)) / between / median_s(entry);
}

/* The width of a whole panel of vectors in a precision (1 + SinoPrecision); 0: they have none. */
static double panel_of(int precision)
{
    return precision > 0 ? (double)sino_panel_width((SinoPrecision)(precision - 1)) : 0;
}

static SinoCostPoint point_of_entry(const SinoSampleEntry *entry)
{
    const double of_median = 1.25; /* the median varies more than the mean */
    return (SinoCostPoint){.work = entry->work,
                           .bytes = entry->bytes,
                           .width = (double)entry->width,
                           .panel = panel_of(entry->precision),
                           .seconds = median_s(entry),
                           .noise = of_median * spread(entry) / sqrt(entry->time_count)};
}

static SinoCostPoint point_of_task(const SinoTaskFeatures *task)
{
    return (SinoCostPoint){.work = task->work,
                           .bytes = (double)task->bytes,
                           .width = (double)task->width,
                           .panel = panel_of(task->precision)};
}

static bool is_of_group(const Group *group, const SinoSampleEntry *entry)
{
    const SinoSampleEntry *like = group->like;
    return like->device == entry->device && like->precision == entry->precision && like->variant == entry->variant &&
           strcmp(like->symbol, entry->symbol) == 0;
}

static Group *find_group(const SinoTaskCosts *costs, const SinoSampleEntry *entry)
{
    for (int64_t g = 0; g < costs->group_count; g++)
        if (is_of_group(&costs->group[g], entry)) return &costs->group[g];
    return NULL;
}

static void make_groups(SinoTaskCosts *costs)
{
    for (int64_t i = 0; i < costs->table.count; i++) {
        const SinoSampleEntry *entry = &costs->table.entry[i];
        Group *group = find_group(costs, entry);
        if (!group) {
            group = &costs->group[costs->group_count++];
            group->like = entry;
        }
        group->count++;
    }
}

static SinoStatus fit_group(const SinoTaskCosts *costs, Group *group)
{
    SinoCostPoint *point;
    int64_t count = 0;
    SINO_TRY(sino_allocate(group->count, sizeof *point, "times of tasks", &point));
    for (int64_t i = 0; i < costs->table.count; i++)
        if (is_of_group(group, &costs->table.entry[i])) point[count++] = point_of_entry(&costs->table.entry[i]);
    SinoStatus status = sino_cost_fit_new(count, point, &group->fit);
    free(point);
    return status;
}

/* The group of the task, else the largest one of tasks that read and write other data. */
static const Group *group_of(const SinoTaskCosts *costs, unsigned device, const SinoTaskFeatures *task)
{
    const Group *best = NULL;
    for (const Group *group = costs->group; group < costs->group + costs->group_count; group++) {
        const SinoSampleEntry *like = group->like;
        if (like->device != device || like->precision != task->precision || strcmp(like->symbol, task->symbol) != 0)
            continue;
        if (like->variant == task->variant) return group;
        if (!best || group->count > best->count) best = group;
    }
    return best;
}

/* ---- measurements ---- */

/* The first entry that is not before (model, device, footprint). */
static int64_t first_entry(const SinoSampleTable *table, const SinoSampleEntry *key)
{
    int64_t low = 0, high = table->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (sino_sample_compare(&table->entry[middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* |log a/b| */
static double distance(double a, double b)
{
    return fabs(log(fmax(a, 1) / fmax(b, 1)));
}

/* The entry of tasks that are like this one, in their bytes, too, or if the footprint is not known in work and width;
 * NULL: none. */
static const SinoSampleEntry *find_entry(const SinoTaskCosts *costs, unsigned device, const SinoTaskFeatures *task)
{
    const double alike = 1.2;
    SinoSampleEntry key = {.device = device, .footprint = task->footprint};
    const SinoSampleEntry *best = NULL;
    double least = log(alike);
    snprintf(key.symbol, sizeof key.symbol, "%s", task->symbol);
    for (int64_t i = first_entry(&costs->table, &key); i < costs->table.count; i++) {
        const SinoSampleEntry *entry = &costs->table.entry[i];
        if (entry->device != device || strcmp(entry->symbol, key.symbol) != 0) break;
        if (key.footprint && entry->footprint != key.footprint) break;
        const double off =
            key.footprint ? distance(entry->bytes, (double)task->bytes) : distance(entry->work, task->work);
        if (off > least || entry->precision != task->precision) continue;
        if (!key.footprint && entry->width != task->width) continue;
        least = off;
        best = entry;
    }
    return best;
}

/* Tasks of an entry differ a little; the curve tells by how much. */
static double measured_s(const SinoSampleEntry *entry, const Group *group, const SinoTaskFeatures *task)
{
    const SinoCostPoint there = point_of_entry(entry), here = point_of_task(task);
    if (!group) return there.seconds;
    return there.seconds * sino_cost_fit_s(group->fit, &here, NULL) / sino_cost_fit_s(group->fit, &there, NULL);
}

/* ---- */

typedef struct Answer {
    double seconds, error;
    SinoCostSource source;
} Answer;

static Answer ask(const SinoTaskCosts *costs, unsigned device, const SinoTaskFeatures *task)
{
    const double least_error = 0.03, least_s = 1e-7;
    const SinoSampleEntry *entry = find_entry(costs, device, task);
    const Group *group = group_of(costs, device, task);
    if (entry) return (Answer){measured_s(entry, group, task), fmax(spread(entry), least_error), SINO_COST_MEASURED};
    if (group) {
        const SinoCostPoint point = point_of_task(task);
        Answer answer = {.source = SINO_COST_FITTED};
        answer.seconds = fmax(sino_cost_fit_s(group->fit, &point, &answer.error), least_s);
        if (task->variant && group->like->variant != task->variant) answer.error += variant_error;
        answer.error = fmax(answer.error, least_error);
        if (answer.error < rate_error(task) || !rates_of(&costs->machine, device)) return answer;
    }
    return (Answer){rate_s(costs, device, task), rate_error(task), SINO_COST_RATE};
}

double sino_task_cost_s(const SinoTaskCosts *costs, unsigned device, const SinoTaskFeatures *task,
                        SinoCostSource *source, double *error)
{
    const Answer answer = ask(costs, device, task);
    if (source) *source = answer.source;
    if (error) *error = answer.error;
    return answer.seconds;
}

/* Whether `entry` tells more than `best` of tasks of a class under a policy. */
static bool tells_more(const SinoSampleEntry *entry, const SinoSampleEntry *best, const char *symbol, int number)
{
    if (!best) return true;
    const bool own = strcmp(entry->symbol, symbol) == 0, best_own = strcmp(best->symbol, symbol) == 0;
    const int off = abs(sino_between_class((int64_t)entry->bytes) - number);
    const int best_off = abs(sino_between_class((int64_t)best->bytes) - number);
    if (own != best_own) return own;
    return off != best_off ? off < best_off : entry->count > best->count;
}

double sino_task_between_s(const SinoTaskCosts *costs, const char *policy, int64_t bytes)
{
    const SinoSampleEntry *best = NULL;
    char symbol[SINO_SAMPLE_SYMBOL_BYTES];
    sino_between_symbol(policy, symbol);
    for (int64_t i = 0; i < costs->table.count; i++) {
        const SinoSampleEntry *entry = &costs->table.entry[i];
        if (sino_between_is(entry) && tells_more(entry, best, symbol, sino_between_class(bytes))) best = entry;
    }
    return best ? median_s(best) : 0;
}

static SinoStatus read_table(const char *directory, SinoTaskCosts *costs)
{
    SinoModelFile file;
    char *path = sino_models_kept_samples_path(directory);
    if (path && sino_model_file_read(path, &file) == SINO_MODEL_FILE_GOOD) {
        (void)sino_sample_table_parse(file.text, &costs->table);
        sino_model_file_free(&file);
    }
    free(path);
    SINO_TRY(sino_allocate(costs->table.count, sizeof *costs->group, "times of tasks", &costs->group));
    make_groups(costs);
    for (int64_t g = 0; g < costs->group_count; g++) SINO_TRY(fit_group(costs, &costs->group[g]));
    return NULL;
}

SinoStatus sino_task_costs_open(const char *directory, const SinoMachineFile *machine, SinoTaskCosts **costs)
{
    SinoTaskCosts *made;
    SINO_TRY(sino_allocate(1, sizeof *made, "times of tasks", &made));
    made->machine = *machine;
    SinoStatus status = directory ? read_table(directory, made) : NULL;
    if (status) {
        sino_task_costs_free(made);
        return status;
    }
    *costs = made;
    return NULL;
}

void sino_task_costs_free(SinoTaskCosts *costs)
{
    if (!costs) return;
    for (int64_t g = 0; g < costs->group_count; g++) sino_cost_fit_free(costs->group[g].fit);
    sino_sample_table_free(&costs->table);
    free(costs->group);
    free(costs);
}
