/* SPDX-License-Identifier: BSD-3-Clause */
/* Task load_volume: reads slices of a finished volume. */
#include "load_volume_task.h"

#include "arithmetic.h"
#include "task.h"

#include <inttypes.h>
#include <math.h>

typedef struct Arguments {
    SinoVolumeSlices part;
} Arguments;

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
    const SinoVolumeSlices *part = &((const Arguments *)task->arguments)->part;
    const SinoVolumeInputInfo *info = sino_volume_input_info(part->input);
    const int64_t count = sino_times(info->height, info->width);
    for (int64_t i = 0; i < part->slice_count; i++) {
        const int64_t slice = part->first_slice + i;
        float *values = (float *)sino_task_buffer(task, 0) + i * count;
        SINO_TRY(sino_volume_input_read(part->input, slice, values));
        if (part->name) SINO_TRY(check(part, slice, info->width, count, values));
    }
    return NULL;
}

static const SinoTaskKind load_volume_kind = {.name = "load_volume",
                                              .waits = true,
                                              .argument_bytes = sizeof(Arguments),
                                              .access_min = 2,
                                              .access_max = 2,
                                              .cpu = load_volume_cpu};

SinoStatus sino_insert_load_volume(SinoRuntime *runtime, SinoPosition position, const SinoVolumeSlices *part,
                                   SinoData *io, SinoData *values)
{
    const Arguments arguments = {.part = *part};
    const SinoAccess access[] = {{values, SINO_WRITE}, {io, SINO_READ_WRITE}};
    return sino_task_submit(runtime, &load_volume_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 2});
}
