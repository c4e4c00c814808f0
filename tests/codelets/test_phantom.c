/* SPDX-License-Identifier: BSD-3-Clause */
/* Phantom: its line integrals against its voxels, the signs of the convention, the range of values, photon
 * statistics. */
#include "memory.h"
#include "phantom.h"
#include "testing.h"

#include <math.h>

enum { SIZE = 256, COLUMNS = 300, ANGLES = 24 };

static double value_at(const float *slice, int64_t row, int64_t column)
{
    const bool inside = row >= 0 && row < SIZE && column >= 0 && column < SIZE;
    return inside ? (double)slice[row * SIZE + column] : 0;
}

/* Bilinear between voxel centers; x to the right, y upwards. */
static double interpolate(const float *slice, double x, double y)
{
    const double column = x + (SIZE - 1) / 2.0, row = (SIZE - 1) / 2.0 - y;
    const int64_t j = (int64_t)floor(column), i = (int64_t)floor(row);
    const double u = column - (double)j, v = row - (double)i;
    return (1 - v) * ((1 - u) * value_at(slice, i, j) + u * value_at(slice, i, j + 1)) +
           v * ((1 - u) * value_at(slice, i + 1, j) + u * value_at(slice, i + 1, j + 1));
}

/* By small steps along the ray s = x·cosθ + y·sinθ. */
static double integrate(const float *slice, double s, double angle_rad)
{
    const double step = 0.25;
    double sum = 0;
    for (int i = 0; i < 6 * SIZE; i++) {
        const double t = i * step - 0.75 * SIZE;
        sum += interpolate(slice, s * cos(angle_rad) - t * sin(angle_rad), s * sin(angle_rad) + t * cos(angle_rad));
    }
    return sum * step;
}

typedef struct Scan {
    double angle_rad[ANGLES];
    SinoGeometry geometry;
    float slice[SIZE * SIZE];
    double sinogram[ANGLES * COLUMNS];
} Scan;

static Scan *make_scan(const SinoPhantom *phantom, int64_t z, double center)
{
    Scan *scan = NULL;
    assert_success(sino_allocate(1, sizeof *scan, "test", &scan));
    for (int k = 0; k < ANGLES; k++) scan->angle_rad[k] = 2 * M_PI * k / ANGLES + 0.03;
    scan->geometry = (SinoGeometry){ANGLES, COLUMNS, SIZE, scan->angle_rad, center, 0};
    sino_phantom_slice(phantom, z, scan->slice);
    sino_phantom_sinogram(phantom, z, &scan->geometry, scan->sinogram);
    return scan;
}

static void check_integrals(const SinoPhantom *phantom)
{
    for (int64_t z = 0; z < 7; z += 3) {
        Scan *scan = make_scan(phantom, z, 144.3);
        double error = 0, norm = 0;
        for (int k = 0; k < ANGLES; k += 3) {
            for (int c = 0; c < COLUMNS; c += 2) {
                const double exact = scan->sinogram[k * COLUMNS + c];
                const double found = integrate(scan->slice, c - 144.3, scan->angle_rad[k]);
                error += (found - exact) * (found - exact);
                norm += exact * exact;
            }
        }
        assert_true(sqrt(error / norm) < 2e-2);
        free(scan);
    }
}

static void integrals_agree_with_voxels(void **state)
{
    (void)state;
    check_integrals(&(SinoPhantom){.size = SIZE, .height = 7});
    check_integrals(&(SinoPhantom){.size = SIZE, .height = 7, .textured = true});
}

/* Σ over columns is the mass; Σ of s·p is the mass times the centroid's s = x·cosθ + y·sinθ, which has all signs. */
static void check_moments(const SinoPhantom *phantom)
{
    Scan *scan = make_scan(phantom, 0, 144.3);
    double mass = 0, x = 0, y = 0;
    for (int i = 0; i < SIZE * SIZE; i++) {
        const double value = (double)scan->slice[i];
        mass += value;
        x += value * (i % SIZE - (SIZE - 1) / 2.0);
        y += value * ((SIZE - 1) / 2.0 - i / SIZE);
    }
    const double least = (phantom->textured ? 0.0002 : 0.002) * SIZE * mass;
    if (!(fabs(x) > least && fabs(y) > least)) fail_msg("%g, %g", x / mass, y / mass);
    for (int k = 0; k < ANGLES; k++) {
        double sum = 0, moment = 0;
        for (int c = 0; c < COLUMNS; c++) {
            sum += scan->sinogram[k * COLUMNS + c];
            moment += scan->sinogram[k * COLUMNS + c] * (c - 144.3);
        }
        const double theta = scan->angle_rad[k];
        assert_true(fabs(sum / mass - 1) < 1e-3);
        assert_true(fabs(moment - x * cos(theta) - y * sin(theta)) < 0.05 * hypot(x, y));
    }
    free(scan);
}

