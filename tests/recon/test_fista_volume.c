/* SPDX-License-Identifier: BSD-3-Clause */
/* FISTA in 3-D: the program's minimum of Σ ½ w (A x − b)² + strength·R(x) over all slices against a long run of another
 * method in float64, on a dense matrix that is independent of the program's: for total variation the primal-dual hybrid
 * gradients of A. Chambolle and T. Pock (J. Math. Imaging Vis. 40, 120 (2011)), for smooth priors projected gradients
 * without momentum. Slices differ in size and in the weights of their rays, hence in their step lengths. */
#include "prior.h"
#include "reference_operator.h"
#include "testing.h"
#include "testing_recon.h"

#include <hdf5.h>
#include <math.h>

enum {
    SIZE = 12,
    ANGLES = 9,
    SLICES = 5,
    PIXELS = SIZE * SIZE,
    RAYS = SIZE * ANGLES,
    VOXELS = PIXELS * SLICES,
    DIRECTIONS = 5, /* right, below, both diagonals, next slice */
    REFERENCE_ITERATIONS = 6000,
    SMOOTH_ITERATIONS = 6000
};

typedef struct Problem {
    ReferenceOperator a; /* owned */
    double b[SLICES][RAYS], weight[SLICES][RAYS], strength, least, most, threshold;
    const char *prior; /* NULL: total variation */
} Problem;

/* The number of the voxel one step in a direction from voxel j; −1: there is none. */
static int step_to(int j, int direction)
{
    static const int aside[] = {1, 0, 1, -1, 0}, down[] = {0, 1, 1, 1, 0}, along[] = {0, 0, 0, 0, 1};
    const int x = j % SIZE + aside[direction], y = j / SIZE % SIZE + down[direction], z = j / PIXELS + along[direction];
    return x < 0 || x >= SIZE || y >= SIZE || z >= SLICES ? -1 : (z * SIZE + y) * SIZE + x;
}

static double difference(const double *x, int j, int direction)
{
    const int to = step_to(j, direction);
    return to < 0 ? 0 : x[to] - x[j];
}

/* The three directions of total variation. */
static const int axis[] = {0, 1, DIRECTIONS - 1};

/* y = W(A x − b) of all slices; returns half of the weighted square. */
static double residual(const Problem *problem, const double *x, double y[SLICES][RAYS])
{
    double sum = 0;
    for (int s = 0; s < SLICES; s++) {
        reference_operator_project(&problem->a, x + s * PIXELS, y[s]);
        for (int i = 0; i < RAYS; i++) {
            const double rest = y[s][i] - problem->b[s][i];
            y[s][i] = problem->weight[s][i] * rest;
            sum += y[s][i] * rest / 2;
        }
    }
    return sum;
}

