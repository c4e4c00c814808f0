/* SPDX-License-Identifier: BSD-3-Clause */
/* Recorder, trace: events in the trace event format of Chrome, which https://ui.perfetto.dev opens. A process is a
 * rank, a thread is a worker. Times are microseconds since the common start of all ranks. Source: "Trace Event Format",
 * Google, 2016. */
#include "recorder.h"

#include "memory.h"
#include "text.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PARTS_THREAD = 1 << 16 }; /* above the workers */

typedef struct Trace {
    const SinoRecorder *of;
    SinoJson json;
    int64_t rank;
} Trace;

static int64_t nanoseconds(const Trace *trace, double time_us)
{
    return llround(1e3 * (time_us - trace->of->origin_us));
}

/* Opens an event, with all that every event has. */
static void open_event(Trace *trace, const char *type, const char *name, int64_t thread)
{
    SinoJson *json = &trace->json;
    sino_json_open(json, NULL);
    sino_json_text(json, "ph", type);
    sino_json_text(json, "name", name);
    sino_json_integer(json, "pid", trace->rank);
    sino_json_integer(json, "tid", thread);
}

static void close_event(Trace *trace)
{
    sino_json_close(&trace->json);
    fputc('\n', trace->json.out);
}

/* "process_name", "thread_name" … */
static void print_name(Trace *trace, const char *what, int64_t thread, const char *name)
{
    open_event(trace, "M", what, thread);
    sino_json_open(&trace->json, "args");
    sino_json_text(&trace->json, "name", name);
    sino_json_close(&trace->json);
    close_event(trace);
}

static void print_order(Trace *trace, const char *what, int64_t thread, int64_t place)
{
    open_event(trace, "M", what, thread);
    sino_json_open(&trace->json, "args");
    sino_json_integer(&trace->json, "sort_index", place);
    sino_json_close(&trace->json);
    close_event(trace);
}

static void print_names(Trace *trace)
{
    char host[64] = "", name[96];
    (void)gethostname(host, sizeof host - 1);
    snprintf(name, sizeof name, "rank %" PRId64 ", %s", trace->rank, host);
    print_name(trace, "process_name", 0, name);
    print_order(trace, "process_sort_index", 0, trace->rank);
    print_name(trace, "thread_name", PARTS_THREAD, "parts of the run");
    print_order(trace, "thread_sort_index", PARTS_THREAD, -1);
    for (int64_t w = 0; w < trace->of->worker_count; w++) {
        starpu_worker_get_name((int)w, name, sizeof name);
        print_name(trace, "thread_name", w, name);
        print_order(trace, "thread_sort_index", w, w);
    }
}

/* A span on a thread. The caller adds "args" and closes the event. */
static void open_span(Trace *trace, const char *name, const char *category, int64_t thread, double begin_us,
                      double end_us)
{
    const int64_t begin = nanoseconds(trace, begin_us), end = nanoseconds(trace, end_us);
    open_event(trace, "X", name, thread);
    sino_json_text(&trace->json, "cat", category);
    sino_json_thousandths(&trace->json, "ts", begin);
    sino_json_thousandths(&trace->json, "dur", end > begin ? end - begin : 0);
}

/* An event of a task, as text: there are many of them, so they do not go through SinoJson member by member. */
typedef struct Line {
    char text[512];
    size_t length;
} Line;

__attribute__((format(printf, 2, 3))) static void append(Line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line->text + line->length, sizeof line->text - line->length, format, arguments);
    va_end(arguments);
    assert(length >= 0 && line->length + (size_t)length < sizeof line->text);
    line->length += (size_t)length;
}

static void append_place(Line *line, const char *name, int32_t number)
{
    if (number >= 0) append(line, ",\"%s\":%" PRId32, name, number);
}

static void append_us(Line *line, const char *name, int64_t ns)
{
    append(line, ",\"%s\":%" PRId64 ".%03d", name, ns / 1000, (int)(ns % 1000));
}

/* Names of tasks are ASCII without quotes. */
static void print_task(Trace *trace, int64_t number)
{
    static const char *const precision[] = {"", "single", "double", "half", "mixed"};
    const SinoRecorded *task = sino_recorder_task(trace->of, number);
    Line line = {.length = 0};
    if (task->worker == 0) return;
    const int64_t begin = nanoseconds(trace, task->begin_us), end = nanoseconds(trace, task->end_us);
    append(&line, "%s{\"ph\":\"X\",\"name\":\"%.64s\",\"pid\":%" PRId64 ",\"tid\":%d,\"cat\":\"task\"",
           trace->json.has_members ? "," : "", task->name, trace->rank, (int)task->worker - 1);
    append_us(&line, "ts", begin);
    append_us(&line, "dur", end > begin ? end - begin : 0);
    append(&line, ",\"args\":{\"number\":%" PRId64, number);
    append_place(&line, "slab", task->slab);
    append_place(&line, "minibatch", task->minibatch);
    append_place(&line, "partition", task->partition);
    append_place(&line, "iteration", task->iteration);
    if (task->flops > 0 || task->precision > 0) append(&line, ",\"flops\":%.10g", task->flops);
    append(&line, ",\"bytes\":%" PRId64, task->bytes);
    if (task->precision > 0 && task->precision < sizeof precision / sizeof *precision)
        append(&line, ",\"precision\":\"%s\"", precision[task->precision]);
    append(&line, "}}\n");
    fwrite(line.text, 1, line.length, trace->json.out);
    trace->json.has_members = true;
}

