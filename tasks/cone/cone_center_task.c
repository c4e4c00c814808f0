/* SPDX-License-Identifier: BSD-3-Clause */
/* Task cone_center: searches the rotation axis of a cone-beam scan. */
#include "cone_tasks.h"

#include "task.h"

static SinoStatus cone_center_cpu(const SinoTask *task)
{
    const SinoConeCenterSearch *search = task->arguments;
    return sino_cone_center_find(search->cone, search->sinogram, search->first, search->last, search->result);
}

static const SinoTaskKind cone_center_kind = {
    .name = "cone_center", .argument_bytes = sizeof(SinoConeCenterSearch), .cpu = cone_center_cpu};

SinoStatus sino_insert_cone_center(SinoRuntime *runtime, const SinoConeCenterSearch *search)
{
    return SINO_SUBMIT(runtime, &cone_center_kind, SINO_NOWHERE, search, .work = 1);
}
