/* SPDX-License-Identifier: BSD-3-Clause */
/* FISTA: the program's minimum of ½ Σ w (A x − b)² + strength·R(x) against a long run of another method in float64, on
 * a dense matrix that is independent of the program's: for total variation the primal-dual hybrid gradients of A.
 * Chambolle and T. Pock (J. Math. Imaging Vis. 40, 120 (2011)), for smooth priors projected gradients without momentum.
 */
#include "reference_operator.h"
#include "testing.h"
#include "testing_npy.h"
#include "testing_recon.h"

#include <hdf5.h>
#include <math.h>

enum {
    SIZE = 20,
    ANGLES = 14,
    VOXELS = SIZE * SIZE,
    RAYS = SIZE * ANGLES,
    REFERENCE_ITERATIONS = 6000,
    SMOOTH_ITERATIONS = 12000
};

typedef struct Problem {
    ReferenceOperator a; /* owned */
    double b[RAYS], weight[RAYS], strength, least, most, support, threshold;
    bool masked;
    const char *prior;
} Problem;

static double across(const double *x, int j)
{
    return j % SIZE + 1 < SIZE ? x[j + 1] - x[j] : 0;
}

static double down(const double *x, int j)
{
    return j + SIZE < VOXELS ? x[j + SIZE] - x[j] : 0;
}

/* δ·φ(t/δ) of a smooth prior, or its derivative (codelets/solvers/prior.h). */
static double smooth(const Problem *problem, double step, bool derivative)
{
    const double t = step / problem->threshold, size = fabs(t);
    if (strcmp(problem->prior, "huber") == 0)
        return derivative ? fmax(-1, fmin(t, 1)) : problem->threshold * (size <= 1 ? t * t / 2 : size - 0.5);
    const double v = pow(size, 0.8);
    return derivative ? t * (1 + 0.6 * v) / (1 + v) / (1 + v) : problem->threshold * t * t / 2 / (1 + v);
}

/* Over the pairs of a voxel and those right of it and below; with g, 0, and the gradient is added to it. */
static double smooth_prior(const Problem *problem, const double *x, double *g)
{
    static const int aside[] = {1, 0, 1, -1}, down[] = {0, 1, 1, 1};
    double sum = 0;
    for (int j = 0; j < VOXELS; j++)
        for (int d = 0; d < 4; d++) {
            const int column = j % SIZE + aside[d], row = j / SIZE + down[d], other = row * SIZE + column;
            if (column < 0 || column >= SIZE || row >= SIZE) continue;
            const double weight = d < 2 ? sqrt(2) - 1 : 1 - sqrt(0.5), step = x[j] - x[other];
            const double value = weight * smooth(problem, step, g != NULL);
            if (g) {
                g[j] += problem->strength * value;
                g[other] -= problem->strength * value;
            } else
                sum += value;
        }
    return problem->strength * sum;
}

static double objective(const Problem *problem, const double *x)
{
    double y[RAYS], sum = 0;
    reference_operator_project(&problem->a, x, y);
    for (int i = 0; i < RAYS; i++) sum += problem->weight[i] * (y[i] - problem->b[i]) * (y[i] - problem->b[i]) / 2;
    if (problem->prior) return sum + smooth_prior(problem, x, NULL);
    for (int j = 0; j < VOXELS; j++) sum += problem->strength * hypot(across(x, j), down(x, j));
    return sum;
}

/* The mask: all but a part of the object and most of the air. */
static bool is_kept(int j)
{
    return j % SIZE > 2 && j % SIZE < 16 && j / SIZE > 1 && (j % SIZE) + j / SIZE < 30;
}

/* The nearest value that voxel j may have. */
static double within(const Problem *problem, int j, double value)
{
    const double x = j % SIZE - 0.5 * (SIZE - 1), y = j / SIZE - 0.5 * (SIZE - 1);
    if (problem->support > 0 && hypot(x, y) > problem->support * SIZE / 2) return 0;
    if (problem->masked && !is_kept(j)) return 0;
    return fmin(fmax(value, problem->least), problem->most);
}

/* The minimum by primal-dual hybrid gradients: dual vectors of A x (r) and of ∇x (p, q). */
static double reference_minimum(const Problem *problem, double *x)
{
    double r[RAYS] = {0}, p[VOXELS] = {0}, q[VOXELS] = {0}, ahead[VOXELS] = {0}, y[RAYS];
    /* ∇ is scaled by the size of A, so that one step length serves both. */
    const double size = sqrt(reference_operator_norm_square(&problem->a)), scale = size / sqrt(8.0),
                 step = 1 / (size * sqrt(2.0));
    const double balance = 0.05; /* of the steps of x and of the dual vectors */
    memset(x, 0, VOXELS * sizeof *x);
    for (int k = 0; k < REFERENCE_ITERATIONS; k++) {
        const double sigma = step / balance, tau = step * balance;
        reference_operator_project(&problem->a, ahead, y);
        for (int i = 0; i < RAYS; i++) {
            const double w = problem->weight[i], to = r[i] + sigma * (y[i] - problem->b[i]);
            r[i] = w > 0 ? to / (1 + sigma / w) : 0;
        }
        for (int j = 0; j < VOXELS; j++) {
            const double a = p[j] + sigma * scale * across(ahead, j), c = q[j] + sigma * scale * down(ahead, j);
            const double shorten = fmax(1, hypot(a, c) * scale / problem->strength);
            p[j] = a / shorten;
            q[j] = c / shorten;
        }
        double next[VOXELS];
        memcpy(next, x, sizeof next);
        reference_operator_add_backprojection(&problem->a, r, -tau, next);
        for (int j = 0; j < VOXELS; j++) {
            const double from = (j % SIZE ? p[j - 1] : 0) + (j >= SIZE ? q[j - SIZE] : 0);
            next[j] = within(problem, j, next[j] + tau * scale * (p[j] + q[j] - from));
        }
        for (int j = 0; j < VOXELS; j++) {
            ahead[j] = 2 * next[j] - x[j];
            x[j] = next[j];
        }
    }
    return objective(problem, x);
}

