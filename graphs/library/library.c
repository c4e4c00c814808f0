/* SPDX-License-Identifier: BSD-3-Clause */
/* Library: start and stop of the one runtime of a process, and its lock. StarPU is one per process, so that this is the
 * one part of the library with state of its own. */
#include "library.h"

#include "version.h"

#include <locale.h>
#include <pthread.h>
#include <unistd.h>

static struct {
    pthread_mutex_t mutex; /* held during every call; protects the rest */
    locale_t c_locale;     /* of the thread that calls, during a call; 0: not made yet, or no memory */
    locale_t callers;      /* its own */
    int64_t starts;        /* calls of sinodag_start without one of sinodag_stop */
    int64_t users;         /* starts, and operators */
    SinoRuntime *runtime;  /* NULL: StarPU is not up; its workers sleep between calls */
    SinoLog *log;
    SinodagLog *tell; /* the caller's; NULL: none */
    void *tell_of;
    SinodagProgress *progress; /* of the call that works; NULL: none */
    void *progress_of;
    pid_t process; /* that started StarPU; 0: none. Read without the lock, which a fork may have left locked */
} library = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* This thread is in a function of the caller. */
static _Thread_local bool telling;

void sino_library_calls(bool begins)
{
    telling = begins;
    if (library.c_locale) uselocale(begins ? library.callers : library.c_locale);
}

static void tell_line(void *of, const char *level, const char *event, const char *message)
{
    (void)of;
    if (!library.tell) return;
    sino_library_calls(true);
    library.tell(library.tell_of, level, event, message);
    sino_library_calls(false);
}

/* A caller that has enough of a call ends it by a failure of its tasks. */
static void tell_progress(void *of, const SinoProgress *progress, const char *text)
{
    (void)of;
    if (!library.progress) return;
    sino_library_calls(true);
    const int enough = library.progress(library.progress_of, progress->done, text);
    sino_library_calls(false);
    if (enough) sino_runtime_fail(library.runtime, sino_error(SINO_FAILED, "cancelled by the caller"));
}

void sino_library_show_progress(SinodagProgress *progress, void *of)
{
    library.progress_of = of;
    library.progress = progress;
}

SinoStatus sino_library_enter(void)
{
    SINO_CHECK(!telling, SINO_BAD_INPUT,
               "a function that sinodag calls for messages has called sinodag; allowed: calls from elsewhere");
    const pid_t process = __atomic_load_n(&library.process, __ATOMIC_ACQUIRE);
    if (process == 0 || process == getpid()) {
        pthread_mutex_lock(&library.mutex);
        if (!library.c_locale) library.c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        if (library.c_locale) library.callers = uselocale(library.c_locale); /* decimal points in settings and files */
        if (library.runtime) sino_runtime_resume(library.runtime);
        return NULL;
    }
    return sino_error(
        SINO_BAD_INPUT,
        "this process was forked after sinodag had started, and has none of its threads; allowed: to start "
        "sinodag in the process that uses it");
}

void sino_library_leave(void)
{
    if (library.runtime) sino_runtime_pause(library.runtime);
    if (library.c_locale) uselocale(library.callers);
    pthread_mutex_unlock(&library.mutex);
}

SinoRuntime *sino_library_runtime(void)
{
    return library.runtime;
}

SinoStatus sino_library_need_runtime(void)
{
    SINO_CHECK(library.runtime && library.starts > 0, SINO_BAD_INPUT,
               "sinodag has not started; allowed: after sinodag_start");
    return NULL;
}

void sino_library_keep(void)
{
    library.users++;
}

SinoStatus sino_library_let_go(void)
{
    if (--library.users > 0) return NULL;
    SinoStatus status = sino_runtime_stop(library.runtime);
    sino_log_close(library.log);
    library.runtime = NULL;
    library.log = NULL;
    library.tell = NULL;
    __atomic_store_n(&library.process, 0, __ATOMIC_RELEASE);
    return status;
}

static const char *const start_settings[] = {"workers", "device", "scheduler", "models",
                                             "graph",   "trace",  "overwrite", NULL};
/* Of a StarPU that the caller has started. */
static const char *const shared_settings[] = {"graph", "trace", "overwrite", NULL};
static const SinoLibrarySettings start_shared = {
    .what = "sinodag_start, since this process has started StarPU, whose workers and policy stay",
    .allowed = shared_settings};
const SinoLibrarySettings sino_library_start = {.what = "sinodag_start", .allowed = start_settings};

static SinoStatus start_runtime(const SinoSettings *settings)
{
    const SinoRuntimeRequest request = {.workers = settings->runtime.workers,
                                        .devices = settings->runtime.devices,
                                        .scheduler = settings->runtime.scheduler,
                                        .models = settings->runtime.models,
                                        .graph_path = settings->runtime.graph,
                                        .overwrite = settings->output.overwrite,
                                        .trace_path = settings->runtime.trace,
                                        .log = library.log};
    return sino_runtime_start(&request, &library.runtime);
}

static SinoStatus start(const char *const *given)
{
    const SinoLogSink sink = {.line = tell_line, .progress = tell_progress};
    SinoSettings *settings = NULL;
    SINO_TRY(
        sino_library_settings(sino_runtime_starpu_is_up() ? &start_shared : &sino_library_start, given, &settings));
    SinoStatus status = sino_log_open_sink(&sink, &library.log);
    if (!status) status = start_runtime(settings);
    sino_settings_free(settings);
    if (!status) __atomic_store_n(&library.process, getpid(), __ATOMIC_RELEASE);
    if (!status) return NULL;
    sino_log_close(library.log);
    library.log = NULL;
    return status;
}

SinodagStatus sinodag_start(const char *const *settings, SinodagLog *log, void *of)
{
    SinoStatus status = sino_library_enter();
    if (status) return status;
    if (log) {
        library.tell = log;
        library.tell_of = of;
    }
    if (!library.runtime)
        status = start(settings);
    else if (settings && *settings)
        status = sino_error(
            SINO_BAD_INPUT,
            "sinodag_start has settings ('%s' …), but sinodag has started; allowed: none, or settings once it has "
            "stopped, for which every operator is to be freed, too",
            *settings);
    if (!status) {
        library.starts++;
        sino_library_keep();
    }
    sino_library_leave();
    return status;
}

SinodagStatus sinodag_stop(void)
{
    SinoStatus status = sino_library_enter();
    if (status) return status;
    if (library.starts > 0) {
        library.starts--;
        status = sino_library_let_go();
    } else {
        status = sino_error(SINO_BAD_INPUT, "sinodag_stop without sinodag_start; allowed: as many calls of both");
    }
    sino_library_leave();
    return status;
}

const char *sinodag_version(void)
{
    return sino_version_text();
}

int sinodag_status_code(SinodagStatus status)
{
    return sino_status_exit_code(status);
}

const char *sinodag_status_text(SinodagStatus status)
{
    return sino_status_text(status);
}

void sinodag_status_free(SinodagStatus status)
{
    sino_status_free(status);
}
