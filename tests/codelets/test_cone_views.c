/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone project of projections that have vectors: 50 random geometries against a matrix in double, for each instruction
 * set; both directions are transposes; vectors of an orbit are the orbit. */
#include "testing_cone_project.h"

enum { VIEWS = 5, ORBIT_VIEWS = 12 };

/* Joseph's weights of a ray. */
static void weights_of(const SinoCone *cone, int64_t angle, double column, double row, Weights *to)
{
    const SinoView *view = &cone->view[angle];
    const int64_t count[3] = {cone->x_count, cone->y_count, cone->z_count};
    double from[3], ray[3], length = 0;
    for (int i = 0; i < 3; i++) {
        const double sign = i == 1 ? -1 : 1, lift = i == 2 ? cone->lift : 0;
        const double pixel = view->first[i] + column * view->column[i] + row * view->row[i];
        ray[i] = sign * (view->parallel ? view->source[i] : pixel - view->source[i]);
        from[i] =
            sign * (view->parallel ? pixel : view->source[i]) / cone->voxel_size + 0.5 * (double)(count[i] - 1) - lift;
        length += ray[i] * ray[i];
    }
    int along = fabs(ray[0]) > fabs(ray[1]) ? 0 : 1;
    if (fabs(ray[2]) > fabs(ray[along])) along = 2;
    for (int64_t y = 0; y < cone->y_count; y++)
        for (int64_t x = 0; x < cone->x_count; x++)
            for (int64_t z = 0; z < cone->z_count; z++) {
                const double at[3] = {(double)x, (double)y, (double)z};
                const double part = (at[along] - from[along]) / ray[along];
                double product = sqrt(length) / fabs(ray[along]);
                for (int i = 0; i < 3; i++)
                    if (i != along) product *= hat(from[i] + part * ray[i] - at[i]);
                add_weight(to, (y * cone->x_count + x) * cone->z_count + z, product);
            }
}

/* How the rays of a random scan lie. */
typedef enum Kind { UPRIGHT, LEANING, ANY, KINDS } Kind;

static void unit(double vector[3])
{
    const double length = sqrt(sino_view_dot(vector, vector));
    for (int i = 0; i < 3; i++) vector[i] /= length;
}

/* A view from anywhere at a distance of 60 to 100 voxels: of UPRIGHT columns along z; LEANING: rows are level, as those
 * of laminography; ANY: the detector is turned, skew and off the ray through the middle. */
static SinoView random_view(const SinoCone *cone, Kind kind, bool parallel, uint32_t *state)
{
    SinoView view = {.parallel = parallel};
    double ray[3], across[3], up[3];
    const double turn = SINO_PI * next_random(state), climb = kind == UPRIGHT ? 0.3 : kind == LEANING ? 1 : 3;
    ray[0] = sin(turn), ray[1] = -cos(turn), ray[2] = climb * next_random(state);
    unit(ray);
    across[0] = cos(turn), across[1] = sin(turn), across[2] = 0;
    if (kind == ANY)
        for (int i = 0; i < 3; i++) across[i] += 0.4 * next_random(state);
    if (kind == UPRIGHT)
        up[0] = up[1] = 0, up[2] = next_random(state) < 0 ? -1 : 1;
    else
        sino_view_cross(across, ray, up);
    if (kind == ANY)
        for (int i = 0; i < 3; i++) up[i] += 0.2 * next_random(state);
    const double size = cone->voxel_size, near = (80 + 20 * next_random(state)) * size;
    const double far = (30 + 10 * next_random(state)) * size, rays = next_random(state) < 0 ? 1 : 1.5;
    const double wide = rays * (1.3 + 0.5 * next_random(state)) * size;
    for (int i = 0; i < 3; i++) {
        const double middle = far * ray[i] + 2 * size * next_random(state);
        view.source[i] = parallel ? 3 * ray[i] : -near * ray[i];
        view.column[i] = wide * across[i];
        view.row[i] = wide * up[i];
        view.first[i] = middle - 0.5 * (double)(cone->column_count - 1) * view.column[i] -
                        0.5 * (double)(cone->row_count - 1) * view.row[i];
    }
    return view;
}

static int64_t random_count(uint32_t *state, int64_t most)
{
    return 1 + (int64_t)(0.5 * (next_random(state) + 1) * (double)most);
}

