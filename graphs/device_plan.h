/* SPDX-License-Identifier: BSD-3-Clause */
/* Device plan: partitions and minibatches that fit the memory of a device.
 *
 * A device computes one task while the data of the next are on their way, so the data of two tasks have to fit at once;
 * whatever else is there StarPU evicts. Slices of a minibatch and the lists of a partition make a task small enough. */
#ifndef SINO_DEVICE_PLAN_H
#define SINO_DEVICE_PLAN_H

#include "operator.h"
#include "settings.h"
#include "solver.h"

/* What the plan has to respect. */
typedef struct SinoDeviceRoom {
    int64_t bytes;           /* memory of the smallest device; 0: no device computes, or it is not known */
    int64_t count;           /* devices; 0: none computes */
    int64_t held_bytes[2];   /* what StarPU holds beside small data, and beside larger ones */
    int64_t slices;          /* of a minibatch that suits them; 0: as for cores */
    int64_t partition_count; /* of the operator; 0: it is not built yet */
    int64_t lists_bytes;     /* all lists of the operator in main memory; 0: not known yet */
    int64_t block_bytes;     /* of them the largest partition's of one direction, likewise */
} SinoDeviceRoom;

/* Of the devices in use; `op` NULL: it is not built yet. */
SinoDeviceRoom sino_device_room(const SinoRuntime *runtime, const SinoOperator *op);

/* Whether there are devices, and a task with so much data fits each beside the data of the next one. */
bool sino_device_takes(const SinoRuntime *runtime, int64_t bytes);

/* Bytes of all lists of an operator of so many bytes: an upper bound, before they are made. */
int64_t sino_device_estimate_lists(int64_t operator_bytes);

/* Raises *partition_count and lowers *minibatch until the tasks fit, as far as the settings leave them open and the
 * operator is not built yet. SINO_BAD_INPUT, with the sizes, when they do not fit. */
SinoStatus sino_device_plan(const SinoSettings *settings, const SinoGeometry *geometry, const SinoSolver *solver,
                            const SinoDeviceRoom *room, int64_t operator_bytes, int64_t *partition_count,
                            int64_t *minibatch);

#endif
