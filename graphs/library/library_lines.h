/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, lines: where the elements of a caller's arrays lie in the vectors of an operator, of whatever kind it is.
 *
 *     parallel beams   images (S, N, N)    projections (S, K, M)
 *     cone beams       images (Z, Y, X)    projections (K, R, M)    a volume is one slice of the engine
 *     system matrix    images (S, V, 1)    projections (S, R, 1)    R rows, V voxels */
#pragma once

#include "operator.h"
#include "rays_tasks.h"

typedef struct SinoLines SinoLines;

/* The operator is not owned. SINO_FAILED: no memory. */
SinoStatus sino_lines_new(const SinoOperator *op, SinoLines **lines);
void sino_lines_free(SinoLines *lines); /* takes NULL */

enum { SINO_ALL_SUBSETS = -1 };

/* Arrays of a caller, which are borrowed: projections of images, or, `back`, images of projections. */
typedef struct SinoArrays {
    bool back;
    int64_t subset;      /* whose angles or rows the projections have; SINO_ALL_SUBSETS: all, in the caller's order */
    int64_t slice_count; /* S; of cone beams volumes */
    SinoStrided images;
    SinoStrided projections;
    int64_t image_step, projection_step; /* of cone beams: elements from one volume, or its projections, to the next */
} SinoArrays;

/* The sizes of images and of the projections of a subset or of all; 0: S. */
typedef struct SinoArraySizes {
    int64_t images[3], projections[3];
} SinoArraySizes;

SinoArraySizes sino_lines_sizes(const SinoLines *lines, int64_t subset);

/* SINO_BAD_INPUT: the rows of this subset are no range of the caller's rows, as mirrors of the matrix bring others in.
 */
SinoStatus sino_lines_check_subset(const SinoLines *lines, int64_t subset);

/* Images from slice `first` on; not of cone beams. */
SinoStrided sino_lines_images(const SinoArrays *arrays, int64_t first);

/* Insert the tasks between arrays, from slice or volume take.first on, and vectors: of images and the partitions'
 * vectors x; of the projections of the product's subset and its vector y. Towards the operator unless `back` says
 * otherwise. */
SinoStatus sino_lines_move_images(const SinoLines *lines, const SinoArrays *arrays, SinoTake take, bool back,
                                  const SinoProduct *product, SinoData *const *x);
SinoStatus sino_lines_move_projections(const SinoLines *lines, const SinoArrays *arrays, SinoTake take, bool back,
                                       const SinoProduct *product, SinoData *y);

/* Inserts the tasks that give the projections of the product's subset, of parallel beams, where they are sums of
 * partial vectors. scratch: sino_lines_scratch_bytes, of each worker. */
int64_t sino_lines_scratch_bytes(const SinoLines *lines, SinoSlices slices);
SinoStatus sino_lines_give_parts(const SinoLines *lines, const SinoArrays *arrays, SinoTake take,
                                 const SinoProduct *product, const SinoParts *parts, SinoData *scratch);

/* Inserts the tasks that take all projections to the one vector of all rays, whose subsets follow each other. */
SinoStatus sino_lines_take_rays(const SinoLines *lines, const SinoArrays *arrays, SinoTake take,
                                const SinoProduct *product, SinoData *y);
