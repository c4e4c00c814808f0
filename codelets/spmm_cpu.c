/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM: y = A x and x = Aᵀ y of one partition for F interleaved slices, on a CPU core.
 *
 * One voxel row loaded serves the R rays of a group (M. Hidayetoğlu et al., "Petascale XCT", SC 2020, Sec. III-B,
 * reuses lengths over slices; groups reuse voxels over rays as well). */
#include "spmm.h"

#include "panel.h"
#include "spmm_isa.h"
#include "vector.h"

#include <string.h>

/* The best that the processor has. */
static const SinoSpmmIsa *isa(void)
{
#ifdef __x86_64__
    if (sino_vector_bytes() == 64) return &sino_spmm_avx512;
    if (sino_vector_bytes() == 32) return &sino_spmm_avx2;
#endif
    return &sino_spmm_plain;
}

const char *sino_spmm_isa_name(void)
{
    return isa()->name;
}

/* to = A·from or Aᵀ·from, panel after panel. */
static void multiply(const SinoBlockHeader *header, SinoSpmmKernel *kernel, int64_t stride, int64_t from_rows,
                     const void *from, int64_t to_rows, void *to)
{
    const SinoSlices slices = {(SinoPrecision)header->precision, stride, stride};
    memset(to, 0, (size_t)(to_rows * stride) * sino_precision_bytes(slices.precision));
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < stride; at = sino_panel_next(slices, at))
        kernel(header, at.slices.stride, sino_panel_from(at, from_rows, from), sino_panel_to(at, to_rows, to));
}

void sino_spmm_project(const void *block, int64_t stride, const void *x, void *y)
{
    const SinoBlockHeader *header = block;
    multiply(header, isa()->project[header->precision], stride, header->tile_count * SINO_TILE_VOXELS, x,
             header->ray_count, y);
}

void sino_spmm_backproject(const void *block, int64_t stride, const void *y, void *x)
{
    const SinoBlockHeader *header = block;
    multiply(header, isa()->backproject[header->precision], stride, header->ray_count, y,
             header->tile_count * SINO_TILE_VOXELS, x);
}
