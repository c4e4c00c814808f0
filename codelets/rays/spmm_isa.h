/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM kernels of one instruction set. spmm_isa.c is compiled once per instruction set; spmm_cpu.c chooses at run time.
 */
#pragma once

#include "block.h"
#include "half.h"
#include "panel.h"

/* Work memory of one call, beside the vectors. */
typedef struct SinoSpmmScratch SinoSpmmScratch;

/* A part of a block whose tiles no other part meets: pieces of the table, and the tiles that they meet. */
typedef struct SinoSpmmPart {
    int64_t first_piece, end_piece, first_tile, tile_count;
} SinoSpmmPart;

/* The block as one part. */
static inline SinoSpmmPart sino_spmm_whole(const SinoBlockHeader *header)
{
    return (SinoSpmmPart){.end_piece = header->piece_count, .tile_count = header->tile_count};
}

typedef struct SinoSpmmProduct {
    SinoSpmmPart part;
    int64_t stride;
    void *x, *y; /* one is read, the other one accumulates the product; x has the rows of the part's tiles */
    int64_t y_rows;
    const uint32_t *row; /* [ray_count] rows of y that are read; NULL: y has the footprint's rows */
    const float *unit;   /* [stride]: value of a stored half of 1 in the vector that is read; NULL: it has none */
    SinoSpmmScratch *scratch;
} SinoSpmmProduct;

/* y += A x or x += Aᵀ y over the sections of the part. */
typedef void SinoSpmmKernel(const SinoBlockHeader *header, const SinoSpmmProduct *product);

typedef struct SinoSpmmIsa {
    const char *name;
    SinoSpmmKernel *project[SINO_PRECISIONS], *backproject[SINO_PRECISIONS];
    int64_t scratch_bytes;
} SinoSpmmIsa;

extern const SinoSpmmIsa sino_spmm_plain, sino_spmm_avx2, sino_spmm_avx512;

/* The best one that the processor has. */
const SinoSpmmIsa *sino_spmm_isa(void);
