/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM kernels of one instruction set: spmm_isa.c is compiled once for each, spmm_cpu.c chooses. */
#ifndef SINO_SPMM_ISA_H
#define SINO_SPMM_ISA_H

#include "block.h"

/* to += A·from or Aᵀ·from, over the block's tiles. */
typedef void SinoSpmmKernel(const SinoBlockHeader *header, int64_t stride, const void *from, void *to);

typedef struct SinoSpmmIsa {
    const char *name;
    SinoSpmmKernel *project[2], *backproject[2]; /* by SinoPrecision */
} SinoSpmmIsa;

extern const SinoSpmmIsa sino_spmm_plain, sino_spmm_avx2, sino_spmm_avx512;

#endif
