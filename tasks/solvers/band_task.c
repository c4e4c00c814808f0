/* SPDX-License-Identifier: BSD-3-Clause */
/* Task band: the priors of a volume, for one of its bands. */
#include "solvers_tasks.h"

#include "task.h"

typedef struct Primal {
    SinoOperand state, z, u, p, q, r, above;
    SinoBand band;
} Primal;

typedef struct Dual {
    SinoOperand state, u, p, q, r, below;
    SinoBand band;
} Dual;

typedef struct Prior {
    SinoOperand state, z, u, above, below;
    SinoBand band;
    SinoSmoothPrior prior;
} Prior;

static SinoStatus primal_cpu(const SinoTask *task)
{
    const Primal *of = task->arguments;
    sino_band_primal(&of->band, of->z.at, of->p.at, of->q.at, of->r.at, of->above.at, of->state.at, of->u.at);
    return NULL;
}

static SinoStatus dual_cpu(const SinoTask *task)
{
    const Dual *of = task->arguments;
    sino_band_dual(&of->band, of->u.at, of->below.at, of->state.at, of->p.at, of->q.at, of->r.at);
    return NULL;
}

static SinoStatus prior_cpu(const SinoTask *task)
{
    const Prior *of = task->arguments;
    sino_band_descend(&of->band, &of->prior, of->u.at, of->above.at, of->below.at, of->state.at, of->z.at);
    return NULL;
}

static SinoStatus primal_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Primal *of = task->arguments;
    return sino_band_primal_cuda(stream, &of->band, of->z.at, of->p.at, of->q.at, of->r.at, of->above.at, of->state.at,
                                 of->u.at);
}

static SinoStatus dual_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Dual *of = task->arguments;
    return sino_band_dual_cuda(stream, &of->band, of->u.at, of->below.at, of->state.at, of->p.at, of->q.at, of->r.at);
}

static SinoStatus prior_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Prior *of = task->arguments;
    return sino_band_descend_cuda(stream, &of->band, &of->prior, of->u.at, of->above.at, of->below.at, of->state.at,
                                  of->z.at);
}

static const SinoTaskKind primal_kind = {
    .name = "band_primal",
    SINO_ARGUMENTS(Primal, SINO_READS(Primal, state), SINO_READS(Primal, z), SINO_WRITES(Primal, u),
                   SINO_READS(Primal, p), SINO_READS(Primal, q), SINO_READS(Primal, r), SINO_MAY_READ(Primal, above)),
    SINO_CPU_CUDA(primal)};
static const SinoTaskKind dual_kind = {.name = "band_dual",
                                       SINO_ARGUMENTS(Dual, SINO_READS(Dual, state), SINO_READS(Dual, u),
                                                      SINO_UPDATES(Dual, p), SINO_UPDATES(Dual, q),
                                                      SINO_UPDATES(Dual, r), SINO_MAY_READ(Dual, below)),
                                       SINO_CPU_CUDA(dual)};
static const SinoTaskKind prior_kind = {.name = "band_prior",
                                        SINO_ARGUMENTS(Prior, SINO_READS(Prior, state), SINO_UPDATES(Prior, z),
                                                       SINO_READS(Prior, u), SINO_MAY_READ(Prior, above),
                                                       SINO_MAY_READ(Prior, below)),
                                        SINO_CPU_CUDA(prior)};

/* Devices that share the bands would copy whole vectors of a band to each other for the sake of a row: then cores
 * compute. */
static bool is_for_cores(const SinoRuntime *runtime)
{
    return sino_runtime_device_count(runtime) > 1;
}

static double voxels_of(const SinoBand *band)
{
    return (double)band->row_count * (double)band->x_count * (double)band->z_count;
}

SinoStatus sino_insert_band_primal(SinoRuntime *runtime, SinoPosition position, const SinoBandTask *task, SinoData *z)
{
    const Primal arguments = {.state.data = task->state,
                              .z.data = z,
                              .u.data = task->u,
                              .p.data = task->p,
                              .q.data = task->q,
                              .r.data = task->r,
                              .above.data = task->above,
                              .band = task->band};
    return SINO_SUBMIT(runtime, &primal_kind, position, &arguments, .work = voxels_of(&task->band),
                       .host = is_for_cores(runtime));
}

SinoStatus sino_insert_band_dual(SinoRuntime *runtime, SinoPosition position, const SinoBandTask *task)
{
    const Dual arguments = {.state.data = task->state,
                            .u.data = task->u,
                            .p.data = task->p,
                            .q.data = task->q,
                            .r.data = task->r,
                            .below.data = task->below,
                            .band = task->band};
    return SINO_SUBMIT(runtime, &dual_kind, position, &arguments, .work = voxels_of(&task->band),
                       .host = is_for_cores(runtime));
}

SinoStatus sino_insert_band_prior(SinoRuntime *runtime, SinoPosition position, const SinoBandTask *task,
                                  const SinoSmoothPrior *prior, SinoData *z)
{
    const Prior arguments = {.state.data = task->state,
                             .z.data = z,
                             .u.data = task->u,
                             .above.data = task->above,
                             .below.data = task->below,
                             .band = task->band,
                             .prior = *prior};
    return SINO_SUBMIT(runtime, &prior_kind, position, &arguments, .work = voxels_of(&task->band),
                       .host = is_for_cores(runtime));
}
