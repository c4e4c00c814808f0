/* SPDX-License-Identifier: BSD-3-Clause */
/* Brick touch on a CPU core. Bricks are visited in the order of their voxels, which caches fetch ahead. */
#include "brick_touch.h"

#include "vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    WORD = sizeof(uint64_t), /* bytes of a map that are looked at together */
    AHEAD = 3 * WORD         /* bytes: the weights of their bricks are on their way */
};

int64_t sino_brick_touched_bytes(int64_t voxel_rows)
{
    return sino_ceil_multiple(sino_ceil_divide(voxel_rows, 16), WORD);
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

void sino_brick_touched(const void *block, uint8_t *touched)
{
    const SinoBrickHead *head = block;
    const int64_t *offset = sino_brick_offsets(head), bands = sino_brick_band_count(head->row_count);
    memset(touched, 0, (size_t)sino_brick_touched_bytes(sino_times(head->brick_count, head->lanes)));
    for (int64_t b = 0; b < bands; b++)
        if (offset[b + 1] > offset[b]) touch_band(head, (const void *)((const char *)head + offset[b]), touched);
}

/* The new value of a voxel: SINO_UPDATE_VOXELS_MLEM. No branches, since weights of subsets are 0 in no pattern. */
SINO_INLINE float next_value(float x, float g, float weight, bool goes_on)
{
    const bool usable = goes_on && weight > 0;
    const float next = x * (usable ? g : 1) * (usable ? weight : 1);
    return fabsf(next) < FLT_MIN ? 0 : next;
}

/* A panel of the vectors. Its arrays do not overlap. */
typedef struct Panel {
    int64_t width;
    const float *restrict weight, *restrict mask;
    float going[SINO_PANEL_MAX];
    float *restrict g, *restrict x;
} Panel;

/* One set: lanes are voxels. */
SINO_INLINE void turn_voxels(const Panel *panel, int64_t first, int64_t lanes)
{
    const float *restrict weight = panel->weight + first, *restrict mask = panel->mask ? panel->mask + first : NULL;
    float *restrict g = panel->g + first, *restrict x = panel->x + first;
    for (int64_t i = 0; i < lanes; i++) {
        x[i] = next_value(x[i], mask ? g[i] * mask[i] : g[i], weight[i], true);
        g[i] = 0;
    }
}

SINO_INLINE void turn_sets(const Panel *panel, int64_t first, int64_t lanes)
{
    const int64_t width = panel->width;
    for (int64_t row = first; row < first + lanes; row++) {
        const float weight = panel->weight[row], mask = panel->mask ? panel->mask[row] : 1;
        float *restrict g = panel->g + row * width, *restrict x = panel->x + row * width;
        for (int64_t f = 0; f < width; f++) {
            x[f] = next_value(x[f], g[f] * mask, weight, panel->going[f] > 0);
            g[f] = 0;
        }
    }
}

/* Callers give constant lanes, so that the loops over a brick have no rest. */
SINO_INLINE void turn_brick(const Panel *panel, int64_t brick, int64_t lanes)
{
    if (panel->width > 1 || panel->going[0] == 0)
        turn_sets(panel, brick * lanes, lanes);
    else
        turn_voxels(panel, brick * lanes, lanes);
}

/* The word of the map that begins with brick `first`. */
static uint64_t word_at(const SinoBrickTurn *turn, int64_t first)
{
    uint64_t word;
    memcpy(&word, turn->touched + first, WORD);
    return word;
}

/* Weights come from memory, since those of all subsets exceed caches; processors foresee addresses in a page only. */
SINO_INLINE void fetch_weights(const SinoBrickTurn *turn, int64_t first)
{
    if (first >= turn->brick_count) return;
    for (uint64_t word = word_at(turn, first); word; word &= word - 1) {
        const float *weight = turn->weight + (first + __builtin_ctzll(word) / 8) * turn->lanes;
        __builtin_prefetch(weight);
        if (turn->lanes > 16) __builtin_prefetch(weight + 16);
    }
}

/* Bytes of a map are 0 or 1: the trailing zeros of a word tell the next brick, as the lowest byte comes first. */
SINO_VECTORISED static void turn_panel(const SinoBrickTurn *turn, const Panel *panel)
{
    for (int64_t first = 0; first < turn->brick_count; first += WORD) {
        fetch_weights(turn, first + AHEAD);
        for (uint64_t word = word_at(turn, first); word; word &= word - 1) {
            const int64_t brick = first + __builtin_ctzll(word) / 8;
            if (turn->lanes == 32)
                turn_brick(panel, brick, 32);
            else
                turn_brick(panel, brick, 16);
        }
    }
}

void sino_brick_turn(const SinoBrickTurn *turn, float *g, float *x)
{
    const SinoSlices slices = turn->slices;
    const int64_t rows = turn->brick_count * turn->lanes;
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        Panel panel = {.width = at.slices.stride,
                       .weight = turn->weight,
                       .mask = turn->mask,
                       .g = sino_panel_to(at, rows, g),
                       .x = sino_panel_to(at, rows, x)};
        for (int64_t f = 0; f < at.slices.slice_count; f++) panel.going[f] = !turn->state[at.first + f].stopped;
        turn_panel(turn, &panel);
    }
}