/* ---- spans of several tasks ---- */

/* An asynchronous span, which may overlap others. Those of one `category` and `id` are in a row of their own. */
static void print_async(Trace *trace, const char *category, const char *name, int64_t id, double begin_us,
                        double end_us)
{
    const char *const type[] = {"b", "e"};
    const double time_us[] = {begin_us, end_us};
    char number[24];
    snprintf(number, sizeof number, "0x%" PRIx64, (uint64_t)id);
    for (int i = 0; i < 2; i++) {
        open_event(trace, type[i], name, 0);
        sino_json_text(&trace->json, "cat", category);
        sino_json_open(&trace->json, "id2");
        sino_json_text(&trace->json, "local", number);
        sino_json_close(&trace->json);
        sino_json_thousandths(&trace->json, "ts", nanoseconds(trace, time_us[i]));
        close_event(trace);
    }
}

/* Tasks of one iteration of one minibatch in one part of the run. */
typedef struct Iteration {
    unsigned part_number;
    int32_t minibatch, iteration;
    double begin_us, end_us;
} Iteration;

static int by_place(const void *a, const void *b)
{
    const Iteration *x = a, *y = b;
    if (x->part_number != y->part_number) return x->part_number < y->part_number ? -1 : 1;
    if (x->minibatch != y->minibatch) return x->minibatch < y->minibatch ? -1 : 1;
    return x->iteration < y->iteration ? -1 : x->iteration > y->iteration;
}

static void print_iteration(Trace *trace, const Iteration *of)
{
    char name[64];
    if (of->minibatch >= 0)
        snprintf(name, sizeof name, "minibatch %" PRId32 ", iteration %" PRId32, of->minibatch, of->iteration);
    else
        snprintf(name, sizeof name, "iteration %" PRId32, of->iteration);
    print_async(trace, "iteration", name, (int64_t)of->part_number << 32 | (of->minibatch + 1), of->begin_us,
                of->end_us);
}

static SinoStatus print_iterations(Trace *trace)
{
    Iteration *found;
    int64_t count = 0;
    SINO_TRY(sino_allocate(trace->of->task_count, sizeof *found, "the iterations of the trace", &found));
    for (int64_t t = 0; t < trace->of->task_count; t++) {
        const SinoRecorded *task = sino_recorder_task(trace->of, t);
        if (task->worker > 0 && task->iteration >= 0)
            found[count++] =
                (Iteration){task->part_number, task->minibatch, task->iteration, task->begin_us, task->end_us};
    }
    qsort(found, (size_t)count, sizeof *found, by_place);
    for (int64_t i = 0; i < count;) {
        Iteration all = found[i];
        for (; i < count && by_place(&found[i], &all) == 0; i++) {
            all.begin_us = fmin(all.begin_us, found[i].begin_us);
            all.end_us = fmax(all.end_us, found[i].end_us);
        }
        print_iteration(trace, &all);
    }
    free(found);
    return NULL;
}

/* Phases by the names of tasks; the first fitting row counts. */
static const struct {
    const char *prefix, *phase;
} phase_of[] = {{"center", "center"}, {"cone_center", "center"}, {"trace", "trace"}, {"touch", "trace"},
                {"pack", "pack"},     {"regroup", "pack"},       {"load", "load"},   {"correct", "load"},
                {"checksum", "load"}, {"sample", "load"},        {"store", "store"}, {"assemble", "store"},
                {"", "reconstruct"}};

enum { PHASE_ROWS = sizeof phase_of / sizeof *phase_of };

static int find_phase(const char *name)
{
    int row = 0;
    while (strncmp(name, phase_of[row].prefix, strlen(phase_of[row].prefix)) != 0) row++;
    for (int i = 0; i < row; i++)
        if (strcmp(phase_of[i].phase, phase_of[row].phase) == 0) return i;
    return row;
}

