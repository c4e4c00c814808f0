/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_air_normalise by the function of air_cuda.cu: linked first, it makes the tests of the CPU's test the GPU's. */
#include "air.h"

#include "simt_device.h"

void sino_air_normalise(const SinoAir *air, SinoSlices slices, const int64_t *place, void *sinogram)
{
    const size_t rows = (size_t)(air->angle_count * air->column_count * slices.stride);
    const size_t bytes = rows * sino_precision_bytes(slices.precision);
    const size_t place_bytes = (size_t)air->angle_count * sizeof *place;
    void *of_sinogram = device_lend(sinogram, bytes), *of_place = device_lend(place, place_bytes);
    device_check(sino_air_normalise_cuda(NULL, air, slices, of_place, of_sinogram));
    device_unlend(place, of_place, place_bytes);
    device_return(sinogram, of_sinogram, bytes);
}
