/* SPDX-License-Identifier: BSD-3-Clause */
/* CSR of one instruction set. csr_isa.c is compiled once per instruction set; csr_cpu.c chooses at run time. */
#pragma once

#include "csr.h"

typedef struct SinoCsrIsa {
    const char *name;
    void (*multiply)(const SinoSparseRows *rows, const float *x, float *y); /* columns are below 2³¹ with gathers */
} SinoCsrIsa;

extern const SinoCsrIsa sino_csr_plain, sino_csr_avx2, sino_csr_avx512;
