/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks load_volume and load_counts: read slices of a finished volume, and a set of values that go with a system
 * matrix. */
#include "files_tasks.h"

#include "arithmetic.h"
#include "task.h"

#include <inttypes.h>
#include <math.h>

typedef struct LoadVolume {
    SinoOperand values, io;
    SinoVolumeSlices part;
} LoadVolume;

/* Refuses what no estimate of a volume holds. */
static SinoStatus check(const SinoVolumeSlices *part, int64_t slice, int64_t width, int64_t count, const float *values)
{
    for (int64_t i = 0; i < count; i++) {
        const double value = (double)values[i];
        SINO_CHECK(isfinite(value) && value >= part->least, SINO_BAD_INPUT,
                   "%s: voxel %" PRId64 " of row %" PRId64 " of slice %" PRId64 " is %g; allowed: %s", part->name,
                   i % width, i / width, slice, value, part->least >= 0 ? "0 or more" : "finite numbers");
    }
    return NULL;
}

static SinoStatus load_volume_cpu(const SinoTask *task)
{
    const LoadVolume *of = task->arguments;
    const SinoVolumeSlices *part = &of->part;
    const SinoVolumeInputInfo *info = sino_volume_input_info(part->input);
    const int64_t count = sino_times(info->height, info->width);
    for (int64_t i = 0; i < part->slice_count; i++) {
        const int64_t slice = part->first_slice + i;
        float *values = (float *)of->values.at + i * count;
        SINO_TRY(sino_volume_input_read(part->input, slice, values));
        if (part->name) SINO_TRY(check(part, slice, info->width, count, values));
    }
    return NULL;
}

static const SinoTaskKind load_volume_kind = {
    .name = "load_volume",
    .waits = true,
    SINO_ARGUMENTS(LoadVolume, SINO_WRITES(LoadVolume, values), SINO_UPDATES(LoadVolume, io)),
    .cpu = load_volume_cpu};

SinoStatus sino_insert_load_volume(SinoRuntime *runtime, SinoPosition position, const SinoVolumeSlices *part,
                                   SinoData *io, SinoData *values)
{
    const LoadVolume arguments = {.values.data = values, .io.data = io, .part = *part};
    return SINO_SUBMIT(runtime, &load_volume_kind, position, &arguments);
}

typedef struct LoadCounts {
    SinoOperand values, io;
    SinoCountsFile *file;
    int64_t set;
} LoadCounts;

static SinoStatus load_counts_cpu(const SinoTask *task)
{
    const LoadCounts *of = task->arguments;
    return sino_counts_read(of->file, of->set, 1, of->values.at);
}

static const SinoTaskKind load_counts_kind = {
    .name = "load_counts",
    .waits = true,
    SINO_ARGUMENTS(LoadCounts, SINO_WRITES(LoadCounts, values), SINO_UPDATES(LoadCounts, io)),
    .cpu = load_counts_cpu};

SinoStatus sino_insert_load_counts(SinoRuntime *runtime, SinoPosition position, SinoCountsFile *file, int64_t set,
                                   SinoData *io, SinoData *values)
{
    const LoadCounts arguments = {.values.data = values, .io.data = io, .file = file, .set = set};
    return SINO_SUBMIT(runtime, &load_counts_kind, position, &arguments, .file_bytes = SINO_FILE_DATA);
}
