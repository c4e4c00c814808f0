/* SPDX-License-Identifier: BSD-3-Clause */
/* Runtime: what it consists of, waiting for tasks, progress. */
#include "arithmetic.h"
#include "runtime_private.h"

#include <stdio.h>
#include <string.h>

int sino_runtime_worker(void)
{
    return starpu_worker_get_id();
}

int64_t sino_runtime_worker_count(const SinoRuntime *runtime)
{
    (void)runtime;
    return starpu_worker_get_count();
}

const char *sino_runtime_kept_models(const SinoRuntime *runtime)
{
    return runtime->models ? sino_models_kept(runtime->models) : NULL;
}

unsigned sino_runtime_devices(const SinoRuntime *runtime)
{
    return runtime->devices;
}

bool sino_runtime_devices_iterate(const SinoRuntime *runtime)
{
    return !(runtime->iterating & SINO_DEVICE_CPU);
}

int64_t sino_runtime_device_count(const SinoRuntime *runtime)
{
    (void)runtime;
    return (int64_t)starpu_cuda_worker_get_count() + (int64_t)starpu_opencl_worker_get_count();
}

int64_t sino_runtime_device_bytes(const SinoRuntime *runtime)
{
    int64_t least = 0;
    (void)runtime;
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++) {
        if (starpu_node_get_kind(node) == STARPU_CPU_RAM) continue;
        const int64_t bytes = starpu_memory_get_total(node);
        if (bytes > 0 && (least == 0 || bytes < least)) least = bytes;
    }
    return least;
}

int64_t sino_runtime_device_held(const SinoRuntime *runtime, int64_t bytes)
{
    return sino_device_held(runtime->devices & SINO_DEVICE_CUDA, bytes);
}

int64_t sino_device_held(bool cuda, int64_t bytes)
{
    const int64_t piece = 32 << 20, kept = 4;
    if (!cuda) return 0;
    return bytes <= SINO_SMALL_DATA_BYTES ? piece : sino_times(1 + kept, piece);
}

const char *sino_runtime_starpu_version(char text[32])
{
    int major = 0, minor = 0, release = 0;
    starpu_get_version(&major, &minor, &release);
    snprintf(text, 32, "%d.%d.%d", major, minor, release);
    return text;
}

int64_t sino_runtime_sent_bytes(const SinoRuntime *runtime)
{
    return runtime->sent_bytes;
}

const char *sino_runtime_scheduler(const SinoRuntime *runtime)
{
    return runtime->policy.name;
}

SinoLog *sino_runtime_log(const SinoRuntime *runtime)
{
    return runtime->log;
}

SinoProcesses *sino_runtime_processes(const SinoRuntime *runtime)
{
    return runtime->processes;
}

int64_t sino_runtime_base_bytes(void)
{
    const int64_t usual = (int64_t)96 << 20;
#if defined SINO_CUDA && defined STARPU_USE_CUDA
    /* Where GPUs compute: CUDA's driver, its context, and cuFFT. The libraries alone took 130 to 180 MiB with CUDA 13;
     * the rest has not been measured. */
    return usual + ((int64_t)192 << 20);
#elif defined SINO_CUDA
    /* CUDA's runtime, which the program has though its StarPU uses no GPU. */
    return usual + ((int64_t)12 << 20);
#else
    return usual;
#endif
}

SinoStatus sino_runtime_page(SinoRuntime *runtime, const char *folder, int64_t window_bytes)
{
    sino_paged_close(runtime->paged);
    runtime->paged = NULL;
    runtime->window_bytes = window_bytes;
    return SINO_SIMULATES ? NULL : sino_paged_open(folder, window_bytes, &runtime->paged);
}

int64_t sino_runtime_window(const SinoRuntime *runtime)
{
    return runtime->window_bytes;
}

void sino_runtime_awaits(SinoRuntime *runtime, const char *what)
{
    if (runtime) __atomic_store_n(&runtime->activity.awaited, what, __ATOMIC_RELEASE);
}

void sino_pending_open(SinoPending *pending)
{
    starpu_pthread_mutex_init(&pending->mutex, NULL);
    starpu_pthread_cond_init(&pending->ended, NULL);
}

void sino_pending_close(SinoPending *pending)
{
    starpu_pthread_cond_destroy(&pending->ended);
    starpu_pthread_mutex_destroy(&pending->mutex);
}

void sino_pending_begin(SinoPending *pending)
{
    __atomic_add_fetch(&pending->count, 1, __ATOMIC_RELAXED);
}

void sino_pending_end(SinoPending *pending)
{
    if (__atomic_sub_fetch(&pending->count, 1, __ATOMIC_ACQ_REL) > 0) return;
    starpu_pthread_mutex_lock(&pending->mutex);
    starpu_pthread_cond_broadcast(&pending->ended);
    starpu_pthread_mutex_unlock(&pending->mutex);
}

