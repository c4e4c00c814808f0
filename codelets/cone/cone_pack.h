/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone pack: filtered projections become the lines that backprojection reads (cone_lines.h). */
#pragma once

#include "cone_lines.h"
#include "cuda_stream.h"
#include "panel.h"
#include "status.h"

/* `rows`: detector rows of the sinogram (single precision), of which slice f is row first_row + f. */
typedef struct SinoConePacking {
    const SinoCone *cone;
    const SinoConeLines *lines;
    SinoSlices rows;
    int64_t first_row;
    int64_t angle_count; /* of the sinogram */
} SinoConePacking;

/* Bytes of work memory of one call, on a core or a GPU; 64-byte aligned. */
int64_t sino_cone_pack_scratch_bytes(const SinoConePacking *packing);

/* Fills line[angle][half][column][entry] from a sinogram, angle_count·M rows in panels (panel.h). Rows that the
 * sinogram lacks become 0. With SINO_MIXED unit[angle] becomes the value of an entry of 1: the projection's largest
 * absolute value/SINO_CONE_LARGEST; else unit is not used. Safe from many threads at once. */
void sino_cone_pack(const SinoConePacking *packing, const float *sinogram, void *scratch, void *line, float *unit);

/* On a GPU, bit for bit, with sinogram, scratch, line and unit in device memory, aligned to 16 bytes (cuda_stream.h).
 */
SinoStatus sino_cone_pack_cuda(cudaStream_t stream, const SinoConePacking *packing, const float *sinogram,
                               void *scratch, void *line, float *unit);
