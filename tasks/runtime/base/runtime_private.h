/* SPDX-License-Identifier: BSD-3-Clause */
/* Runtime, inside: shared by the files of tasks/runtime. */
#pragma once

#include "device_choice.h"
#include "models.h"
#include "paged_memory.h"
#include "simulation.h"
#include "spmm_cuda.h"
#include "task.h"

#include <pthread.h>
#include <starpu.h>

typedef struct SinoTaskGraph SinoTaskGraph;
typedef struct SinoProfile SinoProfile;
typedef struct SinoRecorder SinoRecorder;
typedef struct SinoRecorded SinoRecorded;
typedef struct SinoCodelet SinoCodelet;
typedef struct SinoStall SinoStall;
typedef struct SinoTransfers SinoTransfers;
typedef struct SinoFxt SinoFxt;
typedef struct SinoSimulation SinoSimulation;
typedef struct SinoTaskSamples SinoTaskSamples;

/* What a worker runs. Of several tasks that a device has queued, the kind and begin of the last one. */
typedef struct SinoWorkerActivity {
    const SinoTaskKind *kind;
    int64_t since_ns, running;
} SinoWorkerActivity;

/* Messages of a name from a process. */
typedef struct SinoReceives {
    SinoRuntime *runtime;
    const char *name;
    int64_t process, expected, arrived;
    struct SinoReceives *next;
} SinoReceives;

/* What happens in the runtime, for the watch for stalls; every member is atomic. */
typedef struct SinoActivity {
    SinoWorkerActivity worker[STARPU_NMAXWORKERS];
    SinoReceives *receives; /* list; owned */
    int64_t last_end_ns;    /* of a task, or when there was none in flight */
    const char *awaited;    /* data, or the end of StarPU, for which the program waits now; constant; NULL: none */
} SinoActivity;

/* The program waits for data of this name, or for StarPU itself, as for a task in flight, until it waits for NULL.
 * Takes a runtime of NULL. */
void sino_runtime_awaits(SinoRuntime *runtime, const char *what);

/* Tasks that are waited for together. begin: one of them is submitted. */
typedef struct SinoPending {
    int64_t count; /* of those that have not ended; atomic */
    starpu_pthread_mutex_t mutex;
    starpu_pthread_cond_t ended; /* the last one has ended */
} SinoPending;

void sino_pending_open(SinoPending *pending);
void sino_pending_close(SinoPending *pending);
void sino_pending_begin(SinoPending *pending);
void sino_pending_end(SinoPending *pending);

struct SinoRuntime {
    SinoLog *log;             /* not owned */
    SinoProcesses *processes; /* not owned */
    SinoPolicy policy;
    bool buckets;        /* the policy is heteroprio, whose priorities are numbers of buckets (device_choice.h) */
    unsigned devices;    /* bits of device.h that are in use */
    unsigned iterating;  /* of these, those that iterations are offered to */
    SinoData *workspace; /* workspace of CUDA kernels; NULL: no GPU computes */
    SinoSpmmDevice gpu[STARPU_NMAXWORKERS]; /* [StarPU's number of the CUDA device] */
    SinoOpencl *opencl[STARPU_NMAXWORKERS]; /* [StarPU's number of the OpenCL device]; NULL: none */
    pthread_mutex_t mutex;
    SinoStatus failure;
    bool failed;              /* may be read without the mutex */
    bool shared;              /* StarPU was up before this runtime, and stays up after it */
    int hook;                 /* StarPU's number of what it calls in workers that look for tasks; < 0: nothing */
    SinoPending usual, aside; /* tasks that sino_runtime_wait waits for, and others */
    SinoCodelet *codelet;     /* list of the codelets made so far */
    double total_work, done_work, begin_s;
    int64_t sent_bytes;                  /* of messages */
    SinoPaged *paged;                    /* where large vectors are; NULL: in memory */
    int64_t window_bytes;                /* of them, in memory at a time; 0: all */
    bool pageable;                       /* the system has refused to page-lock memory */
    int64_t data_bytes, most_data_bytes; /* bytes of data that own their memory: now, and the maximum so far */
    SinoProgressTable *progress;         /* NULL: nothing is expected */
    SinoTaskGraph *graph;                /* NULL: not asked for */
    int64_t node_count;                  /* tasks and messages submitted, if `graph` or `recorder` want to know */
    SinoProfile *profile;                /* NULL: not asked for */
    bool tells_profile;                  /* the profile is also logged */
    SinoRecorder *recorder;              /* NULL: not asked for */
    SinoFxt *fxt;                        /* NULL: not asked for */
    SinoTransfers *transfers;            /* bytes that buses have carried; NULL: not asked for */
    SinoModels *models;                  /* the directory of StarPU's models */
    SinoTaskSamples *samples;            /* times of tasks; NULL: they are not kept */
    SinoActivity activity;
    SinoStall *stall;           /* NULL: not asked for */
    SinoSimulation *simulation; /* NULL: a usual program */
};

