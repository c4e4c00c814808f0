/* SPDX-License-Identifier: BSD-3-Clause */
/* Task harden: corrects the sinograms of one minibatch for beam hardening. */
#include "stages_tasks.h"

#include "task.h"

typedef struct Harden {
    SinoOperand sinogram;
    SinoHardening hardening;
    int64_t ray_count;
    SinoSlices slices;
} Harden;

static SinoStatus harden_cpu(const SinoTask *task)
{
    const Harden *of = task->arguments;
    sino_harden(&of->hardening, of->ray_count, of->slices, of->sinogram.at);
    return NULL;
}

static SinoStatus harden_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Harden *of = task->arguments;
    return sino_harden_cuda(stream, &of->hardening, of->ray_count, of->slices, of->sinogram.at);
}

static const SinoTaskKind harden_kind = {
    .name = "harden", SINO_ARGUMENTS(Harden, SINO_UPDATES(Harden, sinogram)), SINO_CPU_CUDA(harden)};

/* What a core takes for a ray, in flops of a product with lengths of rays, for simulations: for the value, and for each
 * power. */
enum { HARDEN_FLOPS = 26, POWER_FLOPS = 3 };

SinoStatus sino_insert_harden(SinoRuntime *runtime, SinoPosition position, const SinoHardening *hardening,
                              int64_t ray_count, const SinoSinogramRows *rows)
{
    const Harden arguments = {
        .sinogram.data = rows->sinogram, .hardening = *hardening, .ray_count = ray_count, .slices = rows->slices};
    const double work = (double)ray_count * (double)rows->slices.stride;
    return SINO_SUBMIT(runtime, &harden_kind, position, &arguments, .work = work,
                       .effort = (double)(HARDEN_FLOPS + POWER_FLOPS * hardening->count) * work, .host = rows->host,
                       SINO_OF_SLICES(rows->slices));
}
