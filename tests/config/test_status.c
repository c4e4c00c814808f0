/* SPDX-License-Identifier: BSD-3-Clause */
/* Status and memory: texts, prefixes, exit codes, overflow. */
#include "memory.h"
#include "status.h"
#include "testing_subject.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void error_has_kind_and_text(void **state)
{
    (void)state;
    SinoStatus status = sino_error(SINO_BAD_INPUT, "columns is %d; allowed: 1 or more", 0);
    assert_int_equal(sino_status_exit_code(status), 2);
    assert_string_equal(sino_status_text(status), "columns is 0; allowed: 1 or more");
    sino_status_free(status);
    assert_int_equal(sino_status_exit_code(NULL), 0);
    assert_string_equal(sino_status_text(NULL), "");
    sino_status_free(NULL);
}

static void prefix_goes_before(void **state)
{
    (void)state;
    SinoStatus status = sino_error_prefix(sino_error(SINO_FAILED, "disk full"), "%s", "out.h5");
    assert_int_equal(sino_status_exit_code(status), 1);
    assert_string_equal(sino_status_text(status), "out.h5: disk full");
    sino_status_free(status);
    assert_null(sino_error_prefix(NULL, "nothing"));
}

static void overflow_is_an_error(void **state)
{
    (void)state;
    int64_t product = 7;
    SinoStatus status = sino_multiply((int64_t)1 << 40, (int64_t)1 << 40, "volume", &product);
    assert_int_equal(sino_status_exit_code(status), SINO_BAD_INPUT);
    assert_int_equal(product, 7);
    sino_status_free(status);
    assert_null(sino_multiply(3, 5, "volume", &product));
    assert_int_equal(product, 15);
}

static void allocation_is_zeroed_and_aligned(void **state)
{
    (void)state;
    double *values = NULL;
    assert_null(sino_allocate(1001, sizeof *values, "values", &values));
    assert_int_equal((uintptr_t)values % SINO_ALIGNMENT_BYTES, 0);
    for (int i = 0; i < 1001; i++) assert_true(values[i] == 0);
    free(values);
    SinoStatus status = sino_allocate((int64_t)1 << 45, 1024, "a volume", &values);
    assert_int_equal(sino_status_exit_code(status), SINO_FAILED);
    assert_string_equal(sino_status_text(status), "no memory for a volume: 32.0 PiB asked for");
    sino_status_free(status);
}

TESTING_SUBJECT(status)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_has_kind_and_text),
        cmocka_unit_test(prefix_goes_before),
        cmocka_unit_test(overflow_is_an_error),
        cmocka_unit_test(allocation_is_zeroed_and_aligned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
