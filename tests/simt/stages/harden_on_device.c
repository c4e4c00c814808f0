/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_harden by the function of harden_cuda.cu: linked first, it makes the tests of the CPU's test the GPU's. */
#include "harden.h"

#include "simt_device.h"

void sino_harden(const SinoHardening *hardening, int64_t ray_count, SinoSlices slices, void *sinogram)
{
    const size_t bytes = (size_t)(ray_count * slices.stride) * sino_precision_bytes(slices.precision);
    void *of_sinogram = device_lend(sinogram, bytes);
    device_check(sino_harden_cuda(NULL, hardening, ray_count, slices, of_sinogram));
    device_return(sinogram, of_sinogram, bytes);
}