static void mass_and_centroid_agree_with_voxels(void **state)
{
    (void)state;
    check_moments(&(SinoPhantom){.size = SIZE, .height = 1});
    check_moments(&(SinoPhantom){.size = SIZE, .height = 1, .textured = true});
}

/* A slice's largest line integral, of rays half a voxel apart. */
static double longest_path(const SinoPhantom *phantom, int64_t z)
{
    const int64_t columns = 2 * phantom->size;
    double angle_rad[90], *sinogram = NULL, longest = 0;
    for (int k = 0; k < 90; k++) angle_rad[k] = M_PI * k / 90;
    const SinoGeometry geometry = {90, columns, phantom->size, angle_rad, (double)columns / 2, 0};
    assert_success(sino_allocate(sino_geometry_ray_count(&geometry), sizeof *sinogram, "test", &sinogram));
    sino_phantom_sinogram(phantom, z, &geometry, sinogram);
    for (int64_t i = 0; i < sino_geometry_ray_count(&geometry); i++) {
        assert_true(sinogram[i] > -1e-12);
        longest = fmax(longest, sinogram[i]);
    }
    free(sinogram);
    return longest;
}

static void longest_path_attenuates_by_two(void **state)
{
    (void)state;
    for (int64_t size = 32; size <= 2048; size *= 8) {
        const SinoPhantom phantom = {.size = size, .height = 16};
        double longest = 0;
        for (int64_t z = 0; z < 16; z++) longest = fmax(longest, longest_path(&phantom, z));
        assert_true(fabs(longest - 2) < 0.1);
    }
}

static void texture_attenuates_by_two(void **state)
{
    (void)state;
    const SinoPhantom phantom = {.size = 64, .height = 12, .textured = true};
    double longest = 0;
    for (int64_t z = 0; z < 4; z++) longest = fmax(longest, longest_path(&phantom, z));
    if (!(fabs(longest - 2) < 0.1)) fail_msg("%g", longest);
}

static void check_values(const SinoPhantom *phantom)
{
    float *slice = NULL;
    assert_success(sino_allocate(SIZE * SIZE, sizeof *slice, "test", &slice));
    for (int64_t z = 0; z < 5; z++) {
        double sum = 0;
        sino_phantom_slice(phantom, z, slice);
        for (int i = 0; i < SIZE * SIZE; i++) {
            assert_true(slice[i] >= 0);
            sum += (double)slice[i];
        }
        assert_true(sum > 0);
        assert_true(slice[0] == 0 && slice[SIZE * SIZE - 1] == 0);
    }
    free(slice);
}

static void voxels_are_never_negative(void **state)
{
    (void)state;
    check_values(&(SinoPhantom){.size = SIZE, .height = 5});
    check_values(&(SinoPhantom){.size = SIZE, .height = 5, .textured = true});
}

/* A slice of the texture has sharp pores without anything, and grains: neighbours in the body differ in most places. A
 * slice of a quarter of the size is the mean of 4 × 4 voxels, times 4, as the same object has fewer voxels. */
