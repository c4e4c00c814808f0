/* SPDX-License-Identifier: BSD-3-Clause */
/* Recorder: what happens to every task of a run, for --trace and --profile=FILE. Private to tasks/runtime.
 *
 * 72 bytes for a task, and 4 for each task that it waits for, in memory until the run has ended. The submitting thread
 * appends tasks; the worker that runs one completes it. */
#pragma once

#include "files.h"
#include "runtime_private.h"

enum { SINO_RECORD_CHUNK = 4096, SINO_PART_NAME_BYTES = 24 };

/* A task, or a message, which has no worker. Times by StarPU's clock. */
struct SinoRecorded {
    const char *name;
    double begin_us, end_us;
    double flops;
    int64_t bytes; /* of the data that it accesses */
    int32_t slab, minibatch, partition, iteration;
    float fetch_us, fetch_before_us; /* how long it waited for its data; that began so long before end_us */
    uint32_t first_edge;             /* its predecessors follow in `edge`, up to the next task's */
    uint32_t worker : 12;            /* + 1; 0: it has not run */
    uint32_t precision : 3;          /* as of SinoTaskRequest */
    uint32_t part_number : 17;
};

/* Time of a worker within a part, in µs. */
typedef struct SinoWorkerTimes {
    double measured, idle; /* as StarPU tells */
    double fetch;          /* waiting for data of tasks that are about to begin; written by the worker */
} SinoWorkerTimes;

/* A part of the run: what sino_runtime_profile_begin and _report enclose. Part 0 is what lies outside of parts. */
typedef struct SinoRecordedPart {
    char name[SINO_PART_NAME_BYTES]; /* "": it was given up */
    double begin_us, end_us;
    unsigned number;
    SinoWorkerTimes *worker; /* [worker_count] */
    struct SinoRecordedPart *next;
} SinoRecordedPart;

/* A message from its sender's data being ready to its arrival. */
typedef struct SinoRecordedMessage {
    const char *name;
    double begin_us, end_us;
    int64_t bytes, process;
} SinoRecordedMessage;

/* Number of values in a sample: the time in µs, the bytes of data, then the used bytes of each memory node (−1: not
 * known), then the bytes that each bus has carried. */
enum { SINO_SAMPLE_TIME, SINO_SAMPLE_DATA, SINO_SAMPLE_NODES };

struct SinoRecorder {
    SinoRuntime *runtime; /* not owned */
    SinoOutputFile *trace, *profile;
    bool wants_trace, wants_profile, begun;
    char *settings;   /* NULL: none */
    double origin_us; /* the common start of all processes */
    int64_t worker_count, node_count, bus_count;
    SinoRecorded **chunk; /* [⌈task_count/CHUNK⌉] */
    int64_t task_count, chunk_capacity;
    uint32_t *edge;
    int64_t edge_count, edge_capacity;
    SinoRecordedPart *first_part, *part; /* part: the one that goes on; atomic */
    pthread_mutex_t mutex;               /* of what follows */
    SinoRecordedMessage *message;
    int64_t message_count, message_capacity;
    int64_t *sample; /* [sample_count][sample_width] */
    int64_t sample_count, sample_width;
    double sample_step_us;
    int64_t next_sample_us; /* atomic */
    int64_t *most;          /* [sample_width] the largest values seen */
    double bound_s;         /* StarPU's own lower bound; 0: not known */
};

static inline struct SinoRecorded *sino_recorder_task(const struct SinoRecorder *recorder, int64_t number)
{
    return &recorder->chunk[number / SINO_RECORD_CHUNK][number % SINO_RECORD_CHUNK];
}

/* Removes overlaps on a worker: a device's task begins when the one before has ended. Called once, after the run. */
SinoStatus sino_recorder_settle(SinoRecorder *recorder);

/* Write what this process has recorded: events of a trace, separated by ",\n"; an object of a profile's `ranks`. */
SinoStatus sino_recorder_print_trace(const SinoRecorder *recorder, FILE *out);
SinoStatus sino_recorder_print_profile(const SinoRecorder *recorder, FILE *out);
