/* SPDX-License-Identifier: BSD-3-Clause */
/* Normal: CG and FISTA by --projector toeplitz against CGLS, and a long run of another method, in double with the same
 * operator, dense; that divisions, workers and policies do not matter; undefined rays; phantoms, beside the lengths of
 * rays. */
#include "fast_size.h"
#include "testing.h"
#include "testing_recon.h"
#include "volume.h"

#include <math.h>

enum { SIZE = 24, TURNS = 30, RAYS = SIZE * TURNS, VOXELS = SIZE * SIZE, DETECTOR = 48, ITERATIONS = 12 };
static const double center = 10.8;

/* A raw sinogram of an ellipse with noise, and its angles. */
typedef struct Scan {
    float b[RAYS], theta[TURNS];
    char sinogram[TESTING_PATH], angles[TESTING_PATH];
} Scan;

static void write_scan(const char *directory, Scan *scan)
{
    uint32_t seed = 11;
    for (int k = 0; k < TURNS; k++) scan->theta[k] = (float)(M_PI * k / TURNS);
    for (int i = 0; i < RAYS; i++) {
        const double s = (double)(i % SIZE) - center, angle = (double)scan->theta[i / SIZE];
        const double half = sqrt(64 * cos(angle) * cos(angle) + 25 * sin(angle) * sin(angle));
        seed = seed * 1664525u + 1013904223u;
        const double chord = fabs(s) < half ? 2 * 8 * 5 * sqrt(half * half - s * s) / (half * half) : 0;
        scan->b[i] = (float)(chord + 0.05 * (seed >> 8) / 16777216.0);
    }
    testing_write_file(testing_path(scan->sinogram, directory, "b.bin"), scan->b, sizeof scan->b);
    testing_write_file(testing_path(scan->angles, directory, "theta.bin"), scan->theta, sizeof scan->theta);
}

static double sinc(double t)
{
    return fabs(t) < 1e-9 ? 1 : sin(t) / t;
}

/* A of codelets/fourier/toeplitz.h: a[(angle, column of the detector)][voxel]. */
static void fill_operator(const Scan *scan, double (*a)[VOXELS])
{
    const double middle = 0.5 * (SIZE - 1);
    assert_int_equal(sino_fast_size(2 * SIZE), DETECTOR);
    for (int i = 0; i < TURNS * DETECTOR; i++)
        for (int v = 0; v < VOXELS; v++) {
            const double cosine = cos((double)scan->theta[i / DETECTOR]), sine = sin((double)scan->theta[i / DETECTOR]);
            const double at = (v % SIZE - middle) * cosine + (middle - v / SIZE) * sine;
            a[i][v] = 0;
            for (int m = 0; m < DETECTOR / 2; m++) {
                const double omega = 2 * M_PI * m / DETECTOR;
                a[i][v] += (m ? 2.0 : 1.0) / DETECTOR * sinc(omega * cosine / 2) * sinc(omega * sine / 2) *
                           cos(omega * (i % DETECTOR - center - at));
            }
        }
}

/* CGLS (solver_cg.c), with every column of the detector. residual[0 … ITERATIONS]: ‖A x − b‖². */
static void solve(double (*a)[VOXELS], const Scan *scan, double x[VOXELS], double residual[ITERATIONS + 1])
{
    enum { ROWS = TURNS * DETECTOR };
    static double r[ROWS], q[ROWS], d[VOXELS], g[VOXELS];
    double before = 0;
    for (int i = 0; i < ROWS; i++) r[i] = i % DETECTOR < SIZE ? (double)scan->b[i / DETECTOR * SIZE + i % DETECTOR] : 0;
    for (int v = 0; v < VOXELS; v++) x[v] = d[v] = 0;
    for (int iteration = 0;; iteration++) {
        double norm = 0, along = 0, square = 0;
        residual[iteration] = 0;
        for (int i = 0; i < ROWS; i++) residual[iteration] += r[i] * r[i];
        if (iteration == ITERATIONS) return;
        for (int v = 0; v < VOXELS; v++) {
            g[v] = 0;
            for (int i = 0; i < ROWS; i++) g[v] += a[i][v] * r[i];
            norm += g[v] * g[v];
        }
        for (int v = 0; v < VOXELS; v++) d[v] = g[v] + (iteration ? norm / before : 0) * d[v];
        for (int i = 0; i < ROWS; i++) {
            q[i] = 0;
            for (int v = 0; v < VOXELS; v++) q[i] += a[i][v] * d[v];
            along += r[i] * q[i];
            square += q[i] * q[i];
        }
        for (int v = 0; v < VOXELS; v++) x[v] += along / square * d[v];
        for (int i = 0; i < ROWS; i++) r[i] -= along / square * q[i];
        before = norm;
    }
}

