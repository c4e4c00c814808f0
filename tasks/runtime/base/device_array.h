/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of a caller on a CUDA device, whose elements are copied to and from main memory; no task uses them there. */
#pragma once

#include "status.h"

#include <stdbool.h>
#include <stdint.h>

enum { SINO_DEVICE_ARRAY_DIMENSIONS = 4 };

/* Element (i, j, k, l) is i·step[0] + j·step[1] + k·step[2] + l·step[3] elements after the first. Steps may be
 * negative, or 0. */
typedef struct SinoDeviceArray {
    void *first; /* on the device; not owned */
    int64_t element_bytes;
    int64_t size[SINO_DEVICE_ARRAY_DIMENSIONS]; /* ≥ 1 */
    int64_t step[SINO_DEVICE_ARRAY_DIMENSIONS];
} SinoDeviceArray;

/* The same elements in main memory without gaps: the dimensions follow each other as they do on the device, and have
 * the same directions, so that a copy has long lines. */
typedef struct SinoDevicePacked {
    int64_t count; /* elements */
    int64_t first; /* number of element (0, 0, 0, 0) among them */
    int64_t step[SINO_DEVICE_ARRAY_DIMENSIONS];
} SinoDevicePacked;

SinoDevicePacked sino_device_array_pack(const SinoDeviceArray *array);

/* `what` names the array in messages. SINO_BAD_INPUT: this program was built without CUDA; the first element does not
 * lie on a device; the array is longer than an address. SINO_FAILED: CUDA has no device or no driver. */
SinoStatus sino_device_array_check(const char *what, const SinoDeviceArray *array);

/* Copies all elements from `memory`, which is packed, to the device, or back; `array` was checked. Waits for all that
 * the device was to do before, and for the copies. SINO_FAILED: an error of CUDA. */
SinoStatus sino_device_array_copy(const char *what, const SinoDeviceArray *array, bool to_device, void *memory);
