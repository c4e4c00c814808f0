/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, devices: arrays of a caller on CUDA devices, of which a call uses a copy in main memory. */
#pragma once

#include "sinodag.h"
#include "status.h"

#include <stdbool.h>

/* `what` names an array in messages. SINO_BAD_INPUT: its device is none that there is. */
SinoStatus sino_library_check_device(const char *what, const SinodagArray *array);

/* An array of a caller as one in main memory: that array itself, or a copy of what lies on a device. */
typedef struct SinoBrought {
    SinodagArray array;
    const char *what;
    const SinodagArray *from; /* of the caller; not owned */
    void *memory;             /* of the copy; owned; NULL: there is none */
} SinoBrought;

/* Makes the copy of an array whose type and sizes have been checked; `output`: its elements will be written, and are
 * not copied here. SINO_BAD_INPUT: as of sino_device_array_check; SINO_FAILED: no memory, an error of CUDA; *brought is
 * then to be forgotten as after success. */
SinoStatus sino_library_bring(const char *what, const SinodagArray *array, bool output, SinoBrought *brought);

/* Copies what has been written to the caller's array, if it lies on a device. SINO_FAILED: an error of CUDA. */
SinoStatus sino_library_give(const SinoBrought *brought);

void sino_library_forget(SinoBrought *brought); /* takes one that is 0 */
