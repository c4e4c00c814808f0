/* SPDX-License-Identifier: BSD-3-Clause */
/* Device peak: what the current GPU does at best, which its kernels' speed is measured against, in the same run. */
#pragma once

#include "status.h"

#include <stdint.h>

/* Fused multiply-adds on registers, in single or double, two operations each: operations per second. */
SinoStatus device_peak_multiply_add(int is_double, double *flops_per_second);

/* Tensor cores, halves times halves in single (mma.m16n8k16, what spmm_tensor_cuda.cu uses). */
SinoStatus device_peak_tensor(double *flops_per_second);

/* A copy within the device's memory: bytes read and written, per second. */
SinoStatus device_peak_copy(int64_t bytes, double *bytes_per_second);
