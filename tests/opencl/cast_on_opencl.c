/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of cast.h by those of cast_opencl.c: linked first, they make the tests of the CPU's test these. */
#include "cast.h"
#include "lend.h"

static size_t bytes_of(SinoSlices slices, int64_t rows, size_t element)
{
    return (size_t)(rows * slices.stride) * element;
}

void sino_cast_units(SinoSlices slices, int64_t rows, const float *x, int exponent, bool first, bool last,
                     SinoCastUnits *units)
{
    const size_t bytes = bytes_of(slices, rows, sizeof *x);
    cl_mem from = lend(x, bytes), to = lend(units, sizeof *units);
    lend_check(sino_cast_units_opencl(lend_device(), slices, rows, from, exponent, first, last, to));
    lend_return(units, to, sizeof *units);
    lend_end(x, from, bytes);
}

void sino_cast_narrow(SinoSlices slices, int64_t rows, const float *x, const SinoCastUnits *units, SinoHalf *to)
{
    const size_t from_bytes = bytes_of(slices, rows, sizeof *x), to_bytes = bytes_of(slices, rows, sizeof *to);
    cl_mem from = lend(x, from_bytes), unit = lend(units, sizeof *units), result = lend(to, to_bytes);
    lend_check(sino_cast_narrow_opencl(lend_device(), slices, rows, from, unit, result));
    lend_return(to, result, to_bytes);
    lend_end(units, unit, sizeof *units);
    lend_end(x, from, from_bytes);
}

void sino_cast_widen(SinoSlices slices, int64_t rows, const SinoHalf *x, const SinoCastUnits *units, float *to)
{
    const size_t from_bytes = bytes_of(slices, rows, sizeof *x), to_bytes = bytes_of(slices, rows, sizeof *to);
    cl_mem from = lend(x, from_bytes), unit = lend(units, sizeof *units), result = lend(to, to_bytes);
    lend_check(sino_cast_widen_opencl(lend_device(), slices, rows, from, unit, result));
    lend_return(to, result, to_bytes);
    lend_end(units, unit, sizeof *units);
    lend_end(x, from, from_bytes);
}
