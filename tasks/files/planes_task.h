/* SPDX-License-Identifier: BSD-3-Clause */
/* Task planes: takes what slices have of three planes of the volume. Tasks plane_sums and show_sums: the planes of a
 * volume whose projections come, by their rays alone (plane_sums.h). */
#pragma once

#include "live_page.h"
#include "plane_sums.h"
#include "runtime.h"
#include "sections.h"

/* Slices of a minibatch, and the volume; its arrays are not used. */
typedef struct SinoPlanes {
    SinoSections sections;
    int64_t first_slice, slice_count;
} SinoPlanes;

/* Inserts planes, from `image`, float[slice][height][width], to the planes, as those of SinoLivePage. */
SinoStatus sino_insert_planes(SinoRuntime *runtime, SinoPosition position, const SinoPlanes *planes, SinoData *image,
                              SinoData *const plane[SINO_LIVE_PLANES]);

/* Inserts plane_sums: adds angles to the sums, which lie like the planes of SinoLivePage. */
SinoStatus sino_insert_plane_sums(SinoRuntime *runtime, SinoPosition position, const SinoPlaneSums *what,
                                  SinoData *rays, SinoData *const sums[SINO_LIVE_PLANES]);

/* Planes of sums: of a volume of slice_count slices of side × side voxels. */
typedef struct SinoSumsShown {
    int64_t side, slice_count;
    double scale, mask_ratio; /* as of sino_plane_sums_show */
} SinoSumsShown;

/* Inserts show_sums: makes planes of the sums. */
SinoStatus sino_insert_show_sums(SinoRuntime *runtime, SinoPosition position, const SinoSumsShown *shown,
                                 SinoData *const sums[SINO_LIVE_PLANES], SinoData *const plane[SINO_LIVE_PLANES]);
