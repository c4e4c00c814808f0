/* SPDX-License-Identifier: BSD-3-Clause */
/* Stall: ends the program when no task has ended, and no message has arrived, for a stated time while tasks are in
 * flight, or while the program waits for StarPU.
 *
 * Kinds of tasks count how many were submitted and have ended; workers note what they run; receives count what has
 * arrived; the program notes that it waits for data, or for the end of StarPU. All of these are atomic, so that the
 * workers wait for nobody. */
#include "stall.h"

#include "ending.h"
#include "memory.h"
#include "text.h"
#include "watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct SinoStall {
    SinoRuntime *runtime; /* not owned */
    double limit_s;
    SinoWatch *watch;
};

static int64_t load(const int64_t *count)
{
    return __atomic_load_n(count, __ATOMIC_ACQUIRE);
}

static void add(int64_t *count, int64_t more)
{
    __atomic_fetch_add(count, more, __ATOMIC_ACQ_REL);
}

static void note_progress(SinoRuntime *runtime)
{
    __atomic_store_n(&runtime->activity.last_end_ns, sino_watch_now_ns(), __ATOMIC_RELEASE);
}

void sino_stall_submitted(SinoCodelet *codelet)
{
    add(&codelet->submitted, 1);
}

void sino_stall_begins(SinoRuntime *runtime, const SinoTaskKind *kind)
{
    const int worker = starpu_worker_get_id();
    if (worker < 0) return;
    SinoWorkerActivity *activity = &runtime->activity.worker[worker];
    __atomic_store_n(&activity->kind, kind, __ATOMIC_RELEASE);
    __atomic_store_n(&activity->since_ns, sino_watch_now_ns(), __ATOMIC_RELEASE);
    add(&activity->running, 1);
}

void sino_stall_ended(SinoRuntime *runtime, SinoCodelet *codelet)
{
    const int worker = starpu_worker_get_id();
    if (worker >= 0) add(&runtime->activity.worker[worker].running, -1);
    add(&codelet->ended, 1);
    note_progress(runtime);
}

SinoReceives *sino_stall_expects(SinoRuntime *runtime, const char *name, int64_t process)
{
    SinoReceives *row = runtime->activity.receives;
    while (row && (row->process != process || strcmp(row->name, name) != 0)) row = row->next;
    if (!row) {
        row = calloc(1, sizeof *row);
        if (!row) return NULL;
        *row = (SinoReceives){.runtime = runtime, .name = name, .process = process, .next = runtime->activity.receives};
        __atomic_store_n(&runtime->activity.receives, row, __ATOMIC_RELEASE);
    }
    add(&row->expected, 1);
    return row;
}

void sino_stall_arrived(void *receives)
{
    SinoReceives *row = receives;
    add(&row->arrived, 1);
    note_progress(row->runtime);
}

static const char *awaited(const SinoRuntime *runtime)
{
    return __atomic_load_n(&runtime->activity.awaited, __ATOMIC_ACQUIRE);
}

static const SinoCodelet *first_codelet(const SinoRuntime *runtime)
{
    return __atomic_load_n(&runtime->codelet, __ATOMIC_ACQUIRE);
}

static int64_t tasks_in_flight(const SinoRuntime *runtime)
{
    int64_t count = 0;
    for (const SinoCodelet *at = first_codelet(runtime); at; at = at->next)
        count += load(&at->submitted) - load(&at->ended);
    return count;
}

static void print_duration(FILE *out, double seconds)
{
    char text[SINO_DURATION_SIZE];
    fprintf(out, " %s", sino_duration_text(seconds, text));
}

static void print_running(FILE *out, const SinoRuntime *runtime)
{
    const char *between = "; running:";
    for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
        const SinoWorkerActivity *activity = &runtime->activity.worker[w];
        if (load(&activity->running) <= 0) continue;
        fprintf(out, "%s %s on worker %u for", between, __atomic_load_n(&activity->kind, __ATOMIC_ACQUIRE)->name, w);
        print_duration(out, 1e-9 * (double)(sino_watch_now_ns() - load(&activity->since_ns)));
        between = ",";
    }
    if (*between == ';') fputs("; no worker runs a task", out);
}

/* The tasks of a kind that workers run now. */
static int64_t running_of(const SinoRuntime *runtime, const SinoTaskKind *kind)
{
    int64_t count = 0;
    for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
        const SinoWorkerActivity *activity = &runtime->activity.worker[w];
        if (__atomic_load_n(&activity->kind, __ATOMIC_ACQUIRE) == kind) count += load(&activity->running);
    }
    return count;
}

