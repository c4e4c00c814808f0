/* SPDX-License-Identifier: BSD-3-Clause */
/* Device plan: whether the largest task of each kind fits a device's memory (device_room.h), and the size of the lists
 * that devices gather from. */
#pragma once

#include "machine_rates.h"
#include "solver.h"

/* Bytes of the largest data of any task on a device. */
typedef struct SinoDeviceNeed {
    int64_t lists;   /* lists of one partition and direction */
    int64_t vectors; /* vectors that one task accesses */
} SinoDeviceNeed;

/* The largest data of a task, with a minibatch of the given size. */
SinoDeviceNeed sino_device_need(const SinoVectors *vectors, const SinoOperatorSize *size, SinoBatch batch);

/* Upper bound of the bytes of all lists of an operator whose blocks have operator_bytes. */
int64_t sino_device_estimate_lists(int64_t operator_bytes);

/* The error of a task that does not fit a device: always SINO_BAD_INPUT, with the sizes in the text. */
SinoStatus sino_device_too_small(const SinoDeviceRoom *room, SinoDeviceNeed need, int64_t partition_count,
                                 int64_t minibatch);