struct SinoData {
    SinoRuntime *runtime; /* the runtime that counts its bytes; NULL: borrowed or scratch memory */
    starpu_data_handle_t handle;
    void *memory;  /* NULL: void or scratch */
    bool borrowed; /* the memory is not owned */
    bool paged;    /* it is the runtime's paged memory */
    int64_t bytes;
    const char *name; /* constant */
    /* for the task graph: its number there, from 1 (0: no task has used it); the task that wrote last; and the tasks
     * that have read since */
    int64_t number;
    int64_t writer;
    int64_t *reader;
    int64_t reader_count, reader_capacity;
    /* in a simulation: when it can have been written, and have been read since, at the earliest */
    double written_s, read_s;
};

/* StarPU's access mode. */
enum starpu_data_access_mode sino_starpu_mode(SinoAccessMode mode);

/* The codelet and performance model of a kind of task, made when the kind is first submitted. */
struct SinoCodelet {
    const SinoTaskKind *kind;
    struct starpu_codelet codelet;
    struct starpu_perfmodel *model;  /* owned by the first codelet of its name */
    char *symbol;                    /* the model's symbol; owned by the first codelet of its name, else NULL */
    const struct SinoCodelet *first; /* the first codelet of its name */
    SinoRuntime *runtime;
    int64_t submitted, ended; /* tasks of this kind; atomic */
    SinoCodelet *next;
};

/* The kind's codelet. Only the submitting thread calls it. SINO_FAILED: no memory. */
SinoStatus sino_codelet_find(SinoRuntime *runtime, const SinoTaskKind *kind, SinoCodelet **codelet);

/* Frees all codelets. Called after StarPU has stopped, since StarPU saves the models then. Those of a shared runtime
 * are kept, for StarPU goes on, and the next shared runtime takes them over. */
void sino_codelets_free(SinoRuntime *runtime);
void sino_codelets_take_over(SinoRuntime *runtime);

/* In a simulation: how long a task takes on a kind of processor. */
typedef struct SinoSimulatedTime {
    double us, error; /* us 0: not known yet */
    SinoCostSource source;
} SinoSimulatedTime;

/* A task's cl_arg: the SinoTask that the kind's function gets, followed by a copy of the arguments. */
typedef struct SinoTaskRecord {
    const SinoTaskKind *kind;
    SinoTask task;
    double work; /* and what follows: as of the request */
    double flops, effort;
    int64_t width;
    int precision;
    int64_t bytes; /* of its data, scratch left out */
    int64_t part_bytes, passed_bytes, file_bytes;
    uint32_t variant;          /* which data it reads and writes: a hash */
    double ready_us;           /* when the last task that it waits for had ended; 0: not known */
    double begin_us;           /* when its function was called; 0: not yet */
    double before_us;          /* since ready_us and the end of the worker's last task; negative: not known */
    double busy_us;            /* the thread's processor time then; negative: it was not asked */
    double took_us;            /* on a core: how long it ran; 0: not yet */
    SinoRecorded *recorded;    /* NULL: nobody asked for it */
    SinoPending *pending;      /* to which it belongs */
    int64_t release;           /* in a simulation: the number of its release */
    SinoSimulatedTime time[2]; /* on a core, on a CUDA device */
    _Alignas(16) char arguments[];
} SinoTaskRecord;

typedef struct SinoAccess {
    SinoData *data;
    SinoAccessMode mode;
} SinoAccess;

/* What a task accesses by its operands, in the order of the kind's table. */
typedef struct SinoAccesses {
    int count;
    SinoAccess *access; /* owned */
} SinoAccesses;

