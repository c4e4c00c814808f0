/* SPDX-License-Identifier: BSD-3-Clause */
/* Variation on an OpenCL device: the functions of variation.h with buffers of the device, for a part that has all tiles
 * of the grid. Functions launch kernels, and do not wait for them. The buffers `tile` and `neighbour` replace
 * variation->tile and variation->neighbour, which are ignored. */
#ifndef SINO_VARIATION_OPENCL_H
#define SINO_VARIATION_OPENCL_H

#include "opencl_device.h"
#include "variation.h"

SinoStatus sino_variation_primal_opencl(SinoOpencl *opencl, const SinoVariation *variation, cl_mem tile,
                                        cl_mem neighbour, cl_mem z, cl_mem p, cl_mem q, cl_mem state, cl_mem u);
SinoStatus sino_variation_dual_opencl(SinoOpencl *opencl, const SinoVariation *variation, cl_mem tile, cl_mem neighbour,
                                      cl_mem u, cl_mem state, cl_mem p, cl_mem q);

#endif
