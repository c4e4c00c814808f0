/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, models: what StarPU measures is kept, and no damage to these files, no full disk and no other run makes
 * a run fail. */
#include "cli.h"

#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

/* A run whose policy uses all models. */
#define RECON                                                                                                          \
    "recon scan.h5 --rotation-axis 7.5 --algorithm cg --iterations 2 --pictures no --report none --scheduler dmdas "   \
    "--overwrite -o "
#define KEPT ".starpu/sampling/sinodag"

static void make_scan(const char *directory)
{
    cli_write_scan(directory, "scan.h5", &cli_scan);
}

/* A run that works, with this variable; what it says; caller frees. */
static char *said(const char *directory, char *environment)
{
    CliRun run = {.directory = directory, .environment = environment};
    cli_start(&run, RECON "out.h5");
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("exit code %d\n%s", run.exit_code, run.err);
    free(run.out);
    return run.err;
}

static void assert_says(const char *directory, char *environment, const char *has)
{
    char *text = said(directory, environment);
    if (has ? !strstr(text, has) : strstr(text, "StarPU") || strstr(text, "warning"))
        fail_msg("expected \"%s\" in\n%s", has ? has : "nothing on StarPU", text);
    free(text);
}

/* The first file in the folder whose name has this in it. */
static char *file_with(const char *folder, const char *part)
{
    char *listing = cli_listing(folder), *rest = listing, *found = NULL;
    for (char *line; !found && (line = strsep(&rest, "\n"));) {
        line[strcspn(line, " ")] = '\0';
        if (strstr(line, part) && !strstr(line, "aside")) found = strdup(line);
    }
    if (!found) fail_msg("no %s in\n%s", part, folder);
    free(listing);
    return found;
}

enum { EMPTY, CUT, CUT_AT_LINE, GARBAGE, FOLDER, FIFO, PLAIN, DAMAGES };

static void damage(const char *path, int kind)
{
    struct stat info;
    char text[4096] = "";
    assert_int_equal(stat(path, &info), 0);
    if (kind == EMPTY) assert_int_equal(truncate(path, 0), 0);
    if (kind == CUT) assert_int_equal(truncate(path, info.st_size / 2), 0);
    if (kind < CUT_AT_LINE) return;
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    const size_t bytes = fread(text, 1, sizeof text - 1, file);
    text[bytes] = '\0';
    if (kind == CUT_AT_LINE) assert_int_equal(ftruncate(fileno(file), strchr(text, '\n') - text + 1), 0);
    if (kind == PLAIN) assert_int_equal(ftruncate(fileno(file), info.st_size - 40), 0);
    if (kind == GARBAGE) assert_true(fseek(file, (long)info.st_size / 3, SEEK_SET) == 0 && fputs("?", file) >= 0);
    assert_int_equal(fclose(file), 0);
    if (kind == FOLDER) assert_true(unlink(path) == 0 && mkdir(path, 0700) == 0);
    if (kind == FIFO) assert_true(unlink(path) == 0 && mkfifo(path, 0600) == 0);
}

static void damaged_files_are_set_aside(void **state)
{
    enum { PARTS = 6 };
    static const char *const part[PARTS] = {
        ".config", ".latency", ".bandwidth", ".platform.xml", "sinodag_spmm_project", "sinodag_samples"};
    char home[TESTING_PATH + 20], kept[TESTING_PATH], path[TESTING_PATH];
    make_scan(*state);
    snprintf(home, sizeof home, "XDG_CACHE_HOME=%s/home", (const char *)*state);
    testing_path(kept, *state, "home/" KEPT);
    assert_says(*state, home, NULL);
    for (int i = 0; i < PARTS * DAMAGES; i++) {
        char *name = file_with(kept, part[i % PARTS]);
        damage(testing_path(path, kept, name), i / PARTS);
        assert_says(*state, home, " is damaged or no run of sinodag wrote it; it is set aside as ");
        assert_says(*state, home, NULL);
        assert_true(cli_exists(kept, name));
        if (i / PARTS == FOLDER) {
            char aside[TESTING_PATH + 8];
            snprintf(aside, sizeof aside, "%s.aside", path);
            assert_int_equal(rmdir(aside), 0);
        }
        free(name);
    }
}

