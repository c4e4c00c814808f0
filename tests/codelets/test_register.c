/* SPDX-License-Identifier: BSD-3-Clause */
/* Register: known shifts and turns of a projection are found; shifts are taken back; pixels without a value;
 * centroids. */
#include "register.h"

#include "memory.h"
#include "testing.h"
#include "tilt.h"

#include <math.h>

enum { COLUMNS = 48, ROWS = 40, PIXELS = COLUMNS * ROWS, ANGLES = 3 };

static double value_at(double column, double row)
{
    const double c = column - 21, r = row - 18;
    return exp(-(c * c + 1.5 * r * r) / 60) + 0.5 * exp(-((c - 8) * (c - 8) + (r + 5) * (r + 5)) / 20);
}

/* [column][row] */
static void fill(SinoShift shift, float *projection)
{
    for (int i = 0; i < PIXELS; i++) projection[i] = (float)value_at(i / ROWS - shift.column, i % ROWS - shift.row);
}

static void shifts_are_found(void **state)
{
    (void)state;
    static float measured[PIXELS], predicted[PIXELS];
    SinoShift shift = {1.3, -0.9}, found = {0, 0};
    fill(shift, measured);
    for (int i = 0; i < 6; i++) {
        fill(found, predicted);
        if (i == 0) measured[300] = -0.0F; /* no value */
        const SinoRegistered step = sino_register(COLUMNS, ROWS, measured, predicted);
        assert_true(step.measured > 0 && (i < 5 || step.squares < 1e-4 * step.measured));
        found.column += step.step.column;
        found.row += step.step.row;
    }
    assert_true(fabs(found.column - shift.column) < 1e-4 && fabs(found.row - shift.row) < 1e-4);
}

static void edges_in_one_direction_tell_no_other_shift(void **state)
{
    (void)state;
    static float measured[PIXELS], predicted[PIXELS];
    for (int i = 0; i < PIXELS; i++) {
        measured[i] = (float)exp(-pow(i % ROWS - 18.2, 2) / 30);
        predicted[i] = (float)exp(-pow(i % ROWS - 18, 2) / 30);
    }
    SinoShift step = sino_register(COLUMNS, ROWS, measured, predicted).step;
    assert_true(step.column == 0 && fabs(step.row - 0.2) < 0.02);
    memset(predicted, 0, sizeof predicted);
    step = sino_register(COLUMNS, ROWS, measured, predicted).step;
    assert_true(step.column == 0 && step.row == 0);
    step = sino_register(1, ROWS, measured, measured + ROWS).step; /* a fan's detector, of one row or column */
    assert_true(step.column == 0 && fabs(step.row) < 1e-9);
}

/* Balls as a turned view sees them: their projections know derivatives of their own. [column][row] */
static void see(SinoViewTurn turn, SinoShift shift, float *projection)
{
    static const double ball[][4] = {{3, 12, -6, 1}, {-9, -14, 5, 0.7}, {11, -4, 9, 0.8}, {-2, 10, 12, 0.5}};
    const SinoView still = {
        .source = {0, 1, 0}, .first = {-23.5, 0, -19.5}, .column = {1, 0, 0}, .row = {0, 0, 1}, .parallel = 1};
    const SinoView view = sino_view_turned(turn, still);
    const SinoViewPlanes planes = sino_view_planes(&view);
    memset(projection, 0, PIXELS * sizeof *projection);
    for (size_t b = 0; b < sizeof ball / sizeof *ball; b++)
        for (int i = 0; i < PIXELS; i++) {
            const double c = i / ROWS - shift.column - sino_view_value(&planes, 1, ball[b]);
            const double r = i % ROWS - shift.row - sino_view_value(&planes, 2, ball[b]);
            projection[i] += (float)(ball[b][3] * exp(-(c * c + r * r) / 18));
        }
}

static SinoRegistered step_from(SinoViewTurn turn, SinoShift shift, const float *measured)
{
    static float still[PIXELS], pitched[PIXELS], rolled[PIXELS];
    const SinoTurnedPredictions predicted = {still, pitched, rolled, .angle_rad = 2.0 / COLUMNS};
    see(turn, shift, still);
    see((SinoViewTurn){turn.pitch + predicted.angle_rad, turn.roll}, shift, pitched);
    see((SinoViewTurn){turn.pitch, turn.roll + predicted.angle_rad}, shift, rolled);
    return sino_register_turned(COLUMNS, ROWS, measured, &predicted);
}

static void turns_are_found(void **state)
{
    (void)state;
    static float measured[PIXELS];
    const SinoViewTurn turn = {0.04, -0.03};
    const SinoShift shift = {0.8, -0.5};
    SinoViewTurn turned = {0, 0};
    SinoShift found = {0, 0};
    SinoRegistered step;
    see(turn, shift, measured);
    measured[300] = measured[900] = -0.0F; /* no values */
    for (int i = 0; i < 12; i++) {
        step = step_from(turned, found, measured);
        turned = (SinoViewTurn){turned.pitch + step.turn.pitch, turned.roll + step.turn.roll};
        found = (SinoShift){found.column + step.step.column, found.row + step.step.row};
    }
    assert_true(fabs(turned.pitch - turn.pitch) < 1e-3 && fabs(turned.roll - turn.roll) < 1e-3);
    assert_true(fabs(found.column - shift.column) < 0.01 && fabs(found.row - shift.row) < 0.01);
    assert_true(step.squares < 1e-5 * step.measured);
}