/* From the first task of a phase to the end of its last one. */
static void print_phases(Trace *trace)
{
    double begin_us[PHASE_ROWS], end_us[PHASE_ROWS] = {0};
    for (int i = 0; i < PHASE_ROWS; i++) begin_us[i] = INFINITY;
    for (int64_t t = 0; t < trace->of->task_count; t++) {
        const SinoRecorded *task = sino_recorder_task(trace->of, t);
        if (task->worker == 0) continue;
        const int row = find_phase(task->name);
        begin_us[row] = fmin(begin_us[row], task->begin_us);
        end_us[row] = fmax(end_us[row], task->end_us);
    }
    for (int i = 0; i < PHASE_ROWS; i++)
        if (isfinite(begin_us[i])) print_async(trace, "phase", phase_of[i].phase, i, begin_us[i], end_us[i]);
}

static void print_parts(Trace *trace)
{
    for (const SinoRecordedPart *part = trace->of->first_part->next; part; part = part->next) {
        if (!part->name[0]) continue;
        open_span(trace, part->name, "part", PARTS_THREAD, part->begin_us, part->end_us);
        close_event(trace);
    }
}

/* Waiting for data to arrive at a device. On cores it takes a microsecond, since data are in main memory. */
static void print_fetches(Trace *trace)
{
    const double least_us = 1;
    char name[96];
    for (int64_t t = 0; t < trace->of->task_count; t++) {
        const SinoRecorded *task = sino_recorder_task(trace->of, t);
        if (task->worker == 0 || task->fetch_us < least_us) continue;
        const unsigned node = starpu_worker_get_memory_node(task->worker - 1);
        if (starpu_node_get_kind(node) == STARPU_CPU_RAM) continue;
        const double begin_us = task->end_us - task->fetch_before_us;
        snprintf(name, sizeof name, "data of %.40s, number %" PRId64, task->name, t);
        print_async(trace, "fetch", name, t, begin_us, begin_us + task->fetch_us);
    }
}

static void print_messages(Trace *trace)
{
    char name[96];
    for (int64_t i = 0; i < trace->of->message_count; i++) {
        const SinoRecordedMessage *message = &trace->of->message[i];
        snprintf(name, sizeof name, "%.40s to rank %" PRId64 ", %" PRId64 " bytes", message->name, message->process,
                 message->bytes);
        print_async(trace, "message", name, i, message->begin_us, message->end_us);
    }
}

/* ---- counters ---- */

static void print_counter(Trace *trace, const char *name, int64_t time_us, int64_t bytes)
{
    open_event(trace, "C", name, 0);
    sino_json_thousandths(&trace->json, "ts", nanoseconds(trace, (double)time_us));
    sino_json_open(&trace->json, "args");
    sino_json_integer(&trace->json, "bytes", bytes);
    sino_json_close(&trace->json);
    close_event(trace);
}

/* The counter of one value of the samples, where it changes. */
static void print_series(Trace *trace, const char *name, int64_t column)
{
    const SinoRecorder *of = trace->of;
    int64_t last = -1;
    for (int64_t i = 0; of->most[column] > 0 && i < of->sample_count; i++) {
        const int64_t *sample = of->sample + i * of->sample_width;
        if (sample[column] < 0 || (sample[column] == last && i + 1 < of->sample_count)) continue;
        last = sample[column];
        print_counter(trace, name, sample[SINO_SAMPLE_TIME], last);
    }
}

static void print_counters(Trace *trace)
{
    char name[192], from[64], to[64];
    print_series(trace, "data in main memory", SINO_SAMPLE_DATA);
    for (int64_t n = 0; n < trace->of->node_count; n++) {
        starpu_memory_node_get_name((unsigned)n, from, sizeof from);
        snprintf(name, sizeof name, "memory of %s", from);
        print_series(trace, name, SINO_SAMPLE_NODES + n);
    }
    for (int b = 0; b < (int)trace->of->bus_count; b++) {
        starpu_memory_node_get_name((unsigned)starpu_bus_get_src(b), from, sizeof from);
        starpu_memory_node_get_name((unsigned)starpu_bus_get_dst(b), to, sizeof to);
        snprintf(name, sizeof name, "transferred from %s to %s", from, to);
        print_series(trace, name, SINO_SAMPLE_NODES + trace->of->node_count + b);
    }
}

SinoStatus sino_recorder_print_trace(const SinoRecorder *recorder, FILE *out)
{
    Trace trace = {.of = recorder,
                   .json = {.out = out, .compact = true, .depth = 1},
                   .rank = sino_processes_rank(recorder->runtime->processes)};
    print_names(&trace);
    print_parts(&trace);
    print_phases(&trace);
    SINO_TRY(print_iterations(&trace));
    print_messages(&trace);
    print_fetches(&trace);
    print_counters(&trace);
    for (int64_t t = 0; t < recorder->task_count; t++) print_task(&trace, t);
    return NULL;
}
