/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone model: predictions beside the measurements of its paper, laws that hold for any machine, and the report. */
#include "cone_model.h"

#include "plan_report.h"
#include "testing.h"

#include <math.h>

static SinoConeGrid choose(const SinoConeMachine *machine, const SinoConeProblem *problem, int64_t ranks)
{
    SinoConeGrid grid = {0};
    assert_success(sino_cone_grid_choose(machine, problem, ranks, &grid));
    return grid;
}

static SinoConeTimes predict(const SinoConeMachine *machine, const SinoConeProblem *problem, int64_t ranks)
{
    return sino_cone_times(machine, problem, choose(machine, problem, ranks));
}

/* Prints a prediction over what was measured; asserts that it is within the factor `allowed`. */
static double compare(const char *what, const SinoConePublished *row, double predicted, double measured, double allowed)
{
    const double ratio = predicted / measured;
    print_message("%ld^3 on %4ld ranks: %-12s %6.2f, measured %6.2f: %.2f\n", row->size, row->rank_count, what,
                  predicted, measured, ratio);
    assert_true(ratio <= allowed && ratio >= 1 / allowed);
    return ratio;
}

/* Table 5. The paper reaches 76 % of its own model. */
static void table_of_the_paper_is_predicted(void **state)
{
    (void)state;
    double reached = 0;
    for (const SinoConePublished *row = sino_cone_published; row < sino_cone_published + SINO_CONE_PUBLISHED_COUNT;
         row++) {
        const SinoConeProblem problem = sino_cone_published_problem(row);
        const SinoConeGrid grid = choose(&sino_cone_abci, &problem, row->rank_count);
        const SinoConeTimes times = sino_cone_times(&sino_cone_abci, &problem, grid);
        assert_int_equal(grid.rows, row->rows);
        assert_int_equal(grid.rows * grid.columns, row->rank_count);
        if (row->filter > 0)
            compare("load, filter", row, times.load + times.filter, row->filter, 1.05);
        else
            assert_true(times.load + times.filter < 0.7);
        compare("gather", row, times.gather, row->gather, 1.21);
        compare("backproject", row, times.backproject, row->backproject, 1.14);
        compare("overlap", row, times.overlap, row->overlap, 1.5);
        reached += compare("compute", row, times.compute, row->compute, 1.48) / SINO_CONE_PUBLISHED_COUNT;
        assert_true(times.compute < row->compute); /* a bound: the paper's threads wait for each other */
    }
    print_message("measured computation reaches %.2f of the model on average\n", reached);
    assert_true(fabs(reached - 0.76) < 0.05);
}

static void figures_of_the_text_are_predicted(void **state)
{
    (void)state;
    const SinoConeProblem small = sino_cone_published_problem(&sino_cone_published[3]);
    const SinoConeProblem large = sino_cone_published_problem(&sino_cone_published[7]);
    const SinoConeTimes four = predict(&sino_cone_abci, &small, 256), eight = predict(&sino_cone_abci, &large, 2048);
    assert_true(four.run < 30 && eight.run < 120); /* "within 30 seconds and 2 minutes" */
    assert_true(fabs(four.from_device - 2.6) < 0.01 && fabs(four.reduce - 2.7) < 0.01);
    assert_true(fabs(four.transpose - 0.29) < 0.01);
    assert_true(fabs(four.store / 9.0 - 1) < 0.1 && fabs(eight.store / 79 - 1) < 0.1);
    SinoConeProblem least = small; /* Fig. 7: 2048³ on 16 GPUs, R = C = 4, 1134·2³⁰ updates per second */
    least.x_count = least.y_count = least.z_count = 2048;
    const SinoConeGrid grid = choose(&sino_cone_abci, &least, 16);
    assert_true(grid.rows == 4 && grid.columns == 4);
    const double gups = sino_cone_times(&sino_cone_abci, &least, grid).gups * 1e9 / 0x1p30;
    print_message("2048^3 on 16 ranks: %.0f 2^30 updates per second, measured 1134\n", gups);
    assert_true(gups > 1134 && gups * 0.65 < 1134);
}

