/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing of the library: what the tests of sinodag.h share. */
#ifndef SINO_TESTING_LIBRARY_H
#define SINO_TESTING_LIBRARY_H

#include "sinodag.h"

#include "testing.h"

#include <unistd.h>

__attribute__((unused)) static void succeeds(SinodagStatus status)
{
    if (status) fail_msg("unexpected error: %s", sinodag_status_text(status));
}

__attribute__((unused)) static void refused(SinodagStatus status, const char *text)
{
    if (sinodag_status_code(status) != SINODAG_BAD_INPUT || !strstr(sinodag_status_text(status), text))
        fail_msg("expected bad input with '%s', found %d: %s", text, sinodag_status_code(status),
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

/* How often tests of memory make and free an operator: SINODAG_TEST_CYCLES, or as usual. */
__attribute__((unused)) static int test_cycles(int usual)
{
    const char *given = getenv("SINODAG_TEST_CYCLES");
    return given ? (int)strtol(given, NULL, 10) : usual;
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

#endif
