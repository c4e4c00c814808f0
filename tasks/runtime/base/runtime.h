/* SPDX-License-Identifier: BSD-3-Clause */
/* Runtime: StarPU for one run. It starts and stops StarPU, owns data handles, submits tasks, and keeps the first
 * failure.
 *
 * Only the thread that started the runtime submits tasks, acquires and frees data. A task that fails records its
 * status. From then on tasks return without working, so that the graph drains, and the next sino_runtime_wait returns
 * the status.
 *
 * sino_insert_<task> (tasks/<folder>/<folder>_tasks.h) submits one task, which runs when its data are ready. Structures
 * that its arguments point to are not owned and must outlive the task. It fails only if StarPU or memory fails:
 * SINO_FAILED. */
#pragma once

#include "data.h"
#include "device.h"
#include "log.h"
#include "model_use.h"
#include "processes.h"
#include "progress.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct SinoRuntimeRequest {
    int64_t workers;          /* CPU workers; 0: one per core, or STARPU_NCPU */
    unsigned devices;         /* bits of device.h; 0: CPU cores only */
    const char *scheduler;    /* a policy (device_choice.h); NULL: STARPU_SCHED, else dmdas with devices, lws without */
    SinoModelUse models;      /* of StarPU */
    const char *graph_path;   /* file of every task submitted: DOT or .jsonl; NULL: none */
    bool overwrite;           /* these files may replace others */
    bool profile;             /* measure the times of tasks and workers, and log them */
    const char *profile_path; /* JSON file of these times; the same in all processes; NULL: none */
    const char *trace_path;   /* file of all tasks, for viewers; the same in all processes; NULL: none */
    const char *settings;     /* text for both files; NULL: none; not owned */
    double stall_limit_s;     /* a run in which no task ends for so long ends with exit code 1; 0: no limit */
    SinoLog *log;             /* not owned */
    SinoProcesses *processes; /* the processes that exchange messages; NULL: this process is alone; not owned */
} SinoRuntimeRequest;

/* Whether this process has started StarPU, by whatever code. */
bool sino_runtime_starpu_is_up(void);

/* Collective. If StarPU is up, the runtime uses it as it is, with its workers and policy, and leaves it up; waiting for
 * tasks is then waiting for those of others, too. SINO_BAD_INPUT: a missing device, an unknown policy, more workers
 * than cores or than StarPU was built for, or a file that cannot be written. */
SinoStatus sino_runtime_start(const SinoRuntimeRequest *request, SinoRuntime **runtime);

/* Waits for every task, shuts StarPU down, gives the files their names, and frees the runtime. All data must have
 * been freed before. Takes NULL. */
SinoStatus sino_runtime_stop(SinoRuntime *runtime);

/* sino_runtime_stop after a failure of the caller: the graph file is removed and failures of tasks are lost. Trace and
 * profile are written as far as the run came. Takes NULL. */
void sino_runtime_abandon(SinoRuntime *runtime);

int64_t sino_runtime_worker_count(const SinoRuntime *runtime);
unsigned sino_runtime_devices(const SinoRuntime *runtime); /* bits of device.h that are in use */

/* Whether devices alone run every step of an iteration that they have a kernel for. */
bool sino_runtime_devices_iterate(const SinoRuntime *runtime);

/* Number of devices that compute, beside cores or instead of them. */
int64_t sino_runtime_device_count(const SinoRuntime *runtime);

/* Bytes that StarPU may use on the smallest device, limits of the environment included; 0: no device, or not known. */
int64_t sino_runtime_device_bytes(const SinoRuntime *runtime);

/* Data of up to this size are small for StarPU. */
enum { SINO_SMALL_DATA_BYTES = 4 << 20 };

/* Bytes of device memory that an allocation of `bytes` cannot count on. StarPU allocates small data in chunks of 32 MiB
 * and keeps up to four empty chunks. An allocation of larger data that does not fit beside them never completes. */
int64_t sino_runtime_device_held(const SinoRuntime *runtime, int64_t bytes);
int64_t sino_device_held(bool cuda, int64_t bytes); /* the same for any device */