static TestingVolume recon(const char *directory, const Scan *scan, const char *words)
{
    char line[240];
    const bool fista = strstr(words, "--algorithm fista") != NULL;
    snprintf(line, sizeof line, "%%s --theta %%s --columns %%d --rotation-axis %%g %s %s",
             fista ? "" : "--algorithm cg --iterations 12", words);
    return testing_recon(directory, line, scan->sinogram, scan->angles, SIZE, center);
}

/* Of the same discretisation, done directly: the volume to 1e-4, each residual ‖Ax − b‖² to 1e-6 of ‖b‖². */
static void same_as_done_directly(void **state)
{
    static double a[TURNS * DETECTOR][VOXELS];
    Scan scan;
    double x[VOXELS], residual[ITERATIONS + 1], off = 0;
    float wanted[VOXELS];
    write_scan(*state, &scan);
    fill_operator(&scan, a);
    solve(a, &scan, x, residual);
    for (int v = 0; v < VOXELS; v++) wanted[v] = (float)x[v];
    TestingVolume found = recon(*state, &scan, "--projector toeplitz");
    assert_int_equal(found.columns, ITERATIONS + 1);
    for (int i = 0; i <= ITERATIONS; i++) off = fmax(off, fabs(found.residual[i] - residual[i]) / residual[0]);
    const double error = testing_error(VOXELS, found.value, wanted);
    print_message("volume off by %.2g, residuals by %.2g of the first; the last is %.2g of the first\n", error, off,
                  residual[ITERATIONS] / residual[0]);
    assert_true(error <= 1e-4 && off <= 1e-6);
    testing_volume_free(&found);
}

/* ---- FISTA ---- */

/* ½ Σ (A x − b)² + strength·TV(x), and what x is limited to. */
typedef struct Problem {
    double ata[VOXELS][VOXELS], atb[VOXELS], norm_b, strength, least;
    double largest; /* bound of the eigenvalues of AᵀA */
} Problem;

static void fill_problem(double (*a)[VOXELS], const Scan *scan, Problem *of)
{
    enum { ROWS = TURNS * DETECTOR };
    memset(of, 0, sizeof *of);
    for (int i = 0; i < ROWS; i++) {
        const double b = i % DETECTOR < SIZE ? (double)scan->b[i / DETECTOR * SIZE + i % DETECTOR] : 0;
        of->norm_b += b * b;
        for (int u = 0; u < VOXELS; u++) {
            of->atb[u] += a[i][u] * b;
            for (int v = 0; v < VOXELS; v++) of->ata[u][v] += a[i][u] * a[i][v];
        }
    }
    for (int u = 0; u < VOXELS; u++) {
        double sum = 0;
        for (int v = 0; v < VOXELS; v++) sum += fabs(of->ata[u][v]);
        of->largest = fmax(of->largest, sum);
    }
}

static double across(const double *x, int v)
{
    return v % SIZE + 1 < SIZE ? x[v + 1] - x[v] : 0;
}

static double down(const double *x, int v)
{
    return v + SIZE < VOXELS ? x[v + SIZE] - x[v] : 0;
}

/* AᵀA x − Aᵀb in g; returns ‖A x − b‖². */
static double gradient(const Problem *of, const double *x, double *g)
{
    double square = of->norm_b;
    for (int u = 0; u < VOXELS; u++) {
        double sum = 0;
        for (int v = 0; v < VOXELS; v++) sum += of->ata[u][v] * x[v];
        g[u] = sum - of->atb[u];
        square += x[u] * (g[u] - of->atb[u]);
    }
    return square;
}

static double objective(const Problem *of, const double *x)
{
    double g[VOXELS], sum = gradient(of, x, g) / 2;
    for (int v = 0; v < VOXELS; v++) sum += of->strength * hypot(across(x, v), down(x, v));
    return sum;
}

