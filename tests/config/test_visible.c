/* SPDX-License-Identifier: BSD-3-Clause */
/* Visible: text of strangers stays on its line, and steers no terminal. */
#include "text.h"

#include "testing.h"

static void check(const char *text, const char *expected)
{
    char *printed = NULL;
    size_t size;
    FILE *out = open_memstream(&printed, &size);
    assert_non_null(out);
    sino_print_visible(text, out);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(printed, expected);
    free(printed);
}

static void ordinary_text_is_unchanged(void **state)
{
    (void)state;
    check("", "");
    check("scan 1.h5: 3 × 4 °, 'Übung' \\ 走", "scan 1.h5: 3 × 4 °, 'Übung' \\ 走");
}

static void what_a_terminal_obeys_is_escaped(void **state)
{
    (void)state;
    check("a\x1b[2Jb", "a\\x1b[2Jb");
    check("a\nsinodag: volume: ok\r", "a\\x0asinodag: volume: ok\\x0d");
    check("\t\x7f\a", "\\x09\\x7f\\x07");
    check("\xc2\x9b"
          "2J",
          "\\x9b2J"); /* CSI of Latin-1 in UTF-8 */
    /* NOLINTNEXTLINE(misc-misleading-bidirectional) */
    check("gpj.\xe2\x80\xae"
          "5h",
          "gpj.\\u202e5h"); /* writing from right to left */
    check("a\xe2\x80\xa8"
          "b",
          "a\\u2028b");                         /* line separator */
    check("\xff\xfe|\xc3", "\\xff\\xfe|\\xc3"); /* not UTF-8 */
}

TESTING_SUBJECT(visible)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordinary_text_is_unchanged),
        cmocka_unit_test(what_a_terminal_obeys_is_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
