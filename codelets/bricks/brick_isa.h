/* SPDX-License-Identifier: BSD-3-Clause */
/* Bricks of one instruction set: products of one band and one panel. brick_isa.c is compiled once per instruction set;
 * brick_cpu.c chooses at run time. */
#pragma once

#include "brick.h"
#include "brick_touch.h"
#include "panel.h"

enum {
    SINO_BRICK_GROUP = 8, /* bands that a product takes together, at most */
    SINO_BRICK_GROUP_ROWS = SINO_BRICK_GROUP * SINO_BRICK_ROWS
};

/* A group of consecutive bands, and memory to fetch into L2 meanwhile: the next group, or half of it. Kernels visit the
 * tiles of all bands in order, and of each tile the bands in order: neighbouring bands share voxels in cache, and no
 * sum depends on the group. */
typedef struct SinoBrickWork {
    const SinoBrickHead *head;
    int64_t band_count;
    const SinoBrickBand *band[SINO_BRICK_GROUP]; /* NULL: without nonzeros */
    const char *ahead;
    int64_t ahead_bytes;
} SinoBrickWork;

/* y[band_count · SINO_BRICK_ROWS][width] = the rows of A x, of a panel of `width` slices: 1, 2, 4, 8, 16 or 32. x: the
 * panel. */
typedef void SinoBrickProject(const SinoBrickWork *work, int64_t width, const float *x, float *y);

/* x += Aᵀ y, likewise. */
typedef void SinoBrickBackproject(const SinoBrickWork *work, int64_t width, const float *y, float *x);

/* What a band's rows of A x are compared with, of one panel. */
typedef struct SinoBrickComparison {
    int64_t row_count, width;
    bool empty;                  /* the band has no nonzeros: y is 0 */
    const float *counts;         /* [row][slice of the panel] */
    const float *multiplicative; /* [row]; NULL: 1 */
    const float *additive;       /* [row][slice of the panel]; NULL: 0 */
} SinoBrickComparison;

/* Replaces y[row][width], A x, by n · ratio (brick.h), and adds to sums[width]. Logarithms of float ybar, in double:
 * relative error below 10⁻¹². */
typedef void SinoBrickCompare(const SinoBrickComparison *with, float *y, SinoBrickSums *sums);

/* A panel of OSEM's update: packed weights (brick_touch.h), and what holds for the vectors. */
typedef struct SinoBrickWeighing {
    int64_t brick_count;
    const uint32_t *brick, *mask;
    const float *value;
    int64_t lanes, width;
    const float *masked;         /* of g, [row of voxels]; NULL: 1 */
    float going[SINO_PANEL_MAX]; /* 1: the set goes on; 0: it has stopped */
} SinoBrickWeighing;

/* sino_brick_turn of a panel. */
typedef void SinoBrickTurnPanel(const SinoBrickWeighing *with, float *g, float *x);

typedef struct SinoBrickIsa {
    const char *name;
    SinoBrickProject *project;
    SinoBrickBackproject *backproject;
    SinoBrickCompare *compare;
    SinoBrickTurnPanel *turn;
} SinoBrickIsa;

extern const SinoBrickIsa sino_brick_plain, sino_brick_avx2, sino_brick_avx512, sino_brick_avx512vbmi2;

/* The best one that the processor has. */
const SinoBrickIsa *sino_brick_isa(void);

/* The products of brick.h and the update of brick_touch.h with an instruction set that the processor has; for tests. */
void sino_brick_turn_with(const SinoBrickIsa *isa, const SinoBrickTurn *turn, float *g, float *x);
void sino_brick_project_with(const SinoBrickIsa *isa, const void *block, const SinoBrickFold *fold, int64_t stride,
                             const float *x, float *y);
void sino_brick_backproject_with(const SinoBrickIsa *isa, const void *block, const SinoBrickFold *fold, int64_t stride,
                                 const float *y, float *x);
void sino_brick_sweep_with(const SinoBrickIsa *isa, const void *block, const SinoBrickFold *fold, int64_t stride,
                           const float *x, const SinoBrickCounts *counts, float *x_sum, SinoBrickSums *sums);
