/* SPDX-License-Identifier: BSD-3-Clause */
/* Runtime, inside: shared by runtime.c, data.c, submit.c, task_graph.c and profile.c. */
#ifndef SINO_RUNTIME_PRIVATE_H
#define SINO_RUNTIME_PRIVATE_H

#include "runtime.h"

#include <pthread.h>

typedef struct SinoTaskGraph SinoTaskGraph;
typedef struct SinoProfile SinoProfile;

struct SinoRuntime {
    SinoLog *log;             /* not owned */
    SinoProcesses *processes; /* not owned */
    char scheduler[32];
    bool buckets;        /* the policy is heteroprio, for which a priority is a bucket (device_choice.h) */
    unsigned devices;    /* in use: bits of device.h */
    SinoData *workspace; /* of CUDA's kernels; NULL: no GPU computes */
    SinoSpmmDevice gpu[STARPU_NMAXWORKERS]; /* by StarPU's number of the CUDA device */
    SinoOpencl *opencl[STARPU_NMAXWORKERS]; /* by StarPU's number of the OpenCL device; NULL: not there */
    pthread_mutex_t mutex;
    SinoStatus failure;
    bool failed; /* read without the mutex */
    double total_work, done_work, begin_s;
    int64_t slab_count;
    SinoTaskGraph *graph; /* NULL: not asked for */
    SinoProfile *profile; /* NULL: not asked for */
    char *models;         /* temporary directory of StarPU's models; NULL: they are kept */
};

/* A directory for StarPU's models, before it starts: the user's own, else a temporary one, which is then owned.
 * SINO_BAD_INPUT: STARPU_PERF_MODEL_DIR cannot be written. */
SinoStatus sino_model_directory_choose(SinoLog *log, char **temporary);
void sino_model_directory_remove(char *temporary); /* takes NULL */

struct SinoData {
    starpu_data_handle_t handle;
    void *memory;  /* NULL: void or scratch */
    bool borrowed; /* the memory is not owned */
    int64_t bytes;
    const char *name; /* constant */
    int64_t number;   /* tells data of one name apart */
    /* what the task graph knows: the task that wrote last, and those that have read since */
    int64_t writer;
    int64_t *reader;
    int64_t reader_count, reader_capacity;
};

/* Data without its handle, over memory that is not owned. */
SinoStatus sino_data_describe(const char *name, const void *memory, int64_t bytes, SinoData **data);

/* The DOT file: a node per task, an edge per dependency through data. */
SinoStatus sino_task_graph_open(const char *path, SinoTaskGraph **graph);
SinoStatus sino_task_graph_add(SinoTaskGraph *graph, const char *name, SinoPosition position, int access_count,
                               const SinoAccess *access);
SinoStatus sino_task_graph_close(SinoTaskGraph *graph); /* gives the final name; takes NULL */
void sino_task_graph_discard(SinoTaskGraph *graph);     /* removes the file; takes NULL */

/* The kernels of every OpenCL device that StarPU has started. */
SinoStatus sino_opencl_devices_open(SinoRuntime *runtime);
void sino_opencl_devices_close(SinoRuntime *runtime); /* before StarPU stops */

/* What CUDA's kernels need beside their data, when GPUs compute. */
SinoStatus sino_cuda_devices_open(SinoRuntime *runtime);
void sino_cuda_devices_close(SinoRuntime *runtime); /* before StarPU stops */

/* Times of tasks by name. */
SinoStatus sino_profile_new(SinoProfile **profile);
void sino_profile_free(SinoProfile *profile); /* takes NULL */
void sino_profile_watch(SinoRuntime *runtime, struct starpu_task *task);

/* A message on its way from when its data are ready; NULL without a profile, or without memory for it. When it has
 * arrived, sino_profile_landed takes it. */
typedef struct SinoFlight SinoFlight;
SinoFlight *sino_profile_flight(SinoRuntime *runtime, const char *name, SinoData *data);
void sino_profile_landed(void *flight);

#endif
