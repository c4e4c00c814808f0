/* SPDX-License-Identifier: BSD-3-Clause */
/* Start: cg, sirt and mlem from a volume, against the same iterations in float64. */
#include "reference_operator.h"
#include "testing.h"
#include "testing_npy.h"
#include "testing_recon.h"

#include <math.h>

enum { SIZE = 20, ANGLES = 15, RAYS = ANGLES * SIZE, VOXELS = SIZE * SIZE, ITERATIONS = 4, DEAD = 77 };

typedef struct Problem {
    ReferenceOperator a; /* owned */
    double b[RAYS], x[VOXELS];
} Problem;

/* r = b − A x, 0 where b has no value. */
static void residual(const Problem *problem, double *r)
{
    reference_operator_project(&problem->a, problem->x, r);
    for (int i = 0; i < RAYS; i++) r[i] = i == DEAD ? 0 : problem->b[i] - r[i];
}

static double dot(int count, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

static void iterate_cg(Problem *problem)
{
    double r[RAYS], q[RAYS], g[VOXELS], d[VOXELS] = {0}, before = 0;
    residual(problem, r);
    for (int k = 0; k < ITERATIONS; k++) {
        reference_operator_backproject(&problem->a, r, g);
        const double square = dot(VOXELS, g, g), beta = k > 0 ? square / before : 0;
        for (int j = 0; j < VOXELS; j++) d[j] = g[j] + beta * d[j];
        before = square;
        reference_operator_project(&problem->a, d, q);
        q[DEAD] = 0;
        const double step = square / dot(RAYS, q, q);
        for (int j = 0; j < VOXELS; j++) problem->x[j] += step * d[j];
        for (int i = 0; i < RAYS; i++) r[i] -= step * q[i];
    }
}

static void iterate_sirt(Problem *problem)
{
    double r[RAYS], row[RAYS], column[VOXELS], g[VOXELS], ones[RAYS + VOXELS];
    for (int i = 0; i < RAYS + VOXELS; i++) ones[i] = 1;
    reference_operator_project(&problem->a, ones, row);
    reference_operator_backproject(&problem->a, ones, column);
    for (int k = 0; k < ITERATIONS; k++) {
        residual(problem, r);
        for (int i = 0; i < RAYS; i++) r[i] = row[i] > 1e-6 ? r[i] / row[i] : 0;
        reference_operator_backproject(&problem->a, r, g);
        for (int j = 0; j < VOXELS; j++) problem->x[j] += column[j] > 1e-6 ? g[j] / column[j] : 0;
    }
}

static void iterate_mlem(Problem *problem)
{
    double ratio[RAYS], column[VOXELS], g[VOXELS], ones[RAYS];
    for (int i = 0; i < RAYS; i++) ones[i] = 1;
    reference_operator_backproject(&problem->a, ones, column);
    for (int k = 0; k < ITERATIONS; k++) {
        reference_operator_project(&problem->a, problem->x, ratio);
        for (int i = 0; i < RAYS; i++) ratio[i] = ratio[i] > 0 ? fmax(problem->b[i], 0) / ratio[i] : 0;
        ratio[DEAD] = 1;
        reference_operator_backproject(&problem->a, ratio, g);
        for (int j = 0; j < VOXELS; j++)
            if (column[j] > 1e-6) problem->x[j] *= g[j] / column[j];
    }
}

/* Random line integrals, of which one has no value, and a random first estimate, in raw and .npy files. */
static void make_problem(Problem *problem, const char *directory)
{
    double angle[ANGLES];
    float sinogram[RAYS], theta[ANGLES], start[VOXELS];
    char path[TESTING_PATH];
    size_t bytes;
    uint64_t seed = 11;
    for (int k = 0; k < ANGLES; k++) theta[k] = (float)(M_PI * k / ANGLES);
    for (int k = 0; k < ANGLES; k++) angle[k] = (double)theta[k];
    const SinoGeometry geometry = {
        .angle_count = ANGLES, .column_count = SIZE, .grid_size = SIZE, .center = 9.5, .angle_rad = angle};
    problem->a = reference_operator_create(&geometry);
    for (int j = 0; j < VOXELS; j++) problem->x[j] = (double)(start[j] = (float)(1.5 + reference_random(&seed)));
    for (int i = 0; i < RAYS; i++) {
        sinogram[i] = i == DEAD ? NAN : (float)(20 + 5 * reference_random(&seed));
        problem->b[i] = i == DEAD ? 0 : (double)sinogram[i];
    }
    testing_write_file(testing_path(path, directory, "b.bin"), sinogram, sizeof sinogram);
    testing_write_file(testing_path(path, directory, "theta.bin"), theta, sizeof theta);
    unsigned char *file = testing_npy(1, "<f4", "(1, 20, 20)", start, sizeof start, &bytes);
    testing_write_file(testing_path(path, directory, "x.npy"), file, (int64_t)bytes);
    free(file);
}

static void check(const char *directory, const char *algorithm, void (*iterate)(Problem *problem))
{
    Problem problem;
    double found[VOXELS];
    char sinogram[TESTING_PATH], theta[TESTING_PATH], start[TESTING_PATH];
    make_problem(&problem, directory);
    TestingVolume volume = testing_recon(
        directory,
        "%s --theta %s --start %s --columns %d --rotation-axis 9.5 --algorithm %s --iterations %d --precision double",
        testing_path(sinogram, directory, "b.bin"), testing_path(theta, directory, "theta.bin"),
        testing_path(start, directory, "x.npy"), SIZE, algorithm, ITERATIONS);
    const double norm = dot(RAYS, problem.b, problem.b);
    iterate(&problem);
    for (int j = 0; j < VOXELS; j++) found[j] = (double)volume.value[j];
    const double off = testing_error_doubles(VOXELS, found, problem.x);
    double r[RAYS];
    residual(&problem, r);
    const double square = dot(RAYS, r, r);
    print_message("%s: %g\n", algorithm, off);
    assert_true(off <= 1e-6); /* volumes are float32 */
    assert_true(fabs(volume.residual[0] / norm - 1) <= 1e-9);
    assert_true(fabs(volume.residual[ITERATIONS] / square - 1) <= 1e-6);
    reference_operator_free(&problem.a);
    testing_volume_free(&volume);
}

static void cg_from_a_volume(void **state)
{
    check(*state, "cg", iterate_cg);
}

static void sirt_from_a_volume(void **state)
{
    check(*state, "sirt", iterate_sirt);
}

static void mlem_from_a_volume(void **state)
{
    check(*state, "mlem", iterate_mlem);
}

TESTING_SUBJECT(start)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cg_from_a_volume, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(sirt_from_a_volume, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(mlem_from_a_volume, testing_directory_make, testing_directory_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