static void texture_has_grains_at_any_size(void **state)
{
    (void)state;
    enum { FINE = 256, COARSE = 64, RATIO = FINE / COARSE };
    float *fine = NULL, *coarse = NULL;
    double error = 0, norm = 0;
    int body = 0, grains = 0, pores = 0;
    assert_success(sino_allocate(FINE * FINE, sizeof *fine, "test", &fine));
    assert_success(sino_allocate(COARSE * COARSE, sizeof *coarse, "test", &coarse));
    sino_phantom_slice(&(SinoPhantom){.size = FINE, .height = 1, .textured = true}, 0, fine);
    sino_phantom_slice(&(SinoPhantom){.size = COARSE, .height = 1, .textured = true}, 0, coarse);
    for (int i = 0; i < COARSE * COARSE; i++) {
        double sum = 0;
        for (int j = 0; j < RATIO * RATIO; j++)
            sum += (double)fine[(i / COARSE * RATIO + j / RATIO) * FINE + i % COARSE * RATIO + j % RATIO];
        error += pow(sum / RATIO - (double)coarse[i], 2);
        norm += (double)coarse[i] * (double)coarse[i];
    }
    assert_true(sqrt(error / norm) < 5e-3);
    for (int i = 0; i < FINE * FINE; i++) {
        const bool near = hypot(i % FINE - FINE / 2.0, i / FINE - FINE / 2.0) < 0.3 * FINE;
        body += near;
        pores += near && fine[i] < 1e-6F;
        grains += near && fabsf(fine[i + 1] - fine[i]) > 0.01F * fine[i];
    }
    print_message("body %d, pores %d, grains %d\n", body, pores, grains);
    assert_true(pores > body / 300 && grains > body / 2);
    free(fine);
    free(coarse);
}

static void check_poisson(double mean, uint64_t seed)
{
    enum { COUNT = 40000 };
    double sum = 0, squares = 0;
    for (uint64_t i = 0; i < COUNT; i++) {
        const double count = sino_phantom_poisson(mean, seed, i);
        assert_true(count >= 0 && count == floor(count));
        sum += count - mean;
        squares += (count - mean) * (count - mean);
    }
    /* Five standard deviations of the mean and of the variance of COUNT deviates. */
    assert_true(fabs(sum / COUNT) <= 5 * sqrt(mean / COUNT));
    assert_true(fabs(squares / COUNT - mean) <= 5 * sqrt((mean + 2 * mean * mean) / COUNT));
}

static void photons_have_mean_and_variance(void **state)
{
    (void)state;
    const double mean[] = {0, 0.01, 0.5, 5, 9.99, 10, 12, 50, 1e4, 1e7};
    for (size_t i = 0; i < sizeof mean / sizeof mean[0]; i++) check_poisson(mean[i], 1000 + i);
    assert_true(sino_phantom_poisson(-1, 0, 0) == 0);
    assert_true(sino_phantom_poisson(NAN, 0, 0) == 0);
}

/* The share of each count is its probability, on both sides of the change of method. */
static void photons_have_probabilities(void **state)
{
    (void)state;
    enum { COUNT = 200000, MOST = 40 };
    const double mean[] = {3, 10.5};
    for (int m = 0; m < 2; m++) {
        double found[MOST + 1] = {0};
        for (uint64_t i = 0; i < COUNT; i++) {
            const double count = sino_phantom_poisson(mean[m], 77, i);
            if (count <= MOST) found[(int)count]++;
        }
        double expected = COUNT * exp(-mean[m]), chi_squared = 0;
        int bins = 0;
        for (int n = 0; n <= MOST; n++) {
            if (expected > 20) chi_squared += (found[n] - expected) * (found[n] - expected) / expected;
            bins += expected > 20;
            expected *= mean[m] / (n + 1);
        }
        assert_true(chi_squared < bins + 5 * sqrt(2.0 * bins));
    }
}

static void photons_depend_on_seed_and_index_only(void **state)
{
    (void)state;
    int same_index = 0, same_seed = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        const double count = sino_phantom_poisson(1e4, 1, i);
        assert_true(count == sino_phantom_poisson(1e4, 1, i));
        same_index += count == sino_phantom_poisson(1e4, 2, i);
        same_seed += count == sino_phantom_poisson(1e4, 1, i + 1);
    }
    assert_true(same_index < 20 && same_seed < 20);
}

/* From far away rays are parallel, at the same angles and of the same signs. */
static void far_sources_see_sinograms(void **state)
{
    (void)state;
    enum { HEIGHT = 5 };
    const SinoPhantom phantom = {.size = SIZE, .height = HEIGHT};
    const double far = 1e8;
    double *projection = NULL;
    assert_success(sino_allocate(HEIGHT * COLUMNS, sizeof *projection, "test", &projection));
    for (int64_t z = 0; z < HEIGHT; z++) {
        Scan *scan = make_scan(&phantom, z, 144.3);
        const SinoCone cone = {ANGLES, COLUMNS, HEIGHT, SIZE, SIZE,         HEIGHT, scan->angle_rad,    NULL,
                               far,    far,     0.5,    0.5,  0.5,          144.3,  (HEIGHT - 1) / 2.0, 0,
                               0,      0,       false,  NULL, {0, 0, 0, 0}, 0};
        for (int k = 0; k < ANGLES; k++) {
            sino_phantom_cone(&phantom, &cone, k, projection);
            for (int c = 0; c < COLUMNS; c++)
                assert_true(fabs(projection[z * COLUMNS + c] - scan->sinogram[k * COLUMNS + c]) < 1e-4);
        }
        free(scan);
    }
    free(projection);
}

