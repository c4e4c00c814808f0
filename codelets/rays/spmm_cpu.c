/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM: y = A x and x = Aᵀ y of one partition for F interleaved slices, on a CPU core.
 *
 * One load of a voxel's row serves the R rays of a group. M. Hidayetoğlu et al., "Petascale XCT", SC 2020, Sec. III-B,
 * reuse lengths over slices; groups reuse voxels over rays as well. */
#include "spmm.h"

#include "spmm_isa.h"
#include "vector.h"

#include <assert.h>
#include <string.h>

const SinoSpmmIsa *sino_spmm_isa(void)
{
    return SINO_BEST_ISA(sino_spmm);
}

const char *sino_spmm_isa_name(void)
{
    return sino_spmm_isa()->name;
}

size_t sino_spmm_from_bytes(SinoPrecision precision)
{
    return sino_precision_bytes(precision);
}

size_t sino_spmm_to_bytes(SinoPrecision precision)
{
    return precision == SINO_MIXED ? sizeof(float) : sino_precision_bytes(precision);
}

int64_t sino_spmm_scratch_bytes(void)
{
    return sino_spmm_isa()->scratch_bytes;
}

/* The caller's units, or, if there are none, units of 1. */
static const float *units(const float *unit, int64_t stride, float *one)
{
    assert(stride <= SINO_SLICES_MAX);
    for (int64_t f = 0; !unit && f < stride; f++) one[f] = 1;
    return unit ? unit : one;
}

void sino_spmm_project(const void *block, int64_t stride, const void *x, const float *unit, void *y, void *scratch)
{
    const SinoBlockHeader *header = block;
    const bool keeps_unit = header->precision == SINO_HALF;
    float one[SINO_SLICES_MAX];
    const SinoSpmmProduct product = {.part = sino_spmm_whole(header),
                                     .stride = stride,
                                     .x = (void *)x,
                                     .y = y,
                                     .y_rows = header->ray_count,
                                     .unit = units(keeps_unit ? NULL : unit, stride, one),
                                     .scratch = scratch};
    memset(y, 0, (size_t)(header->ray_count * stride) * sino_spmm_to_bytes((SinoPrecision)header->precision));
    sino_spmm_isa()->project[header->precision](header, &product);
}

/* `row`: as of SinoSpmmRows; NULL: y has the footprint's rows. */
static void backproject(const SinoBlockHeader *header, int64_t stride, int64_t y_rows, const uint32_t *row,
                        const void *y, const float *unit, void *x, void *scratch)
{
    const bool keeps_unit = header->precision == SINO_HALF;
    const int64_t elements = header->tile_count * SINO_TILE_VOXELS * stride;
    float one[SINO_SLICES_MAX];
    const SinoSpmmProduct product = {.part = sino_spmm_whole(header),
                                     .stride = stride,
                                     .x = x,
                                     .y = (void *)y,
                                     .y_rows = y_rows,
                                     .row = row,
                                     .unit = units(keeps_unit ? NULL : unit, stride, one),
                                     .scratch = scratch};
    memset(x, 0, (size_t)elements * sino_spmm_to_bytes((SinoPrecision)header->precision));
    sino_spmm_isa()->backproject[header->precision](header, &product);
}

void sino_spmm_backproject(const void *block, int64_t stride, const void *y, const float *unit, void *x, void *scratch)
{
    const SinoBlockHeader *header = block;
    backproject(header, stride, header->ray_count, NULL, y, unit, x, scratch);
}

void sino_spmm_backproject_rows(const void *block, int64_t stride, SinoSpmmRows rows, const void *y, void *x,
                                void *scratch)
{
    const SinoBlockHeader *header = block;
    assert(header->precision == SINO_SINGLE || header->precision == SINO_DOUBLE);
    backproject(header, stride, rows.count, rows.row, y, NULL, x, scratch);
}
