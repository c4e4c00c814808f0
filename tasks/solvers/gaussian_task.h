/* SPDX-License-Identifier: BSD-3-Clause */
/* Task gaussian: smooths an image (gaussian.h). */
#pragma once

#include "gaussian.h"
#include "runtime.h"

SinoStatus sino_insert_gaussian(SinoRuntime *runtime, SinoPosition position, const SinoGaussian *gaussian,
                                SinoData *image);
