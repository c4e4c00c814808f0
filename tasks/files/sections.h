/* SPDX-License-Identifier: BSD-3-Clause */
/* Sections: three orthogonal planes of a volume, and its largest values along z, taken for pictures while its slices
 * are stored. */
#pragma once

#include <stdint.h>

/* Slices of `height` rows of `width` voxels. Whoever fills the structure owns the arrays. */
typedef struct SinoSections {
    int64_t width, height;
    int64_t slice_count; /* of the volume, or of its first set of slices, which the sections show */
    int64_t slice;       /* number of the slice that is copied to xy */
    float *xy;           /* [height][width]; NULL: not wanted */
    float *xz;           /* [slice_count][width], of row height/2; NULL: not wanted */
    float *yz;           /* [slice_count][height], of column width/2; NULL: not wanted */
    float *maximum;      /* [height][width]: of the slices taken; −∞ before the first one; NULL: not wanted */
} SinoSections;

/* Copies what slices[slice_count], of which the first one is slice first_slice of the volume, have of the sections.
 * Slices may come in any order, one caller at a time. */
void sino_sections_take(const SinoSections *sections, int64_t first_slice, int64_t slice_count, const float *slices);
