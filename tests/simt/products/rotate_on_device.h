/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_rotate_project and sino_rotate_back by the functions of rotate_cuda.cu. */
#pragma once

#include "rotate.h"

void rotate_project_on_device(const SinoRotate *what, const float *x, void *scratch, float *y);
void rotate_back_on_device(const SinoRotate *what, const float *y, void *scratch, float *x);
