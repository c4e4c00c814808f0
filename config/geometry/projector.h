/* SPDX-License-Identifier: BSD-3-Clause */
/* Projector: how the products of a parallel-beam scan are computed (docs/operator.md), and how a value between voxels
 * follows from them (codelets/rays/rotate.h). */
#pragma once

typedef enum SinoProjector {
    SINO_PROJECTOR_AUTO,     /* the plan chooses */
    SINO_PROJECTOR_RAYS,     /* the lengths of rays in voxels, traced once and kept */
    SINO_PROJECTOR_ROTATE,   /* sums of a turned image */
    SINO_PROJECTOR_LINES,    /* the lengths of rays in voxels, computed in every product */
    SINO_PROJECTOR_STRIPS,   /* the mean lengths of the rays of a detector pixel, likewise */
    SINO_PROJECTOR_PIXELS,   /* backprojection to the middles of pixels; for methods that project nothing */
    SINO_PROJECTOR_GRIDDING, /* backprojection by a nonuniform FFT; likewise */
    SINO_PROJECTOR_TOEPLITZ, /* AᵀA as a convolution by FFT; for solvers of the normal equations */
    SINO_PROJECTORS
} SinoProjector;

typedef enum SinoInterpolation {
    SINO_INTERPOLATION_NEAREST,
    SINO_INTERPOLATION_LINEAR,
    SINO_INTERPOLATION_CUBIC,
    SINO_INTERPOLATIONS
} SinoInterpolation;
