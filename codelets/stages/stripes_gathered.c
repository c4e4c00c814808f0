/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes on a GPU: how the scratch memory is divided. */
#include "stripes_gathered.h"

#include "stripes.h"

enum { ALIGNMENT = 128 };

/* The next `count` elements of `each` bytes after *bytes. */
static void *take(void *scratch, int64_t count, size_t each, int64_t *bytes)
{
    void *taken = scratch ? (char *)scratch + *bytes : NULL;
    *bytes += sino_ceil_multiple(sino_times(count, (int64_t)each), ALIGNMENT);
    return taken;
}

static void take_sorting(SinoStripesGathered *at, void *scratch, int64_t *bytes)
{
    const bool is_long = at->angle_count > SINO_STRIPES_SHARED_MOST;
    const int64_t values = SINO_STRIPES_SLICES * at->slice_values;
    const int64_t elements = is_long ? (int64_t)2 * SINO_STRIPES_SORTERS * at->angle_count : 0;
    at->medians = take(scratch, values, sizeof *at->medians, bytes);
    at->ranks = take(scratch, values, is_long ? sizeof(uint32_t) : sizeof(uint16_t), bytes);
    at->elements = take(scratch, elements, sizeof *at->elements, bytes);
}

static void take_all(SinoStripesGathered *at, void *scratch, int64_t *bytes)
{
    const int64_t columns = sino_times(SINO_STRIPES_SLICES, at->column_count);
    at->ratio = take(scratch, columns, sizeof *at->ratio, bytes);
    at->smooth = take(scratch, columns, sizeof *at->smooth, bytes);
    at->sequence = take(scratch, 2 * columns, sizeof *at->sequence, bytes);
    at->dead = take(scratch, columns, sizeof *at->dead, bytes);
    at->large = take(scratch, columns, sizeof *at->large, bytes);
}

static void take_ti(SinoStripesGathered *at, void *scratch, int64_t *bytes)
{
    const int64_t orders = 2, diagonals = 2;
    const int64_t columns = sino_times(SINO_STRIPES_SLICES, at->column_count);
    at->sums = take(scratch, SINO_STRIPES_SLICES * at->pitch, sizeof *at->sums, bytes);
    at->means = take(scratch, columns, sizeof *at->means, bytes);
    at->offsets = take(scratch, orders * columns, sizeof *at->offsets, bytes);
    at->below = take(scratch, orders * diagonals * columns, sizeof *at->below, bytes);
    at->least = take(scratch, SINO_STRIPES_SLICES, sizeof *at->least, bytes);
}

static void take_fw(const SinoStripesOptions *options, SinoStripesGathered *at, void *scratch, int64_t *bytes)
{
    int64_t rows = sino_stripes_padded_rows(options->angle_count), columns = options->column_count;
    at->half_pitch = sino_stripes_pitch(sino_stripes_half(rows));
    for (int l = 0; l < sino_stripes_levels(options); l++) { /* a level of a few rows is larger than the one above */
        const int64_t pitch = sino_stripes_pitch(sino_stripes_half(rows)), above = columns;
        rows = sino_stripes_half(rows);
        columns = sino_stripes_half(columns);
        at->half_values = sino_larger(at->half_values, sino_times(above, pitch));
        at->small_values = sino_larger(at->small_values, sino_times(columns, pitch));
        at->removed_values += sino_times(columns, pitch);
    }
    at->half = take(scratch, sino_times(SINO_STRIPES_SLICES, at->half_values), sizeof *at->half, bytes);
    at->small = take(scratch, sino_times(SINO_STRIPES_SLICES, at->small_values), sizeof *at->small, bytes);
    at->rough = take(scratch, sino_times(SINO_STRIPES_SLICES, at->small_values), sizeof *at->rough, bytes);
    at->removed = take(scratch, sino_times(SINO_STRIPES_SLICES, at->removed_values), sizeof *at->removed, bytes);
}

SinoStripesGathered sino_stripes_gathered(const SinoStripesOptions *options, void *scratch, int64_t *bytes)
{
    SinoStripesGathered at = {.angle_count = (int)options->angle_count,
                              .column_count = (int)options->column_count,
                              .pitch = sino_stripes_pitch(options->angle_count)};
    at.slice_values = sino_times(at.pitch, options->column_count);
    *bytes = 0;
    at.values = take(scratch, SINO_STRIPES_SLICES * at.slice_values, sizeof *at.values, bytes);
    at.has_undefined = take(scratch, SINO_STRIPES_SLICES, sizeof *at.has_undefined, bytes);
    at.is_empty = take(scratch, SINO_STRIPES_SLICES * at.pitch, sizeof *at.is_empty, bytes);
    if (options->method == SINO_STRIPES_TI)
        take_ti(&at, scratch, bytes);
    else if (options->method == SINO_STRIPES_FW)
        take_fw(options, &at, scratch, bytes);
    else
        take_sorting(&at, scratch, bytes);
    if (options->method == SINO_STRIPES_VO_ALL) take_all(&at, scratch, bytes);
    return at;
}

int64_t sino_stripes_cuda_scratch_bytes(const SinoStripesOptions *options)
{
    int64_t bytes = 0;
    const bool kernels = options->method != SINO_STRIPES_NONE && options->method != SINO_STRIPES_WIENER;
    if (kernels) (void)sino_stripes_gathered(options, NULL, &bytes);
    return bytes;
}
