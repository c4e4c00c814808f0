/* SPDX-License-Identifier: BSD-3-Clause */
/* Brick: blocks of a matrix with arbitrary entries ≥ 0 (config/geometry/system_matrix.h), and their products. One block
 * serves y = A x, x += Aᵀ y, and a sweep of MLEM, which does both while it reads A once. Reasons: docs/bricks.md.
 *
 * Voxels lie in bricks of 16 or 32 lanes, and bricks in tiles (brick_order.h). A block is one piece of memory without
 * addresses, aligned to 64 bytes:
 *
 *     SinoBrickHead | int64 offset[band_count + 1] | bands, each on 64 bytes | SINO_BRICK_TAIL bytes 0
 *
 * A *band* is SINO_BRICK_ROWS consecutive rows, some 100 KB, so that the second pass of a sweep finds it in L2. Band b
 * has the bytes offset[b] … offset[b + 1] − 1; a band without nonzeros has none. It goes tile by tile, so that the
 * voxels of a tile stay in L1, and in a *visit* of a tile row by row: a *segment* is the bricks of one row in one tile.
 *
 *     SinoBrickBand | float unit[rows with nonzeros] (mixed only) | uint32 first[visit_count]
 *         | float value[value_count] (single) | uint32 or uint16 mask[brick_count] |
 * uint16 value[value_count] (mixed) | uint16 segment[segment_count] | uint8 brick[brick_count] | uint8
 * segments[visit_count]
 *
 * Each array begins on 4 bytes. first: the brick that the numbers of the visit's bricks count from. segments: those of
 * the visit, minus 1. segment: bits 0 … 7 number of bricks minus 1,
 * bits 8 … 12 row of the band, bits 13 … 15 shift s. mask: bit l set when the row has a value for lane l
 * (sino_brick_lane_row); values follow in the order of bits. In a visit, segments with fewer bricks come first, so that
 * processors foresee the ends of loops.
 *
 * Values: single as they are; mixed as whole numbers q of 16 bits, value = q · unit of the row · 2^−s, where the unit
 * is the row's largest value/65535 and s fits the largest value of the segment. Half a unit is the rounding error.
 * Values 0 are left out. Vectors are float for both, and other precisions are not stored.
 *
 * Vectors lie in panels (panel.h) of F count sets (frames, replicates) as of slices: `stride` as of
 * sino_panel_stride(SINO_SINGLE, F). x has brick_count · lanes rows, y the block's row_count rows. All elements must be
 * finite: 0 times infinity would reach voxels beside those of a row. */
#pragma once

#include "arithmetic.h"
#include "brick_order.h"
#include "panel.h"

enum {
    SINO_BRICK_ROWS = 32, /* rows of a band */
    SINO_BRICK_TAIL = 64  /* bytes that kernels may read behind the last band */
};

/* Increases with every change of the bytes that the same rows give; stored blocks carry it. */
enum { SINO_BRICK_VERSION = 1 };

typedef struct SinoBrickHead {
    int64_t bytes;                                            /* of the whole block */
    int64_t row_count;                                        /* of y */
    int64_t brick_count;                                      /* of x */
    int64_t lanes;                                            /* 16 or 32 */
    int64_t precision;                                        /* SINO_SINGLE or SINO_MIXED */
    int64_t nonzero_count, stored_brick_count, segment_count; /* of all bands */
} SinoBrickHead;

typedef struct SinoBrickBand {
    int64_t visit_count, segment_count, brick_count, value_count;
    uint32_t rows; /* bit r: row r of the band has nonzeros */
    uint32_t padding;
} SinoBrickBand;

/* The arrays of a band. */
typedef struct SinoBrickArrays {
    float *unit;
    uint32_t *first;
    void *value, *mask;
    uint16_t *segment;
    uint8_t *brick, *segments;
} SinoBrickArrays;

static inline int64_t sino_brick_band_count(int64_t row_count)
{
    return sino_ceil_divide(row_count, SINO_BRICK_ROWS);
}

/* Bytes before the first band. */
static inline int64_t sino_brick_head_bytes(int64_t row_count)
{
    const int64_t offsets = sino_brick_band_count(row_count) + 1;
    return sino_ceil_multiple((int64_t)sizeof(SinoBrickHead) + offsets * (int64_t)sizeof(int64_t), 64);
}

