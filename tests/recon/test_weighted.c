/* SPDX-License-Identifier: BSD-3-Clause */
/* Weights from counts, weights from files, and masks: volumes of CG and SIRT with --weights and --mask against the same
 * methods in float64, on a dense matrix that is independent of the program's; and what CG converges to against the
 * normal equations. */
#include "reference_operator.h"
#include "testing.h"
#include "testing_npy.h"
#include "testing_recon.h"
#include "update.h"

#include <math.h>

enum { SIZE = 20, ANGLES = 24, VOXELS = SIZE * SIZE, RAYS = SIZE * ANGLES };

typedef struct Problem {
    ReferenceOperator a; /* owned */
    double b[RAYS], weight[RAYS];
    char weights[TESTING_PATH]; /* for --weights: "counts", or a file */
} Problem;

/* Two squares seen with noise, in raw files of line integrals up to 5; two rays have no value. */
static void make_problem(Problem *problem, const char *directory)
{
    double angle[ANGLES], x[VOXELS];
    float sinogram[RAYS], theta[ANGLES];
    char path[TESTING_PATH];
    uint64_t seed = 11;
    for (int k = 0; k < ANGLES; k++) theta[k] = (float)(M_PI * k / ANGLES);
    for (int k = 0; k < ANGLES; k++) angle[k] = (double)theta[k];
    const SinoGeometry geometry = {
        .angle_count = ANGLES, .column_count = SIZE, .grid_size = SIZE, .center = 9.5, .angle_rad = angle};
    problem->a = reference_operator_create(&geometry);
    for (int j = 0; j < VOXELS; j++) {
        const int column = j % SIZE, row = j / SIZE;
        x[j] = (column > 4 && column < 15 && row > 3 && row < 16 ? 0.2 : 0) +
               (abs(column - 9) < 3 && row > 8 && row < 12 ? 0.5 : 0);
    }
    reference_operator_project(&problem->a, x, problem->b);
    for (int i = 0; i < RAYS; i++) {
        const bool undefined = i == 77 || i == 301;
        sinogram[i] = undefined ? NAN : (float)(problem->b[i] + 0.1 * reference_random(&seed));
        problem->b[i] = undefined ? 0 : (double)sinogram[i];
        problem->weight[i] = undefined ? 0 : fmin(exp(-problem->b[i]), 1);
    }
    testing_write_file(testing_path(path, directory, "b.bin"), sinogram, sizeof sinogram);
    testing_write_file(testing_path(path, directory, "theta.bin"), theta, sizeof theta);
}

/* An array of all rays. */
static void write_weights(Problem *problem, const char *directory, const float *weight)
{
    size_t bytes;
    unsigned char *file = testing_npy(1, "<f4", "(24, 20)", weight, RAYS * sizeof *weight, &bytes);
    testing_write_file(testing_path(problem->weights, directory, "w.npy"), file, (int64_t)bytes);
    free(file);
}

/* Weights of other sizes than those of counts, of which some are 0. */
static void give_weights(Problem *problem, const char *directory)
{
    float weight[RAYS];
    uint64_t seed = 5;
    for (int i = 0; i < RAYS; i++) {
        weight[i] = (float)(40 * fabs(reference_random(&seed)));
        if (i % 37 == 5) weight[i] = 0;
        problem->weight[i] = problem->weight[i] > 0 ? (double)weight[i] : 0;
    }
    write_weights(problem, directory, weight);
}

/* The program's volume; words: more settings. */
static void run_with(const char *directory, const char *weights, const char *words, double *found)
{
    static const char usual[] = "%s --theta %s --columns %d --rotation-axis 9.5 --weights";
    char sinogram[TESTING_PATH], theta[TESTING_PATH], all[5 * TESTING_PATH];
    snprintf(all, sizeof all, "%s %s %s", usual, weights, words);
    TestingVolume volume = testing_recon(directory, all, testing_path(sinogram, directory, "b.bin"),
                                         testing_path(theta, directory, "theta.bin"), SIZE);
    for (int j = 0; j < VOXELS; j++) found[j] = (double)volume.value[j];
    testing_volume_free(&volume);
}

