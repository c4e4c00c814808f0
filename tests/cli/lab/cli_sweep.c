/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, sweep: each run has its row, results agree, a sweep goes on after an end, and the page is whole. */
#include "cli.h"

#include <ctype.h>
#include <math.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIZES "--columns 32 --angles 24 --slices 8 --iterations 3"
#define SWEEP "sweep --csv s.csv --schedulers lws,eager,prio --minibatches 2,4 --repetitions 2 " SIZES

enum { FIELDS = 29, ROWS_MAX = 200 };
enum {
    PHASE,
    SCHEDULER,
    MINIBATCH = 5,
    REPETITION = 10,
    ORDER,
    SEED,
    EXIT_CODE,
    MAKESPAN,
    BUILD,
    SHARE,
    HASH = 24,
    DIFFERENCE,
    PREDICTED,
    LOAD,
    MESSAGE
};

typedef struct Table {
    char *text; /* owned; fields point into it */
    int count;
    char *field[ROWS_MAX][FIELDS];
} Table;

/* Splits a row in place; texts in quotes may have commas. */
static int split(char *line, char *field[FIELDS])
{
    int count = 0;
    for (char *at = line; count < FIELDS;) {
        const bool quoted = *at == '"';
        field[count++] = quoted ? ++at : at;
        at = quoted ? strstr(at, "\"") : strpbrk(at, ",");
        if (at && quoted) *at++ = '\0';
        if (!at || !*at) break;
        *at++ = '\0';
    }
    return count;
}

static void read_table(const char *directory, const char *name, Table *table)
{
    const int64_t size = cli_file_size(directory, name);
    char *bytes = cli_read_bytes(directory, name, (size_t)size);
    table->text = strndup(bytes, (size_t)size);
    table->count = 0;
    free(bytes);
    assert_true(size > 0 && table->text[size - 1] == '\n');
    char *rest = table->text;
    for (char *line; (line = strsep(&rest, "\n")) && *line;) {
        if (*line == '#' || strncmp(line, "phase,", 6) == 0) continue;
        assert_true(table->count < ROWS_MAX);
        assert_int_equal(split(line, table->field[table->count++]), FIELDS);
    }
}

static int count_phase(const Table *table, const char *phase)
{
    int count = 0;
    for (int i = 0; i < table->count; i++) count += strcmp(table->field[i][PHASE], phase) == 0;
    return count;
}

static bool same_case(char *const *a, char *const *b)
{
    return strcmp(a[SCHEDULER], b[SCHEDULER]) == 0 && strcmp(a[MINIBATCH], b[MINIBATCH]) == 0;
}

/* Numbers of a row that worked. */
static void assert_worked(char *const *row)
{
    assert_string_equal(row[EXIT_CODE], "0");
    assert_string_equal(row[MESSAGE], "");
    assert_true(strtod(row[MAKESPAN], NULL) > 0 && strtod(row[BUILD], NULL) > 0);
    assert_true(strtod(row[SHARE], NULL) > 0 && strtod(row[SHARE], NULL) <= 1);
    assert_int_equal(strlen(row[HASH]), 16);
    assert_true(strtod(row[DIFFERENCE], NULL) < 1e-5);
}

/* The measured rows: each repetition has each case once, in an order of its own. */
static void check_measured(const Table *table, int cases, int repetitions)
{
    int place = 0, moved = 0;
    for (int i = 0; i < table->count; i++) {
        char *const *row = table->field[i];
        if (strcmp(row[PHASE], "measurement") != 0) continue;
        assert_worked(row);
        assert_int_equal(strtol(row[REPETITION], NULL, 10), place / cases + 1);
        assert_int_equal(strtol(row[ORDER], NULL, 10), place % cases + 1);
        for (int j = 0; j < i; j++) {
            char *const *other = table->field[j];
            if (strcmp(other[PHASE], "measurement") != 0) continue;
            const bool same_repetition = strcmp(other[REPETITION], row[REPETITION]) == 0;
            assert_true(!same_repetition || !same_case(other, row));
            if (!same_repetition && strcmp(other[ORDER], row[ORDER]) == 0) moved += !same_case(other, row);
            if (strcmp(other[MINIBATCH], row[MINIBATCH]) == 0) assert_string_equal(other[HASH], row[HASH]);
        }
        place++;
    }
    assert_int_equal(place, cases * repetitions);
    assert_true(moved > 0);
}

