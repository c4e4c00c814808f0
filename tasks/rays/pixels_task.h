/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks pixels_project and pixels_back: products of a parallel beam and the pixels of a partition, without a matrix. */
#pragma once

#include "pixels.h"
#include "runtime.h"

/* What a core takes for a pixel, angle and slice of a minibatch of so many slices, in flops of a product: measured in
 * docs/lab/projectors.md. Four slices share places and weights. */
enum { SINO_PIXELS_SHARING = 4 };
double sino_pixels_flops(SinoPixelWeights weights, int64_t slices);

/* Inserts pixels_project, which adds the rays of the angles of `what`, with lengths as weights. The rays are writable
 * between rays_begin and rays_end (rays_gate_task.h); `order`, void data, orders the tasks of the same angles, of which
 * the first clears the rays. */
SinoStatus sino_insert_pixels_project(SinoRuntime *runtime, SinoPosition position, const SinoPixels *what, bool first,
                                      SinoData *pixels, SinoData *scratch, SinoData *order, SinoData *rays);

/* Inserts pixels_back, which adds to the pixels of what->tile; `first`: they are 0 before. The arrays of `what` outlive
 * the task. */
SinoStatus sino_insert_pixels_back(SinoRuntime *runtime, SinoPosition position, const SinoPixels *what, bool first,
                                   SinoData *rays, SinoData *scratch, SinoData *pixels);
