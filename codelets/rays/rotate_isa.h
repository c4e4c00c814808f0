/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotate of one instruction set. rotate_isa.c is compiled once per instruction set; rotate_cpu.c chooses at run time,
 * and computes the positions of rays. */
#pragma once

#include "block.h"
#include "rotate.h"

enum {
    SINO_ROTATE_LANES = 16, /* samples that are placed together */
    SINO_ROTATE_REACH = 2,  /* voxels between a sample and the voxels that it sees: at most */
    SINO_ROTATE_TAPS = 4,   /* voxels along a row or column that a sample sees: at most */
    /* Of a super-tile and its reach, across the diagonal: rays, and steps of a ray. */
    SINO_ROTATE_RAYS = 3 * (SINO_SUPER_TILE * SINO_TILE + 2 * SINO_ROTATE_REACH) / 2 + 4,
    /* The same of a tile, and its samples: those of a ray begin anywhere and are placed SINO_ROTATE_LANES at a time. */
    SINO_ROTATE_TILE_RAYS = 3 * (SINO_TILE + 2 * SINO_ROTATE_REACH) / 2 + 4,
    SINO_ROTATE_SAMPLES = SINO_ROTATE_TILE_RAYS * SINO_ROTATE_TILE_RAYS + SINO_ROTATE_LANES,
    SINO_ROTATE_ANGLES = 16, /* of a visit */
    /* Voxels from row to row of a tile in work memory. Rows of a power of two of bytes would share the places of a
     * cache, and stores to one row would hold up loads from another. */
    SINO_ROTATE_ROW = SINO_TILE + 1
};

/* The rays of an angle near a super-tile. Sample m of ray i has the column ray_u[i] + step_u[m] and the row ray_v[i] +
 * step_v[m] of the grid, modulo 2³² units (SINO_ROTATE_BITS). */
typedef struct SinoRotateAngle {
    double cosine, sine;
    double first_s;    /* s of ray 0 */
    double first_t;    /* t of sample 0 of each ray */
    int64_t first_row; /* of ray 0 in y */
    int64_t ray_count, step_count;
    uint32_t ray_u[SINO_ROTATE_RAYS], ray_v[SINO_ROTATE_RAYS];
    uint32_t step_u[SINO_ROTATE_RAYS + SINO_ROTATE_LANES], step_v[SINO_ROTATE_RAYS + SINO_ROTATE_LANES];
} SinoRotateAngle;

/* The samples of the rays of an angle in a tile, ray after ray. */
typedef struct SinoRotateSamples {
    int64_t first_row; /* of the first ray in y */
    int64_t ray_count;
    int32_t begin[SINO_ROTATE_TILE_RAYS + 1]; /* samples of ray i: begin[i] … begin[i + 1] − 1 */
    int32_t voxel[SINO_ROTATE_SAMPLES];       /* place in SinoRotateWork.tile of the first voxel that a sample sees */
    float u[SINO_ROTATE_TAPS][SINO_ROTATE_SAMPLES], v[SINO_ROTATE_TAPS][SINO_ROTATE_SAMPLES]; /* weights along a row,
                                                                                               * along a column */
} SinoRotateSamples;

/* Work memory of a call. */
typedef struct SinoRotateWork {
    SinoRotateAngle angle[SINO_ROTATE_ANGLES];
    SinoRotateSamples samples[SINO_ROTATE_ANGLES];
    float tile[SINO_TILE * SINO_ROTATE_ROW * SINO_PANEL_MAX]; /* of one panel: [row][SINO_ROTATE_ROW][slice] */
} SinoRotateWork;

/* Adds the product of tile `number` of what->tile and the first `angle_count` of work->angle. */
typedef void SinoRotateVisit(const SinoRotate *what, int64_t number, int64_t angle_count, SinoRotateWork *work,
                             const float *from, float *to);

typedef struct SinoRotateIsa {
    const char *name;
    SinoRotateVisit *project, *back;
} SinoRotateIsa;

extern const SinoRotateIsa sino_rotate_plain, sino_rotate_avx2, sino_rotate_avx512;

/* The functions of rotate.h by a given instruction set. */
void sino_rotate_with(const SinoRotateIsa *isa, bool back, const SinoRotate *what, const float *from, void *scratch,
                      float *to);
