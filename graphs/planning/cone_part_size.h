/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone part size: how large the parts of a cone-beam run are (cone_streaming.h), for the cores and devices that
 * compute. The volume does not depend on it: every voxel gets the same sums in the same order. */
#pragma once

#include "cone_streaming.h"
#include "machine_rates.h"

/* Sets part_voxels and band_rows of a division whose grid, slabs, symmetry and images are known.
 * Cores get bands of few rows, so that no worker waits for another's part. A device needs about 10⁹ updates for each
 * launch, and bands of whole blocks of threads: where devices compute, parts of all are as large as those, unless that
 * leaves devices without parts, or two tasks do not fit a device. */
void sino_cone_part_size(const SinoCone *cone, const SinoMachine *machine, SinoConeStreaming *streaming);

/* Bytes of the data of tasks on a device, of the row of ranks that needs most. */
typedef struct SinoConeDeviceNeed {
    int64_t part;     /* the largest part */
    int64_t piece;    /* a piece's lines */
    int64_t lines;    /* a block of lines */
    int64_t image;    /* slices that are stored together */
    int64_t sinogram; /* a piece of projections */
    int64_t task;     /* the most that one task accesses */
} SinoConeDeviceNeed;

SinoConeDeviceNeed sino_cone_device_need(const SinoCone *cone, const SinoConeStreaming *streaming);

/* Whether two tasks fit each device, or no device computes. */
bool sino_cone_fits_devices(const SinoCone *cone, const SinoMachine *machine, const SinoConeStreaming *streaming);

/* The error of a run of which no division fits the devices: always SINO_BAD_INPUT, with the sizes in the text. */
SinoStatus sino_cone_device_too_small(const SinoCone *cone, const SinoMachine *machine,
                                      const SinoConeStreaming *streaming);
