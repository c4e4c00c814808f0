/* SPDX-License-Identifier: BSD-3-Clause */
/* Voxel codes: codes are the nearest ones, values of codes stay, what is clipped is counted, NaN is MIN. */
#include "numbers.h"
#include "testing.h"

#include <math.h>

enum { COUNT = 4096 };

static const SinoVoxelCodes shorts = {SINO_OUTPUT_UINT16, {-0.3, 1.7}}, bytes = {SINO_OUTPUT_UINT8, {0, 51}};

static void codes_are_the_nearest(void **state)
{
    (void)state;
    uint32_t seed = 7;
    float value[COUNT], back[COUNT];
    uint16_t code[COUNT];
    const double step = 2.0 / 65535;
    for (int i = 0; i < COUNT; i++)
        value[i] = (float)(-0.3 + 2.0 * (((seed = seed * 1664525 + 1013904223) >> 8) % 100000) / 99999.0);
    sino_codes_encode(&shorts, COUNT, value, code);
    sino_codes_decode(&shorts, COUNT, code, back);
    assert_true(fabs(sino_codes_step(&shorts) / step - 1) < 1e-12);
    for (int i = 0; i < COUNT; i++) assert_true(fabs((double)back[i] - (double)value[i]) <= step / 2 * 1.01);
}

/* What is in a file is encoded to the same file, also in ranges that are as narrow as they may be. */
static void values_of_codes_stay(void **state)
{
    (void)state;
    const SinoVoxelCodes all[] = {shorts,
                                  bytes,
                                  {SINO_OUTPUT_UINT16, {999.9, 1016}},
                                  {SINO_OUTPUT_UINT16, {-1e-9, 3e-9}},
                                  {SINO_OUTPUT_UINT8, {-1000.07, -1000}}};
    for (size_t c = 0; c < sizeof all / sizeof *all; c++) {
        int64_t clipped[SINO_CLIPPED] = {0};
        assert_success(sino_codes_check(&all[c]));
        for (int i = 0; i <= (int)sino_codes_largest(&all[c]); i++) {
            uint16_t code = (uint16_t)i, found = 0;
            float value, rounded;
            sino_codes_decode(&all[c], 1, &code, &value); /* of uint8_t: its first byte */
            rounded = value;
            sino_codes_round(&all[c], 1, &rounded, clipped);
            sino_codes_encode(&all[c], 1, &rounded, &found);
            assert_int_equal(found, code);
            assert_true(rounded == value);
        }
        for (int k = 0; k < SINO_CLIPPED; k++) assert_int_equal(clipped[k], 0);
    }
}

static void clipped_voxels_are_counted(void **state)
{
    (void)state;
    float value[] = {-1, -0.0f, 0, 0.1f, 51, 51.2f, 1e30f, NAN, INFINITY, -INFINITY, 25};
    const float expected[] = {0, 0, 0, 0.2f, 51, 51, 51, 0, 51, 0, 25};
    int64_t clipped[SINO_CLIPPED] = {100, 0, 0};
    sino_codes_round(&bytes, 11, value, clipped);
    for (int i = 0; i < 11; i++) assert_true(value[i] == expected[i]);
    assert_int_equal(clipped[SINO_CLIPPED_BELOW], 102);
    assert_int_equal(clipped[SINO_CLIPPED_ABOVE], 3);
    assert_int_equal(clipped[SINO_CLIPPED_NAN], 1);
}

static void float32_stays(void **state)
{
    (void)state;
    const SinoVoxelCodes codes = {SINO_OUTPUT_FLOAT32, {0, 1}};
    float value[] = {-5, 0.123f, 7};
    int64_t clipped[SINO_CLIPPED] = {0};
    assert_success(sino_codes_check(&codes));
    sino_codes_round(&codes, 3, value, clipped);
    assert_true(value[0] == -5 && value[1] == 0.123f && value[2] == 7 && clipped[0] == 0 && clipped[1] == 0);
    assert_int_equal(sino_codes_bytes(SINO_OUTPUT_FLOAT32), 4);
    assert_int_equal(sino_codes_bytes(SINO_OUTPUT_UINT16), 2);
    assert_int_equal(sino_codes_bytes(SINO_OUTPUT_UINT8), 1);
}

static void ranges_that_are_none(void **state)
{
    (void)state;
    assert_error(sino_codes_check(&(SinoVoxelCodes){SINO_OUTPUT_UINT8, {0, 0}}), SINO_BAD_INPUT,
                 "output-range | 0:0 | MIN:MAX | MAX");
    assert_error(sino_codes_check(&(SinoVoxelCodes){SINO_OUTPUT_UINT8, {NAN, 1}}), SINO_BAD_INPUT,
                 "output-range | nan:1 | MIN:MAX | MAX");
    assert_error(sino_codes_check(&(SinoVoxelCodes){SINO_OUTPUT_UINT16, {1000, 1000.1}}), SINO_BAD_INPUT,
                 "output-range | 1000:1000.1 | 65535 | 15.6 | float32");
}

TESTING_SUBJECT(voxel_codes)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(codes_are_the_nearest), cmocka_unit_test(values_of_codes_stay),
                                       cmocka_unit_test(clipped_voxels_are_counted), cmocka_unit_test(float32_stays),
                                       cmocka_unit_test(ranges_that_are_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
