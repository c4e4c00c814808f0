/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout: the effect of orientations on images and angles, the choice of stored angles, and the places of all
 * angles. */
#include "layout.h"

#include "memory.h"
#include "reference_operator.h"
#include "testing.h"
#include "testing_angles.h"

#include <math.h>

enum { SIZE_MAX_PLACED = 6, CELLS = SIZE_MAX_PLACED * SIZE_MAX_PLACED };

/* to[c]: where cell c of a square lies in the orientation. */
static void places_of(int orientation, int64_t size, int64_t *to)
{
    for (int64_t cell = 0; cell < size * size; cell++) {
        int64_t row = cell / size, column = cell % size;
        sino_orientation_place(orientation, size, &row, &column);
        assert_true(row >= 0 && row < size && column >= 0 && column < size);
        to[cell] = row * size + column;
    }
}

static void orientations_are_permutations(void **state)
{
    (void)state;
    for (int64_t size = 1; size <= SIZE_MAX_PLACED; size++) {
        for (int g = 0; g < SINO_ORIENTATIONS; g++) {
            int64_t to[CELLS];
            bool taken[CELLS] = {false};
            places_of(g, size, to);
            for (int64_t cell = 0; cell < size * size; cell++) {
                assert_false(taken[to[cell]]);
                taken[to[cell]] = true;
                if (g == 0) assert_int_equal(to[cell], cell);
            }
        }
    }
}

/* Two angles on a circle. */
static double between_rad(double a, double b)
{
    return fabs(remainder(a - b, 2 * M_PI));
}

/* Which orientation is first `a`, then `b`. */
static int composed(int a, int b, int64_t size)
{
    int64_t first[CELLS], then[CELLS], both[CELLS];
    int found = -1;
    places_of(a, size, first);
    places_of(b, size, then);
    for (int g = 0; g < SINO_ORIENTATIONS; g++) {
        bool same = true;
        places_of(g, size, both);
        for (int64_t cell = 0; cell < size * size; cell++) same = same && both[cell] == then[first[cell]];
        assert_true(!same || found < 0);
        if (same) found = g;
    }
    assert_true(found >= 0);
    return found;
}

/* The eight are closed, each has an inverse, and their angles go with them. */
static void orientations_are_a_group(void **state)
{
    (void)state;
    for (int a = 0; a < SINO_ORIENTATIONS; a++) {
        uint32_t reached = 0;
        for (int b = 0; b < SINO_ORIENTATIONS; b++) {
            const int both = composed(a, b, 5);
            const double angle_rad = 0.3 + a - b;
            const double expected = sino_orientation_angle_rad(b, sino_orientation_angle_rad(a, angle_rad));
            assert_int_equal(composed(a, b, 4), both);
            assert_true(between_rad(sino_orientation_angle_rad(both, angle_rad), expected) < 1e-12);
            reached |= 1u << both;
        }
        assert_int_equal(reached, 0xff);
    }
}

/* The projection of an image at one angle. */
static void project_image(SinoGeometry geometry, double angle_rad, const double *image, double *line)
{
    geometry.angle_rad = &angle_rad;
    ReferenceOperator reference = reference_operator_create(&geometry);
    for (int64_t ray = 0; ray < reference.ray_count; ray++) {
        line[ray] = 0;
        for (int64_t v = 0; v < reference.voxel_count; v++)
            line[ray] += reference.length[ray * reference.voxel_count + v] * image[v];
    }
    reference_operator_free(&reference);
}

/* An image at some angle, and the moved image at the orientation's: off the center as well. */
static void moved_images_project_alike(void **state)
{
    (void)state;
    enum { COLUMNS = 11 };
    uint64_t seed = 3;
    for (int64_t size = 1; size <= SIZE_MAX_PLACED; size++) {
        double image[CELLS] = {0}, moved[CELLS] = {0}, line[COLUMNS] = {0}, moved_line[COLUMNS] = {0};
        const SinoGeometry geometry = {1, COLUMNS, size, NULL, 4.3, 0};
        for (int64_t cell = 0; cell < size * size; cell++) image[cell] = reference_random(&seed);
        for (int g = 0; g < SINO_ORIENTATIONS; g++) {
            const double angle_rad = 3 * M_PI * reference_random(&seed);
            int64_t to[CELLS];
            places_of(g, size, to);
            for (int64_t cell = 0; cell < size * size; cell++) moved[to[cell]] = image[cell];
            project_image(geometry, angle_rad, image, line);
            project_image(geometry, sino_orientation_angle_rad(g, angle_rad), moved, moved_line);
            for (int c = 0; c < COLUMNS; c++)
                if (fabs(line[c] - moved_line[c]) > 1e-11)
                    fail_msg("orientation %d, %g rad: column %d is %.15g, then %.15g", g, angle_rad, c, line[c],
                             moved_line[c]);
        }
    }
}

