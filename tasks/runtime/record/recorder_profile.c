/* SPDX-License-Identifier: BSD-3-Clause */
/* Recorder, profile: how the time of each part of a run was spent, as data (docs/JSON.md). */
#include "recorder.h"

#include "memory.h"
#include "models.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { NAMES_MAX = 128, WHOLE = -1 };

typedef struct Statistic {
    int64_t count;
    double total_s, squares, least_s, most_s, flops;
} Statistic;

/* Some tasks of a run: those of a part, or all. */
typedef struct Selection {
    const SinoRecorder *of;
    SinoJson *json;
    int64_t part_number; /* WHOLE: all tasks */
    double begin_us, end_us;
    const char *name[NAMES_MAX]; /* of kinds of task, in the order of submission */
    int name_count;
    double *seconds;  /* [task] 0: not in the part */
    int16_t *kind;    /* [task] place in `name`; −1: not in the part */
    Statistic *table; /* [name][worker] */
} Selection;

static int type_of(int64_t worker)
{
    const enum starpu_worker_archtype type = starpu_worker_get_type((int)worker);
    return type == STARPU_CUDA_WORKER ? 1 : type == STARPU_OPENCL_WORKER ? 2 : 0;
}

static const char *const type_name[SINO_BOUND_TYPES] = {"cpu", "cuda", "opencl"};

/* ---- statistics ---- */

static void add(Statistic *to, const Statistic *more)
{
    if (more->count == 0) return;
    to->least_s = to->count > 0 ? fmin(to->least_s, more->least_s) : more->least_s;
    to->most_s = fmax(to->most_s, more->most_s);
    to->count += more->count;
    to->total_s += more->total_s;
    to->squares += more->squares;
    to->flops += more->flops;
}

/* The kind's place in `name`; −1: no room. */
static int find_name(Selection *selection, const char *name)
{
    int i = 0;
    while (i < selection->name_count && strcmp(selection->name[i], name) != 0) i++;
    if (i == NAMES_MAX) return -1;
    if (i == selection->name_count) selection->name[selection->name_count++] = name;
    return i;
}

static Statistic *cell(const Selection *selection, int name, int64_t worker)
{
    return &selection->table[name * selection->of->worker_count + worker];
}

/* Of a task that began before the part, the rest counts. */
static void count_task(Selection *selection, int64_t number)
{
    const SinoRecorded *task = sino_recorder_task(selection->of, number);
    const bool whole = selection->part_number == WHOLE;
    selection->kind[number] = -1;
    if (task->worker == 0 || (!whole && task->part_number != selection->part_number)) return;
    const int name = find_name(selection, task->name);
    const double seconds = 1e-6 * fmax(0, task->end_us - fmax(task->begin_us, selection->begin_us));
    selection->seconds[number] = seconds;
    selection->kind[number] = (int16_t)name;
    if (name < 0) return;
    add(cell(selection, name, (int64_t)task->worker - 1),
        &(Statistic){1, seconds, seconds * seconds, seconds, seconds, task->flops});
}

static void print_statistic(SinoJson *json, const Statistic *of)
{
    const double count = (double)of->count, mean = of->count > 0 ? of->total_s / count : NAN;
    sino_json_integer(json, "count", of->count);
    sino_json_real(json, "total_s", of->total_s);
    sino_json_real(json, "mean_s", mean);
    sino_json_real(json, "least_s", of->count > 0 ? of->least_s : NAN);
    sino_json_real(json, "most_s", of->count > 0 ? of->most_s : NAN);
    sino_json_real(json, "deviation_s", of->count > 0 ? sqrt(fmax(0, of->squares / count - mean * mean)) : NAN);
    sino_json_real(json, "flops", of->flops);
}

/* All tasks of one kind on workers of one type. */
static Statistic sum_over_workers(const Selection *selection, int name, int type)
{
    Statistic sum = {0};
    for (int64_t w = 0; w < selection->of->worker_count; w++)
        if (type_of(w) == type) add(&sum, cell(selection, name, w));
    return sum;
}

