/* SPDX-License-Identifier: BSD-3-Clause */
/* Weights: rays without a value have weight 0 in iterative solvers. Scans with dropped projections, dead columns,
 * saturated and undefined pixels, against the truth and against scans without these faults. */
#include "testing.h"
#include "testing_recon.h"
#include "volume.h"

#include <hdf5.h>
#include <math.h>

enum { SIZE = 128, ANGLES = 90, SLICES = 3, PIXELS = SIZE * SIZE };

typedef uint16_t Counts[ANGLES][SLICES][SIZE];

/* Writes the phantom's scan with little noise, after `damage` has changed its counts; and its true volume. */
static void write_scan(const char *directory, void (*damage)(Counts counts), char scan[TESTING_PATH], float **truth)
{
    static Counts counts;
    char path[TESTING_PATH];
    int64_t count, height, width;
    testing_phantom("--out %s --truth %s --size %d --angles %d --slices %d --noise 0.001",
                    testing_path(scan, directory, "scan.h5"), testing_path(path, directory, "truth.h5"), SIZE, ANGLES,
                    SLICES);
    assert_success(sino_volume_read(path, &count, &height, &width, truth));
    assert_true(count == SLICES && height == SIZE && width == SIZE);
    if (!damage) return;
    const hid_t file = H5Fopen(scan, H5F_ACC_RDWR, H5P_DEFAULT), data = H5Dopen2(file, "/exchange/data", H5P_DEFAULT);
    assert_true(H5Dread(data, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts) >= 0);
    damage(counts);
    assert_true(H5Dwrite(data, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts) >= 0);
    assert_true(H5Dclose(data) >= 0 && H5Fclose(file) >= 0);
}

static void drop_projection(Counts counts)
{
    memset(counts[30], 0, sizeof counts[30]);
}

static void kill_column(Counts counts)
{
    for (int k = 0; k < ANGLES; k++)
        for (int f = 0; f < SLICES; f++) counts[k][f][50] = 0;
}

/* Of every slice one pixel in 37, others in each. */
static void saturate(Counts counts)
{
    for (int i = 0; i < ANGLES * SLICES * SIZE; i += 37) ((uint16_t *)counts)[i] = UINT16_MAX;
}

/* All of these, in the middle slice only. */
static void damage_middle(Counts counts)
{
    for (int k = 0; k < ANGLES; k++)
        for (int c = 0; c < SIZE; c++)
            if (k % 20 == 7 || c == 40 || (k * SIZE + c) % 31 == 0) counts[k][1][c] = c % 2 ? 0 : UINT16_MAX;
}

/* The correlation of the voxels inside the inscribed circle. */
static double correlation(const float *a, const float *b)
{
    double sum[5] = {0}, count = 0;
    for (int64_t i = 0; i < SLICES * PIXELS; i++) {
        const double x = (double)(i % SIZE) - (SIZE - 1) / 2.0, y = (double)(i / SIZE % SIZE) - (SIZE - 1) / 2.0;
        if (x * x + y * y >= SIZE * SIZE / 4.0) continue;
        const double p = (double)a[i], q = (double)b[i];
        const double term[5] = {p, q, p * p, q * q, p * q};
        for (int s = 0; s < 5; s++) sum[s] += term[s];
        count++;
    }
    return (count * sum[4] - sum[0] * sum[1]) /
           sqrt((count * sum[2] - sum[0] * sum[0]) * (count * sum[3] - sum[1] * sum[1]));
}

static const char *const solvers[] = {"--algorithm cg --iterations 10",
                                      "--algorithm cg --iterations 12 --weights counts",
                                      "--algorithm sirt --iterations 60",
                                      "--algorithm sirt --iterations 60 --weights counts",
                                      "--algorithm mlem --iterations 40",
                                      "--algorithm osem --subsets 6 --iterations 7",
                                      "--algorithm fbp"};
enum { SOLVERS = sizeof solvers / sizeof *solvers, ITERATIVE = SOLVERS - 1 };

static double correlation_of(const char *directory, void (*damage)(Counts counts), const char *solver)
{
    char scan[TESTING_PATH], words[160];
    float *truth;
    write_scan(directory, damage, scan, &truth);
    snprintf(words, sizeof words, "%%s --rotation-axis %%g %s", solver);
    TestingVolume found = testing_recon(directory, words, scan, (SIZE - 1) / 2.0);
    const double result = correlation(found.value, truth);
    testing_volume_free(&found);
    free(truth);
    return result;
}

static void faults_hardly_change_the_picture(void **state)
{
    static void (*const damage[])(Counts) = {drop_projection, kill_column, saturate};
    for (int s = 0; s < SOLVERS; s++) {
        const double clean = correlation_of(*state, NULL, solvers[s]);
        for (size_t d = 0; d < sizeof damage / sizeof *damage; d++) {
            const double damaged = correlation_of(*state, damage[d], solvers[s]);
            print_message("%s: %.4f, fault %d: %.4f\n", solvers[s], clean, (int)d, damaged);
            assert_true(clean > 0.97 && damaged > 0.97 && damaged > clean - 0.004);
        }
    }
}

/* A slice whose rays all have values keeps its bits beside a slice whose rays have not. */
static void other_slices_stay(void **state)
{
    for (int s = 0; s < SOLVERS; s++) {
        char scan[TESTING_PATH], words[160];
        float *truth;
        snprintf(words, sizeof words, "%%s --rotation-axis %%g %s", solvers[s]);
        write_scan(*state, NULL, scan, &truth);
        free(truth);
        TestingVolume clean = testing_recon(*state, words, scan, (SIZE - 1) / 2.0);
        write_scan(*state, damage_middle, scan, &truth);
        free(truth);
        TestingVolume damaged = testing_recon(*state, words, scan, (SIZE - 1) / 2.0);
        for (int f = 0; f < SLICES; f++) {
            const bool same =
                testing_same_bytes(testing_slice(&clean, f), testing_slice(&damaged, f), PIXELS * sizeof *clean.value);
            assert_int_equal(same, f != 1);
            assert_int_equal(damaged.repaired[f] > 0, f == 1);
        }
        testing_volume_free(&clean);
        testing_volume_free(&damaged);
    }
}

