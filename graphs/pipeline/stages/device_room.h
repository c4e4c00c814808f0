/* SPDX-License-Identifier: BSD-3-Clause */
/* Device room: the memory of the devices that compute, and whether a task fits there.
 *
 * A device computes one task while the data of the next are being copied, so the data of two tasks must fit at once.
 * StarPU evicts all other data. */
#pragma once

#include "runtime.h"

typedef struct SinoDeviceRoom {
    int64_t bytes;         /* memory of the smallest device; 0: no device computes, or the size is not known */
    int64_t count;         /* devices that compute */
    int64_t held_bytes[2]; /* unusable memory (sino_runtime_device_held) for small data [0], larger data [1] */
    int64_t slices; /* slices of a minibatch that suits CUDA GPUs; 0: other devices, for which it is as for cores */
} SinoDeviceRoom;

/* The room of `count` devices with `bytes` of memory each. */
SinoDeviceRoom sino_device_room_of(bool cuda, int64_t count, int64_t bytes);

/* The room of the devices in use. */
SinoDeviceRoom sino_device_room(const SinoRuntime *runtime);

/* Device memory of two tasks, each with data of `lists` and `vectors` bytes, and of the memory that StarPU holds
 * back. */
int64_t sino_device_room_of_tasks(const SinoDeviceRoom *room, int64_t lists, int64_t vectors);

/* Device memory that StarPU holds back from data of these sizes. */
int64_t sino_device_room_held(const SinoDeviceRoom *room, int64_t lists, int64_t vectors);

/* Whether there are devices and a task with `bytes` of data fits each device beside the data of the next task. */
bool sino_device_takes(const SinoRuntime *runtime, int64_t bytes);
