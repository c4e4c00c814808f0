/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, jobs: how launchers are recognised, and what ranks must have in common. Every refusal is one line,
 * comes within seconds, and leaves nothing behind. */
#include "cli.h"

#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <utime.h>

static const char scan[] = "phantom -o scan.h5 --size 32 --angles 20 --slices 4 --noise 0.01";
static const char recon[] = "--rotation-axis 15.5 --pictures no --report none";

/* Process r gets the words of the file "more<r>" as further arguments; its number is kept in the file "pid<r>". */
static void write_script(const char *directory)
{
    char path[TESTING_PATH];
    cli_write_text(directory, "as_rank",
                   "#!/bin/sh\nr=$OMPI_COMM_WORLD_RANK\necho $$ >\"pid$r\"\nexec \"$@\" $(cat \"more$r\")\n");
    assert_int_equal(chmod(testing_path(path, directory, "as_rank"), 0755), 0);
}

/* The only line of the program in its stderr, where mpirun may have warnings of its own. */
static const char *only_line(const CliRun *run)
{
    const char *line = strstr(run->err, "sinodag: ");
    if (!line || strstr(line + 1, "\nsinodag: ")) fail_msg("not one line:\n%s", run->err);
    return line;
}

static pid_t process_of_rank(const char *directory, const char *name)
{
    char path[TESTING_PATH], number[32];
    FILE *file = fopen(testing_path(path, directory, name), "r");
    assert_non_null(file);
    assert_non_null(fgets(number, sizeof number, file));
    fclose(file);
    const int64_t pid = strtoll(number, NULL, 10);
    assert_true(pid > 1);
    return (pid_t)pid;
}

/* Ranks with these further arguments: rank 0 with the first ones, the last rank with the last ones, and those between
 * with the first ones. */
static void start_ranks(const char *directory, int ranks, const char *first, const char *last, CliRun *run)
{
    char launcher[64];
    write_script(directory);
    for (int r = 0; r < ranks; r++) {
        char name[16];
        snprintf(name, sizeof name, "more%d", r);
        cli_write_text(directory, name, r == ranks - 1 ? last : first);
    }
    snprintf(launcher, sizeof launcher, "mpirun -q -n %d ./as_rank", ranks);
    *run = (CliRun){.directory = directory, .launcher = launcher};
    cli_start(run, "recon -o out.h5 %s", recon);
}

static void run_ranks(const char *directory, int ranks, const char *first, const char *last, CliRun *run)
{
    start_ranks(directory, ranks, first, last, run);
    cli_wait(run);
    assert_true(run->elapsed_s < 10);
}

/* All ranks end with 2, and the only line begins with "sinodag: MESSAGE". */
static void assert_ranks_refuse(const char *directory, int ranks, const char *first, const char *last,
                                const char *message)
{
    CliRun run;
    char expected[512];
    run_ranks(directory, ranks, first, last, &run);
    const int length = snprintf(expected, sizeof expected, "sinodag: %s", message);
    if (strncmp(only_line(&run), expected, (size_t)length) != 0) fail_msg("not \"%s\":\n%s", expected, run.err);
    assert_int_equal(run.exit_code, 2);
    cli_free(&run);
    assert_false(cli_exists(directory, "out.h5") || cli_exists(directory, "out.h5.partial"));
}

