/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone FDK: the kernels one after the other (weigh, filter, pack, backproject) make the phantom's voxels again, from
 * whole circles, short scans and displaced detectors, in both precisions and with and without symmetry. */
#include "cone.h"
#include "cone_backproject.h"
#include "cone_pack.h"
#include "cone_weigh.h"
#include "filter.h"
#include "memory.h"
#include "phantom.h"
#include "testing.h"

#include <math.h>

enum { SIZE = 64 };

typedef struct Case {
    int64_t angles, columns;
    double arc_deg, center, center_row;
    SinoConeArcKind kind;
} Case;

static const Case circle = {180, 106, 360, 52.5, 49.5, SINO_CONE_CIRCLE};
static const Case turning_back = {181, 106, -360, 51.9, 49.2, SINO_CONE_CIRCLE};
static const Case short_scan = {150, 106, 245, 52.5, 49.5, SINO_CONE_SHORT};
static const Case displaced = {240, 80, 360, 24.3, 49.5, SINO_CONE_DISPLACED};

static SinoCone cone_of(const Case *scan, double *angle_rad)
{
    const double steps = fabs(scan->arc_deg) >= 360 ? (double)scan->angles : (double)(scan->angles - 1);
    for (int64_t k = 0; k < scan->angles; k++) angle_rad[k] = (20 + scan->arc_deg * (double)k / steps) * SINO_PI / 180;
    return (SinoCone){.angle_count = scan->angles,
                      .column_count = scan->columns,
                      .row_count = 100,
                      .x_count = SIZE,
                      .y_count = SIZE,
                      .z_count = SIZE,
                      .angle_rad = angle_rad,
                      .source_object = 300,
                      .source_detector = 450,
                      .pixel_width = 1.5,
                      .pixel_height = 1.5,
                      .voxel_size = 1,
                      .center = scan->center,
                      .center_row = scan->center_row};
}

/* Line integrals in panels of rows, [angle][column][row]. */
static float *project(const SinoCone *cone, SinoSlices rows)
{
    const SinoPhantom phantom = {.size = SIZE, .height = SIZE, .whole = true};
    const int64_t rays = cone->angle_count * cone->column_count;
    double *projection = NULL;
    float *sinogram = NULL;
    assert_success(sino_allocate(cone->row_count * cone->column_count, sizeof *projection, "test", &projection));
    assert_success(sino_allocate(rays * rows.stride, sizeof *sinogram, "test", &sinogram));
    for (int64_t k = 0; k < cone->angle_count; k++) {
        sino_phantom_cone(&phantom, cone, k, projection);
        for (int64_t i = 0; i < cone->row_count * cone->column_count; i++)
            sinogram[sino_panel_element(rows, rays, k * cone->column_count + i % cone->column_count,
                                        i / cone->column_count)] = (float)projection[i];
    }
    free(projection);
    return sinogram;
}

/* Filtered projections of the detector of sino_cone_filtered. */
static float *weigh_and_filter(const SinoCone *cone, SinoSlices rows, const float *sinogram)
{
    const int64_t columns = sino_cone_filtered(cone).column_count, rays = cone->angle_count * columns;
    double *weight = NULL, *one = NULL;
    float *ray_weight = NULL, *weighed = NULL;
    void *scratch = NULL;
    SinoFilter *filter = NULL;
    assert_success(sino_allocate(rays, sizeof *weight, "test", &weight));
    assert_success(sino_allocate(rays, sizeof *ray_weight, "test", &ray_weight));
    assert_success(sino_allocate(rays * rows.stride, sizeof *weighed, "test", &weighed));
    assert_success(sino_allocate(cone->angle_count, sizeof *one, "test", &one));
    assert_success(sino_cone_ray_weights(cone, weight));
    const double columns_per_voxel = cone->voxel_size * cone->source_detector / cone->source_object / cone->pixel_width;
    for (int64_t i = 0; i < rays; i++) ray_weight[i] = (float)(weight[i] * columns_per_voxel);
    for (int64_t k = 0; k < cone->angle_count; k++) one[k] = 1;
    sino_cone_weigh(cone, cone->angle_count, rows, 0, ray_weight, sinogram, weighed);
    assert_success(sino_filter_new(columns, SINO_WINDOW_NONE, SINO_SINGLE, &filter));
    assert_success(sino_allocate(sino_filter_scratch_bytes(filter), 1, "test", &scratch));
    sino_filter_run(filter, cone->angle_count, rows, one, scratch, weighed);
    sino_filter_free(filter);
    free(scratch);
    free(weight);
    free(ray_weight);
    free(one);
    return weighed;
}

