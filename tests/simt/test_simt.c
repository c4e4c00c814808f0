/* SPDX-License-Identifier: BSD-3-Clause */
/* SIMT: what the wrappers of codelets/simt.h do, on the host's version of a GPU or on one; what the host reports. */
#include "simt_probe.h"

#include "device.h"
#include "half.h"
#include "testing.h"

#include "reference_operator.h"
#ifdef SINO_SIMT_HOST
#include "simt_control.h"
#endif

#include <math.h>

static void barriers_and_atomics_sum(void **state)
{
    (void)state;
    enum { BLOCKS = 7 };
    int *value = device_memory(BLOCKS * PROBE_THREADS * sizeof *value);
    int *sum = device_memory(BLOCKS * sizeof *sum), *total = device_memory(sizeof *total);
    for (int i = 0; i < BLOCKS * PROBE_THREADS; i++) value[i] = i * i % 1000;
    assert_success(probe_sum(BLOCKS, value, sum, total));
    assert_success(device_wait());
    int all = 0;
    for (int b = 0; b < BLOCKS; b++) {
        int expected = 0;
        for (int i = 0; i < PROBE_THREADS; i++) expected += value[b * PROBE_THREADS + i];
        assert_int_equal(sum[b], expected);
        all += expected;
    }
    assert_int_equal(*total, all);
    device_free(value);
    device_free(sum);
    device_free(total);
}

static void shuffles_move_lanes(void **state)
{
    (void)state;
    int *value = device_memory(32 * sizeof *value), *result = device_memory(sizeof(int[5][32]));
    for (int lane = 0; lane < 32; lane++) value[lane] = 3 * lane;
    assert_success(probe_shuffle(value, result));
    assert_success(device_wait());
    for (int lane = 0; lane < 32; lane++) {
        assert_int_equal(result[lane], 3 * (lane / 8 * 8 + 3));
        assert_int_equal(result[32 + lane], 3 * (lane ^ 5));
        assert_int_equal(result[64 + lane], 3 * (lane % 16 < 13 ? lane + 3 : lane));
        assert_int_equal(result[96 + lane], 3 * (lane < 2 ? lane : lane - 2));
        assert_true((uint32_t)result[128 + lane] == 0xaaaaaaaau);
    }
    device_free(value);
    device_free(result);
}

static void check_ldmatrix(bool transposed, bool by_shuffles)
{
    uint16_t *matrix = device_memory(sizeof(uint16_t[4][8][8]));
    uint32_t *fragment = device_memory(sizeof(uint32_t[32][4]));
    for (int i = 0; i < 256; i++) matrix[i] = (uint16_t)(1000 + 7 * i);
    assert_success(probe_ldmatrix(matrix, transposed, by_shuffles, fragment));
    assert_success(device_wait());
    for (int lane = 0; lane < 32; lane++)
        for (int m = 0; m < 4; m++)
            for (int i = 0; i < 2; i++) {
                const int row = lane / 4, column = lane % 4 * 2 + i;
                const uint16_t expected = matrix[64 * m + (transposed ? 8 * column + row : 8 * row + column)];
                assert_int_equal(fragment[4 * lane + m] >> 16 * i & 0xffff, expected);
            }
    device_free(matrix);
    device_free(fragment);
}

static void ldmatrix_spreads_matrices(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) check_ldmatrix(i % 2, i / 2);
}

static void check_mma(bool by_shuffles, uint64_t *seed)
{
    uint16_t *a = device_memory(sizeof(uint16_t[16][16])), *b = device_memory(sizeof(uint16_t[16][8]));
    float *c = device_memory(sizeof(float[16][8]));
    double expected[16][8];
    for (int i = 0; i < 256; i++) a[i] = sino_half((float)reference_random(seed));
    for (int i = 0; i < 128; i++) b[i] = sino_half((float)reference_random(seed));
    for (int row = 0; row < 16; row++)
        for (int column = 0; column < 8; column++) {
            double *sum = &expected[row][column];
            *sum = c[row * 8 + column] = (float)reference_random(seed);
            for (int k = 0; k < 16; k++)
                *sum += (double)sino_half_value(a[row * 16 + k]) * (double)sino_half_value(b[k * 8 + column]);
        }
    assert_success(probe_mma(a, b, by_shuffles, c));
    assert_success(device_wait());
    for (int i = 0; i < 128; i++) assert_true(fabs((double)c[i] - expected[i / 8][i % 8]) < 1e-5);
    device_free(a);
    device_free(b);
    device_free(c);
}

