/* SPDX-License-Identifier: BSD-3-Clause */
/* Mask: read as a volume of one slice. */
#include "input_parts.h"

#include "memory.h"
#include "volume_input.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Raw values have no sizes. */
static const SinoVolumeShape no_sizes = {0};

SinoStatus sino_mask_try(const SinoSolverSettings *settings)
{
    return settings->mask ? sino_volume_input_try(settings->mask, &no_sizes) : NULL;
}

static SinoStatus check_size(const char *name, const SinoVolumeInputInfo *info, int64_t height, int64_t width)
{
    SINO_CHECK(info->slice_count == 1 && info->height == height && info->width == width, SINO_BAD_INPUT,
               "--mask %s has %" PRId64 " slices of %" PRId64 " x %" PRId64 " voxels; allowed: 1 of %" PRId64
               " x %" PRId64 ", as the slices of this run",
               name, info->slice_count, info->width, info->height, width, height);
    return NULL;
}

static SinoStatus take_values(const char *name, int64_t height, int64_t width, const float *value, unsigned char *mask)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < height * width; i++) {
        SINO_CHECK(isfinite(value[i]), SINO_BAD_INPUT,
                   "%s: voxel %" PRId64 " of row %" PRId64 " is %g; allowed: finite numbers", name, i % width,
                   i / width, (double)value[i]);
        mask[i] = value[i] != 0;
        kept += mask[i];
    }
    SINO_CHECK(kept > 0, SINO_BAD_INPUT, "%s is 0 everywhere; allowed: voxels other than 0, which may have a value",
               name);
    return NULL;
}

static SinoStatus read_values(const char *name, SinoVolumeInput *input, int64_t height, int64_t width,
                              unsigned char *mask)
{
    float *value = NULL;
    SINO_TRY(check_size(name, sino_volume_input_info(input), height, width));
    SINO_TRY(sino_allocate(sino_times(height, width), sizeof *value, "the mask", &value));
    SinoStatus status = sino_volume_input_read(input, 0, value);
    if (!status) status = take_values(name, height, width, value, mask);
    free(value);
    return status;
}

SinoStatus sino_mask_read(const SinoSolverSettings *settings, int64_t height, int64_t width, unsigned char **mask)
{
    SinoVolumeInput *input = NULL;
    unsigned char *made = NULL;
    *mask = NULL;
    if (!settings->mask) return NULL;
    SINO_TRY(sino_volume_input_open(settings->mask, &no_sizes, &input));
    SinoStatus status = sino_allocate(sino_times(height, width), 1, "the mask", &made);
    if (!status) status = read_values(settings->mask, input, height, width, made);
    sino_volume_input_close(input);
    if (status)
        free(made);
    else
        *mask = made;
    return status;
}

int64_t sino_mask_bytes(const SinoSolverSettings *settings, int64_t height, int64_t width)
{
    return settings->mask ? sino_times(height, width) : 0;
}
