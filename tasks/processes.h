/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes: those that one MPI job has started, and what they agree on. With a build without MPI, or without a
 * launcher, there is one; NULL stands for it too.
 *
 * All functions but rank, count and abort are collective: every process calls them, in the same order, from the thread
 * that submits tasks. They wait for each other, while tasks and messages in flight go on. */
#ifndef SINO_PROCESSES_H
#define SINO_PROCESSES_H

#include "status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct SinoProcesses SinoProcesses;

/* SINO_BAD_INPUT: started as several processes, but built without MPI. SINO_FAILED: this MPI serves one thread only. */
SinoStatus sino_processes_start(SinoProcesses **processes);
void sino_processes_stop(SinoProcesses *processes); /* takes NULL */

int64_t sino_processes_rank(const SinoProcesses *processes);
int64_t sino_processes_count(const SinoProcesses *processes);

/* Whether all have succeeded so far. If not, all get an error: the lowest process that has one keeps it, the others
 * get its kind, without a text: it is told once. Consumes the status. */
SinoStatus sino_processes_agree(SinoProcesses *processes, SinoStatus status);

/* Ends every process at once, with this exit code: for failures that leave others waiting. Tells the error. */
void sino_processes_abort(SinoProcesses *processes, SinoStatus status) __attribute__((noreturn));

/* Process 0's bytes to all. */
SinoStatus sino_processes_broadcast(SinoProcesses *processes, int64_t bytes, void *memory);

/* The least, or the largest, of everybody's value, to all. */
SinoStatus sino_processes_least(SinoProcesses *processes, int64_t *value);
SinoStatus sino_processes_largest(SinoProcesses *processes, int64_t *value);

/* Sums over processes, element by element, to process 0; what the others have afterwards is not defined. */
SinoStatus sino_processes_sum_doubles(SinoProcesses *processes, int64_t count, double *value);
SinoStatus sino_processes_sum_floats(SinoProcesses *processes, int64_t count, float *value);
SinoStatus sino_processes_sum_integers(SinoProcesses *processes, int64_t count, int64_t *value);

/* Everybody's `bytes` bytes, one after another by process, to all: all[count][bytes]. */
SinoStatus sino_processes_gather(SinoProcesses *processes, int64_t bytes, const void *own, void *all);

/* One list from each process to each: lists for process i are send_count[i] values at send[i]; those from process i,
 * receive_count[i] values, to receive[i]. A process may have a list for itself. */
SinoStatus sino_processes_exchange(SinoProcesses *processes, const int64_t *send_count, const uint32_t *const *send,
                                   const int64_t *receive_count, uint32_t *const *receive);

#endif