/* A program that runs StarPU by the library has named its own directory, whose files no other run reads or keeps. */
static void a_directory_of_a_run_is_not_kept(void **state)
{
    char own[2 * TESTING_PATH];
    make_scan(*state);
    snprintf(own, sizeof own, "STARPU_PERF_MODEL_DIR=%s/sinodag-starpu-other", (const char *)*state);
    assert_says(*state, own, NULL);
    assert_false(cli_exists(*state, "sinodag-starpu-other"));
}

/* Runs of different sizes measure different things. */
static void runs_side_by_side(void **state)
{
    enum { RUNS = 4 };
    char home[TESTING_PATH + 20];
    make_scan(*state);
    snprintf(home, sizeof home, "XDG_CACHE_HOME=%s/home", (const char *)*state);
    for (int round = 0; round < 4; round++) {
        CliRun run[RUNS];
        for (int i = 0; i < RUNS; i++) {
            run[i] = (CliRun){.directory = *state, .environment = home};
            cli_start(&run[i], RECON "out%d.h5 --workers %d --minibatch %d", i, 1 + i % 2, 1 + i);
        }
        for (int i = 0; i < RUNS; i++) {
            cli_wait(&run[i]);
            if (run[i].exit_code != 0 || strstr(run[i].err, "warning"))
                fail_msg("exit code %d\n%s", run[i].exit_code, run[i].err);
            cli_free(&run[i]);
        }
    }
    assert_says(*state, home, NULL);
}

static void names_too_long_for_starpu(void **state)
{
    char home[2 * TESTING_PATH], longer[220];
    make_scan(*state);
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    snprintf(home, sizeof home, "XDG_CACHE_HOME=%s/%s", (const char *)*state, longer);
    assert_says(*state, home, NULL);
    snprintf(home, sizeof home, "TMPDIR=%s/%s", (const char *)*state, longer);
    assert_says(*state, home, NULL);
    snprintf(home, sizeof home, "STARPU_PERF_MODEL_DIR=%s/%s", (const char *)*state, longer);
    assert_says(*state, home, NULL);
    assert_true(cli_exists(*state, longer));
}

static void temporary_disk_is_full(void **state)
{
    char home[TESTING_PATH + 20];
    make_scan(*state);
    cli_mount(*state, "disk", 0, "size=32k");
    snprintf(home, sizeof home, "TMPDIR=%s/disk", (const char *)*state);
    assert_says(*state, home, NULL);
}

/* The directory of a killed run is removed by a later one, that of a living run is not. */
static void killed_runs_leave_nothing_for_long(void **state)
{
    char home[TESTING_PATH + 20], left[TESTING_PATH], place[TESTING_PATH];
    const struct timespec long_ago[] = {{.tv_sec = time(NULL) - 1000}, {.tv_sec = time(NULL) - 1000}};
    CliRun run = {.directory = *state, .environment = home};
    make_scan(*state);
    assert_int_equal(mkdir(testing_path(place, *state, "tmp"), 0700), 0);
    snprintf(home, sizeof home, "TMPDIR=%s/tmp", (const char *)*state);
    cli_start(&run, "recon scan.h5 --rotation-axis 7.5 --algorithm cg --iterations 100000 --minibatch 1 -o killed.h5");
    cli_await(&run, ", iteration ");
    char *name = file_with(place, "sinodag-starpu-");
    name[strcspn(name, "/")] = '\0';
    testing_path(left, place, name);
    assert_int_equal(utimensat(AT_FDCWD, left, long_ago, 0), 0);
    assert_says(*state, home, NULL);
    assert_true(cli_exists(place, name));
    assert_int_equal(kill(run.pid, SIGKILL), 0);
    cli_wait(&run);
    cli_free(&run);
    assert_int_equal(utimensat(AT_FDCWD, left, long_ago, 0), 0);
    assert_says(*state, home, NULL);
    assert_names(place, "");
    free(name);
}

