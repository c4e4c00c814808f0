/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing of the library: what the tests of sinodag.h share. */
#pragma once

#include "sinodag.h"

#include "testing.h"

#include <unistd.h>

__attribute__((unused)) static void succeeds(SinodagStatus status)
{
    if (status) fail_msg("unexpected error: %s", sinodag_status_text(status));
}

/* Bad input, with these key words unless there are none. */
__attribute__((unused)) static void refused(SinodagStatus status, const char *keys)
{
    if (sinodag_status_code(status) != SINODAG_BAD_INPUT ||
        (*keys && !testing_tells(sinodag_status_text(status), keys)))
        fail_msg("expected bad input with '%s', found %d: %s", keys, sinodag_status_code(status),
                 sinodag_status_text(status));
    sinodag_status_free(status);
}

__attribute__((unused)) static double dot(int64_t count, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

/* Between 0 and 1, in sixteenths of a thousandth or so: every number is a float. */
__attribute__((unused)) static double *numbers(int64_t count, unsigned seed)
{
    double *values = malloc((size_t)count * sizeof *values);
    assert_non_null(values);
    for (int64_t i = 0; i < count; i++) {
        seed = seed * 1664525 + 1013904223;
        values[i] = (double)(seed >> 16) / (1 << 16);
    }
    return values;
}

__attribute__((unused)) static int64_t resident_bytes(void)
{
    char line[128], *pages; /* all pages, then those in memory */
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    (void)fclose(file);
    (void)strtol(line, &pages, 10);
    return (int64_t)strtol(pages, NULL, 10) * sysconf(_SC_PAGESIZE);
}

/* Calls that make and free operators leave no memory behind: `usual` times, or SINODAG_TEST_CYCLES. */
__attribute__((unused)) static void check_growth(void (*use_once)(void), int usual)
{
    const char *given = getenv("SINODAG_TEST_CYCLES");
    const long cycles = given ? strtol(given, NULL, 10) : usual;
    for (int i = 0; i < 20; i++) use_once();
    const int64_t before = resident_bytes();
    for (long i = 0; i < cycles; i++) use_once();
    const int64_t growth = resident_bytes() - before;
    print_message("%ld cycles: %.2f MiB more\n", cycles, (double)growth / (1 << 20));
    assert_true(growth < 4 << 20);
}

__attribute__((unused)) static int start(void **state)
{
    (void)state;
    return sinodag_status_code(sinodag_start(NULL, NULL, NULL));
}

__attribute__((unused)) static int stop(void **state)
{
    (void)state;
    return sinodag_status_code(sinodag_stop());
}
