/* SPDX-License-Identifier: BSD-3-Clause */
/* MLEM and OSEM: the properties that define them, on counts drawn at random. */
#include "angle_subsets.h"
#include "reference_operator.h"
#include "testing.h"
#include "testing_recon.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ANGLES = 24, SIZE = 20, RAYS = ANGLES * SIZE, VOXELS = SIZE * SIZE, SLICES = 3 };
static const double center = (SIZE - 1) / 2.0;

/* Values from least to 1, the same ones every time; the middle slice has a dead ray. */
static void write_scan(const char *directory, float least, char sinogram[TESTING_PATH], char theta[TESTING_PATH])
{
    static float b[SLICES * RAYS], rad[ANGLES];
    uint32_t seed = 12345;
    for (int i = 0; i < SLICES * RAYS; i++) {
        seed = seed * 1664525u + 1013904223u;
        b[i] = least + (1 - least) * (float)(seed >> 8) / (float)(1 << 24);
    }
    b[RAYS + 77] = 0;
    for (int k = 0; k < ANGLES; k++) rad[k] = (float)(M_PI * k / ANGLES);
    testing_write_file(testing_path(sinogram, directory, "counts.bin"), b, sizeof b);
    testing_write_file(testing_path(theta, directory, "theta.bin"), rad, sizeof rad);
}

static TestingVolume recon(const char *directory, float least, const char *words)
{
    char sinogram[TESTING_PATH], theta[TESTING_PATH], line[200];
    write_scan(directory, least, sinogram, theta);
    snprintf(line, sizeof line, "%%s --theta %%s --columns %%d --rotation-axis %%g %s", words);
    return testing_recon(directory, line, sinogram, theta, SIZE, center);
}

/* Σ s x of a slice with s = Aᵀ1, and Σ max(b, 0). */
static void check_counts(const char *directory, const char *words, const double *sensitivity)
{
    char sinogram[TESTING_PATH], theta[TESTING_PATH];
    TestingVolume found = recon(directory, 0, words);
    write_scan(directory, 0, sinogram, theta);
    float *b = testing_read_file(sinogram, SLICES * RAYS * (int64_t)sizeof *b);
    for (int64_t f = 0; f < SLICES; f++) {
        double counts = 0, kept = 0;
        for (int64_t i = 0; i < RAYS; i++) counts += (double)b[f * RAYS + i];
        for (int64_t v = 0; v < VOXELS; v++) kept += sensitivity[v] * (double)testing_slice(&found, f)[v];
        assert_true(fabs(kept / counts - 1) < 1e-6);
    }
    free(b);
    testing_volume_free(&found);
}

/* Every iteration of MLEM keeps the sum of all counts, where each ray meets the image: Σ s x = Σ b. */
static void counts_are_kept(void **state)
{
    double rad[ANGLES], *ones = calloc(RAYS, sizeof *ones), *sensitivity = calloc(VOXELS, sizeof *sensitivity);
    assert_true(ones && sensitivity);
    for (int k = 0; k < ANGLES; k++) rad[k] = (double)(float)(M_PI * k / ANGLES);
    for (int i = 0; i < RAYS; i++) ones[i] = 1;
    const SinoGeometry geometry = {ANGLES, SIZE, SIZE, rad, center, 0};
    TestingOperator *a = testing_operator_new(&geometry, SINO_DOUBLE, false, 1, 0, 1);
    testing_operator_backproject(a, ones, sensitivity);
    testing_operator_free(a);
    check_counts(*state, "--algorithm mlem --precision double --iterations 1", sensitivity);
    check_counts(*state, "--algorithm mlem --precision double --iterations 7", sensitivity);
    free(ones);
    free(sensitivity);
}

static void one_subset_is_mlem(void **state)
{
    static const char *const precisions[] = {"single", "double", "mixed", "half"};
    for (int i = 0; i < 4; i++) {
        char words[120];
        snprintf(words, sizeof words, "--algorithm mlem --iterations 6 --partitions 2 --precision %s", precisions[i]);
        TestingVolume mlem = recon(*state, 0, words);
        snprintf(words, sizeof words, "--algorithm osem --subsets 1 --iterations 6 --partitions 2 --precision %s",
                 precisions[i]);
        TestingVolume osem = recon(*state, 0, words);
        assert_memory_equal(mlem.value, osem.value, SLICES * VOXELS * sizeof *mlem.value);
        assert_true(testing_residual_error(&mlem, &osem) == 0);
        testing_volume_free(&mlem);
        testing_volume_free(&osem);
    }
}

