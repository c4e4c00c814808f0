/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, phase retrieval: slices do not depend on how they are shared, what is refused, plan and info. */
#include "cli.h"
#include "testing_hdf5.h"

#include <math.h>

enum { SIZE = 48, SLICES = 64, PIXELS = SIZE * SIZE };

/* A range of 1.4 pixels, so that a row needs 29 to each side. */
#define PHASE "--phase-method paganin --delta-beta 100 --energy 20 --propagation-distance 4 --pixel-size 1"

static void make_scan(const char *directory)
{
    cli_works(directory, "phantom -o scan.h5 --overwrite --size %d --angles 400 --slices %d", SIZE, SLICES);
}

/* Reconstructs slices first … first + count − 1 with these words. */
static float *reconstruct(const char *directory, const char *words, int first, int count)
{
    cli_works(directory,
              "recon scan.h5 -o v.h5 --overwrite --pictures no --rotation-axis 23.5 --algorithm fbp --projector pixels "
              "--start-row %d "
              "--end-row %d --remove-stripe-method none %s",
              first, first + count, words);
    return cli_read_volume(directory, "v.h5", count, SIZE);
}

static double roughness(const float *slice)
{
    double sum = 0;
    for (int i = 1; i < PIXELS; i++) sum += fabs((double)(slice[i] - slice[i - 1]));
    return sum;
}

/* The least memory that a run may have. */
static int least_memory_mib(const char *directory)
{
    CliRun run = {.directory = directory};
    cli_start(&run,
              "recon scan.h5 -o v.h5 --overwrite --rotation-axis 23.5 --algorithm fbp --projector pixels --minibatch 2 "
              "--workers 1 "
              "--memory 1MiB " PHASE);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    const double mib = cli_number_after(run.err, "allowed: --memory ", NULL);
    cli_free(&run);
    return (int)mib;
}

/* To the bit: other slabs, and rows that are left out; but for the kernels of panels, other minibatches. */
static void slices_do_not_depend_on_others(void **state)
{
    static const char *const ways[] = {PHASE " --minibatch 1", PHASE " --minibatch 4 --workers 1",
                                       PHASE " --minibatch 16", PHASE " --minibatch 3"};
    make_scan(*state);
    float *plain = reconstruct(*state, "--pixel-size 1", 0, SLICES);
    float *all = reconstruct(*state, PHASE, 0, SLICES);
    assert_true(roughness(all + 20 * PIXELS) < 0.7 * roughness(plain + 20 * PIXELS));
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        float *other = reconstruct(*state, ways[i], 0, SLICES);
        double worst = 0, most = 0;
        for (int j = 0; j < SLICES * PIXELS; j++) {
            worst = fmax(worst, fabs((double)(other[j] - all[j])));
            most = fmax(most, fabs((double)all[j]));
        }
        if (worst > 1e-6 * most) fail_msg("%s: %g of %g", ways[i], worst, most); /* kernels of other panels */
        free(other);
    }
    float *part = reconstruct(*state, PHASE " --minibatch 1", 12, 3), *one = reconstruct(*state, ways[0], 0, SLICES);
    assert_true(testing_same_bytes(part, one + 12 * PIXELS, 3 * PIXELS * sizeof *part));
    char words[300];
    float *two = reconstruct(*state, PHASE " --minibatch 2 --workers 1", 0, SLICES);
    snprintf(words, sizeof words, PHASE " --minibatch 2 --workers 1 --memory %dMiB", least_memory_mib(*state));
    float *slabs = reconstruct(*state, words, 0, SLICES);
    assert_true(testing_same_bytes(two, slabs, SLICES * PIXELS * sizeof *two));
    free(plain);
    free(all);
    free(part);
    free(one);
    free(two);
    free(slabs);
}

/* Columns that are left out do not change those that are used. */
static void crops_use_the_whole_detector(void **state)
{
    make_scan(*state);
    cli_works(*state,
              "recon scan.h5 -o a.h5 --overwrite --pictures no --rotation-axis 23.5 --algorithm cg --iterations "
              "1 --start-row 20 --end-row 21 --start-column 10 --end-column 40 " PHASE);
    cli_works(*state,
              "recon scan.h5 -o c.h5 --overwrite --pictures no --rotation-axis 23.5 --algorithm cg --iterations "
              "1 --start-row 18 --end-row 22 --binning 2 --start-column 10 " PHASE);
    free(cli_read_volume(*state, "a.h5", 1, 30));
    free(cli_read_volume(*state, "c.h5", 2, 19));
}

