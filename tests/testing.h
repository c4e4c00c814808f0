/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing: what tests share: cmocka, temporary directories, measured data, expected errors, elements of vectors. */
#pragma once

#include "panel.h"
#include "status.h"
#include "testing_subject.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ftw.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

enum { TESTING_PATH = 4096 };

/* Loops over very many cases take each of them, or one of three under the address sanitizer, where each takes ten times
 * as long. */
#ifdef __SANITIZE_ADDRESS__
enum { TESTING_STEP = 3 };
#else
enum { TESTING_STEP = 1 };
#endif

/* Pseudo-random, the same everywhere: uniform in [0, 1), and in [−1, 1). */
__attribute__((unused)) static double testing_uniform(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) / 16777216.0;
}

__attribute__((unused)) static double testing_signed(uint32_t *state)
{
    return 2 * testing_uniform(state) - 1;
}

static int testing_remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info;
    (void)kind;
    (void)walk;
    return remove(path);
}

/* cmocka setup and teardown: *state is the path of a new directory under $TMPDIR or /tmp. */
__attribute__((unused)) static int testing_directory_make(void **state)
{
    const char *parent = getenv("TMPDIR");
    char *path = NULL;
    if (asprintf(&path, "%s/sinodag-test-XXXXXX", parent && parent[0] ? parent : "/tmp") < 0) return -1;
    *state = mkdtemp(path);
    return *state ? 0 : -1;
}

__attribute__((unused)) static int testing_directory_remove(void **state)
{
    const int failed = nftw(*state, testing_remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(*state);
    return failed;
}

/* Also of floats, where NaN then equals itself, and −0 differs from 0. */
__attribute__((unused)) static bool testing_same_bytes(const void *a, const void *b, size_t count)
{
    return memcmp(a, b, count) == 0;
}

/* "directory/name" in the caller's buffer, which it returns. */
__attribute__((unused)) static char *testing_path(char text[TESTING_PATH], const char *directory, const char *name)
{
    const int length = snprintf(text, TESTING_PATH, "%s/%s", directory, name);
    assert_true(length > 0 && length < TESTING_PATH);
    return text;
}

/* Makes the file, or replaces what it has. */
__attribute__((unused)) static void testing_write_bytes(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

/* A measured file: $SINODAG_TEST_DATA/name, else ../shared/data/name beside the source tree. Skips the test, loudly,
 * when it is absent. */
__attribute__((unused)) static char *testing_data(char text[TESTING_PATH], const char *name)
{
    const char *directory = getenv("SINODAG_TEST_DATA");
    testing_path(text, directory && directory[0] ? directory : SINO_SOURCE_ROOT "/../shared/data", name);
    if (access(text, R_OK) != 0) {
        print_message("skipped: there is no %s; set SINODAG_TEST_DATA\n", text);
        skip();
    }
    return text;
}

/* How many bytes of the text read as the first `count` of a key, in which # stands for a number; 0: others. */
static size_t testing_reads(const char *text, const char *key, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t more = key[i] == '#' ? strspn(text + bytes, "0123456789.") : text[bytes] == key[i];
        if (more == 0) return 0;
        bytes += more;
    }
    return bytes;
}

static bool testing_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '-' || c == '_';
}

/* Whether the text has these key words in this order, as whole words: "--size | 0.5 | 1 to #", where # is a number;
 * an empty text has no key words. */
__attribute__((unused)) static bool testing_tells(const char *text, const char *keys)
{
    const char *at = text;
    if (!*keys) return !*text;
    for (const char *key = keys, *next = keys; next; key = next + 3) {
        size_t bytes = 0;
        next = strstr(key, " | ");
        const size_t count = next ? (size_t)(next - key) : strlen(key);
        for (; *at && bytes == 0; at++) {
            if (at == text || !testing_of_word(at[-1]) || !testing_of_word(*at)) bytes = testing_reads(at, key, count);
            if (bytes > 0 && testing_of_word(at[bytes - 1]) && testing_of_word(at[bytes])) bytes = 0;
        }
        if (bytes == 0) return false;
        at += bytes - 1;
    }
    return true;
}

/* Success, or the test fails with the error's text. */
__attribute__((unused)) static void assert_success(SinoStatus status)
{
    if (status) fail_msg("unexpected error: %s", sino_status_text(status));
}

/* A file-size limit stands for a full disk: writes beyond it fail with EFBIG. */
__attribute__((unused)) static void testing_limit_file_size(rlim_t bytes)
{
    struct rlimit limit;
    assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* An error of this kind whose text has these key words; frees it. */
__attribute__((unused)) static void assert_error(SinoStatus status, SinoErrorKind kind, const char *keys)
{
    if (!testing_tells(sino_status_text(status), keys))
        fail_msg("expected an error with\n  %s\nfound\n  %s", keys, sino_status_text(status));
    assert_int_equal(sino_status_exit_code(status), kind);
    sino_status_free(status);
}

/* Element `at` of an array of single or double precision. */
__attribute__((unused)) static double testing_element(SinoPrecision precision, const void *values, int64_t at)
{
    return precision == SINO_DOUBLE ? ((const double *)values)[at] : (double)((const float *)values)[at];
}

__attribute__((unused)) static void testing_set_element(SinoPrecision precision, void *values, int64_t at, double value)
{
    if (precision == SINO_DOUBLE)
        ((double *)values)[at] = value;
    else
        ((float *)values)[at] = (float)value;
}
