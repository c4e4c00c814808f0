/* SPDX-License-Identifier: BSD-3-Clause */
/* Panel: how the slices of a vector lie in memory (config/panel.h). Before every other .cl file. REAL is float or
 * double. A kernel's work item is (slice, row). */
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

typedef struct Slices {
    int stride, slice_count, panel;
} Slices;

/* Element (row, slice) of a vector of `rows` rows. */
static size_t element(Slices slices, long rows, long row, int slice)
{
    const int first = slice / slices.panel * slices.panel;
    const int width = min(slices.panel, slices.stride - first);
    return (size_t)(first * rows + row * width + (slice - first));
}
