/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweep CSV: what is written is read again, a torn line is dropped, and other tables are refused. */
#include "sweep_csv.h"
#include "testing.h"

#include "device.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char identity[] = "table: t\nmachine: a, b\n";

static SinoSweepRow full_row(void)
{
    SinoSweepCase of = {.columns = 256,
                        .angles = 400,
                        .slices = 32,
                        .minibatch = 8,
                        .workers = 2,
                        .devices = SINO_DEVICE_CPU | SINO_DEVICE_OPENCL,
                        .precision = SINO_MIXED,
                        .scheduler = "./a \"b\", c.so:longest"};
    SinoSweepRow row = sino_sweep_row(SINO_SWEEP_MEASUREMENT, &of);
    row.repetition = 3;
    row.order = 7;
    row.seed = 9007199254740992;
    row.exit_code = 1;
    row.makespan_s = 1.25;
    row.tasks = 203;
    strcpy(row.hash, "0123456789abcdef");
    strcpy(row.message, "# one, \"two\"");
    return row;
}

static void assert_same(const SinoSweepRow *a, const SinoSweepRow *b)
{
    assert_int_equal(a->phase, b->phase);
    assert_string_equal(a->of.scheduler, b->of.scheduler);
    assert_int_equal(a->of.columns, b->of.columns);
    assert_int_equal(a->of.partitions, b->of.partitions);
    assert_int_equal(a->of.workers, b->of.workers);
    assert_int_equal(a->of.devices, b->of.devices);
    assert_int_equal(a->of.precision, b->of.precision);
    assert_int_equal(a->order, b->order);
    assert_int_equal(a->seed, b->seed);
    assert_true(a->makespan_s == b->makespan_s);
    assert_true(isnan(a->build_s) && isnan(a->predicted_s) && a->peak_bytes == -1);
    assert_int_equal(a->tasks, b->tasks);
    assert_string_equal(a->hash, b->hash);
    assert_string_equal(a->message, b->message);
}

/* Opens the table, adds `count` rows, closes it, and returns how many it had; −1: it was refused. */
static int64_t go_on(const char *path, const char *as, bool resume, int count, char message[300])
{
    SinoSweepRows rows = {.count = 0};
    SinoSweepCsv *csv = NULL;
    const SinoSweepRow row = full_row();
    SinoStatus status = sino_sweep_csv_open(path, false, resume, as, "date: today", &rows, &csv);
    for (int i = 0; !status && i < count; i++) status = sino_sweep_csv_add(csv, &row);
    for (int64_t i = 0; i < rows.count; i++) assert_same(&rows.row[i], &row);
    const int64_t had = status ? -1 : rows.count;
    snprintf(message, 300, "%s", sino_status_text(status));
    sino_status_free(status);
    assert_null(sino_sweep_csv_close(csv));
    sino_sweep_rows_free(&rows);
    return had;
}

static void rows_come_back(void **state)
{
    char path[TESTING_PATH], message[300];
    testing_path(path, *state, "s.csv");
    assert_int_equal(go_on(path, identity, true, 3, message), 0);
    assert_int_equal(go_on(path, identity, true, 2, message), 3);
    assert_int_equal(go_on(path, identity, true, 0, message), 5);
    assert_int_equal(go_on(path, identity, false, 0, message), -1);
    assert_non_null(testing_tells(message, "s.csv exists | --overwrite"));
}

/* Wherever the last row is cut, the rows before it stay. */
static void torn_lines_are_dropped(void **state)
{
    char path[TESTING_PATH], message[300];
    struct stat whole, two;
    testing_path(path, *state, "s.csv");
    assert_int_equal(go_on(path, identity, true, 2, message), 0);
    assert_int_equal(stat(path, &two), 0);
    assert_int_equal(go_on(path, identity, true, 1, message), 2);
    assert_int_equal(stat(path, &whole), 0);
    for (off_t size = whole.st_size - 1; size > two.st_size; size -= 7) {
        assert_int_equal(truncate(path, size), 0);
        assert_int_equal(go_on(path, identity, true, 1, message), 2);
        assert_int_equal(go_on(path, identity, true, 0, message), 3);
    }
}

static void other_tables_are_refused(void **state)
{
    static const char *const line[] = {"1,2\n", "measurement,lws\n", "flight,a,b\n"};
    char path[TESTING_PATH], message[300];
    testing_path(path, *state, "s.csv");
    assert_int_equal(go_on(path, identity, true, 1, message), 0);
    assert_int_equal(go_on(path, "table: t\nmachine: a, c\n", true, 0, message), -1);
    assert_non_null(strstr(message, "has rows of another sweep: 'machine: a, b' there, 'machine: a, c' now; allowed:"));
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        struct stat info;
        assert_int_equal(stat(path, &info), 0);
        FILE *file = fopen(path, "a");
        assert_true(file && fputs(line[i], file) >= 0 && fclose(file) == 0);
        assert_int_equal(go_on(path, identity, true, 0, message), -1);
        assert_non_null(strstr(message, "has a line that no sweep of this version wrote: '"));
        assert_int_equal(truncate(path, info.st_size), 0);
    }
    assert_int_equal(go_on(path, identity, true, 0, message), 1);
}

static void one_writes_at_a_time(void **state)
{
    char path[TESTING_PATH], message[300];
    SinoSweepRows rows = {.count = 0};
    SinoSweepCsv *csv = NULL;
    testing_path(path, *state, "s.csv");
    assert_null(sino_sweep_csv_open(path, false, true, identity, "", &rows, &csv));
    assert_int_equal(go_on(path, identity, true, 0, message), -1);
    assert_non_null(strstr(message, "s.csv is being written by another process"));
    assert_null(sino_sweep_csv_close(csv));
    sino_sweep_rows_free(&rows);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(sweep_csv)
{
    const struct CMUnitTest tests[] = {TEST(rows_come_back), TEST(torn_lines_are_dropped),
                                       TEST(other_tables_are_refused), TEST(one_writes_at_a_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
