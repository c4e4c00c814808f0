/* SPDX-License-Identifier: BSD-3-Clause */
/* Shifts file: text, and what is refused. Volumes: cli_align. */
#include "shifts_file.h"

#include "testing.h"

static const char *write_text(void **state, const char *text)
{
    static char path[TESTING_PATH];
    testing_path(path, *state, "shifts.csv");
    testing_write_bytes(path, text, strlen(text));
    return path;
}

static void text_is_read(void **state)
{
    SinoShift shift[3];
    assert_success(sino_shifts_read(write_text(state, "\xef\xbb\xbf"
                                                      "columns,rows\r\n1.5,-2\r\n\r\n 3e-1 , 4 \r\n-0,0"),
                                    3, 10, shift));
    assert_true(shift[0].column == 1.5 && shift[0].row == -2 && shift[1].column == 0.3 && shift[1].row == 4);
    assert_true(shift[2].column == 0 && shift[2].row == 0);
}

static void refuse(void **state, const char *text, const char *keys)
{
    SinoShift shift[2];
    assert_error(sino_shifts_read(write_text(state, text), 2, 10, shift), SINO_BAD_INPUT, keys);
}

static void other_text_is_refused(void **state)
{
    refuse(state, "", "begins with ''");
    refuse(state, "1,2\n3,4\n", "begins with '1,2'");
    refuse(state, "columns,rows\n1,2\n", "shifts of 1 projections");
    refuse(state, "columns,rows\n1,2\n3,4\n5,6\n", "shifts of 3 projections");
    refuse(state, "columns,rows\n1,2\n3\n", "line 3 is '3'");
    refuse(state, "columns,rows\n1,2,3\n3,4\n", "line 2 is '1,2,3'");
    refuse(state, "columns,rows\n,2\n3,4\n", "line 2 is ',2'");
    refuse(state, "columns,rows\n1,nan\n3,4\n", "projection 0 is shifted by (1, nan)");
    refuse(state, "columns,rows\n1,2\n3,11\n", "projection 1 is shifted by (3, 11)");
    SinoShift shift;
    assert_error(sino_shifts_read("/nowhere.csv", 1, 10, &shift), SINO_BAD_INPUT, "/nowhere.csv");
}

TESTING_SUBJECT(shifts_file)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(text_is_read, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(other_text_is_refused, testing_directory_make, testing_directory_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
