/* SPDX-License-Identifier: BSD-3-Clause */
/* Task air: normalises the sinograms of one minibatch to the light beside the object. */
#pragma once

#include "air.h"
#include "sinogram_rows.h"

/* Inserts air, which changes a minibatch's line integrals in place. */
SinoStatus sino_insert_air(SinoRuntime *runtime, SinoPosition position, const SinoAir *air,
                           const SinoSinogramRows *rows);