/* The minimum by primal-dual steps (L. Condat, J. Optim. Theory Appl. 158, 460 (2013)). */
static void minimise(const Problem *of, double x[VOXELS])
{
    enum { STEPS = 12000 };
    const double sigma = of->largest / 16, tau = 1 / (of->largest / 2 + 8 * sigma);
    double p[VOXELS] = {0}, q[VOXELS] = {0}, g[VOXELS], ahead[VOXELS];
    memset(x, 0, VOXELS * sizeof *x);
    for (int k = 0; k < STEPS; k++) {
        (void)gradient(of, x, g);
        for (int v = 0; v < VOXELS; v++) {
            const double before = (v % SIZE ? p[v - 1] : 0) + (v >= SIZE ? q[v - SIZE] : 0);
            const double after = (v % SIZE + 1 < SIZE ? p[v] : 0) + (v + SIZE < VOXELS ? q[v] : 0);
            const double next = fmax(x[v] - tau * (g[v] + before - after), of->least);
            ahead[v] = 2 * next - x[v];
            x[v] = next;
        }
        for (int v = 0; v < VOXELS; v++) {
            const double a = p[v] + sigma * across(ahead, v), c = q[v] + sigma * down(ahead, v);
            const double shorten = fmax(1, hypot(a, c) / of->strength);
            p[v] = a / shorten;
            q[v] = c / shorten;
        }
    }
}

/* The objective is within 1e-4 of its minimum, and x near the one of the other method; the residual is that of x. */
static void fista_finds_the_minimum(void **state)
{
    static double a[TURNS * DETECTOR][VOXELS];
    static Problem problem;
    static const struct {
        double strength, least;
        const char *words;
    } run[] = {{0.5, 0, "--regularization 0.5"},
               {0.5, -INFINITY, "--regularization 0.5 --nonnegativity no"},
               {2, 0, "--regularization 2"}};
    Scan scan;
    write_scan(*state, &scan);
    fill_operator(&scan, a);
    fill_problem(a, &scan, &problem);
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        char words[120];
        double x[VOXELS], found[VOXELS], g[VOXELS];
        float wanted[VOXELS];
        problem.strength = run[i].strength;
        problem.least = run[i].least;
        minimise(&problem, x);
        snprintf(words, sizeof words, "--projector toeplitz --algorithm fista --iterations 600 %s", run[i].words);
        TestingVolume volume = recon(*state, &scan, words);
        for (int v = 0; v < VOXELS; v++) found[v] = (double)volume.value[v];
        for (int v = 0; v < VOXELS; v++) wanted[v] = (float)x[v];
        const double least = objective(&problem, x), reached = objective(&problem, found);
        const double square = gradient(&problem, found, g), error = testing_error(VOXELS, volume.value, wanted);
        print_message("%s: %.8g, minimum %.8g, volume off by %.2g, residual %.4g of %.4g\n", run[i].words, reached,
                      least, error, volume.residual[volume.columns - 1], square);
        assert_true(fabs(reached / least - 1) <= 1e-4 && error <= 5e-3);
        assert_true(fabs(volume.residual[volume.columns - 1] / square - 1) <= 0.01);
        testing_volume_free(&volume);
    }
}

static double difference(const TestingVolume *a, const TestingVolume *b)
{
    return testing_error(a->slice_count * a->size * a->size, a->value, b->value);
}

static bool same_bits(const TestingVolume *a, const TestingVolume *b)
{
    const int64_t voxels = a->slice_count * a->size * a->size, numbers = a->slice_count * a->columns;
    return testing_same_bytes(a->value, b->value, (size_t)voxels * sizeof *a->value) &&
           testing_same_bytes(a->residual, b->residual, (size_t)numbers * sizeof *a->residual);
}

/* The same bits for any number of workers, policy and minibatch; partitions add sums of their voxels in another order.
 */
static void check_divisions(const char *directory, const char *algorithm)
{
    static const struct {
        const char *words;
        bool bits;
    } division[] = {{"--workers 1", true},
                    {"--workers 2", true},
                    {"--scheduler eager", true},
                    {"--scheduler random", true},
                    {"--minibatch 3", true},
                    {"--minibatch 5 --workers 2", true},
                    {"--partitions 5", false},
                    {"--partitions 20 --minibatch 2", false},
                    {"--topology nodes=2,sockets=2,workers=1", false}};
    enum { DIVISIONS = sizeof division / sizeof *division };
    char scan[TESTING_PATH], words[320];
    testing_path(scan, directory, "scan.h5");
    testing_phantom("--out %s --size 45 --angles 60 --slices 5 --noise 0.01", scan);
    char common[200];
    snprintf(common, sizeof common, "%%s --rotation-axis 20.7 --iterations 8 %s --projector", algorithm);
    snprintf(words, sizeof words, "%s toeplitz --partitions 1 --minibatch 1", common);
    TestingVolume expected = testing_recon(directory, words, scan);
    for (int d = 0; d < DIVISIONS; d++) {
        const char *one = division[d].bits ? "--partitions 1" : "";
        snprintf(words, sizeof words, "%s toeplitz %s %s", common, one, division[d].words);
        TestingVolume found = testing_recon(directory, words, scan);
        if (division[d].bits != same_bits(&found, &expected) && division[d].bits)
            fail_msg("%s: other bits, %.2g", division[d].words, difference(&found, &expected));
        assert_true(difference(&found, &expected) <= 1e-5);
        testing_volume_free(&found);
    }
    testing_volume_free(&expected);
}

