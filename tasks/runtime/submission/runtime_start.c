/* SPDX-License-Identifier: BSD-3-Clause */
/* Runtime: start and stop of StarPU. */
#include "device_choice.h"
#include "device_memory.h"
#include "memory.h"
#include "platform.h"
#include "stall.h"

#ifdef SINO_MPI
#include <starpu_mpi.h>
#endif

#include <inttypes.h>
#include <malloc.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* The policy: the user's choice, else the environment's, else work stealing if all workers are alike, else a policy
 * that models the times of tasks and transfers. */
static const char *choose_scheduler(const SinoRuntimeRequest *request, bool devices)
{
    const char *environment = getenv("STARPU_SCHED");
    if (request->scheduler) return request->scheduler;
    return environment && *environment ? environment : devices ? "dmdas" : "lws";
}

/* The workers that StarPU is started with. */
typedef struct Workers {
    int count;  /* −1: every core that GPUs leave */
    bool bound; /* a worker for each core of the process's mask, which StarPU does not look at */
} Workers;

/* From the request or STARPU_NCPU. StarPU would bind workers to the first cores of the machine; within a mask they stay
 * unbound. */
static SinoStatus choose_workers(const SinoRuntimeRequest *request, Workers *workers)
{
    const char *environment = getenv("STARPU_NCPU");
    char *end = NULL;
    int64_t count = request->workers;
    if (count == 0 && environment && *environment) {
        count = strtoll(environment, &end, 10);
        SINO_CHECK(*end == '\0' && count >= 1, SINO_BAD_INPUT, "STARPU_NCPU is '%s'; allowed: a number of cores",
                   environment);
    }
    SINO_CHECK(count <= STARPU_MAXCPUS, SINO_BAD_INPUT,
               "workers is %" PRId64 "; this StarPU was built for at most %d (./run starpu builds one for 256)", count,
               STARPU_MAXCPUS);
    const int64_t cores = sino_runtime_core_count();
    SINO_CHECK(request->workers <= cores, SINO_BAD_INPUT,
               "workers is %" PRId64 "; allowed: 1 to %" PRId64 ", the cores that this process may use",
               request->workers, cores);
    const int64_t bound = SINO_SIMULATES ? 0 : sino_platform_bound_core_count();
    if (bound > 0) setenv("STARPU_WORKERS_NOBIND", "1", 0);
    *workers = (Workers){.count = (int)count, .bound = count == 0 && bound > 0};
    if (count == 0)
        workers->count = SINO_SIMULATES ? (int)cores : bound > 0 ? (int)sino_smaller(bound, STARPU_MAXCPUS) : -1;
    return NULL;
}

static bool has_company(const SinoRuntime *runtime)
{
    return sino_processes_count(runtime->processes) > 1;
}

/* Sets the function that StarPU calls once its policy is ready; StarPU 1.3 names the member differently. */
static void set_policy_callback(struct starpu_conf *conf, void (*callback)(unsigned context))
{
#ifdef SINO_STARPU_SCHED_POLICY_CALLBACK
    conf->sched_policy_callback = callback;
#else
    conf->sched_policy_init = callback;
#endif
}

/* StarPU's number of what the run does with models. */
enum { FROZEN, RECORD, RENEW };

static int calibrate(SinoModelUse use)
{
    if (SINO_SIMULATES) return FROZEN;
    const char *environment = use == SINO_MODELS_AUTO ? getenv("STARPU_CALIBRATE") : NULL;
    if (use == SINO_MODELS_FROZEN || (environment && strcmp(environment, "0") == 0)) return FROZEN;
    if (use == SINO_MODELS_RENEW || (environment && strcmp(environment, "2") == 0)) return RENEW;
    return RECORD;
}

/* StarPU calls this in workers that look for tasks, which they do without a pause. Threads that wait for the same core
 * go first: those that submit, read or write, and other processes. */
static unsigned yield(void *argument)
{
    (void)argument;
    sched_yield();
    return 1; /* StarPU may let the worker sleep */
}

