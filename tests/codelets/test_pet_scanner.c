/* SPDX-License-Identifier: BSD-3-Clause */
/* PET scanner: places of crystals, lengths against chords that are known, mirrored lines, and the activity. */
#include "memory.h"
#include "pet_scanner.h"
#include "random_stream.h"
#include "testing.h"

#include <math.h>

/* Crystals that are points, so that every ray of a line is the same. */
static SinoPetScanner point_scanner(void)
{
    SinoPetScanner scanner = sino_pet_scanner(12, 3, 2);
    scanner.gap += scanner.crystal_width;
    scanner.crystal_width = scanner.crystal_depth = 0;
    scanner.grid = (SinoVoxelGrid){9, 11, 5, {1.1, 0.9, 1.3}};
    scanner.ray_count = 1;
    return scanner;
}

static void middle_of(const SinoPetScanner *scanner, int64_t crystal, double point[3])
{
    static const double middle[] = {0.5, 0.5, 0};
    sino_pet_point(scanner, crystal, middle, point);
}

/* Length of the part of a line within a box that is centered at 0, from the six planes of the box. */
static double chord_in_box(const double from[3], const double to[3], const double half[3])
{
    double first = 0, last = 1, square = 0;
    for (int d = 0; d < 3; d++) {
        const double step = to[d] - from[d];
        square += step * step;
        if (step == 0) {
            if (fabs(from[d]) > half[d]) return 0;
            continue;
        }
        const double a = (-half[d] - from[d]) / step, b = (half[d] - from[d]) / step;
        first = fmax(first, fmin(a, b));
        last = fmin(last, fmax(a, b));
    }
    return last > first ? (last - first) * sqrt(square) : 0;
}

static double sum_of(const SinoSparseRows *rows, int64_t row)
{
    double sum = 0;
    for (int64_t e = rows->start[row]; e < rows->start[row + 1]; e++) sum += (double)rows->value[e];
    return sum;
}

static void crystals_are_on_a_circle(void **state)
{
    (void)state;
    const SinoPetScanner scanner = sino_pet_scanner(24, 4, 3);
    double point[3], next[3];
    assert_int_equal(sino_pet_crystals(&scanner), 24 * 4 * 3);
    static const double middle[] = {0.5, 0.5, 0};
    /* Crystals 1 and 2 are beside the middle of block 0, on the y axis, in the lowest ring. */
    sino_pet_point(&scanner, 1, middle, point);
    sino_pet_point(&scanner, 2, middle, next);
    assert_true(fabs(point[0] - 1.15) < 1e-12 && fabs(next[0] + 1.15) < 1e-12);
    assert_true(fabs(point[1] - scanner.radius) < 1e-12 && fabs(point[2] + 2.3) < 1e-12);
    /* Six blocks further on it is the left side, and 24 blocks further the next ring. */
    sino_pet_point(&scanner, 6 * 4 + 1, middle, next);
    assert_true(fabs(next[0] + scanner.radius) < 1e-9 && fabs(next[1] - 1.15) < 1e-9);
    sino_pet_point(&scanner, 24 * 4 + 1, middle, next);
    assert_true(fabs(next[0] - point[0]) < 1e-12 && fabs(next[2]) < 1e-12);
    /* The last crystal of a block and the first of the next are neighbours, as far as a gap and two halves. */
    sino_pet_point(&scanner, 3, (const double[]){1, 0.5, 0}, point);
    sino_pet_point(&scanner, 4, (const double[]){0, 0.5, 0}, next);
    const double apart = hypot(point[0] - next[0], point[1] - next[1]);
    if (!(apart < 0.32)) fail_msg("blocks are %g mm apart", apart);
}

/* Rays between points: each entry is the chord of the voxel, and a row their sum. */
static void entries_are_chords(void **state)
{
    (void)state;
    const SinoPetScanner scanner = point_scanner();
    const SinoVoxelGrid *grid = &scanner.grid;
    const int64_t crystals = sino_pet_crystals(&scanner);
    int64_t checked = 0;
    for (int64_t a = 0; a < crystals; a += 5) {
        SinoSparseRows rows;
        assert_success(sino_pet_rows(&scanner, a, &rows));
        assert_int_equal(rows.first_row, a * crystals);
        assert_int_equal(rows.row_count, crystals);
        for (int64_t b = a + 1; b < crystals; b++) {
            double from[3], to[3], sum = 0;
            middle_of(&scanner, a, from);
            middle_of(&scanner, b, to);
            for (int64_t e = rows.start[b]; e < rows.start[b + 1]; e++) {
                const int64_t voxel = rows.column[e], j = voxel % 9, i = voxel / 9 % 11, k = voxel / 99;
                const double middle[] = {((double)j - 4) * grid->size[0], (5 - (double)i) * grid->size[1],
                                         ((double)k - 2) * grid->size[2]};
                const double half[] = {grid->size[0] / 2, grid->size[1] / 2, grid->size[2] / 2};
                double near[3], far[3];
                for (int d = 0; d < 3; d++) near[d] = from[d] - middle[d];
                for (int d = 0; d < 3; d++) far[d] = to[d] - middle[d];
                const double chord = chord_in_box(near, far, half);
                assert_true(fabs((double)rows.value[e] - chord) < 1e-6);
                assert_true(e == rows.start[b] || rows.column[e] > rows.column[e - 1]);
                sum += (double)rows.value[e];
                checked++;
            }
            const double box[] = {4.5 * grid->size[0], 5.5 * grid->size[1], 2.5 * grid->size[2]};
            const bool line = a / 3 % 12 != b / 3 % 12;
            assert_true(fabs(sum - (line ? chord_in_box(from, to, box) : 0)) < 1e-5);
        }
        for (int64_t b = 0; b <= a; b++) assert_int_equal(rows.start[b + 1], 0);
        sino_pet_rows_free(&rows);
    }
    assert_true(checked > 1000);
}

