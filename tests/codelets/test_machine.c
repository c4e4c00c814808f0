/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine: the loops that measure a core execute the operations that they count. Their speed is not tested. */
#include "machine.h"
#include "platform.h"
#include "spmm.h"
#include "testing.h"
#include "vector.h"

/* No core does more: 4 pipelines at 8 GHz, and 1 TB/s. A loop that the compiler has shortened would. */
static const double pipelines_hz = 32e9, read_bps = 1e12;

static void multiply_adds_are_done(void **state)
{
    (void)state;
    const int64_t rounds = 1000000;
    for (int p = 0; p < SINO_PRECISIONS; p++) {
        const SinoPrecision precision = (SinoPrecision)p;
        const double flops = sino_machine_multiply_add_flops(precision, rounds);
        const double lanes = (double)sino_vector_bytes() / (precision == SINO_DOUBLE ? 8 : 4);
        const double begin = sino_platform_now_s();
        sino_machine_multiply_add(precision, rounds);
        assert_true(flops >= 2 * 10 * lanes * (double)rounds);
        assert_true(sino_platform_now_s() - begin > flops / (2 * lanes * pipelines_hz));
    }
    sino_machine_multiply_add(SINO_SINGLE, 0);
}

static void memory_is_read(void **state)
{
    (void)state;
    const int64_t bytes = (int64_t)64 << 20;
    void *memory = calloc(1, (size_t)bytes);
    assert_non_null(memory);
    const double begin = sino_platform_now_s();
    sino_machine_read(memory, bytes);
    assert_true(sino_platform_now_s() - begin > (double)bytes / read_bps);
    sino_machine_read(memory, 0);
    free(memory);
}

static void instruction_set_has_a_name(void **state)
{
    (void)state;
    const char *const name = sino_spmm_isa_name();
    const int64_t bytes = sino_vector_bytes();
    assert_string_equal(name, bytes == 64 ? "avx512" : bytes == 32 ? "avx2" : "plain");
    assert_true(sino_platform_cache_bytes() >= 0);
}

TESTING_SUBJECT(machine)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiply_adds_are_done),
        cmocka_unit_test(memory_is_read),
        cmocka_unit_test(instruction_set_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
