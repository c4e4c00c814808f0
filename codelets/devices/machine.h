/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine: the peak speeds of a core, against which kernels are measured.
 *
 * The two loops of a roofline (S. Williams et al., Comm. ACM 52, 65, 2009): multiply-adds in the registers that SpMM
 * kernels use, which never wait for memory, and reading memory with almost no arithmetic. The compiler cannot optimise
 * them away. */
#pragma once

#include "panel.h"

/* Does `rounds` fused multiply-adds in each of several independent chains of registers, in the type in which the
 * precision computes: double, or single for every other precision. About 2 ns per round. */
void sino_machine_multiply_add(SinoPrecision precision, int64_t rounds);

/* Floating-point operations of that loop, two per multiply-add. */
double sino_machine_multiply_add_flops(SinoPrecision precision, int64_t rounds);

/* Reads every byte once in ascending order; `bytes` is a multiple of 8, `memory` is aligned to 8. */
void sino_machine_read(const void *memory, int64_t bytes);
