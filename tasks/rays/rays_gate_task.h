/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks rays_begin and rays_end: many tasks write different parts of one vector of rays at the same time.
 *
 * rays_begin, which writes the vector, comes before these tasks, and rays_end after them. In between, the tasks access
 * the vector as if they read it; those that write the same part are ordered by data of their own. All of them run on
 * cores, whose memory the vector stays in. */
#pragma once

#include "geometry.h"
#include "panel.h"
#include "runtime.h"

/* Number of tasks, at most `most`, that may share a vector of `rows` rows: each has enough to do. */
int64_t sino_useful_parts(SinoSlices slices, int64_t rows, int64_t most);

/* The first row of part i; `rows` for i = part_count. */
int64_t sino_part_first(int64_t rows, int64_t part_count, int64_t i);

/* _begin with `kept`: the tasks also read what the vector had before. */
SinoStatus sino_insert_rays_begin(SinoRuntime *runtime, SinoPosition position, bool kept, SinoData *rays);
SinoStatus sino_insert_rays_end(SinoRuntime *runtime, SinoPosition position, SinoData *rays);

/* In such a task: sets the rays of some angles to 0, of float elements (panel.h). */
void sino_rays_clear(const SinoGeometry *geometry, SinoSlices slices, int64_t first_angle, int64_t angle_count,
                     float *rays);
