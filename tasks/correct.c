/* SPDX-License-Identifier: BSD-3-Clause */
/* correct: counts to line integrals of one minibatch. */
#include "tasks.h"

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
SINO_CODELET(codelet, "correct", correct_cpu)

SinoStatus sino_insert_correct(SinoRuntime *runtime, SinoPosition position, const SinoCorrection *correction,
                               SinoData *counts, SinoData *flat, SinoData *dark, SinoData *sinogram, SinoData *repaired)
{
    const Arguments arguments = {.correction = *correction};
    const SinoAccess access[] = {
        {counts, STARPU_R}, {flat, STARPU_R}, {dark, STARPU_R}, {sinogram, STARPU_W}, {repaired, STARPU_W}};
    return sino_task_submit(runtime, &codelet, position, false, &arguments, sizeof arguments, 5, access);
}