static inline const int64_t *sino_brick_offsets(const SinoBrickHead *head)
{
    return (const int64_t *)(const void *)(head + 1);
}

/* The row of lane l's voxel in its brick. Lanes of 32 mixed values are interleaved: a register of 32 numbers of 16 bits
 * has those of rows 0 … 15 in the lower halves of its 16 words and those of rows 16 … 31 in the upper ones. */
static inline int64_t sino_brick_lane_row(int64_t lanes, int64_t precision, int64_t lane)
{
    return lanes == 32 && precision == SINO_MIXED ? lane / 2 + lane % 2 * 16 : lane;
}

/* Sets the pointers to the arrays of a band whose counts are set. Returns its bytes, a multiple of 64. */
int64_t sino_brick_band_arrays(const SinoBrickBand *band, int64_t lanes, int64_t precision, SinoBrickArrays *arrays);

/* Checks memory from elsewhere, such as a file: whether it is a block of so many rows and bricks of voxels that no
 * product reads or writes outside the block and its vectors, or goes on forever. Values, units and masks may have any
 * bits. `block`: `bytes` bytes, aligned to 64. SINO_BAD_INPUT: the text is a predicate, such as "has bands outside its
 * memory". */
SinoStatus sino_brick_check(const void *block, int64_t bytes, int64_t row_count, int64_t brick_count);

/* The instruction set in use: "plain", "avx2", "avx512" or "avx512vbmi2". */
const char *sino_brick_isa_name(void);

/* What was counted, and the model of what is expected: ybar = n · (A x) + r. */
typedef struct SinoBrickCounts {
    const float *counts;         /* g: [panel][row][set of the panel]: ≥ 0 */
    const float *multiplicative; /* n: [row], ≥ 0; NULL: all 1 */
    const float *additive;       /* r: as counts, ≥ 0; NULL: all 0 */
} SinoBrickCounts;

/* A block of a matrix that mirrors take to itself, of which it has one row of each orbit (matrix_file.h). Its products
 * take `orientation_count` images that are mirrored each in another way (brick_mirror.h), interleaved as sets are: lane
 * k·F + s of a row of x is orientation k of set s. y has all rows of the orbits, F sets each: row i·orientation_count +
 * k is that of orientation k of the block's row i, so that these, too, are lanes of one row. Where a row is its own
 * mirror image, rows of y repeat others: those that `present` leaves out become 0, and are taken as 0.
 *
 * F = `stride` of its products is a power of two: x has brick_count · lanes rows of orientation_count · F lanes, y
 * row_count · orientation_count rows of F. Counts, n and r are of all rows of y; rows that are left out have counts of
 * 0. */
typedef struct SinoBrickFold {
    int64_t orientation_count; /* a power of two; times F at most SINO_PANEL_MAX */
    const uint8_t *present;    /* [row of the block]: bit k is set if the row of orientation k counts */
} SinoBrickFold;

/* y = A x; every row of y is written. fold NULL, here and below: the block is not folded. */
void sino_brick_project(const void *block, const SinoBrickFold *fold, int64_t stride, const float *x, float *y);

/* x += Aᵀ y. The caller's x is zero before the first block of its sum. */
void sino_brick_backproject(const void *block, const SinoBrickFold *fold, int64_t stride, const float *y, float *x);

/* Sums over the rows of a block, of one count set. The order of the sums is fixed. */
typedef struct SinoBrickSums {
    double log_likelihood; /* Σ g · ln(ybar) − ybar over rows with ybar > 0 */
    double expected;       /* Σ ybar */
    double lost;           /* Σ g of rows with ybar = 0: no voxel can explain these counts */
    double squared;        /* ‖ybar − g‖² */
} SinoBrickSums;

/* x_sum += Aᵀ (n · ratio), ratio = g/ybar, 0 where ybar is not > 0, at most 2⁹⁶; and sums[stride], overwritten. The
 * logarithms are those of sino_brick_compare (brick_isa.h): relative error below 10⁻¹². Rows without nonzeros are
 * counted, too. */
void sino_brick_sweep(const void *block, const SinoBrickFold *fold, int64_t stride, const float *x,
                      const SinoBrickCounts *counts, float *x_sum, SinoBrickSums *sums);
