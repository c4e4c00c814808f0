/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank speeds: processors of a rank add up, by times of such products alone. */
#include "projector_cost.h"

#include "models.h"
#include "testing.h"

#include <math.h>
#include <sys/stat.h>

enum { NONZEROS = 100000, SLICES = 16, CORE_US = 1600, DEVICE_US = 400 };

/* A minibatch of 16 slices of one partition. */
static SinoRunPlan plan_of(double nonzeros)
{
    return (SinoRunPlan){.problem = {.projector = SINO_PROJECTOR_RAYS},
                         .division = {.topology = {.rank_count = 1, .node_count = 1, .sockets = 1, .workers = 1}},
                         .streaming = {.minibatch = SLICES},
                         .size = {.nonzero_count = nonzeros, .all_bytes = (int64_t)(2 * nonzeros)},
                         .partition_count = 1};
}

static void add(SinoSampleTable *table, const char *symbol, unsigned device, double us)
{
    SinoSampleEntry entry = {.device = device, .footprint = 7, .width = SLICES, .precision = 1, .variant = 5};
    uint64_t random = 3;
    snprintf(entry.symbol, sizeof entry.symbol, "%s", symbol);
    for (int i = 0; i < 9; i++)
        sino_sample_add(&entry, 2. * NONZEROS * SLICES, 2. * NONZEROS * SLICES, 3. * NONZEROS, us, &random);
    assert_success(sino_sample_table_add(table, &entry));
}

/* Cores and an OpenCL device have computed both products; a GPU, one of them. */
static void keep_times(const char *directory)
{
    SinoSampleTable table = {0};
    SinoModelFile file = {0};
    char path[TESTING_PATH];
    snprintf(path, sizeof path, "%s/codelets", directory);
    assert_int_equal(mkdir(path, 0700), 0);
    add(&table, "sinodag_spmm_project", SINO_DEVICE_CPU, 1.5 * CORE_US);
    add(&table, "sinodag_spmm_backproject", SINO_DEVICE_CPU, 0.5 * CORE_US);
    add(&table, "sinodag_spmm_project", SINO_DEVICE_OPENCL, DEVICE_US);
    add(&table, "sinodag_spmm_backproject", SINO_DEVICE_OPENCL, DEVICE_US);
    add(&table, "sinodag_spmm_project", SINO_DEVICE_CUDA, DEVICE_US);
    FILE *out = open_memstream(&file.text, &file.bytes);
    assert_non_null(out);
    sino_sample_table_print(&table, out);
    assert_int_equal(fclose(out), 0);
    char *name = sino_models_kept_samples_path(directory);
    assert_non_null(name);
    assert_true(sino_model_file_write(name, &file));
    free(name);
    sino_model_file_free(&file);
    sino_sample_table_free(&table);
}

static void processors_add_up(void **state)
{
    static const struct {
        unsigned kinds;
        int64_t cores, devices;
        double speed; /* of a core's */
    } rows[] = {{SINO_DEVICE_CPU, 1, 0, 1},
                {SINO_DEVICE_CPU, 6, 0, 6},
                {SINO_DEVICE_CPU | SINO_DEVICE_OPENCL, 2, 3, 14},
                {SINO_DEVICE_OPENCL, 2, 3, 12},
                {SINO_DEVICE_CUDA, 2, 1, 0},
                {SINO_DEVICE_CPU | SINO_DEVICE_CUDA, 2, 1, 0},
                {SINO_DEVICE_CUDA | SINO_DEVICE_OPENCL, 2, 2, 0}};
    const double core = 1e6 * SLICES / CORE_US;
    SinoMachineFile machine;
    SinoTaskCosts *costs;
    const SinoRunPlan plan = plan_of(NONZEROS), near = plan_of(1.1 * NONZEROS);
    keep_times(*state);
    assert_true(sino_machine_preset("here", &machine));
    assert_success(sino_task_costs_open(*state, &machine, &costs));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double speed = sino_rank_speed(&plan, costs, rows[i].kinds, rows[i].cores, rows[i].devices);
        if (fabs(speed - core * rows[i].speed) > 1e-3 * core) fail_msg("row %zu: %g cores", i, speed / core);
    }
    assert_true(fabs(sino_rank_speed(&near, costs, SINO_DEVICE_CPU, 1, 0) * 1.1 / core - 1) < 0.1);
    assert_true(sino_rank_speed(&plan, NULL, SINO_DEVICE_CPU, 1, 0) == 0);
    sino_task_costs_free(costs);
}

TESTING_SUBJECT(rank_speeds)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(processors_add_up, testing_directory_make, testing_directory_remove)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
