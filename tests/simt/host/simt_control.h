/* SPDX-License-Identifier: BSD-3-Clause */
/* SIMT control: how the host runs kernels that were compiled with SINO_SIMT_HOST (simt_host.h), for tests in C.
 *
 * Threads of a block are fibers, which one after the other run until they wait or return; blocks run one after the
 * other, too. The order of both is chosen here, so that a kernel that relies on one shows. A kernel that fails –
 * threads that miss a barrier, or lanes a warp's function; more shared memory than there is, or than was asked for –
 * makes its launcher fail with a text that says so. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SimtOrder { SIMT_ASCENDING, SIMT_DESCENDING, SIMT_RANDOM } SimtOrder;

/* For launches from now on; random until then, with seed 1. Every launch goes on from the last one's random numbers. */
void simt_set_order(SimtOrder order, uint64_t seed);

#ifdef __cplusplus
}
#endif
