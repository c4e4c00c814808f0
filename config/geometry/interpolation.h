/* SPDX-License-Identifier: BSD-3-Clause */
/* Interpolation: how a value between voxels follows from them (codelets/rays/rotate.h). */
#pragma once

typedef enum SinoInterpolation {
    SINO_INTERPOLATION_NEAREST,
    SINO_INTERPOLATION_LINEAR,
    SINO_INTERPOLATION_CUBIC,
    SINO_INTERPOLATIONS
} SinoInterpolation;
