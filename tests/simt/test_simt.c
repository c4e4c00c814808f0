/* SPDX-License-Identifier: BSD-3-Clause */
/* SIMT: what the wrappers of codelets/devices/simt.h do, on the host's version of a GPU or on one; what the host
 * reports. */
#include "simt_probe.h"

#include "half.h"
#include "simt_device.h"
#include "testing.h"

#include "reference_operator.h"
#ifdef SINO_SIMT_HOST
#include "simt_control.h"
#endif

#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void barriers_and_atomics_sum(void **state)
{
    (void)state;
    enum { BLOCKS = 7 };
    int value[BLOCKS * PROBE_THREADS], sum[BLOCKS], total = 0, all = 0;
    for (int i = 0; i < BLOCKS * PROBE_THREADS; i++) value[i] = i * i % 1000;
    int *of_value = device_lend(value, sizeof value), *of_total = device_lend(&total, sizeof total);
    int *of_sum = device_memory(sizeof sum);
    device_check(probe_sum(BLOCKS, of_value, of_sum, of_total));
    device_unlend(value, of_value, sizeof value);
    device_return(sum, of_sum, sizeof sum);
    device_return(&total, of_total, sizeof total);
    for (int b = 0; b < BLOCKS; b++) {
        int expected = 0;
        for (int i = 0; i < PROBE_THREADS; i++) expected += value[b * PROBE_THREADS + i];
        assert_int_equal(sum[b], expected);
        all += expected;
    }
    assert_int_equal(total, all);
}

static void shuffles_move_lanes(void **state)
{
    (void)state;
    int value[32], result[5 * 32];
    for (int lane = 0; lane < 32; lane++) value[lane] = 3 * lane;
    int *of_value = device_lend(value, sizeof value), *of_result = device_memory(sizeof result);
    device_check(probe_shuffle(of_value, of_result));
    device_unlend(value, of_value, sizeof value);
    device_return(result, of_result, sizeof result);
    for (int lane = 0; lane < 32; lane++) {
        assert_int_equal(result[lane], 3 * (lane / 8 * 8 + 3));
        assert_int_equal(result[32 + lane], 3 * (lane ^ 5));
        assert_int_equal(result[64 + lane], 3 * (lane % 16 < 13 ? lane + 3 : lane));
        assert_int_equal(result[96 + lane], 3 * (lane < 2 ? lane : lane - 2));
        assert_true((uint32_t)result[128 + lane] == 0xaaaaaaaau);
    }
}

static void check_ldmatrix(bool transposed, bool by_shuffles)
{
    uint16_t matrix[4 * 8 * 8];
    uint32_t fragment[32 * 4];
    for (int i = 0; i < 256; i++) matrix[i] = (uint16_t)(1000 + 7 * i);
    uint16_t *of_matrix = device_lend(matrix, sizeof matrix);
    uint32_t *of_fragment = device_memory(sizeof fragment);
    device_check(probe_ldmatrix(of_matrix, transposed, by_shuffles, of_fragment));
    device_unlend(matrix, of_matrix, sizeof matrix);
    device_return(fragment, of_fragment, sizeof fragment);
    for (int lane = 0; lane < 32; lane++)
        for (int m = 0; m < 4; m++)
            for (int i = 0; i < 2; i++) {
                const int row = lane / 4, column = lane % 4 * 2 + i;
                const uint16_t expected = matrix[64 * m + (transposed ? 8 * column + row : 8 * row + column)];
                assert_int_equal(fragment[4 * lane + m] >> 16 * i & 0xffff, expected);
            }
}

static void ldmatrix_spreads_matrices(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) check_ldmatrix(i % 2, i / 2);
}

static void check_mma(bool by_shuffles, uint64_t *seed)
{
    uint16_t a[16 * 16], b[16 * 8];
    float c[16 * 8];
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
    uint16_t *of_a = device_lend(a, sizeof a), *of_b = device_lend(b, sizeof b);
    float *of_c = device_lend(c, sizeof c);
    device_check(probe_mma(of_a, of_b, by_shuffles, of_c));
    device_unlend(a, of_a, sizeof a);
    device_unlend(b, of_b, sizeof b);
    device_return(c, of_c, sizeof c);
    for (int i = 0; i < 128; i++) assert_true(fabs((double)c[i] - expected[i / 8][i % 8]) < 1e-5);
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
    float from[TILES * COUNT], to[TILES * COUNT];
    for (int i = 0; i < TILES * COUNT; i++) from[i] = (float)i;
    float *of_from = device_lend(from, sizeof from), *of_to = device_memory(sizeof to);
    device_check(probe_copy(TILES, of_from, of_to));
    device_unlend(from, of_from, sizeof from);
    device_return(to, of_to, sizeof to);
    for (int tile = 0; tile < TILES; tile++)
        for (int i = 0; i < COUNT; i++) assert_true(to[tile * COUNT + i] == (float)(tile * COUNT + COUNT - 1 - i));
}