/* Counts below 0 enter as 0; nothing becomes negative or undefined. */
static void negative_counts_are_none(void **state)
{
    TestingVolume found = recon(*state, -0.5f, "--algorithm osem --subsets 5 --iterations 4");
    bool some = false;
    for (int64_t i = 0; i < SLICES * VOXELS; i++) {
        assert_true(found.value[i] >= 0 && isfinite(found.value[i]));
        some |= found.value[i] > 0;
    }
    assert_true(some);
    testing_volume_free(&found);
}

/* The log-likelihood of MLEM never falls (L. Shepp and Y. Vardi 1982), and stops slices that gain little. */
static void likelihood_rises_and_stops(void **state)
{
    TestingVolume all = recon(*state, 0.2f, "--algorithm mlem --iterations 12");
    TestingVolume some = recon(*state, 0.2f, "--algorithm mlem --iterations 12 --likelihood-tolerance 1e-3");
    for (int64_t f = 0; f < SLICES; f++) {
        const double *rising = all.likelihood + f * all.columns, *stopped = some.likelihood + f * some.columns;
        int64_t last = 1;
        assert_true(isnan(rising[0]));
        for (int64_t i = 2; i < all.columns; i++) assert_true(rising[i] >= rising[i - 1] - 1e-7 * fabs(rising[i]));
        while (last + 1 < all.columns && rising[last + 1] - rising[last] > 1e-3 * fabs(rising[last + 1])) last++;
        assert_true(last + 2 < all.columns); /* else nothing is tested */
        for (int64_t i = 1; i < all.columns; i++)
            assert_true(i <= last + 1 ? stopped[i] == rising[i] : isnan(stopped[i]));
    }
    testing_volume_free(&all);
    testing_volume_free(&some);
}

/* The residual of MLEM falls; subsets get there in fewer iterations. */
static void subsets_are_faster(void **state)
{
    TestingVolume mlem = recon(*state, 0.2f, "--algorithm mlem --iterations 12");
    TestingVolume osem = recon(*state, 0.2f, "--algorithm osem --subsets 4 --iterations 3");
    for (int64_t f = 0; f < SLICES; f++) {
        const double *residual = mlem.residual + f * mlem.columns;
        for (int64_t i = 2; i < mlem.columns; i++) assert_true(residual[i] < residual[i - 1]);
        assert_true(osem.residual[f * osem.columns + 3] < residual[6]);
    }
    testing_volume_free(&mlem);
    testing_volume_free(&osem);
}

/* However a slice is divided; subsets of 24 angles by 5 are not of equal size. */
static void divisions_agree(void **state)
{
    static const char *const divisions[] = {"--partitions 3", "--minibatch 1", "--partitions 2 --scheduler eager",
                                            "--topology nodes=2,sockets=2,workers=1"};
    static const char *const solvers[] = {"--algorithm osem --subsets 5 --iterations 3",
                                          "--algorithm mlem --iterations 5",
                                          "--algorithm osem --subsets 5 --iterations 3 --projector rotate"};
    for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
        char words[160];
        snprintf(words, sizeof words, "%s --partitions 1", solvers[s]);
        TestingVolume whole = recon(*state, 0, words);
        for (size_t d = 0; d < sizeof divisions / sizeof *divisions; d++) {
            snprintf(words, sizeof words, "%s %s", solvers[s], divisions[d]);
            TestingVolume parts = recon(*state, 0, words);
            assert_true(testing_error(SLICES * VOXELS, parts.value, whole.value) < 5e-6);
            assert_true(testing_residual_error(&parts, &whole) < 1e-4);
            testing_volume_free(&parts);
        }
        testing_volume_free(&whole);
    }
}

