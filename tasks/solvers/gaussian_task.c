/* SPDX-License-Identifier: BSD-3-Clause */
/* Task gaussian: smooths an image. */
#include "solvers_tasks.h"

#include "task.h"

typedef struct Gaussian {
    SinoOperand image;
    SinoGaussian gaussian;
} Gaussian;

static SinoStatus gaussian_cpu(const SinoTask *task)
{
    const Gaussian *of = task->arguments;
    return sino_gaussian(&of->gaussian, of->image.at);
}

static const SinoTaskKind gaussian_kind = {
    .name = "gaussian", SINO_ARGUMENTS(Gaussian, SINO_UPDATES(Gaussian, image)), .cpu = gaussian_cpu};

SinoStatus sino_insert_gaussian(SinoRuntime *runtime, SinoPosition position, const SinoGaussian *gaussian,
                                SinoData *image)
{
    return SINO_SUBMIT(runtime, &gaussian_kind, position, &(Gaussian){.image.data = image, .gaussian = *gaussian});
}
