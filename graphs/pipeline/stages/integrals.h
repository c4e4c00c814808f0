/* SPDX-License-Identifier: BSD-3-Clause */
/* Integrals: a whole scan after its stages, in memory.
 *
 * Reconstructions of cone beams take a few projections at a time, but zingers and stripes are found in whole sinograms.
 * With such a stage, all stages run first:
 *
 *     of each slab:  load → stages → integrals
 *
 * and the array that they fill is loaded in place of the scan. */
#pragma once

#include "input.h"

typedef struct SinoIntegrals SinoIntegrals;

/* Whether the input has a stage that needs whole sinograms. */
bool sino_integrals_needed(const SinoInput *input);

/* The input as reconstructions see it: as it is, or, where a stage needs whole sinograms, with *info, which outlives
 * it: line integrals of the rows and columns that the stages make of the scan, which is then NULL. Owns nothing. */
SinoInput sino_integrals_input(const SinoInput *input, SinoScanInfo *info);

/* Bytes of the array; 0: none is needed. And what running the stages takes besides, at least. */
int64_t sino_integrals_bytes(const SinoInput *input);
int64_t sino_integrals_pass_bytes(const SinoInput *input, int64_t worker_count);

/* Runs the stages, within total_bytes of the process, program and array included, and waits for them. *integrals is
 * NULL where they are not needed. The input outlives them. SINO_FAILED: no memory, or the scan cannot be read. */
SinoStatus sino_integrals_new(SinoRuntime *runtime, const SinoInput *input, int64_t total_bytes,
                              SinoIntegrals **integrals);
void sino_integrals_free(SinoIntegrals *integrals); /* takes NULL */

/* Runs the stages of an input of a few rows, and gives its projections of even and of odd number, which do not outlive
 * the other half. The caller frees both, after a failure, too. */
SinoStatus sino_integrals_halves(SinoRuntime *runtime, const SinoInput *input, SinoIntegrals *half[2]);

/* What is reconstructed: `input` itself where `integrals` is NULL. */
const SinoInput *sino_integrals_or(const SinoIntegrals *integrals, const SinoInput *input);
