/* SPDX-License-Identifier: BSD-3-Clause */
/* Profile: the time of tasks by name and the activity of workers, from StarPU's profiling. */
#include "memory.h"
#include "runtime_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NAMES_MAX = 64 };

typedef struct Row {
    const char *name;
    enum starpu_worker_archtype on;
    int64_t count;
    double seconds;
    double until_us; /* the end of the last one, by StarPU's clock */
} Row;

/* In microseconds of StarPU's clock. */
typedef struct Interval {
    double begin, end;
} Interval;

typedef struct Intervals {
    Interval *at; /* owned */
    int64_t count, capacity;
} Intervals;

/* Messages of one name. */
typedef struct Traffic {
    const char *name;
    int64_t count, bytes;
} Traffic;

struct SinoProfile {
    pthread_mutex_t mutex;
    Row row[NAMES_MAX];
    int row_count;
    Traffic traffic[NAMES_MAX];
    int traffic_count;
    SinoSimulatedMessages messages; /* of all parts */
    Intervals tasks, flights;       /* tasks are recorded only with several processes */
    double begin_s;                 /* when the measurement began */
    double begin_us;                /* the same by StarPU's clock, or a little later */
    SinoBusTotal *before;           /* what each bus had carried then; owned */
};

struct SinoFlight {
    SinoProfile *profile;
    SinoRecorder *recorder; /* NULL: not asked for */
    const char *name;
    int64_t bytes, process;
    starpu_data_handle_t handle;
    double begin;
    int users; /* the take-off and the landing, in either order: the last one frees */
};

static double seconds(const struct timespec *time)
{
    return (double)time->tv_sec + 1e-9 * (double)time->tv_nsec;
}

SinoStatus sino_profile_begin(SinoRuntime *runtime)
{
    SinoProfile *profile = NULL;
    SINO_TRY(sino_transfers_new(&runtime->transfers));
    SINO_TRY(sino_allocate(1, sizeof *profile, "the profile", &profile));
    pthread_mutex_init(&profile->mutex, NULL);
    profile->begin_s = sino_runtime_now_s();
    runtime->profile = profile;
    starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
    return sino_allocate(starpu_bus_get_count(), sizeof *profile->before, "counters of transfers", &profile->before);
}

void sino_profile_free(SinoProfile *profile)
{
    if (!profile) return;
    pthread_mutex_destroy(&profile->mutex);
    free(profile->tasks.at);
    free(profile->flights.at);
    free(profile->before);
    free(profile);
}

/* Appends an interval. An interval for which there is no memory is left out, since a profile is not worth a failure. */
static void keep(Intervals *intervals, double begin, double end)
{
    if (intervals->count == intervals->capacity) {
        const int64_t capacity = intervals->capacity > 0 ? 2 * intervals->capacity : 1024;
        Interval *at = realloc(intervals->at, (size_t)capacity * sizeof *at);
        if (!at) return;
        intervals->at = at;
        intervals->capacity = capacity;
    }
    intervals->at[intervals->count++] = (Interval){begin, end};
}

static void add(SinoProfile *profile, const char *name, enum starpu_worker_archtype on, double duration, double end_us)
{
    int i = 0;
    while (i < profile->row_count && (profile->row[i].on != on || strcmp(profile->row[i].name, name) != 0)) i++;
    if (i == NAMES_MAX) return;
    if (i == profile->row_count) profile->row[profile->row_count++] = (Row){.name = name, .on = on};
    profile->row[i].count++;
    profile->row[i].seconds += duration;
    if (end_us > profile->row[i].until_us) profile->row[i].until_us = end_us;
}

void sino_profile_ended(SinoProfile *profile, const struct starpu_task *task)
{
    const struct starpu_profiling_task_info *info = task->profiling_info;
    if (!info) return;
    pthread_mutex_lock(&profile->mutex);
    /* Of a task that ran when the measurement began, the rest counts. */
    const double start_us = 1e6 * seconds(&info->start_time), end_us = 1e6 * seconds(&info->end_time);
    const double begin_us = start_us > profile->begin_us ? start_us : profile->begin_us;
    add(profile, task->name, starpu_worker_get_type(info->workerid), end_us > begin_us ? 1e-6 * (end_us - begin_us) : 0,
        end_us);
    if (profile->traffic_count > 0) keep(&profile->tasks, begin_us, end_us);
    pthread_mutex_unlock(&profile->mutex);
}

static void leave(SinoFlight *flight)
{
    if (__atomic_sub_fetch(&flight->users, 1, __ATOMIC_ACQ_REL) == 0) free(flight);
}

