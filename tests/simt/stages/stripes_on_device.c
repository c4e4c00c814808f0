/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_stripes_run by the function of stripes.h where there are kernels for the method, and a look that it agrees
 * with the CPU's where no value is undefined: sorting to the bit, other methods to the rounding of single precision. */
#include "stripes_on_device.h"

#include "simt_device.h"
#include "stripes.h"

#include <math.h>

enum { GUARD = 4096 }; /* bytes behind the scratch memory */

static double value_at(SinoPrecision precision, const void *values, size_t i)
{
    return precision == SINO_DOUBLE ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

static bool is_undefined(double value)
{
    return value == 0 && signbit(value);
}

static bool has_undefined(SinoPrecision precision, const void *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_undefined(value_at(precision, values, i))) return true;
    return false;
}

static void compare(SinoPrecision precision, const void *cpu, const void *device, size_t count, double tolerance)
{
    for (size_t i = 0; i < count; i++) {
        const double a = value_at(precision, cpu, i), b = value_at(precision, device, i);
        const bool near = a == b || fabs(a - b) <= tolerance * fmax(1, fabs(a)); /* both may be infinite */
        if (near && is_undefined(a) == is_undefined(b)) continue;
        fprintf(stderr, "stripes: value %zu is %.9g on cores, %.9g on the device\n", i, a, b);
        abort();
    }
}

static void run_on_device(const SinoStripesOptions *options, SinoSlices slices, const int64_t *place, bool marked,
                          void *sinogram, size_t bytes)
{
    const size_t scratch_bytes = (size_t)sino_stripes_cuda_scratch_bytes(options);
    const size_t place_bytes = (size_t)options->angle_count * sizeof *place;
    void *of_sinogram = device_lend(sinogram, bytes), *of_place = device_lend(place, place_bytes);
    void *const scratch = device_memory(scratch_bytes + GUARD);
    device_check(sino_stripes_run_cuda(NULL, options, slices, of_place, marked, scratch, of_sinogram));
    device_unlend(place, of_place, place_bytes);
    device_return(sinogram, of_sinogram, bytes);
    device_free_guarded(scratch, scratch_bytes, GUARD);
}

void stripes_run_on_device(const SinoStripes *stripes, SinoSlices slices, const int64_t *place, bool marked,
                           void *scratch, void *sinogram)
{
    const SinoStripesOptions *options = sino_stripes_options(stripes);
    const size_t count = (size_t)(options->angle_count * options->column_count * slices.stride);
    const size_t bytes = count * sino_precision_bytes(slices.precision);
    const double tolerance = options->method == SINO_STRIPES_SORTING ? 0 : 4e-6;
    const bool kernels = sino_stripes_cuda_scratch_bytes(options) > 0;
    const bool comparable = !has_undefined(slices.precision, sinogram, count);
    void *of_device = malloc(bytes);
    if (!of_device) abort();
    memcpy(of_device, sinogram, bytes);
    if (kernels) run_on_device(options, slices, place, marked, of_device, bytes);
    sino_stripes_run(stripes, slices, place, marked, scratch, sinogram);
    if (kernels) {
        if (comparable) compare(slices.precision, sinogram, of_device, count, tolerance);
        memcpy(sinogram, of_device, bytes);
    }
    free(of_device);
}
