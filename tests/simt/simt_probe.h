/* SPDX-License-Identifier: BSD-3-Clause */
/* SIMT probe: small kernels that show what the wrappers of codelets/devices/simt.h do, on a GPU and on the host. */
#pragma once

#include "status.h"

#include <stdbool.h>
#include <stdint.h>

enum { PROBE_THREADS = 96 }; /* of a block: three warps */

/* sum[block] = Σ of the block's PROBE_THREADS values, by shared memory and barriers; total: of all blocks, by an
 * atomic. */
SinoStatus probe_sum(int blocks, const int *value, int *sum, int *total);

/* Shuffles of one warp's values: result[5][32] = from lane 3 of each eight, xor 5, down 3 of sixteen, up 2, ballot of
 * odd. */
SinoStatus probe_shuffle(const int *value, int *result);

/* One warp. fragment[32][4] of ldmatrix on 32 rows of 8 halves; then by shuffles. */
SinoStatus probe_ldmatrix(const uint16_t *matrix, bool transposed, bool by_shuffles, uint32_t *fragment);

/* One warp. c[16][8] += a[16][16] b[16][8], fragments made by the rules of PTX. */
SinoStatus probe_mma(const uint16_t *a, const uint16_t *b, bool by_shuffles, float *c);

/* to[tile][PROBE_THREADS·4] = from, tile by tile through two stages of shared memory, reversed in each tile. */
SinoStatus probe_copy(int tiles, const float *from, float *to);

/* to[i] = half of from[i], and the pair's other half times two. */
SinoStatus probe_half(int count, const float *from, uint16_t *to, float *back);

/* Kernels with faults; on the host only. */
typedef enum ProbeFault {
    PROBE_MISSED_BARRIER,  /* half the threads return before it */
    PROBE_OTHER_BARRIER,   /* two barriers at a time */
    PROBE_MISSED_SHUFFLE,  /* half the lanes of a full mask */
    PROBE_SHARED_OVERRUN,  /* one element beyond the dynamic shared memory */
    PROBE_SHARED_TOO_MUCH, /* more than there is */
    PROBE_UNWAITED_COPY    /* nothing waits for a copy */
} ProbeFault;
SinoStatus probe_fault(ProbeFault fault, float *memory);

/* A race: thread i + 1 takes what thread i wrote, without a barrier. */
SinoStatus probe_race(int *value);
