/* SPDX-License-Identifier: BSD-3-Clause */
/* Program: exit codes, signals, the last line of stderr, and a limit of time. */
#include "child.h"
#include "testing.h"

#include <string.h>

static SinoProgramEnd run(const char *directory, const char *script, double limit_s)
{
    char log[TESTING_PATH], *text = strdup(script);
    char *argument[] = {(char[]){"sh"}, (char[]){"-c"}, text, NULL};
    SinoProgramEnd end;
    assert_success(sino_program_run("/bin/sh", argument, testing_path(log, directory, "log"), limit_s, &end));
    free(text);
    return end;
}

static void ends_are_told(void **state)
{
    SinoProgramEnd end = run(*state, "echo lost; echo first >&2; echo sinodag: last words >&2; echo >&2; exit 3", 0);
    assert_int_equal(end.exit_code, 3);
    assert_string_equal(end.message, "last words");
    end = run(*state, "exit 0", 0);
    assert_int_equal(end.exit_code, 0);
    assert_string_equal(end.message, "");
    assert_true(end.elapsed_s >= 0 && end.elapsed_s < 10);
    end = run(*state, "kill -9 $$", 0);
    assert_int_equal(end.exit_code, 128 + 9);
    end = run(*state, "printf '%2000s' x >&2", 10);
    assert_int_equal(end.exit_code, 0);
    assert_int_equal(strlen(end.message), sizeof end.message - 1);
}

static void long_programs_are_killed(void **state)
{
    const SinoProgramEnd end = run(*state, "echo begun >&2; exec sleep 60", 0.2);
    assert_int_equal(end.exit_code, 128 + 9);
    assert_true(end.elapsed_s >= 0.2 && end.elapsed_s < 10);
    assert_string_equal(end.message, "it did not end in 0.2 s");
}

static void programs_that_are_none(void **state)
{
    char log[TESTING_PATH];
    char *argument[] = {(char[]){"x"}, NULL};
    SinoProgramEnd end;
    assert_success(sino_program_run("/nowhere/x", argument, testing_path(log, *state, "log"), 0, &end));
    assert_int_equal(end.exit_code, 127);
    assert_error(sino_program_run("/bin/sh", argument, "/nowhere/log", 0, &end), SINO_FAILED, "/nowhere/log: ");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(program)
{
    const struct CMUnitTest tests[] = {TEST(ends_are_told), TEST(long_programs_are_killed),
                                       TEST(programs_that_are_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
