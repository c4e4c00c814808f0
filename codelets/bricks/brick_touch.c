/* SPDX-License-Identifier: BSD-3-Clause */
/* Brick touch on a CPU core: packs weights, and walks over the panels of an update. */
#include "brick_touch.h"

#include "brick_isa.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

int64_t sino_brick_weights_bytes(int64_t voxel_rows)
{
    const int64_t bricks = sino_ceil_divide(voxel_rows, 16);
    return (int64_t)sizeof(SinoBrickWeights) + sino_times(bricks, 2 * (int64_t)sizeof(uint32_t)) +
           sino_times(voxel_rows, (int64_t)sizeof(float)) + SINO_BRICK_TAIL;
}

static void touch_band(const SinoBrickHead *head, const SinoBrickBand *band, uint8_t *touched)
{
    SinoBrickArrays at;
    (void)sino_brick_band_arrays(band, head->lanes, head->precision, &at);
    for (int64_t v = 0; v < band->visit_count; v++) {
        uint8_t *const tile = touched + at.first[v];
        int64_t bricks = 0;
        for (int i = 0; i <= at.segments[v]; i++) bricks += (*at.segment++ & 0xff) + 1;
        for (int64_t i = 0; i < bricks; i++) tile[at.brick[i]] = 1;
        at.brick += bricks;
    }
}

/* touched[brick] = 1 if a row of the block has a brick there; the others stay as they are. */
static void touch(const SinoBrickHead *head, uint8_t *touched)
{
    const int64_t *offset = sino_brick_offsets(head), bands = sino_brick_band_count(head->row_count);
    for (int64_t b = 0; b < bands; b++)
        if (offset[b + 1] > offset[b]) touch_band(head, (const void *)((const char *)head + offset[b]), touched);
}

/* The arrays of weights whose number of bricks is set. */
static SinoBrickWeighing arrays_of(const SinoBrickWeights *weights)
{
    const uint32_t *brick = (const void *)(weights + 1), *mask = brick + weights->brick_count;
    return (SinoBrickWeighing){.brick_count = weights->brick_count,
                               .brick = brick,
                               .mask = mask,
                               .value = (const void *)(mask + weights->brick_count)};
}

/* Appends the weights above 0 of a brick. Returns their mask. */
static uint32_t pack_brick(int64_t lanes, const float *weight, float **value)
{
    uint32_t mask = 0;
    for (int64_t i = 0; i < lanes; i++) {
        if (!(weight[i] > 0)) continue;
        mask |= (uint32_t)1 << i;
        *(*value)++ = weight[i];
    }
    return mask;
}

SinoStatus sino_brick_weights_pack(const void *block, const float *weight, bool everywhere, SinoBrickWeights *to)
{
    const SinoBrickHead *head = block;
    uint8_t *touched = NULL;
    int64_t count = 0;
    SINO_TRY(sino_allocate(head->brick_count, sizeof *touched, "bricks of a subset", &touched));
    memset(touched, everywhere, (size_t)head->brick_count);
    touch(head, touched);
    for (int64_t b = 0; b < head->brick_count; b++) count += touched[b];
    uint32_t *brick = (void *)(to + 1), *mask = brick + count;
    float *const first = (void *)(mask + count), *value = first;
    for (int64_t b = 0; b < head->brick_count; b++) {
        if (!touched[b]) continue;
        *brick++ = (uint32_t)b;
        *mask++ = pack_brick(head->lanes, weight + b * head->lanes, &value);
    }
    *to = (SinoBrickWeights){.brick_count = count, .value_count = value - first};
    free(touched);
    return NULL;
}

void sino_brick_turn_with(const SinoBrickIsa *with, const SinoBrickTurn *turn, float *g, float *x)
{
    const SinoSlices slices = turn->slices;
    const int64_t rows = turn->brick_count * turn->lanes;
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        SinoBrickWeighing panel = arrays_of(turn->weights);
        panel.lanes = turn->lanes;
        panel.width = at.slices.stride;
        panel.masked = turn->mask;
        for (int64_t f = 0; f < at.slices.slice_count; f++) panel.going[f] = !turn->state[at.first + f].stopped;
        with->turn(&panel, sino_panel_to(at, rows, g), sino_panel_to(at, rows, x));
    }
}

void sino_brick_turn(const SinoBrickTurn *turn, float *g, float *x)
{
    sino_brick_turn_with(sino_brick_isa(), turn, g, x);
}
