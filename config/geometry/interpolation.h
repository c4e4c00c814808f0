/* SPDX-License-Identifier: BSD-3-Clause */
/* Interpolation: how a value between voxels follows from them (codelets/rays/rotate.h). */
#ifndef SINO_INTERPOLATION_H
#define SINO_INTERPOLATION_H

typedef enum SinoInterpolation {
    SINO_INTERPOLATION_NEAREST,
    SINO_INTERPOLATION_LINEAR,
    SINO_INTERPOLATION_CUBIC,
    SINO_INTERPOLATIONS
} SinoInterpolation;

#endif