static bool is_pending(const SinoPending *pending)
{
    return __atomic_load_n(&pending->count, __ATOMIC_ACQUIRE) > 0;
}

/* Some policies keep tasks back until they are told that all have been submitted. */
static void wait_for(SinoPending *pending)
{
    starpu_do_schedule();
    starpu_pthread_mutex_lock(&pending->mutex);
    while (is_pending(pending)) starpu_pthread_cond_wait(&pending->ended, &pending->mutex);
    starpu_pthread_mutex_unlock(&pending->mutex);
}

/* The first failure; `code` is StarPU's. */
static SinoStatus take_failure(SinoRuntime *runtime, int code)
{
    pthread_mutex_lock(&runtime->mutex);
    SinoStatus status = runtime->failure;
    runtime->failure = NULL;
    __atomic_store_n(&runtime->failed, false, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&runtime->mutex);
    if (!status && code) return sino_error(SINO_FAILED, "StarPU cannot wait for tasks: %s", strerror(-code));
    return status;
}

SinoStatus sino_runtime_wait(SinoRuntime *runtime)
{
    if (!is_pending(&runtime->aside)) return sino_runtime_wait_all(runtime);
    wait_for(&runtime->usual);
    return take_failure(runtime, 0);
}

SinoStatus sino_runtime_wait_all(SinoRuntime *runtime)
{
    return take_failure(runtime, starpu_task_wait_for_all());
}

void sino_runtime_pause(SinoRuntime *runtime)
{
    if (!runtime->shared) starpu_pause();
}

void sino_runtime_resume(SinoRuntime *runtime)
{
    if (!runtime->shared) starpu_resume();
}

void sino_runtime_drain(SinoRuntime *runtime)
{
    const int code = starpu_task_wait_for_all();
    if (code != 0)
        sino_runtime_fail(runtime, sino_error(SINO_FAILED, "StarPU cannot wait for tasks: %s", strerror(-code)));
}

SinoStatus sino_runtime_wait_after(SinoRuntime *runtime, SinoStatus status)
{
    SinoStatus wait_status = sino_runtime_wait(runtime);
    if (!status) return wait_status;
    sino_status_free(wait_status);
    return status;
}

SinoStatus sino_runtime_expect(SinoRuntime *runtime, double total_work, const SinoProgressShape *shape)
{
    sino_progress_free(runtime->progress);
    runtime->progress = NULL;
    runtime->total_work = total_work;
    runtime->done_work = 0;
    runtime->begin_s = sino_runtime_now_s();
    return sino_progress_new(shape, &runtime->progress);
}

/* Work is a sum of many shares, whose rounding is no work that is left. */
static double share_done(double done, double total)
{
    const double share = total > 0 ? done / total : 0;
    return share > 1 - 1e-9 ? 1 : share;
}

void sino_runtime_advance(SinoRuntime *runtime, double work, SinoPosition position, const SinoMinibatchProgress *now)
{
    if (!runtime->progress) return; /* nothing was announced */
    pthread_mutex_lock(&runtime->mutex);
    sino_progress_set(runtime->progress, position.minibatch, now);
    SinoProgress progress = sino_progress_now(runtime->progress);
    /* Work that does not count, such as products before the first iteration, says nothing of the rate of what does. */
    if (work == 0 && runtime->done_work == 0) runtime->begin_s = sino_runtime_now_s();
    runtime->done_work += work;
    progress.done = share_done(runtime->done_work, runtime->total_work);
    progress.elapsed_s = sino_runtime_now_s() - runtime->begin_s;
    pthread_mutex_unlock(&runtime->mutex);
    if (runtime->log) sino_log_progress(runtime->log, &progress);
}

void sino_runtime_expect_nothing(SinoRuntime *runtime)
{
    pthread_mutex_lock(&runtime->mutex);
    sino_progress_free(runtime->progress);
    runtime->progress = NULL;
    pthread_mutex_unlock(&runtime->mutex);
}

void sino_runtime_expect_less(SinoRuntime *runtime, double work)
{
    pthread_mutex_lock(&runtime->mutex);
    runtime->total_work -= work;
    pthread_mutex_unlock(&runtime->mutex);
}

void sino_runtime_fail(SinoRuntime *runtime, SinoStatus status)
{
    if (!status) return;
    pthread_mutex_lock(&runtime->mutex);
    const bool first = !runtime->failure;
    if (first) {
        runtime->failure = status;
        __atomic_store_n(&runtime->failed, true, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&runtime->mutex);
    if (!first) sino_status_free(status);
}

bool sino_runtime_failed(const SinoRuntime *runtime)
{
    return __atomic_load_n(&runtime->failed, __ATOMIC_ACQUIRE);
}
