/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine: what a core can do at best, which a kernel's speed is measured against.
 *
 * The two loops of a roofline (S. Williams et al., Comm. ACM 52, 65, 2009): multiply-adds, on the registers of the SpMM
 * kernels, that never wait for memory, and reading memory without arithmetic to speak of. They cannot be optimised
 * away. */
#ifndef SINO_MACHINE_H
#define SINO_MACHINE_H

#include "precision.h"

/* `rounds` of a fused multiply-add in each of independent chains of registers, in the type that a precision computes
 * in: double, or single for every other one. About 2 ns per round. */
void sino_machine_multiply_add(SinoPrecision precision, int64_t rounds);

/* The floating-point operations of that, two per multiply-add. */
double sino_machine_multiply_add_flops(SinoPrecision precision, int64_t rounds);

/* Reads every byte once, from the first to the last; bytes is a multiple of 8, memory aligned to 8. */
void sino_machine_read(const void *memory, int64_t bytes);

#endif