static void other_settings(void **state)
{
    cli_works(*state, scan);
    for (int ranks = 2; ranks <= 4; ranks += 2) {
        static const char differs[] = "sinodag: the ranks have different settings: ";
        char message[256];
        static const struct {
            const char *first, *last, *message;
        } pair[] = {
            {"scan.h5", "scan.h5 --iterations 4", "iterations is 15 on rank 0 and 4 on rank %d"},
            {"scan.h5 --algorithm cg", "scan.h5 --algorithm cg --grid 1x2",
             "grid is auto on rank 0 and 1x2 on rank %d"},
            {"scan.h5 --precision mixed", "scan.h5", "precision is mixed on rank 0 and single on rank %d"},
            {"scan.h5 --algorithm cg", "scan.h5 --algorithm fbp",
             "iterations is 30 on rank 0 and not given on rank %d"},
            {"scan.h5 --tolerance 0.1", "scan.h5 --partitions 3",
             "partitions is 0 on rank 0 and 3 on rank %d"}, /* among others */
            {"scan.h5", "--help", "help is no on rank 0 and yes on rank %d"},
        };
        for (size_t i = 0; i < (ranks == 2 ? sizeof pair / sizeof *pair : 2); i++) {
            CliRun run;
            snprintf(message, sizeof message, pair[i].message, ranks - 1);
            run_ranks(*state, ranks, pair[i].first, pair[i].last, &run);
            assert_int_equal(run.exit_code, 2);
            const char *line = only_line(&run);
            if (!strstr(line, message) || strncmp(line, differs, strlen(differs)) != 0)
                fail_msg("no \"%s\":\n%s", message, run.err);
            assert_false(cli_exists(*state, "out.h5") || cli_exists(*state, "out.h5.partial"));
            cli_free(&run);
        }
    }
}

/* Names of files, memory, workers and log may differ. */
static void settings_of_a_rank(void **state)
{
    CliRun run;
    cli_works(*state, scan);
    run_ranks(*state, 2, "scan.h5 --memory 1GiB", "./scan.h5 --memory 2GiB --log json --workers 1", &run);
    if (run.exit_code != 0) fail_msg("exit code %d\n%s", run.exit_code, run.err);
    cli_free(&run);
}

static void one_rank_cannot_read_its_settings(void **state)
{
    cli_works(*state, scan);
    const char *message = "--config: none.yaml: No such file or directory";
    assert_ranks_refuse(*state, 2, "scan.h5", "scan.h5 --config none.yaml", message);
    assert_ranks_refuse(*state, 2, "scan.h5 --config none.yaml", "scan.h5", message);
    assert_ranks_refuse(*state, 4, "scan.h5", "scan.h5 --config none.yaml", message);
    assert_ranks_refuse(*state, 4, "scan.h5 --config none.yaml", "scan.h5 --config none.yaml", message);
    assert_ranks_refuse(*state, 2, "scan.h5", "none.h5", "none.h5: No such file or directory");
}

/* The time of the last change, in seconds since 1970. */
static void set_time(const char *directory, const char *name, time_t time_s)
{
    char path[TESTING_PATH];
    assert_int_equal(utime(testing_path(path, directory, name), &(struct utimbuf){time_s, time_s}), 0);
}