/* However the slices are divided, and to the digits of each precision. */
static void divisions_agree(void **state)
{
    static const struct {
        const char *words;
        double tolerance;
    } division[] = {{"--partitions 3", 5e-5},
                    {"--minibatch 1", 5e-5},
                    {"--topology nodes=2,sockets=2,workers=1", 5e-5},
                    {"--precision double --partitions 2", 5e-5},
                    {"--precision mixed --partitions 2", 5e-3},
                    {"--precision half --symmetry no", 2e-2}};
    char scan[TESTING_PATH], words[200];
    float *truth;
    write_scan(*state, damage_middle, scan, &truth);
    for (int s = 0; s < ITERATIVE; s++) {
        snprintf(words, sizeof words, "%%s --rotation-axis %%g %s", solvers[s]);
        TestingVolume whole = testing_recon(*state, words, scan, (SIZE - 1) / 2.0);
        for (size_t d = 0; d < sizeof division / sizeof *division; d++) {
            snprintf(words, sizeof words, "%%s --rotation-axis %%g %s %s", solvers[s], division[d].words);
            TestingVolume parts = testing_recon(*state, words, scan, (SIZE - 1) / 2.0);
            const double error = testing_error_within(SLICES, SIZE, SIZE / 2.0, parts.value, whole.value);
            if (!(error < division[d].tolerance)) fail_msg("%s: %.3g", words, error);
            for (int f = 0; f < SLICES; f++) assert_int_equal(parts.repaired[f], whole.repaired[f]);
            testing_volume_free(&parts);
        }
        testing_volume_free(&whole);
    }
    free(truth);
}

/* Line integrals of a random image, A x, as a raw sinogram, of which every ninth ray is not a number. */
enum { SMALL = 16, TURNS = 40, RAYS = SMALL * TURNS, VOXELS = SMALL * SMALL };

typedef struct System {
    TestingOperator *a;
    double truth[VOXELS], b[RAYS], x[VOXELS];
    char sinogram[TESTING_PATH], theta[TESTING_PATH];
} System;

static void system_open(const char *directory, System *system)
{
    double rad[TURNS];
    float values[RAYS], angles[TURNS];
    uint32_t seed = 7;
    for (int k = 0; k < TURNS; k++) rad[k] = (double)(angles[k] = (float)(M_PI * k / TURNS));
    for (int v = 0; v < VOXELS; v++) {
        const double x = v % SMALL - (SMALL - 1) / 2.0, y = v / SMALL - (SMALL - 1) / 2.0;
        seed = seed * 1664525u + 1013904223u;
        system->truth[v] = x * x + y * y < SMALL * SMALL / 5.0 ? 1 + (seed >> 8) / 16777216.0 : 0;
    }
    const SinoGeometry geometry = {TURNS, SMALL, SMALL, rad, (SMALL - 1) / 2.0, 0};
    system->a = testing_operator_new(&geometry, SINO_DOUBLE, false, 1, 0, 1);
    testing_operator_project(system->a, system->truth, system->b);
    for (int i = 0; i < RAYS; i++) values[i] = i % 9 == 4 ? NAN : (float)system->b[i];
    testing_write_file(testing_path(system->sinogram, directory, "b.bin"), values, sizeof values);
    testing_write_file(testing_path(system->theta, directory, "theta.bin"), angles, sizeof angles);
    testing_operator_free(system->a); /* only one StarPU runs at a time */
}

/* ‖W(Ax − b)‖/‖Wb‖ at the end, and the relative error of Σ x. */
static void solve(const char *directory, const System *system, const char *words, double *residual, double *mass)
{
    char line[240];
    double sum = 0, truth = 0;
    snprintf(line, sizeof line, "%%s --theta %%s --columns %%d --rotation-axis %%g --precision double %s", words);
    TestingVolume found = testing_recon(directory, line, system->sinogram, system->theta, SMALL, (SMALL - 1) / 2.0);
    for (int v = 0; v < VOXELS; v++) {
        sum += (double)found.value[v];
        truth += system->truth[v];
    }
    *residual = sqrt(found.residual[found.columns - 1] / found.residual[0]);
    *mass = fabs(sum / truth - 1);
    testing_volume_free(&found);
}

/* Of data that an image explains, every solver finds such an image in spite of missing rays: none of them biases it. */
static void missing_rays_do_not_bias(void **state)
{
    static const struct {
        const char *words;
        double residual, mass;
    } run[] = {{"--algorithm cg --iterations 60", 1e-4, 1e-3},
               {"--algorithm sirt --iterations 400 --relaxation 1.5", 3e-3, 3e-3},
               {"--algorithm mlem --iterations 400", 3e-3, 3e-3},
               {"--algorithm osem --subsets 8 --iterations 60", 3e-3, 3e-3}};
    static System system;
    system_open(*state, &system);
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        double residual, mass;
        solve(*state, &system, run[i].words, &residual, &mass);
        print_message("%s: residual %.2g, sum %.2g\n", run[i].words, residual, mass);
        assert_true(residual < run[i].residual && mass < run[i].mass);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(weights)
{
    const struct CMUnitTest tests[] = {
        TEST(faults_hardly_change_the_picture),
        TEST(other_slices_stay),
        TEST(divisions_agree),
        TEST(missing_rays_do_not_bias),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
