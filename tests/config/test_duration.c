/* SPDX-License-Identifier: BSD-3-Clause */
/* Durations and amounts of bytes as people read them. */
#include "memory.h"
#include "testing.h"
#include "testing_subject.h"
#include "text.h"

#include <math.h>

static void durations(void **state)
{
    (void)state;
    static const struct {
        double duration_s;
        const char *text;
    } row[] = {{0, "0 s"},
               {1e-9, "1.00 ns"},
               {8.5e-4, "850 us"},
               {0.0123, "12.3 ms"},
               {0.9996, "1.00 s"},
               {9.994, "9.99 s"},
               {9.996, "10.0 s"},
               {59.94, "59.9 s"},
               {59.96, "1 min 0 s"},
               {276, "4 min 36 s"},
               {3599.4, "59 min 59 s"},
               {3599.6, "1 h 0 min"},
               {16560, "4 h 36 min"},
               {3600 * 75.0, "3 days 3 h"},
               {-1, "unknown"},
               {INFINITY, "unknown"},
               {NAN, "unknown"}};
    char text[SINO_DURATION_SIZE];
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_string_equal(sino_duration_text(row[i].duration_s, text), row[i].text);
}

static void bytes(void **state)
{
    (void)state;
    static const struct {
        int64_t bytes;
        const char *text;
    } row[] = {{0, "0 B"},
               {1023, "1023 B"},
               {1024, "1.00 KiB"},
               {1024 * 1023 + 600, "1.00 MiB"},
               {(int64_t)(116.9 * 0x1p20), "117 MiB"},
               {(int64_t)(9.996 * 0x1p30), "10.0 GiB"},
               {(int64_t)96 << 30, "96.0 GiB"},
               {INT64_MAX, "8.00 EiB"}};
    char text[24];
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_string_equal(sino_bytes_text(row[i].bytes, text), row[i].text);
}

TESTING_SUBJECT(duration)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(durations), cmocka_unit_test(bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