/* "1.3.10", the version of the library; returns `text`. StarPU need not have started. */
const char *sino_runtime_starpu_version(char text[32]);
int64_t sino_runtime_sent_bytes(const SinoRuntime *runtime); /* to other processes, by messages of tasks */
/* The directory in which runs keep models (models.h); NULL: none, or the run is simulated. Not owned. */
const char *sino_runtime_kept_models(const SinoRuntime *runtime);
const char *sino_runtime_scheduler(const SinoRuntime *runtime);
SinoLog *sino_runtime_log(const SinoRuntime *runtime);
SinoProcesses *sino_runtime_processes(const SinoRuntime *runtime);

/* Bytes that the program needs in addition to its data: libraries, StarPU's structures, and thousands of tasks in
 * flight. */
int64_t sino_runtime_base_bytes(void);

/* Large vectors that are made from now on (sino_data_large_vector) are in files of the folder, window_bytes of them in
 * memory at a time (paged_memory.h). A simulation only keeps the number. There are no such vectors now. */
SinoStatus sino_runtime_page(SinoRuntime *runtime, const char *folder, int64_t window_bytes);
int64_t sino_runtime_window(const SinoRuntime *runtime); /* 0: such vectors are in memory */

/* Waits for every task but those that were submitted aside. Returns the first failure since the last call; the caller
 * then owns it. sino_runtime_wait_all waits for the tasks aside, too. */
SinoStatus sino_runtime_wait(SinoRuntime *runtime);
SinoStatus sino_runtime_wait_all(SinoRuntime *runtime);

/* Idle workers look for tasks all the time, on the cores that this thread needs, too. Between these calls they sleep,
 * and no task may be submitted. Workers of a StarPU that the process had started go on. */
void sino_runtime_pause(SinoRuntime *runtime);
void sino_runtime_resume(SinoRuntime *runtime);

/* Waits for every task. A failure is kept for sino_runtime_wait. */
void sino_runtime_drain(SinoRuntime *runtime);

/* sino_runtime_wait after the insertion of tasks, whose `status` is returned if it is an error. Consumes `status`. */
SinoStatus sino_runtime_wait_after(SinoRuntime *runtime, SinoStatus status);

/* The place of a task in the run, for labels and policies; −1: does not apply. */
typedef struct SinoPosition {
    int64_t slab, minibatch, partition, iteration;
} SinoPosition;

#define SINO_NOWHERE              ((SinoPosition){-1, -1, -1, -1})
#define SINO_AT_PARTITION(number) ((SinoPosition){-1, -1, (number), -1})

/* The position of a task, for scheduling policies and traces; SINO_NOWHERE for StarPU's own tasks. */
struct starpu_task;
SinoPosition sino_task_position(const struct starpu_task *task);

/* Records a failure; the first one is kept. Called from any thread. Consumes the status. */
void sino_runtime_fail(SinoRuntime *runtime, SinoStatus status);
bool sino_runtime_failed(const SinoRuntime *runtime);

/* Progress. The caller announces `total_work` units in minibatches of the shape; tasks report, from any thread, the
 * work that they have done, and where the minibatch at their position stands. Nothing is told of a run that
 * announces nothing. The time until tasks last report work 0, before others report work, does not count. SINO_FAILED:
 * no memory. */
SinoStatus sino_runtime_expect(SinoRuntime *runtime, double total_work, const SinoProgressShape *shape);
void sino_runtime_advance(SinoRuntime *runtime, double work, SinoPosition position, const SinoMinibatchProgress *now);
void sino_runtime_expect_nothing(SinoRuntime *runtime);           /* after the run: another one may follow */
void sino_runtime_expect_less(SinoRuntime *runtime, double work); /* for slices that stop early */

/* With `profile`: begin restarts the measurement, at the beginning of a part of the run. report logs the table of that
 * part, if it had tasks; its lines begin with `part`. */
void sino_runtime_profile_begin(SinoRuntime *runtime);
void sino_runtime_profile_report(SinoRuntime *runtime, const char *part);
