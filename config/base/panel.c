/* SPDX-License-Identifier: BSD-3-Clause */
/* Panel: widths, strides and element indices of the layout. */
#include "panel.h"

#include "vector.h"

int64_t sino_panel_width(SinoPrecision precision)
{
    return 2 * sino_vector_bytes() / (precision == SINO_DOUBLE ? (int64_t)sizeof(double) : (int64_t)sizeof(float));
}

int64_t sino_panel_stride(SinoPrecision precision, int64_t slice_count)
{
    const int64_t width = sino_panel_width(precision), rest = slice_count % width;
    int64_t last = 1;
    while (last < rest) last = 2 * last;
    return slice_count - rest + (rest > 0 ? last : 0);
}

SinoPanel sino_panel_at(SinoSlices slices, int64_t first)
{
    const int64_t width = sino_panel_width(slices.precision), left = slices.stride - first;
    const int64_t count = slices.slice_count - first;
    SinoPanel panel = {.first = first, .slices = slices};
    panel.slices.stride = left < width ? left : width;
    panel.slices.slice_count = count < 0 ? 0 : count < panel.slices.stride ? count : panel.slices.stride;
    return panel;
}

int64_t sino_panel_element(SinoSlices slices, int64_t rows, int64_t row, int64_t slice)
{
    const int64_t width = sino_panel_width(slices.precision);
    const SinoPanel panel = sino_panel_at(slices, slice / width * width);
    return panel.first * rows + row * panel.slices.stride + slice - panel.first;
}
