/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory: the peak of a run is at most the figure of its plan and does not grow with the number of slices.
 *
 * memory_peak quick: small scans, as a test. memory_peak full: 512² and 512 slices, as a benchmark. */
#include "cli.h"

#include <starpu_config.h>

/* A StarPU with CUDA takes more before anything is computed; sino_runtime_base_bytes counts it. */
#ifdef STARPU_USE_CUDA
enum { MORE_BASE_MIB = 192 };
#else
enum { MORE_BASE_MIB = 0 };
#endif

typedef struct Case {
    const char *scan;      /* --size and --angles of the phantom */
    int few, many;         /* slices */
    int memory_mib;        /* --memory, with Debian's StarPU */
    const char *arguments; /* of recon */
} Case;

static const Case quick_case[] = {
    {"--size 128 --angles 60", 128, 512, 144, "--rotation-axis 63.5 --algorithm cg --iterations 2"},
    {"--size 128 --angles 60", 128, 512, 128, "--rotation-axis 63.5 --algorithm fbp"},
    {"--size 128 --angles 60", 128, 256, 1024, "--algorithm cg --iterations 2 --save-format both"},
    {"--size 256 --angles 180", 1, 4, 1024, "--rotation-axis 127.5 --algorithm cg --iterations 1 --partitions 4"},
    /* Blocks that are smaller than a large page. */
    {"--size 256 --angles 60", 1, 2, 1024,
     "--rotation-axis 127.5 --algorithm cg --iterations 1 --partitions 200 --symmetry no"},
    /* Less than the operator: a few of its partitions at a time. */
    {"--size 256 --angles 180", 1, 4, 160,
     "--rotation-axis 127.5 --algorithm cg --iterations 1 --symmetry no --projector rays"},
    /* Built and kept with few slices, read and mapped with many. */
    {"--size 256 --angles 180", 8, 12, 1024,
     "--rotation-axis 127.5 --algorithm cg --iterations 1 --operator-cache cache"},
};

static const Case full_case[] = {
    {"--size 512 --angles 60", 64, 512, 640, "--rotation-axis 255.5 --algorithm cg --iterations 2"},
    {"--size 512 --angles 60", 64, 512, 460, "--rotation-axis 255.5 --algorithm cg --iterations 2"},
    {"--size 512 --angles 60", 64, 512, 640, "--rotation-axis 255.5 --algorithm fbp"},
    {"--size 512 --angles 60", 64, 512, 2048, "--algorithm sirt --iterations 2 --precision double"},
    {"--size 512 --angles 400", 1, 8, 4096, "--rotation-axis 255.5 --algorithm cg --iterations 1"},
};

static const Case *chosen = quick_case;
static int chosen_count = sizeof quick_case / sizeof *quick_case;

/* The plan's total, from "…, memory: 499 MiB of 512 MiB", which has three digits. */
static int64_t planned_bytes(const char *err)
{
    const char *unit;
    const double number = cli_number_after(err, ", memory: ", &unit);
    assert_true(strncmp(unit, " MiB of ", 8) == 0 || strncmp(unit, " GiB of ", 8) == 0);
    return (int64_t)(1.005 * number * (unit[1] == 'M' ? 0x1p20 : 0x1p30));
}

static int64_t peak_bytes(const char *directory, const Case *the, int slices)
{
    CliRun run = {.directory = directory, .environment = "STARPU_NCPU=2"}; /* slots are two per worker */
    cli_works(directory, "phantom -o scan.h5 --overwrite --slices %d %s", slices, the->scan);
    cli_start(&run, "recon scan.h5 -o out.h5 --overwrite %s --memory %dMiB", the->arguments,
              the->memory_mib + MORE_BASE_MIB);
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("exit code %d\n%s", run.exit_code, run.err);
    const int64_t planned = planned_bytes(run.err);
    print_message("%4d slices %-24s peak %7.1f MiB of %7.1f planned %7.1f s  --memory %dMiB %s\n", slices, the->scan,
                  (double)run.peak_bytes / 0x1p20, (double)planned / 0x1p20, run.elapsed_s,
                  the->memory_mib + MORE_BASE_MIB, the->arguments);
    if (run.peak_bytes > planned) fail_msg("the peak is above the plan");
    const int64_t peak = run.peak_bytes;
    cli_free(&run);
    return peak;
}

static void peak_does_not_grow(void **state)
{
    for (int i = 0; i < chosen_count; i++) {
        const Case *the = &chosen[i];
        const double few = (double)peak_bytes(*state, the, the->few), many = (double)peak_bytes(*state, the, the->many);
        if (the->few >= 16 && many > 1.1 * few) fail_msg("with %d slices the peak is higher", the->many);
    }
}

int main(int argument_count, char **arguments)
{
    const struct CMUnitTest tests[] = {CLI_TEST(peak_does_not_grow)};
    if (argument_count > 1 && strcmp(arguments[1], "full") == 0) {
        chosen = full_case;
        chosen_count = sizeof full_case / sizeof *full_case;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