static void print_waiting(FILE *out, const SinoRuntime *runtime)
{
    const char *between = "; waiting for data or a worker:";
    for (const SinoCodelet *at = first_codelet(runtime); at; at = at->next) {
        const int64_t submitted = load(&at->submitted);
        const int64_t waiting = submitted - load(&at->ended) - running_of(runtime, at->kind);
        if (waiting <= 0) continue;
        fprintf(out, "%s %" PRId64 " of %" PRId64 " %s", between, waiting, submitted, at->kind->name);
        between = ",";
    }
}

static void print_receives(FILE *out, const SinoRuntime *runtime)
{
    const char *between = "; messages not received:";
    const SinoReceives *row = __atomic_load_n(&runtime->activity.receives, __ATOMIC_ACQUIRE);
    for (; row; row = row->next) {
        const int64_t missing = load(&row->expected) - load(&row->arrived);
        if (missing <= 0) continue;
        fprintf(out, "%s %" PRId64 " %s from rank %" PRId64, between, missing, row->name, row->process);
        between = ",";
    }
}

/* Says what waits for what; NULL without memory. */
static char *describe(const SinoStall *stall)
{
    char *text = NULL;
    size_t size;
    const SinoRuntime *runtime = stall->runtime;
    const char *const what = awaited(runtime); /* may end meanwhile */
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    if (sino_processes_count(runtime->processes) > 1)
        fprintf(out, "rank %" PRId64 ": ", sino_processes_rank(runtime->processes));
    fputs("no task has ended for", out);
    print_duration(out, stall->limit_s);
    print_running(out, runtime);
    print_waiting(out, runtime);
    print_receives(out, runtime);
    if (what) fprintf(out, "; the program waits for %s", what);
    fputs("; --stall-limit sets how long a run waits, none: for ever", out);
    (void)fclose(out); /* a text that is cut still tells something */
    return text;
}

/* Every rank that stalls tells its part, so that a rank gives the others time to find out. The end is left to rank 0,
 * which tells what is on disk, if it stalls too. */
static void end_of_ranks(const SinoStall *stall, const char *words) __attribute__((noreturn));

static void end_of_ranks(const SinoStall *stall, const char *words)
{
    SinoStatus told = sino_error(SINO_FAILED, "%s", words);
    const bool first = sino_processes_rank(stall->runtime->processes) == 0;
    if (stall->runtime->log) sino_log_error(stall->runtime->log, told);
    usleep((unsigned)(1e6 * (sino_watch_period_s(stall->watch) + (first ? 0.5 : 1.5))));
    if (!first) sino_processes_end(stall->runtime->processes, SINO_FAILED);
    sino_ending_now("ended because the run stalled", SINO_FAILED);
}

static void end(const SinoStall *stall) __attribute__((noreturn));

static void end(const SinoStall *stall)
{
    const char *words = describe(stall);
    if (!words) words = "no task ends any more, and there is no memory to say more";
    if (sino_processes_count(stall->runtime->processes) > 1) end_of_ranks(stall, words);
    sino_ending_now(words, SINO_FAILED);
}

static void look(void *of, int64_t late_ns)
{
    const SinoStall *stall = of;
    if (tasks_in_flight(stall->runtime) == 0 && !awaited(stall->runtime)) note_progress(stall->runtime);
    add(&stall->runtime->activity.last_end_ns, late_ns);
    const double still_s = 1e-9 * (double)(sino_watch_now_ns() - load(&stall->runtime->activity.last_end_ns));
    if (still_s > stall->limit_s) end(stall);
}

SinoStatus sino_stall_watch(SinoRuntime *runtime, double limit_s, SinoStall **result)
{
    SinoStall *stall = NULL;
    if (!(limit_s > 0)) return NULL;
    SINO_TRY(sino_allocate(1, sizeof *stall, "the watch for stalls", &stall));
    *stall = (SinoStall){.runtime = runtime, .limit_s = limit_s};
    note_progress(runtime);
    SINO_GIVE(sino_watch_start(limit_s, look, stall, &stall->watch), stall, free, result);
}

void sino_stall_stop(SinoStall *stall)
{
    if (!stall) return;
    sino_watch_stop(stall->watch);
    free(stall);
}

void sino_stall_free_receives(SinoRuntime *runtime)
{
    while (runtime->activity.receives) {
        SinoReceives *first = runtime->activity.receives;
        runtime->activity.receives = first->next;
        free(first);
    }
}