static void run(const char *directory, const char *words, double *found)
{
    char more[3 * TESTING_PATH + 20];
    snprintf(more, sizeof more, "--precision double %s", words);
    run_with(directory, "counts", more, found);
}

/* A volume to start from. */
static void write_start(const char *path, const float *x)
{
    size_t bytes;
    unsigned char *file = testing_npy(1, "<f4", "(1, 20, 20)", x, VOXELS * sizeof *x, &bytes);
    testing_write_file(path, file, (int64_t)bytes);
    free(file);
}

static double dot(int count, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

/* CGLS of √W A x = √W b from x. */
static void reference_cg(const Problem *problem, int iterations, double *x)
{
    double r[RAYS], q[RAYS], g[VOXELS], d[VOXELS], before = 0;
    reference_operator_project(&problem->a, x, q);
    for (int i = 0; i < RAYS; i++) r[i] = sqrt(problem->weight[i]) * (problem->b[i] - q[i]);
    for (int k = 0; k <= iterations; k++) {
        double scaled[RAYS];
        for (int i = 0; i < RAYS; i++) scaled[i] = sqrt(problem->weight[i]) * r[i];
        reference_operator_backproject(&problem->a, scaled, g);
        const double gamma = dot(VOXELS, g, g);
        for (int j = 0; j < VOXELS; j++) d[j] = g[j] + (k > 0 ? gamma / before * d[j] : 0);
        before = gamma;
        if (k == iterations) return;
        reference_operator_project(&problem->a, d, q);
        for (int i = 0; i < RAYS; i++) q[i] *= sqrt(problem->weight[i]);
        const double step = gamma / dot(RAYS, q, q);
        for (int j = 0; j < VOXELS; j++) x[j] += step * d[j];
        for (int i = 0; i < RAYS; i++) r[i] -= step * q[i];
    }
}

/* Voxels that the mask of a test keeps. */
static bool is_kept(int j)
{
    return hypot(j % SIZE - 8.5, j / SIZE - 10) < 7.5 || j == 3;
}

/* x += relaxation·C AᵀW R(b − A x) within bounds, from 0. */
static void reference_sirt(const Problem *problem, int iterations, double relaxation, double least, double radius,
                           bool masked, double *x)
{
    double ones[VOXELS], row[RAYS], column[VOXELS], y[RAYS], g[VOXELS];
    for (int j = 0; j < VOXELS; j++) ones[j] = 1;
    memset(x, 0, VOXELS * sizeof *x);
    reference_operator_project(&problem->a, ones, row);
    reference_operator_backproject(&problem->a, problem->weight, column);
    for (int k = 0; k < iterations; k++) {
        reference_operator_project(&problem->a, x, y);
        for (int i = 0; i < RAYS; i++) y[i] = row[i] > 1e-6 ? problem->weight[i] / row[i] * (problem->b[i] - y[i]) : 0;
        reference_operator_backproject(&problem->a, y, g);
        for (int j = 0; j < VOXELS; j++) {
            const bool outside =
                hypot(j % SIZE - 0.5 * (SIZE - 1), j / SIZE - 0.5 * (SIZE - 1)) > radius || (masked && !is_kept(j));
            x[j] = outside ? 0 : fmax(x[j] + (column[j] > 0 ? relaxation / column[j] * g[j] : 0), least);
        }
    }
}

static void cg_is_the_reference(void **state)
{
    Problem problem;
    double x[VOXELS], found[VOXELS];
    make_problem(&problem, *state);
    for (int iterations = 1; iterations <= 13; iterations += 4) {
        char words[80];
        memset(x, 0, sizeof x);
        reference_cg(&problem, iterations, x);
        snprintf(words, sizeof words, "--algorithm cg --partitions %d --iterations %d", iterations, iterations);
        run(*state, words, found);
        const double off = testing_error_doubles(VOXELS, found, x);
        print_message("cg, %d iterations: voxels differ by %.2g\n", iterations, off);
        assert_true(off <= 1e-6);
    }
    reference_operator_free(&problem.a);
}

/* After many iterations Aᵀ W (b − A x) = 0. */
static void cg_converges_to_weighted_least_squares(void **state)
{
    Problem problem;
    double x[VOXELS], y[RAYS], g[VOXELS], g0[VOXELS];
    make_problem(&problem, *state);
    run(*state, "--algorithm cg --iterations 2000", x);
    reference_operator_project(&problem.a, x, y);
    for (int i = 0; i < RAYS; i++) y[i] = problem.weight[i] * (problem.b[i] - y[i]);
    reference_operator_backproject(&problem.a, y, g);
    for (int i = 0; i < RAYS; i++) y[i] = problem.weight[i] * problem.b[i];
    reference_operator_backproject(&problem.a, y, g0);
    const double left = sqrt(dot(VOXELS, g, g) / dot(VOXELS, g0, g0));
    print_message("gradient left: %.2g\n", left);
    assert_true(left <= 1e-6); /* voxels are stored as float */
    reference_operator_free(&problem.a);
}

static void sirt_is_the_reference(void **state)
{
    static const struct {
        const char *words;
        double relaxation, least, radius;
    } cases[] = {{"--nonnegativity no --partitions 1", 1, -INFINITY, INFINITY},
                 {"--nonnegativity yes --relaxation 1.6 --partitions 3", 1.6, 0, INFINITY},
                 {"--minimum -0.01 --support-ratio 0.8", 1, -0.01, 0.8 * SIZE / 2}};
    Problem problem;
    double x[VOXELS], found[VOXELS];
    make_problem(&problem, *state);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char words[120];
        reference_sirt(&problem, 40, cases[i].relaxation, cases[i].least, cases[i].radius, false, x);
        snprintf(words, sizeof words, "--algorithm sirt --iterations 40 %s", cases[i].words);
        run(*state, words, found);
        const double off = testing_error_doubles(VOXELS, found, x);
        print_message("sirt %s: voxels differ by %.2g\n", cases[i].words, off);
        assert_true(off <= 1e-6);
    }
    reference_operator_free(&problem.a);
}

