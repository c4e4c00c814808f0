/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfers: bytes and number of transfers over each bus, which StarPU forgets at each look. */
#include "memory.h"
#include "runtime_private.h"

#include <stdlib.h>

struct SinoTransfers {
    pthread_mutex_t mutex;
    SinoBusTotal total[]; /* [number of buses] */
};

SinoStatus sino_transfers_new(SinoTransfers **result)
{
    const size_t bytes = sizeof(SinoTransfers) + (size_t)starpu_bus_get_count() * sizeof(SinoBusTotal);
    SINO_TRY(sino_allocate(1, bytes, "counters of transfers", result));
    pthread_mutex_init(&(*result)->mutex, NULL);
    return NULL;
}

void sino_transfers_free(SinoTransfers *transfers)
{
    if (!transfers) return;
    pthread_mutex_destroy(&transfers->mutex);
    free(transfers);
}

SinoBusTotal sino_transfers_total(SinoTransfers *transfers, int bus)
{
    struct starpu_profiling_bus_info since;
    pthread_mutex_lock(&transfers->mutex);
    if (starpu_bus_get_profiling_info(bus, &since) == 0) {
        transfers->total[bus].bytes += since.transferred_bytes;
        transfers->total[bus].count += since.transfer_count;
    }
    const SinoBusTotal total = transfers->total[bus];
    pthread_mutex_unlock(&transfers->mutex);
    return total;
}
