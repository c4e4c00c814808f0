/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of cast.h by those of cast_cuda.cu: linked first, they make the tests of the CPU's test these. */
#include "cast.h"

#include "simt_device.h"

void sino_cast_units(SinoSlices slices, int64_t rows, const float *x, int exponent, bool first, bool last,
                     SinoCastUnits *units)
{
    const size_t bytes = (size_t)(rows * slices.stride) * sizeof *x;
    void *of_x = device_lend(x, bytes), *of_units = device_lend(units, sizeof *units);
    device_check(sino_cast_units_cuda(NULL, slices, rows, of_x, exponent, first, last, of_units));
    device_unlend(x, of_x, bytes);
    device_return(units, of_units, sizeof *units);
}

void sino_cast_narrow(SinoSlices slices, int64_t rows, const float *x, const SinoCastUnits *units, SinoHalf *to)
{
    const size_t count = (size_t)(rows * slices.stride);
    void *of_x = device_lend(x, count * sizeof *x), *of_units = device_lend(units, sizeof *units);
    void *of_to = device_lend(to, count * sizeof *to);
    device_check(sino_cast_narrow_cuda(NULL, slices, rows, of_x, of_units, of_to));
    device_unlend(x, of_x, count * sizeof *x);
    device_unlend(units, of_units, sizeof *units);
    device_return(to, of_to, count * sizeof *to);
}

void sino_cast_widen(SinoSlices slices, int64_t rows, const SinoHalf *x, const SinoCastUnits *units, float *to)
{
    const size_t count = (size_t)(rows * slices.stride);
    void *of_x = device_lend(x, count * sizeof *x), *of_units = device_lend(units, sizeof *units);
    void *of_to = device_lend(to, count * sizeof *to);
    device_check(sino_cast_widen_cuda(NULL, slices, rows, of_x, of_units, of_to));
    device_unlend(x, of_x, count * sizeof *x);
    device_unlend(units, of_units, sizeof *units);
    device_return(to, of_to, count * sizeof *to);
}
