/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone project of one instruction set. cone_project_isa.c is compiled once per instruction set; cone_project_cpu.c
 * chooses at run time. */
#pragma once

#include "cone_project.h"

#include <stdbool.h>

enum {
    SINO_CONE_LANES = 16, /* rows, or voxels along z, that are computed together: at most */
    SINO_CONE_LANES_LEAST = 8,
    SINO_CONE_BORDER = 64, /* zeros before and after each line in work memory */
    SINO_CONE_STEPS = 4,   /* steps of rays whose lines are in work memory at a time */
    SINO_CONE_BOX_X = 64,  /* voxels of a box */
    SINO_CONE_BOX_Y = 16,
    SINO_CONE_BOX_Z = 64,
    SINO_CONE_BOX_BORDER = 3, /* zeros along each side of a box: one before, two after */
    SINO_CONE_BOX_FLOATS = (SINO_CONE_BOX_X + SINO_CONE_BOX_BORDER) * (SINO_CONE_BOX_Y + SINO_CONE_BOX_BORDER) *
                           (SINO_CONE_BOX_Z + SINO_CONE_BOX_BORDER)
};

/* The work memory of a call. Lines of voxels and rows have SINO_CONE_BORDER zeros before and after. */
typedef struct SinoConeWork {
    float *line;         /* [SINO_CONE_STEPS][line_stride]: voxels along z between two runs; the first one's voxel 0 */
    int64_t line_stride; /* floats */
    float *row;          /* values of the rays of a column, entry 0 */
    float *sum;          /* [rows, to the next multiple of SINO_CONE_LANES] */
    float *share;        /* [SINO_CONE_STEPS][group_count]: place of a group's first lane in its entry */
    int32_t *base;       /* likewise: that entry */
    float *box;          /* a copy of a box with zeros around; NULL: not of views */
    int64_t group_count; /* groups of lanes of the longer of lines and rows */
} SinoConeWork;

typedef void SinoConeProject(const SinoCone *cone, SinoConeBand band, SinoConeAngles angles, const SinoConeWork *work,
                             const float *from, float *to);

typedef struct SinoConeProjectIsa {
    const char *name;
    SinoConeProject *project, *back;
} SinoConeProjectIsa;

extern const SinoConeProjectIsa sino_cone_project_plain, sino_cone_project_avx2, sino_cone_project_avx512;

/* The functions of cone_project.h by a given instruction set. */
void sino_cone_project_with(const SinoConeProjectIsa *isa, bool back, const SinoCone *cone, SinoConeBand band,
                            SinoConeAngles angles, const float *from, void *scratch, float *to);
