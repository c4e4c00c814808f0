/* SPDX-License-Identifier: BSD-3-Clause */
/* Update of some rows: on a core, parts of the vectors one after another give what the whole gives. */
#include "update.h"

#include "reference_operator.h"
#include "testing.h"

#include <math.h>

typedef struct Operands {
    void *vector[SINO_UPDATE_VECTORS];
    SinoSliceSums sums[SINO_SLICES_MAX];
} Operands;

static size_t vector_bytes(SinoSlices slices, int64_t rows)
{
    return (size_t)(rows * slices.stride) * sino_precision_bytes(slices.precision);
}

/* Vectors of random numbers; padding is 0. */
static Operands operands_create(const SinoUpdate *update, uint64_t seed)
{
    const SinoUpdateRow *row = &sino_update_row[update->formula];
    Operands made = {.vector = {NULL}};
    for (int i = 0; i < SINO_UPDATE_VECTORS && row->vector[i] != SINO_NO_VECTOR; i++) {
        made.vector[i] = calloc(1, vector_bytes(update->slices, update->rows) + 1);
        assert_non_null(made.vector[i]);
        for (int64_t r = 0; r < update->rows; r++)
            for (int64_t f = 0; f < update->slices.slice_count; f++)
                testing_set_element(update->slices.precision, made.vector[i],
                                    sino_panel_element(update->slices, update->rows, r, f), reference_random(&seed));
    }
    return made;
}

static void operands_free(Operands *operands)
{
    for (int i = 0; i < SINO_UPDATE_VECTORS; i++) free(operands->vector[i]);
}

static SinoSliceState *states_create(SinoSlices slices, uint64_t *seed)
{
    SinoSliceState *states = calloc((size_t)slices.slice_count, sizeof *states);
    assert_non_null(states);
    for (int64_t f = 0; f < slices.slice_count; f++) {
        states[f].stopped = f % 5 == 2;
        for (int i = 0; i < SINO_SLICE_SCALARS; i++) states[f].scalar[i] = 2 + reference_random(seed);
    }
    return states;
}

/* Applies the formula to the first rows, to the next ones, and so on, and adds up the sums. */
static void update_parts(SinoUpdate update, int64_t part_rows, const SinoSliceState *state, Operands *on)
{
    const bool has_sums = sino_update_row[update.formula].sums > 0;
    SinoSliceSums part[SINO_SLICES_MAX];
    for (; update.first_row < update.rows; update.first_row += update.row_count) {
        const int64_t left = update.rows - update.first_row;
        update.row_count = left < part_rows ? left : part_rows;
        sino_update(&update, on->vector, state, has_sums ? part : NULL);
        if (has_sums) sino_update_collect(update.slices, part, update.first_row == 0, on->sums);
    }
}

static void check(const SinoUpdate *update, int64_t part_rows, uint64_t *seed)
{
    const SinoUpdateRow *row = &sino_update_row[update->formula];
    SinoSliceState *states = states_create(update->slices, seed);
    const SinoSliceState *state = row->reads_state ? states : NULL;
    Operands whole = operands_create(update, *seed), parts = operands_create(update, *seed);
    sino_update(update, whole.vector, state, row->sums > 0 ? whole.sums : NULL);
    update_parts(*update, part_rows, state, &parts);
    for (int i = 0; i < SINO_UPDATE_VECTORS && whole.vector[i]; i++)
        assert_memory_equal(whole.vector[i], parts.vector[i], vector_bytes(update->slices, update->rows));
    for (int64_t f = 0; f < update->slices.slice_count; f++)
        for (int i = 0; i < row->sums; i++) {
            const double wanted = whole.sums[f].sum[i], found = parts.sums[f].sum[i];
            assert_true(fabs(found - wanted) <= 1e-12 * (double)update->rows * fmax(1, fabs(wanted)));
        }
    operands_free(&whole);
    operands_free(&parts);
    free(states);
    (void)reference_random(seed);
}

static void parts_are_the_whole(void **unused)
{
    static const int64_t strides[][2] = {{1, 1}, {4, 3}, {17, 17}, {32, 32}, {64, 50}}, rows[] = {1, 13, 100};
    uint64_t seed = 29;
    (void)unused;
    for (int formula = 0; formula < SINO_UPDATE_FORMULA_COUNT; formula++)
        for (size_t s = 0; s < sizeof strides / sizeof *strides; s++)
            for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
                for (int p = SINO_SINGLE; p <= SINO_DOUBLE; p++) {
                    const SinoPrecision precision = (SinoPrecision)p;
                    const SinoUpdate update = {.formula = (SinoUpdateFormula)formula,
                                               .slices = {.precision = precision,
                                                          .stride = sino_panel_stride(precision, strides[s][0]),
                                                          .slice_count = strides[s][1]},
                                               .rows = rows[r]};
                    check(&update, 5, &seed);
                    check(&update, 100, &seed);
                }
}

TESTING_SUBJECT(update_rows)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