/* exp(−μ·way), the way of a ray that ends inside a crystal from the plane of its block's front on. */
static double survival(const SinoPetScanner *scanner, int64_t crystal, const double out[3], const double end[3])
{
    double front[2][3], normal[3], cosine = 0, length = 0, depth = 0;
    sino_pet_point(scanner, crystal, (const double[]){0.5, 0.5, 0}, front[0]);
    sino_pet_point(scanner, crystal, (const double[]){0.5, 0.5, 1}, front[1]);
    for (int d = 0; d < 3; d++) normal[d] = (front[1][d] - front[0][d]) / scanner->crystal_depth;
    for (int d = 0; d < 3; d++) {
        cosine += normal[d] * (end[d] - out[d]);
        length += (end[d] - out[d]) * (end[d] - out[d]);
        depth += normal[d] * (end[d] - front[0][d]);
    }
    cosine = fabs(cosine) / sqrt(length);
    return exp(-scanner->attenuation * depth / cosine);
}

/* The mean over many random rays of what a row sums to: the weight times the chord in the whole grid. */
static double random_sum(const SinoPetScanner *scanner, int64_t a, int64_t b)
{
    enum { RAYS = 100000 };
    const SinoVoxelGrid *grid = &scanner->grid;
    const double half[] = {(double)grid->x_count * grid->size[0] / 2, (double)grid->y_count * grid->size[1] / 2,
                           (double)grid->z_count * grid->size[2] / 2};
    SinoRandomStream stream = sino_random_stream(99, (uint64_t)a);
    double sum = 0;
    for (int r = 0; r < RAYS; r++) {
        double place[6], from[3], to[3];
        for (int i = 0; i < 6; i++) place[i] = sino_random_uniform(&stream);
        sino_pet_point(scanner, a, place, from);
        sino_pet_point(scanner, b, place + 3, to);
        sum += chord_in_box(from, to, half) * survival(scanner, a, to, from) * survival(scanner, b, from, to);
    }
    return sum / RAYS;
}

/* Rows converge to the mean over all rays, at a speed of quasi-random points. */
static void rows_are_means_over_crystals(void **state)
{
    (void)state;
    static const int64_t pairs[][2] = {{0, 48}, {1, 52}, {2, 145}, {97, 240}};
    SinoPetScanner scanner = sino_pet_scanner(24, 4, 3);
    scanner.grid = (SinoVoxelGrid){20, 18, 6, {1.5, 1.5, 1.2}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const double expected = random_sum(&scanner, pairs[i][0], pairs[i][1]);
        assert_true(expected > 1);
        for (int64_t rays = 64; rays <= 4096; rays *= 64) {
            SinoSparseRows rows;
            scanner.ray_count = rays;
            assert_success(sino_pet_rows(&scanner, pairs[i][0], &rows));
            const double off = fabs(sum_of(&rows, pairs[i][1]) / expected - 1);
            if (!(off < (rays == 64 ? 0.06 : 0.01))) fail_msg("%d rays: off by %g", (int)rays, off);
            sino_pet_rows_free(&rows);
        }
    }
}

