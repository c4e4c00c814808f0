/* SPDX-License-Identifier: BSD-3-Clause */
/* Task band: band_primal, band_dual and band_prior are the priors of a volume (codelets/solvers/band.h), for one of its
 * bands. Cores run them, or a GPU that is the only device. */
#pragma once

#include "band.h"
#include "runtime.h"

/* Vectors of a band, and that of the band above or below whose row is read (band.h); NULL: there is none. Data are not
 * owned. state: SinoSliceState[1]. */
typedef struct SinoBandTask {
    SinoBand band;
    SinoData *p, *q, *r, *u, *state;
    SinoData *above, *below;
} SinoBandTask;

/* u from z, p, q and r; above: q. */
SinoStatus sino_insert_band_primal(SinoRuntime *runtime, SinoPosition position, const SinoBandTask *task, SinoData *z);

/* p, q and r from u; below: u. */
SinoStatus sino_insert_band_dual(SinoRuntime *runtime, SinoPosition position, const SinoBandTask *task);

/* z −= θ·∇R(u); above, below: u. */
SinoStatus sino_insert_band_prior(SinoRuntime *runtime, SinoPosition position, const SinoBandTask *task,
                                  const SinoSmoothPrior *prior, SinoData *z);
