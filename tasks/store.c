/* SPDX-License-Identifier: BSD-3-Clause */
/* store: a minibatch's images to the volume; its residuals and repair counts to the run. */
#include "tasks.h"

#include <string.h>

typedef struct Arguments {
    SinoTaskHead head;
    SinoStore store;
} Arguments;

static SinoStatus store(void *buffers[], const Arguments *arguments)
{
    const SinoStore *to = &arguments->store;
    memcpy(to->residuals + to->first_slice * to->columns, sino_buffer(buffers, 1),
           (size_t)(to->slice_count * to->columns) * sizeof *to->residuals);
    memcpy(to->repaired + to->first_slice, sino_buffer(buffers, 2), (size_t)to->slice_count * sizeof *to->repaired);
    const int64_t picture = to->picture_slice - to->first_slice;
    if (to->picture && picture >= 0 && picture < to->slice_count)
        memcpy(to->picture, (const float *)sino_buffer(buffers, 0) + picture * to->pixel_count,
               (size_t)to->pixel_count * sizeof *to->picture);
    return !to->volume ? NULL
                       : sino_volume_write(to->volume, to->first_slice, to->slice_count, sino_buffer(buffers, 0));
}

SINO_CPU_FUNCTION(store_cpu, Arguments, store)
SINO_CODELET(codelet, "store", store_cpu)

SinoStatus sino_insert_store(SinoRuntime *runtime, SinoPosition position, const SinoStore *where, SinoData *io,
                             SinoData *image, SinoData *history, SinoData *repaired)
{
    const Arguments arguments = {.store = *where};
    const SinoAccess access[] = {{image, STARPU_R}, {history, STARPU_R}, {repaired, STARPU_R}, {io, STARPU_RW}};
    return sino_task_submit(runtime, &codelet, position, true, &arguments, sizeof arguments, 4, access);
}
