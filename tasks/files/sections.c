/* SPDX-License-Identifier: BSD-3-Clause */
/* Sections: three orthogonal planes of a volume, and its largest values along z. */
#include "files_tasks.h"

#include <math.h>
#include <string.h>

static void take(const SinoSections *to, int64_t number, const float *slice)
{
    const int64_t width = to->width, height = to->height;
    if (to->xy && number == to->slice) memcpy(to->xy, slice, (size_t)(width * height) * sizeof *slice);
    if (to->xz) memcpy(to->xz + number * width, slice + height / 2 * width, (size_t)width * sizeof *slice);
    for (int64_t y = 0; to->yz && y < height; y++) to->yz[number * height + y] = slice[y * width + width / 2];
    for (int64_t i = 0; to->maximum && i < width * height; i++) to->maximum[i] = fmaxf(to->maximum[i], slice[i]);
}

void sino_sections_take(const SinoSections *sections, int64_t first_slice, int64_t slice_count, const float *slices)
{
    for (int64_t i = 0; i < slice_count && first_slice + i < sections->slice_count; i++)
        take(sections, first_slice + i, slices + i * sections->width * sections->height);
}
