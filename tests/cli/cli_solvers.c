/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, the solvers without a prior: the number of iterations that halves of the projections find, and what
 * weights from counts are worth. */
#include "cli.h"

#include <hdf5.h>
#include <math.h>

enum { SIZE = 256, HALF = SIZE / 2, SLICES = 5, SMALL = 80, MIXED = 12 };

/* With --iterations auto solvers stop before they fit the noise: near the best of three numbers of iterations. */
typedef struct StopCase {
    const char *algorithm;
    int size, angles;
    double noise;
    int numbers[3]; /* around the best of all */
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
        double *kept = cli_read_doubles(at, "v.h5", "/process/iterations", 1, (const int64_t[]){1});
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
    for (int n = 0; n < 3; n++) {
        char number[16];
        snprintf(number, sizeof number, "%d", of->numbers[n]);
        best = fmin(best, error_of_iterations(at, of, number, NULL));
    }
    print_message("%s, %d angles, noise %g: %.0f iterations, %.2f %%, best of three %.2f %%\n", of->algorithm,
                  of->angles, of->noise, iterations, 100 * found, 100 * best);
    assert_true(found <= 1.15 * best);
}

static void cg_stops_before_noise(void **state)
{
    static const StopCase cases[] = {{"cg", SIZE, 40, 0.01, {8, 12, 20}},
                                     {"cg", SIZE, 100, 0.03, {5, 8, 12}},
                                     {"cg", SIZE, 400, 0.01, {12, 20, 30}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_stop(*state, &cases[i]);
}

static void slow_solvers_stop_before_noise(void **state)
{
    static const StopCase cases[] = {{"sirt", 128, 90, 0.03, {60, 90, 200}},
                                     {"sirt --nonnegativity yes", 128, 200, 0.01, {120, 200, 300}},
                                     {"sirt --weights counts", 128, 90, 0.05, {40, 60, 90}},
                                     {"mlem", 128, 90, 0.03, {20, 30, 50}},
                                     {"osem", 128, 200, 0.02, {4, 6, 9}}};
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
        double *one = cli_read_doubles(at, "one.h5", "/process/iterations", 1, (const int64_t[]){SLICES});
        for (size_t d = 0; d < sizeof divisions / sizeof *divisions; d++) {
            cli_works(
                at,
                "recon p.h5 -o other.h5 --overwrite --rotation-axis 39.5 --pictures no --report none --iterations "
                "auto --algorithm %s %s",
                solvers[i], divisions[d]);
            double *other = cli_read_doubles(at, "other.h5", "/process/iterations", 1, (const int64_t[]){SLICES});
            assert_memory_equal(other, one, SLICES * sizeof *one);
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

/* Gives the slices from `first` on of one file to another one of the same sizes. */
static void give_slices(const char *at, const char *from, const char *to, int64_t first)
{
    static const char *const names[] = {"/exchange/data", "/exchange/data_white", "/exchange/data_dark"};
    const char *const file_name[] = {from, to};
    hid_t file[2];
    for (int i = 0; i < 2; i++) {
        char path[TESTING_PATH];
        file[i] = H5Fopen(testing_path(path, at, file_name[i]), i ? H5F_ACC_RDWR : H5F_ACC_RDONLY, H5P_DEFAULT);
        assert_true(file[i] >= 0);
    }
    for (int n = 0; n < 3; n++) {
        const hid_t source = H5Dopen2(file[0], names[n], H5P_DEFAULT), data = H5Dopen2(file[1], names[n], H5P_DEFAULT);
        const hid_t space = H5Dget_space(data);
        hsize_t size[3];
        assert_int_equal(H5Sget_simple_extent_dims(space, size, NULL), 3);
        const hsize_t start[3] = {0, (hsize_t)first, 0}, count[3] = {size[0], size[1] - (hsize_t)first, size[2]};
        float *values = calloc(size[0] * size[1] * size[2], sizeof *values);
        assert_true(H5Dread(source, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
        assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0);
        assert_true(H5Dwrite(data, H5T_NATIVE_FLOAT, space, space, H5P_DEFAULT, values) >= 0);
        free(values);
        H5Sclose(space);
        H5Dclose(source);
        H5Dclose(data);
    }
    for (int i = 0; i < 2; i++) H5Fclose(file[i]);
}

/* ‖v − truth‖/‖truth‖ of all slices within the inscribed circle. */
static double error_of_slices(const float *v, const float *truth)
{
    double rest = 0, all = 0;
    for (int64_t i = 0; i < (int64_t)MIXED * SMALL * SMALL; i++) {
        const double x = (double)(i % SMALL) - (SMALL - 1) / 2.0, y = (double)(i / SMALL % SMALL) - (SMALL - 1) / 2.0;
        const bool inside = 4 * (x * x + y * y) < SMALL * SMALL;
        rest += inside ? pow((double)v[i] - (double)truth[i], 2) : 0;
        all += inside ? pow((double)truth[i], 2) : 0;
    }
    return sqrt(rest / all);
}

/* Few photons reach the slices above, many those below: each stops where it would stop alone, and no number of
 * iterations serves all of them. */
static void slices_stop_by_themselves(void **state)
{
    const char *const at = *state;
    static const char *const solvers[] = {"cg", "sirt --nonnegativity yes"};
    cli_works(at, "phantom -o m.h5 --object texture --size %d --angles 60 --slices %d --noise 0.1 --truth t.h5", SMALL,
              MIXED);
    cli_works(at, "phantom -o clean.h5 --object texture --size %d --angles 60 --slices %d --noise 0.004", SMALL, MIXED);
    give_slices(at, "clean.h5", "m.h5", MIXED / 2);
    float *truth = cli_read_volume(at, "t.h5", MIXED, SMALL);
    for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
        cli_works(at,
                  "recon m.h5 -o v.h5 --overwrite --rotation-axis 39.5 --partitions 1 --pictures no --iterations "
                  "auto --algorithm %s",
                  solvers[s]);
        float *v = cli_read_volume(at, "v.h5", MIXED, SMALL);
        double *number = cli_read_doubles(at, "v.h5", "/process/iterations", 1, (const int64_t[]){MIXED});
        double *searched = cli_read_doubles(at, "v.h5", "/process/iterations_searched", 1, (const int64_t[]){6});
        const double error = error_of_slices(v, truth);
        assert_true(searched[0] == 0 && searched[3] == MIXED / 2 && searched[5] == MIXED - 1);
        for (int end = 0; end < 2; end++) {
            const int64_t slice = end ? MIXED - 1 : 0, pixels = (int64_t)SMALL * SMALL;
            cli_works(at,
                      "recon m.h5 -o f.h5 --overwrite --rotation-axis 39.5 --partitions 1 --pictures no --report "
                      "none --iterations %d --algorithm %s",
                      (int)number[slice], solvers[s]);
            float *fixed = cli_read_volume(at, "f.h5", MIXED, SMALL);
            const double of_fixed = error_of_slices(fixed, truth);
            print_message("%s: %.2f %%, with %g iterations of all slices %.2f %%\n", solvers[s], 100 * error,
                          number[slice], 100 * of_fixed);
            assert_true(error < 0.9 * of_fixed);
            assert_memory_equal(v + slice * pixels, fixed + slice * pixels, (size_t)pixels * sizeof *v);
            free(fixed);
        }
        free(v);
        free(number);
        free(searched);
    }
    free(truth);
}

/* In few photons cg and sirt come closer to the truth with weights; what none is, they do by default. */
static void weights_help_where_photons_are_few(void **state)
{
    const char *const at = *state;
    static const char *const solvers[] = {"cg --iterations 8", "sirt --iterations 40"};
    cli_works(at, "phantom -o p.h5 --size %d --angles 100 --slices 1 --noise 0.05 --truth t.h5", HALF);
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        static const char *const weights[] = {"auto", "none", "counts"};
        double error[3];
        for (int w = 0; w < 3; w++) {
            cli_works(at,
                      "recon p.h5 -o v.h5 --overwrite --rotation-axis 63.5 --pictures no --report none --algorithm "
                      "%s --weights %s",
                      solvers[i], weights[w]);
            error[w] = cli_error(at, "v.h5", HALF);
        }
        print_message("%s: %.2f %%, with weights %.2f %%\n", solvers[i], 100 * error[1], 100 * error[2]);
        assert_true(error[0] == error[1]);
        assert_true(error[2] < 0.97 * error[1]);
    }
}

int cli_solvers_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_ONE_CORE(cg_stops_before_noise),
        CLI_ONE_CORE(slow_solvers_stop_before_noise),
        CLI_TEST(division_changes_no_number_of_iterations),
        CLI_ONE_CORE(slices_stop_by_themselves),
        CLI_ONE_CORE(weights_help_where_photons_are_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
