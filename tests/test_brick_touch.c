/* SPDX-License-Identifier: BSD-3-Clause */
/* Brick touch: which bricks the rows of a block meet, and the update of OSEM in these bricks, in double and against the
 * formula that updates all voxels. */
#include "brick_pack.h"
#include "brick_touch.h"
#include "memory.h"
#include "testing.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows of so many entries each. */
typedef struct Form {
    int64_t rows, columns, entries;
    int lanes;
} Form;

static const Form forms[] = {{40, 5000, 3, 32}, {70, 900, 40, 16}, {1, 33, 1, 32}, {33, 100000, 1, 16}, {5, 64, 0, 32}};
enum { FORMS = sizeof forms / sizeof *forms };

static uint64_t random_bits(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

typedef struct Subject {
    SinoBrickOrder *order;
    SinoBrickHead *block;
    uint8_t *met; /* [brick]: 1 if an entry lies in it */
} Subject;

static Subject new_subject(const Form *form, SinoPrecision precision)
{
    const SinoVoxelGrid grid = {.x_count = form->columns, .y_count = 1, .z_count = 1};
    const SinoBrickShape shape = {{form->lanes, 1, 1}, {100, 1, 1}};
    const int64_t entries = form->rows * form->entries;
    Subject subject = {.order = NULL};
    SinoSparseRows rows = {.row_count = form->rows};
    uint64_t seed = 1;
    assert_success(sino_allocate(form->rows + 1, sizeof *rows.start, "test", &rows.start));
    assert_success(sino_allocate(entries + 1, sizeof *rows.column, "test", &rows.column));
    assert_success(sino_allocate(entries + 1, sizeof *rows.value, "test", &rows.value));
    for (int64_t i = 0; i <= form->rows; i++) rows.start[i] = i * form->entries;
    for (int64_t i = 0; i < entries; i++) {
        const int64_t part = form->columns / form->entries; /* one entry of the row in each part */
        rows.column[i] = (uint32_t)((uint64_t)(i % form->entries * part) + random_bits(&seed) % (uint64_t)part);
        rows.value[i] = (float)(1 + random_bits(&seed) % 1000) / 64;
    }
    assert_success(sino_brick_order_of_grid(&grid, &shape, &subject.order));
    assert_success(sino_brick_pack(subject.order, precision, &rows, &subject.block));
    assert_success(sino_allocate(subject.block->brick_count, 1, "test", &subject.met));
    for (int64_t i = 0; i < entries; i++) subject.met[subject.order->place[rows.column[i]] / (uint32_t)form->lanes] = 1;
    free(rows.start);
    free(rows.column);
    free(rows.value);
    return subject;
}

static void free_subject(Subject *subject)
{
    sino_brick_order_free(subject->order);
    sino_free_large(subject->block);
    free(subject->met);
}

static uint8_t *touched_of(const SinoBrickHead *block)
{
    const int64_t bytes = sino_brick_touched_bytes(block->brick_count * block->lanes);
    uint8_t *touched;
    assert_true(bytes >= block->brick_count && bytes % 8 == 0);
    assert_success(sino_allocate(bytes, 1, "test", &touched));
    memset(touched, 0xff, (size_t)bytes);
    sino_brick_touched(block, touched);
    for (int64_t i = block->brick_count; i < bytes; i++) assert_int_equal(touched[i], 0);
    return touched;
}

static void bricks_of_the_entries_are_touched(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++)
        for (int p = 0; p < 2; p++) {
            Subject subject = new_subject(&forms[f], p ? SINO_MIXED : SINO_SINGLE);
            uint8_t *touched = touched_of(subject.block);
            assert_memory_equal(touched, subject.met, (size_t)subject.block->brick_count);
            free(touched);
            free_subject(&subject);
        }
}

static float *new_values(int64_t count, uint64_t seed, int zeros)
{
    float *value;
    assert_success(sino_allocate(count, sizeof *value, "test", &value));
    for (int64_t i = 0; i < count; i++)
        value[i] = (int)(random_bits(&seed) % 8) < zeros ? 0 : (float)(1 + random_bits(&seed) % 1000) / 128;
    return value;
}

/* What a voxel becomes, in double; subnormal results are 0. */
static double expected_of(double x, double g, double weight, bool goes_on)
{
    const double next = goes_on && weight > 0 ? x * g * weight : x;
    return next < (double)FLT_MIN ? 0 : next;
}

/* The last set has stopped, if there are several. Some voxels are about to vanish. */
static void check_turn(const Subject *subject, int64_t sets, bool masked)
{
    const SinoSlices slices = {
        .precision = SINO_SINGLE, .stride = sino_panel_stride(SINO_SINGLE, sets), .slice_count = sets};
    const SinoBrickHead *block = subject->block;
    const int64_t rows = block->brick_count * block->lanes, count = rows * slices.stride;
    SinoSliceState state[SINO_PANEL_MAX + 1] = {{.stopped = 0}};
    float *g = new_values(count, 2, 1), *x = new_values(count, 3, 2), *weight = new_values(rows, 4, 3);
    float *mask = new_values(rows, 5, 4), *before_g = new_values(count, 2, 1), *before = new_values(count, 3, 2);
    float *formula = new_values(count, 3, 2);
    uint8_t *touched = touched_of(block);
    for (int64_t i = 0; i < rows; i++) {
        mask[i] = mask[i] > 0;
        if (!subject->met[i / block->lanes]) weight[i] = 0;
    }
    for (int64_t i = 0; i < count; i += 7) x[i] = before[i] = formula[i] = x[i] * 0x1p-126F;
    for (int64_t i = 0; i < count; i++) x[i] = before[i] = formula[i] = x[i] < FLT_MIN ? 0 : x[i];
    if (sets > 1) state[sets - 1].stopped = 1;
    sino_brick_turn(&(SinoBrickTurn){.slices = slices,
                                     .brick_count = block->brick_count,
                                     .lanes = block->lanes,
                                     .touched = touched,
                                     .state = state,
                                     .weight = weight,
                                     .mask = masked ? mask : NULL},
                    g, x);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t s = 0; s < sets; s++) {
            const int64_t at = sino_panel_element(slices, rows, i, s);
            const double part = (double)before_g[at] * (masked ? (double)mask[i] : 1);
            const double expected = expected_of((double)before[at], part, (double)weight[i], !state[s].stopped);
            if (!(fabs((double)x[at] - expected) <= 3e-7 * expected + (double)FLT_MIN * 1e-6))
                fail_msg("voxel %d of set %d: %g, not %g", (int)i, (int)s, (double)x[at], expected);
            assert_true(g[at] == (subject->met[i / block->lanes] ? 0 : before_g[at]));
            if (masked) before_g[at] *= mask[i];
        }
    const SinoUpdate update = {.formula = SINO_UPDATE_VOXELS_MLEM, .slices = slices, .rows = rows};
    sino_update(&update, (void *[SINO_UPDATE_VECTORS]){before_g, weight, formula}, state, NULL);
    assert_memory_equal(x, formula, (size_t)count * sizeof *x);
    free(g), free(x), free(weight), free(mask);
    free(before_g), free(before), free(formula), free(touched);
}

static void touched_voxels_are_updated(void **state)
{
    static const int64_t sets[] = {1, 2, 3, 8, 33};
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        Subject subject = new_subject(&forms[f], SINO_MIXED);
        for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
            for (int masked = 0; masked < 2; masked++) check_turn(&subject, sets[s], masked);
        free_subject(&subject);
    }
}

TESTING_SUBJECT(brick_touch)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bricks_of_the_entries_are_touched),
        cmocka_unit_test(touched_voxels_are_updated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
