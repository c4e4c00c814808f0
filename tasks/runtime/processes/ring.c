/* SPDX-License-Identifier: BSD-3-Clause */
/* Ring: some of the processes of a job, of which each sends to the next one. */
#include "processes.h"

#include <assert.h>
#include <string.h>

SinoStatus sino_ring_share(SinoProcesses *processes, const SinoRing *ring, const int64_t *bytes, void *const *memory,
                           bool addresses)
{
    const int64_t count = ring->count;
    SinoPassage passage = {.to = ring->first + (ring->own + 1) % count * ring->step,
                           .from = ring->first + (ring->own + count - 1) % count * ring->step,
                           .addresses = addresses};
    for (int64_t k = 0; k + 1 < count; k++) {
        const int64_t out = (ring->own + count - k) % count, in = (out + count - 1) % count;
        passage.send_bytes = bytes[out];
        passage.send = memory[out];
        passage.receive_bytes = bytes[in];
        passage.receive = memory[in];
        SINO_TRY(sino_processes_pass(processes, &passage));
    }
    return NULL;
}

SinoStatus sino_ring_gather(SinoProcesses *processes, const SinoRing *ring, int64_t bytes, const void *own, void *all)
{
    int64_t size[SINO_RING_MAX];
    void *memory[SINO_RING_MAX];
    assert(ring->count <= SINO_RING_MAX);
    for (int64_t i = 0; i < ring->count; i++) {
        size[i] = bytes;
        memory[i] = (char *)all + i * bytes;
    }
    memcpy(memory[ring->own], own, (size_t)bytes);
    return sino_ring_share(processes, ring, size, memory, false);
}

SinoStatus sino_ring_agree(SinoProcesses *processes, const SinoRing *ring, SinoStatus status)
{
    const int own = sino_status_exit_code(status);
    int all[SINO_RING_MAX] = {0}, failed = 0;
    if (ring->count < 2) return status;
    SinoStatus failure = sino_ring_gather(processes, ring, sizeof own, &own, all);
    if (status) {
        sino_status_free(failure);
        return status;
    }
    SINO_TRY(failure);
    for (int64_t i = 0; i < ring->count; i++)
        if (all[i] != 0) failed = all[i];
    return failed ? sino_error_told((SinoErrorKind)failed) : NULL;
}
