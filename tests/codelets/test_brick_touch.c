/* SPDX-License-Identifier: BSD-3-Clause */
/* Brick touch: which bricks the rows of a block meet, and the update of OSEM in these bricks, in double and against the
 * formula that updates all voxels. */
#include "brick_isa.h"
#include "brick_pack.h"
#include "memory.h"
#include "testing.h"
#include "vector.h"

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

/* The weights of a subject's voxels, packed. */
static SinoBrickWeights *packed_of(const Subject *subject, const float *weight, bool everywhere)
{
    const SinoBrickHead *block = subject->block;
    const int64_t bytes = sino_brick_weights_bytes(block->brick_count * block->lanes);
    SinoBrickWeights *packed;
    assert_success(sino_allocate(bytes, 1, "test", &packed));
    memset(packed, 0xff, (size_t)bytes);
    assert_success(sino_brick_weights_pack(block, weight, everywhere, packed));
    return packed;
}

static float *new_values(int64_t count, uint64_t seed, int zeros)
{
    float *value;
    assert_success(sino_allocate(count, sizeof *value, "test", &value));
    for (int64_t i = 0; i < count; i++)
        value[i] = (int)(random_bits(&seed) % 8) < zeros ? 0 : (float)(1 + random_bits(&seed) % 1000) / 128;
    return value;
}

/* Weights of bricks that no entry lies in count with `everywhere` alone; a NaN is no weight. */
static void check_packed(const Subject *subject, bool everywhere)
{
    const SinoBrickHead *block = subject->block;
    const int64_t lanes = block->lanes;
    float *weight = new_values(block->brick_count * lanes, 4, 3);
    weight[0] = NAN;
    SinoBrickWeights *packed = packed_of(subject, weight, everywhere);
    const uint32_t *brick = (const void *)(packed + 1), *mask = brick + packed->brick_count;
    const float *first = (const void *)(mask + packed->brick_count), *value = first;
    for (int64_t b = 0; b < block->brick_count; b++) {
        if (!everywhere && !subject->met[b]) continue;
        assert_int_equal(*brick++, b);
        for (int64_t i = 0; i < lanes; i++) {
            const bool positive = weight[b * lanes + i] > 0;
            assert_int_equal(*mask >> i & 1, positive);
            if (positive) assert_true(*value++ == weight[b * lanes + i]);
        }
        mask++;
    }
    assert_true((const void *)mask == (const void *)first);
    assert_int_equal(packed->value_count, value - first);
    free(weight);
    free(packed);
}

static void bricks_of_the_entries_have_weights(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++)
        for (int p = 0; p < 2; p++) {
            Subject subject = new_subject(&forms[f], p ? SINO_MIXED : SINO_SINGLE);
            check_packed(&subject, false);
            check_packed(&subject, true);
            free_subject(&subject);
        }
}

/* What a voxel becomes, in double; subnormal results are 0. */
static double expected_of(double x, double g, double weight, bool goes_on)
{
    const double next = goes_on && weight > 0 ? x * g * weight : x;
    return next < (double)FLT_MIN ? 0 : next;
}

/* The last set has stopped, if there are several. Some voxels are about to vanish. */
static void check_turn(const Subject *subject, const SinoBrickIsa *isa, int64_t sets, bool masked)
{
    const SinoSlices slices = {
        .precision = SINO_SINGLE, .stride = sino_panel_stride(SINO_SINGLE, sets), .slice_count = sets};
    const SinoBrickHead *block = subject->block;
    const int64_t rows = block->brick_count * block->lanes, count = rows * slices.stride;
    SinoSliceState state[SINO_PANEL_MAX + 1] = {{.stopped = 0}};
    float *g = new_values(count, 2, 1), *x = new_values(count, 3, 2), *weight = new_values(rows, 4, 3);
    float *mask = new_values(rows, 5, 4), *before_g = new_values(count, 2, 1), *before = new_values(count, 3, 2);
    float *formula = new_values(count, 3, 2);
    for (int64_t i = 0; i < rows; i++) {
        mask[i] = mask[i] > 0;
        if (!subject->met[i / block->lanes]) weight[i] = 0;
    }
    for (int64_t i = 0; i < count; i += 7) x[i] = before[i] = formula[i] = x[i] * 0x1p-126F;
    for (int64_t i = 0; i < count; i++) x[i] = before[i] = formula[i] = x[i] < FLT_MIN ? 0 : x[i];
    if (sets > 1) state[sets - 1].stopped = 1;
    SinoBrickWeights *packed = packed_of(subject, weight, false);
    sino_brick_turn_with(isa,
                         &(SinoBrickTurn){.slices = slices,
                                          .brick_count = block->brick_count,
                                          .lanes = block->lanes,
                                          .weights = packed,
                                          .state = state,
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
    free(before_g), free(before), free(formula), free(packed);
}

/* The instruction sets that the processor has. Returns their number. */
static int isas_of(const SinoBrickIsa *isa[4])
{
    int count = 0;
    isa[count++] = &sino_brick_plain;
#ifdef __x86_64__
    if (sino_vector_bytes() >= 32) isa[count++] = &sino_brick_avx2;
    if (sino_vector_bytes() == 64) isa[count++] = &sino_brick_avx512;
    if (sino_vector_bytes() == 64 && __builtin_cpu_supports("avx512vbmi2")) isa[count++] = &sino_brick_avx512vbmi2;
#endif
    return count;
}

static void touched_voxels_are_updated(void **state)
{
    static const int64_t sets[] = {1, 2, 3, 8, 33};
    const SinoBrickIsa *isa[4];
    const int isas = isas_of(isa);
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        Subject subject = new_subject(&forms[f], SINO_MIXED);
        for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
            for (int masked = 0; masked < 2; masked++)
                for (int i = 0; i < isas; i++) check_turn(&subject, isa[i], sets[s], masked);
        free_subject(&subject);
    }
}

TESTING_SUBJECT(brick_touch)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bricks_of_the_entries_have_weights),
        cmocka_unit_test(touched_voxels_are_updated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