/* Every element of the page is closed in its turn, and nothing is loaded from elsewhere. */
static void check_page(const char *page)
{
    char open[32][16];
    int depth = 0;
    assert_ptr_equal(strstr(page, "<!DOCTYPE html>"), page);
    for (const char *at = strstr(page, "<html"); (at = strchr(at, '<')); at++) {
        char name[16] = "";
        const char *end = strchr(at, '>');
        const bool closes = at[1] == '/';
        assert_non_null(end);
        for (const char *c = at + 1 + closes; isalnum((unsigned char)*c) && strlen(name) < 15; c++)
            name[strlen(name)] = *c;
        if (end[-1] == '/') continue;
        if (closes && (depth == 0 || strcmp(open[--depth], name) != 0)) fail_msg("</%s> closes nothing", name);
        if (!closes) snprintf(open[depth++], sizeof *open, "%s", name);
        assert_true(depth < 32);
    }
    assert_int_equal(depth, 0);
    assert_null(strstr(page, "<script"));
    assert_null(strstr(page, "<link"));
    assert_null(strstr(page, "src="));
    assert_null(strstr(page, "nan"));
}

static int count_words(const char *text, const char *word)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, word)); at++) count++;
    return count;
}

static char *read_page(const char *directory)
{
    const int64_t size = cli_file_size(directory, "s.html");
    char *bytes = cli_read_bytes(directory, "s.html", (size_t)size), *page = strndup(bytes, (size_t)size);
    free(bytes);
    return page;
}

static void policies_are_compared(void **state)
{
    Table table;
    cli_works(*state, SWEEP " --report s.html --plots plots --keep kept");
    read_table(*state, "s.csv", &table);
    check_measured(&table, 6, 2);
    assert_true(count_phase(&table, "calibration") >= 2);
    assert_int_equal(count_phase(&table, "simulation"), 0);
    char *page = read_page(*state);
    check_page(page);
    assert_int_equal(count_words(page, "<svg"), 8);
    assert_int_equal(count_words(page, "<h2>32 columns, 24 angles, 8 slices, minibatch "), 2);
    assert_non_null(strstr(page, "<td>eager</td>"));
    assert_non_null(strstr(page, "0 volumes differ"));
    free(page);
    assert_true(cli_exists(*state, "plots/makespan_01.svg") && cli_exists(*state, "plots/bound_02.svg"));
    assert_true(cli_exists(*state, "kept/calibration_00001.json") && cli_exists(*state, "kept/calibration_00001.log"));
    cli_refuses(*state, "s.csv exists | --overwrite", SWEEP);
    free(table.text);
}

/* Cuts the table within row `row`, counted from the measured ones. */
static int64_t cut(const char *directory, int row)
{
    char path[TESTING_PATH];
    const int64_t size = cli_file_size(directory, "s.csv");
    char *bytes = cli_read_bytes(directory, "s.csv", (size_t)size), *text = strndup(bytes, (size_t)size), *at = text;
    for (int i = 0; i <= row; i++) at = strstr(at, "\nmeasurement") + 1;
    assert_int_equal(truncate(testing_path(path, directory, "s.csv"), at - text + 30), 0);
    const int64_t kept = at - text;
    free(bytes);
    free(text);
    return kept;
}

static void a_cut_sweep_goes_on(void **state)
{
    Table table;
    cli_works(*state, SWEEP);
    const int64_t kept = cut(*state, 5);
    char *before = cli_read_bytes(*state, "s.csv", (size_t)cli_file_size(*state, "s.csv"));
    cli_works(*state, SWEEP " --resume --report s.html");
    const size_t size = (size_t)cli_file_size(*state, "s.csv");
    char *after = cli_read_bytes(*state, "s.csv", size);
    assert_memory_equal(before, after, (size_t)kept);
    read_table(*state, "s.csv", &table);
    check_measured(&table, 6, 2);
    free(table.text);
    free(before);
    free(after);
    cli_refuses(*state, "s.csv | another sweep | --repetitions=2' there | --seed=2' now | --resume | --overwrite",
                SWEEP " --resume --seed 2");
    cli_write_text(*state, "t.csv", "a,b\n1,2\n");
    cli_refuses(*state, "t.csv | no table | new file | --overwrite", "sweep --csv t.csv --resume " SIZES);
}

/* Replaces the first `old` in the table by `new`, of the same length. */
static void change(const char *directory, const char *old, const char *new)
{
    const int64_t size = cli_file_size(directory, "s.csv");
    char *bytes = cli_read_bytes(directory, "s.csv", (size_t)size), *text = strndup(bytes, (size_t)size);
    char *at = strstr(text, old);
    assert_non_null(at);
    for (size_t i = 0; at && new[i]; i++) at[i] = new[i];
    cli_write_text(directory, "s.csv", text);
    free(bytes);
    free(text);
}