/* The minimum with a smooth prior by projected gradients. */
static double smooth_minimum(const Problem *problem, double *x)
{
    double most = 1;
    for (int i = 0; i < RAYS; i++) most = fmax(most, problem->weight[i]);
    const double step =
        1 / (most * reference_operator_norm_square(&problem->a) + problem->strength * 4 * sqrt(2) / problem->threshold);
    memset(x, 0, VOXELS * sizeof *x);
    for (int k = 0; k < SMOOTH_ITERATIONS; k++) {
        double y[RAYS], g[VOXELS] = {0};
        reference_operator_project(&problem->a, x, y);
        for (int i = 0; i < RAYS; i++) y[i] = problem->weight[i] * (y[i] - problem->b[i]);
        reference_operator_add_backprojection(&problem->a, y, 1, g);
        smooth_prior(problem, x, g);
        for (int j = 0; j < VOXELS; j++) x[j] = within(problem, j, x[j] - step * g[j]);
    }
    return objective(problem, x);
}

/* As settings. */
typedef struct Bounds {
    const char *least, *most;
    double support;
    bool masked, given; /* given: weights of a file */
} Bounds;

/* A square in a square, seen with noise, in raw files of line integrals; one ray has no value. */
static void make_problem(Problem *problem, const char *directory, double strength, bool weighted, Bounds bounds)
{
    double angle[ANGLES], x[VOXELS];
    float sinogram[RAYS], theta[ANGLES];
    char path[TESTING_PATH];
    uint64_t seed = 7;
    for (int k = 0; k < ANGLES; k++) theta[k] = (float)(M_PI * k / ANGLES);
    for (int k = 0; k < ANGLES; k++) angle[k] = (double)theta[k];
    const SinoGeometry geometry = {
        .angle_count = ANGLES, .column_count = SIZE, .grid_size = SIZE, .center = 9.5, .angle_rad = angle};
    problem->a = reference_operator_create(&geometry);
    problem->strength = strength;
    problem->support = bounds.support;
    problem->masked = bounds.masked;
    problem->least = strcmp(bounds.least, "auto") == 0 ? (double)-INFINITY : strtod(bounds.least, NULL);
    problem->most = strcmp(bounds.most, "auto") == 0 ? (double)INFINITY : strtod(bounds.most, NULL);
    for (int j = 0; j < VOXELS; j++) {
        const int column = j % SIZE, row = j / SIZE;
        x[j] = (column > 4 && column < 15 && row > 3 && row < 16 ? 0.05 : 0) +
               (abs(column - 9) < 3 && row > 8 && row < 12 ? 0.1 : 0);
    }
    reference_operator_project(&problem->a, x, problem->b);
    for (int i = 0; i < RAYS; i++) {
        sinogram[i] = (float)(problem->b[i] + 0.05 * reference_random(&seed));
        if (i == 77) sinogram[i] = NAN;
        problem->b[i] = i == 77 ? 0 : (double)sinogram[i];
        problem->weight[i] = i == 77 ? 0 : weighted ? fmin(exp(-problem->b[i]), 1) : 1;
    }
    for (int i = 0; bounds.given && i < RAYS; i++)
        problem->weight[i] = i == 77 || i % 31 == 4 ? 0 : (double)(float)(100 + 80 * reference_random(&seed));
    snprintf(path, sizeof path, "%s/b.bin", directory);
    testing_write_file(path, sinogram, sizeof sinogram);
    snprintf(path, sizeof path, "%s/theta.bin", directory);
    testing_write_file(path, theta, sizeof theta);
}

/* The threshold that the last run stored. */
static double threshold_of(const char *directory)
{
    char path[TESTING_PATH];
    double threshold = 0;
    snprintf(path, sizeof path, "%s/volume.h5", directory);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file, "/process/prior_threshold", H5P_DEFAULT);
    assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &threshold) >= 0);
    H5Dclose(dataset);
    H5Fclose(file);
    return threshold;
}

