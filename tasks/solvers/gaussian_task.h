/* SPDX-License-Identifier: BSD-3-Clause */
/* Task gaussian: smooths an image (gaussian.h). */
#ifndef SINO_GAUSSIAN_TASK_H
#define SINO_GAUSSIAN_TASK_H

#include "gaussian.h"
#include "runtime.h"

SinoStatus sino_insert_gaussian(SinoRuntime *runtime, SinoPosition position, const SinoGaussian *gaussian,
                                SinoData *image);

#endif