/* SINO_FAILED: an operand that is not optional is missing, or no memory. */
SinoStatus sino_operands_access(const SinoTaskKind *kind, const void *arguments, SinoAccesses *accesses);

/* Copies the lists of operands of a record's arguments behind the arguments. _bytes: what this takes. */
size_t sino_operands_list_bytes(const SinoTaskKind *kind, const void *arguments);
void sino_operands_copy_lists(SinoTaskRecord *record);

/* Replaces the data of a record's operands by what address_of finds in StarPU's descriptions of them. */
void sino_operands_bind(SinoTaskRecord *record, void **interface, void *(*address_of)(void *interface));

/* The record of a task; NULL: it is one of StarPU's own. */
const SinoTaskRecord *sino_task_record(const struct starpu_task *task);

/* Makes data without a StarPU handle, over memory that is not owned. */
SinoStatus sino_data_describe(const char *name, const void *memory, int64_t bytes, SinoData **data);

/* Tells the task graph and the recorder, if they are there, of a task or message that is about to be submitted, and of
 * the tasks that it waits for. *recorded stays if there is no recorder. SINO_FAILED: no memory. */
SinoStatus sino_dependencies_add(SinoRuntime *runtime, const char *name, SinoPosition position, int access_count,
                                 const SinoAccess *access, SinoRecorded **recorded);

/* The file of the task graph: DOT, with a node per task and an edge per dependency through data; or, if its name ends
 * in .jsonl, a line of JSON for all, and one for each task and each piece of data (docs/lab/archive.md). _begin: StarPU
 * has started; `settings` NULL: none. _node: the next task or message, before its edges; _submitted: the task is
 * complete. */
SinoStatus sino_task_graph_open(const char *path, bool overwrite, SinoTaskGraph **graph);
void sino_task_graph_begin(SinoTaskGraph *graph, const char *settings);
void sino_task_graph_node(SinoTaskGraph *graph, int64_t number, const char *name, SinoPosition position,
                          int access_count, const SinoAccess *access);
void sino_task_graph_edge(SinoTaskGraph *graph, int64_t from, int64_t to, const char *label);
void sino_task_graph_submitted(SinoTaskGraph *graph, struct starpu_task *task, int64_t priority);
SinoStatus sino_task_graph_close(SinoTaskGraph *graph); /* gives the final name; takes NULL */
void sino_task_graph_discard(SinoTaskGraph *graph);     /* removes the file; takes NULL */

/* Build the kernels of every OpenCL device that StarPU has started. sino_runtime_opencl: the kernels of the calling
 * worker's device. */
SinoStatus sino_opencl_devices_open(SinoRuntime *runtime);
void sino_opencl_devices_close(SinoRuntime *runtime); /* before StarPU stops */
SinoOpencl *sino_runtime_opencl(const SinoRuntime *runtime);

/* Before StarPU starts: limits it to 0.9 of the memory that is free on each CUDA device, unless the user has set a
 * limit. By itself it would take 0.9 of all memory, and ask for ever for memory that another process has.
 * _unlimit_memory undoes this after the start; `set`: as returned. */
uint64_t sino_cuda_limit_memory(void);
void sino_cuda_unlimit_memory(uint64_t set);

/* If GPUs compute: the workspace of CUDA kernels and the properties of the GPUs. */
SinoStatus sino_cuda_devices_open(SinoRuntime *runtime);
void sino_cuda_devices_close(SinoRuntime *runtime); /* before StarPU stops */

/* Recorder: what --trace and --profile=FILE write. _open creates the files in process 0, before StarPU starts;
 * SINO_BAD_INPUT: a file cannot be written. _begin: StarPU has started.
 * _close: collective, before StarPU stops; writes the files, also those of a failed run; consumes `status`, which is
 * how the run went, and returns it, or the failure of writing. _free discards files that were not written; takes NULL.
 */
SinoStatus sino_recorder_open(const SinoRuntimeRequest *request, SinoRecorder **recorder);
SinoStatus sino_recorder_begin(SinoRuntime *runtime);
void sino_recorder_align(SinoRecorder *recorder); /* called in all processes at the same time: the origin of times */
SinoStatus sino_recorder_close(SinoRuntime *runtime, SinoStatus status);
void sino_recorder_free(SinoRecorder *recorder);