/* The kept samples and the models of three kinds of task, as text; caller frees. */
static char *models_of(const char *kept)
{
    static const char *const kind[] = {"sinodag_samples", "sinodag_spmm_project", "sinodag_spmm_backproject",
                                       "sinodag_update_voxels_cg"};
    char path[TESTING_PATH], line[400], *text = NULL;
    size_t bytes;
    FILE *all = open_memstream(&text, &bytes);
    assert_non_null(all);
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
        char *name = file_with(kept, kind[i]);
        FILE *file = fopen(testing_path(path, kept, name), "r");
        assert_non_null(file);
        while (fgets(line, sizeof line, file)) assert_true(fputs(line, all) >= 0);
        assert_int_equal(fclose(file), 0);
        free(name);
    }
    assert_int_equal(fclose(all), 0);
    return text;
}

/* Entries of the three models: lines of their tables, each of which begins with a key. */
static int64_t entries_in(const char *text)
{
    int64_t count = 0;
    bool in_table = false;
    for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        in_table = in_table ? isxdigit((unsigned char)line[0]) != 0 : strncmp(line, "# hash", 6) == 0;
        count += in_table && line[0] != '#';
    }
    return count;
}

/* Samples of products: lines that begin with their model. */
static int samples_in(const char *text)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, "\nsinodag_spmm_")); at++) count++;
    return count;
}

static void run_with(const char *directory, char *environment, const char *words)
{
    CliRun run = {.directory = directory, .environment = environment};
    cli_start(&run,
              "recon scan.h5 --rotation-axis 7.5 --algorithm cg --iterations 12 --pictures no --report none "
              "--overwrite -o out.h5 %s",
              words);
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("%s: exit code %d\n%s", words, run.exit_code, run.err);
    cli_free(&run);
}

