/* SPDX-License-Identifier: BSD-3-Clause */
/* Task load_volume: reads a slice of a finished volume. */
#include "load_volume_task.h"

#include "task.h"

typedef struct Arguments {
    SinoVolumeInput *input;
    int64_t slice;
} Arguments;

static SinoStatus load_volume_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    return sino_volume_input_read(arguments->input, arguments->slice, sino_task_buffer(task, 0));
}

static const SinoTaskKind load_volume_kind = {.name = "load_volume",
                                              .waits = true,
                                              .argument_bytes = sizeof(Arguments),
                                              .access_min = 2,
                                              .access_max = 2,
                                              .cpu = load_volume_cpu};

SinoStatus sino_insert_load_volume(SinoRuntime *runtime, SinoVolumeInput *input, int64_t slice, SinoData *io,
                                   SinoData *values)
{
    const Arguments arguments = {.input = input, .slice = slice};
    const SinoAccess access[] = {{values, SINO_WRITE}, {io, SINO_READ_WRITE}};
    return sino_task_submit(runtime, &load_volume_kind,
                            &(SinoTaskRequest){.position = SINO_NOWHERE,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 2});
}
