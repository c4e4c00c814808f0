/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone project: against a dense matrix in double, for each instruction set, and band; that both directions are
 * transposes; and against the line integrals of a phantom. */
#include "testing_cone_project.h"

/* Joseph's weights of a ray, from its two ends. */
static void weights_of(const SinoCone *cone, int64_t angle, double column, double row, Weights *to)
{
    const double c = cos(cone->angle_rad[angle]), s = sin(cone->angle_rad[angle]), far = cone->source_detector;
    const double u = (column - cone->center) * cone->pixel_width;
    const double up = row - cone->center_row, v = up * (cone->fans ? cone->voxel_size : cone->pixel_height);
    const double source[3] = {cone->source_object * s, -cone->source_object * c, cone->fans ? v : 0};
    const double pixel[3] = {source[0] - far * s + u * c, source[1] + far * c + u * s, v};
    double from[3], step[3], length = 0;
    for (int i = 0; i < 3; i++) {
        static const double sign[3] = {1, -1, 1}; /* rows of the image run downwards */
        const int64_t count = i == 0 ? cone->x_count : i == 1 ? cone->y_count : cone->z_count;
        from[i] = sign[i] * source[i] / cone->voxel_size + 0.5 * (double)(count - 1);
        step[i] = sign[i] * (pixel[i] - source[i]) / cone->voxel_size;
        length += step[i] * step[i];
    }
    const int along = fabs(step[0]) > fabs(step[1]) ? 0 : 1, across = 1 - along;
    for (int64_t y = 0; y < cone->y_count; y++)
        for (int64_t x = 0; x < cone->x_count; x++) {
            const double at[2] = {(double)x, (double)y};
            const double part = (at[along] - from[along]) / step[along];
            const double beside =
                sqrt(length) / fabs(step[along]) * hat(from[across] + part * step[across] - at[across]);
            for (int64_t z = 0; beside > 0 && z < cone->z_count; z++)
                add_weight(to, (y * cone->x_count + x) * cone->z_count + z,
                           beside * hat(from[2] + part * step[2] - (double)z));
        }
}

static double angle_rad[360];

static SinoCone scan_of(int64_t angles, double first_deg, double arc_deg)
{
    for (int64_t k = 0; k < angles; k++)
        angle_rad[k] = (first_deg + arc_deg * (double)k / (double)angles) * SINO_PI / 180;
    return (SinoCone){.angle_count = angles,
                      .column_count = 23,
                      .row_count = 19,
                      .x_count = 18,
                      .y_count = 18,
                      .z_count = 17,
                      .angle_rad = angle_rad,
                      .source_object = 60,
                      .source_detector = 90,
                      .pixel_width = 1.5,
                      .pixel_height = 1.5,
                      .voxel_size = 1,
                      .center = 11,
                      .center_row = 9};
}

static void scans_match_the_matrix(void **state)
{
    (void)state;
    SinoCone cone = scan_of(8, 0, 360);
    check_matrix(&cone, weights_of);
    cone = scan_of(7, 12.3, 217);
    check_matrix(&cone, weights_of);
    cone.center = 3.7; /* most of the volume is seen by half of the angles */
    cone.center_row = -4.2;
    check_matrix(&cone, weights_of);
    cone.x_count = 37;
    cone.y_count = 5;
    cone.z_count = 40; /* beyond the cone */
    cone.center_row = 7.5;
    check_matrix(&cone, weights_of);
    cone.row_count = 70;
    check_matrix(&cone, weights_of);
    cone.pixel_width = 0.4;
    cone.pixel_height = 2.9;
    check_matrix(&cone, weights_of);
}

/* Voxels that are several rows high, and several to a row. */
static void voxels_of_any_size_match_the_matrix(void **state)
{
    (void)state;
    static const double size[] = {1e-9, 0.01, 0.1, 0.3, 0.5, 0.6, 1.1, 1.7, 2.5, 6};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        SinoCone cone = scan_of(5, 3.3, 360);
        cone.voxel_size = size[i];
        cone.x_count = cone.y_count = 7;
        cone.z_count = 44;
        cone.row_count = 40;
        cone.center_row = 17.3;
        check_matrix(&cone, weights_of);
    }
}

/* Pixels up to 1.4 voxels wide have one ray, others as many as leave 0.7 to 1.2 voxels between them, up to four; fans
 * none above others. */
static void wide_pixels_have_several_rays(void **state)
{
    (void)state;
    static const double side[] = {2, 1, 1 / 1.39, 1 / 1.41, 0.5, 1 / 2.41, 0.1};
    static const int64_t count[] = {1, 1, 1, 2, 2, 3, 4};
    for (size_t i = 0; i < sizeof side / sizeof *side; i++) {
        SinoCone cone = scan_of(1, 0, 360);
        cone.voxel_size = side[i];
        cone.pixel_height *= 2;
        assert_int_equal(sino_cone_pixel_rays(&cone, 0).across, count[i]);
        assert_true(sino_cone_pixel_rays(&cone, 0).up >= count[i]);
        const SinoView view = sino_cone_orbit_view(&cone, angle_rad[0]);
        const SinoPixelRays of_orbit = sino_cone_pixel_rays(&cone, 0);
        const double for_voxel = sino_cone_mean_voxel_rays(&cone);
        cone.view = &view;
        assert_int_equal(sino_cone_pixel_rays(&cone, 0).across, of_orbit.across);
        assert_int_equal(sino_cone_pixel_rays(&cone, 0).up, of_orbit.up);
        assert_true(fabs(sino_cone_mean_voxel_rays(&cone) / for_voxel - 1) < 1e-9);
        cone.fans = true;
        assert_int_equal(sino_cone_pixel_rays(&cone, 0).up, 1);
    }
}

