/* SPDX-License-Identifier: BSD-3-Clause */
/* correct: counts to line integrals of one minibatch. */
#include "tasks.h"

#include "correct_cuda.h"

typedef struct Arguments {
    SinoTaskHead head;
    SinoCorrection correction;
} Arguments;

static SinoStatus correct(void *buffers[], const Arguments *arguments)
{
    return sino_correct(&arguments->correction, sino_buffer(buffers, 0), sino_buffer(buffers, 1),
                        sino_buffer(buffers, 2), sino_buffer(buffers, 3), sino_buffer(buffers, 4));
}

SINO_CPU_FUNCTION(correct_cpu, Arguments, correct)

/* The angles' places being on the device. */
__attribute__((unused)) static SinoCorrection with_places(const Arguments *arguments, const int64_t *place)
{
    SinoCorrection correction = arguments->correction;
    correction.place = place;
    return correction;
}

SINO_CUDA_FUNCTION(correct_cuda, Arguments,
                   sino_correct_cuda(stream, ((SinoCorrection[]){with_places(arguments, sino_buffer(buffers, 6))}),
                                     sino_buffer(buffers, 0), sino_buffer(buffers, 1), sino_buffer(buffers, 2),
                                     sino_buffer(buffers, 3), sino_buffer(buffers, 4), sino_buffer(buffers, 5)))
SINO_CODELET(codelet, "correct", correct_cpu, SINO_ON_CUDA(correct_cuda))

SinoStatus sino_correct_scratch(SinoRuntime *runtime, const SinoCorrection *correction, SinoData **scratch)
{
    return sino_data_scratch(runtime, "correct scratch", sino_correct_cuda_workspace_bytes(correction), scratch);
}

SinoStatus sino_insert_correct(SinoRuntime *runtime, SinoPosition position, const SinoCorrect *correct)
{
    const bool host = !correct->scratch || !correct->places;
    const Arguments arguments = {.head = {.host = host}, .correction = correct->correction};
    const SinoAccess access[] = {{correct->counts, STARPU_R},   {correct->flat, STARPU_R},
                                 {correct->dark, STARPU_R},     {correct->sinogram, STARPU_W},
                                 {correct->repaired, STARPU_W}, {correct->scratch, STARPU_SCRATCH},
                                 {correct->places, STARPU_R}};
    return sino_task_submit(runtime, &codelet, position, false, &arguments, sizeof arguments, host ? 5 : 7, access);
}