/* Called when the data of a message are ready: the flight begins. A short message may have landed by then. */
static void take_off(void *argument)
{
    SinoFlight *flight = argument;
    double now = starpu_timing_now();
    __atomic_store(&flight->begin, &now, __ATOMIC_RELAXED);
    starpu_data_release(flight->handle);
    leave(flight);
}

static void count_message(SinoProfile *profile, const char *name, int64_t bytes)
{
    int i = 0;
    pthread_mutex_lock(&profile->mutex);
    profile->messages.count++;
    profile->messages.bytes += bytes;
    while (i < profile->traffic_count && strcmp(profile->traffic[i].name, name) != 0) i++;
    if (i < NAMES_MAX) {
        if (i == profile->traffic_count) profile->traffic[profile->traffic_count++] = (Traffic){.name = name};
        profile->traffic[i].count++;
        profile->traffic[i].bytes += bytes;
    }
    pthread_mutex_unlock(&profile->mutex);
}

SinoFlight *sino_profile_flight(SinoRuntime *runtime, const char *name, int64_t process, SinoData *data)
{
    SinoProfile *profile = runtime->profile;
    SinoFlight *flight = profile ? malloc(sizeof *flight) : NULL;
    if (!flight) return NULL;
    *flight = (SinoFlight){.profile = profile,
                           .recorder = runtime->recorder,
                           .name = name,
                           .bytes = data->bytes,
                           .process = process,
                           .handle = data->handle,
                           .begin = starpu_timing_now(),
                           .users = 2};
    count_message(profile, name, data->bytes);
    starpu_data_acquire_cb(data->handle, STARPU_R, take_off, flight);
    return flight;
}

void sino_profile_landed(void *argument)
{
    SinoFlight *flight = argument;
    SinoProfile *profile = flight->profile;
    const double end = starpu_timing_now();
    double begin;
    __atomic_load(&flight->begin, &begin, __ATOMIC_RELAXED);
    pthread_mutex_lock(&profile->mutex);
    keep(&profile->flights, begin, end);
    profile->messages.seconds += 1e-6 * (end - begin);
    pthread_mutex_unlock(&profile->mutex);
    if (flight->recorder) sino_recorder_message(flight->recorder, flight->name, begin, flight->bytes, flight->process);
    leave(flight);
}

SinoSimulatedMessages sino_profile_messages(SinoProfile *profile)
{
    pthread_mutex_lock(&profile->mutex);
    const SinoSimulatedMessages messages = profile->messages;
    pthread_mutex_unlock(&profile->mutex);
    return messages;
}

void sino_runtime_profile_begin(SinoRuntime *runtime)
{
    if (!runtime->profile) return;
    if (runtime->recorder) sino_recorder_part_begin(runtime->recorder);
    pthread_mutex_lock(&runtime->profile->mutex);
    for (int bus = 0; bus < starpu_bus_get_count(); bus++)
        runtime->profile->before[bus] = sino_transfers_total(runtime->transfers, bus);
    runtime->profile->row_count = runtime->profile->traffic_count = 0;
    runtime->profile->tasks.count = runtime->profile->flights.count = 0;
    runtime->profile->begin_s = sino_runtime_now_s();
    runtime->profile->begin_us = starpu_timing_now();
    pthread_mutex_unlock(&runtime->profile->mutex);
}

static int by_seconds(const void *a, const void *b)
{
    const double x = ((const Row *)a)->seconds, y = ((const Row *)b)->seconds;
    return x < y ? 1 : x > y ? -1 : 0;
}

static int by_begin(const void *a, const void *b)
{
    const double x = ((const Interval *)a)->begin, y = ((const Interval *)b)->begin;
    return x < y ? -1 : x > y ? 1 : 0;
}

/* Merges overlapping intervals. */
static void unite(Intervals *intervals)
{
    int64_t count = 0;
    qsort(intervals->at, (size_t)intervals->count, sizeof *intervals->at, by_begin);
    for (int64_t i = 0; i < intervals->count; i++) {
        const Interval next = intervals->at[i];
        if (count == 0 || next.begin > intervals->at[count - 1].end)
            intervals->at[count++] = next;
        else if (next.end > intervals->at[count - 1].end)
            intervals->at[count - 1].end = next.end;
    }
    intervals->count = count;
}