/* A step is as large as the motion that differences are made of. */
static void a_small_motion_takes_one_step(void **state)
{
    (void)state;
    static float measured[PIXELS];
    const double small = 2e-3;
    for (int i = 0; i < 4; i++) {
        const SinoViewTurn turn = {i == 2 ? small : 0, i == 3 ? small : 0};
        const SinoShift shift = {i == 0 ? small : 0, i == 1 ? small : 0};
        see(turn, shift, measured);
        const SinoRegistered step = step_from((SinoViewTurn){0, 0}, (SinoShift){0, 0}, measured);
        const double found[] = {step.step.column, step.step.row, step.turn.pitch, step.turn.roll};
        /* Damping keeps back a share of a shift; differences over two pixels do so, too. */
        assert_true(found[i] > 0.8 * small && found[i] < 1.1 * small);
    }
}

static void nothing_predicts_no_turn(void **state)
{
    (void)state;
    static float zeros[PIXELS], measured[PIXELS];
    fill((SinoShift){0, 0}, measured);
    const SinoTurnedPredictions predicted = {zeros, zeros, zeros, 1e-2};
    const SinoRegistered none = sino_register_turned(COLUMNS, ROWS, measured, &predicted);
    assert_true(none.step.column == 0 && none.step.row == 0 && none.turn.pitch == 0 && none.turn.roll == 0);
    assert_true(none.squares == none.measured && none.squares > 0);
}

static void centroids_follow_shifts(void **state)
{
    (void)state;
    static float projection[PIXELS];
    fill((SinoShift){0, 0}, projection);
    const SinoCentroid before = sino_register_centroid(COLUMNS, ROWS, projection);
    fill((SinoShift){2.25, -1.5}, projection);
    const SinoCentroid after = sino_register_centroid(COLUMNS, ROWS, projection);
    assert_true(fabs(after.place.column - before.place.column - 2.25) < 2e-3);
    assert_true(fabs(after.place.row - before.place.row + 1.5) < 2e-3);
    assert_true(fabs(after.sum - before.sum) < 1e-3 * before.sum);
    memset(projection, 0, sizeof projection);
    const SinoCentroid none = sino_register_centroid(COLUMNS, ROWS, projection);
    assert_true(none.sum == 0 && none.place.column == (COLUMNS - 1) / 2.0 && none.place.row == (ROWS - 1) / 2.0);
}

/* Each projection by a shift of its own; what comes from outside the detector has no value. */
static void shifts_are_taken_back(void **state)
{
    (void)state;
    static float counts[ANGLES * PIXELS];
    static float sinogram[ANGLES * COLUMNS * ROWS];
    static const SinoShift shift[ANGLES] = {{1.3, -0.9}, {0, 0}, {-2.5, 3.25}};
    int64_t repaired[ROWS], tally[ANGLES + COLUMNS];
    const SinoTilt tilt = {.row_count = ROWS, .column_count = COLUMNS, .shift = shift, .reach = 3.25};
    const SinoCorrection correction = {.input = SINO_CORRECT_FLOAT32,
                                       .slices = {SINO_SINGLE, sino_panel_stride(SINO_SINGLE, ROWS), ROWS},
                                       .angle_count = ANGLES,
                                       .column_count = COLUMNS,
                                       .row_count = ROWS,
                                       .binning = 1,
                                       .marked = true};
    void *scratch;
    assert_true(correction.slices.stride == ROWS && sino_tilt_halo(&tilt) >= 6);
    for (int i = 0; i < ANGLES * PIXELS; i++)
        counts[i] = (float)value_at(i % COLUMNS - shift[i / PIXELS].column, i / COLUMNS % ROWS - shift[i / PIXELS].row);
    assert_success(sino_allocate(sino_tilt_scratch_bytes(&tilt, NULL, ROWS), 1, "test", &scratch));
    assert_success(sino_tilt_correct(&tilt, NULL, &correction, counts, NULL, NULL, scratch, sinogram, repaired, tally));
    for (int i = 0; i < ANGLES * PIXELS; i++) {
        const int k = i / PIXELS, r = i / COLUMNS % ROWS, c = i % COLUMNS;
        const double column = c + shift[k].column, row = r + shift[k].row;
        const float found = sinogram[sino_panel_element(correction.slices, ANGLES * COLUMNS, k * COLUMNS + c, r)];
        const bool outside = column < -0.5 || column >= COLUMNS - 0.5 || row < -0.5 || row >= ROWS - 0.5;
        if (outside)
            assert_true(found == 0 && signbit(found));
        else
            assert_true(fabs((double)found - value_at(c, r)) < 2e-3);
    }
    free(scratch);
}

TESTING_SUBJECT(register)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shifts_are_found),         cmocka_unit_test(edges_in_one_direction_tell_no_other_shift),
        cmocka_unit_test(turns_are_found),          cmocka_unit_test(a_small_motion_takes_one_step),
        cmocka_unit_test(nothing_predicts_no_turn), cmocka_unit_test(centroids_follow_shifts),
        cmocka_unit_test(shifts_are_taken_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