enum { CUBE = 64 };

/* Linear between voxel centers of a cube. */
static double in_cube(const float *cube, double x, double y, double z)
{
    const double at[3] = {z + (CUBE - 1) / 2.0, (CUBE - 1) / 2.0 - y, x + (CUBE - 1) / 2.0};
    double sum = 0;
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1;
        int64_t place = 0;
        for (int i = 0; i < 3; i++) {
            const int64_t low = (int64_t)floor(at[i]), index = low + (corner >> i & 1);
            const double share = at[i] - (double)low;
            weight *= index < 0 || index >= CUBE ? 0 : corner >> i & 1 ? share : 1 - share;
            place = place * CUBE + index;
        }
        if (weight > 0) sum += weight * (double)cube[place];
    }
    return sum;
}

/* By small steps from the source to the pixel, with the places of config/geometry/cone.h. */
static double integrate_cone(const float *cube, const SinoCone *cone, double angle_rad, double column, double row)
{
    enum { STEPS = 1024 };
    const double c = cos(angle_rad), s = sin(angle_rad);
    const double side = (column - cone->center) * cone->pixel_width, forth = cone->source_detector;
    const double up = (row - cone->center_row) * cone->pixel_height;
    const double length = sqrt(side * side + forth * forth + up * up);
    double sum = 0;
    for (int i = 0; i < STEPS; i++) {
        const double share = i / (double)STEPS;
        const double x = cone->source_object * s + share * (side * c - forth * s);
        const double y = -cone->source_object * c + share * (side * s + forth * c);
        sum += in_cube(cube, x / cone->voxel_size, y / cone->voxel_size, share * up / cone->voxel_size);
    }
    return sum * length / STEPS / cone->voxel_size;
}

static void cone_integrals_agree_with_voxels(void **state)
{
    (void)state;
    const SinoPhantom phantom = {.size = CUBE, .height = CUBE, .whole = true};
    static const double angle_rad[] = {0, 0.9, 4};
    const SinoCone cone = {3,   30,  26,   CUBE, CUBE, CUBE, angle_rad, NULL,  90,   140,          3,
                           3.5, 0.6, 15.1, 12,   0,    0,    0,         false, NULL, {0, 0, 0, 0}, 0};
    float *cube = NULL;
    double projection[30 * 26], error = 0, norm = 0;
    assert_success(sino_allocate(CUBE * CUBE * CUBE, sizeof *cube, "test", &cube));
    for (int64_t z = 0; z < CUBE; z++) sino_phantom_slice(&phantom, z, cube + z * CUBE * CUBE);
    for (int k = 0; k < 3; k++) {
        sino_phantom_cone(&phantom, &cone, k, projection);
        for (int i = 0; i < 30 * 26; i += 7) {
            const double found = integrate_cone(cube, &cone, angle_rad[k], i % 30, i / 30);
            error += (found - projection[i]) * (found - projection[i]);
            norm += projection[i] * projection[i];
        }
    }
    if (!(sqrt(error / norm) < 4e-2)) fail_msg("%g", sqrt(error / norm));
    free(cube);
}

TESTING_SUBJECT(phantom)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integrals_agree_with_voxels),
        cmocka_unit_test(mass_and_centroid_agree_with_voxels),
        cmocka_unit_test(longest_path_attenuates_by_two),
        cmocka_unit_test(voxels_are_never_negative),
        cmocka_unit_test(texture_attenuates_by_two),
        cmocka_unit_test(texture_has_grains_at_any_size),
        cmocka_unit_test(photons_have_mean_and_variance),
        cmocka_unit_test(photons_have_probabilities),
        cmocka_unit_test(photons_depend_on_seed_and_index_only),
        cmocka_unit_test(far_sources_see_sinograms),
        cmocka_unit_test(cone_integrals_agree_with_voxels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
