/* SPDX-License-Identifier: BSD-3-Clause */
/* Ring: some of the processes of a job, of which each sends to the next one and receives from the one before. Each byte
 * goes round once, so that every link carries as many bytes, whatever the number of processes. */
#pragma once

#include "processes.h"

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
