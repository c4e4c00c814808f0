/* SPDX-License-Identifier: BSD-3-Clause */
/* Cast: converts vectors between floats and halves, with adaptive normalisation (M. Hidayetoğlu et al., "Petascale
 * XCT", SC 2020, Sec. III-C: the largest absolute value scales the stored values).
 *
 * A half stores a share of a unit: value = share·unit. Every slice has its own unit, a power of two, so scaling does
 * not round, and a slice's result does not depend on the other slices. Vectors lie in panels (panel.h) and are single.
 * If the largest share is 2¹⁴, values down to 2⁻²⁴ of it are normal halves. */
#pragma once

#include "cuda_stream.h"
#include "half.h"
#include "opencl_device.h"
#include "panel.h"
#include "status.h"

#include <math.h>
#include <stdbool.h>

/* Units of the slices of one minibatch. */
typedef struct SinoCastUnits {
    float largest[SINO_SLICES_MAX]; /* largest |value| of each slice in the parts of the vector so far */
    float unit[SINO_SLICES_MAX];
} SinoCastUnits;

/* The least power of two u with largest/u < 2^exponent; 1 if `largest` is 0, infinite or NaN. */
SINO_INLINE float sino_cast_unit(float largest, int exponent)
{
    int power;
    if (!(largest > 0) || !isfinite(largest)) return 1;
    (void)frexpf(largest, &power);
    const int least = -126, most = 126; /* the range in which the unit and its reciprocal are normal numbers */
    power -= exponent;
    return ldexpf(1, power < least ? least : power > most ? most : power);
}

/* Updates the largest values with `rows` rows of a vector. A vector may come in parts: `first` starts anew; `last`
 * computes the units, such that shares are below 2^exponent. A slice of zeros, or with an infinite value, gets unit 1.
 * NaN is ignored. */
void sino_cast_units(SinoSlices slices, int64_t rows, const float *x, int exponent, bool first, bool last,
                     SinoCastUnits *units);

/* to = x/unit, rounded to nearest. Shares that exceed the largest half become infinite. */
void sino_cast_narrow(SinoSlices slices, int64_t rows, const float *x, const SinoCastUnits *units, SinoHalf *to);

/* to = x·unit. */
void sino_cast_widen(SinoSlices slices, int64_t rows, const SinoHalf *x, const SinoCastUnits *units, float *to);

/* On a GPU, bit for bit, with vectors and units in device memory, aligned to 16 bytes (cuda_stream.h). */
SinoStatus sino_cast_units_cuda(cudaStream_t stream, SinoSlices slices, int64_t rows, const float *x, int exponent,
                                bool first, bool last, SinoCastUnits *units);

SinoStatus sino_cast_narrow_cuda(cudaStream_t stream, SinoSlices slices, int64_t rows, const float *x,
                                 const SinoCastUnits *units, SinoHalf *to);

SinoStatus sino_cast_widen_cuda(cudaStream_t stream, SinoSlices slices, int64_t rows, const SinoHalf *x,
                                const SinoCastUnits *units, float *to);

/* On an OpenCL device, with buffers of the device (opencl_device.h). */
SinoStatus sino_cast_units_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t rows, cl_mem x, int exponent,
                                  bool first, bool last, cl_mem units);
SinoStatus sino_cast_narrow_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t rows, cl_mem x, cl_mem units,
                                   cl_mem to);
SinoStatus sino_cast_widen_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t rows, cl_mem x, cl_mem units,
                                  cl_mem to);