static void divisions_agree(void **state)
{
    check_divisions(*state, "--algorithm cg");
    check_divisions(*state, "--algorithm fista --regularization 0.2");
    check_divisions(*state, "--algorithm fista --regularization 0.2 --prior huber --nonnegativity no");
}

/* As near to the truth as the lengths of rays, of even and odd sides. */
static void phantoms_come_back(void **state)
{
    static const struct {
        int size;
        double axis, bound;
    } scan[] = {{128, 63.5, 0.125}, {127, 63, 0.125}};
    char path[TESTING_PATH], truth_path[TESTING_PATH];

    for (int i = 0; i < 2; i++) {
        double error[2];
        int64_t slices, height, width;
        float *truth = NULL;
        testing_path(path, *state, i ? "odd.h5" : "even.h5");
        testing_path(truth_path, *state, i ? "odd-truth.h5" : "even-truth.h5");
        testing_phantom("--out %s --truth %s --size %d --angles 200 --slices 1 --noise 0", path, truth_path,
                        scan[i].size);
        assert_success(sino_volume_read(truth_path, &slices, &height, &width, &truth));
        for (int p = 0; p < 2; p++) {
            TestingVolume found =
                testing_recon(*state,
                              p ? "%s --rotation-axis %g --algorithm cg --iterations 12 --projector toeplitz"
                                : "%s --rotation-axis %g --algorithm cg --iterations 12 --projector rays",
                              path, scan[i].axis);
            error[p] = testing_error_within(1, scan[i].size, scan[i].size / 2.0, found.value, truth);
            testing_volume_free(&found);
        }
        print_message("%d columns, axis at %g: error %.4f, with the lengths of rays %.4f\n", scan[i].size, scan[i].axis,
                      error[1], error[0]);
        assert_true(error[1] < scan[i].bound && error[1] < 1.1 * error[0]);
        free(truth);
    }
}

/* Rays without a value are interpolated, and counted. */
static void undefined_rays_are_interpolated(void **state)
{
    Scan scan;
    int64_t holes = 0;
    write_scan(*state, &scan);
    TestingVolume whole = recon(*state, &scan, "--projector toeplitz");
    for (int i = 5; i < RAYS; i += 37, holes++) scan.b[i] = NAN;
    testing_write_file(scan.sinogram, scan.b, sizeof scan.b);
    TestingVolume found = recon(*state, &scan, "--projector toeplitz --max-repaired 0.1");
    assert_int_equal(found.repaired[0], holes);
    const double off = difference(&found, &whole);
    print_message("%d of %d rays undefined: off by %.3f\n", (int)holes, RAYS, off);
    assert_true(off > 0 && off < 0.1);
    testing_volume_free(&found);
    testing_volume_free(&whole);
}

/* A slice that reaches the tolerance stops, and the others go on. */
static void slices_stop_at_the_tolerance(void **state)
{
    Scan scan;
    write_scan(*state, &scan);
    TestingVolume all = recon(*state, &scan, "--projector toeplitz");
    TestingVolume found = recon(*state, &scan, "--projector toeplitz --tolerance 0.1");
    int last = 0;
    for (int i = 0; i <= ITERATIONS && !isnan(found.residual[i]); i++) last = i;
    assert_true(last > 0 && last < ITERATIONS);
    for (int i = 0; i <= last; i++) assert_true(found.residual[i] == all.residual[i]);
    assert_true(all.residual[last] <= 0.01 * all.residual[0] && all.residual[last - 1] > 0.01 * all.residual[0]);
    testing_volume_free(&all);
    testing_volume_free(&found);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(normal)
{
    const struct CMUnitTest tests[] = {
        TEST(same_as_done_directly), TEST(fista_finds_the_minimum),         TEST(divisions_agree),
        TEST(phantoms_come_back),    TEST(undefined_rays_are_interpolated), TEST(slices_stop_at_the_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