static SinoCone random_scan(uint32_t *state, Kind kind, bool parallel, SinoView view[VIEWS])
{
    SinoCone cone = {.angle_count = VIEWS,
                     .column_count = random_count(state, 24),
                     .row_count = random_count(state, 40),
                     .x_count = random_count(state, 20),
                     .y_count = random_count(state, 20),
                     .z_count = random_count(state, 20),
                     .voxel_size = 0.7,
                     .lift = 0.5 * (double)random_count(state, 4),
                     .view = view};
    for (int k = 0; k < VIEWS; k++) view[k] = random_view(&cone, kind, parallel, state);
    return cone;
}

static void random_scans_match_the_matrix(void **unused)
{
    (void)unused;
    uint32_t state = 7;
    for (int i = 0; i < 50; i++) {
        SinoView view[VIEWS];
        const SinoCone cone = random_scan(&state, i % KINDS, i / KINDS % 2 == 0, view);
        check_matrix(&cone, weights_of);
    }
}

/* Volumes of more than a box, seen along each axis. */
static void boxes_match_the_matrix(void **unused)
{
    (void)unused;
    uint32_t state = 3;
    for (int i = 0; i < 3; i++) {
        SinoView view[VIEWS];
        SinoCone cone = random_scan(&state, ANY, i == 1, view);
        cone.column_count = 9;
        cone.row_count = 17;
        cone.x_count = i == 0 ? 40 : 5;
        cone.y_count = i == 1 ? 40 : 6;
        cone.z_count = i == 2 ? 70 : 7;
        for (int k = 0; k < VIEWS; k++) view[k] = random_view(&cone, ANY, i == 1, &state);
        check_matrix(&cone, weights_of);
    }
}

static void edge_shapes_match_the_matrix(void **unused)
{
    (void)unused;
    uint32_t state = 5;
    for (int64_t i = 0; i < 16; i++) {
        SinoView view[VIEWS];
        SinoCone cone = random_scan(&state, i % KINDS, i % 2 == 0, view);
        cone.column_count = 1 + (i & 1);
        cone.row_count = 1 + (i >> 1 & 1);
        cone.x_count = cone.y_count = 1 + (i >> 2 & 1);
        cone.z_count = 1 + (i >> 3 & 1);
        for (int k = 0; k < VIEWS; k++) view[k] = random_view(&cone, i % KINDS, i % 2 == 0, &state);
        check_matrix(&cone, weights_of);
    }
}

static double dot(int64_t count, const float *a, const float *b)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

static void directions_are_transposes(void **unused)
{
    (void)unused;
    uint32_t state = 11;
    for (int kind = 0; kind < 2 * KINDS; kind++) {
        SinoView view[VIEWS];
        SinoCone cone = random_scan(&state, kind / 2, kind % 2 == 0, view);
        cone.column_count = 70;
        cone.row_count = 83;
        cone.x_count = 61;
        cone.y_count = 52;
        cone.z_count = 67;
        for (int k = 0; k < VIEWS; k++) view[k] = random_view(&cone, kind / 2, kind % 2 == 0, &state);
        const int64_t voxels = voxels_of(&cone), rays = rays_of(&cone);
        float *x = random_floats(voxels, 1), *y = random_floats(rays, 2);
        float *ax = random_floats(rays, 3), *aty = random_floats(voxels, 4);
        for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
            if (!processor_has(i)) continue;
            product(isas[i], false, &cone, cone.y_count, VIEWS, x, ax);
            product(isas[i], true, &cone, cone.y_count, VIEWS, y, aty);
            const double error = dot(rays, ax, y) - dot(voxels, x, aty);
            const double scale = sqrt(dot(rays, ax, ax) * dot(rays, y, y));
            if (!(fabs(error) <= 2e-8 * scale)) fail_msg("%s: off by %.3g", isas[i]->name, error / scale);
        }
        free(x);
        free(y);
        free(ax);
        free(aty);
    }
}

#ifndef TESTING_ON_DEVICE /* windows are the cores' */
/* By a window each view counts in its slices, in bands of any height, and those of one direction have the weight 1
 * together, wherever a slice lies. */