/* volume[z][y][x] */
static void backproject(const SinoCone *cone, SinoSlices rows, const float *sinogram, SinoConeSymmetry symmetry,
                        SinoPrecision precision, float *volume)
{
    const SinoConeLines lines = {.symmetry = symmetry,
                                 .precision = precision,
                                 .group_count = cone->angle_count / symmetry.turns,
                                 .column_count = cone->column_count,
                                 .entry_count = 128};
    const int64_t side = symmetry.turns == 1 ? SIZE : SIZE / 2;
    const SinoConePart part = {0, 0, side, side, 0, SIZE / symmetry.halves};
    const SinoConePacking packing = {cone, &lines, rows, 0, cone->angle_count};
    void *block = NULL, *scratch = NULL;
    float *unit = NULL, *voxel = NULL;
    const int64_t projection_bytes = sino_cone_projection_entries(&lines) * sino_cone_entry_bytes(&lines);
    const void *projection[256];
    assert_success(sino_allocate(cone->angle_count, (size_t)projection_bytes, "test", &block));
    for (int64_t k = 0; k < cone->angle_count; k++) projection[k] = (char *)block + k * projection_bytes;
    assert_success(sino_allocate(cone->angle_count, sizeof *unit, "test", &unit));
    assert_success(sino_allocate(sino_cone_part_voxels(&part, symmetry), sizeof *voxel, "test", &voxel));
    assert_success(
        sino_allocate(sino_cone_pack_scratch_bytes(&packing) + sino_cone_scratch_bytes(&lines), 1, "test", &scratch));
    sino_cone_pack(&packing, sinogram, scratch, block, unit);
    const SinoConeBackprojection what = {cone, &lines, &part, cone->angle_rad, unit, projection};
    sino_cone_backproject(&what, scratch, voxel);
    for (int64_t i = 0; i < (int64_t)SIZE * SIZE * SIZE; i++) {
        const int64_t run = i / part.voxel_count, half = run % symmetry.halves;
        const int64_t turn = run / symmetry.halves % symmetry.turns, base = run / symmetry.halves / symmetry.turns;
        int64_t x = base % side, y = base / side, z = i % part.voxel_count;
        for (int64_t t = 0; t < turn; t++) {
            const int64_t old_x = x;
            x = y;
            y = SIZE - 1 - old_x;
        }
        if (symmetry.halves == 2) z = half == 0 ? SIZE / 2 + z : SIZE / 2 - 1 - z;
        volume[(z * SIZE + y) * SIZE + x] = voxel[i];
    }
    free(block);
    free(scratch);
    free(unit);
    free(voxel);
}

/* Relative difference of the voxels of the slices near the plane of the source, where FDK is exact. */
static double difference(const float *volume, const float *other)
{
    double error = 0, norm = 0;
    for (int64_t i = (int64_t)(SIZE / 2 - 4) * SIZE * SIZE; i < (int64_t)(SIZE / 2 + 4) * SIZE * SIZE; i++) {
        error += ((double)volume[i] - (double)other[i]) * ((double)volume[i] - (double)other[i]);
        norm += (double)other[i] * (double)other[i];
    }
    return sqrt(error / norm);
}