static void halves_round_to_even(void **state)
{
    (void)state;
    static const float values[] = {0, -0.0f, 1, 1.0f / 3, 65504, 65520, 1e-8f, 6e-8f, -2049, 2051, 0x1p-14f, INFINITY};
    enum { COUNT = sizeof values / sizeof *values };
    float back[COUNT] = {0};
    uint16_t to[COUNT] = {0};
    float *of_from = device_lend(values, sizeof values), *of_back = device_memory(sizeof back);
    uint16_t *of_to = device_memory(sizeof to);
    device_check(probe_half(COUNT, of_from, of_to, of_back));
    device_unlend(values, of_from, sizeof values);
    device_return(back, of_back, sizeof back);
    device_return(to, of_to, sizeof to);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(to[i], sino_half(values[i]));
        const float expected = sino_half_value(sino_half(2 * values[i])) - sino_half_value(sino_half(values[i]));
        assert_true(back[i] == expected || (isnan(back[i]) && isnan(expected)));
    }
}

#ifdef SINO_SIMT_HOST

static void faults_are_reported(void **state)
{
    (void)state;
    float *const memory = device_memory(sizeof(float[32]));
    assert_error(probe_fault(PROBE_MISSED_BARRIER, memory), SINO_FAILED,
                 "kernel fault, 1 x 1 x 1 blocks of 32 x 1 x 1 threads with 128 bytes of shared memory: a barrier that "
                 "16 of 32 threads do not reach");
    assert_error(probe_fault(PROBE_OTHER_BARRIER, memory), SINO_FAILED, "threads of a block at different barriers");
    assert_error(probe_fault(PROBE_MISSED_SHUFFLE, memory), SINO_FAILED,
                 "16 threads wait for other lanes of their warps that do not come");
    assert_error(probe_fault(PROBE_SHARED_TOO_MUCH, memory), SINO_FAILED, "allowed: 232448");
    assert_error(probe_fault(PROBE_UNWAITED_COPY, memory), SINO_FAILED, "that nothing waited for");
    assert_error(probe_sum(0, NULL, NULL, NULL), SINO_FAILED, "0 x 1 x 1 blocks; allowed: 1 to");
    device_free(memory);
}

static void overruns_are_reported(void **state)
{
    (void)state;
    float *const memory = device_memory(sizeof(float[32]));
    assert_error(probe_fault(PROBE_SHARED_OVERRUN, memory), SINO_FAILED, "beyond the dynamic shared memory");
    device_free(memory);
}

static void addresses_of_the_host_are_refused(void **state)
{
    (void)state;
    int value[32] = {0};
    assert_error(probe_race(value), SINO_FAILED, "kernel race is given ");
}

/* Ends the child by a signal, or the child ends well. */
static bool is_fatal(void (*access)(char *memory), char *memory)
{
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit no_core = {0, 0};
        (void)setrlimit(RLIMIT_CORE, &no_core);
        (void)signal(SIGSEGV, SIG_DFL); /* a sanitizer's report would be all that is seen of this test */
        access(memory);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status);
}

static void read_byte(char *memory)
{
    (void)*(volatile char *)memory;
}

static void the_host_does_not_reach_the_device(void **state)
{
    (void)state;
    char mine = 0, *const memory = device_memory(1);
    assert_false(is_fatal(read_byte, &mine));
    assert_true(is_fatal(read_byte, memory));
    device_free(memory);
}

/* Ascending order hides it, any other shows it. */
static void races_show(void **state)
{
    (void)state;
    int value[32] = {0}, wrong[3] = {0};
    for (int order = 0; order < 3; order++) {
        simt_set_order((SimtOrder)order, 1);
        int *const of_value = device_memory(sizeof value);
        assert_success(probe_race(of_value));
        device_return(value, of_value, sizeof value);
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
        cmocka_unit_test(addresses_of_the_host_are_refused),
        cmocka_unit_test(the_host_does_not_reach_the_device),
        cmocka_unit_test(races_show),
#endif
    };
    device_needed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
