/* SPDX-License-Identifier: BSD-3-Clause */
/* Failure: keeps the first failure of a task, after which tasks return without working. */
#include "runtime_private.h"

void sino_runtime_fail(SinoRuntime *runtime, SinoStatus status)
{
    if (!status) return;
    pthread_mutex_lock(&runtime->mutex);
    const bool first = !runtime->failure;
    if (first) {
        runtime->failure = status;
        __atomic_store_n(&runtime->failed, true, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&runtime->mutex);
    if (!first) sino_status_free(status);
}

bool sino_runtime_failed(const SinoRuntime *runtime)
{
    return __atomic_load_n(&runtime->failed, __ATOMIC_ACQUIRE);
}
