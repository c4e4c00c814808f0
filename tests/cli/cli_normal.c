/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, the normal operator: when the plan chooses --projector toeplitz by itself, that it then gives what the
 * named one gives, and how good the slices are. */
#include "cli.h"

#include <math.h>
#include <signal.h>

enum { SIDE = 192, SLICES = 6 };

static const char quiet[] = "--overwrite --rotation-axis 95.5 --pictures no --report none";

/* The most memory in MiB in which ray lengths do not fit. Words begin with a blank. */
static int tight_mib(const char *directory, const char *words)
{
    CliRun run = {.directory = directory};
    cli_start(&run, "plan p.h5 --projector rays --memory 1MiB%s", words);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    const int allowed = (int)cli_number_after(run.err, "allowed: --memory ", NULL);
    cli_free(&run);
    return allowed - 3; /* the axis moves the least */
}

/* What `plan` prints of the scan p.h5; caller frees. */
static char *plan_of(const char *directory, const char *words, int mib)
{
    CliRun run = {.directory = directory};
    cli_start(&run, "plan p.h5 --memory %dMiB%s", mib, words);
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("%s, %d MiB: %s", words, mib, run.err);
    char *said = strdup(run.out);
    cli_free(&run);
    return said;
}

static void expect_projector(const char *directory, const char *words, int mib, const char *begin)
{
    char *said = plan_of(directory, words, mib), line[200];
    snprintf(line, sizeof line, "\nprojector    %s", begin);
    if (!strstr(said, line)) fail_msg("%s, %d MiB: expected '%s' in '%s'", words, mib, line, said);
    free(said);
}

static void assert_same_volumes(const char *directory, const char *one, const char *other)
{
    float *a = cli_read_volume(directory, one, SLICES, SIDE), *b = cli_read_volume(directory, other, SLICES, SIDE);
    assert_memory_equal(a, b, (size_t)SLICES * SIDE * SIDE * sizeof *a);
    free(a);
    free(b);
}

/* Chosen where ray lengths do not fit memory, and told with its reason, what else there is and the costs of each. */
static void chosen_where_lengths_do_not_fit(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o p.h5 --size %d --angles 200 --slices %d --noise 0.01", SIDE, SLICES);
    const int mib = tight_mib(at, "");
    expect_projector(at, "", mib, "toeplitz, about ");
    char *said = plan_of(at, "", mib);
    assert_non_null(strstr(said, " of work, because ray lengths do not fit memory and rotate would take "));
    assert_non_null(strstr(said, "; rays have no weights then, and values without one are interpolated (--projector "
                                 "rotate: that)\ncosts        rotate "));
    free(said);
    said = plan_of(at, "", 4096); /* small enough: what each takes is told, and rays are kept */
    assert_non_null(strstr(said, "\nprojector    rays\ncosts        rays "));
    assert_non_null(strstr(said, ", toeplitz "));
    free(said);
    said = plan_of(at, " --json", 4096);
    const double rays_s = cli_number_after(strstr(said, "\"rays\": {"), "\"work_seconds\": ", NULL);
    const double bytes = cli_number_after(strstr(said, "\"toeplitz\": {"), "\"memory_bytes\": ", NULL);
    assert_true(rays_s > 0 && bytes < 4096 * 0x1p20);
    free(said);
}

/* What only ray lengths have keeps them, or computes them in every product. */
static void not_chosen_where_it_gives_something_else(void **state)
{
    static const char *const words[] = {" --weights counts",     " --iterations 3", " --subsets 4",
                                        " --prior-dimensions 3", " --margin 2",     " --algorithm cg --mask mask.npy",
                                        " --algorithm sirt"};
    const char *const at = *state;
    static unsigned char mask[SIDE * SIDE];
    memset(mask, 1, sizeof mask);
    cli_write_npy(at, "mask.npy", "|u1", "(192, 192)", mask, sizeof mask);
    cli_works(at, "phantom -o p.h5 --size %d --angles 200 --slices %d --noise 0.01", SIDE, SLICES);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char *said = plan_of(at, words[i], tight_mib(at, words[i]));
        if (!strstr(said, "\nprojector    lines") && !strstr(said, "\nprojector    rays")) fail_msg("%s", said);
        free(said);
    }
}

/* A block that lets a fortieth of the light through, and one that reaches beyond the detector. */
static uint16_t dense(uint64_t angle, uint64_t row, uint64_t column)
{
    (void)angle, (void)row;
    return column > 60 && column < 130 ? 25 : 1000;
}

static uint16_t wide(uint64_t angle, uint64_t row, uint64_t column)
{
    (void)angle, (void)row, (void)column;
    return 500;
}

