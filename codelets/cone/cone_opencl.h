/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone backproject on an OpenCL device: sino_cone_backproject to rounding, with projections and the part in buffers of
 * the device. The function launches kernels, and does not wait for them. */
#pragma once

#include "cone_backproject.h"
#include "opencl_device.h"

/* Where a projection is: the device's memory, and the bytes from its beginning to the lines and to the unit. */
typedef struct SinoConeProjectionOpencl {
    cl_mem memory;
    int64_t lines_bytes, unit_bytes;
} SinoConeProjectionOpencl;

/* A block of projections, and the part that gets them. Nothing is owned; lists are in host memory. */
typedef struct SinoConeBackprojectionOpencl {
    const SinoCone *cone;
    const SinoConeLines *lines;
    const SinoConePart *part;
    const double *angle_rad;                    /* [projection] */
    const SinoConeProjectionOpencl *projection; /* [projection] */
    bool first;                                 /* the part counts as 0 before */
} SinoConeBackprojectionOpencl;

SinoStatus sino_cone_backproject_opencl(SinoOpencl *opencl, const SinoConeBackprojectionOpencl *what, cl_mem part);