static void change_byte(const char *directory, const char *name, long offset)
{
    char path[TESTING_PATH];
    FILE *file = fopen(testing_path(path, directory, name), "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, offset, SEEK_SET), 0);
    const int byte = fgetc(file);
    assert_int_equal(fseek(file, offset, SEEK_SET), 0);
    assert_int_equal(fputc(byte ^ 1, file), byte ^ 1);
    assert_int_equal(fclose(file), 0);
}

static void other_input(void **state)
{
    static const char differs[] = "the ranks have different input: ";
    char message[256];
    cli_works(*state, scan);
    cli_works(*state, "phantom -o wide.h5 --size 48 --angles 20 --slices 4 --noise 0.01");
    cli_works(*state, "phantom -o noisy.h5 --size 32 --angles 20 --slices 4 --noise 0.02");
    snprintf(message, sizeof message, "%sthe number of columns is 32 on rank 0 and 48 on rank 1, the checksum ",
             differs);
    assert_ranks_refuse(*state, 2, "scan.h5", "wide.h5", message);
    snprintf(message, sizeof message, "%sthe checksum of some values is ", differs);
    assert_ranks_refuse(*state, 4, "scan.h5", "noisy.h5", message);
    snprintf(message, sizeof message, "%sthe checksum of the angles is ", differs);
    assert_ranks_refuse(*state, 2, "scan.h5", "scan.h5 --theta 0:180:excluded", message);
}

static void copies_of_the_input(void **state)
{
    CliRun run;
    cli_works(*state, scan);
    char from[TESTING_PATH], to[TESTING_PATH];
    assert_int_equal(cli_tool("cp", testing_path(from, *state, "scan.h5"), testing_path(to, *state, "copy.h5")), 0);
    set_time(*state, "scan.h5", 1000000000);
    set_time(*state, "copy.h5", 1000000000);
    run_ranks(*state, 2, "scan.h5", "copy.h5", &run);
    if (run.exit_code != 0) fail_msg("exit code %d\n%s", run.exit_code, run.err);
    assert_null(strstr(run.err, "different times"));
    cli_free(&run);
    set_time(*state, "copy.h5", 1000000060);
    run_ranks(*state, 2, "scan.h5 --overwrite", "copy.h5 --overwrite", &run);
    if (run.exit_code != 0) fail_msg("exit code %d\n%s", run.exit_code, run.err);
    assert_true(cli_number_after(run.err, "the ranks have input files of different times (", NULL) == 60);
    cli_free(&run);
    assert_int_equal(remove(testing_path(from, *state, "out.h5")), 0);
    change_byte(*state, "copy.h5", (long)cli_file_size(*state, "copy.h5") / 2);
    assert_ranks_refuse(*state, 2, "scan.h5", "copy.h5", "the ranks have different input: the checksum of parts ");
}

/* Files of one name and size that each rank has in a folder of its own, of which one byte differs. */
static void refuse_another_byte(const char *directory, const char *name, const char *option, const char *words)
{
    CliRun run = {.directory = directory, .launcher = "mpirun -q -n 2 ./in_folder"};
    char other[64], expected[128];
    snprintf(other, sizeof other, "rank1/%s", name);
    change_byte(directory, other, (long)cli_file_size(directory, other) - 4);
    cli_start(&run, "recon -o ../out.h5 --pictures no --report none %s", words);
    cli_wait(&run);
    snprintf(expected, sizeof expected, "sinodag: the ranks have different input: the checksum of parts of %s is ",
             option);
    if (run.exit_code != 2 || !strstr(run.err, expected))
        fail_msg("%s: exit code %d, not \"%s\":\n%s", name, run.exit_code, expected, run.err);
    cli_free(&run);
    assert_false(cli_exists(directory, "out.h5") || cli_exists(directory, "out.h5.partial"));
    change_byte(directory, other, (long)cli_file_size(directory, other) - 4);
}

static void write_in_folder(const char *directory)
{
    char path[TESTING_PATH];
    cli_write_text(directory, "in_folder", "#!/bin/sh\ncd rank$OMPI_COMM_WORLD_RANK && exec \"$@\"\n");
    assert_int_equal(chmod(testing_path(path, directory, "in_folder"), 0755), 0);
    assert_int_equal(mkdir(testing_path(path, directory, "rank0"), 0755), 0);
}

static void copy_folder(const char *directory)
{
    char line[3 * TESTING_PATH];
    snprintf(line, sizeof line, "cp -rp '%s/rank0' '%s/rank1'", directory, directory);
    assert_int_equal(cli_tool("sh", "-c", line), 0);
}

static void other_files_of_a_scan(void **state)
{
    static float ones[4 * 32 * 32];
    const char *const at = *state, *const words = "scan.h5 --rotation-axis 15.5 --mask mask.npy --start start.npy "
                                                  "--weights weights.npy --algorithm fista";
    for (int i = 0; i < 4 * 32 * 32; i++) ones[i] = 1;
    write_in_folder(at);
    cli_works(at, "phantom -o rank0/scan.h5 --size 32 --angles 20 --slices 4 --noise 0.01");
    cli_write_npy(at, "rank0/mask.npy", "<f4", "(32, 32)", ones, 32 * 32 * 4);
    cli_write_npy(at, "rank0/start.npy", "<f4", "(4, 32, 32)", ones, 4 * 32 * 32 * 4);
    cli_write_npy(at, "rank0/weights.npy", "<f4", "(20, 32)", ones, 20 * 32 * 4);
    copy_folder(at);
    refuse_another_byte(at, "mask.npy", "--mask", words);
    refuse_another_byte(at, "start.npy", "--start", words);
    refuse_another_byte(at, "weights.npy", "--weights", words);
}

static void other_files_of_a_matrix(void **state)
{
    const char *const at = *state, *const words =
                                       "ring.counts --system-matrix ring.csr4 --additive ring.additive:float32 "
                                       "--iterations 2 --multiplicative ring.additive:float32";
    write_in_folder(at);
    cli_works(at, "phantom --geometry pet --crystals 24x4x2 -o rank0/ring.csr4 --background 0.2");
    copy_folder(at);
    refuse_another_byte(at, "ring.counts", "the input", words);
    refuse_another_byte(at, "ring.csr4", "--system-matrix", words);
    refuse_another_byte(at, "ring.additive", "--multiplicative", words);
}

/* Runs the program with these variables, and without those that mpirun set. */
static void start_launched(CliRun *run, const char *directory, const char *variables)
{
    char launcher[256];
    snprintf(launcher, sizeof launcher, "env %s", variables);
    *run = (CliRun){.directory = directory, .launcher = launcher};
    cli_start(run, "recon scan.h5 -o out.h5 --overwrite %s", recon);
    cli_wait(run);
    assert_true(run->elapsed_s < 10);
}

static void launchers_that_mpi_does_not_join(void **state)
{
    static const struct {
        const char *variables, *message;
    } alone[] = {
        {"SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=3", "srun | 3 processes (SLURM_STEP_NUM_TASKS) | joins 1 | srun "
                                                  "--mpi=pmix | mpirun | without SLURM_STEP_NUM_TASKS"},
        {"FLUX_TASK_RANK=0 FLUX_JOB_SIZE=2", "Flux | 2 processes (FLUX_JOB_SIZE) | joins 1 | launcher"},
        {"PMI_RANK=0 PMI_SIZE=8", "PMI | 8 processes (PMI_SIZE) | joins 1 | launcher"},
    };
    CliRun run;
    cli_works(*state, scan);
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
        start_launched(&run, *state, alone[i].variables);
        cli_assert_ended(&run, 2, alone[i].message);
    }
    start_launched(&run, *state, "SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=3"); /* task 0 speaks */
    assert_string_equal(run.err, "");
    assert_int_equal(run.exit_code, 2);
    cli_free(&run);
    assert_false(cli_exists(*state, "out.h5") || cli_exists(*state, "out.h5.partial"));
}