/* Every run records, whatever its policy; tasks of another precision have entries of their own. */
static void every_run_records_unless_frozen(void **state)
{
    char home[TESTING_PATH + 20], kept[TESTING_PATH];
    make_scan(*state);
    snprintf(home, sizeof home, "XDG_CACHE_HOME=%s/home", (const char *)*state);
    testing_path(kept, *state, "home/" KEPT);
    run_with(*state, home, "--scheduler lws --minibatch 1");
    char *first = models_of(kept);
    const int64_t entries = entries_in(first);
    assert_true(entries >= 3);
    assert_non_null(strstr(first, "\nbetween_tasks_lws 1 "));
    run_with(*state, home, "--scheduler lws --minibatch 1");
    char *second = models_of(kept);
    assert_string_not_equal(first, second);
    assert_int_equal(entries_in(second), entries);
    run_with(*state, home, "--scheduler dmda --minibatch 1 --models frozen");
    run_with(*state, home, "--precision double --minibatch 1 --models frozen");
    char *frozen = models_of(kept);
    assert_string_equal(second, frozen);
    run_with(*state, home, "--precision double --minibatch 1");
    char *precisions = models_of(kept);
    assert_int_equal(entries_in(precisions), 2 * entries);
    assert_true(samples_in(first) >= 2);
    assert_int_equal(samples_in(second), samples_in(first));
    assert_int_equal(samples_in(precisions), 2 * samples_in(first));
    run_with(*state, home, "--minibatch 1 --models renew");
    char *renewed = models_of(kept);
    assert_int_equal(entries_in(renewed), entries);
    assert_int_equal(samples_in(renewed), samples_in(first));
    char *const all[] = {first, second, frozen, precisions, renewed};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* What `plan` prints of a scan of 96 columns with the machine. Caller frees. */
static CliRun plan_with(const char *directory, char *environment, const char *machine)
{
    CliRun run = {.directory = directory, .environment = environment};
    cli_start(&run,
              "plan --columns 96 --angles 120 --slices 16 --iterations 10 --workers 1 --minibatch 8 --json "
              "--machine %s",
              machine);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    return run;
}

/* A scan of the size, and a run that measures its products. */
static void measure(const char *directory, char *environment, int size)
{
    CliRun run = {.directory = directory, .environment = environment};
    cli_start(&run, "phantom -o s.h5 --overwrite --size %d --angles %d --slices 16", size, size * 5 / 4);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    cli_free(&run);
    cli_start(
        &run,
        "recon s.h5 -o v.h5 --overwrite --rotation-axis %g --minibatch 8 --algorithm cg --iterations 10 --workers 1",
        (size - 1) / 2.0);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    cli_free(&run);
}

/* What `plan` prints for this machine, from a curve through times of smaller scans. A disturbed machine can spread the
 * times so far that plan keeps to rates: more runs give medians of more samples. Caller frees. */
static CliRun plan_from_curve(const char *directory, char *environment)
{
    const int rounds = 5;
    CliRun plan = {0};
    for (int round = 0; round < rounds; round++) {
        for (int size = 32; size <= 64; size += 16) measure(directory, environment, size);
        plan = plan_with(directory, environment, "here");
        if (strstr(plan.out, "\"source\": \"fitted\"")) return plan;
        print_message("round %d: plan keeps to rates\n", round);
        if (round + 1 < rounds) cli_free(&plan);
    }
    fail_msg("no curve after %d rounds: %s", rounds, plan.out);
    return plan;
}

/* The time of products that plan tells by curves through smaller scans, and then by a run that measures them. */
static void plan_and_measure(const char *directory, int number, double kernel_s[2])
{
    char home[TESTING_PATH + 32];
    snprintf(home, sizeof home, "XDG_CACHE_HOME=%s/home%d", directory, number);
    CliRun plan = plan_with(directory, home, "here");
    assert_non_null(strstr(plan.out, "\"source\": \"rate\""));
    cli_free(&plan);
    for (int i = 0; i < 2; i++) {
        plan = i == 0 ? plan_from_curve(directory, home) : plan_with(directory, home, "here");
        assert_non_null(strstr(plan.out, "\"source\": \"fitted\""));
        assert_true(cli_number_after(plan.out, "\"error\": ", NULL) < 1);
        kernel_s[i] = cli_number_after(plan.out, "\"kernel\": ", NULL);
        cli_free(&plan);
        if (i == 0) measure(directory, home, 96);
    }
    plan = plan_with(directory, home, "usual");
    assert_non_null(strstr(plan.out, "\"source\": \"rate\""));
    cli_free(&plan);
}

/* Of products that were never measured, plan tells the time within a factor of 3 of what a run then measures: by curves
 * through smaller scans, which other machines do not have. A disturbed machine gets another chance. */
static void plans_follow_measured_times(void **state)
{
    const int chances = 3;
    for (int i = 0; i < chances; i++) {
        double kernel_s[2];
        plan_and_measure(*state, i, kernel_s);
        if (kernel_s[0] < 3 * kernel_s[1] && kernel_s[1] < 3 * kernel_s[0]) return;
        print_message("%g s planned, %g s measured\n", kernel_s[0], kernel_s[1]);
    }
    fail_msg("no plan within a factor of 3");
}

/* PoCL would make a cache here. */
static void opencl_sleeps(void **state)
{
    char home[TESTING_PATH + 20];
    make_scan(*state);
    snprintf(home, sizeof home, "XDG_CACHE_HOME=%s/home", (const char *)*state);
    assert_says(*state, home, NULL);
    assert_false(cli_exists(*state, "home/pocl"));
}

int cli_models_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(damaged_files_are_set_aside),
        CLI_TEST(a_directory_of_a_run_is_not_kept),
        CLI_TEST(runs_side_by_side),
        CLI_TEST(names_too_long_for_starpu),
        CLI_TEST(temporary_disk_is_full),
        CLI_TEST(killed_runs_leave_nothing_for_long),
        CLI_TEST(opencl_sleeps),
        CLI_TEST(every_run_records_unless_frozen),
        CLI_TEST(plans_follow_measured_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
