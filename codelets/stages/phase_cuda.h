/* SPDX-License-Identifier: BSD-3-Clause */
/* Phase on a GPU: sino_phase_correct by cuFFT, with all arrays in device memory, including correction->place and
 * flat_at. cuda_stream.h gives the contract of launchers. A row is the same, to the bit, whatever rows and angles are
 * made with it. */
#pragma once

#include "correct_cuda.h"
#include "phase.h"

/* Transforms and a filter's kernel in the memory of the current device. Made, run and freed by one thread, which has
 * the device as the current one; `phase` is borrowed. SINO_FAILED: no memory on the device, or cuFFT refuses. */
typedef struct SinoPhaseCuda SinoPhaseCuda;
SinoStatus sino_phase_cuda_new(const SinoPhase *phase, SinoPhaseCuda **made);
void sino_phase_cuda_free(SinoPhaseCuda *phase); /* takes NULL */
const SinoPhaseOptions *sino_phase_cuda_options(const SinoPhaseCuda *phase);

/* Bytes of device memory of a SinoPhaseCuda, about. */
int64_t sino_phase_cuda_bytes(const SinoPhaseOptions *options);

/* Bytes of the scratch memory, aligned to 64 bytes, for corrections with as many angles and slices; it holds nothing
 * between calls. */
int64_t sino_phase_cuda_scratch_bytes(const SinoPhaseOptions *options, const SinoCorrection *correction);

/* images: made in the place of counts, and without fields; NULL: none. */
SinoStatus sino_phase_correct_cuda(cudaStream_t stream, const SinoPhaseCuda *phase, const SinoCorrection *correction,
                                   const void *counts, const float *flat, const float *dark,
                                   const SinoImagesCuda *images, void *scratch, void *sinogram, int64_t *repaired,
                                   int64_t *tally);