/* From a volume: CG goes on as the reference does from the same x; 15 iterations of SIRT and 25 more are 40. */
static void starts_are_gone_on_from(void **state)
{
    Problem problem;
    double x[VOXELS], found[VOXELS];
    float start[VOXELS];
    char path[TESTING_PATH], words[TESTING_PATH + 100];
    make_problem(&problem, *state);
    for (int j = 0; j < VOXELS; j++) start[j] = (float)(0.01 * (j % 7));
    for (int j = 0; j < VOXELS; j++) x[j] = (double)start[j];
    write_start(testing_path(path, *state, "start.npy"), start);
    reference_cg(&problem, 6, x);
    snprintf(words, sizeof words, "--algorithm cg --iterations 6 --start %s", path);
    run(*state, words, found);
    assert_true(testing_error_doubles(VOXELS, found, x) <= 1e-6);
    run(*state, "--algorithm sirt --iterations 15", found);
    for (int j = 0; j < VOXELS; j++) start[j] = (float)found[j];
    write_start(path, start);
    snprintf(words, sizeof words, "--algorithm sirt --iterations 25 --start %s", path);
    run(*state, words, found);
    reference_sirt(&problem, 40, 1, -INFINITY, INFINITY, false, x);
    assert_true(testing_error_doubles(VOXELS, found, x) <= 1e-6);
    reference_operator_free(&problem.a);
}

