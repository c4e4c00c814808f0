/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks tilt and phase: from counts to the line integrals of one minibatch. */
#include "stages_tasks.h"

#include "fourier_tasks.h"
#include "memory.h"
#include "phase_cuda.h"
#include "task.h"
#include "tilt_cuda.h"

#include <stdlib.h>

struct SinoImagesPlans {
    SinoRuntime *runtime;
    bool host;
    SinoPhase *phase;  /* NULL: none */
    SinoGpuPlans *gpu; /* of SinoPhaseCuda; NULL: no GPU filters */
};

typedef struct Images {
    SinoOperand counts, flat, dark, sinogram, repaired, tally, scratch, angles; /* angles: for GPUs */
    SinoCorrection correction;
    int64_t place_count, flat_first; /* in `angles` */
    SinoTilt tilt;
    const SinoImagesPlans *plans;
} Images;

static SinoStatus phase_cpu(const SinoTask *task)
{
    const Images *of = task->arguments;
    return sino_phase_correct(of->plans->phase, &of->correction, of->tilt.image_row, of->counts.at, of->flat.at,
                              of->dark.at, of->scratch.at, of->sinogram.at, of->repaired.at, of->tally.at);
}

static SinoStatus tilt_cpu(const SinoTask *task)
{
    const Images *of = task->arguments;
    return sino_tilt_correct(&of->tilt, of->plans->phase, &of->correction, of->counts.at, of->flat.at, of->dark.at,
                             of->scratch.at, of->sinogram.at, of->repaired.at, of->tally.at);
}

/* The correction with what a GPU reads of the angles. */
static SinoCorrection with_angles(const Images *of)
{
    SinoCorrection correction = of->correction;
    const int64_t *angles = of->angles.at;
    if (correction.place) correction.place = angles;
    if (correction.flat_at)
        correction.flat_at = (const double *)(const void *)(angles + of->place_count) + of->flat_first;
    return correction;
}

static SinoStatus phase_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Images *of = task->arguments;
    const SinoCorrection correction = with_angles(of);
    return sino_phase_correct_cuda(stream, sino_gpu_plans_mine(of->plans->gpu), &correction, of->counts.at, of->flat.at,
                                   of->dark.at, NULL, of->scratch.at, of->sinogram.at, of->repaired.at, of->tally.at);
}

static SinoStatus tilt_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Images *of = task->arguments;
    const SinoCorrection correction = with_angles(of);
    return sino_tilt_correct_cuda(stream, &of->tilt, sino_gpu_plans_mine(of->plans->gpu), &correction, of->counts.at,
                                  of->flat.at, of->dark.at, of->scratch.at, of->sinogram.at, of->repaired.at,
                                  of->tally.at);
}

#define OPERANDS                                                                                                       \
    SINO_ARGUMENTS(Images, SINO_READS(Images, counts), SINO_READS(Images, flat), SINO_READS(Images, dark),             \
                   SINO_WRITES(Images, sinogram), SINO_WRITES(Images, repaired), SINO_WRITES(Images, tally),           \
                   SINO_USES(Images, scratch), SINO_MAY_READ(Images, angles))
static const SinoTaskKind phase_kind = {.name = "phase", OPERANDS, SINO_CPU_CUDA(phase)};
static const SinoTaskKind tilt_kind = {.name = "tilt", OPERANDS, SINO_CPU_CUDA(tilt)};

int64_t sino_images_plan_bytes(const SinoPhaseOptions *phase)
{
    return phase ? sino_phase_cuda_bytes(phase) : 0;
}

int64_t sino_images_gpu_bytes(const SinoTilt *tilt, const SinoPhaseOptions *phase, const SinoCorrection *correction)
{
    if (sino_tilt_wanted(tilt)) return sino_tilt_cuda_scratch_bytes(tilt, phase, correction);
    return phase ? sino_phase_cuda_scratch_bytes(phase, correction) : 0;
}

static SinoStatus make_plan(const void *of, void **plan)
{
    SinoPhaseCuda *made = NULL;
    SINO_TRY(sino_phase_cuda_new(of, &made));
    *plan = made;
    return NULL;
}

