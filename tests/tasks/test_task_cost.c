/* SPDX-License-Identifier: BSD-3-Clause */
/* Task cost: measurements, curves and rates have their turn, each with its error. */
#include "models.h"

#include "panel.h"
#include "testing.h"

#include <math.h>
#include <sys/stat.h>

static const SinoMachineFile machine = {.cores = 2,
                                        .core = {.gflops = 50, .memory_gbps = 10, .task_us = 2},
                                        .device_kind = SINO_DEVICE_CUDA,
                                        .device_count = 1,
                                        .device = {.gflops = 5000, .memory_gbps = 1000, .task_us = 10}};

static SinoTaskFeatures task_of(double nonzeros, int64_t width)
{
    return (SinoTaskFeatures){.symbol = "sinodag_spmm",
                              .footprint =
                                  (uint32_t)lround(8 * log2(nonzeros * (double)width)) + 1000 * (uint32_t)width,
                              .work = nonzeros * (double)width,
                              .flops = 2 * nonzeros * (double)width,
                              .bytes = (int64_t)(2 * nonzeros),
                              .width = width,
                              .precision = 1,
                              .variant = 5};
}

/* The time that is measured: A at 5 GB/s for each panel, and 40 GFLOP/s. */
static double true_s(double nonzeros, double width)
{
    const double panels = ceil(width / (double)sino_panel_width(SINO_SINGLE));
    return 1e-5 + panels * 2 * nonzeros / 5e9 + 2 * nonzeros * width / 40e9;
}

static void add_times(SinoSampleTable *table, double nonzeros, int64_t width)
{
    const SinoTaskFeatures task = task_of(nonzeros, width);
    SinoSampleEntry entry = {.device = SINO_DEVICE_CPU,
                             .footprint = task.footprint,
                             .width = width,
                             .precision = task.precision,
                             .variant = task.variant};
    uint64_t random = 3;
    snprintf(entry.symbol, sizeof entry.symbol, "%s", task.symbol);
    for (int i = 0; i < 9; i++)
        sino_sample_add(&entry, task.work, task.flops, (double)task.bytes,
                        1e6 * true_s(nonzeros, (double)width) * (0.98 + 0.005 * i), &random);
    assert_success(sino_sample_table_add(table, &entry));
}

/* Between tasks under a policy, before tasks of a class of bytes; alike, but for one disturbance. */
static void add_between(SinoSampleTable *table, const char *policy, int64_t bytes, int count, double us)
{
    SinoSampleEntry entry = {.device = SINO_DEVICE_CPU};
    uint64_t random = 3;
    sino_between_symbol(policy, entry.symbol);
    for (int i = 0; i < count; i++)
        sino_sample_add(&entry, 0, 0, sino_between_bytes(sino_between_class(bytes)), i == 0 ? 1e4 : us, &random);
    assert_success(sino_sample_table_add(table, &entry));
}

/* Writes what runs with 10⁵ … 1.6·10⁶ nonzeros, F = 8 and 32, have kept. */
static void keep_runs(const char *directory, char path[TESTING_PATH])
{
    SinoSampleTable table = {0};
    SinoModelFile file = {0};
    snprintf(path, TESTING_PATH, "%s/codelets", directory);
    assert_true(mkdir(path, 0700) == 0 || access(path, F_OK) == 0);
    for (int s = 0; s < 5; s++) {
        add_times(&table, ldexp(1e5, s), 8);
        add_times(&table, ldexp(1e5, s), 32);
    }
    add_between(&table, "lws", 1000, 9, 6);
    add_between(&table, "lws", 10 << 20, 9, 20);
    add_between(&table, "dmda", 10 << 20, 5, 30);
    FILE *out = open_memstream(&file.text, &file.bytes);
    assert_non_null(out);
    sino_sample_table_print(&table, out);
    assert_int_equal(fclose(out), 0);
    char *name = sino_models_kept_samples_path(directory);
    assert_non_null(name);
    snprintf(path, TESTING_PATH, "%s", name);
    assert_true(sino_model_file_write(path, &file));
    free(name);
    sino_model_file_free(&file);
    sino_sample_table_free(&table);
}

static void expect(const SinoTaskCosts *costs, unsigned device, SinoTaskFeatures task, SinoCostSource wanted,
                   double seconds, double within)
{
    SinoCostSource source;
    double error;
    const double told = sino_task_cost_s(costs, device, &task, &source, &error);
    if (source != wanted || !(fabs(told / seconds - 1) <= within) ||
        !(error >= 0.03 && error <= (task.flops > 0 ? 1 : 4)))
        fail_msg("%g s instead of %g, %s, error %g", told, seconds, sino_cost_source_name(source), error);
    assert_true(sino_task_cost_s(costs, device, &task, NULL, NULL) == told);
}