static double turn_rad(double angle_rad)
{
    const double rest = fmod(angle_rad, 2 * M_PI);
    return rest < 0 ? rest + 2 * M_PI : rest;
}

/* Every angle of the scan has one place, and is what lies there. */
static void check_places(const SinoGeometry *scan, const SinoLayout *layout)
{
    bool *taken = calloc((size_t)scan->angle_count, sizeof *taken);
    assert_non_null(taken);
    for (int64_t k = 0; k < scan->angle_count; k++) {
        const int64_t place = layout->place[k];
        assert_true(place >= 0 && place < scan->angle_count && !taken[place]);
        assert_true(layout->angle_rad[place] == scan->angle_rad[k]);
        taken[place] = true;
    }
    free(taken);
}

/* The angles of a class: stored ones ascend, those of its orientations follow from them `count` angles apart. */
static void check_class(const SinoLayout *layout, const SinoAngleClass *class, double tolerance_rad)
{
    const double *angle_rad = layout->angle_rad + class->first;
    for (int64_t k = 1; k < class->count; k++) assert_true(turn_rad(angle_rad[k - 1]) <= turn_rad(angle_rad[k]));
    for (int g = 0; g < SINO_ORIENTATIONS; g++) {
        if (!(class->orientations >> g & 1)) continue;
        for (int64_t k = 0; k < class->count; k++) {
            const double expected = sino_orientation_angle_rad(g, layout->angle_rad[class->first + k]);
            assert_true(between_rad(angle_rad[k], expected) <= tolerance_rad + 1e-13);
        }
        angle_rad += class->count;
    }
}

static void check_classes(const SinoLayout *layout, double tolerance_rad)
{
    int64_t first = 0, stored = 0;
    uint32_t orientations = 0;
    assert_true(layout->class_count >= 1 && layout->class_count <= SINO_ANGLE_CLASSES);
    for (int c = 0; c < layout->class_count; c++) {
        const SinoAngleClass *class = &layout->angle_class[c];
        assert_true((class->orientations & 1) && class->orientations < 1u << SINO_ORIENTATIONS);
        assert_int_equal(class->orientation_count, __builtin_popcount(class->orientations));
        assert_int_equal(class->first, first);
        for (int other = 0; other < c; other++)
            assert_true(layout->angle_class[other].orientations != class->orientations);
        check_class(layout, class, tolerance_rad);
        first += class->count * class->orientation_count;
        stored += class->count;
        if (class->count > 0) orientations |= class->orientations;
    }
    assert_int_equal(first, layout->geometry.angle_count);
    assert_int_equal(stored, sino_layout_stored_angles(layout));
    assert_int_equal(orientations, layout->orientations);
}

static double tolerance_of(int64_t size)
{
    return fmin(1e-5, 2e-3 / (double)size);
}

static SinoLayout check_layout(const SinoGeometry *scan, bool symmetry)
{
    SinoLayout layout;
    assert_success(sino_layout_new(scan, SINO_HALF, symmetry, &layout));
    assert_int_equal(layout.precision, SINO_HALF);
    assert_int_equal(layout.geometry.angle_count, scan->angle_count);
    assert_int_equal(layout.geometry.column_count, scan->column_count);
    assert_int_equal(layout.geometry.grid_size, scan->grid_size);
    assert_true(layout.geometry.center == scan->center && layout.geometry.angle_rad == layout.angle_rad);
    assert_in_range(layout.group_angles, 1, SINO_GROUP_ANGLES_MAX);
    check_places(scan, &layout);
    check_classes(&layout, tolerance_of(scan->grid_size));
    return layout;
}

static int64_t stored_angles(const SinoGeometry *scan, bool symmetry)
{
    SinoLayout layout = check_layout(scan, symmetry);
    const int64_t count = sino_layout_stored_angles(&layout);
    sino_layout_free(&layout);
    return count;
}

