/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, the solvers without a prior: the number of iterations that halves of the projections find, and what
 * weights from counts are worth. */
#include "cli.h"

#include <math.h>

enum { SIZE = 256, SLICES = 5, SMALL = 80 };

/* With --iterations auto solvers stop before they fit the noise: near the best of five numbers of iterations. */
typedef struct StopCase {
    const char *algorithm;
    int size, angles;
    double noise;
    int numbers[5];
} StopCase;

static double error_of_iterations(const char *at, const StopCase *of, const char *iterations, double *found)
{
    char words[200];
    snprintf(words, sizeof words,
             "recon p.h5 -o v.h5 --overwrite --algorithm %s --rotation-axis %g --pictures no --report none "
             "--iterations %s",
             of->algorithm, (of->size - 1) / 2.0, iterations);
    char *said = cli_output_of(at, words);
    if (found) {
        *found = cli_number_after(said, "iterations: ", NULL);
        assert_non_null(strstr(said, ", by both halves of the projections of slice 0\n"));
        double *kept = cli_read_doubles(at, "v.h5", "/process/iterations", 0, NULL);
        assert_true(*kept == *found);
        free(kept);
    }
    free(said);
    return cli_error(at, "v.h5", of->size);
}

static void check_stop(const char *at, const StopCase *of)
{
    double best = INFINITY, iterations;
    cli_works(at, "phantom -o p.h5 --overwrite --size %d --angles %d --slices 1 --noise %g --truth t.h5", of->size,
              of->angles, of->noise);
    const double found = error_of_iterations(at, of, "auto", &iterations);
    for (int n = 0; n < 5; n++) {
        char number[16];
        snprintf(number, sizeof number, "%d", of->numbers[n]);
        best = fmin(best, error_of_iterations(at, of, number, NULL));
    }
    print_message("%s, %d angles, noise %g: %.0f iterations, %.2f %%, best of five %.2f %%\n", of->algorithm,
                  of->angles, of->noise, iterations, 100 * found, 100 * best);
    assert_true(found <= 1.15 * best);
}

static void cg_stops_before_noise(void **state)
{
    static const StopCase cases[] = {{"cg", SIZE, 40, 0.01, {5, 8, 12, 20, 30}},
                                     {"cg", SIZE, 100, 0.03, {5, 8, 12, 20, 30}},
                                     {"cg", SIZE, 400, 0.01, {5, 8, 12, 20, 30}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_stop(*state, &cases[i]);
}

static void slow_solvers_stop_before_noise(void **state)
{
    static const StopCase cases[] = {{"sirt", 128, 90, 0.03, {20, 40, 60, 90, 200}},
                                     {"sirt --nonnegativity yes", 128, 200, 0.01, {40, 80, 120, 200, 300}},
                                     {"sirt --weights counts", 128, 90, 0.05, {20, 40, 60, 90, 200}},
                                     {"mlem", 128, 90, 0.03, {10, 20, 30, 50, 100}},
                                     {"osem", 128, 200, 0.02, {2, 4, 6, 9, 15}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_stop(*state, &cases[i]);
}

/* No division changes what halves of the projections find, nor the volume. */
static void division_changes_no_number_of_iterations(void **state)
{
    const char *const at = *state;
    static const char *const solvers[] = {"sirt --weights counts", "sirt --nonnegativity yes", "mlem", "osem", "cg"};
    static const char *const divisions[] = {"--partitions 3", "--partitions 7 --minibatch 2", "--minibatch 5"};
    cli_works(at, "phantom -o p.h5 --size %d --angles 45 --slices %d --noise 0.03", SMALL, SLICES);
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        cli_works(at,
                  "recon p.h5 -o one.h5 --overwrite --rotation-axis 39.5 --pictures no --report none --partitions 1 "
                  "--minibatch 1 --workers 1 --iterations auto --algorithm %s",
                  solvers[i]);
        double *one = cli_read_doubles(at, "one.h5", "/process/iterations", 0, NULL);
        for (size_t d = 0; d < sizeof divisions / sizeof *divisions; d++) {
            cli_works(
                at,
                "recon p.h5 -o other.h5 --overwrite --rotation-axis 39.5 --pictures no --report none --iterations "
                "auto --algorithm %s %s",
                solvers[i], divisions[d]);
            double *other = cli_read_doubles(at, "other.h5", "/process/iterations", 0, NULL);
            assert_true(*other == *one);
            free(other);
            float *a = cli_read_volume(at, "other.h5", SLICES, SMALL),
                  *b = cli_read_volume(at, "one.h5", SLICES, SMALL);
            assert_true(cli_difference((int64_t)SLICES * SMALL * SMALL, a, b) <= 2e-5);
            free(a);
            free(b);
        }
        free(one);
    }
}

/* In few photons cg and sirt come closer to the truth with weights; what none is, they do by default. */
static void weights_help_where_photons_are_few(void **state)
{
    const char *const at = *state;
    static const char *const solvers[] = {"cg --iterations 8", "sirt --iterations 40"};
    cli_works(at, "phantom -o p.h5 --size %d --angles 100 --slices 1 --noise 0.05 --truth t.h5", SIZE);
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        static const char *const weights[] = {"auto", "none", "counts"};
        double error[3];
        for (int w = 0; w < 3; w++) {
            cli_works(at,
                      "recon p.h5 -o v.h5 --overwrite --rotation-axis 127.5 --pictures no --report none --algorithm "
                      "%s --weights %s",
                      solvers[i], weights[w]);
            error[w] = cli_error(at, "v.h5", SIZE);
        }
        print_message("%s: %.2f %%, with weights %.2f %%\n", solvers[i], 100 * error[1], 100 * error[2]);
        assert_true(error[0] == error[1]);
        assert_true(error[2] < 0.97 * error[1]);
    }
}

int cli_solvers_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(cg_stops_before_noise),
        CLI_TEST(slow_solvers_stop_before_noise),
        CLI_TEST(division_changes_no_number_of_iterations),
        CLI_TEST(weights_help_where_photons_are_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