static void sources_have_their_turn(void **state)
{
    char path[TESTING_PATH];
    SinoTaskCosts *costs;
    keep_runs(*state, path);
    assert_success(sino_task_costs_open(*state, &machine, &costs));
    expect(costs, SINO_DEVICE_CPU, task_of(4e5, 8), SINO_COST_MEASURED, true_s(4e5, 8), 0.01);
    SinoTaskFeatures near = task_of(4e5, 8); /* of the same footprint */
    near.work *= 1.03;
    near.bytes = (int64_t)(1.03 * (double)near.bytes);
    expect(costs, SINO_DEVICE_CPU, near, SINO_COST_MEASURED, true_s(1.03 * 4e5, 8), 0.01);
    expect(costs, SINO_DEVICE_CPU, task_of(5.3e5, 8), SINO_COST_FITTED, true_s(5.3e5, 8), 0.03);
    expect(costs, SINO_DEVICE_CPU, task_of(4e5, 16), SINO_COST_FITTED, true_s(4e5, 16), 0.03);
    expect(costs, SINO_DEVICE_CPU, task_of(1e7, 64), SINO_COST_FITTED, true_s(1e7, 64), 0.1);
    SinoTaskFeatures other = task_of(5.3e5, 8); /* reads or writes other data */
    other.variant = 6;
    expect(costs, SINO_DEVICE_CPU, other, SINO_COST_FITTED, true_s(5.3e5, 8), 0.03);
    expect(costs, SINO_DEVICE_CUDA, task_of(4e5, 8), SINO_COST_RATE, 1e-5 + 6.4e6 / 5e12, 1e-9);
    SinoTaskFeatures twice = task_of(4e5, 8);
    twice.precision = 2;
    expect(costs, SINO_DEVICE_CPU, twice, SINO_COST_RATE, 2e-6 + 2 * 6.4e6 / 50e9, 1e-9);
    twice.symbol = "sinodag_new";
    twice.flops = 0;
    expect(costs, SINO_DEVICE_CPU, twice, SINO_COST_RATE, 2e-6 + 8e5 / 10e9, 1e-9);
    assert_true(isinf(sino_task_cost_s(costs, SINO_DEVICE_OPENCL, &twice, NULL, NULL)));
    sino_task_costs_free(costs);
}

static void rates_are_left(void **state)
{
    char path[TESTING_PATH];
    SinoTaskCosts *costs;
    assert_success(sino_task_costs_open(NULL, &machine, &costs));
    expect(costs, SINO_DEVICE_CPU, task_of(4e5, 8), SINO_COST_RATE, 2e-6 + 6.4e6 / 50e9, 1e-9);
    sino_task_costs_free(costs);
    assert_success(sino_task_costs_open(*state, &machine, &costs)); /* nothing there */
    expect(costs, SINO_DEVICE_CPU, task_of(4e5, 8), SINO_COST_RATE, 2e-6 + 6.4e6 / 50e9, 1e-9);
    sino_task_costs_free(costs);
    keep_runs(*state, path);
    assert_int_equal(truncate(path, 300), 0);
    assert_success(sino_task_costs_open(*state, &machine, &costs)); /* damaged */
    expect(costs, SINO_DEVICE_CPU, task_of(4e5, 8), SINO_COST_RATE, 2e-6 + 6.4e6 / 50e9, 1e-9);
    sino_task_costs_free(costs);
}

/* Far from everything that was measured, rates are as good. */
static void far_curves_give_way(void **state)
{
    char path[TESTING_PATH];
    SinoTaskCosts *costs;
    keep_runs(*state, path);
    assert_success(sino_task_costs_open(*state, &machine, &costs));
    expect(costs, SINO_DEVICE_CPU, task_of(1e10, 8), SINO_COST_RATE, 2e-6 + 3.2, 1e-9);
    sino_task_costs_free(costs);
}

/* The policy's own times come first, of the class nearest to the task's; then those of the policy with most tasks. */
static void policies_have_their_own_times(void **state)
{
    char path[TESTING_PATH];
    SinoTaskCosts *costs;
    keep_runs(*state, path);
    assert_success(sino_task_costs_open(*state, &machine, &costs));
    assert_true(fabs(sino_task_between_s(costs, "lws", 64) - 6e-6) < 1e-9);
    assert_true(fabs(sino_task_between_s(costs, "lws", 10000) - 6e-6) < 1e-9);
    assert_true(fabs(sino_task_between_s(costs, "lws", INT64_MAX) - 20e-6) < 1e-9);
    assert_true(fabs(sino_task_between_s(costs, "dmda", 64) - 30e-6) < 1e-9);
    assert_true(fabs(sino_task_between_s(costs, "another", 10 << 20) - 20e-6) < 1e-9);
    sino_task_costs_free(costs);
    assert_success(sino_task_costs_open(NULL, &machine, &costs));
    assert_true(sino_task_between_s(costs, "lws", 64) == 0);
    sino_task_costs_free(costs);
}

static void cores_that_add_little(void **state)
{
    (void)state;
    const unsigned all = SINO_DEVICE_ALL, cuda = SINO_DEVICE_CUDA, both = SINO_DEVICE_CPU | SINO_DEVICE_CUDA;
    assert_true(sino_devices_iterate_alone(all, NULL, 9 * 4.3, 3 * 120));
    assert_true(sino_devices_iterate_alone(all, "dmdas", 9 * 4.3, 3 * 120));
    assert_false(sino_devices_iterate_alone(all, "sino-affinity", 9 * 4.3, 3 * 120));
    assert_false(sino_devices_iterate_alone(all, NULL, 9 * 5.1, 3 * 120));
    assert_false(sino_devices_iterate_alone(all, NULL, 9 * 4.3, 0)); /* nobody knows the rate of the devices */
    assert_false(sino_devices_iterate_alone(both, NULL, 9 * 4.3, 3 * 120));
    assert_true(sino_devices_iterate_alone(cuda, NULL, 9 * 5.1, 3 * 120));
}

TESTING_SUBJECT(task_cost)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sources_have_their_turn, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(rates_are_left, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(far_curves_give_way, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(policies_have_their_own_times, testing_directory_make,
                                        testing_directory_remove),
        cmocka_unit_test(cores_that_add_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
