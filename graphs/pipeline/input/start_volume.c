/* SPDX-License-Identifier: BSD-3-Clause */
/* Start volume: opened and compared with the run. */
#include "input_parts.h"

#include <inttypes.h>
#include <stddef.h>

/* Raw values have no sizes, which tell a volume from another one. */
static const SinoVolumeShape no_sizes = {0};

SinoStatus sino_start_volume_try(const SinoSolverSettings *settings)
{
    return settings->start ? sino_volume_input_try(settings->start, &no_sizes) : NULL;
}

SinoStatus sino_start_volume_open(const SinoSolverSettings *settings, SinoVolumeInput **input)
{
    return settings->start ? sino_volume_input_open(settings->start, &no_sizes, input) : NULL;
}

SinoStatus sino_start_volume_check(const SinoSolverSettings *settings, const SinoVolumeInput *input,
                                   int64_t slice_count, int64_t height, int64_t width)
{
    if (!input) return NULL;
    const SinoVolumeInputInfo *info = sino_volume_input_info(input);
    SINO_CHECK(info->slice_count == slice_count && info->height == height && info->width == width, SINO_BAD_INPUT,
               "--start %s has %" PRId64 " slices of %" PRId64 " x %" PRId64 " voxels; allowed: %" PRId64 " of %" PRId64
               " x %" PRId64 ", as the volume of this run",
               settings->start, info->slice_count, info->width, info->height, slice_count, width, height);
    return NULL;
}