static void mma_multiplies_matrices(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < 6; i++) check_mma(i % 2, &seed);
}

static void copies_arrive_by_stages(void **state)
{
    (void)state;
    enum { TILES = 5, COUNT = 4 * PROBE_THREADS };
    float *from = device_memory(sizeof(float[TILES][COUNT])), *to = device_memory(sizeof(float[TILES][COUNT]));
    for (int i = 0; i < TILES * COUNT; i++) from[i] = (float)i;
    assert_success(probe_copy(TILES, from, to));
    assert_success(device_wait());
    for (int tile = 0; tile < TILES; tile++)
        for (int i = 0; i < COUNT; i++) assert_true(to[tile * COUNT + i] == (float)(tile * COUNT + COUNT - 1 - i));
    device_free(from);
    device_free(to);
}

static void halves_round_to_even(void **state)
{
    (void)state;
    static const float values[] = {0, -0.0f, 1, 1.0f / 3, 65504, 65520, 1e-8f, 6e-8f, -2049, 2051, 0x1p-14f, INFINITY};
    enum { COUNT = sizeof values / sizeof *values };
    float *from = device_memory(sizeof values), *back = device_memory(sizeof values);
    uint16_t *to = device_memory(COUNT * sizeof *to);
    memcpy(from, values, sizeof values);
    assert_success(probe_half(COUNT, from, to, back));
    assert_success(device_wait());
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(to[i], sino_half(values[i]));
        const float expected = sino_half_value(sino_half(2 * values[i])) - sino_half_value(sino_half(values[i]));
        assert_true(back[i] == expected || (isnan(back[i]) && isnan(expected)));
    }
    device_free(from);
    device_free(back);
    device_free(to);
}

#ifdef SINO_SIMT_HOST

static void faults_are_reported(void **state)
{
    (void)state;
    float memory[32] = {0};
    assert_error(probe_fault(PROBE_MISSED_BARRIER, memory), SINO_FAILED,
                 "kernel fault, 1 x 1 x 1 blocks of 32 x 1 x 1 threads with 128 bytes of shared memory: a barrier that "
                 "16 of 32 threads do not reach");
    assert_error_has(probe_fault(PROBE_OTHER_BARRIER, memory), SINO_FAILED, "threads of a block at different barriers");
    assert_error_has(probe_fault(PROBE_MISSED_SHUFFLE, memory), SINO_FAILED,
                     "16 threads wait for other lanes of their warps that do not come");
    assert_error_has(probe_fault(PROBE_SHARED_TOO_MUCH, memory), SINO_FAILED, "allowed: 232448");
    assert_error_has(probe_fault(PROBE_UNWAITED_COPY, memory), SINO_FAILED, "that nothing waited for");
    assert_error_has(probe_sum(0, NULL, NULL, NULL), SINO_FAILED, "0 x 1 x 1 blocks; allowed: 1 to");
}

static void overruns_are_reported(void **state)
{
    (void)state;
    float memory[32] = {0};
    assert_error_has(probe_fault(PROBE_SHARED_OVERRUN, memory), SINO_FAILED, "beyond the dynamic shared memory");
}

/* Ascending order hides it, any other shows it. */
static void races_show(void **state)
{
    (void)state;
    int value[32], wrong[3] = {0};
    for (int order = 0; order < 3; order++) {
        simt_set_order((SimtOrder)order, 1);
        assert_success(probe_race(value));
        for (int i = 0; i < 32; i++) wrong[order] += value[i] != i + 1;
    }
    assert_int_equal(wrong[SIMT_ASCENDING], 0);
    assert_true(wrong[SIMT_DESCENDING] > 25 && wrong[SIMT_RANDOM] > 5);
}

#endif

TESTING_SUBJECT(simt)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barriers_and_atomics_sum),
        cmocka_unit_test(shuffles_move_lanes),
        cmocka_unit_test(ldmatrix_spreads_matrices),
        cmocka_unit_test(mma_multiplies_matrices),
        cmocka_unit_test(copies_arrive_by_stages),
        cmocka_unit_test(halves_round_to_even),
#ifdef SINO_SIMT_HOST
        cmocka_unit_test(faults_are_reported),
        cmocka_unit_test(overruns_are_reported),
        cmocka_unit_test(races_show),
#endif
    };
    device_needed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
