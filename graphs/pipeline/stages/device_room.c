/* SPDX-License-Identifier: BSD-3-Clause */
/* Device room: the memory of the devices that compute, and whether a task fits there. */
#include "device_room.h"

enum { TASKS_AT_ONCE = 2 };

/* With this minibatch, each length that a GPU reads from its memory serves 64 slices. */
enum { CUDA_MINIBATCH = 64 };

SinoDeviceRoom sino_device_room_of(bool cuda, int64_t count, int64_t bytes)
{
    return (SinoDeviceRoom){.bytes = bytes,
                            .count = count,
                            .held_bytes = {sino_device_held(cuda, SINO_SMALL_DATA_BYTES),
                                           sino_device_held(cuda, SINO_SMALL_DATA_BYTES + 1)},
                            .slices = cuda ? CUDA_MINIBATCH : 0};
}

SinoDeviceRoom sino_device_room(const SinoRuntime *runtime)
{
    const bool cuda = sino_runtime_devices(runtime) & SINO_DEVICE_CUDA;
    return sino_device_room_of(cuda, sino_runtime_device_count(runtime), sino_runtime_device_bytes(runtime));
}

int64_t sino_device_room_held(const SinoDeviceRoom *room, int64_t lists, int64_t vectors)
{
    return room->held_bytes[(lists > vectors ? lists : vectors) > SINO_SMALL_DATA_BYTES];
}

int64_t sino_device_room_of_tasks(const SinoDeviceRoom *room, int64_t lists, int64_t vectors)
{
    return TASKS_AT_ONCE * (lists + vectors) + sino_device_room_held(room, lists, vectors);
}

bool sino_device_takes(const SinoRuntime *runtime, int64_t bytes)
{
    const SinoDeviceRoom room = sino_device_room(runtime);
    return room.count > 0 && (room.bytes == 0 || sino_device_room_of_tasks(&room, 0, bytes) <= room.bytes);
}
