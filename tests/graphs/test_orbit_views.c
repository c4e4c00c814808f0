/* SPDX-License-Identifier: BSD-3-Clause */
/* Orbit views: those of an orbit are the cone's; parallel rays, tilts, rolls and helices; what is refused. */
#include "cone_scan.h"

#include "cone.h"
#include "testing.h"

#include <math.h>

static void is_vector(const double found[3], double x, double y, double z)
{
    assert_true(fabs(found[0] - x) < 1e-9 && fabs(found[1] - y) < 1e-9 && fabs(found[2] - z) < 1e-9);
}

static void an_orbit_is_the_cone(void **state)
{
    (void)state;
    const SinoCone cone = {.source_object = 100, .source_detector = 150, .pixel_width = 0.2, .pixel_height = 0.2};
    SinoOrbit orbit;
    assert_true(sino_orbit_probe("orbit:tilt=1") && !sino_orbit_probe("orbit.csv"));
    assert_success(sino_orbit_parse("orbit:source=100,detector=1.5e2,pixel=0.2", &orbit));
    for (int k = 0; k < 5; k++) {
        const SinoView a = sino_orbit_view(&orbit, 0.7 * k, 0.2 * k), b = sino_cone_orbit_view(&cone, 0.7 * k);
        assert_false(a.parallel);
        is_vector(a.source, b.source[0], b.source[1], b.source[2]);
        is_vector(a.first, b.first[0], b.first[1], b.first[2]);
        is_vector(a.column, b.column[0], b.column[1], b.column[2]);
        is_vector(a.row, b.row[0], b.row[1], b.row[2]);
    }
}

static void words_move_and_turn(void **state)
{
    (void)state;
    SinoOrbit orbit;
    assert_success(sino_orbit_parse("orbit:", &orbit));
    SinoView view = sino_orbit_view(&orbit, 0, 0);
    assert_true(view.parallel && orbit.turns == 0);
    is_vector(view.source, 0, 1, 0);
    is_vector(view.column, 1, 0, 0);
    is_vector(view.row, 0, 0, 1);
    assert_success(sino_orbit_parse("orbit:tilt=30,roll=90,", &orbit));
    view = sino_orbit_view(&orbit, 0, 0);
    is_vector(view.source, 0, sqrt(0.75), 0.5);
    is_vector(view.column, 0, -0.5, sqrt(0.75));
    is_vector(view.row, -1, 0, 0);
    assert_success(sino_orbit_parse("orbit:source=10,detector=15,turns=2,pitch=3", &orbit));
    view = sino_orbit_view(&orbit, 0, 0);
    is_vector(view.source, 0, -10, -3);
    is_vector(view.first, 0, 5, -3);
    view = sino_orbit_view(&orbit, 0, 0.75);
    is_vector(view.source, 0, -10, 1.5);
}

static void other_words_are_refused(void **state)
{
    (void)state;
    static const char *const refused[][2] = {{"orbit:tlt=3", "'tlt=3'"},
                                             {"orbit:tilt", "'tilt'"},
                                             {"orbit:tilt=", "'tilt='"},
                                             {"orbit:tilt=3x", "'tilt=3x'"},
                                             {"orbit:tilt=89.5", "from -89 to"},
                                             {"orbit:turns=nan", "'turns=nan'"},
                                             {"orbit:roll=1,,tilt=3", "''"},
                                             {"orbit:source=3", "source and detector"},
                                             {"orbit:roll=1,roll=2", "roll twice"},
                                             {"orbit:detector=3", "source and"},
                                             {"orbit:source=4,detector=3", "detector >= source"},
                                             {"orbit:pitch=3", "with turns"},
                                             {"orbit:pixel=0", "from 1e-09 to"}};
    SinoOrbit orbit;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_error(sino_orbit_parse(refused[i][0], &orbit), SINO_BAD_INPUT, refused[i][1]);
}

TESTING_SUBJECT(orbit_views)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_orbit_is_the_cone),
        cmocka_unit_test(words_move_and_turn),
        cmocka_unit_test(other_words_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