static void print_kinds(const Selection *selection)
{
    sino_json_open_list(selection->json, "kinds");
    for (int i = 0; i < selection->name_count; i++)
        for (int type = 0; type < SINO_BOUND_TYPES; type++) {
            const Statistic of = sum_over_workers(selection, i, type);
            if (of.count == 0) continue;
            sino_json_open(selection->json, NULL);
            sino_json_text(selection->json, "name", selection->name[i]);
            sino_json_text(selection->json, "on", type_name[type]);
            print_statistic(selection->json, &of);
            sino_json_close(selection->json);
        }
    sino_json_close_list(selection->json);
}

/* ---- workers ---- */

/* What StarPU has measured of a worker in the part, or in all. */
static SinoWorkerTimes times_of(const Selection *selection, int64_t worker)
{
    SinoWorkerTimes sum = {0};
    for (const SinoRecordedPart *part = selection->of->first_part; part; part = part->next) {
        if (selection->part_number != WHOLE && part->number != selection->part_number) continue;
        sum.measured += part->worker[worker].measured;
        sum.idle += part->worker[worker].idle;
        sum.fetch += part->worker[worker].fetch;
    }
    return sum;
}

static void print_worker(const Selection *selection, int64_t worker)
{
    SinoJson *json = selection->json;
    const SinoWorkerTimes times = times_of(selection, worker);
    Statistic sum = {0};
    for (int i = 0; i < selection->name_count; i++) add(&sum, cell(selection, i, worker));
    sino_json_open(json, NULL);
    sino_json_integer(json, "number", worker);
    sino_json_text(json, "on", type_name[type_of(worker)]);
    print_statistic(json, &sum);
    /* To StarPU the thread of a device is idle while kernels run. */
    const double outside_s = fmax(0, 1e-6 * times.measured - sum.total_s), idle_s = fmin(1e-6 * times.idle, outside_s);
    sino_json_real(json, "measured_s", 1e-6 * times.measured);
    sino_json_real(json, "idle_s", idle_s);
    sino_json_real(json, "overhead_s", outside_s - idle_s);
    sino_json_real(json, "fetch_s", 1e-6 * times.fetch);
    sino_json_open_list(json, "kinds");
    for (int i = 0; i < selection->name_count; i++) {
        if (cell(selection, i, worker)->count == 0) continue;
        sino_json_open(json, NULL);
        sino_json_text(json, "name", selection->name[i]);
        print_statistic(json, cell(selection, i, worker));
        sino_json_close(json);
    }
    sino_json_close_list(json);
    sino_json_close(json);
}

static void print_workers(const Selection *selection)
{
    sino_json_open_list(selection->json, "workers");
    for (int64_t w = 0; w < selection->of->worker_count; w++) print_worker(selection, w);
    sino_json_close_list(selection->json);
}

/* ---- bounds ---- */

static double area_bound(const Selection *selection)
{
    SinoKindTimes kind[NAMES_MAX];
    int64_t workers[SINO_BOUND_TYPES] = {0};
    for (int64_t w = 0; w < selection->of->worker_count; w++) workers[type_of(w)]++;
    for (int i = 0; i < selection->name_count; i++) {
        kind[i].count = 0;
        for (int type = 0; type < SINO_BOUND_TYPES; type++) {
            const Statistic of = sum_over_workers(selection, i, type);
            kind[i].count += (double)of.count;
            kind[i].mean_s[type] = of.count > 0 ? of.total_s / (double)of.count : 0;
        }
    }
    return sino_area_bound(selection->name_count, kind, workers);
}

/* The tasks of the critical path, by kind. */
static void print_path(const Selection *selection, const SinoChain *chain)
{
    SinoJson *json = selection->json;
    Statistic of[NAMES_MAX] = {0};
    int64_t count = 0;
    for (int64_t t = chain->last; t >= 0; t = chain->before[t]) {
        const double seconds = selection->seconds[t];
        if (selection->kind[t] < 0) continue;
        count++;
        add(&of[selection->kind[t]], &(Statistic){.count = 1, .total_s = seconds, .least_s = seconds});
    }
    sino_json_open(json, "critical_path");
    sino_json_real(json, "seconds", chain->seconds);
    sino_json_integer(json, "tasks", count);
    sino_json_open_list(json, "kinds");
    for (int i = 0; i < selection->name_count; i++) {
        if (of[i].count == 0) continue;
        sino_json_open(json, NULL);
        sino_json_text(json, "name", selection->name[i]);
        sino_json_integer(json, "count", of[i].count);
        sino_json_real(json, "total_s", of[i].total_s);
        sino_json_close(json);
    }
    sino_json_close_list(json);
    sino_json_close(json);
}