static void shut_down(SinoRuntime *runtime)
{
    if (runtime->hook >= 0) starpu_progression_hook_deregister(runtime->hook);
    runtime->hook = -1;
    starpu_shutdown();
}

/* Starts StarPU with `workers` workers and a policy that suits `devices`. */
static SinoStatus initialise(const SinoRuntimeRequest *request, int workers, bool devices, SinoRuntime *runtime)
{
    struct starpu_conf conf;
    SINO_CHECK(starpu_conf_init(&conf) == 0, SINO_FAILED, "StarPU cannot be configured");
    /* The settings have taken the environment into account already; StarPU must not read it again. */
    conf.precedence_over_environment_variables = 1;
    conf.catch_signals = 0; /* signals are the program's (ending.h); StarPU would also undo that one is ignored */
    conf.ncpus = workers;
    conf.calibrate = calibrate(request->models);
    if (conf.calibrate == 0 && runtime->models) sino_models_freeze(runtime->models);
    SINO_TRY(sino_device_configure(request->devices, &conf));
    sino_policy_close(&runtime->policy); /* of a start before this one */
    SINO_TRY(sino_policy_open(choose_scheduler(request, devices), &runtime->policy));
    sino_policy_configure(&runtime->policy, &conf);
    runtime->buckets = !runtime->policy.own && strcmp(runtime->policy.name, "heteroprio") == 0;
    if (runtime->buckets) set_policy_callback(&conf, sino_device_make_buckets);
    const uint64_t limited = conf.ncuda == 0 || runtime->shared ? 0 : sino_cuda_limit_memory();
    const int code = starpu_init(&conf);
    sino_cuda_unlimit_memory(limited);
    SINO_CHECK(code == 0, SINO_FAILED, "StarPU does not start: %s", strerror(-code));
    if (!SINO_SIMULATES && !runtime->shared) runtime->hook = starpu_progression_hook_register(yield, NULL);
    return NULL;
}

static void close_devices(SinoRuntime *runtime)
{
    sino_opencl_devices_close(runtime);
    sino_cuda_devices_close(runtime);
}

/* Other processes, whose tasks may take long, are waited for without a limit. */
static void stop_starpu(SinoRuntime *runtime)
{
    static const char end[] = "the end of StarPU";
    sino_runtime_awaits(runtime, end);
    close_devices(runtime);
    sino_runtime_awaits(runtime, NULL);
#ifdef SINO_MPI
    if (has_company(runtime)) starpu_mpi_shutdown();
#endif
    sino_runtime_awaits(runtime, end);
    shut_down(runtime);
    sino_runtime_awaits(runtime, NULL);
    sino_stall_stop(runtime->stall);
}

/* Collective: either all processes start StarPU-MPI, whose thread sends and receives messages, or none does. */
static SinoStatus join_processes(SinoRuntime *runtime, SinoStatus status)
{
    const bool started = !status;
    status = sino_processes_agree(runtime->processes, status);
    if (status && started) {
        close_devices(runtime);
        shut_down(runtime);
    }
    if (status || !has_company(runtime)) return status;
#ifdef SINO_MPI
    const int code = starpu_mpi_init_comm(NULL, NULL, 0, MPI_COMM_WORLD);
    SINO_CHECK(code == 0, SINO_FAILED, "StarPU-MPI does not start: %d", code);
#endif
    return NULL;
}

/* Rate of the memory of a GPU, of which all are taken as alike: as simulated, or by its data sheet. */
static double gpu_gbps(const SinoMachineFile *simulated)
{
    const int worker = starpu_worker_get_by_type(STARPU_CUDA_WORKER, 0);
    return simulated ? simulated->device.memory_gbps : sino_device_memory_gbps(starpu_worker_get_devid(worker));
}