/* The next task or message; then the tasks that it waits for. */
SinoStatus sino_recorder_add(SinoRecorder *recorder, const char *name, SinoPosition position, SinoRecorded **recorded);
SinoStatus sino_recorder_edge(SinoRecorder *recorder, int64_t from);

/* Completes a task, on the worker that has run it. */
void sino_recorder_ended(SinoRecorder *recorder, SinoRecorded *recorded, const struct starpu_task *task);

void sino_recorder_part_begin(SinoRecorder *recorder);
void sino_recorder_part_end(SinoRecorder *recorder, const char *name);
void sino_recorder_message(SinoRecorder *recorder, const char *name, double begin_us, int64_t bytes, int64_t process);

/* In a simulation; trivial in a usual program. _begin: StarPU has started, with its policy. _model: the model of a kind
 * of task. _submitted: a task is about to be. _ended: on the worker that has run a task. */
SinoStatus sino_simulation_begin(SinoRuntime *runtime);
void sino_simulation_end(SinoRuntime *runtime);
void sino_simulation_model(struct starpu_perfmodel *model);
void sino_simulation_submitted(struct starpu_task *task, const SinoAccesses *accesses);
void sino_simulation_ended(SinoRuntime *runtime, struct starpu_task *task);

/* Whether a task, which is about to be submitted, can run on a core, or on a device; *time: how long it takes there.
 * False in a usual program. */
bool sino_simulation_time(struct starpu_task *task, bool on_device, SinoSimulatedTime *time);

/* Bytes and number of transfers over each bus since StarPU has started, which StarPU itself forgets at each look. */
typedef struct SinoBusTotal {
    int64_t bytes, count;
} SinoBusTotal;
SinoStatus sino_transfers_new(SinoTransfers **transfers);             /* after StarPU's start */
void sino_transfers_free(SinoTransfers *transfers);                   /* takes NULL */
SinoBusTotal sino_transfers_total(SinoTransfers *transfers, int bus); /* from any thread */

/* Times of tasks, kept for later runs beside StarPU's models. _new: StarPU has started; `renew` forgets what is kept of
 * the models that the run uses. _ready: the task waits for no other any more. _begin: just before a task's function is
 * called. _end: on a core, just after it. _ended: the task has ended, on the worker that has run it. _close: after
 * StarPU has stopped; keeps them, and frees; takes NULL. */
SinoStatus sino_task_samples_new(bool renew, SinoTaskSamples **samples);
void sino_task_samples_ready(SinoTaskRecord *record);
void sino_task_samples_begin(SinoTaskRecord *record);
void sino_task_samples_end(SinoTaskRecord *record);
void sino_task_samples_ended(SinoTaskSamples *samples, const SinoCodelet *codelet, struct starpu_task *task);
void sino_task_samples_close(SinoTaskSamples *samples, const SinoModels *models, const char *policy);

/* StarPU's own trace by FxT, for a file that ends in .paje. _open: before StarPU starts; *fxt stays if no such file is
 * asked for. SINO_BAD_INPUT: StarPU has no FxT, or the file cannot be written. _close: after StarPU has stopped; writes
 * the file. _free discards a file that was not written. _close and _free take NULL. */
bool sino_fxt_is_meant(const char *path);
SinoStatus sino_fxt_open(const SinoRuntimeRequest *request, SinoFxt **fxt);
SinoStatus sino_fxt_close(SinoFxt *fxt);
void sino_fxt_free(SinoFxt *fxt);

/* The profile: times of tasks by name. */
SinoStatus sino_profile_begin(SinoRuntime *runtime); /* after StarPU's start */
void sino_profile_free(SinoProfile *profile);        /* takes NULL */
void sino_profile_ended(SinoProfile *profile, const struct starpu_task *task);

/* A message in flight, from the time when its data are ready. NULL without a profile, or if there is no memory. When
 * the message has arrived, sino_profile_landed takes it. */
typedef struct SinoFlight SinoFlight;
SinoFlight *sino_profile_flight(SinoRuntime *runtime, const char *name, int64_t process, SinoData *data);
void sino_profile_landed(void *flight);

/* All messages that this process has sent, of all parts of the run. */
SinoSimulatedMessages sino_profile_messages(SinoProfile *profile);
