/* SPDX-License-Identifier: BSD-3-Clause */
/* Task harden: corrects the sinograms of one minibatch for beam hardening. */
#pragma once

#include "harden.h"
#include "sinogram_rows.h"

/* Inserts harden, which changes the ray_count rows of a minibatch's line integrals in place. */
SinoStatus sino_insert_harden(SinoRuntime *runtime, SinoPosition position, const SinoHardening *hardening,
                              int64_t ray_count, const SinoSinogramRows *rows);
