/* SPDX-License-Identifier: BSD-3-Clause */
/* Profile: how long tasks took, by name, and what the workers did, from StarPU's profiling. */
#include "memory.h"
#include "platform.h"
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
} Row;

struct SinoProfile {
    pthread_mutex_t mutex;
    Row row[NAMES_MAX];
    int row_count;
    double begin_s;
};

static double seconds(const struct timespec *time)
{
    return (double)time->tv_sec + 1e-9 * (double)time->tv_nsec;
}

SinoStatus sino_profile_new(SinoProfile **profile)
{
    SINO_TRY(sino_allocate(1, sizeof **profile, "the profile", profile));
    pthread_mutex_init(&(*profile)->mutex, NULL);
    (*profile)->begin_s = sino_platform_now_s();
    return NULL;
}

void sino_profile_free(SinoProfile *profile)
{
    if (!profile) return;
    pthread_mutex_destroy(&profile->mutex);
    free(profile);
}

static void add(SinoProfile *profile, const char *name, enum starpu_worker_archtype on, double duration)
{
    int i = 0;
    while (i < profile->row_count && (profile->row[i].on != on || strcmp(profile->row[i].name, name) != 0)) i++;
    if (i == NAMES_MAX) return;
    if (i == profile->row_count) profile->row[profile->row_count++] = (Row){.name = name, .on = on};
    profile->row[i].count++;
    profile->row[i].seconds += duration;
}

static void task_done(void *argument)
{
    SinoProfile *profile = argument;
    const struct starpu_task *task = starpu_task_get_current();
    const struct starpu_profiling_task_info *info = task->profiling_info;
    if (!info) return;
    pthread_mutex_lock(&profile->mutex);
    add(profile, task->name, starpu_worker_get_type(info->workerid),
        seconds(&info->end_time) - seconds(&info->start_time));
    pthread_mutex_unlock(&profile->mutex);
}

void sino_profile_watch(SinoRuntime *runtime, struct starpu_task *task)
{
    task->callback_func = task_done;
    task->callback_arg = runtime->profile;
}

void sino_runtime_profile_begin(SinoRuntime *runtime)
{
    if (!runtime->profile) return;
    starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
    pthread_mutex_lock(&runtime->profile->mutex);
    struct starpu_profiling_bus_info before;
    for (int bus = 0; bus < starpu_bus_get_count(); bus++) starpu_bus_get_profiling_info(bus, &before); /* to zero */
    runtime->profile->row_count = 0;
    runtime->profile->begin_s = sino_platform_now_s();
    pthread_mutex_unlock(&runtime->profile->mutex);
}

static int by_seconds(const void *a, const void *b)
{
    const double x = ((const Row *)a)->seconds, y = ((const Row *)b)->seconds;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* " on cuda", " on opencl", or nothing. */
static const char *place_text(enum starpu_worker_archtype on)
{
    return on == STARPU_CUDA_WORKER ? " on cuda" : on == STARPU_OPENCL_WORKER ? " on opencl" : "";
}

/* What went over each bus. */
static void report_transfers(const SinoRuntime *runtime)
{
    for (int bus = 0; bus < starpu_bus_get_count(); bus++) {
        struct starpu_profiling_bus_info info;
        char from[64] = "", to[64] = "", bytes[24];
        if (starpu_bus_get_profiling_info(bus, &info) != 0 || info.transfer_count == 0) continue;
        starpu_memory_node_get_name((unsigned)starpu_bus_get_src(bus), from, sizeof from);
        starpu_memory_node_get_name((unsigned)starpu_bus_get_dst(bus), to, sizeof to);
        sino_log_info(runtime->log, "profile", "transfers from %s to %s: %d, %s", from, to, info.transfer_count,
                      sino_bytes_text(info.transferred_bytes, bytes));
    }
}

void sino_runtime_profile_report(SinoRuntime *runtime, double *kernel_share)
{
    SinoProfile *profile = runtime->profile;
    if (!profile) return;
    const double available = (sino_platform_now_s() - profile->begin_s) * (double)starpu_worker_get_count();
    double inside = 0;
    pthread_mutex_lock(&profile->mutex);
    qsort(profile->row, (size_t)profile->row_count, sizeof *profile->row, by_seconds);
    for (int i = 0; i < profile->row_count; i++) {
        const Row *row = &profile->row[i];
        inside += row->seconds;
        char name[48];
        snprintf(name, sizeof name, "%s%s", row->name, place_text(row->on));
        sino_log_info(runtime->log, "profile",
                      "%-20s %8" PRId64 " tasks %10.3f s %9.3f ms each %5.1f %% of worker time", name, row->count,
                      row->seconds, 1e3 * row->seconds / (double)row->count, 100 * row->seconds / available);
    }
    pthread_mutex_unlock(&profile->mutex);
    report_transfers(runtime);
    sino_log_info(runtime->log, "profile", "inside tasks: %.1f %% of %.3f s on %u workers, policy %s",
                  100 * inside / available, available, starpu_worker_get_count(), sino_runtime_scheduler(runtime));
    if (kernel_share) *kernel_share = inside / available;
}
