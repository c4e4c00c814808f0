/* SPDX-License-Identifier: BSD-3-Clause */
/* Brick check: where the arrays of a band lie, and whether memory from elsewhere is a block of bricks. */
#include "brick.h"

#include <stdbool.h>

int64_t sino_brick_band_arrays(const SinoBrickBand *band, int64_t lanes, int64_t precision, SinoBrickArrays *arrays)
{
    const bool mixed = precision == SINO_MIXED;
    uint8_t *const base = (uint8_t *)(uintptr_t)band;
    const int64_t mask_bytes = sino_times(band->brick_count, lanes / 8);
    const int64_t value_bytes =
        sino_times(band->value_count, mixed ? (int64_t)sizeof(uint16_t) : (int64_t)sizeof(float));
    int64_t at = (int64_t)sizeof *band;
    arrays->unit = (float *)(void *)(base + at);
    if (mixed) at += __builtin_popcount(band->rows) * (int64_t)sizeof(float);
    arrays->first = (uint32_t *)(void *)(base + at);
    at += band->visit_count * (int64_t)sizeof(uint32_t);
    arrays->value = base + at;
    if (!mixed) at += value_bytes;
    arrays->mask = base + at;
    at += sino_ceil_multiple(mask_bytes, 4);
    if (mixed) {
        arrays->value = base + at;
        at += sino_ceil_multiple(value_bytes, 4);
    }
    arrays->segment = (uint16_t *)(void *)(base + at);
    at += sino_ceil_multiple(band->segment_count * (int64_t)sizeof(uint16_t), 4);
    arrays->brick = base + at;
    at += sino_ceil_multiple(band->brick_count, 4);
    arrays->segments = base + at;
    return sino_ceil_multiple(at + band->visit_count, 64);
}

static SinoStatus wrong(const char *what)
{
    return sino_error(SINO_BAD_INPUT, "%s", what);
}

/* The counts of a band are small enough that its size does not wrap, and its arrays take the bytes that it has. */
static bool has_size(const SinoBrickHead *head, const SinoBrickBand *band, int64_t bytes, SinoBrickArrays *arrays)
{
    if (bytes < (int64_t)sizeof *band) return false;
    const int64_t counts[] = {band->visit_count, band->segment_count, band->brick_count, band->value_count};
    for (int i = 0; i < 4; i++)
        if (counts[i] < 0 || counts[i] > bytes) return false;
    return sino_brick_band_arrays(band, head->lanes, head->precision, arrays) == bytes;
}

/* The segments of a visit from number `at` on: their rows have a unit, and their bricks are bricks of x. */
static SinoStatus check_segments(const SinoBrickHead *head, const SinoBrickBand *band, const SinoBrickArrays *arrays,
                                 int64_t visit, int64_t at, int64_t *brick)
{
    const int64_t end = at + arrays->segments[visit] + 1;
    if (end > band->segment_count) return wrong("has more segments in visits than in all");
    for (; at < end; at++) {
        const int64_t last = *brick + (arrays->segment[at] & 0xff);
        if (!(band->rows >> (arrays->segment[at] >> 8 & (SINO_BRICK_ROWS - 1)) & 1))
            return wrong("has segments of rows without nonzeros");
        if (last >= band->brick_count) return wrong("has more bricks in segments than in all");
        for (; *brick <= last; (*brick)++)
            if ((int64_t)arrays->first[visit] + arrays->brick[*brick] >= head->brick_count)
                return wrong("has bricks that its voxels do not have");
    }
    return NULL;
}

static SinoStatus check_values(const SinoBrickHead *head, const SinoBrickBand *band, const SinoBrickArrays *arrays)
{
    int64_t values = 0;
    for (int64_t i = 0; i < band->brick_count; i++)
        values += __builtin_popcount(head->lanes == 32 ? ((const uint32_t *)arrays->mask)[i]
                                                       : ((const uint16_t *)arrays->mask)[i]);
    return values == band->value_count ? NULL : wrong("has another number of values than its masks");
}

static SinoStatus check_band(const SinoBrickHead *head, const SinoBrickBand *band, int64_t bytes, int64_t rows)
{
    SinoBrickArrays arrays;
    int64_t segment = 0, brick = 0;
    if (!has_size(head, band, bytes, &arrays)) return wrong("has bands of impossible size");
    if (rows < SINO_BRICK_ROWS && band->rows >> rows != 0) return wrong("has rows behind its last one");
    for (int64_t visit = 0; visit < band->visit_count; visit++) {
        SINO_TRY(check_segments(head, band, &arrays, visit, segment, &brick));
        segment += arrays.segments[visit] + 1;
    }
    if (segment != band->segment_count || brick != band->brick_count)
        return wrong("has other numbers of segments and bricks than its visits");
    return check_values(head, band, &arrays);
}

static SinoStatus check_head(const SinoBrickHead *head, int64_t bytes, int64_t row_count, int64_t brick_count)
{
    if (bytes < (int64_t)sizeof *head || head->bytes != bytes) return wrong("has another size");
    if (head->row_count != row_count || head->brick_count != brick_count) return wrong("has other rows or voxels");
    if ((head->lanes != 16 && head->lanes != 32) || (head->precision != SINO_SINGLE && head->precision != SINO_MIXED))
        return wrong("has other bricks or another precision");
    if (brick_count < 0 || row_count < 0 || row_count > bytes * 4 ||
        sino_brick_head_bytes(row_count) > bytes - SINO_BRICK_TAIL)
        return wrong("is too short for its head");
    return NULL;
}

/* The numbers of the head are told, not used by products. */
static SinoStatus check_totals(const SinoBrickHead *head, const SinoBrickBand *total)
{
    if (head->nonzero_count != total->value_count || head->stored_brick_count != total->brick_count ||
        head->segment_count != total->segment_count)
        return wrong("has another number of nonzeros than its bands");
    return NULL;
}

SinoStatus sino_brick_check(const void *block, int64_t bytes, int64_t row_count, int64_t brick_count)
{
    const SinoBrickHead *head = block;
    SinoBrickBand total = {.visit_count = 0};
    SINO_TRY(check_head(head, bytes, row_count, brick_count));
    const int64_t *offset = sino_brick_offsets(head), bands = sino_brick_band_count(row_count);
    if (offset[0] != sino_brick_head_bytes(row_count) || offset[bands] != bytes - SINO_BRICK_TAIL)
        return wrong("has bands outside its memory");
    for (int64_t b = 0; b < bands; b++) {
        if (offset[b + 1] < offset[b] || offset[b + 1] > offset[bands] || offset[b] % 64 != 0)
            return wrong("has bands outside its memory");
        const SinoBrickBand *band = (const void *)((const char *)block + offset[b]);
        if (offset[b + 1] == offset[b]) continue;
        SINO_TRY(check_band(head, band, offset[b + 1] - offset[b], row_count - b * SINO_BRICK_ROWS));
        total.value_count += band->value_count;
        total.brick_count += band->brick_count;
        total.segment_count += band->segment_count;
    }
    return check_totals(head, &total);
}