static void info_and_plan_know_it(void **state)
{
    CliRun run = {.directory = *state};
    make_scan(*state);
    cli_start(&run, "info scan.h5 " PHASE);
    cli_wait(&run);
    assert_int_equal(run.exit_code, cli_code_of_info(run.out));
    assert_non_null(strstr(run.out, "Paganin's phase retrieval over 1.4 pixels, -ln)"));
    cli_free(&run);
    cli_start(&run, "info scan.h5 --phase-method bronnikov --material SiO2 --density 2.2 --attenuation 5.6 --energy 20 "
                    "--propagation-distance 4 --pixel-size 1");
    cli_wait(&run);
    assert_int_equal(run.exit_code, cli_code_of_info(run.out));
    assert_non_null(strstr(run.out, "Bronnikov's phase retrieval over 2.85 pixels, -ln)")); /* delta/beta 414 */
    cli_free(&run);
    double bytes[2];
    for (int i = 0; i < 2; i++) {
        run = (CliRun){.directory = *state};
        cli_start(&run, "plan scan.h5 --json --workers 2 %s", i ? PHASE : "");
        cli_wait(&run);
        assert_int_equal(run.exit_code, 0);
        bytes[i] = cli_number_after(run.out, "\"stages\": ", NULL);
        cli_free(&run);
    }
    assert_true(bytes[1] - bytes[0] > 2 * 4.0 * (SIZE + 2 * 29) * (1 + 2 * 29)); /* spectra, on each worker */
}

static void what_does_not_fit_is_refused(void **state)
{
    make_scan(*state);
    cli_refuses(*state, "phase-method | --energy | --propagation-distance | --pixel-size | --material",
                "recon scan.h5 -o v.h5 --phase-method paganin --delta-beta 100");
    cli_refuses(*state, "energy | 20 | phase-method | none | paganin", "recon scan.h5 -o v.h5 --energy 20");
    cli_refuses(*state, "phase-method | paganin | line integrals | --data counts",
                "recon scan.h5 -o v.h5 --data line-integrals " PHASE);
    cli_refuses(*state, "--delta-beta | '0' | 0 | 1000000000", "recon scan.h5 -o v.h5 --delta-beta 0");
    cli_refuses(*state, "phase-method | 702.4 pixels | delta-beta 1000 | 400 pixels",
                "recon scan.h5 -o v.h5 --phase-method paganin --delta-beta 1000 --energy 20 --propagation-distance "
                "100000 --pixel-size 1");
    cli_refuses(*state, "--phase-method | 'farago' | none | ctf", "recon scan.h5 -o v.h5 --phase-method farago");
    cli_refuses(*state, "phase-method | ctf | 50 mm | 30.81 mm",
                "recon scan.h5 -o v.h5 --phase-method ctf --delta-beta 100 --energy 20 --propagation-distance 50 "
                "--pixel-size 1");
    cli_refuses(*state, "material | 'water' | phase-method | none | paganin", "recon scan.h5 -o v.h5 --material water");
    cli_refuses(*state, "material | 'SiO2' | --attenuation | --density | --attenuation",
                "recon scan.h5 -o v.h5 --phase-method paganin --material SiO2 --density 2.2 --energy 20 "
                "--propagation-distance 4 --pixel-size 1");
    cli_refuses(*state, "delta-beta | 100 | material | --delta-beta | --density",
                "recon scan.h5 -o v.h5 --material SiO2 " PHASE);
    cli_refuses(*state, "material | 'water' | CaCO3 | Fe0.7Ni0.3",
                "recon scan.h5 -o v.h5 --phase-method paganin --material water --density 1 --attenuation 1 --energy 20 "
                "--propagation-distance 4 --pixel-size 1");
}

int cli_phase_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(slices_do_not_depend_on_others),
        CLI_TEST(crops_use_the_whole_detector),
        CLI_TEST(info_and_plan_know_it),
        CLI_TEST(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