static void check_case(const Case *scan, SinoConeSymmetry expected)
{
    double angle_rad[256];
    SinoCone seen = cone_of(scan, angle_rad);
    const SinoPhantom phantom = {.size = SIZE, .height = SIZE, .whole = true};
    const SinoSlices rows = {SINO_SINGLE, sino_panel_stride(SINO_SINGLE, seen.row_count), seen.row_count};
    const int64_t voxels = (int64_t)SIZE * SIZE * SIZE;
    float *volume = NULL, *other = NULL, *truth = NULL;
    SinoConeArc arc;
    assert_success(sino_allocate(voxels, sizeof *volume, "test", &volume));
    assert_success(sino_allocate(voxels, sizeof *other, "test", &other));
    assert_success(sino_allocate(voxels, sizeof *truth, "test", &truth));
    for (int64_t z = 0; z < SIZE; z++) sino_phantom_slice(&phantom, z, truth + z * SIZE * SIZE);
    assert_success(sino_cone_arc_new(&seen, &arc));
    assert_int_equal(arc.kind, scan->kind);
    sino_cone_reach(&seen);
    float *integrals = project(&seen, rows), *sinogram = weigh_and_filter(&seen, rows, integrals);
    const SinoCone cone = sino_cone_filtered(&seen);
    const SinoConeSymmetry symmetry = sino_cone_symmetry(&cone, true);
    assert_int_equal(symmetry.turns, expected.turns);
    assert_int_equal(symmetry.halves, expected.halves);
    backproject(&cone, rows, sinogram, symmetry, SINO_SINGLE, volume);
    const double to_truth = difference(volume, truth);
    backproject(&cone, rows, sinogram, (SinoConeSymmetry){1, 1}, SINO_SINGLE, other);
    const double to_general = difference(volume, other);
    backproject(&cone, rows, sinogram, symmetry, SINO_MIXED, other);
    const double to_mixed = difference(other, volume);
    print_message("%ld angles: %.4f from the phantom, general %.1e, mixed %.1e\n", scan->angles, to_truth, to_general,
                  to_mixed);
    assert_true(to_truth < 0.2);
    assert_true(to_general < 2e-6);
    assert_true(to_mixed < 5e-4);
    free(integrals);
    free(sinogram);
    free(volume);
    free(other);
    free(truth);
}

static void whole_circles_show_the_phantom(void **state)
{
    (void)state;
    check_case(&circle, (SinoConeSymmetry){4, 2});
    check_case(&turning_back, (SinoConeSymmetry){1, 1});
}

static void short_scans_show_the_phantom(void **state)
{
    (void)state;
    check_case(&short_scan, (SinoConeSymmetry){1, 2});
}

static void displaced_detectors_show_the_phantom(void **state)
{
    (void)state;
    check_case(&displaced, (SinoConeSymmetry){4, 2});
}

enum { RINGS = 8 };

/* The two slices beside the plane of the source, by FDK. */
typedef struct Middle {
    double error;       /* to the phantom, in percent of it */
    double ring[RINGS]; /* mean error of rings, in percent of the phantom's largest value */
} Middle;

static Middle middle_of(const float *voxel, const float *truth)
{
    Middle middle = {0};
    double norm = 0, most = 0, count[RINGS] = {0};
    for (int64_t i = 0; i < (int64_t)SIZE * SIZE; i++) {
        const double x = (double)(i % SIZE) - (SIZE - 1) / 2.0, y = (double)(i / SIZE) - (SIZE - 1) / 2.0;
        const int64_t ring = (int64_t)(hypot(x, y) / (SIZE / 2.0) * RINGS);
        for (int64_t z = 0; z < 2 && ring < RINGS; z++) {
            const double right = (double)truth[z * SIZE * SIZE + i];
            const double off = (double)voxel[i * SINO_CONE_VOXELS + z] - right;
            middle.error += off * off;
            norm += right * right;
            most = fmax(most, right);
            middle.ring[ring] += off;
            count[ring]++;
        }
    }
    middle.error = 100 * sqrt(middle.error / norm);
    for (int i = 0; i < RINGS; i++) middle.ring[i] *= 100 / count[i] / most;
    return middle;
}