static void windows_count_slices(void **unused)
{
    (void)unused;
    uint32_t state = 13;
    SinoView view[VIEWS];
    SinoCone cone = random_scan(&state, UPRIGHT, false, view);
    cone.column_count = 30;
    cone.row_count = 21;
    cone.x_count = 19;
    cone.y_count = 18;
    cone.z_count = 26;
    const SinoConeWindow window = {.pitch_mm = 6 * cone.voxel_size, .turns = 2.4, .low_mm = -9, .high_mm = 9};
    for (int k = 0; k < VIEWS; k++) {
        view[k] = random_view(&cone, UPRIGHT, false, &state);
        view[k].source[2] = window.pitch_mm * (k - (VIEWS - 1) / 2.0);
    }
    const int64_t voxels = voxels_of(&cone), rays = rays_of(&cone) / VIEWS;
    float *y = random_floats(rays * VIEWS, 2), *all = random_floats(voxels, 3), *one = random_floats(voxels, 4);
    double *expected = NULL, most = 0, weights = 0;
    assert_success(sino_allocate(voxels, sizeof *expected, "test", &expected));
    const SinoCone plain = cone;
    cone.window = window;
    for (int k = 0; k < VIEWS; k++) {
        SinoCone single = plain;
        single.angle_count = 1;
        single.view = view + k;
        product(isas[0], true, &single, cone.y_count, 1, y + k * rays, one);
        for (int64_t i = 0; i < voxels; i++)
            expected[i] += sino_cone_window_weight(&cone, k, (double)(i % cone.z_count)) * (double)one[i];
        weights += sino_cone_window_weight(&cone, k, sino_cone_plane_slice(&cone) + 0.3);
    }
    assert_true(fabs(weights - 1) < 1e-12);
    for (int64_t rows = 5; rows <= 18; rows += 13) {
        product(isas[0], true, &cone, rows, VIEWS, y, all);
        for (int64_t i = 0; i < voxels; i++) most = fmax(most, fabs((double)all[i] - expected[i]));
    }
    print_message("windows: off by %.2g\n", most);
    assert_true(most < 1e-5);
    free(y);
    free(all);
    free(one);
    free(expected);
}
#endif

/* The vectors of an orbit take the orbit's way. */
static void vectors_of_an_orbit_are_the_orbit(void **unused)
{
    (void)unused;
    double angle_rad[ORBIT_VIEWS];
    SinoView view[ORBIT_VIEWS];
    SinoCone orbit = {.angle_count = ORBIT_VIEWS,
                      .column_count = 50,
                      .row_count = 43,
                      .x_count = 41,
                      .y_count = 38,
                      .z_count = 37,
                      .angle_rad = angle_rad,
                      .source_object = 150,
                      .source_detector = 230,
                      .pixel_width = 1.5,
                      .pixel_height = 1.6,
                      .voxel_size = 1.1,
                      .center = 23.4,
                      .center_row = 20.3,
                      .lift = 1.5};
    for (int k = 0; k < ORBIT_VIEWS; k++) {
        angle_rad[k] = 0.1 + 2 * SINO_PI * k / ORBIT_VIEWS;
        view[k] = sino_cone_orbit_view(&orbit, angle_rad[k]);
    }
    SinoCone vectors = orbit;
    vectors.view = view;
    vectors.angle_rad = NULL;
    const int64_t voxels = voxels_of(&orbit), rays = rays_of(&orbit);
    float *x = random_floats(voxels, 1), *ax = random_floats(rays, 2), *again = random_floats(rays, 3);
    product(isas[0], false, &orbit, orbit.y_count, ORBIT_VIEWS, x, ax);
    product(isas[0], false, &vectors, orbit.y_count, ORBIT_VIEWS, x, again);
    assert_true(testing_same_bytes(ax, again, (size_t)rays * sizeof *ax));
    free(x);
    free(ax);
    free(again);
}

TESTING_SUBJECT(cone_views)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_scans_match_the_matrix),
        cmocka_unit_test(boxes_match_the_matrix),
        cmocka_unit_test(edge_shapes_match_the_matrix),
        cmocka_unit_test(directions_are_transposes),
        cmocka_unit_test(vectors_of_an_orbit_are_the_orbit),
#ifndef TESTING_ON_DEVICE
        cmocka_unit_test(windows_count_slices),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