/* A volume that is not that of the others: here its hash is changed in the table. */
static void differences_are_loud(void **state)
{
    Table table;
    CliRun run = {.directory = *state};
    cli_works(*state, "sweep --csv s.csv --schedulers lws,eager --minibatches 4 --repetitions 2 " SIZES);
    read_table(*state, "s.csv", &table);
    char *hash = strdup(table.field[0][HASH]);
    for (int i = 0; i + 1 < table.count; i++) change(*state, hash, "0123456789abcdef");
    free(table.text);
    cut(*state, 3);
    cli_start(&run, "sweep --csv s.csv --schedulers lws,eager --minibatches 4 --repetitions 2 --resume " SIZES);
    cli_wait(&run);
    assert_non_null(strstr(run.err, "to the bit, as it must be on cores: hashes "));
    assert_non_null(strstr(run.err, hash));
    free(hash);
    cli_assert_ended(&run, 1, "0 of # runs | 1 have | differs | s.csv");
}

static void failures_are_rows(void **state)
{
    Table table;
    CliRun run = {.directory = *state};
    cli_write_text(*state, "bad.h5", "no scan");
    cli_start(&run, "sweep bad.h5 --csv s.csv --schedulers lws,eager --repetitions 1 --report s.html");
    cli_wait(&run);
    assert_non_null(strstr(run.err, "warning: measurement of bad.h5, cpu, single, eager failed with exit code 2: "));
    cli_assert_ended(&run, 1, "3 of 3 runs | 0 have | s.csv");
    read_table(*state, "s.csv", &table);
    assert_int_equal(table.count, 3);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(table.field[i][EXIT_CODE], "2");
        assert_string_equal(table.field[i][HASH], "");
        assert_string_equal(table.field[i][MAKESPAN], "");
        assert_non_null(strstr(table.field[i][MESSAGE], "bad.h5"));
    }
    free(table.text);
    char *page = read_page(*state);
    check_page(page);
    assert_non_null(strstr(page, "3 runs failed"));
    free(page);
}

/* A run that is ended while StarPU starts may leave its models' folder, which the next run removes. */
static void assert_no_folder(const char *directory, const char *name)
{
    char path[TESTING_PATH];
    char *listing = cli_listing(testing_path(path, directory, name));
    assert_null(strstr(listing, "sinodag-sweep-"));
    free(listing);
}

static void interrupted_sweeps_go_on(void **state)
{
    char folder[TESTING_PATH + 8], path[TESTING_PATH];
    Table table;
    CliRun run = {.directory = *state, .environment = folder};
    assert_int_equal(mkdir(testing_path(path, *state, "tmp"), 0700), 0);
    snprintf(folder, sizeof folder, "TMPDIR=%s", path);
    cli_start(&run, SWEEP);
    cli_await(&run, "part 1/12");
    assert_int_equal(kill(run.pid, SIGINT), 0);
    cli_wait(&run);
    cli_assert_ended(&run, 130, "SIGINT | s.csv | # runs | --resume | temporary files were removed");
    assert_no_folder(*state, "tmp");
    read_table(*state, "s.csv", &table);
    assert_in_range(count_phase(&table, "measurement"), 1, 11);
    for (int i = 0; i < table.count; i++) assert_worked(table.field[i]);
    free(table.text);
    cli_works(*state, SWEEP " --resume");
    read_table(*state, "s.csv", &table);
    check_measured(&table, 6, 2);
    free(table.text);
}

/* A simulator that knows one time, and no policy "prio". */
static void write_simulator(const char *directory)
{
    char path[TESTING_PATH];
    cli_write_text(directory, "simulator",
                   "#!/bin/sh\n[ \"$1\" = simulate ] || exit 9\n[ \"$2\" != --help ] || exit 0\n"
                   "for word; do case $word in --profile=*) out=${word#*=};; --scheduler=prio) echo sinodag: no prio "
                   ">&2; exit 3;; esac; done\n"
                   "echo '{\"schema\": \"sinodag-profile\", \"schema_version\": 1, \"complete\": true, \"ranks\": "
                   "[{\"parts\": [{\"name\": \"reconstruction\", \"makespan_s\": 0.25, \"tasks\": 9}]}]}' >\"$out\"\n"
                   "echo \"$@\" >>words\n");
    assert_int_equal(chmod(testing_path(path, directory, "simulator"), 0755), 0);
}