/* The processors that iterations are offered to. The rate of a core here is the usual one. */
static unsigned iterating(const SinoRuntimeRequest *request, const SinoRuntime *runtime)
{
    const SinoMachineFile *simulated = sino_simulation_machine();
    SinoMachineFile cores;
    if (!(runtime->devices & SINO_DEVICE_CUDA)) return runtime->devices;
    (void)sino_machine_preset("usual", &cores);
    if (simulated) cores = *simulated;
    const double cores_gbps = (double)starpu_cpu_worker_get_count() * cores.core.memory_gbps;
    const double devices_gbps = (double)sino_runtime_device_count(runtime) * gpu_gbps(simulated);
    return sino_devices_iterate_alone(request->devices, runtime->policy.name, cores_gbps, devices_gbps)
               ? runtime->devices & ~(unsigned)SINO_DEVICE_CPU
               : runtime->devices;
}

static SinoStatus find_devices(const SinoRuntimeRequest *request, SinoRuntime *runtime)
{
    SinoStatus status = sino_device_find(request->devices, &runtime->devices);
    if (status) {
        shut_down(runtime);
        return status;
    }
    runtime->iterating = iterating(request, runtime);
    return NULL;
}

/* Starts StarPU, looks at the devices that it found, and restarts it if necessary: with a policy that knows devices,
 * and with a core for tasks without a device kernel even if the devices' own threads take every core. */
static SinoStatus initialise_with_devices(const SinoRuntimeRequest *request, Workers *workers, SinoRuntime *runtime)
{
    const bool named = request->devices != SINO_DEVICE_ALL && (request->devices & ~(unsigned)SINO_DEVICE_CPU);
    SINO_TRY(initialise(request, workers->count, named, runtime));
    SINO_TRY(find_devices(request, runtime));
    const bool devices = runtime->devices & ~(unsigned)SINO_DEVICE_CPU;
    const bool no_cores = starpu_cpu_worker_get_count() == 0, crowded = workers->bound && devices;
    if (devices == named && !no_cores && !crowded) return NULL;
    if (crowded) workers->count = (int)sino_larger(1, workers->count - sino_runtime_device_count(runtime));
    shut_down(runtime);
    SINO_TRY(initialise(request, no_cores ? 1 : workers->count, devices, runtime));
    return find_devices(request, runtime);
}

bool sino_runtime_starpu_is_up(void)
{
    return starpu_is_initialized();
}

static SinoStatus start_starpu(const SinoRuntimeRequest *request, SinoRuntime *runtime)
{
    Workers workers = {0};
    runtime->shared = sino_runtime_starpu_is_up();
    if (runtime->shared) sino_codelets_take_over(runtime);
    SINO_TRY(choose_workers(request, &workers));
    /* StarPU's messages on calibration and topology are for its developers. */
    setenv("STARPU_SILENT", "1", 0);
    /* Kernels read whole cache lines, and StarPU allocates scratch memory. */
    starpu_malloc_set_align(SINO_ALIGNMENT_BYTES);
    /* What a simulation reads of a machine is there already (simulation_private.h). */
    if (!SINO_SIMULATES) SINO_TRY(sino_models_open(runtime->log, &runtime->models));
    SINO_TRY(initialise_with_devices(request, &workers, runtime));
    const int64_t got = starpu_cpu_worker_get_count();
    if (workers.count > 0 && got != workers.count && !runtime->shared) {
        shut_down(runtime);
        return sino_error(SINO_BAD_INPUT, "workers is %d; StarPU finds %" PRId64 " cores here", workers.count, got);
    }
    SinoStatus status = sino_opencl_devices_open(runtime);
    if (!status) status = sino_cuda_devices_open(runtime);
    if (status) {
        close_devices(runtime);
        shut_down(runtime);
    }
    return status;
}

static void free_runtime(SinoRuntime *runtime)
{
    sino_task_samples_close(runtime->samples, runtime->models, runtime->policy.name);
    sino_codelets_free(runtime);
    sino_stall_free_receives(runtime);
    sino_recorder_free(runtime->recorder);
    sino_fxt_free(runtime->fxt);
    sino_profile_free(runtime->profile);
    sino_transfers_free(runtime->transfers);
    sino_simulation_end(runtime);
    sino_progress_free(runtime->progress);
    sino_models_close(runtime->models);
    sino_paged_close(runtime->paged);
    sino_policy_close(&runtime->policy);
    sino_pending_close(&runtime->usual);
    sino_pending_close(&runtime->aside);
    pthread_mutex_destroy(&runtime->mutex);
    free(runtime);
}