/* OSEM in double on a dense matrix: x ← x/s · Aᵀ(b/Ax) for each subset in turn. b[ray], x[voxel]; subset[angle]. */
static void reference_osem(const ReferenceOperator *a, const float *b, const int64_t *subset, int iterations, double *x)
{
    enum { SUBSETS = 4 };
    static const int64_t order[SUBSETS] = {0, 2, 1, 3};
    double counts = 0, lengths = 0;
    for (int64_t i = 0; i < a->ray_count; i++) counts += (double)b[i];
    for (int64_t i = 0; i < a->ray_count * a->voxel_count; i++) lengths += a->length[i];
    for (int64_t v = 0; v < a->voxel_count; v++) x[v] = counts / lengths;
    for (int turn = 0; turn < iterations * SUBSETS; turn++) {
        double *sum = calloc((size_t)a->voxel_count, sizeof *sum), *s = calloc((size_t)a->voxel_count, sizeof *s);
        assert_true(sum && s);
        for (int64_t i = 0; i < a->ray_count; i++) {
            const double *length = a->length + i * a->voxel_count;
            double projected = 0;
            if (subset[i / SIZE] != order[turn % SUBSETS]) continue;
            for (int64_t v = 0; v < a->voxel_count; v++) projected += length[v] * x[v];
            for (int64_t v = 0; v < a->voxel_count; v++) {
                sum[v] += projected > 0 ? length[v] * (double)b[i] / projected : 0;
                s[v] += length[v];
            }
        }
        for (int64_t v = 0; v < a->voxel_count; v++)
            if (s[v] > 0) x[v] *= sum[v] / s[v];
        free(sum);
        free(s);
    }
}

/* Subsets of whole orbits of angles, whose lengths are stored once, and every fourth angle: the formula tells both. */
static void osem_matches_reference(void **state)
{
    enum { MANY = 60, SUBSETS = 4, ITERATIONS = 3 };
    static const char *const symmetry[] = {"no", "yes"};
    static float b[MANY * SIZE], rad[MANY];
    double angle_rad[MANY], x[VOXELS];
    float expected[2][VOXELS];
    char sinogram[TESTING_PATH], theta[TESTING_PATH];
    uint64_t seed = 7;
    for (int i = 0; i < MANY * SIZE; i++) b[i] = (float)(1.5 + reference_random(&seed));
    for (int k = 0; k < MANY; k++) angle_rad[k] = (double)(rad[k] = (float)(M_PI * k / MANY));
    testing_write_file(testing_path(sinogram, *state, "counts.bin"), b, sizeof b);
    testing_write_file(testing_path(theta, *state, "theta.bin"), rad, sizeof rad);
    const SinoGeometry geometry = {MANY, SIZE, SIZE, angle_rad, center, 0};
    ReferenceOperator a = reference_operator_create(&geometry);
    for (int whole = 0; whole < 2; whole++) {
        SinoAngleSubsets subsets;
        const SinoProblem problem = {.geometry = geometry, .subset_count = SUBSETS, .whole_orbits = whole};
        assert_success(sino_angle_subsets_new(&problem, &subsets));
        assert_int_equal(subsets.whole_orbits, whole);
        reference_osem(&a, b, subsets.subset, ITERATIONS, x);
        for (int v = 0; v < VOXELS; v++) expected[whole][v] = (float)x[v];
        sino_angle_subsets_free(&subsets);
        for (int partitions = 1; partitions <= 3; partitions += 2) {
            TestingVolume found = testing_recon(
                *state,
                "%s --theta %s --columns %d --rotation-axis %g --algorithm osem --subsets %d --iterations "
                "%d --symmetry %s --partitions %d --precision double",
                sinogram, theta, SIZE, center, SUBSETS, ITERATIONS, symmetry[whole], partitions);
            const double off = testing_error(VOXELS, found.value, expected[whole]);
            if (off > 1e-5) fail_msg("--symmetry %s: off by %g", symmetry[whole], off);
            testing_volume_free(&found);
        }
    }
    assert_true(testing_error(VOXELS, expected[0], expected[1]) > 1e-3); /* they do differ */
    reference_operator_free(&a);
}

/* Without a matrix, too, one subset gives MLEM's bits. */
static void one_subset_is_mlem_by_rotation(void **state)
{
    TestingVolume mlem = recon(*state, 0, "--algorithm mlem --iterations 4 --projector rotate");
    TestingVolume osem = recon(*state, 0, "--algorithm osem --subsets 1 --iterations 4 --projector rotate");
    assert_memory_equal(mlem.value, osem.value, SLICES * VOXELS * sizeof *mlem.value);
    testing_volume_free(&mlem);
    testing_volume_free(&osem);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(mlem)
{
    const struct CMUnitTest tests[] = {
        TEST(counts_are_kept),          TEST(one_subset_is_mlem),
        TEST(negative_counts_are_none), TEST(likelihood_rises_and_stops),
        TEST(divisions_agree),          TEST(subsets_are_faster),
        TEST(osem_matches_reference),   TEST(one_subset_is_mlem_by_rotation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