/* x → −x takes crystal (block, place) to (−block, size − 1 − place), and voxel column j to X − 1 − j. */
static void mirrored_lines_have_mirrored_rows(void **state)
{
    (void)state;
    enum { X = 16, BLOCKS = 24, SIZE = 4 };
    SinoPetScanner scanner = sino_pet_scanner(BLOCKS, SIZE, 1);
    scanner.grid = (SinoVoxelGrid){X, X, 2, {2, 2, 2}};
    scanner.ray_count = 20000;
    const int64_t a = 3 * SIZE + 1, b = 14 * SIZE + 2; /* becomes blocks 21 and 10 */
    const int64_t mirrored_a = 21 * SIZE + 2, mirrored_b = 10 * SIZE + 1;
    SinoSparseRows rows, mirrored;
    double image[2 * X * X] = {0}, difference = 0, norm = 0;
    assert_success(sino_pet_rows(&scanner, a, &rows));
    assert_success(sino_pet_rows(&scanner, mirrored_b, &mirrored)); /* the lower number comes first */
    for (int64_t e = rows.start[b]; e < rows.start[b + 1]; e++) image[rows.column[e]] += (double)rows.value[e];
    for (int i = 0; i < 2 * X * X; i++) norm += image[i] * image[i];
    for (int64_t e = mirrored.start[mirrored_a]; e < mirrored.start[mirrored_a + 1]; e++) {
        const uint32_t voxel = mirrored.column[e];
        image[voxel - voxel % X + X - 1 - voxel % X] -= (double)mirrored.value[e];
    }
    for (int i = 0; i < 2 * X * X; i++) difference += image[i] * image[i];
    if (!(norm > 0 && sqrt(difference / norm) < 0.01)) fail_msg("%g", sqrt(difference / norm));
    sino_pet_rows_free(&rows);
    sino_pet_rows_free(&mirrored);
}

/* A row is the same whenever it is computed, and points of other lines differ. */
static void rows_depend_on_the_line_only(void **state)
{
    (void)state;
    SinoPetScanner scanner = sino_pet_scanner(24, 4, 2);
    SinoSparseRows first, second;
    scanner.grid = (SinoVoxelGrid){20, 20, 6, {1, 1, 1}};
    scanner.ray_count = 7;
    assert_success(sino_pet_rows(&scanner, 11, &first));
    assert_success(sino_pet_rows(&scanner, 11, &second));
    const int64_t entries = first.start[first.row_count];
    assert_true(entries > 1000);
    assert_memory_equal(first.start, second.start, (size_t)(first.row_count + 1) * sizeof *first.start);
    assert_memory_equal(first.column, second.column, (size_t)entries * sizeof *first.column);
    assert_memory_equal(first.value, second.value, (size_t)entries * sizeof *first.value);
    sino_pet_rows_free(&first);
    sino_pet_rows_free(&second);
}

static void projections_are_sums(void **state)
{
    (void)state;
    int64_t start[] = {0, 2, 2, 3};
    uint32_t column[] = {0, 2, 1};
    float value[] = {0.5f, 2, 3};
    const SinoSparseRows rows = {.first_row = 7, .row_count = 3, .start = start, .column = column, .value = value};
    static const float activity[] = {4, 5, 6};
    double mean[3];
    sino_pet_project(&rows, activity, mean);
    assert_true(mean[0] == 14 && mean[1] == 0 && mean[2] == 15);
}

/* The volume of the cylinder and the spheres, and the activity in their middles. */
static void activity_has_its_volume(void **state)
{
    (void)state;
    enum { X = 60, Z = 40 };
    SinoPetScanner scanner = sino_pet_scanner(24, 4, 4);
    scanner.grid = (SinoVoxelGrid){X, X, Z, {0.5, 0.5, 0.5}};
    float *slice = NULL;
    double sum = 0, expected = M_PI * pow(sino_pet_body_radius(&scanner), 2) * Z * 0.5;
    assert_success(sino_allocate(X * X, sizeof *slice, "test", &slice));
    for (int64_t z = 0; z < Z; z++) {
        sino_pet_activity(&scanner, z, slice);
        for (int i = 0; i < X * X; i++) sum += (double)slice[i] * 0.125;
        assert_true(slice[0] == 0);
        for (int i = 0; i < SINO_PET_SPHERES && z == Z / 2; i++) {
            const SinoPetSphere sphere = sino_pet_sphere(&scanner, i);
            const int column = (int)floor(sphere.x / 0.5 + X / 2.0), row = (int)floor(X / 2.0 - sphere.y / 0.5);
            assert_true((double)slice[row * X + column] == sphere.activity);
        }
    }
    for (int i = 0; i < SINO_PET_SPHERES; i++) {
        const SinoPetSphere sphere = sino_pet_sphere(&scanner, i);
        expected += (sphere.activity - 1) * 4 / 3 * M_PI * pow(sphere.radius, 3);
    }
    if (!(fabs(sum / expected - 1) < 5e-3)) fail_msg("%g instead of %g", sum, expected);
    free(slice);
}

TESTING_SUBJECT(pet_scanner)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crystals_are_on_a_circle),     cmocka_unit_test(entries_are_chords),
        cmocka_unit_test(rows_are_means_over_crystals), cmocka_unit_test(mirrored_lines_have_mirrored_rows),
        cmocka_unit_test(rows_depend_on_the_line_only), cmocka_unit_test(projections_are_sums),
        cmocka_unit_test(activity_has_its_volume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
