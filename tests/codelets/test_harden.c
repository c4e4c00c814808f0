/* SPDX-License-Identifier: BSD-3-Clause */
/* Harden: against the polynomial, computed by powers. */
#include "harden.h"
#include "memory.h"
#include "testing.h"

#include <inttypes.h>
#include <math.h>

static bool is_marked(double value)
{
    return value == 0 && signbit(value);
}

static void check(SinoPrecision precision, int64_t slice_count, int64_t terms)
{
    enum { RAYS = 77 };
    const SinoSlices slices = {precision, sino_panel_stride(precision, slice_count), slice_count};
    SinoHardening hardening = {.count = terms};
    const int64_t count = RAYS * slices.stride;
    uint32_t seed = (uint32_t)terms;
    double *original = NULL;
    void *sinogram = NULL;
    assert_success(sino_allocate(count, sizeof *original, "test", &original));
    assert_success(sino_allocate(count, sino_precision_bytes(precision), "test", &sinogram));
    for (int64_t j = 0; j < terms; j++) hardening.coefficient[j] = testing_uniform(&seed) - (j ? 0.5 : 0);
    for (int64_t i = 0; i < count; i++) {
        original[i] = (double)(float)(4 * testing_uniform(&seed) - 0.5);
        if (i % 13 == 0) original[i] = i % 2 ? 0.0 : -0.0;
        testing_set_element(precision, sinogram, i, original[i]);
    }
    sino_harden(&hardening, RAYS, slices, sinogram);
    for (int64_t i = 0; i < count; i++) {
        double wanted = 0, size = 0;
        for (int64_t j = 0; j < terms; j++) {
            wanted += hardening.coefficient[j] * pow(original[i], (double)(j + 1));
            size += fabs(hardening.coefficient[j] * pow(original[i], (double)(j + 1)));
        }
        const double found = testing_element(precision, sinogram, i);
        if (!(fabs(found - wanted) <= size * (precision == SINO_DOUBLE ? 1e-15 : 1e-7) + 1e-300) ||
            is_marked(found) != is_marked(original[i]))
            fail_msg("%" PRId64 " terms, value %g: %g, not %g", terms, original[i], found, wanted);
    }
    free(original);
    free(sinogram);
}

static void agrees_with_powers(void **state)
{
    (void)state;
    for (int i = 0; i < 16; i++) check(i % 2 ? SINO_SINGLE : SINO_DOUBLE, 1 + i * 5 % 37, 1 + i % SINO_HARDEN_MOST);
}

TESTING_SUBJECT(harden)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_powers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