static uint16_t even(uint64_t angle, uint64_t row, uint64_t column)
{
    (void)angle, (void)row;
    return column > 60 && column < 130 ? 500 : 1000;
}

/* The values of the scan may speak against it. */
static void scans_speak_against_it(void **state)
{
    static const struct {
        uint16_t (*count)(uint64_t angle, uint64_t row, uint64_t column);
        const char *words, *begin;
    } each[] = {{even, "", "toeplitz, "},
                {dense, "", "lines, "},
                {dense, " --weights none", "toeplitz, "},
                {dense, " --algorithm cg", "toeplitz, "},
                {wide, " --margin 0", "lines, "},
                {wide, " --margin 0 --air 2", "toeplitz, "}};
    CliScan scan = cli_scan;
    scan.angles = 200;
    scan.theta_count = 0; /* from 0 to 180 degrees */
    scan.columns = SIDE;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        scan.count = each[i].count;
        cli_write_scan(*state, "p.h5", &scan);
        expect_projector(*state, each[i].words, tight_mib(*state, each[i].words), each[i].begin);
    }
}

/* To the bit, also in a run that was killed and resumed with more memory. */
static void chosen_gives_what_named_gives(void **state)
{
    const char *const at = *state;
    static const char *const words[] = {"", " --algorithm cg --iterations 12"};
    static const char *const names[] = {" --algorithm fista", " --algorithm cg --iterations 12"};
    cli_works(at, "phantom -o p.h5 --size %d --angles 200 --slices %d --noise 0.01", SIDE, SLICES);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        CliRun run = {.directory = at};
        cli_start(&run, "recon p.h5 -o v.h5 %s --memory %dMiB%s", quiet, tight_mib(at, words[i]), words[i]);
        cli_wait(&run);
        assert_int_equal(run.exit_code, 0);
        assert_non_null(strstr(run.err, "sinodag: projector: toeplitz, about "));
        cli_free(&run);
        cli_works(at, "recon p.h5 -o named.h5 %s --projector toeplitz%s", quiet, names[i]);
        assert_same_volumes(at, "v.h5", "named.h5");
    }
    CliRun run = {.directory = at};
    cli_works(at, "recon p.h5 -o named.h5 %s --projector toeplitz --algorithm fista --regularization 0.3", quiet);
    cli_start(&run, "recon p.h5 -o half.h5 %s --regularization 0.3 --workers 1 --memory %dMiB", quiet,
              tight_mib(at, " --workers 1") - 5);
    const bool stored = cli_await_size(&run, "half.h5.journal", 2000);
    kill(run.pid, SIGKILL); /* it may just have ended */
    cli_wait(&run);
    const bool unfinished = stored && cli_exists(at, "half.h5.journal");
    cli_free(&run);
    cli_start(&run, "recon p.h5 -o half.h5 %s --regularization 0.3 --workers 1 --memory 4GiB%s", quiet,
              unfinished ? " --resume" : " --projector toeplitz --algorithm fista");
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("%s", run.err);
    cli_free(&run);
    assert_same_volumes(at, "half.h5", "named.h5");
}

/* The strength that is found is near the best one, and the slice as near to the truth as that of the lengths of rays.
 */
static void strength_is_found(void **state)
{
    enum { SMALL = 128 };
    static const char line[] = "recon p.h5 -o v.h5 --overwrite --rotation-axis 63.5 --pictures no --report none";
    static const char by[] = "--algorithm fista --projector toeplitz";
    const char *const at = *state;
    char words[200];
    cli_works(at, "phantom -o p.h5 --size %d --angles 90 --slices 1 --noise 0.02 --truth t.h5", SMALL);
    cli_works(at, "%s", line);
    const double rays = cli_error(at, "v.h5", SMALL);
    snprintf(words, sizeof words, "%s %s", line, by);
    char *said = cli_output_of(at, words);
    const double strength = cli_number_after(said, "regularization: ", NULL), found = cli_error(at, "v.h5", SMALL);
    free(said);
    double best = found;
    for (int power = -2; power <= 2; power++) {
        cli_works(at, "%s %s --regularization %g", line, by, exp2(power) * strength);
        best = fmin(best, cli_error(at, "v.h5", SMALL));
    }
    print_message("error %.4f at %g, the best %.4f; by rays %.4f\n", found, strength, best, rays);
    assert_true(found <= 1.4 * best && found <= 1.1 * rays);
}

int cli_normal_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(chosen_where_lengths_do_not_fit),
        CLI_TEST(not_chosen_where_it_gives_something_else),
        CLI_TEST(scans_speak_against_it),
        CLI_TEST(chosen_gives_what_named_gives),
        CLI_TEST(strength_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
