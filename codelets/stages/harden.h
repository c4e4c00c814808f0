/* SPDX-License-Identifier: BSD-3-Clause */
/* Harden: corrects line integrals for beam hardening. A beam of many energies loses the soft ones first, so that its
 * line integral grows less than the thickness of the object. A polynomial, which a wedge of the object's material or a
 * simulation gives, makes it proportional again (Herman, Phys. Med. Biol. 24, 81 (1979)):
 *
 *     p' = a₁·p + a₂·p² + … + aₙ·pⁿ */
#pragma once

#include "cuda_stream.h"
#include "panel.h"
#include "status.h"

enum { SINO_HARDEN_MOST = 8 };

typedef struct SinoHardening {
    int64_t count;                        /* n, at most SINO_HARDEN_MOST; 0: no correction */
    double coefficient[SINO_HARDEN_MOST]; /* a₁ … aₙ */
} SinoHardening;

/* Changes `ray_count` rows of line integrals, in panels (panel.h), in place, in double precision. Values −0 are
 * undefined (correct.h), and stay; padding stays 0. n is at least 1. */
void sino_harden(const SinoHardening *hardening, int64_t ray_count, SinoSlices slices, void *sinogram);

/* On a GPU, with the sinogram in device memory (cuda_stream.h). */
SinoStatus sino_harden_cuda(cudaStream_t stream, const SinoHardening *hardening, int64_t ray_count, SinoSlices slices,
                            void *sinogram);
