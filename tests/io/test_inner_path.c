/* SPDX-License-Identifier: BSD-3-Clause */
/* Inner path: files with and without colons in their names, and places in them. */
#include "paths.h"
#include "testing.h"

#include <sys/stat.h>

static void splits(const char *directory, const char *given, const char *file, const char *inner)
{
    char path[TESTING_PATH], expected[TESTING_PATH], *found = NULL, *rest = NULL;
    assert_success(sino_inner_path_split(testing_path(path, directory, given), &found, &rest));
    assert_string_equal(found, testing_path(expected, directory, file));
    assert_int_equal(!rest, !inner);
    if (inner) assert_string_equal(rest, inner);
    free(found);
    free(rest);
}

static void files_decide(void **state)
{
    static const char *const names[] = {"a.h5", "b:c", "a.h5:x", "d:e/f.h5"};
    char path[TESTING_PATH], *found = NULL, *rest = NULL;
    assert_int_equal(mkdir(testing_path(path, *state, "d"), 0777), 0);
    assert_int_equal(mkdir(testing_path(path, *state, "d:e"), 0777), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        FILE *file = fopen(testing_path(path, *state, names[i]), "w");
        assert_non_null(file);
        assert_int_equal(fclose(file), 0);
    }
    splits(*state, "a.h5", "a.h5", NULL);
    splits(*state, "a.h5:/x", "a.h5", "/x");
    splits(*state, "a.h5:/x:y", "a.h5", "/x:y");
    splits(*state, "a.h5:", "a.h5", "");
    splits(*state, "b:c", "b:c", NULL);
    splits(*state, "b:c:/y", "b:c", "/y");
    splits(*state, "a.h5:x", "a.h5:x", NULL);
    splits(*state, "d:e/f.h5:/x", "d:e/f.h5", "/x");
    splits(*state, "d", "d", NULL);
    assert_error(sino_inner_path_split(testing_path(path, *state, "b:/x"), &found, &rest), SINO_BAD_INPUT,
                 "/b:/x: No such file or directory");
    assert_null(rest);
    free(found);
}

TESTING_SUBJECT(inner_path)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_decide, testing_directory_make, testing_directory_remove)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