static void angles_that_follow_are_not_stored(void **state)
{
    (void)state;
    for (int kind = 0; kind < TESTING_ANGLES_KINDS; kind++) {
        const TestingAngles angles = testing_angles(kind);
        const SinoGeometry scan = {angles.count, 20, 16, angles.rad, 9.3, 0};
        const int64_t count = stored_angles(&scan, true);
        if (angles.stored_count > 0 && count != angles.stored_count)
            fail_msg("%s: %d angles are stored, expected %d", angles.name, (int)count, (int)angles.stored_count);
    }
}

/* Also where turned voxels would be none. */
static void without_symmetry_all_are_stored(void **state)
{
    (void)state;
    for (int kind = 0; kind < TESTING_ANGLES_KINDS; kind++) {
        const TestingAngles angles = testing_angles(kind);
        for (int64_t size = 15; size <= 16; size++) {
            const SinoGeometry scan = {angles.count, 20, size, angles.rad, 9.3, 0};
            SinoLayout layout = check_layout(&scan, size % 2 == 1);
            assert_int_equal(sino_layout_stored_angles(&layout), angles.count);
            assert_int_equal(layout.class_count, 1);
            assert_int_equal(layout.orientations, 1);
            sino_layout_free(&layout);
        }
    }
}

/* The classes of a half and of a full turn. */
static void sets_of_orientations_are_known(void **state)
{
    (void)state;
    static const struct {
        int kind;
        uint32_t orientations[3]; /* of 0°, of 45°, of those between */
    } expected[] = {{0, {0x03, 0x03, 0x93}}, {4, {0x0f, 0x0f, 0xff}}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const TestingAngles angles = testing_angles(expected[i].kind);
        const SinoGeometry scan = {angles.count, 20, 16, angles.rad, 7.5, 0};
        SinoLayout layout = check_layout(&scan, true);
        assert_int_equal(layout.class_count, 3);
        assert_int_equal(layout.angle_class[0].count, 0);
        assert_int_equal(layout.angle_class[1].orientations, expected[i].orientations[0]);
        assert_int_equal(layout.angle_class[1].count, 2);
        assert_int_equal(layout.angle_class[2].orientations, expected[i].orientations[2]);
        assert_int_equal(layout.angle_class[2].count, 3);
        sino_layout_free(&layout);
    }
}

/* The first sets have classes; angles of other sets are all stored, and each still has its place. */
static void more_sets_than_classes_are_stored_each(void **state)
{
    (void)state;
    const TestingAngles angles = testing_angles_many_sets();
    const SinoGeometry scan = {angles.count, 20, 16, angles.rad, 9.3, 0};
    SinoLayout layout = check_layout(&scan, true);
    assert_int_equal(layout.class_count, SINO_ANGLE_CLASSES);
    /* 16 sets, the first of which is the angle alone: the last 4 have no class. */
    int64_t alone = 1;
    for (int k = 12; k < 16; k++) alone += 1 + __builtin_popcount((unsigned)k);
    assert_int_equal(layout.angle_class[0].count, alone);
    for (int c = 1; c < SINO_ANGLE_CLASSES; c++) assert_int_equal(layout.angle_class[c].count, 1);
    sino_layout_free(&layout);
}

/* Rays at the grid's edge are 1/1000 voxel apart at most, in small grids less; across 0° too. */
static void angles_pair_up_within_the_tolerance(void **state)
{
    (void)state;
    static const int64_t sizes[] = {2, 16, 200, 202, 1024, 10000};
    static const double share[] = {-1.01, -0.99, 0, 0.99, 1.01};
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        for (int i = 0; i < 5; i++) {
            const double off_rad = share[i] * tolerance_of(sizes[n]);
            const double turned[] = {0.7, 0.7 + M_PI / 2 + off_rad}, around[] = {0, off_rad};
            const double mirrored[] = {0.7, 5 * M_PI - 0.7 + off_rad};
            const int64_t expected = fabs(share[i]) < 1 ? 1 : 2;
            assert_int_equal(stored_angles(&(SinoGeometry){2, 20, sizes[n], turned, 9.3, 0}, true), expected);
            assert_int_equal(stored_angles(&(SinoGeometry){2, 20, sizes[n], mirrored, 9.3, 0}, true), expected);
            assert_int_equal(stored_angles(&(SinoGeometry){2, 20, sizes[n], around, 9.3, 0}, true), expected);
        }
    }
}

