/* SPDX-License-Identifier: BSD-3-Clause */
/* View weights: those of a helix, of whose projections some are left out, and of several turns of a circle. */
#include "view_weights.h"

#include "arithmetic.h"
#include "testing.h"

#include <math.h>

enum { TURN = 32, VIEWS = 4 * TURN };

/* Weights of a projection of a turn: voxels are as large as pixels in the middle. */
static const double usual = SINO_PI / TURN;

/* The near side of the volume is 4.8 mm before the axis, where rows see 9.139 mm. */
static SinoCone helix_of(double pitch_mm, SinoView *view)
{
    const SinoCone orbit = {.angle_count = VIEWS,
                            .column_count = 24,
                            .row_count = 24,
                            .x_count = 24,
                            .y_count = 24,
                            .z_count = 40,
                            .source_object = 100,
                            .source_detector = 150,
                            .pixel_width = 0.6,
                            .pixel_height = 0.6,
                            .voxel_size = 0.4,
                            .center = 11.5,
                            .center_row = 11.5};
    for (int k = 0; k < VIEWS; k++) {
        const double turns = (k - (VIEWS - 1) / 2.0) / TURN;
        view[k] = sino_cone_orbit_view(&orbit, 2 * SINO_PI * turns);
        view[k].source[2] += turns * pitch_mm;
        view[k].first[2] += turns * pitch_mm;
    }
    SinoCone cone = orbit;
    cone.view = view;
    return cone;
}

static void turns_share(void **state)
{
    (void)state;
    SinoView view[VIEWS];
    SinoViewWeights weights;
    SinoCone cone = helix_of(4, view);
    assert_success(sino_view_weights_new(&cone, &weights));
    for (int k = 0; k < VIEWS; k++) assert_true(fabs(weights.weight[k] - usual) < 1e-9);
    assert_true(fabs(weights.window.pitch_mm - 4) < 1e-9 && fabs(weights.window.turns - 9.1392 / 4) < 1e-9);
    assert_true(weights.window.low_mm == view[0].source[2] && weights.window.high_mm == view[VIEWS - 1].source[2]);
    assert_true(weights.end_slices == 8 && !weights.share);
    sino_view_weights_free(&weights);
    cone = helix_of(0, view);
    assert_success(sino_view_weights_new(&cone, &weights));
    for (int k = 0; k < VIEWS; k++) assert_true(fabs(weights.weight[k] - usual / 4) < 1e-9);
    assert_true(weights.window.pitch_mm == 0 && weights.end_slices == 0);
    sino_view_weights_free(&weights);
}

/* The weights of a turn stay π together. */
static void neighbours_stand_for_what_is_left_out(void **state)
{
    (void)state;
    bool dropped[VIEWS] = {[0] = true, [50] = true, [70] = true, [71] = true};
    SinoView view[VIEWS];
    SinoViewWeights weights;
    SinoCone cone = helix_of(4, view);
    cone.dropped = dropped;
    assert_success(sino_view_weights_new(&cone, &weights));
    for (int k = 0; k < VIEWS; k++) {
        const bool beside_one = k == 49 || k == 51, beside_two = k == 69 || k == 72;
        const double times = dropped[k] ? 0 : beside_one ? 1.5 : beside_two ? 2 : 1;
        assert_true(fabs(weights.weight[k] - times * usual) < 1e-9);
    }
    sino_view_weights_free(&weights);
}

static void other_sources_are_refused(void **state)
{
    (void)state;
    SinoView view[VIEWS];
    SinoViewWeights weights;
    SinoCone cone = helix_of(12, view);
    assert_error(sino_view_weights_new(&cone, &weights), SINO_BAD_INPUT, "helix of 12 mm | 9.139 mm | up to 8.704 mm");
    cone = helix_of(4, view);
    view[20].source[2] += 1;
    assert_error(sino_view_weights_new(&cone, &weights), SINO_BAD_INPUT, "fdk | of the radius | 0.05");
}

TESTING_SUBJECT(view_weights)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_share),
        cmocka_unit_test(neighbours_stand_for_what_is_left_out),
        cmocka_unit_test(other_sources_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