/* Twice the ranks, faster parts and fewer bytes never make a run slower. */
static void more_is_never_slower(void **state)
{
    (void)state;
    for (int64_t size = 256; size <= 8192; size *= 2) {
        const SinoConePublished row = {.size = size};
        const SinoConeProblem problem = sino_cone_published_problem(&row);
        for (int64_t ranks = 256; ranks <= 1 << 20; ranks *= 2) {
            const SinoConeTimes once = predict(&sino_cone_abci, &problem, ranks);
            const SinoConeTimes twice = predict(&sino_cone_abci, &problem, 2 * ranks);
            assert_true(twice.compute <= once.compute * (1 + 1e-12));
            assert_true(twice.filter <= once.filter && twice.gather <= once.gather * (1 + 1e-12));
            assert_true(twice.gather_bytes <= once.gather_bytes && once.run >= once.compute);
        }
    }
}

static void each_rate_shortens_its_step(void **state)
{
    (void)state;
    const SinoConeProblem problem = sino_cone_published_problem(&sino_cone_published[2]);
    const SinoConeGrid grid = choose(&sino_cone_abci, &problem, 128);
    const SinoConeTimes before = sino_cone_times(&sino_cone_abci, &problem, grid);
    SinoConeProblem narrow = problem;
    narrow.sample_bytes = 2;
    const SinoConeTimes half = sino_cone_times(&sino_cone_abci, &narrow, grid);
    assert_true(half.gather == before.gather / 2 && half.gather_bytes == before.gather_bytes / 2);
    assert_true(half.to_device == before.to_device / 2 && half.load == before.load && half.reduce == before.reduce);
    SinoConeMachine fast = sino_cone_abci;
    double *const rates[] = {&fast.load_gbps,   &fast.store_gbps,      &fast.filter_gpixels, &fast.link_gbps,
                             &fast.copy_gbps,   &fast.to_device_gbps,  &fast.transpose_gbps, &fast.from_device_gbps,
                             &fast.reduce_gbps, &fast.backproject_gups};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) *rates[i] *= 2;
    const SinoConeTimes after = sino_cone_times(&fast, &problem, grid);
    assert_true(fabs(after.run / before.run - 0.5) < 1e-12 && fabs(after.overlap / before.overlap - 1) < 1e-12);
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) *rates[i] = 0;
    fast.backproject_gups = 100;
    const SinoConeTimes bare = sino_cone_times(&fast, &problem, grid);
    assert_true(bare.run == bare.backproject && bare.overlap == 1 && fabs(bare.gups / 12800 - 1) < 1e-12);
}

/* One rank gathers and reduces nothing; ranks of one node send nothing to other nodes. */
static void ranks_that_have_all_send_nothing(void **state)
{
    (void)state;
    const SinoConePublished row = {.size = 512};
    const SinoConeProblem problem = sino_cone_published_problem(&row);
    const SinoConeTimes one = predict(&sino_cone_abci, &problem, 1);
    assert_true(one.gather == 0 && one.gather_bytes == 0 && one.reduce == 0 && one.reduce_bytes == 0);
    const SinoConeTimes node = sino_cone_times(&sino_cone_abci, &problem, (SinoConeGrid){4, 1});
    const double bytes = 2048.0 * 2048 * 4096 * 4 * 3 / 4;
    assert_true(node.gather_bytes == bytes && fabs(node.gather / (4 * bytes / 8.9e9) - 1) < 1e-12);
    const SinoConeTimes nodes = sino_cone_times(&sino_cone_abci, &problem, (SinoConeGrid){8, 1});
    assert_true(nodes.gather > nodes.gather_bytes / 8.4e9);
}

static void refuse(const SinoConeMachine *machine, const SinoConeProblem *problem, int64_t ranks, const char *text)
{
    SinoConeGrid grid = {-1, -1};
    assert_error(sino_cone_grid_choose(machine, problem, ranks, &grid), SINO_BAD_INPUT, text);
    assert_int_equal(grid.rows, -1);
}