static SinoStatus print_bounds(const Selection *selection)
{
    const SinoRecorder *of = selection->of;
    uint32_t *first_edge;
    SinoChain chain;
    SINO_TRY(sino_allocate(of->task_count + 1, sizeof *first_edge, "the critical path", &first_edge));
    for (int64_t t = 0; t < of->task_count; t++) first_edge[t] = sino_recorder_task(of, t)->first_edge;
    first_edge[of->task_count] = (uint32_t)of->edge_count;
    const SinoTaskTimes times = {of->task_count, selection->seconds, first_edge, of->edge};
    SinoStatus status = sino_critical_path(&times, &chain);
    if (!status) {
        print_path(selection, &chain);
        sino_json_open(selection->json, "bounds");
        sino_json_real(selection->json, "critical_path_s", chain.seconds);
        sino_json_real(selection->json, "area_s", area_bound(selection));
        if (selection->part_number == WHOLE)
            sino_json_real(selection->json, "starpu_s", of->bound_s > 0 ? of->bound_s : NAN);
        sino_json_close(selection->json);
    }
    free(chain.before);
    free(first_edge);
    return status;
}

/* ---- parts ---- */

static void print_head(const Selection *selection, const char *name)
{
    SinoJson *json = selection->json;
    const double seconds = 1e-6 * fmax(0, selection->end_us - selection->begin_us);
    Statistic sum = {0};
    for (int i = 0; i < selection->name_count; i++)
        for (int64_t w = 0; w < selection->of->worker_count; w++) add(&sum, cell(selection, i, w));
    sino_json_text(json, "name", name);
    sino_json_real(json, "begin_s", 1e-6 * (selection->begin_us - selection->of->origin_us));
    sino_json_real(json, "makespan_s", seconds);
    sino_json_integer(json, "tasks", sum.count);
    sino_json_real(json, "flops", sum.flops);
    sino_json_real(json, "task_s", sum.total_s);
    sino_json_real(json, "inside_tasks", sum.total_s / (seconds * (double)selection->of->worker_count));
}

static SinoStatus print_selection(Selection *selection, const char *name)
{
    const SinoRecorder *of = selection->of;
    SinoStatus status = NULL;
    SINO_TRY_OR(status, done,
                sino_allocate(of->task_count, sizeof *selection->seconds, "a profile", &selection->seconds));
    SINO_TRY_OR(status, done, sino_allocate(of->task_count, sizeof *selection->kind, "a profile", &selection->kind));
    SINO_TRY_OR(status, done,
                sino_allocate(NAMES_MAX * of->worker_count, sizeof *selection->table, "a profile", &selection->table));
    for (int64_t t = 0; t < of->task_count; t++) count_task(selection, t);
    sino_json_open(selection->json, NULL);
    print_head(selection, name);
    SINO_TRY_OR(status, done, print_bounds(selection));
    print_kinds(selection);
    print_workers(selection);
    sino_json_close(selection->json);
done:
    free(selection->seconds);
    free(selection->kind);
    free(selection->table);
    return status;
}

/* From the first task's begin to the last one's end. */
static Selection select_all(const SinoRecorder *recorder, SinoJson *json)
{
    Selection all = {.of = recorder, .json = json, .part_number = WHOLE, .begin_us = INFINITY, .end_us = 0};
    for (int64_t t = 0; t < recorder->task_count; t++) {
        const SinoRecorded *task = sino_recorder_task(recorder, t);
        if (task->worker == 0) continue;
        all.begin_us = fmin(all.begin_us, task->begin_us);
        all.end_us = fmax(all.end_us, task->end_us);
    }
    return all;
}