/* Voxels of half a pixel, of which every other one lies between the rays through the middles of pixels. */
static void voxels_between_middles_are_seen(void **state)
{
    (void)state;
    SinoCone cone = scan_of(1, 0, 360);
    cone.source_object = 600;
    cone.source_detector = 900;
    cone.voxel_size = 0.5;
    const int64_t voxels = voxels_of(&cone), rays = rays_of(&cone);
    float *x = random_floats(voxels, 1), *y = random_floats(rays, 2);
    for (int64_t i = 0; i < rays; i++) y[i] = 1;
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        float least = INFINITY, most = 0;
        if (!processor_has(i)) continue;
        product(isas[i], true, &cone, cone.y_count, 1, y, x);
        for (int64_t v = 0; v < voxels; v++) {
            least = fminf(least, x[v]);
            most = fmaxf(most, x[v]);
        }
        assert_true(least > 0.9F * most && most < 0.3F);
    }
    free(x);
    free(y);
}

static void edge_shapes_match_the_matrix(void **state)
{
    (void)state;
    for (int64_t columns = 1; columns <= 3; columns++)
        for (int64_t rows = 1; rows <= 3; rows++)
            for (int64_t slices = 1; slices <= 2; slices++) {
                SinoCone cone = scan_of(3, 1, 360);
                cone.column_count = columns;
                cone.row_count = rows;
                cone.center = 0.5 * (double)(columns - 1);
                cone.center_row = 0.5 * (double)(rows - 1);
                cone.x_count = cone.y_count = columns;
                cone.z_count = slices;
                check_matrix(&cone, weights_of);
            }
}

/* A fan beam: one row, one slice, in the plane of the source. */
static void fans_match_the_matrix(void **state)
{
    (void)state;
    SinoCone cone = scan_of(9, 4, 360);
    cone.row_count = cone.z_count = 1;
    cone.center_row = 0;
    cone.column_count = 90;
    cone.center = 40.2;
    cone.x_count = cone.y_count = 41;
    check_matrix(&cone, weights_of);
}

/* Rows that are fans of their own, of any height. */
static void rows_of_fans_match_the_matrix(void **state)
{
    (void)state;
    for (int64_t rows = 1; rows <= 40; rows += 13) {
        SinoCone cone = scan_of(7, 12.3, 217);
        cone.fans = true;
        cone.row_count = cone.z_count = rows;
        cone.center_row = 0.5 * (double)(rows - 1);
        cone.pixel_height = 7.3;
        cone.voxel_size = 0.8;
        check_matrix(&cone, weights_of);
    }
}

static double dot(int64_t count, const float *a, const float *b)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

/* Random vectors of a larger scan: <A x, y> = <x, Aᵀ y>. Bands and pieces of angles leave the bits of voxels alone, and
 * change those of rays by the order of their sums. */
static void directions_are_transposes(void **state)
{
    (void)state;
    SinoCone cone = scan_of(12, 0.7, 360);
    cone.column_count = 70;
    cone.row_count = 83;
    cone.center = 35.2;
    cone.center_row = 40;
    cone.x_count = 61;
    cone.y_count = 52;
    cone.z_count = 67;
    cone.source_object = 200;
    cone.source_detector = 300;
    const int64_t voxels = voxels_of(&cone), rays = rays_of(&cone);
    float *x = random_floats(voxels, 1), *y = random_floats(rays, 2), *ax = random_floats(rays, 3);
    float *aty = random_floats(voxels, 4), *again = random_floats(voxels + rays, 5);
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        if (!processor_has(i)) continue;
        product(isas[i], false, &cone, cone.y_count, 12, x, ax);
        product(isas[i], true, &cone, cone.y_count, 12, y, aty);
        const double error = dot(rays, ax, y) - dot(voxels, x, aty), scale = sqrt(dot(rays, ax, ax) * dot(rays, y, y));
        if (!(fabs(error) <= 2e-8 * scale)) fail_msg("%s: off by %.3g", isas[i]->name, error / scale);
        product(isas[i], true, &cone, 7, 12, y, again);
        assert_true(testing_same_bytes(aty, again, (size_t)voxels * sizeof *aty));
        product(isas[i], false, &cone, 7, 5, x, again);
        for (int64_t r = 0; r < rays; r++) assert_float_equal(ax[r], again[r], 1e-4F);
    }
    free(x);
    free(y);
    free(ax);
    free(aty);
    free(again);
}

TESTING_SUBJECT(cone_project)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scans_match_the_matrix),        cmocka_unit_test(voxels_of_any_size_match_the_matrix),
        cmocka_unit_test(edge_shapes_match_the_matrix),  cmocka_unit_test(fans_match_the_matrix),
        cmocka_unit_test(directions_are_transposes),     cmocka_unit_test(rows_of_fans_match_the_matrix),
        cmocka_unit_test(wide_pixels_have_several_rays), cmocka_unit_test(voxels_between_middles_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
