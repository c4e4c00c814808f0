/* SPDX-License-Identifier: BSD-3-Clause */
/* Task bsrem. */
#include "bricks_tasks.h"

#include "arithmetic.h"
#include "rays_tasks.h"
#include "task.h"

typedef struct Bsrem {
    SinoOperand column, place, kappa, weight, state, x, g;
    SinoBsrem what;
} Bsrem;

static SinoStatus voxels_cpu(const SinoTask *task)
{
    const Bsrem *of = task->arguments;
    sino_bsrem_voxels(&of->what, of->column.at, of->place.at, of->kappa.at, of->weight.at, of->state.at, of->x.at,
                      of->g.at);
    return NULL;
}

static SinoStatus voxels_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Bsrem *of = task->arguments;
    return sino_bsrem_voxels_cuda(stream, &of->what, of->column.at, of->place.at, of->kappa.at, of->weight.at,
                                  of->state.at, of->x.at, of->g.at);
}

static const SinoTaskKind kind = {
    .name = "bsrem",
    SINO_ARGUMENTS(Bsrem, SINO_READS(Bsrem, column), SINO_READS(Bsrem, place), SINO_READS(Bsrem, kappa),
                   SINO_READS(Bsrem, weight), SINO_READS(Bsrem, state), SINO_READS(Bsrem, x), SINO_UPDATES(Bsrem, g)),
    SINO_CPU_CUDA(voxels)};

SinoStatus sino_insert_bsrem(SinoRuntime *runtime, SinoPosition position, const SinoBsrem *bsrem, SinoData *column,
                             SinoData *place, SinoData *kappa, SinoData *weight, SinoData *state, SinoData *x,
                             SinoData *g)
{
    Bsrem of = {.column.data = column,
                .place.data = place,
                .kappa.data = kappa,
                .weight.data = weight,
                .state.data = state,
                .x.data = x,
                .g.data = g,
                .what = *bsrem};
    const bool shared = sino_runtime_devices(runtime) == SINO_DEVICE_CPU;
    const int64_t parts =
        shared ? sino_useful_parts(bsrem->slices, bsrem->rows, sino_runtime_worker_count(runtime)) : 1;
    if (parts > 1) {
        SINO_TRY(sino_insert_rays_begin(runtime, position, true, g));
        of.g.mode = SINO_READ;
    }
    for (int64_t i = 0; i < parts; i++) {
        of.what.first_row = sino_part_first(bsrem->rows, parts, i);
        of.what.row_count = sino_part_first(bsrem->rows, parts, i + 1) - of.what.first_row;
        SINO_TRY(SINO_SUBMIT(runtime, &kind, position, &of, SINO_OF_SLICES(bsrem->slices),
                             .work = (double)sino_times(of.what.row_count, bsrem->slices.stride), .host = parts > 1));
    }
    return parts > 1 ? sino_insert_rays_end(runtime, position, g) : NULL;
}