/* A batch script, a shell within an allocation, one task of a step, and launchers that tell no number. */
static void single_processes(void **state)
{
    static const char *const variables[] = {
        "SLURM_PROCID=0 SLURM_JOB_ID=7 SLURM_NTASKS=4", "SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 SLURM_NTASKS=4",
        "SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 PMIX_RANK=0 PMIX_NAMESPACE=slurm.pmix.7.0", "PALS_RANKID=0"};
    CliRun run;
    cli_works(*state, scan);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        start_launched(&run, *state, variables[i]);
        if (run.exit_code != 0) fail_msg("%s: exit code %d\n%s", variables[i], run.exit_code, run.err);
        cli_free(&run);
    }
}

/* With PMIX_RANK alone the processes work together: "ranks: 2" is told once. */
static void pmix_alone(void **state)
{
    CliRun run = {.directory = *state,
                  .launcher = "mpirun -q -n 2 env -u OMPI_COMM_WORLD_RANK -u OMPI_COMM_WORLD_SIZE"};
    cli_works(*state, scan);
    cli_start(&run, "recon scan.h5 -o out.h5 %s", recon);
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("exit code %d\n%s", run.exit_code, run.err);
    assert_true(cli_number_after(run.err, "sinodag: ranks: ", NULL) == 2);
    assert_non_null(strstr(run.err, "volume: out.h5, /exchange/data (4, 32, 32)")); /* all of it */
    cli_free(&run);
}

/* mpirun passes its signal on to all ranks as SIGTERM; if one rank gets a signal, it ends all. Either way one line
 * comes from one rank. */