/* The weights of a file, which say nothing of the ray that has no value. */
static void write_weights(const char *path, const Problem *problem)
{
    float weight[RAYS];
    size_t bytes;
    for (int i = 0; i < RAYS; i++) weight[i] = i == 77 ? 30 : (float)problem->weight[i];
    unsigned char *file = testing_npy(1, "<f4", "(14, 1, 20)", weight, sizeof weight, &bytes);
    testing_write_file(path, file, (int64_t)bytes);
    free(file);
}

/* words: the setting that names the mask. */
static void write_mask(const char *directory, char *words, size_t size)
{
    char path[TESTING_PATH];
    unsigned char mask[VOXELS];
    size_t bytes;
    for (int j = 0; j < VOXELS; j++) mask[j] = is_kept(j);
    unsigned char *file = testing_npy(1, "|b1", "(20, 20)", mask, sizeof mask, &bytes);
    testing_write_file(testing_path(path, directory, "mask.npy"), file, (int64_t)bytes);
    free(file);
    snprintf(words, size, "--mask %s", path);
}

/* prior: NULL for total variation. */
static void check_minimum(const char *directory, const char *prior, double strength, bool weighted, Bounds bounds)
{
    Problem problem;
    double x[VOXELS], found[VOXELS];
    char sinogram[TESTING_PATH], theta[TESTING_PATH];
    make_problem(&problem, directory, strength, weighted, bounds);
    snprintf(sinogram, sizeof sinogram, "%s/b.bin", directory);
    snprintf(theta, sizeof theta, "%s/theta.bin", directory);
    problem.prior = prior;
    char mask[TESTING_PATH + 10] = "";
    if (bounds.masked) write_mask(directory, mask, sizeof mask);
    char words[TESTING_PATH + 400], given[TESTING_PATH];
    const char *weights = bounds.given ? testing_path(given, directory, "w.npy") : weighted ? "counts" : "none";
    if (bounds.given) write_weights(given, &problem);
    snprintf(words, sizeof words, "%s %s",
             "%s --theta %s --columns %d --rotation-axis 9.5 --algorithm fista "
             "--subsets 1 --iterations 1500 --precision double --regularization %g --weights %s "
             "--nonnegativity no --minimum %s --maximum %s --support-ratio %g --prior %s --prior-threshold %s",
             mask);
    TestingVolume volume =
        testing_recon(directory, words, sinogram, theta, SIZE, strength, weights, bounds.least, bounds.most,
                      bounds.support, prior ? prior : "total-variation", prior ? "0.2" : "auto");
    problem.threshold = prior ? threshold_of(directory) : 0;
    const double least = prior ? smooth_minimum(&problem, x) : reference_minimum(&problem, x);
    for (int j = 0; j < VOXELS; j++) found[j] = (double)volume.value[j];
    const double reached = objective(&problem, found);
    print_message("%s, strength %g, %s, bounds %s and %s: %.9g, reference %.9g; voxels differ by %.2g\n",
                  prior ? prior : "total variation", strength, weighted ? "weights" : "no weights", bounds.least,
                  bounds.most, reached, least, testing_error_doubles(VOXELS, found, x));
    assert_true(fabs(reached - least) <= (prior ? 1e-4 : 1e-5) * least);
    assert_true(testing_error_doubles(VOXELS, found, x) <= 0.01);
    testing_volume_free(&volume);
    reference_operator_free(&problem.a);
}

static void minimum_is_the_reference(void **state)
{
    check_minimum(*state, NULL, 0.02, false, (Bounds){"auto", "auto", 0, false, false});
    check_minimum(*state, NULL, 0.005, true, (Bounds){"-0.01", "0.12", 0, false, false});
    check_minimum(*state, NULL, 0.02, true, (Bounds){"0", "auto", 0, false, false});
    check_minimum(*state, NULL, 0.2, true, (Bounds){"0", "auto", 0.75, false, false});
    check_minimum(*state, NULL, 0.005, false, (Bounds){"0", "auto", 0, false, false});
    check_minimum(*state, NULL, 0.02, true, (Bounds){.least = "auto", .most = "auto", .support = 0.9, .masked = true});
    check_minimum(*state, NULL, 2, true, (Bounds){.least = "0", .most = "auto", .given = true});
}

static void smooth_minimum_is_the_reference(void **state)
{
    check_minimum(*state, "huber", 0.02, false, (Bounds){"auto", "auto", 0, false, false});
    check_minimum(*state, "huber", 0.005, true, (Bounds){"-0.01", "0.12", 0, false, false});
    check_minimum(*state, "huber", 0.05, true, (Bounds){"0", "0.11", 0.75, false, false});
    check_minimum(*state, "qggmrf", 0.02, true, (Bounds){"0", "auto", 0, false, false});
    check_minimum(*state, "qggmrf", 0.2, false, (Bounds){"0", "auto", 0, false, false});
    check_minimum(*state, "huber", 0.02, true, (Bounds){.least = "0", .most = "auto", .masked = true});
    check_minimum(*state, "huber", 1, true, (Bounds){.least = "-0.01", .most = "0.12", .given = true});
}

TESTING_SUBJECT(fista)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(minimum_is_the_reference, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(smooth_minimum_is_the_reference, testing_directory_make,
                                        testing_directory_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
