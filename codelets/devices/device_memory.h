/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of CUDA devices: how much is left; memory that a caller has allocated, and copies between it and main memory.
 * `what` names in messages what lies there. */
#pragma once

#include "status.h"

#include <stdbool.h>
#include <stdint.h>

/* The bytes of a device that no process holds. false: CUDA has no such device, or this program was built without it. */
bool sino_device_memory_left(int device, int64_t *bytes);

/* Peak of a device's memory in 10⁹ bytes per second; 0: CUDA does not tell it, or has no such device. */
double sino_device_memory_gbps(int device);

/* The device that has the byte at this address. SINO_BAD_INPUT: no device has, or this program was built without CUDA.
 * SINO_FAILED: CUDA has no device or no driver. */
SinoStatus sino_device_memory_find(const char *what, const void *address, int *device);

/* Begins copies: waits for all that a device was to do, and makes it the current one of this thread; *before: which
 * that was. SINO_FAILED: an error of CUDA. */
SinoStatus sino_device_memory_enter(const char *what, int device, int *before);

/* Ends copies: waits for them. SINO_FAILED: an error of CUDA, of a copy, too. */
SinoStatus sino_device_memory_leave(const char *what, int before);

/* The longest pitch of a rectangle of several rows (cudaDevAttrMaxPitch). */
#define SINO_DEVICE_PITCH_MAX INT32_MAX

typedef struct SinoDeviceRectangle {
    char *device, *host;                 /* not owned; on the host rows follow each other */
    int64_t row_bytes, row_count, pitch; /* pitch ≥ row_bytes: from row to row on the device */
    bool to_device;
} SinoDeviceRectangle;

/* Begins the copy of a rectangle, in the order of the legacy default stream. SINO_FAILED: an error of CUDA. */
SinoStatus sino_device_memory_copy(const char *what, const SinoDeviceRectangle *rectangle);