/* Eq. 7: R halves as memory doubles; what fits no grid is refused. */
static void grid_fits_memory(void **state)
{
    (void)state;
    const SinoConeProblem problem = sino_cone_published_problem(&sino_cone_published[0]);
    SinoConeMachine machine = sino_cone_abci;
    for (int64_t gib = 16, rows = 32; gib <= 512; gib *= 2, rows /= 2) {
        machine.memory_bytes = gib << 30;
        assert_int_equal(choose(&machine, &problem, 32).rows, rows);
        assert_int_equal(choose(&machine, &problem, 100).columns, 100 / rows);
    }
    assert_int_equal(choose(&machine, &problem, 1000000).columns, 4096); /* no more than projections */
    machine.memory_bytes = ((int64_t)8 << 30) + ((int64_t)1 << 29);
    assert_int_equal(choose(&machine, &problem, 32).rows, 32); /* part and block, to the byte */
    machine.memory_bytes--;
    assert_int_equal(choose(&machine, &problem, 64).rows, 64);
    refuse(&machine, &problem, 63, "63 ranks | 8.50 GiB | 256 GiB | 64 ranks");
    machine.memory_bytes = 1 << 20;
    refuse(&machine, &problem, 63, "1.00 MiB | 576 MiB | 32 projections");
}

static void rates_of_a_machine_are_taken(void **state)
{
    (void)state;
    SinoMachine machine = {
        .worker_count = 10, .memory_bytes = 1000, .rates = {.memory_gbps = 20, .link_gbps = 12.5, .file_gbps = 3}};
    const SinoConeKernelRates kernels = {.backproject_gups = 40, .filter_gpixels = 2, .device_gbps = 0};
    const SinoConeMachine cores = sino_cone_machine_of(&machine, 2, &kernels);
    assert_true(cores.memory_bytes == 1000 && cores.ranks_per_node == 2 && cores.run_voxels == 16);
    assert_true(cores.load_gbps == 3 && cores.store_gbps == 3 && cores.link_gbps == 25 && cores.reduce_gbps == 12.5);
    assert_true(cores.copy_gbps == 200 && cores.transpose_gbps == 100 && cores.filter_gpixels == 4);
    assert_true(cores.backproject_gups == 40 && cores.to_device_gbps == 0 && cores.from_device_gbps == 0);
    machine.devices.bytes = 500;
    machine.devices.count = 4;
    assert_int_equal(sino_cone_machine_of(&machine, 2, &kernels).memory_bytes, 2000);
}

/* What `print` writes; the caller frees it. */
static char *printed(void (*print)(const SinoConeModelReport *, FILE *))
{
    const SinoConeProblem problem = {1024, 800, 1440, 1024, 1000, 600, 2, 32, 1};
    const SinoMachine machine = {.worker_count = 16,
                                 .memory_bytes = (int64_t)1 << 30,
                                 .rates = {.memory_gbps = 20, .link_gbps = 12.5, .file_gbps = 1}};
    const SinoConeKernelRates kernels = {60, 1, 0};
    SinoConeModelReport report = {
        .machine = sino_cone_machine_of(&machine, 1, &kernels), .problem = problem, .why = "given"};
    report.grid = choose(&report.machine, &problem, 9);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    print(&report, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void report_shows_run_and_table(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "grid         4x2: the volume in 4, the projections in 2 (given)\n",
        "gathered     844 MiB by each rank, of 2 bytes per pixel\n", "reduced      586 MiB of each rank\n",
        "  4096^3      32   32x1    1.4  1.4   37.8 31.4   52.8 54.8   52.8  70.2  1.7 1.2      2.9    9.6   65.3\n",
        "  8192^3    2048  256x8    0.2 <0.7    7.9  8.6   11.8 10.4   11.8  17.2  1.7 1.2      5.6   77.2   94.5\n"};
    char *text = printed(sino_cone_model_print);
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        print_message("%.*s\n", (int)(end - line), line);
        assert_true(end - line <= 120);
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(text, parts[i])) fail_msg("not printed: %s", parts[i]);
    free(text);
    text = printed(sino_cone_model_json);
    assert_true(text[0] == '{' && strstr(text, "\"columns\": 2") && strstr(text, "\"backproject\": "));
    assert_non_null(strstr(text, "\"reduce\": 614400000"));
    free(text);
}

TESTING_SUBJECT(cone_model)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_of_the_paper_is_predicted),
        cmocka_unit_test(figures_of_the_text_are_predicted),
        cmocka_unit_test(more_is_never_slower),
        cmocka_unit_test(each_rate_shortens_its_step),
        cmocka_unit_test(ranks_that_have_all_send_nothing),
        cmocka_unit_test(grid_fits_memory),
        cmocka_unit_test(rates_of_a_machine_are_taken),
        cmocka_unit_test(report_shows_run_and_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
