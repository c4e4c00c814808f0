/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, --mask of parallel beams: voxels outside stay 0 whatever divides the work, the picture comes closer to
 * the truth, plan knows the memory, and what is no mask is refused. */
#include "cli.h"

#include <math.h>

enum { SIZE = 80, SLICES = 5, PIXELS = SIZE * SIZE, TRUE_SIZE = 128 };

#define RECON "recon p.h5 --overwrite --rotation-axis 39.5 --pictures no --report none "

static bool is_kept(int64_t i)
{
    const double x = (double)(i % SIZE) - 36, y = (double)(i / SIZE % SIZE) - 41;
    return hypot(x, y * 0.8) < 27 && fabs(x + y) > 1;
}

static void write_mask(const char *at)
{
    unsigned char mask[PIXELS];
    for (int i = 0; i < PIXELS; i++) mask[i] = is_kept(i);
    cli_write_npy(at, "mask.npy", "|b1", "(80, 80)", mask, sizeof mask);
}

/* With `margin`, voxels beyond the slice may have a value, which are not written. */
static void voxels_outside_stay_zero(void **state)
{
    const char *const at = *state;
    static const char *const solvers[] = {"fista --regularization 0.02",
                                          "fista --prior huber --regularization 0.02 --margin 6",
                                          "cg --iterations 8",
                                          "cg --iterations 8 --weights counts",
                                          "cg --iterations 8 --support-ratio 0.6",
                                          "sirt --iterations 10 --margin 5",
                                          "sirt --iterations 10 --weights counts",
                                          "sirt --iterations auto"};
    static const char *const divisions[] = {"--partitions 7 --minibatch 2", "--minibatch 5 --symmetry no",
                                            "--precision double"};
    cli_works(at, "phantom -o p.h5 --size %d --angles 45 --slices %d --noise 0.02", SIZE, SLICES);
    write_mask(at);
    for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
        int64_t within = 0;
        cli_works(at, RECON "-o one.h5 --partitions 1 --minibatch 1 --workers 1 --mask mask.npy --algorithm %s",
                  solvers[s]);
        float *one = cli_read_volume(at, "one.h5", SLICES, SIZE);
        for (int64_t i = 0; i < (int64_t)SLICES * PIXELS; i++) {
            assert_true(is_kept(i) || one[i] == 0);
            within += one[i] != 0;
        }
        assert_true(within > 1000);
        for (size_t d = 0; d < sizeof divisions / sizeof *divisions; d++) {
            cli_works(at, RECON "-o other.h5 --mask mask.npy %s --algorithm %s", divisions[d], solvers[s]);
            float *other = cli_read_volume(at, "other.h5", SLICES, SIZE);
            const double off = cli_difference((int64_t)SLICES * PIXELS, other, one);
            if (!(off <= 1e-4)) fail_msg("%s, %s: volumes differ by %g", solvers[s], divisions[d], off);
            free(other);
        }
        free(one);
    }
}

/* The object's outline, of any format of volumes, takes streaks and noise out of the air. */
static void outlines_help(void **state)
{
    const char *const at = *state;
    static const struct {
        const char *solver;
        double most; /* of the error without the mask */
    } cases[] = {{"cg --iterations 12", 0.75}, {"sirt --iterations 80", 0.75}, {"fista", 1}};
    cli_works(at, "phantom -o p.h5 --size %d --angles 30 --slices 1 --noise 0.01 --truth t.h5", TRUE_SIZE);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const char *const mask[] = {"", "--mask t.h5:/exchange/data"};
        double error[2];
        for (int m = 0; m < 2; m++) {
            cli_works(at,
                      "recon p.h5 -o v.h5 --overwrite --rotation-axis 63.5 --pictures no --report none --algorithm "
                      "%s %s",
                      cases[i].solver, mask[m]);
            error[m] = cli_error(at, "v.h5", TRUE_SIZE);
        }
        print_message("%s: %.2f %%, with the outline %.2f %%\n", cases[i].solver, 100 * error[0], 100 * error[1]);
        assert_true(error[1] <= cases[i].most * error[0]);
    }
}

