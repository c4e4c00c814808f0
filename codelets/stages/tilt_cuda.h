/* SPDX-License-Identifier: BSD-3-Clause */
/* Tilt on a GPU: sino_tilt_correct with all arrays in device memory, including correction->place and flat_at.
 * cuda_stream.h gives the contract of launchers. A row is the same, to the bit, whatever rows and angles are made with
 * it. */
#pragma once

#include "phase_cuda.h"
#include "tilt.h"

/* Bytes of the scratch memory, aligned to 64 bytes, for corrections with as many angles and slices; it holds nothing
 * between calls. phase: the filter that follows; NULL: none. */
int64_t sino_tilt_cuda_scratch_bytes(const SinoTilt *tilt, const SinoPhaseOptions *phase,
                                     const SinoCorrection *correction);

SinoStatus sino_tilt_correct_cuda(cudaStream_t stream, const SinoTilt *tilt, const SinoPhaseCuda *phase,
                                  const SinoCorrection *correction, const void *counts, const float *flat,
                                  const float *dark, void *scratch, void *sinogram, int64_t *repaired, int64_t *tally);
