/* SPDX-License-Identifier: BSD-3-Clause */
/* Lend: arrays of a test on the first OpenCL device of the machine, for the time of a call. The program ends with
 * meson's word for "skipped" when there is no device, and aborts when OpenCL fails. */
#pragma once

#include "opencl_device.h"

SinoOpencl *lend_device(void);

/* A copy on the device; of NULL: NULL. */
cl_mem lend(const void *from, size_t bytes);

/* Back to where it came from; released. Takes NULL. */
void lend_return(void *to, cl_mem memory, size_t bytes);

/* Released, after a look that it is still the same. Takes NULL. */
void lend_end(const void *from, cl_mem memory, size_t bytes);

/* Success of a launch. */
void lend_check(SinoStatus status);
