/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, slurm: the batch script of a plan asks for what was planned, and runs. */
#include "cli.h"

#include <math.h>
#include <sys/wait.h>

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

/* What bash says of a line in the directory, with an srun that runs a rank. */
static int bash(const char *directory, const char *line)
{
    static const char srun[] =
        "mkdir -p bin && printf '#!/bin/bash\nwhile [[ $1 = --* ]]; do shift; done\nexec \"$@\"\n' >bin/srun && chmod "
        "+x bin/*";
    char command[2 * TESTING_PATH + 800];
    snprintf(command, sizeof command,
             "cd '%s' && %s && program=$(readlink -f \"$SINODAG\") && export PATH=\"$PWD/bin:${program%%/*}:$PATH\" && "
             "%s",
             directory, srun, line);
    return system(command); // NOLINT(cert-env33-c): the test of a script needs a shell
}

static void many_ranks(void **state)
{
    char *script = script_of(*state, "--columns 512 --angles 400 --slices 64 --memory 3GiB --workers 6 --ranks 4 "
                                     "--iterations 12 --precision mixed");
    assert_has(script, "#!/bin/bash\n");
    assert_has(script,
               "\n#SBATCH --nodes=4\n#SBATCH --ntasks=4\n#SBATCH --ntasks-per-node=1\n#SBATCH --cpus-per-task=6\n"
               "#SBATCH --hint=nomultithread\n#SBATCH --mem=4G\n#SBATCH --time=00:15:00\n");
    assert_has(
        script,
        "\nsrun --mpi=pmix --cpu-bind=none --cpus-per-task=6 sinodag recon \"$scan\" --out \"$volume\" "
        "--resume --device cpu --iterations=12 --precision=mixed --memory=3221225472 --workers=6 || status=$?\n");
    assert_null(strstr(script, "--gpus"));
    assert_null(strstr(script, "--exclusive"));
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
    assert_has(script, "\nsrun --cpu-bind=none --cpus-per-task=");
    assert_has(script, " sinodag recon \"$scan\" --out \"$volume\" --resume --device cpu --memory 1GiB --workers ");
    free(script);
    assert_int_equal(bash(at, "bash job.sh 2>said"), 0);
    float *volume = cli_read_volume(at, "volume.h5", 3, 32);
    free(volume);
}

/* A node of the machine: its GPUs, and a core for each beside those that compute. */
static void gpus(void **state)
{
    static const char sizes[] = "--columns 512 --angles 400 --slices 64 --algorithm cg --machine h100x8";
    char words[200];
    char *script = script_of(*state, sizes);
    assert_has(script, "\n#SBATCH --cpus-per-task=112\n#SBATCH --hint=nomultithread\n#SBATCH --exclusive\n"
                       "#SBATCH --gpus-per-node=8\n");
    assert_has(script, "--device cuda --memory ");
    assert_has(script, " --workers 104 ");
    free(script);
    snprintf(words, sizeof words, "%s --workers 24 --ranks 2", sizes);
    script = script_of(*state, words);
    assert_has(script, "\n#SBATCH --cpus-per-task=32\n");
    assert_has(script, " --workers=24 ");
    assert_null(strstr(script, "--exclusive"));
    free(script);
}

static void cones(void **state)
{
    static const char *const words[] = {"cone.h5 --geometry cone --workers 1",
                                        "cone.h5 --geometry cone --algorithm sirt --iterations 2 --workers 1"};
    const char *const at = *state;
    cli_works(at, "phantom -o cone.h5 --geometry cone --size 16 --angles 12");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        free(script_of(at, words[i]));
        assert_int_equal(bash(at, "bash job.sh 2>said && rm volume*"), 0);
    }
    char *script = script_of(at, "--geometry cone --columns 64 --angles 64 --slices 192 --ranks 3 --ranks-per-node 2 "
                                 "--workers 4 --memory 2GiB");
    assert_has(script,
               "\n#SBATCH --nodes=2\n#SBATCH --ntasks=3\n#SBATCH --ntasks-per-node=2\n#SBATCH --cpus-per-task=4\n");
    assert_has(script, "\n#SBATCH --mem=5G\n");
    free(script);
}

/* A run that SIGTERM ended: scontrol requeues the job if the run has stored slices. The run is a script of the test. */
static void signals(void **state)
{
    static const char job[] =
        "printf '#!/bin/bash\\n%s\\n' >bin/sinodag && printf '#!/bin/bash\\necho \"$@\" >>requeued\\n' "
        ">bin/scontrol && chmod +x bin/* && SLURM_JOB_ID=7 bash job.sh";
    static const struct {
        const char *run;
        int exit_code;
        bool requeued;
    } rows[] = {{"echo slices >>volume.h5.journal; exit 143", 143, true},
                {"echo slices >>volume.h5.journal; exit 143", 143, true},
                {"exit 143", 143, false},
                {"echo slices >>volume.h5.journal; exit 1", 1, false},
                {"rm volume.h5.journal", 0, false}};
    const char *const at = *state;
    free(script_of(at, "--columns 32 --angles 20 --slices 3 --workers 1 --algorithm cg"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[400];
        snprintf(line, sizeof line, job, rows[i].run);
        assert_int_equal(WEXITSTATUS(bash(at, line)), rows[i].exit_code);
        assert_int_equal(bash(at, "grep -qx 'requeue 7' requeued") == 0, rows[i].requeued);
        (void)bash(at, "rm -f requeued");
    }
}

static void refusals(void **state)
{
    cli_refuses(*state, "--slurm | FDK on devices | without --machine abci",
                "plan --slurm --geometry cone --columns 64 --angles 64 --slices 64 --machine abci");
    cli_refuses(*state, "--slurm | --json | one of them", "plan --slurm --json --columns 64 --angles 64 --slices 64");
}

int cli_slurm_tests(void)
{
    const struct CMUnitTest tests[] = {CLI_TEST(many_ranks), CLI_TEST(one_rank), CLI_TEST(gpus),
                                       CLI_TEST(cones),      CLI_TEST(signals),  CLI_TEST(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
