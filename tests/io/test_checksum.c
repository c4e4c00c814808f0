/* SPDX-License-Identifier: BSD-3-Clause */
/* Checksum: known digests, files longer than one piece, missing files. */
#include "paths.h"
#include "testing.h"

#include <inttypes.h>

#include <xxhash.h>

static void known_digests(void **state)
{
    char path[TESTING_PATH], digits[17];
    const char *const name = testing_path(path, *state, "file");
    testing_write_bytes(name, "", 0);
    assert_success(sino_checksum_files(1, &name, digits));
    assert_string_equal(digits, "2d06800538d394c2"); /* xxHash's documented value for no input */
    testing_write_bytes(name, "sinodag\n", 8);
    assert_success(sino_checksum_files(1, &name, digits));
    assert_string_equal(digits, "3cd750c1c2cd4619");
}

static void long_file_equals_one_call(void **state)
{
    enum { BYTES = (5 << 19) + 17 };
    char path[TESTING_PATH], digits[17], expected[17];
    unsigned char *bytes = malloc(BYTES);
    assert_non_null(bytes);
    for (unsigned i = 0; i < BYTES; i++) bytes[i] = (unsigned char)(i * 2654435761u >> 24);
    const char *const name = testing_path(path, *state, "file");
    testing_write_bytes(name, bytes, BYTES);
    snprintf(expected, sizeof expected, "%016" PRIx64, (uint64_t)XXH3_64bits(bytes, BYTES));
    free(bytes);
    assert_success(sino_checksum_files(1, &name, digits));
    assert_string_equal(digits, expected);
}

static void several_files_are_as_one(void **state)
{
    char path[3][TESTING_PATH], digits[17], expected[17];
    const char *const parts[] = {testing_path(path[0], *state, "a"), testing_path(path[1], *state, "b")};
    const char *const whole = testing_path(path[2], *state, "whole");
    testing_write_bytes(parts[0], "sino", 4);
    testing_write_bytes(parts[1], "dag\n", 4);
    testing_write_bytes(whole, "sinodag\n", 8);
    assert_success(sino_checksum_files(2, parts, digits));
    assert_success(sino_checksum_files(1, &whole, expected));
    assert_string_equal(digits, expected);
}

static void unreadable_files(void **state)
{
    char path[TESTING_PATH], digits[17] = "untouched";
    const char *const name = testing_path(path, *state, "absent"), *const folder = *state;
    assert_error(sino_checksum_files(1, &name, digits), SINO_BAD_INPUT, "/absent: No such file or directory");
    assert_error(sino_checksum_files(1, &folder, digits), SINO_BAD_INPUT, " is a directory; give the name of a file");
    assert_string_equal(digits, "untouched");
}

/* The sample of two files together is that of their concatenation, and covers its first and last bytes. */
static void parts_are_spread_over_all_files(void **state)
{
    enum { BYTES = 9 << 20, CUT = (3 << 20) + 1234 };
    char path[3][TESTING_PATH], whole[17], parts[17];
    unsigned char *bytes = malloc(BYTES);
    assert_non_null(bytes);
    for (unsigned i = 0; i < BYTES; i++) bytes[i] = (unsigned char)(i * 2654435761u >> 24);
    const char *const one = testing_path(path[0], *state, "whole");
    const char *const two[] = {testing_path(path[1], *state, "a"), testing_path(path[2], *state, "b")};
    testing_write_bytes(one, bytes, BYTES);
    testing_write_bytes(two[0], bytes, CUT);
    testing_write_bytes(two[1], bytes + CUT, BYTES - CUT);
    assert_success(sino_checksum_parts(1, &one, whole));
    assert_success(sino_checksum_parts(2, two, parts));
    assert_string_equal(whole, parts);
    const size_t inside[] = {0, 65535, BYTES - 65536, BYTES - 1};
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
        bytes[inside[i]] ^= 1;
        testing_write_bytes(one, bytes, BYTES);
        assert_success(sino_checksum_parts(1, &one, parts));
        assert_string_not_equal(whole, parts);
        bytes[inside[i]] ^= 1;
    }
    memset(bytes + BYTES / 2, 0, BYTES / 2); /* an incomplete copy */
    testing_write_bytes(one, bytes, BYTES);
    assert_success(sino_checksum_parts(1, &one, parts));
    assert_string_not_equal(whole, parts);
    free(bytes);
}

/* Of a short file every byte counts. */
static void short_files_count_whole(void **state)
{
    char path[TESTING_PATH], parts[17], all[17];
    const char *const name = testing_path(path, *state, "file");
    testing_write_bytes(name, "sinodag\n", 8);
    assert_success(sino_checksum_parts(1, &name, parts));
    assert_success(sino_checksum_files(1, &name, all));
    assert_string_equal(parts, all);
    sino_checksum_bytes("sinodag\n", 8, parts);
    assert_string_equal(parts, all);
}

TESTING_SUBJECT(checksum)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(known_digests, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(long_file_equals_one_call, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(several_files_are_as_one, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(unreadable_files, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(parts_are_spread_over_all_files, testing_directory_make,
                                        testing_directory_remove),
        cmocka_unit_test_setup_teardown(short_files_count_whole, testing_directory_make, testing_directory_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
