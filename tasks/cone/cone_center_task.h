/* SPDX-License-Identifier: BSD-3-Clause */
/* Task cone_center: searches the rotation axis of a cone-beam scan. */
#pragma once

#include "cone_center.h"
#include "runtime.h"

/* The arguments of sino_cone_center_find. Pointers are not owned, and outlive the task. */
typedef struct SinoConeCenterSearch {
    const SinoCone *cone;
    const float *sinogram;
    double first, last;
    SinoConeCenter *result;
} SinoConeCenterSearch;

SinoStatus sino_insert_cone_center(SinoRuntime *runtime, const SinoConeCenterSearch *search);