/* Angles cut to `unit_deg`, which is 0.01 or so: what mirrors and turns one is not what mirrors and turns another. */
static void check_cut(int64_t count, double step_deg, double unit_deg, int64_t size, bool even)
{
    double *angle = calloc((size_t)count, sizeof *angle);
    assert_non_null(angle);
    for (int64_t k = 0; k < count; k++)
        angle[k] = 30 * M_PI / 180 + floor((double)k * step_deg / unit_deg + 1e-9) * unit_deg * M_PI / 180;
    const SinoGeometry scan = {count, 20, size, angle, 9.3, 0};
    SinoLayout layout, plain;
    assert_success(sino_layout_new(&scan, SINO_SINGLE, true, &layout));
    assert_success(sino_layout_new(&scan, SINO_SINGLE, false, &plain));
    assert_int_equal(plain.deviation_rad > 0, false);
    assert_int_equal(sino_layout_stored_angles(&plain), count);
    check_classes(&layout, tolerance_of(size));
    double most = 0;
    for (int64_t k = 0; k < count; k++) most = fmax(most, fabs(layout.angle_rad[layout.place[k]] - angle[k]));
    assert_true(fabs(layout.deviation_rad - most) <= 1e-15);
    assert_true(most <= sino_layout_even_tolerance_rad(size));
    if ((most > 0) != even)
        fail_msg("%d angles of %g degrees, cut to %g: off by %g", (int)count, step_deg, unit_deg, most);
    if (even) assert_true(sino_layout_stored_angles(&layout) <= count / 2 + 1);
    sino_layout_free(&layout);
    sino_layout_free(&plain);
    free(angle);
}

/* Scans that show 0° and 180°: the last angle is the first one's mirror image, and a half turn of it. */
static void both_ends_of_a_half_turn_pair_up(void **state)
{
    (void)state;
    static const int64_t counts[] = {97, 376, 1501};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const int64_t steps = counts[i] - 1;
        double *angle = calloc((size_t)counts[i], sizeof *angle);
        assert_non_null(angle);
        for (int64_t k = 0; k < counts[i]; k++) angle[k] = (double)k * M_PI / (double)steps;
        const int64_t stored = stored_angles(&(SinoGeometry){counts[i], 20, 16, angle, 9.3, 0}, true);
        assert_int_equal(stored, steps % 2 == 0 ? steps / 4 + 1 : steps / 2 + 1);
        free(angle);
    }
}

static void rounded_angles_are_taken_as_even(void **state)
{
    (void)state;
    check_cut(372, 180.0 / 372, 0.005, 256, true);  /* of a half turn, without its end */
    check_cut(373, 180.0 / 372, 0.005, 256, true);  /* with it */
    check_cut(372, -180.0 / 372, 0.005, 256, true); /* backwards */
    check_cut(744, 360.0 / 744, 0.005, 256, true);  /* of a full turn */
    check_cut(745, 360.0 / 744, 0.005, 256, true);
    check_cut(372, 180.0 / 372, 0.005, 1024, false); /* 0.04 voxel at the edge */
    check_cut(372, 180.0 / 372, 0.02, 16, false);    /* more than 10⁻⁴ */
    check_cut(372, 179.0 / 372, 0.001, 256, false);  /* no half turn */
    check_cut(360, 0.5, 0.5, 256, false);            /* even as they are */
    check_cut(7, 180.0 / 7, 0.005, 256, false);      /* too few to tell */
}

static int64_t group_angles(int64_t count, double step_deg, bool symmetry)
{
    double *angle = calloc((size_t)count, sizeof *angle);
    assert_non_null(angle);
    for (int64_t k = 0; k < count; k++) angle[k] = (double)k * step_deg * M_PI / 180;
    SinoLayout layout = check_layout(&(SinoGeometry){count, 20, 16, angle, 9.3, 0}, symmetry);
    const int64_t result = layout.group_angles;
    sino_layout_free(&layout);
    free(angle);
    return result;
}

