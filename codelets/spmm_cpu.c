/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM: y = A x and x = Aᵀ y of one partition for F interleaved slices, on a CPU core.
 *
 * One voxel row loaded serves the R rays of a group (M. Hidayetoğlu et al., "Petascale XCT", SC 2020, Sec. III-B,
 * reuses lengths over slices; groups reuse voxels over rays as well). */
#include "spmm.h"

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

int64_t sino_spmm_stride(int64_t slice_count)
{
    if (slice_count > 4) return (slice_count + 7) / 8 * 8;
    return slice_count == 3 ? 4 : slice_count;
}

void sino_spmm_project(const void *block, int64_t stride, const void *x, void *y)
{
    const SinoBlockHeader *header = block;
    memset(y, 0, (size_t)(header->ray_count * stride) * sino_precision_bytes((SinoPrecision)header->precision));
    isa()->project[header->precision](header, stride, x, y);
}

void sino_spmm_backproject(const void *block, int64_t stride, const void *y, void *x)
{
    const SinoBlockHeader *header = block;
    const int64_t elements = header->tile_count * SINO_TILE_VOXELS * stride;
    memset(x, 0, (size_t)elements * sino_precision_bytes((SinoPrecision)header->precision));
    isa()->backproject[header->precision](header, stride, y, x);
}