static void add_backprojection(const Problem *problem, double y[SLICES][RAYS], double scale, double *x)
{
    for (int s = 0; s < SLICES; s++) reference_operator_add_backprojection(&problem->a, y[s], scale, x + s * PIXELS);
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

/* strength·R; with g, 0, and its gradient is added to it. */
static double smooth_prior(const Problem *problem, const double *x, double *g)
{
    double sum = 0;
    for (int j = 0; j < VOXELS; j++)
        for (int d = 0; d < DIRECTIONS; d++) {
            const int other = step_to(j, d);
            const double weight = d < 2 ? sqrt(2) - 1 : d < 4 ? 1 - sqrt(0.5) : SINO_PRIOR_SLICE_WEIGHT;
            if (other < 0) continue;
            const double step = x[j] - x[other];
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
    double y[SLICES][RAYS], sum = residual(problem, x, y);
    if (problem->prior) return sum + smooth_prior(problem, x, NULL);
    for (int j = 0; j < VOXELS; j++) {
        double square = 0;
        for (int d = 0; d < 3; d++) square += pow(difference(x, j, axis[d]), 2);
        sum += problem->strength * sqrt(square);
    }
    return sum;
}

static double within(const Problem *problem, double value)
{
    return fmin(fmax(value, problem->least), problem->most);
}

/* The dual vectors of a primal-dual iteration: of A x, and of ∇x. */
typedef struct Dual {
    double r[SLICES][RAYS], p[3][VOXELS];
} Dual;

/* Steps of length sigma towards `ahead`; ∇ is scaled. */
static void step_dual(const Problem *problem, const double *ahead, double sigma, double scale, Dual *dual)
{
    for (int s = 0; s < SLICES; s++) {
        double y[RAYS];
        reference_operator_project(&problem->a, ahead + s * PIXELS, y);
        for (int i = 0; i < RAYS; i++) {
            const double w = problem->weight[s][i], to = dual->r[s][i] + sigma * (y[i] - problem->b[s][i]);
            dual->r[s][i] = w > 0 ? to / (1 + sigma / w) : 0;
        }
    }
    for (int j = 0; j < VOXELS; j++) {
        double square = 0;
        for (int d = 0; d < 3; d++) {
            dual->p[d][j] += sigma * scale * difference(ahead, j, axis[d]);
            square += dual->p[d][j] * dual->p[d][j];
        }
        const double shorten = fmax(1, sqrt(square) * scale / problem->strength);
        for (int d = 0; d < 3; d++) dual->p[d][j] /= shorten;
    }
}

static double reference_minimum(const Problem *problem, double *x)
{
    static double ahead[VOXELS], next[VOXELS];
    Dual dual = {0};
    /* ∇ is scaled by the size of A, so that one step length serves both. */
    const double size = sqrt(reference_operator_norm_square(&problem->a)), scale = size / sqrt(12.0),
                 step = 1 / (size * sqrt(2.0));
    const double balance = 0.05, sigma = step / balance, tau = step * balance;
    memset(x, 0, VOXELS * sizeof *x);
    memset(ahead, 0, sizeof ahead);
    for (int k = 0; k < REFERENCE_ITERATIONS; k++) {
        step_dual(problem, ahead, sigma, scale, &dual);
        memcpy(next, x, sizeof next);
        add_backprojection(problem, dual.r, -tau, next);
        for (int j = 0; j < VOXELS; j++)
            for (int d = 0; d < 3; d++) {
                const int to = step_to(j, axis[d]);
                if (to < 0) continue;
                next[j] += tau * scale * dual.p[d][j];
                next[to] -= tau * scale * dual.p[d][j];
            }
        for (int j = 0; j < VOXELS; j++) {
            next[j] = within(problem, next[j]);
            ahead[j] = 2 * next[j] - x[j];
            x[j] = next[j];
        }
    }
    return objective(problem, x);
}

static double smooth_minimum(const Problem *problem, double *x)
{
    const double step = 1 / (reference_operator_norm_square(&problem->a) +
                             problem->strength * SINO_PRIOR_CURVATURE_VOLUME / problem->threshold);
    memset(x, 0, VOXELS * sizeof *x);
    for (int k = 0; k < SMOOTH_ITERATIONS; k++) {
        double y[SLICES][RAYS], g[VOXELS] = {0};
        residual(problem, x, y);
        add_backprojection(problem, y, 1, g);
        smooth_prior(problem, x, g);
        for (int j = 0; j < VOXELS; j++) x[j] = within(problem, x[j] - step * g[j]);
    }
    return objective(problem, x);
}

/* A square whose place and value change from slice to slice, seen with noise; one ray has no value, nor has any of the
 * slice `dead`; −1: no slice. */
static void make_problem(Problem *problem, const char *directory, bool weighted, int dead)
{
    static const double value[SLICES] = {0.05, 0.06, 0.5, 0.45, 0};
    double angle[ANGLES], x[PIXELS];
    float sinogram[SLICES][RAYS], theta[ANGLES];
    char path[TESTING_PATH];
    uint64_t seed = 9;
    for (int k = 0; k < ANGLES; k++) theta[k] = (float)(M_PI * k / ANGLES);
    for (int k = 0; k < ANGLES; k++) angle[k] = (double)theta[k];
    const SinoGeometry geometry = {
        .angle_count = ANGLES, .column_count = SIZE, .grid_size = SIZE, .center = 5.5, .angle_rad = angle};
    problem->a = reference_operator_create(&geometry);
    for (int s = 0; s < SLICES; s++) {
        for (int j = 0; j < PIXELS; j++)
            x[j] = j % SIZE > 2 + s % 2 && j % SIZE < 9 && j / SIZE > 3 && j / SIZE < 8 + s / 2 ? value[s] : 0;
        reference_operator_project(&problem->a, x, problem->b[s]);
        for (int i = 0; i < RAYS; i++) {
            const bool lacks = s == dead || (s == 1 && i == 31);
            sinogram[s][i] = lacks ? NAN : (float)(problem->b[s][i] + 0.05 * reference_random(&seed));
            problem->b[s][i] = lacks ? 0 : (double)sinogram[s][i];
            problem->weight[s][i] = lacks ? 0 : weighted ? fmin(exp(-problem->b[s][i]), 1) : 1;
        }
    }
    testing_write_file(testing_path(path, directory, "b.bin"), sinogram, sizeof sinogram);
    testing_write_file(testing_path(path, directory, "theta.bin"), theta, sizeof theta);
}

/* The threshold that the last run stored. */
static double threshold_of(const char *directory)
{
    char path[TESTING_PATH];
    double threshold = 0;
    const hid_t file = H5Fopen(testing_path(path, directory, "volume.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file, "/process/prior_threshold", H5P_DEFAULT);
    assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &threshold) >= 0);
    H5Dclose(dataset);
    H5Fclose(file);
    return threshold;
}

static const char recon_words[] =
    "%s --theta %s --columns %d --rotation-axis 5.5 --algorithm fista --subsets 1 --iterations 1000 --precision double "
    "--prior-dimensions 3 --regularization %g --weights %s --nonnegativity no --minimum %s --maximum %s --prior %s "
    "--minibatch %d --partitions %d --max-repaired 0.5";

static void check_minimum(const char *directory, const char *prior, double strength, bool weighted, const char *least,
                          const char *most, int minibatch)
{
    static Problem problem;
    static double x[VOXELS], found[VOXELS];
    char sinogram[TESTING_PATH], theta[TESTING_PATH];
    problem = (Problem){.strength = strength,
                        .prior = prior,
                        .least = strcmp(least, "auto") == 0 ? (double)-INFINITY : strtod(least, NULL),
                        .most = strcmp(most, "auto") == 0 ? (double)INFINITY : strtod(most, NULL)};
    make_problem(&problem, directory, weighted, -1);
    TestingVolume volume =
        testing_recon(directory, recon_words, testing_path(sinogram, directory, "b.bin"),
                      testing_path(theta, directory, "theta.bin"), SIZE, strength, weighted ? "counts" : "none", least,
                      most, prior ? prior : "total-variation", minibatch, minibatch % 2 + 1);
    assert_int_equal(volume.slice_count, SLICES);
    problem.threshold = prior ? threshold_of(directory) : 0;
    const double minimum = prior ? smooth_minimum(&problem, x) : reference_minimum(&problem, x);
    for (int j = 0; j < VOXELS; j++) found[j] = (double)volume.value[j];
    const double reached = objective(&problem, found);
    print_message("%s, strength %g, %s, minibatches of %d: %.9g, reference %.9g; voxels differ by %.2g\n",
                  prior ? prior : "total variation", strength, weighted ? "weights" : "no weights", minibatch, reached,
                  minimum, testing_error_doubles(VOXELS, found, x));
    assert_true(fabs(reached - minimum) <= 1e-4 * minimum);
    assert_true(testing_error_doubles(VOXELS, found, x) <= 0.01);
    testing_volume_free(&volume);
    reference_operator_free(&problem.a);
}

static void variation_reaches_the_minimum(void **state)
{
    check_minimum(*state, NULL, 0.02, false, "auto", "auto", 5);
    check_minimum(*state, NULL, 0.02, true, "0", "auto", 2);
    check_minimum(*state, NULL, 0.1, true, "-0.01", "0.4", 1);
}

static void smooth_priors_reach_the_minimum(void **state)
{
    check_minimum(*state, "huber", 0.02, true, "0", "auto", 3);
    check_minimum(*state, "huber", 0.05, false, "auto", "0.45", 1);
    check_minimum(*state, "qggmrf", 0.02, true, "0", "auto", 2);
}

/* A slice without any data goes, in short steps, towards those beside it. */
static void dead_slice_goes_towards_its_neighbours(void **state)
{
    static Problem problem;
    char sinogram[TESTING_PATH], theta[TESTING_PATH];
    double own = 0, product = 0, beside = 0;
    make_problem(&problem, *state, true, 3);
    TestingVolume volume = testing_recon(*state, recon_words, testing_path(sinogram, *state, "b.bin"),
                                         testing_path(theta, *state, "theta.bin"), SIZE, 0.05, "counts", "0", "auto",
                                         "total-variation", 2, 1);
    for (int j = 0; j < PIXELS; j++) {
        const double value = (double)testing_slice(&volume, 3)[j], other = (double)testing_slice(&volume, 2)[j];
        assert_true(isfinite(value) && isfinite(other));
        own += value * value;
        product += value * other;
        beside += other * other;
    }
    print_message("correlation %.3f, %.3f of the size\n", product / sqrt(own * beside), sqrt(own / beside));
    assert_true(own > 0 && own < beside && product >= 0.4 * sqrt(own * beside));
    testing_volume_free(&volume);
    reference_operator_free(&problem.a);
}

TESTING_SUBJECT(fista_volume)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(variation_reaches_the_minimum, testing_directory_make,
                                        testing_directory_remove),
        cmocka_unit_test_setup_teardown(dead_slice_goes_towards_its_neighbours, testing_directory_make,
                                        testing_directory_remove),
        cmocka_unit_test_setup_teardown(smooth_priors_reach_the_minimum, testing_directory_make,
                                        testing_directory_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
