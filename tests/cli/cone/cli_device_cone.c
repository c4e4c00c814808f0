/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, cone beams on devices (cli_devices.h): the volume is that of cores. */
#include "cli_devices.h"

enum { SIZE = 48, SLICES = 5 };

/* The volume of scan.h5. */
static float *volume_of(const char *directory, const char *environment, const char *device, const char *words,
                        CliRun *run)
{
    return cli_device_volume(directory, SLICES, SIZE, environment, device, words, run);
}

/* The volume of a cone beam; on devices alone, all that has a kernel for them runs there. */
static void assert_cone_agrees(const char *directory, const char *device, const char *words, double within)
{
    static const char *const on_cuda[] = {"correct", "weigh", "filter", "lines", "assemble_cone"};
    CliRun cpu, other;
    float *expected = volume_of(directory, NULL, "cpu", words, &cpu);
    float *found = volume_of(directory, NULL, device, words, &other);
    const double off = cli_difference((int64_t)SLICES * SIZE * SIZE, found, expected);
    print_message("%s %s: %.2g\n", device, words, off);
    assert_true(off <= within);
    assert_true(cli_device_tasks_on(&other, "backproject_cone", cli_device_kind()->place) > 0);
    if (strcmp(device, cli_device_kind()->device) == 0)
        assert_int_equal(cli_device_tasks_on(&other, "backproject_cone", "   "), 0);
    for (size_t i = 0; cli_device_is_cuda() && strcmp(device, "cuda") == 0 && i < sizeof on_cuda / sizeof *on_cuda; i++)
        if (cli_device_tasks_on(&other, on_cuda[i], "   ") > 0) fail_msg("%s ran on cores:\n%s", on_cuda[i], other.err);
    free(expected);
    free(found);
    cli_free(&cpu);
    cli_free(&other);
}

static void cone_beams(void **state)
{
    cli_works(*state, "phantom -o scan.h5 --geometry cone --size 48 --angles 36 --slices 5");
    assert_cone_agrees(*state, cli_device_kind()->device, "--geometry cone --algorithm fdk --precision single", 1e-6);
    assert_cone_agrees(*state, cli_device_kind()->device, "--geometry cone --algorithm fdk --precision mixed", 3e-4);
    assert_cone_agrees(*state, cli_device_kind()->device,
                       "--geometry cone --algorithm fdk --precision single --symmetry no", 1e-6);
    assert_cone_agrees(*state, cli_device_kind()->with_cores,
                       "--geometry cone --algorithm fdk --precision mixed --symmetry no", 3e-4);
}

/* A device with little memory gets smaller parts, and makes the same bits; with too little it is refused, with sizes.
 */
static void parts_of_cone_beams_fit_devices(void **state)
{
    enum { LARGE = 128 };
    static const char words[] = "--geometry cone --algorithm fdk --precision single";
    CliRun all, little;
    if (cli_device_is_cuda()) skip(); /* StarPU takes memory of GPUs in pieces of 32 MiB */
    cli_works(*state, "phantom -o scan.h5 --geometry cone --size 128 --angles 40 --slices 128");
    float *expected = cli_device_volume(*state, LARGE, LARGE, NULL, cli_device_kind()->device, words, &all);
    float *found =
        cli_device_volume(*state, LARGE, LARGE, "STARPU_LIMIT_OPENCL_MEM=9", cli_device_kind()->device, words, &little);
    assert_true(cli_difference((int64_t)LARGE * LARGE * LARGE, found, expected) == 0);
    const int64_t few = cli_device_tasks_on(&all, "backproject_cone", cli_device_kind()->place);
    assert_true(few > 0 && cli_device_tasks_on(&little, "backproject_cone", cli_device_kind()->place) > few);
    assert_int_equal(cli_device_tasks_on(&little, "backproject_cone", "   "), 0);
    cli_free(&little);
    CliRun none = {.directory = *state, .environment = "STARPU_LIMIT_OPENCL_MEM=1"};
    cli_start(&none, "recon scan.h5 -o out.h5 --overwrite --rotation-axis 63.5 --device %s %s",
              cli_device_kind()->device, words);
    cli_wait(&none);
    cli_assert_ended(&none, 2, "1.00 MiB | 2.03 MiB | a block of lines 1.00 MiB | --device cpu | --volume");
    free(expected);
    free(found);
    cli_free(&all);
}

