/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone pack: filtered projections become lines. A projection is gathered from its panels, column after column; with
 * 16-bit entries its largest value is found first. */
#include "cone_pack.h"

#include "vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

int64_t sino_cone_pack_scratch_bytes(const SinoConePacking *packing)
{
    const int64_t floats = sino_larger(packing->rows.slice_count, packing->angle_count);
    return sino_ceil_multiple(sino_times(floats, sizeof(float)), 64);
}

SINO_VECTORISED static float largest(int64_t count, const float *value)
{
    float most = 0;
    for (int64_t i = 0; i < count; i++) {
        const float size = fabsf(value[i]);
        most = size > most ? size : most;
    }
    return most;
}

static float largest_of_angle(const SinoConePacking *packing, const float *sinogram, int64_t angle)
{
    const int64_t columns = packing->lines->column_count, rays = packing->angle_count * columns;
    float most = 0;
    for (SinoPanel at = sino_panel_at(packing->rows, 0); at.first < packing->rows.slice_count;
         at = sino_panel_next(packing->rows, at)) {
        const int64_t stride = at.slices.stride;
        const float *panel = sino_panel_from(at, rays, sinogram);
        most = fmaxf(most, largest(columns * stride, panel + angle * columns * stride));
    }
    return most;
}

/* Copies all rows of one ray. */
static void gather_rows(const SinoConePacking *packing, const float *sinogram, int64_t ray, float *row)
{
    const int64_t rays = packing->angle_count * packing->lines->column_count;
    for (SinoPanel at = sino_panel_at(packing->rows, 0); at.first < packing->rows.slice_count;
         at = sino_panel_next(packing->rows, at)) {
        const float *panel = sino_panel_from(at, rays, sinogram);
        memcpy(row + at.first, panel + ray * at.slices.stride, (size_t)at.slices.slice_count * sizeof *row);
    }
}

/* The entries of a line, or of a half, that the sinogram has: entry first + i is row from ± i of the sinogram. */
typedef struct Span {
    int64_t first, count, from;
} Span;

static Span span_of(const SinoConePacking *packing, int half)
{
    const SinoConeLines *lines = packing->lines;
    const int64_t rows = packing->rows.slice_count;
    const int64_t entry_0 = sino_cone_entry_row(packing->cone, lines, half) - packing->first_row;
    const int64_t first = half == 0 ? sino_larger(0, -entry_0) : sino_larger(0, entry_0 - (rows - 1));
    const int64_t end = half == 0 ? rows - entry_0 : entry_0 + 1;
    const int64_t count = sino_larger(sino_smaller(end, lines->entry_count) - first, 0);
    return (Span){first, count, half == 0 ? entry_0 + first : entry_0 - first};
}

SINO_VECTORISED static void place_single(int64_t count, const float *row, int step, float *line)
{
    if (step > 0)
        for (int64_t i = 0; i < count; i++) line[i] = row[i];
    else
        for (int64_t i = 0; i < count; i++) line[i] = row[-i];
}

SINO_VECTORISED static void place_mixed(int64_t count, const float *row, int step, float scale, int16_t *line)
{
    if (step > 0)
        for (int64_t i = 0; i < count; i++) line[i] = (int16_t)rintf(row[i] * scale);
    else
        for (int64_t i = 0; i < count; i++) line[i] = (int16_t)rintf(row[-i] * scale);
}

/* Writes one line: zeros, and the span. */
static void place_line(const SinoConePacking *packing, Span span, int half, const float *row, float scale, void *line)
{
    const SinoConeLines *lines = packing->lines;
    const int step = half == 0 ? 1 : -1;
    memset(line, 0, (size_t)(lines->entry_count * sino_cone_entry_bytes(lines)));
    if (span.count == 0) return;
    if (lines->precision == SINO_MIXED)
        place_mixed(span.count, row + span.from, step, scale, (int16_t *)line + span.first);
    else
        place_single(span.count, row + span.from, step, (float *)line + span.first);
}

void sino_cone_pack(const SinoConePacking *packing, const float *sinogram, void *scratch, void *line, float *unit)
{
    const SinoConeLines *lines = packing->lines;
    const int halves = lines->symmetry.halves;
    const int64_t columns = lines->column_count, entry_bytes = sino_cone_entry_bytes(lines);
    const int64_t projection_bytes = sino_times(sino_cone_projection_entries(lines), entry_bytes);
    for (int64_t k = 0; k < packing->angle_count; k++) {
        char *projection = (char *)line + k * projection_bytes;
        float scale = 1;
        if (lines->precision == SINO_MIXED) {
            const float most = largest_of_angle(packing, sinogram, k);
            const bool counts = most > FLT_MIN * SINO_CONE_LARGEST;
            unit[k] = counts ? most / SINO_CONE_LARGEST : 0;
            scale = counts ? SINO_CONE_LARGEST / most : 0;
        }
        for (int64_t c = 0; c < columns; c++) {
            gather_rows(packing, sinogram, k * columns + c, scratch);
            for (int half = 0; half < halves; half++)
                place_line(packing, span_of(packing, half), half, scratch, scale,
                           projection + sino_cone_line(lines, half, c) * entry_bytes);
        }
    }
}
