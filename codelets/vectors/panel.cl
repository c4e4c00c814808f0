/* SPDX-License-Identifier: BSD-3-Clause */
/* Panel: how the slices of a vector lie in memory (config/base/panel.h). This file comes before every other .cl file. REAL
 * is float or double. A work item of a kernel handles one (slice, row). */
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

typedef struct Slices {
    int stride, slice_count, panel;
} Slices;

/* One slice of a vector: element (row, slice) is base + row·width. */
typedef struct Column {
    long base;
    int width;
} Column;

static Column column_of(Slices slices, long rows, int slice)
{
    const int first = slice / slices.panel * slices.panel;
    const Column column = {.base = first * rows + (slice - first), .width = min(slices.panel, slices.stride - first)};
    return column;
}

static size_t in_column(Column column, long row)
{
    return (size_t)(column.base + row * column.width);
}

/* Index of element (row, slice) in a vector of `rows` rows. */
static size_t element(Slices slices, long rows, long row, int slice)
{
    return in_column(column_of(slices, rows, slice), row);
}