/* A GPU that is the only device runs the priors of a volume. */
static void priors_of_cone_beams(void **state)
{
    static const char *const prior[] = {"total-variation", "qggmrf"}, *const name[] = {"band_dual", "band_prior"};
    char one[32];
    if (!cli_device_is_cuda()) skip();
    snprintf(one, sizeof one, "%s=1", cli_device_kind()->one_device);
    cli_works(*state, "phantom -o scan.h5 --geometry cone --size 48 --angles 36 --slices 5");
    for (int i = 0; i < 2; i++) {
        char words[128];
        CliRun cpu, other;
        snprintf(words, sizeof words,
                 "--geometry cone --iterations 3 --algorithm fista --regularization 0.2 --prior %s", prior[i]);
        float *expected = volume_of(*state, NULL, "cpu", words, &cpu);
        float *found = volume_of(*state, one, cli_device_kind()->device, words, &other);
        assert_true(cli_difference((int64_t)SLICES * SIZE * SIZE, found, expected) < 1e-5);
        assert_true(cli_device_tasks_on(&other, name[i], cli_device_kind()->place) > 0 &&
                    cli_device_tasks_on(&other, name[i], "   ") == 0);
        free(expected);
        free(found);
        cli_free(&cpu);
        cli_free(&other);
    }
}

/* Vectors on devices; products on GPUs, or else on cores, which write one vector of rays together. */
static void iterative_cone_beams(void **state)
{
    static const char *const algorithm[] = {"cg", "osem --subsets 4"}, *const vectors[] = {"cg", "mlem"};
    cli_works(*state, "phantom -o scan.h5 --geometry cone --size 48 --angles 36 --slices 5");
    for (int i = 0; i < 2; i++) {
        char words[80], update[32];
        CliRun cpu, other;
        snprintf(words, sizeof words, "--geometry cone --iterations 3 --algorithm %s", algorithm[i]);
        snprintf(update, sizeof update, "update_voxels_%s", vectors[i]);
        float *expected = volume_of(*state, NULL, "cpu", words, &cpu);
        float *found = volume_of(*state, NULL, cli_device_kind()->device, words, &other);
        assert_true(cli_difference((int64_t)SLICES * SIZE * SIZE, found, expected) < 1e-5);
        assert_true(cli_device_tasks_on(&other, update, cli_device_kind()->place) > 0 &&
                    cli_device_tasks_on(&other, update, "   ") == 0);
        const char *place = cli_device_is_cuda() ? cli_device_kind()->place : "   ";
        assert_true(cli_device_tasks_on(&other, "project_cone", place) > 0 &&
                    cli_device_tasks_on(&other, "project_cone_back", place) > 0);
        free(expected);
        free(found);
        cli_free(&cpu);
        cli_free(&other);
    }
}

/* Cores backproject them, as the log tells where GPUs would. */
static void helices_of_fdk_run_on_cores(void **state)
{
    enum { SIDE = 32, VOXELS = SIDE * SIDE * SIDE };
    static const char words[] = "--vectors orbit:source=17.0666666666666667,detector=25.6,pixel=0.2,turns=4,pitch=1.6";
    const char *const device[] = {"cpu", cli_device_kind()->device};
    float *volume[2];
    cli_works(*state, "phantom -o helix.h5 %s --size %d --slices %d --angles 80", words, SIDE, SIDE);
    for (int i = 0; i < 2; i++) {
        CliRun run = {.directory = *state};
        cli_start(&run,
                  "recon helix.h5 -o out.h5 --overwrite --pictures no --report none --algorithm fdk --profile --device "
                  "%s %s",
                  device[i], words);
        cli_wait(&run);
        if (run.exit_code != 0) fail_msg("%s", run.err);
        assert_true(cli_device_tasks_on(&run, "project_cone_back", "   ") > 0);
        assert_true((strstr(run.err, "GPUs know no helix") != NULL) == (i == 1 && cli_device_is_cuda()));
        volume[i] = cli_read_volume(*state, "out.h5", SIDE, SIDE);
        cli_free(&run);
    }
    assert_true(cli_difference(VOXELS, volume[1], volume[0]) < 1e-6);
    free(volume[0]);
    free(volume[1]);
}

int cli_device_cone_tests(void)
{
    const struct CMUnitTest tests[] = {CLI_TEST(cone_beams), CLI_TEST(parts_of_cone_beams_fit_devices),
                                       CLI_TEST(iterative_cone_beams), CLI_TEST(priors_of_cone_beams),
                                       CLI_TEST(helices_of_fdk_run_on_cores)};
    return cli_device_found() ? cmocka_run_group_tests(tests, NULL, NULL) : CLI_DEVICE_SKIPPED;
}
