/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone assemble: runs of voxels become slices of the volume. */
#pragma once

#include "cone_lines.h"
#include "cuda_stream.h"
#include "status.h"

/* Columns x … x + x_count − 1 and rows y … y + y_count − 1 of slices. */
typedef struct SinoConeBox {
    int64_t x, y, x_count, y_count;
} SinoConeBox;

/* Slices first_slice … first_slice + slice_count − 1 of the volume, and the part whose voxels they get. */
typedef struct SinoConeAssembly {
    const SinoCone *cone;
    SinoConeSymmetry symmetry;
    SinoConePart part;
    int64_t first_slice, slice_count;
    SinoConeBox box;    /* of the slices; x_count 0: all of them */
    double scale;       /* output value = scale · voxel */
    int64_t run_voxels; /* floats from run to run of the part; 0: sino_cone_run_voxels */
    double mask_ratio;  /* voxels outside mask_ratio times the inscribed circle's radius are 0; 0: no mask */
} SinoConeAssembly;

static inline SinoConeBox sino_cone_assembly_box(const SinoConeAssembly *of)
{
    return of->box.x_count > 0 ? of->box : (SinoConeBox){0, 0, of->cone->x_count, of->cone->y_count};
}

/* Whether the part has voxels in the box of the slices. */
bool sino_cone_assembly_meets(const SinoConeAssembly *assembly);

/* image[slice][row of the box][column of the box]: the part's voxels are written, all others stay. Safe from many
 * threads at once for different parts. */
void sino_cone_assemble(const SinoConeAssembly *assembly, const float *part, float *image);

/* The inverse, on a CPU core: voxels of the part that are in the slices = scale · image; mask_ratio is not read. Safe
 * from many threads at once for different parts. */
void sino_cone_fill(const SinoConeAssembly *assembly, const float *image, float *part);

/* to[i] += from[i]. Safe from many threads at once. */
void sino_cone_add(int64_t count, const float *from, float *to);

/* sino_cone_assemble on a GPU, bit for bit, with part and image in device memory (cuda_stream.h). */
SinoStatus sino_cone_assemble_cuda(cudaStream_t stream, const SinoConeAssembly *assembly, const float *part,
                                   float *image);
