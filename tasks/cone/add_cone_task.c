/* SPDX-License-Identifier: BSD-3-Clause */
/* Task add_cone: adds the voxels that another rank has summed to a part. */
#include "cone_tasks.h"

#include "task.h"

typedef struct AddCone {
    SinoOperand arrival, part;
    int64_t voxel_count;
} AddCone;

static SinoStatus add_cone_cpu(const SinoTask *task)
{
    const AddCone *of = task->arguments;
    sino_cone_add(of->voxel_count, of->arrival.at, of->part.at);
    return NULL;
}

static const SinoTaskKind add_cone_kind = {
    .name = "add_cone",
    SINO_ARGUMENTS(AddCone, SINO_READS(AddCone, arrival), SINO_UPDATES(AddCone, part)),
    .cpu = add_cone_cpu};

SinoStatus sino_insert_add_cone(SinoRuntime *runtime, SinoPosition position, int64_t voxel_count, SinoData *arrival,
                                SinoData *part)
{
    const AddCone arguments = {.arrival.data = arrival, .part.data = part, .voxel_count = voxel_count};
    return SINO_SUBMIT(runtime, &add_cone_kind, position, &arguments);
}
