/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM kernels of one instruction set: SINO_ISA names it, SINO_VECTOR_BYTES is the width of its registers. */
#include "spmm_isa.h"

#include "vector.h"

#define UNROLL _Pragma("GCC unroll 8")

#define REAL      float
#define PRECISION SINO_SINGLE
#define LANES     (SINO_VECTOR_BYTES / 4)
#define NAME(x)   x##_single
#include "spmm_tmpl.c"
#undef REAL
#undef PRECISION
#undef LANES
#undef NAME

#define REAL      double
#define PRECISION SINO_DOUBLE
#define LANES     (SINO_VECTOR_BYTES / 8)
#define NAME(x)   x##_double
#include "spmm_tmpl.c"

#define TEXT(name)       #name
#define ISA_TEXT(name)   TEXT(name)
#define PASTE(a, b)      a##b
#define ISA_OBJECT(name) PASTE(sino_spmm_, name)

const SinoSpmmIsa ISA_OBJECT(SINO_ISA) = {
    .name = ISA_TEXT(SINO_ISA),
    .project = {[SINO_SINGLE] = project_single, [SINO_DOUBLE] = project_double},
    .backproject = {[SINO_SINGLE] = backproject_single, [SINO_DOUBLE] = backproject_double}};
