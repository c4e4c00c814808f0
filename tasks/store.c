/* SPDX-License-Identifier: BSD-3-Clause */
/* store: a minibatch's images to the volume; its residuals and repair counts to the run. */
#include "tasks.h"

#include <math.h>
#include <string.h>

typedef struct Arguments {
    SinoTaskHead head;
    int64_t slab;
    SinoStore store;
} Arguments;

/* ‖Ax − b‖/‖b‖ of the minibatch where its slices stopped or ended; NaN without iterations. */
static double last_residual(const SinoStore *to, const double *history)
{
    double residual = 0, residual0 = 0;
    for (int64_t f = 0; f < to->slice_count; f++) {
        const double *row = history + f * to->columns;
        int64_t last = to->columns - 1;
        while (last > 0 && isnan(row[last])) last--;
        residual += row[last];
        residual0 += row[0];
    }
    return to->columns > 1 && residual0 > 0 ? sqrt(residual / residual0) : NAN;
}

static SinoStatus store(void *buffers[], const Arguments *arguments)
{
    const SinoStore *to = &arguments->store;
    memcpy(to->repaired + to->first_slice, sino_buffer(buffers, 2), (size_t)to->slice_count * sizeof *to->repaired);
    if (!to->keeper) return NULL;
    memcpy(to->residuals + to->first_slice * to->columns, sino_buffer(buffers, 1),
           (size_t)(to->slice_count * to->columns) * sizeof *to->residuals);
    const int64_t picture = to->picture_slice - to->first_slice;
    if (to->picture && picture >= 0 && picture < to->slice_count)
        memcpy(to->picture, (const float *)sino_buffer(buffers, 0) + picture * to->pixel_count,
               (size_t)to->pixel_count * sizeof *to->picture);
    if (to->volume) SINO_TRY(sino_volume_write(to->volume, to->first_slice, to->slice_count, sino_buffer(buffers, 0)));
    const SinoProgress where = {.slab = arguments->slab + 1,
                                .iteration = to->columns - 1,
                                .iteration_count = to->columns - 1,
                                .residual = last_residual(to, sino_buffer(buffers, 1))};
    sino_runtime_advance(arguments->head.runtime, (double)to->slice_count, &where);
    return NULL;
}

SINO_CPU_FUNCTION(store_cpu, Arguments, store)
SINO_CODELET(codelet, "store", store_cpu)

SinoStatus sino_insert_store(SinoRuntime *runtime, SinoPosition position, const SinoStore *where, SinoData *io,
                             SinoData *image, SinoData *history, SinoData *repaired)
{
    const Arguments arguments = {.slab = position.slab, .store = *where};
    const SinoAccess access[] = {{image, STARPU_R}, {history, STARPU_R}, {repaired, STARPU_R}, {io, STARPU_RW}};
    return sino_task_submit(runtime, &codelet, position, true, &arguments, sizeof arguments, 4, access);
}
