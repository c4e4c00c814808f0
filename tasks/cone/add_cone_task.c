/* SPDX-License-Identifier: BSD-3-Clause */
/* Task add_cone: adds the voxels that another rank has summed to a part. */
#include "add_cone_task.h"

#include "cone_assemble.h"
#include "task.h"

typedef struct Arguments {
    int64_t voxel_count;
} Arguments;

static SinoStatus add_cone_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    sino_cone_add(arguments->voxel_count, sino_task_buffer(task, 0), sino_task_buffer(task, 1));
    return NULL;
}

static const SinoTaskKind add_cone_kind = {
    .name = "add_cone", .argument_bytes = sizeof(Arguments), .access_min = 2, .access_max = 2, .cpu = add_cone_cpu};

SinoStatus sino_insert_add_cone(SinoRuntime *runtime, SinoPosition position, int64_t voxel_count, SinoData *arrival,
                                SinoData *part)
{
    const Arguments arguments = {.voxel_count = voxel_count};
    const SinoAccess access[] = {{arrival, SINO_READ}, {part, SINO_READ_WRITE}};
    return sino_task_submit(runtime, &add_cone_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 2});
}
