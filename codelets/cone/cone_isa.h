/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone kernels of one instruction set. cone_isa.c is compiled once per instruction set; cone_cpu.c chooses at run time.
 */
#pragma once

#include "cone_backproject.h"

enum {
    SINO_CONE_MARGIN = 64, /* zeros before and after each line in work memory */
    SINO_CONE_PASS = 8     /* projections that are added in one pass over a run: at most */
};

/* One entry, in the unit of integer positions. */
#define SINO_CONE_ONE ((int64_t)1 << 32)

/* A call, prepared. Voxel i of a run is at entry offset + rows_per_voxel·(slope + i) of its lines. */
typedef struct SinoConePass {
    const SinoConeBackprojection *of;
    float *part;
    const double *cosine, *sine; /* [projection], and SINO_CONE_PASS more */
    const double *gain;          /* [projection]: SINO_MIXED: the share of 32767 that an entry of weight 1 gets */
    double offset, slope;
    int64_t origin, doubled_slope; /* offset·SINO_CONE_ONE, and 2·slope */
    double weight_most;            /* at least each (D/depth)² */
    float unit_most;               /* the largest unit */
    int64_t line_stride;           /* entries from line to line in work memory */
    void *line;                    /* [run that shares][projection of the pass][line_stride], zeros */
} SinoConePass;

typedef struct SinoConeIsa {
    const char *name;
    void (*single)(const SinoConePass *pass);
    void (*mixed)(const SinoConePass *pass);
} SinoConeIsa;

extern const SinoConeIsa sino_cone_plain, sino_cone_avx2, sino_cone_avx512, sino_cone_avx512vnni;

/* sino_cone_backproject by a given instruction set. */
void sino_cone_backproject_with(const SinoConeIsa *isa, const SinoConeBackprojection *what, void *scratch, float *part);
