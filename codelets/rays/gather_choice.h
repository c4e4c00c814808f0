/* SPDX-License-Identifier: BSD-3-Clause */
/* Gather choice: how many slices a thread block of a product from gather lists gets on a device.
 *
 * Wide blocks read A less often; narrow ones are more, and fill the device. The launch that is expected to end first is
 * chosen. A block has a multiprocessor for itself, and long blocks come first. So a launch takes as long as its longest
 * block, if there are at most as many blocks as multiprocessors, and else the time of all blocks and, at its end, of
 * half an average block. */
#pragma once

#include "block.h"

/* Device properties that determine launches. */
typedef struct SinoSpmmDevice {
    int64_t shared_bytes; /* largest shared memory of a thread block */
    int multiprocessor_count;
} SinoSpmmDevice;

/* Units of a launch (gather.h), and their work, in that of the longest one. */
typedef struct SinoGatherLoad {
    int64_t unit_count, whole_units;
} SinoGatherLoad;

/* A kernel: slices of a block, the time that a visit takes, in that of one slice in single, and the shared memory of
 * a block. */
typedef struct SinoGatherWidth {
    int slices, visit_time;
    int64_t shared_bytes;
} SinoGatherWidth;

/* Time of a launch for `slices` slices, in that of one slice of the longest unit. */
SINO_INLINE double sino_gather_launch_time(const SinoSpmmDevice *device, SinoGatherLoad load, SinoGatherWidth width,
                                           int slices)
{
    const int64_t chunks = (slices + width.slices - 1) / width.slices;
    const double processors = device->multiprocessor_count, idle = 0.5 * processors / (double)load.unit_count;
    const double waves = (double)load.whole_units * ((double)chunks + idle) / processors;
    return width.visit_time * (load.unit_count * chunks <= device->multiprocessor_count || waves < 1 ? 1 : waves);
}

/* Number of the best among `count` kernels; −1: none has as little shared memory as the device. */
SINO_INLINE int sino_gather_choose(const SinoSpmmDevice *device, SinoGatherLoad load, const SinoGatherWidth *width,
                                   int count, int slices)
{
    int chosen = -1;
    double least = 0;
    for (int i = 0; i < count; i++) {
        if (width[i].shared_bytes > device->shared_bytes) continue;
        const double time = sino_gather_launch_time(device, load, width[i], slices);
        if (chosen < 0 || time < least) {
            chosen = i;
            least = time;
        }
    }
    return chosen;
}
