/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_stripes_run by the function of stripes_cuda.h where there are kernels for the method, and a look that sorting
 * has the CPU's bits where no value is undefined. */
#include "stripes_on_device.h"

#include "device.h"
#include "stripes_cuda.h"

#include <math.h>

static bool has_undefined(SinoPrecision precision, const void *sinogram, size_t bytes)
{
    const size_t each = sino_precision_bytes(precision);
    for (size_t i = 0; i < bytes / each; i++) {
        const double value =
            precision == SINO_DOUBLE ? ((const double *)sinogram)[i] : (double)((const float *)sinogram)[i];
        if (value == 0 && signbit(value)) return true;
    }
    return false;
}

static void run_on_device(const SinoStripesOptions *options, SinoSlices slices, const int64_t *place, void *sinogram,
                          size_t bytes)
{
    const size_t scratch_bytes = (size_t)sino_stripes_cuda_scratch_bytes(options);
    const size_t place_bytes = (size_t)options->angle_count * sizeof *place;
    void *of_sinogram = device_lend(sinogram, bytes), *of_place = device_lend(place, place_bytes);
    void *scratch = memset(device_memory(scratch_bytes), 0xff, scratch_bytes);
    device_check(sino_stripes_run_cuda(NULL, options, slices, of_place, scratch, of_sinogram));
    device_unlend(place, of_place, place_bytes);
    device_return(sinogram, of_sinogram, bytes);
    device_free(scratch);
}

void stripes_run_on_device(const SinoStripes *stripes, SinoSlices slices, const int64_t *place, bool marked,
                           void *scratch, void *sinogram)
{
    const SinoStripesOptions *options = sino_stripes_options(stripes);
    const size_t values = (size_t)(options->angle_count * options->column_count * slices.stride);
    const size_t bytes = values * sino_precision_bytes(slices.precision);
    const bool exact = options->method == SINO_STRIPES_SORTING && !has_undefined(slices.precision, sinogram, bytes);
    void *of_device = device_lend(sinogram, bytes);
    if (sino_stripes_has_cuda(options->method)) run_on_device(options, slices, place, of_device, bytes);
    sino_stripes_run(stripes, slices, place, marked, scratch, sinogram);
    if (exact && memcmp(sinogram, of_device, bytes) != 0) {
        fprintf(stderr, "stripes: the device's sinograms differ from the CPU's\n");
        abort();
    }
    if (sino_stripes_has_cuda(options->method)) memcpy(sinogram, of_device, bytes);
    device_free(of_device);
}