static SinoStatus print_parts(const SinoRecorder *recorder, SinoJson *json)
{
    Selection all = select_all(recorder, json);
    sino_json_open_list(json, "parts");
    SINO_TRY(print_selection(&all, "run"));
    for (const SinoRecordedPart *part = recorder->first_part->next; part; part = part->next) {
        Selection of = {.of = recorder,
                        .json = json,
                        .part_number = part->number,
                        .begin_us = part->begin_us,
                        .end_us = part->end_us};
        if (part->name[0]) SINO_TRY(print_selection(&of, part->name));
    }
    sino_json_close_list(json);
    return NULL;
}

/* ---- memory, transfers, messages ---- */

static void print_nodes(const SinoRecorder *recorder, SinoJson *json)
{
    char name[64];
    struct rusage usage = {0};
    (void)getrusage(RUSAGE_SELF, &usage);
    sino_json_open(json, "memory");
    sino_json_integer(json, "resident_bytes", (int64_t)usage.ru_maxrss * 1024);
    sino_json_integer(json, "data_bytes", sino_data_most_bytes(recorder->runtime));
    sino_json_open_list(json, "nodes");
    for (int64_t n = 0; n < recorder->node_count; n++) {
        const int64_t most = recorder->most[SINO_SAMPLE_NODES + n];
        starpu_memory_node_get_name((unsigned)n, name, sizeof name);
        sino_json_open(json, NULL);
        sino_json_text(json, "name", name);
        sino_json_real(json, "used_bytes", starpu_memory_get_total((unsigned)n) > 0 ? (double)most : NAN);
        sino_json_close(json);
    }
    sino_json_close_list(json);
    sino_json_close(json);
}

static void print_transfers(const SinoRecorder *recorder, SinoJson *json)
{
    char name[64];
    sino_json_open_list(json, "transfers");
    for (int b = 0; b < (int)recorder->bus_count; b++) {
        const SinoBusTotal total = sino_transfers_total(recorder->runtime->transfers, b);
        if (total.count == 0) continue;
        sino_json_open(json, NULL);
        starpu_memory_node_get_name((unsigned)starpu_bus_get_src(b), name, sizeof name);
        sino_json_text(json, "from", name);
        starpu_memory_node_get_name((unsigned)starpu_bus_get_dst(b), name, sizeof name);
        sino_json_text(json, "to", name);
        sino_json_integer(json, "count", total.count);
        sino_json_integer(json, "bytes", total.bytes);
        sino_json_close(json);
    }
    sino_json_close_list(json);
}

static void print_messages(const SinoRecorder *recorder, SinoJson *json)
{
    sino_json_open_list(json, "messages");
    for (int64_t i = 0; i < recorder->message_count; i++) {
        const SinoRecordedMessage *first = &recorder->message[i];
        int64_t count = 0, bytes = 0;
        double under_way_us = 0;
        bool told = false;
        for (int64_t j = 0; j < i && !told; j++) told = strcmp(recorder->message[j].name, first->name) == 0;
        for (int64_t j = i; j < recorder->message_count && !told; j++) {
            const SinoRecordedMessage *message = &recorder->message[j];
            if (strcmp(message->name, first->name) != 0) continue;
            count++;
            bytes += message->bytes;
            under_way_us += message->end_us - message->begin_us;
        }
        if (told) continue;
        sino_json_open(json, NULL);
        sino_json_text(json, "name", first->name);
        sino_json_integer(json, "count", count);
        sino_json_integer(json, "bytes", bytes);
        sino_json_real(json, "under_way_s", 1e-6 * under_way_us);
        sino_json_close(json);
    }
    sino_json_close_list(json);
}

SinoStatus sino_recorder_print_profile(const SinoRecorder *recorder, FILE *out)
{
    SinoJson json = {.out = out};
    char name[64] = "";
    (void)gethostname(name, sizeof name - 1);
    sino_json_open(&json, NULL);
    sino_json_integer(&json, "rank", sino_processes_rank(recorder->runtime->processes));
    sino_json_text(&json, "host", name);
    sino_json_open_list(&json, "workers");
    for (int64_t w = 0; w < recorder->worker_count; w++) {
        starpu_worker_get_name((int)w, name, sizeof name);
        sino_json_text(&json, NULL, name);
    }
    sino_json_close_list(&json);
    print_nodes(recorder, &json);
    print_transfers(recorder, &json);
    print_messages(recorder, &json);
    SINO_TRY(print_parts(recorder, &json));
    sino_json_close(&json);
    return NULL;
}