/* The threads and counters that look at what StarPU does. All processes begin to record at the same time. */
static SinoStatus watch(const SinoRuntimeRequest *request, SinoRuntime *runtime)
{
    runtime->tells_profile = request->profile;
    if (runtime->graph) sino_task_graph_begin(runtime->graph, request->settings);
    if (request->profile || runtime->recorder || SINO_SIMULATES) SINO_TRY(sino_profile_begin(runtime));
    SINO_TRY(sino_simulation_begin(runtime));
    if (runtime->recorder) SINO_TRY(sino_recorder_begin(runtime));
    if (SINO_SIMULATES) return NULL; /* SimGrid notices that nothing goes on */
    if (!sino_models_frozen(runtime->models))
        SINO_TRY(sino_task_samples_new(calibrate(request->models) == RENEW, &runtime->samples));
    return sino_stall_watch(runtime, request->stall_limit_s, &runtime->stall);
}

SinoStatus sino_runtime_start(const SinoRuntimeRequest *request, SinoRuntime **result)
{
    SinoStatus status = NULL;
    SinoRuntime *runtime = NULL;
    /* By default glibc keeps freed pieces of up to 32 MiB for each thread; large ones must go back to the system,
     * because another thread may need them. */
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    SINO_TRY(sino_allocate(1, sizeof *runtime, "the runtime", &runtime));
    runtime->log = request->log;
    runtime->processes = request->processes;
    runtime->hook = -1;
    pthread_mutex_init(&runtime->mutex, NULL);
    sino_pending_open(&runtime->usual);
    sino_pending_open(&runtime->aside);
    if (request->graph_path) status = sino_task_graph_open(request->graph_path, request->overwrite, &runtime->graph);
    if (!status) status = sino_recorder_open(request, &runtime->recorder);
    if (!status) status = sino_fxt_open(request, &runtime->fxt);
    SINO_TRY_OR(status, fail, sino_processes_agree(runtime->processes, status));
    SINO_TRY_OR(status, fail, join_processes(runtime, start_starpu(request, runtime)));
    status = sino_processes_agree(runtime->processes, watch(request, runtime));
    if (status) {
        stop_starpu(runtime);
        goto fail;
    }
    if (runtime->recorder) sino_recorder_align(runtime->recorder);
    if (request->workers == 0 && starpu_cpu_worker_get_count() == STARPU_MAXCPUS && STARPU_MAXCPUS < 64)
        sino_log_info(runtime->log, "workers", "%d workers, the most this StarPU was built for", STARPU_MAXCPUS);
    *result = runtime;
    return NULL;
fail:
    sino_task_graph_discard(runtime->graph);
    free_runtime(runtime);
    return status;
}

SinoStatus sino_runtime_stop(SinoRuntime *runtime)
{
    if (!runtime) return NULL;
    SinoStatus status = sino_recorder_close(runtime, sino_runtime_wait(runtime));
    stop_starpu(runtime);
    if (!status) status = sino_fxt_close(runtime->fxt);
    if (status)
        sino_task_graph_discard(runtime->graph);
    else
        status = sino_task_graph_close(runtime->graph);
    free_runtime(runtime);
    return status;
}

void sino_runtime_abandon(SinoRuntime *runtime)
{
    if (!runtime) return;
    sino_status_free(sino_runtime_wait(runtime));
    sino_status_free(sino_recorder_close(runtime, sino_error(SINO_FAILED, "abandoned")));
    stop_starpu(runtime);
    sino_status_free(sino_fxt_close(runtime->fxt));
    sino_task_graph_discard(runtime->graph);
    free_runtime(runtime);
}