static void predictions_stand_beside(void **state)
{
    char simulator[TESTING_PATH + 32];
    Table table;
    CliRun run = {.directory = *state, .environment = simulator};
    snprintf(simulator, sizeof simulator, "SINODAG_SIMULATOR=%s/simulator", (const char *)*state);
    write_simulator(*state);
    cli_start(&run, SWEEP " --simulate --report s.html");
    cli_wait(&run);
    cli_assert_ended(&run, 1, "2 of # runs | 0 have | s.csv");
    read_table(*state, "s.csv", &table);
    check_measured(&table, 6, 2);
    assert_int_equal(count_phase(&table, "simulation"), 6);
    for (int i = 0; i < table.count; i++) {
        const bool predicted =
            strcmp(table.field[i][PHASE], "calibration") != 0 && strcmp(table.field[i][SCHEDULER], "prio") != 0;
        assert_string_equal(table.field[i][PREDICTED], predicted ? "0.25" : "");
    }
    free(table.text);
    char *page = read_page(*state);
    check_page(page);
    assert_int_equal(count_words(page, "<svg"), 10);
    assert_int_equal(count_words(page, "<td>0.250</td>"), 4);
    free(page);
    char *words = cli_read_bytes(*state, "words", (size_t)cli_file_size(*state, "words"));
    const char *first = "simulate --columns=32 --angles=24 --slices=8 --overwrite --profile=";
    assert_memory_equal(words, first, strlen(first));
    free(words);
}

static void only_predictions(void **state)
{
    char simulator[TESTING_PATH + 32];
    Table table;
    CliRun run = {.directory = *state, .environment = simulator};
    snprintf(simulator, sizeof simulator, "SINODAG_SIMULATOR=%s/simulator", (const char *)*state);
    write_simulator(*state);
    cli_start(&run,
              "sweep --csv s.csv --schedulers lws,eager --workers 64 --simulate only --machine m --report s.html");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    cli_free(&run);
    read_table(*state, "s.csv", &table);
    assert_int_equal(table.count, 2);
    assert_int_equal(count_phase(&table, "simulation"), 2);
    free(table.text);
    char *page = read_page(*state);
    check_page(page);
    assert_int_equal(count_words(page, "<svg"), 1);
    free(page);
    char *words = cli_read_bytes(*state, "words", (size_t)cli_file_size(*state, "words"));
    words[cli_file_size(*state, "words") - 1] = '\0';
    assert_int_equal(count_words(words, " --machine=m"), 2); /* once in each of two runs */
    free(words);
    cli_start(&run, "sweep --csv t.csv --simulate only --archive t.tar");
    cli_wait(&run);
    cli_assert_ended(&run, 1, "graph.jsonl cannot be read: No such file"); /* this simulator writes none */
    assert_false(cli_exists(*state, "t.tar"));
}

static void bad_sweeps_are_refused(void **state)
{
    CliRun run = {.directory = *state};
    cli_start(&run, "sweep --csv s.csv --schedulers lws,nosuch " SIZES);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    assert_non_null(strstr(run.err, "scheduler is 'nosuch'; this StarPU has: "));
    cli_free(&run);
    assert_false(cli_exists(*state, "s.csv"));
    /* A program without a simulator beside it tells so before it measures. */
    char words[TESTING_PATH + 160];
    snprintf(words, sizeof words,
             "cd '%s' && cp \"$SINODAG\" alone && env -u SINODAG_SIMULATOR ./alone sweep --csv s.csv --simulate " SIZES
             "; [ $? = 2 ]",
             (const char *)*state);
    assert_int_equal(cli_tool("sh", "-c", words), 0);
    assert_false(cli_exists(*state, "s.csv"));
    cli_refuses(*state, "--schedulers | 'lws,lws' | different names", "sweep --csv s.csv --schedulers lws,lws " SIZES);
    cli_refuses(*state, "--schedulers | 'lws,' | 1 to 255 bytes", "sweep --csv s.csv --schedulers lws, " SIZES);
    cli_refuses(*state, "--minibatches | '4,4' | 1 to 32 | 0 to 256", "sweep --csv s.csv --minibatches 4,4");
    cli_refuses(*state, "100000 | combinations | at most",
                "sweep --csv s.csv --minibatches 1,2,3,4,5,6,7,8,9,10,11 --repetitions 10000");
    cli_refuses(*state, "no.d/s.csv | no.d | No such file", "sweep --csv no.d/s.csv " SIZES);
    cli_refuses(*state, "--archive | 's.tar' | without simulations | --simulate only",
                "sweep --csv s.csv --archive s.tar " SIZES);
    cli_refuses(*state, "--archive and --csv | same file", "sweep --csv s.csv --simulate --archive s.csv " SIZES);
    cli_refuses(*state, "no.d/s.tar | no.d | No such file", "sweep --csv s.csv --simulate --archive no.d/s.tar " SIZES);
}

int cli_sweep_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(policies_are_compared), CLI_TEST(a_cut_sweep_goes_on),      CLI_TEST(differences_are_loud),
        CLI_TEST(failures_are_rows),     CLI_TEST(interrupted_sweeps_go_on), CLI_TEST(predictions_stand_beside),
        CLI_TEST(only_predictions),      CLI_TEST(bad_sweeps_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
