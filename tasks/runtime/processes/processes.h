/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes: the processes (ranks) of one MPI job, and collective operations on small values. Without MPI, or without a
 * launcher, there is one process; a NULL pointer stands for it too.
 *
 * All functions except rank, count, pass, abort and end are collective: every process calls them in the same order,
 * from the thread that submits tasks. They wait for the other processes; tasks and messages in flight go on meanwhile.
 */
#pragma once

#include "status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct SinoProcesses SinoProcesses;

/* Joins the processes of the launcher (launcher.h), if there is one that may have started several. SINO_BAD_INPUT: the
 * launcher started several processes, but MPI joins another number of them, or the program was built without MPI; the
 * error has a text in the launcher's process 0 only. SINO_FAILED: this MPI library supports one thread only. */
SinoStatus sino_processes_start(SinoProcesses **processes);

/* Collective. From now on until all of them stop, each process gives the next one signs of life, from a thread of its
 * own, and ends all of them with exit code 1 when the one before it has given none for limit_s, whatever it waits for.
 * limit_s 0: never. SINO_FAILED: no thread or memory. */
SinoStatus sino_processes_watch(SinoProcesses *processes, double limit_s);

/* Waits until every process stops. Takes NULL. */
void sino_processes_stop(SinoProcesses *processes);

int64_t sino_processes_rank(const SinoProcesses *processes);
int64_t sino_processes_count(const SinoProcesses *processes);

/* Succeeds if `status` is a success in every process. Otherwise all get an error: the failed process of the lowest rank
 * keeps its own, the others get an error of its kind without a text, so that one process prints it. Consumes the
 * status. */
SinoStatus sino_processes_agree(SinoProcesses *processes, SinoStatus status);

/* Prints the error, and what is complete, and ends every process at once, with the error's exit code (ending.h). For
 * failures after which other processes would wait for ever. */
void sino_processes_abort(SinoProcesses *processes, SinoStatus status) __attribute__((noreturn));

/* Ends every process at once with this exit code, also while other threads of this one are stuck. Prints nothing.
 * Called from any thread. */
void sino_processes_end(SinoProcesses *processes, int exit_code) __attribute__((noreturn));

/* Sends process 0's `bytes` bytes at `memory` to all processes. */
SinoStatus sino_processes_broadcast(SinoProcesses *processes, int64_t bytes, void *memory);

/* Sets *value in all processes to the least, or largest, of their values. */
SinoStatus sino_processes_least(SinoProcesses *processes, int64_t *value);
SinoStatus sino_processes_largest(SinoProcesses *processes, int64_t *value);

/* Sums the elements of value[count] over processes; process 0 gets the sums. In other processes `value` is undefined
 * afterwards. */
SinoStatus sino_processes_sum_doubles(SinoProcesses *processes, int64_t count, double *value);
SinoStatus sino_processes_sum_floats(SinoProcesses *processes, int64_t count, float *value);
SinoStatus sino_processes_sum_integers(SinoProcesses *processes, int64_t count, int64_t *value);

/* The same with the largest of the processes' elements. */
SinoStatus sino_processes_largest_floats(SinoProcesses *processes, int64_t count, float *value);

/* Each process contributes `bytes` bytes; all processes get all[process][bytes]. */
SinoStatus sino_processes_gather(SinoProcesses *processes, int64_t bytes, const void *own, void *all);

/* Process `from`, which is not 0, sends `bytes` bytes at `own` to process 0, which receives them at `received`. The
 * other processes do nothing. */
SinoStatus sino_processes_collect(SinoProcesses *processes, int64_t from, int64_t bytes, const void *own,
                                  void *received);

/* Every process sends a list to every process, itself included: send_count[i] values at send[i] go to process i, and
 * receive_count[i] values from process i arrive at receive[i]. */
SinoStatus sino_processes_exchange(SinoProcesses *processes, const int64_t *send_count, const uint32_t *const *send,
                                   const int64_t *receive_count, uint32_t *const *receive);

typedef struct SinoPassage {
    int64_t to, send_bytes; /* the process that receives */
    const void *send;
    int64_t from, receive_bytes; /* the process that sends */
    void *receive;
    bool addresses; /* in a simulation nobody reads the bytes, which take their time but are not copied */
} SinoPassage;

/* Sends to one process while it receives from another; each of them calls with the same number of bytes. */
SinoStatus sino_processes_pass(SinoProcesses *processes, const SinoPassage *passage);

/* Ring: some of the processes of a job, of which each sends to the next one and receives from the one before. Each byte
 * goes round once, so that every link carries as many bytes, whatever the number of processes. */

enum { SINO_RING_MAX = 32 };

typedef struct SinoRing {
    int64_t count;       /* its processes; 0 or 1: this one is alone */
    int64_t own;         /* this one's number among them */
    int64_t first, step; /* number i is process first + i · step of the job */
} SinoRing;

/* The processes of a ring call these functions alike, from the thread that submits tasks; others call none of them. */

/* Process i has bytes[i] bytes, this one at memory[own]; the others arrive at memory[i]. `addresses`: in a simulation
 * nobody reads these bytes, and they only take their time. */
SinoStatus sino_ring_share(SinoProcesses *processes, const SinoRing *ring, const int64_t *bytes, void *const *memory,
                           bool addresses);

/* Each contributes `bytes` bytes; all get all[i][bytes]. */
SinoStatus sino_ring_gather(SinoProcesses *processes, const SinoRing *ring, int64_t bytes, const void *own, void *all);

/* Succeeds if `status` is a success in every process of the ring. Otherwise those that have not failed get an error
 * without a text. Consumes the status. */
SinoStatus sino_ring_agree(SinoProcesses *processes, const SinoRing *ring, SinoStatus status);