/* Reconstructs with the columns from `first` on, `end` not included, of a detector of 106. */
static Middle reconstruct_columns(int64_t first, int64_t end)
{
    enum { ROWS = 8, ANGLES = 180 };
    static const Case middle = {ANGLES, 106, 360, 52.5, 3.5, SINO_CONE_CIRCLE};
    double angle_rad[ANGLES];
    const void *projection[ANGLES];
    SinoCone cone = cone_of(&middle, angle_rad);
    const SinoPhantom phantom = {.size = SIZE, .height = SIZE, .whole = true};
    const SinoSlices rows = {SINO_SINGLE, sino_panel_stride(SINO_SINGLE, ROWS), ROWS};
    cone.row_count = ROWS;
    cone.column_count = end - first;
    cone.center -= (double)first;
    sino_cone_reach(&cone);
    float *integrals = project(&cone, rows), *sinogram = weigh_and_filter(&cone, rows, integrals);
    const SinoCone seen = sino_cone_filtered(&cone);
    const SinoConeLines lines = {.symmetry = {1, 1},
                                 .precision = SINO_SINGLE,
                                 .group_count = ANGLES,
                                 .column_count = seen.column_count,
                                 .entry_count = SINO_CONE_ENTRIES};
    const SinoConePart part = {0, 0, SIZE, SIZE, SIZE / 2 - 1, 2};
    const SinoConePacking packing = {&seen, &lines, rows, 0, ANGLES};
    const int64_t entries = sino_cone_projection_entries(&lines);
    float *block, *voxel, *truth;
    void *scratch;
    assert_success(sino_allocate(ANGLES * entries, sizeof *block, "test", &block));
    assert_success(sino_allocate(sino_cone_part_voxels(&part, lines.symmetry), sizeof *voxel, "test", &voxel));
    assert_success(sino_allocate(2 * SIZE * SIZE, sizeof *truth, "test", &truth));
    assert_success(
        sino_allocate(sino_cone_pack_scratch_bytes(&packing) + sino_cone_scratch_bytes(&lines), 1, "test", &scratch));
    for (int64_t k = 0; k < ANGLES; k++) projection[k] = block + k * entries;
    for (int64_t z = 0; z < 2; z++) sino_phantom_slice(&phantom, SIZE / 2 - 1 + z, truth + z * SIZE * SIZE);
    sino_cone_pack(&packing, sinogram, scratch, block, NULL);
    const SinoConeBackprojection what = {&seen, &lines, &part, angle_rad, NULL, projection};
    sino_cone_backproject(&what, scratch, voxel);
    const Middle result = middle_of(voxel, truth);
    free(integrals);
    free(sinogram);
    free(block);
    free(voxel);
    free(truth);
    free(scratch);
    return result;
}

/* The axis from 15 to 85 % of the detector: the slices are as right as those of the whole detector. */
static void any_axis_shows_the_phantom(void **state)
{
    (void)state;
    static const int64_t columns[][2] = {{1, 106}, {5, 106}, {12, 106}, {30, 106}, {45, 106},
                                         {0, 104}, {0, 97},  {0, 80},   {0, 61}};
    const Middle whole = reconstruct_columns(0, 106);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const Middle part = reconstruct_columns(columns[i][0], columns[i][1]);
        print_message("columns %ld to %ld: error %.2f %%, whole %.2f %%\n", columns[i][0], columns[i][1], part.error,
                      whole.error);
        assert_true(part.error <= 1.05 * whole.error);
        for (int r = 0; r < RINGS; r++)
            if (fabs(part.ring[r] - whole.ring[r]) > 0.2)
                fail_msg("ring %d: %.3f %%, with the whole detector %.3f %%", r, part.ring[r], whole.ring[r]);
    }
}

TESTING_SUBJECT(cone_fdk)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_circles_show_the_phantom),
        cmocka_unit_test(short_scans_show_the_phantom),
        cmocka_unit_test(displaced_detectors_show_the_phantom),
        cmocka_unit_test(any_axis_shows_the_phantom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