/* The time that tasks spend inside the united intervals. Tasks are sorted by their begin. */
static double shared_us(const Intervals *tasks, const Intervals *united)
{
    double sum = 0;
    int64_t from = 0;
    for (int64_t t = 0; t < tasks->count; t++) {
        const Interval task = tasks->at[t];
        while (from < united->count && united->at[from].end <= task.begin) from++;
        for (int64_t i = from; i < united->count && united->at[i].begin < task.end; i++) {
            const double begin = task.begin > united->at[i].begin ? task.begin : united->at[i].begin;
            const double end = task.end < united->at[i].end ? task.end : united->at[i].end;
            if (end > begin) sum += end - begin;
        }
    }
    return sum;
}

/* Logs the messages, and how busy workers were while messages were in flight. */
static void report_messages(SinoRuntime *runtime, const char *part)
{
    SinoProfile *profile = runtime->profile;
    double flight_us = 0;
    for (int i = 0; i < profile->traffic_count; i++)
        sino_log_info(runtime->log, "profile", "%s%-20s %8" PRId64 " messages sent, %" PRId64 " bytes", part,
                      profile->traffic[i].name, profile->traffic[i].count, profile->traffic[i].bytes);
    if (profile->flights.count == 0) return;
    unite(&profile->flights);
    if (profile->tasks.count > 0)
        qsort(profile->tasks.at, (size_t)profile->tasks.count, sizeof *profile->tasks.at, by_begin);
    for (int64_t i = 0; i < profile->flights.count; i++)
        flight_us += profile->flights.at[i].end - profile->flights.at[i].begin;
    const double workers = (double)starpu_worker_get_count();
    sino_log_info(runtime->log, "profile", "%soverlap: messages were under way for %.3f s, workers busy %.1f %% of it",
                  part, 1e-6 * flight_us, 100 * shared_us(&profile->tasks, &profile->flights) / (flight_us * workers));
}

/* " on cuda", " on opencl", or nothing. */
static const char *place_text(enum starpu_worker_archtype on)
{
    return on == STARPU_CUDA_WORKER ? " on cuda" : on == STARPU_OPENCL_WORKER ? " on opencl" : "";
}

/* Logs the bytes transferred over each bus. */
static void report_transfers(const SinoRuntime *runtime, const char *part)
{
    for (int bus = 0; bus < starpu_bus_get_count(); bus++) {
        char from[64] = "", to[64] = "", bytes[24];
        SinoBusTotal total = sino_transfers_total(runtime->transfers, bus);
        total.count -= runtime->profile->before[bus].count;
        total.bytes -= runtime->profile->before[bus].bytes;
        if (total.count == 0) continue;
        starpu_memory_node_get_name((unsigned)starpu_bus_get_src(bus), from, sizeof from);
        starpu_memory_node_get_name((unsigned)starpu_bus_get_dst(bus), to, sizeof to);
        sino_log_info(runtime->log, "profile", "%stransfers from %s to %s: %" PRId64 ", %s", part, from, to,
                      total.count, sino_bytes_text(total.bytes, bytes));
    }
}

/* Logs the table of tasks; returns the seconds of all tasks together. */
static double report_tasks(const SinoRuntime *runtime, const char *part, double available)
{
    SinoProfile *profile = runtime->profile;
    double inside = 0;
    qsort(profile->row, (size_t)profile->row_count, sizeof *profile->row, by_seconds);
    for (int i = 0; i < profile->row_count; i++) {
        const Row *row = &profile->row[i];
        inside += row->seconds;
        char name[48];
        snprintf(name, sizeof name, "%s%s", row->name, place_text(row->on));
        sino_log_info(runtime->log, "profile",
                      "%s%-20s %8" PRId64 " tasks %10.3f s %9.3f ms each %5.1f %% of worker time, until %.3f s", part,
                      name, row->count, row->seconds, 1e3 * row->seconds / (double)row->count,
                      100 * row->seconds / available, 1e-6 * (row->until_us - profile->begin_us));
    }
    return inside;
}

void sino_runtime_profile_report(SinoRuntime *runtime, const char *part)
{
    SinoProfile *profile = runtime->profile;
    if (runtime->recorder) sino_recorder_part_end(runtime->recorder, *part ? "building" : "reconstruction");
    if (!profile || profile->row_count == 0 || !runtime->tells_profile) return;
    const double available = (sino_runtime_now_s() - profile->begin_s) * (double)starpu_worker_get_count();
    pthread_mutex_lock(&profile->mutex);
    const double inside = report_tasks(runtime, part, available);
    report_messages(runtime, part);
    pthread_mutex_unlock(&profile->mutex);
    report_transfers(runtime, part);
    sino_log_info(runtime->log, "profile", "%sinside tasks: %.1f %% of %.3f s on %u workers, policy %s", part,
                  100 * inside / available, available, starpu_worker_get_count(), runtime->policy.name);
}