/* The columns of A of the other voxels are taken away. */
static void masks_take_columns_away(void **state)
{
    Problem problem;
    double x[VOXELS], found[VOXELS];
    float start[VOXELS];
    unsigned char mask[VOXELS];
    char path[TESTING_PATH], from[TESTING_PATH], words[3 * TESTING_PATH];
    size_t bytes;
    make_problem(&problem, *state);
    for (int j = 0; j < VOXELS; j++) mask[j] = is_kept(j) ? 7 : 0;
    unsigned char *file = testing_npy(1, "|u1", "(1, 20, 20)", mask, sizeof mask, &bytes);
    testing_write_file(testing_path(path, *state, "mask.npy"), file, (int64_t)bytes);
    free(file);
    for (int j = 0; j < VOXELS; j++) start[j] = (float)(0.01 * (j % 7));
    write_start(testing_path(from, *state, "start.npy"), start);
    double kept = 0;
    for (int started = 0; started < 2; started++) {
        for (int j = 0; j < VOXELS; j++) x[j] = started && is_kept(j) ? (double)start[j] : 0;
        for (int i = 0; i < RAYS; i++)
            for (int j = 0; j < VOXELS; j++) problem.a.length[i * VOXELS + j] *= is_kept(j) ? 1 : 0;
        reference_cg(&problem, 7, x);
        snprintf(words, sizeof words, "--algorithm cg --iterations 7 --partitions 3 --mask %s %s %s", path,
                 started ? "--start" : "", started ? from : "");
        run(*state, words, found);
        assert_true(testing_error_doubles(VOXELS, found, x) <= 1e-6);
        for (int j = 0; j < VOXELS; j++) assert_true(is_kept(j) || found[j] == 0);
        kept += fabs(found[10 * SIZE + 9]);
    }
    assert_true(kept > 0.1);
    reference_operator_free(&problem.a);
    make_problem(&problem, *state);
    reference_sirt(&problem, 40, 1, -INFINITY, INFINITY, true, x);
    snprintf(words, sizeof words, "--algorithm sirt --iterations 40 --mask %s", path);
    run(*state, words, found);
    assert_true(testing_error_doubles(VOXELS, found, x) <= 1e-6);
    reference_operator_free(&problem.a);
}

/* The same methods with weights of a file. */
static void files_are_the_reference(void **state)
{
    Problem problem;
    double x[VOXELS], found[VOXELS];
    make_problem(&problem, *state);
    give_weights(&problem, *state);
    for (int partitions = 1; partitions <= 4; partitions += 3) {
        char words[120];
        memset(x, 0, sizeof x);
        reference_cg(&problem, 9, x);
        snprintf(words, sizeof words, "--precision double --algorithm cg --iterations 9 --partitions %d", partitions);
        run_with(*state, problem.weights, words, found);
        assert_true(testing_error_doubles(VOXELS, found, x) <= 1e-6);
        reference_sirt(&problem, 40, 1.6, 0, INFINITY, false, x);
        snprintf(words, sizeof words,
                 "--precision double --algorithm sirt --iterations 40 --nonnegativity yes --relaxation 1.6 "
                 "--partitions %d",
                 partitions);
        run_with(*state, problem.weights, words, found);
        assert_true(testing_error_doubles(VOXELS, found, x) <= 1e-6);
    }
    reference_operator_free(&problem.a);
}

/* A file with the weights that counts have gives the same bits. */
static void files_of_counts_are_counts(void **state)
{
    static const char *const words[] = {"--algorithm cg --iterations 7", "--algorithm cg --iterations auto",
                                        "--algorithm sirt --iterations 9 --partitions 2", "--algorithm fista",
                                        "--algorithm fista --prior huber --regularization 0.01 --subsets 3"};
    Problem problem;
    double counts[VOXELS], file[VOXELS];
    float b[RAYS], weight[RAYS];
    make_problem(&problem, *state);
    for (int i = 0; i < RAYS; i++) b[i] = (float)problem.b[i];
    const SinoUpdate weigh = {
        .formula = SINO_UPDATE_WEIGH_RAYS, .slices = {SINO_SINGLE, 1, 1}, .rows = RAYS, .argument = {1}};
    sino_update(&weigh, (void *[SINO_UPDATE_VECTORS]){b, weight}, NULL, NULL);
    write_weights(&problem, *state, weight);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        run_with(*state, "counts", words[i], counts);
        run_with(*state, problem.weights, words[i], file);
        for (int j = 0; j < VOXELS; j++)
            if (file[j] != counts[j]) fail_msg("%s: voxel %d is %.9g, not %.9g", words[i], j, file[j], counts[j]);
    }
    reference_operator_free(&problem.a);
}

TESTING_SUBJECT(weighted)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cg_is_the_reference, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(cg_converges_to_weighted_least_squares, testing_directory_make,
                                        testing_directory_remove),
        cmocka_unit_test_setup_teardown(files_are_the_reference, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(files_of_counts_are_counts, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(sirt_is_the_reference, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(masks_take_columns_away, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(starts_are_gone_on_from, testing_directory_make, testing_directory_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