/* The measured optima, whether or not angles are left out. */
static void groups_have_more_angles_the_finer_they_are(void **state)
{
    (void)state;
    static const struct {
        int64_t count;
        double step_deg;
        int64_t least, most;
    } expected[] = {{60, 3, 4, 5},
                    {188, 0.96, 8, 8},
                    {375, 0.48, 11, 12},
                    {750, 0.24, 16, 16},
                    {1500, 0.12, 22, 23},
                    {50, 0.001, SINO_GROUP_ANGLES_MAX, SINO_GROUP_ANGLES_MAX}, /* no more than groups may have */
                    {20, 0, SINO_GROUP_ANGLES_MAX, SINO_GROUP_ANGLES_MAX},     /* all the same */
                    {2, 80, 1, 1},
                    {1, 0, 1, 1}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const int64_t all = group_angles(expected[i].count, expected[i].step_deg, false);
        if (all < expected[i].least || all > expected[i].most)
            fail_msg("%g degrees: %d angles", expected[i].step_deg, (int)all);
        if (expected[i].count == 60 || expected[i].count == 750 || expected[i].count == 1500)
            assert_int_equal(group_angles(expected[i].count, expected[i].step_deg, true), all);
    }
}

/* Repeated angles pair up one by one; a search among those that are taken would take minutes. */
static void repeated_angles_pair_up(void **state)
{
    (void)state;
    enum { COUNT = 1 << 18 };
    double *angle = NULL;
    SinoLayout layout;
    assert_success(sino_allocate(COUNT, sizeof *angle, "test", &angle));
    for (int64_t k = 0; k < COUNT; k++) angle[k] = (k % 2 == 0 ? 0.2 : 0.2 + SINO_PI / 2);
    const SinoGeometry scan = {
        .angle_count = COUNT, .column_count = 16, .grid_size = 16, .angle_rad = angle, .center = 7.5};
    assert_success(sino_layout_new(&scan, SINO_SINGLE, true, &layout));
    assert_int_equal(sino_layout_stored_angles(&layout), COUNT / 2);
    sino_layout_free(&layout);
    free(angle);
}

/* What members do one after the other, a member does; none is there without need. */
static void groups_of_orientations_are_closed(void **state)
{
    (void)state;
    enum { SIZE = 5 };
    assert_int_equal(sino_orientation_group(0x01), 0x01);
    assert_int_equal(sino_orientation_group(0x11), 0x11); /* mirrored */
    assert_int_equal(sino_orientation_group(0x05), 0x05); /* half a turn */
    assert_int_equal(sino_orientation_group(0x03), 0x0f);
    assert_int_equal(sino_orientation_group(0x93), 0xff); /* half a turn in an even number of steps */
    for (uint32_t bits = 1; bits < 256; bits += 2) {
        const uint32_t group = sino_orientation_group(bits);
        assert_int_equal(group & bits, bits);
        assert_int_equal(sino_orientation_group(group), group);
        assert_int_equal(8 % __builtin_popcount(group), 0);
        for (int a = 0; a < SINO_ORIENTATIONS; a++)
            for (int b = 0; b < SINO_ORIENTATIONS; b++) {
                int64_t row = 1, column = 2;
                bool found = false;
                sino_orientation_place(a, SIZE, &row, &column);
                sino_orientation_place(b, SIZE, &row, &column);
                for (int g = 0; g < SINO_ORIENTATIONS; g++) {
                    int64_t to_row = 1, to_column = 2;
                    sino_orientation_place(g, SIZE, &to_row, &to_column);
                    found = found || ((group >> g & 1) && to_row == row && to_column == column);
                }
                assert_true(found || !(group >> a & 1) || !(group >> b & 1));
            }
    }
}

TESTING_SUBJECT(layout)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orientations_are_permutations),
        cmocka_unit_test(orientations_are_a_group),
        cmocka_unit_test(groups_of_orientations_are_closed),
        cmocka_unit_test(moved_images_project_alike),
        cmocka_unit_test(angles_that_follow_are_not_stored),
        cmocka_unit_test(without_symmetry_all_are_stored),
        cmocka_unit_test(sets_of_orientations_are_known),
        cmocka_unit_test(more_sets_than_classes_are_stored_each),
        cmocka_unit_test(angles_pair_up_within_the_tolerance),
        cmocka_unit_test(repeated_angles_pair_up),
        cmocka_unit_test(both_ends_of_a_half_turn_pair_up),
        cmocka_unit_test(rounded_angles_are_taken_as_even),
        cmocka_unit_test(groups_have_more_angles_the_finer_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
