/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, slurm: the batch script of a plan asks for what was planned, and runs. */
#include "cli.h"

#include <math.h>

static char *script_of(const char *directory, const char *words)
{
    CliRun run = {.directory = directory};
    cli_start(&run, "plan --slurm %s", words);
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("plan --slurm %s: %s", words, run.err);
    char *script = strdup(run.out);
    cli_free(&run);
    cli_write_text(directory, "job.sh", script);
    return script;
}

static void assert_has(const char *script, const char *text)
{
    if (!strstr(script, text)) fail_msg("'%s' is not in %s", text, script);
}

/* What bash says of a line in the directory. */
static int bash(const char *directory, const char *line)
{
    char command[2 * TESTING_PATH + 200];
    snprintf(command, sizeof command,
             "cd '%s' && program=$(readlink -f \"$SINODAG\") && export PATH=\"${program%%/*}:$PATH\" && %s", directory,
             line);
    return system(command); // NOLINT(cert-env33-c): the test of a script needs a shell
}

static void many_ranks(void **state)
{
    char *script = script_of(*state, "--columns 512 --angles 400 --slices 64 --memory 3GiB --workers 6 --ranks 4 "
                                     "--iterations 12 --precision mixed");
    assert_has(script, "#!/bin/bash\n");
    assert_has(script, "\n#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=1\n#SBATCH --cpus-per-task=6\n#SBATCH --mem=4G\n"
                       "#SBATCH --time=00:15:00\n");
    assert_has(script, "\nsrun --mpi=pmix --cpu-bind=none sinodag recon \"$scan\" --out \"$volume\" --resume "
                       "--iterations=12 --precision=mixed --memory=3221225472 --workers=6\n");
    assert_null(strstr(script, "--columns"));
    free(script);
    /* The time is at least three times that of the plan. */
    script = script_of(*state, "--columns 2048 --angles 1500 --slices 2048 --memory 16GiB --workers 2");
    const double seconds = cli_number_after(script, "Planned: ", NULL);
    const double hours = cli_number_after(script, "#SBATCH --time=", NULL);
    assert_true(seconds > 3600 && hours >= floor(3 * seconds / 3600) && hours <= ceil(3 * seconds / 3600 + 0.3));
    free(script);
}

/* The script of one rank is run, with a name that the shell must not take apart. */
static void one_rank(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o it's_a_scan.h5 --size 32 --angles 20 --slices 3");
    char *script = script_of(at, "it's_a_scan.h5 --algorithm fbp");
    assert_has(script, "\nscan='it'\\''s_a_scan.h5'\n");
    assert_has(script, "\nsinodag recon \"$scan\" --out \"$volume\" --resume --memory 1GiB --workers ");
    assert_null(strstr(script, "srun"));
    free(script);
    assert_int_equal(bash(at, "bash job.sh 2>said"), 0);
    float *volume = cli_read_volume(at, "volume.h5", 3, 32);
    free(volume);
}

static void refusals(void **state)
{
    cli_refuses(*state, "--slurm | --geometry cone | --geometry parallel",
                "plan --slurm --geometry cone --columns 64 --angles 64 --slices 64");
    cli_refuses(*state, "--slurm | --json | one of them", "plan --slurm --json --columns 64 --angles 64 --slices 64");
}

int cli_slurm_tests(void)
{
    const struct CMUnitTest tests[] = {CLI_TEST(many_ranks), CLI_TEST(one_rank), CLI_TEST(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