static void assert_signal_ends_all(const char *directory, int ranks, const char *to)
{
    CliRun run;
    struct timespec begin, end;
    const char *words = "scan.h5 --grid 1x2 --iterations 1000000";
    start_ranks(directory, ranks, words, words, &run);
    cli_await(&run, "iteration 1/1000000");
    clock_gettime(CLOCK_MONOTONIC, &begin);
    assert_int_equal(kill(to ? process_of_rank(directory, to) : run.pid, SIGTERM), 0);
    cli_wait(&run);
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_true(end.tv_sec - begin.tv_sec < 10);
    assert_int_not_equal(run.exit_code, 0); /* mpirun's own, or 143 of the rank */
    if (to) assert_int_equal(run.exit_code, 143);
    const char *told =
        strstr(run.err, "sinodag: ended by SIGTERM; out.h5 was not written; temporary files were removed\n");
    if (!told || strstr(told + 1, "sinodag: ")) fail_msg("not once:\n%s", run.err);
    assert_false(cli_exists(directory, "out.h5") || cli_exists(directory, "out.h5.partial"));
    cli_free(&run);
}

static void signals(void **state)
{
    cli_works(*state, scan);
    assert_signal_ends_all(*state, 2, NULL);
    assert_signal_ends_all(*state, 4, NULL);
    assert_signal_ends_all(*state, 2, "pid0");
    assert_signal_ends_all(*state, 2, "pid1");
}

/* recon in two ranks in this grid, one of which cannot write slices of a name: "VARIABLE=NAME" of block_write.c. */
static CliRun run_blocked(const char *directory, const char *grid, const char *variable, int rank)
{
    const char *library = getenv("SINODAG_BLOCK_WRITE");
    char launcher[TESTING_PATH];
    assert_non_null(library);
    cli_works(directory, scan);
    snprintf(launcher, sizeof launcher, "env LD_PRELOAD=%s %s BLOCK_RANK=%d mpirun -q -n 2", library, variable, rank);
    CliRun run = {.directory = directory, .launcher = launcher};
    cli_start(&run,
              "recon scan.h5 -o out --save-format tiff --grid %s --minibatch 1 --algorithm cg --iterations 1 "
              "--stall-limit 1s %s",
              grid, recon);
    cli_wait(&run);
    assert_true(run.elapsed_s < 30);
    assert_int_equal(run.exit_code, 1);
    const bool none = strstr(run.err, "no row is complete as TIFF in out; "); /* the blocked rank was faster */
    assert_true(cli_exists(directory, "out/recon_00000_to_00003.partial") != none);
    return run;
}

/* Rank 1 cannot write. Each rank that waits tells what for; then the run ends. */
static void one_rank_stalls(void **state)
{
    CliRun run = run_blocked(*state, "1x2", "BLOCK_WRITE=recon_00001.tiff", 1);
    assert_non_null(strstr(run.err, "sinodag: rank 1: no task has ended for 1.00 s; running: store on worker "));
    assert_non_null(strstr(run.err, " complete as TIFF in out; "));
    assert_non_null(strstr(run.err, "; temporary files were removed\n"));
    cli_free(&run);
}

/* Rank 0 has done its share; rank 1 cannot tell that it is stopped. */
static void one_rank_is_stopped(void **state)
{
    CliRun run = run_blocked(*state, "2x1", "STOP_WRITE=recon_0000", 1);
    assert_non_null(strstr(run.err, "sinodag: rank 0: rank 1 has given no sign of life for 1.00 s: it was stopped"));
    assert_non_null(strstr(run.err, "; rows 0 to 1 are complete as TIFF in out; "));
    cli_free(&run);
}

int cli_job_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(other_settings),
        CLI_TEST(settings_of_a_rank),
        CLI_TEST(one_rank_cannot_read_its_settings),
        CLI_TEST(other_input),
        CLI_TEST(other_files_of_a_scan),
        CLI_TEST(other_files_of_a_matrix),
        CLI_TEST(copies_of_the_input),
        CLI_TEST(launchers_that_mpi_does_not_join),
        CLI_TEST(single_processes),
        CLI_TEST(pmix_alone),
        CLI_TEST(signals),
        CLI_TEST(one_rank_stalls),
        CLI_TEST(one_rank_is_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
