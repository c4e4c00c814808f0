/* SPDX-License-Identifier: BSD-3-Clause */
/* Device: bits of the kinds of processing units that a run may use. */
#pragma once

enum {
    SINO_DEVICE_CPU = 1,    /* CPU cores */
    SINO_DEVICE_CUDA = 2,   /* NVIDIA GPUs */
    SINO_DEVICE_OPENCL = 4, /* OpenCL devices; with STARPU_OPENCL_ON_CPUS also CPUs that OpenCL offers */
    SINO_DEVICE_ALL = 7     /* CPU cores, and GPUs by CUDA where there are any */
};