/* The log of a run tells the memory of its plan, which counts the support. */
static void plans_know_masks(void **state)
{
    const char *const at = *state;
    static const char *const words[] = {"--algorithm cg", "--algorithm cg --support-ratio 0.9",
                                        "--algorithm cg --mask mask.npy", "--algorithm fista --mask mask.npy"};
    double total, weights[4];
    cli_works(at, "phantom -o p.h5 --size %d --angles 45 --slices %d", SIZE, SLICES);
    write_mask(at);
    for (int i = 0; i < 4; i++) {
        CliRun plan = {.directory = at};
        cli_start(&plan, "plan p.h5 --json %s", words[i]);
        cli_wait(&plan);
        assert_int_equal(plan.exit_code, 0);
        const char *bytes = strstr(plan.out, "\"memory_bytes\": {");
        total = cli_number_after(bytes, "\"total\": ", NULL);
        weights[i] = cli_number_after(bytes, "\"weights\": ", NULL);
        cli_free(&plan);
        char words_of_recon[160];
        snprintf(words_of_recon, sizeof words_of_recon, RECON "-o v.h5 --iterations 2 %s", words[i]);
        char *said = cli_output_of(at, words_of_recon);
        const double told = cli_number_after(said, ", memory: ", NULL);
        assert_true(fabs(told - total / 0x1p20) <= 0.006 * told);
        free(said);
    }
    assert_true(weights[0] == 0 && weights[1] >= PIXELS * sizeof(float) && weights[2] == weights[1]);
}

static void slices_of_a_try_have_it(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o p.h5 --size %d --angles 45 --slices %d", SIZE, SLICES);
    write_mask(at);
    cli_works(at, "recon p.h5 -o try --reconstruction-type try --rotation-axis 39.5 --algorithm cg --mask mask.npy "
                  "--sweep iterations=2,4");
    float *slice = cli_read_tiff(at, "try/iterations_2.tiff", SIZE);
    for (int64_t i = 0; i < PIXELS; i++) assert_true(is_kept(i) || slice[i] == 0);
    free(slice);
}

static void what_is_no_mask(void **state)
{
    const char *const at = *state;
    float values[PIXELS] = {0};
    cli_works(at, "phantom -o p.h5 --size %d --angles 9 --slices 1", SIZE);
    cli_write_npy(at, "zeros.npy", "<f4", "(80, 80)", values, sizeof values);
    cli_write_npy(at, "wide.npy", "<f4", "(64, 100)", values, sizeof values);
    cli_write_npy(at, "two.npy", "<f4", "(2, 40, 80)", values, sizeof values);
    cli_write_npy(at, "cut.npy", "<f4", "(80, 80)", values, sizeof values - 4);
    values[83] = NAN;
    cli_write_npy(at, "nan.npy", "<f4", "(80, 80)", values, sizeof values);
    cli_write_text(at, "mask.txt", "1 1 0\n");
    static const char *const refused[][2] = {
        {"zeros.npy", "zeros.npy | 0 everywhere | other than 0"},
        {"wide.npy", "--mask | wide.npy | 100 x 64 voxels | 1 of 80 x 80"},
        {"two.npy", "--mask | two.npy | 80 x 40 voxels | 1 of 80 x 80"},
        {"nan.npy", "nan.npy | voxel 3 of row 1 | nan | finite"},
        {"cut.npy", "cut.npy is cut: it has 25596 of the 25600 bytes of its values"},
        {"none.npy", "none.npy: No such file or directory"},
        {"mask.txt", "mask.txt | HDF5 | .npy | float32 | --volume"},
        {"p.h5:/exchange/theta", "p.h5 | /exchange/theta | 1 dimension | 3 | FILE:/DATASET"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        cli_refuses(at, refused[i][1], "recon p.h5 -o v.h5 --rotation-axis 39.5 --mask %s", refused[i][0]);
        assert_false(cli_exists(at, "v.h5"));
    }
    cli_refuses(at, "--mask | --algorithm mlem | --algorithm cg | fista",
                "recon p.h5 -o v.h5 --algorithm mlem --mask zeros.npy");
    cli_refuses(at, "--mask zeros.npy | --algorithm fdk | --algorithm cg, sirt or fista",
                "recon p.h5 -o v.h5 --geometry cone --mask zeros.npy");
    cli_refuses(at, "--mask zeros.npy | --projector toeplitz | --algorithm fista",
                "recon p.h5 -o v.h5 --projector toeplitz --mask zeros.npy");
    CliRun empty = {.directory = at};
    cli_start(&empty, "recon p.h5 -o v.h5 --algorithm cg --rotation-axis 39.5 --support-ratio 0.001");
    cli_wait(&empty);
    cli_assert_ended(&empty, 2, "no voxel lies within --support-ratio 0.001 | larger circle");
    assert_false(cli_exists(at, "v.h5"));
    cli_refuses(at, "--support-ratio 0.9 | --projector toeplitz | --algorithm fista",
                "recon p.h5 -o v.h5 --projector toeplitz --support-ratio 0.9");
}

int cli_mask_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(voxels_outside_stay_zero), CLI_ONE_CORE(outlines_help), CLI_TEST(plans_know_masks),
        CLI_TEST(slices_of_a_try_have_it),  CLI_TEST(what_is_no_mask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
