/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce on a GPU: sums over footprints and their mirror image are those of the CPU, to the bit. */
#include "reduce_cuda.h"

#include "device.h"
#include "reference_operator.h"
#include "testing.h"

static size_t bytes_of(SinoSlices slices, int64_t rows)
{
    return (size_t)(rows * slices.stride) * sino_precision_bytes(slices.precision);
}

static void *random_vector(SinoSlices slices, int64_t rows, uint64_t *seed)
{
    void *values = device_memory(bytes_of(slices, rows));
    for (int64_t i = 0; i < rows * slices.stride; i++)
        testing_set_element(slices.precision, values, i, reference_random(seed));
    return values;
}

static void *copy_of(const void *memory, size_t bytes)
{
    void *copy = device_memory(bytes);
    memcpy(copy, memory, bytes);
    return copy;
}

/* Partial sums of which the first clears the total, and the total taken back. */
static void check_partial(SinoSlices slices, const SinoFootprint *footprint, bool first, int64_t rays, uint64_t *seed)
{
    const size_t partial_bytes = bytes_of(slices, footprint->ray_count), total_bytes = bytes_of(slices, rays);
    void *partial = random_vector(slices, footprint->ray_count, seed), *total = random_vector(slices, rays, seed);
    void *expected = copy_of(total, total_bytes), *taken = copy_of(partial, partial_bytes);
    sino_reduce_add(slices, footprint, partial, first, rays, expected);
    assert_success(sino_reduce_add_cuda(NULL, slices, footprint, partial, first, rays, total));
    assert_success(device_wait());
    assert_memory_equal(total, expected, total_bytes);
    sino_spread_take(slices, footprint, rays, total, taken);
    assert_success(sino_spread_take_cuda(NULL, slices, footprint, rays, total, partial));
    assert_success(device_wait());
    assert_memory_equal(partial, taken, partial_bytes);
    device_free(partial);
    device_free(total);
    device_free(expected);
    device_free(taken);
}

static void check_footprints(SinoSlices slices, int64_t rays, uint64_t *seed)
{
    uint32_t *ray = device_memory((size_t)rays * sizeof *ray);
    const double chances[] = {0, 0.05, 0.5, 1};
    for (int i = 0; i < 8; i++) {
        SinoFootprint footprint = {.ray = ray};
        for (int64_t r = 0; r < rays; r++)
            if ((reference_random(seed) + 1) / 2 < chances[i / 2]) ray[footprint.ray_count++] = (uint32_t)r;
        check_partial(slices, &footprint, i % 2, rays, seed);
    }
    check_partial(slices, &(SinoFootprint){.ray_count = rays, .ray = NULL}, true, rays, seed);
    device_free(ray);
}

static void sums_and_takes_are_the_cpus(void **state)
{
    (void)state;
    static const int counts[] = {1, 2, 3, 8, 16, 17, 20, 32, 33, 48, 64, 256};
    static const int rays[] = {0, 1, 7, 100, 1501};
    uint64_t seed = 3;
    for (size_t s = 0; s < sizeof counts / sizeof *counts; s++)
        for (size_t r = 0; r < sizeof rays / sizeof *rays; r++)
            for (int p = 0; p < 2; p++) {
                const SinoPrecision precision = p ? SINO_DOUBLE : SINO_SINGLE;
                const SinoSlices slices = {precision, sino_panel_stride(precision, counts[s]), counts[s]};
                check_footprints(slices, rays[r], &seed);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_takes_are_the_cpus),
    };
    device_needed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