static void free_plan(void *plan)
{
    sino_phase_cuda_free(plan);
}

static const SinoGpuPlanKind gpu_kind = {make_plan, free_plan};

static SinoStatus make_plans(SinoImagesPlans *plans)
{
    if (!SINO_CUDA_BUILT || plans->host || !plans->phase) return NULL;
    return sino_gpu_plans_new(plans->runtime, &gpu_kind, plans->phase, &plans->gpu);
}

SinoStatus sino_images_plans_new(SinoRuntime *runtime, const SinoPhaseOptions *phase, bool host,
                                 SinoImagesPlans **result)
{
    SinoImagesPlans *plans = NULL;
    SINO_TRY(sino_allocate(1, sizeof *plans, "phase retrieval", &plans));
    *plans = (SinoImagesPlans){.runtime = runtime, .host = host};
    SinoStatus status = phase ? sino_phase_new(phase, &plans->phase) : NULL;
    if (!status) status = make_plans(plans);
    SINO_GIVE(status, plans, sino_images_plans_free, result);
}

void sino_images_plans_free(SinoImagesPlans *plans)
{
    if (!plans) return;
    sino_gpu_plans_free(plans->gpu);
    sino_phase_free(plans->phase);
    free(plans);
}

/* What a core takes for a pixel, in flops of a product with lengths of rays, for simulations: of a row that phase
 * retrieval transforms, of one that it makes, and of one that is turned. */
enum { LINE_FLOPS = 90, PHASE_FLOPS = 450, TILT_FLOPS = 1050 };

/* Rows of the detector that are read, without those of the tilt. */
static int64_t line_count(const SinoCorrection *correction, const SinoTilt *tilt, const SinoPhase *phase)
{
    const int64_t rows = sino_times(correction->slices.slice_count, correction->binning);
    const int64_t halo = phase ? sino_phase_halo(sino_phase_options(phase)) : 0;
    return sino_smaller(tilt->row_count, rows + 2 * halo);
}

/* For each pixel of a row of the detector. */
static double effort_of(const SinoCorrection *correction, const SinoTilt *tilt, const SinoPhase *phase)
{
    const double lines = (double)line_count(correction, tilt, phase);
    const double rows = (double)correction->slices.slice_count * (double)correction->binning;
    return (phase ? LINE_FLOPS * lines + PHASE_FLOPS * rows : 0) + (sino_tilt_wanted(tilt) ? TILT_FLOPS * lines : 0);
}

SinoStatus sino_insert_images(SinoPosition position, const SinoImagesPlans *plans, const SinoCorrect *correct,
                              const SinoTilt *tilt)
{
    const SinoCorrection *correction = &correct->correction;
    const Images arguments = {.counts.data = correct->counts,
                              .flat.data = correct->flat,
                              .dark.data = correct->dark,
                              .sinogram.data = correct->sinogram,
                              .repaired.data = correct->repaired,
                              .tally.data = correct->tally,
                              .scratch.data = correct->scratch,
                              .angles.data = plans->host ? NULL : correct->angles,
                              .correction = *correction,
                              .place_count = correct->place_count,
                              .flat_first = correct->flat_first,
                              .tilt = *tilt,
                              .plans = plans};
    const SinoPhase *phase = plans->phase;
    const double pixels = (double)correction->column_count * (double)correction->binning;
    const int64_t line = sino_times(correction->angle_count, tilt->column_count);
    const int64_t lines = line_count(correction, tilt, phase);
    return SINO_SUBMIT(
        plans->runtime, sino_tilt_wanted(tilt) ? &tilt_kind : &phase_kind, position, &arguments, .host = plans->host,
        .work = (double)correction->angle_count * pixels * (double)correction->slices.slice_count,
        .effort = (double)line * effort_of(correction, tilt, phase),
        .part_bytes = sino_times(sino_times(line, lines), (int64_t)sizeof(float)), SINO_OF_SLICES(correction->slices));
}
