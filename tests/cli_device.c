/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, devices: a reconstruction on devices gives the same volume and is computed there, with transfers and
 * eviction. A device that is absent is refused. SINODAG_TEST_DEVICE names the devices: opencl (the default), where PoCL
 * uses the cores; cuda; or simt, where the host plays CUDA GPUs. */
#include "cli.h"

#include <math.h>

enum { SIZE = 48, SLICES = 5, TESTING_SKIPPED = 77 };

static const char scan[] = "phantom -o scan.h5 --size 48 --angles 36 --slices 5";

/* One kind of devices, and how StarPU and the profile call them. */
typedef struct Kind {
    const char *name, *device, *with_cores, *place, *node;
    const char *one_device; /* the variable that makes it one */
    const char *least_memory,
        *little_memory; /* the environment: too little for any task, and for all of them at once */
    /* A scan of which no device of little memory holds all data, and iterations in which they come and go. */
    int large_size, large_angles;
    const char *large_words;
} Kind;

static const Kind kinds[] = {
    {"opencl", "opencl", "cpu,opencl", " on opencl", "OpenCL", "STARPU_NOPENCL", "STARPU_LIMIT_OPENCL_MEM=1",
     "STARPU_LIMIT_OPENCL_MEM=8", 48, 180, "--partitions 6 --algorithm cg --iterations 8"},
    /* StarPU takes memory of GPUs in pieces of 32 MiB. */
    {"cuda", "cuda", "cpu,cuda", " on cuda", "CUDA", "STARPU_NCUDA", "STARPU_LIMIT_CUDA_MEM=1",
     "STARPU_LIMIT_CUDA_MEM=256", 256, 360, "--partitions 24 --algorithm cg --iterations 8"},
    /* GPUs that the host plays (tests/simt): slowly. With this little memory lists are for cores. */
    {"simt", "cuda", "cpu,cuda", " on cuda", "CUDA", "STARPU_NCUDA", "STARPU_LIMIT_CUDA_MEM=1",
     "STARPU_LIMIT_CUDA_MEM=42", 96, 120, "--partitions 24 --algorithm cg --iterations 2 --precision double"},
};

static const Kind *kind(void)
{
    const char *wanted = getenv("SINODAG_TEST_DEVICE");
    const Kind *of = kinds;
    while (wanted && of < kinds + sizeof kinds / sizeof *kinds - 1 && strcmp(of->name, wanted) != 0) of++;
    return of;
}

/* Whether it builds the operator, and has kernels for every other task, too. */
static bool is_cuda(void)
{
    return strcmp(kind()->device, "cuda") == 0;
}

/* The volume of scan.h5, of `slices` slices of `size` columns. */
static float *volume_sized(const char *directory, int slices, int size, const char *environment, const char *device,
                           const char *words, CliRun *run)
{
    *run = (CliRun){.directory = directory, .environment = environment};
    cli_start(run, "recon scan.h5 -o out.h5 --overwrite --rotation-axis %g --profile --device %s %s",
              (double)(size - 1) / 2, device, words);
    cli_wait(run);
    if (run->exit_code != 0) print_message("%s\n", run->err);
    assert_int_equal(run->exit_code, 0);
    return cli_read_volume(directory, "out.h5", slices, size);
}

static float *volume_of(const char *directory, const char *environment, const char *device, const char *words,
                        CliRun *run)
{
    return volume_sized(directory, SLICES, SIZE, environment, device, words, run);
}

/* Tasks of a name that ran on devices of a kind; 0: none. */
static int64_t tasks_on(const CliRun *run, const char *name, const char *place)
{
    char before[64];
    snprintf(before, sizeof before, "sinodag: %s%s ", name, place);
    return strstr(run->err, before) ? (int64_t)cli_number_after(run->err, before, NULL) : 0;
}

/* Whether something went between main memory and one of two devices, of which the other may have had nothing to do. */
static bool has_transfers(const CliRun *run, bool to_device)
{
    char line[64];
    for (int number = 0; number < 2; number++) {
        if (to_device)
            snprintf(line, sizeof line, "sinodag: transfers from NUMA 0 to %s %d: ", kind()->node, number);
        else
            snprintf(line, sizeof line, "sinodag: transfers from %s %d to NUMA 0: ", kind()->node, number);
        if (strstr(run->err, line)) return true;
    }
    return false;
}

/* Lists are made by GPUs alone where they compute alone, and by cores for OpenCL. */
static void assert_listed(const CliRun *run)
{
    static const char *const name[] = {"building: regroup_measure", "building: regroup_fill"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if ((tasks_on(run, name[i], kind()->place) > 0) != is_cuda() ||
            (tasks_on(run, name[i], "   ") > 0) == is_cuda())
            fail_msg("lists made elsewhere:\n%s", run->err);
}

/* All that has a kernel for devices runs there, when they are asked for alone. */
static void assert_on_devices_only(const CliRun *run)
{
    static const char *const name[] = {"spmm_project", "spmm_backproject",  "reduce_node", "spread_node",
                                       "update_start", "update_sums",       "update_step", "update_record",
                                       "cast_narrow",  "cast_units",        "cast_widen",  "update_voxels_cg",
                                       "weights_ones", "weights_reciprocal"};
    static const char *const on_cuda[] = {"assemble", "correct", "filter"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (tasks_on(run, name[i], "   ") > 0) fail_msg("%s ran on cores:\n%s", name[i], run->err);
    for (size_t i = 0; is_cuda() && i < sizeof on_cuda / sizeof *on_cuda; i++)
        if (tasks_on(run, on_cuda[i], "   ") > 0) fail_msg("%s ran on cores:\n%s", on_cuda[i], run->err);
    assert_true(tasks_on(run, "spmm_backproject", kind()->place) > 0);
    assert_true(tasks_on(run, "update_start", kind()->place) > 0);
    assert_int_equal(tasks_on(run, "store", kind()->place), 0);
    assert_true(has_transfers(run, true));
    assert_true(has_transfers(run, false));
}

/* Devices that can have traced all of the operator, cores alone otherwise. */
static void assert_traced(const CliRun *run)
{
    const int64_t measured = tasks_on(run, "building: trace_measure", kind()->place);
    const int64_t filled = tasks_on(run, "building: trace_fill", kind()->place);
    const int64_t by_cores = tasks_on(run, "building: trace", "   ");
    if ((measured > 0) != is_cuda() || filled != measured || (by_cores > 0) == is_cuda())
        fail_msg("traced elsewhere:\n%s", run->err);
    assert_int_equal(tasks_on(run, "building: trace_measure", "   ") + tasks_on(run, "building: trace_fill", "   "), 0);
}

static void assert_agrees(const char *directory, const char *device, const char *words, double within)
{
    CliRun cpu, other;
    float *expected = volume_of(directory, NULL, "cpu", words, &cpu);
    float *found = volume_of(directory, NULL, device, words, &other);
    const double off = cli_difference((int64_t)SLICES * SIZE * SIZE, found, expected);
    print_message("%s %s: %.2g\n", device, words, off);
    assert_true(off <= within);
    if (strcmp(device, kind()->device) == 0) {
        assert_on_devices_only(&other);
        assert_listed(&other);
        assert_traced(&other);
    }
    free(expected);
    free(found);
    cli_free(&cpu);
    cli_free(&other);
}

static void every_precision_and_algorithm(void **state)
{
    static const char *const precision[] = {"single", "double", "mixed", "half"};
    static const char *const algorithm[] = {"cg --iterations 2", "sirt --iterations 2", "fbp"};
    static const double within[] = {1e-5, 1e-7, 2e-3, 2e-2};
    cli_works(*state, scan);
    for (int p = 0; p < 4; p++)
        for (int a = 0; a < 3; a++) {
            char words[80];
            snprintf(words, sizeof words, "--minibatch 3 --partitions 2 --precision %s --algorithm %s", precision[p],
                     algorithm[a]);
            assert_agrees(*state, kind()->device, words, within[p]);
        }
}

/* Stages between counts and line integrals run on CUDA GPUs, and agree with those of cores. */
static void assert_stages_agree(const char *directory, const char *algorithm, const char *method)
{
    static const char *const name[] = {"correct", "zingers", "air", "stripes", "harden"};
    char words[240];
    CliRun cpu, other;
    snprintf(words, sizeof words,
             "--partitions 2 --minibatch 3 --flat-positions 0,18 --zinger-removal-method standard --air 3 "
             "--beam-hardening 1,0.02 --remove-stripe-method %s --algorithm %s",
             method, algorithm);
    float *expected = volume_of(directory, NULL, "cpu", words, &cpu);
    float *found = volume_of(directory, NULL, kind()->device, words, &other);
    const double off = cli_difference((int64_t)SLICES * SIZE * SIZE, found, expected);
    if (!(off <= 1e-4)) fail_msg("%s: %g", words, off);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if ((tasks_on(&other, name[i], kind()->place) > 0) != is_cuda() ||
            (tasks_on(&other, name[i], "   ") > 0) == is_cuda())
            fail_msg("%s: %s ran elsewhere:\n%s", words, name[i], other.err);
    free(expected);
    free(found);
    cli_free(&cpu);
    cli_free(&other);
}

static void stages(void **state)
{
    static const char *const method[] = {"sorting", "vo-all", "fw", "ti"};
    cli_works(*state, "phantom -o scan.h5 --size 48 --angles 36 --slices 5 --noise 0.01");
    for (size_t i = 0; i < sizeof method / sizeof *method; i++) {
        assert_stages_agree(*state, "cg --iterations 2", method[i]);
        assert_stages_agree(*state, "fbp", method[i]);
    }
}

/* What is done to projections before the logarithm runs on CUDA GPUs, too, in the place of correct. */
static void images(void **state)
{
    static const struct {
        const char *task, *words;
    } runs[] = {
        {"tilt", "--minibatch 3 --partitions 2 --algorithm fbp --detector-tilt 3 --flat-positions 0,18"},
        {"tilt", "--minibatch 2 --algorithm cg --iterations 2 --detector-tilt -2 --precision double"},
        {"tilt", "--minibatch 5 --algorithm sirt --iterations 2 --detector-tilt 0.5"},
    };
    cli_works(*state, "phantom -o scan.h5 --size 48 --angles 36 --slices 5 --noise 0.01");
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        CliRun cpu, other;
        float *expected = volume_of(*state, NULL, "cpu", runs[i].words, &cpu);
        float *found = volume_of(*state, NULL, kind()->device, runs[i].words, &other);
        const double off = cli_difference((int64_t)SLICES * SIZE * SIZE, found, expected);
        print_message("%s: %.2g\n", runs[i].words, off);
        if (!(off <= 2e-5)) fail_msg("%s: %g", runs[i].words, off);
        if ((tasks_on(&other, runs[i].task, kind()->place) > 0) != is_cuda() ||
            (tasks_on(&other, runs[i].task, "   ") > 0) == is_cuda())
            fail_msg("%s: %s ran elsewhere:\n%s", runs[i].words, runs[i].task, other.err);
        free(expected);
        free(found);
        cli_free(&cpu);
        cli_free(&other);
    }
}

static void one_partition_without_symmetry(void **state)
{
    cli_works(*state, scan);
    assert_agrees(*state, kind()->device, "--partitions 1 --symmetry no --algorithm cg --iterations 3", 1e-5);
    assert_agrees(*state, kind()->device, "--partitions 7 --iterations 3 --nonnegativity --algorithm sirt", 1e-5);
}

/* Devices compute the prior, too, where one partition has all voxels, or one GPU all partitions; else cores do. */
static void total_variation(void **state)
{
    static const char *const name[] = {"variation_primal", "variation_dual"};
    static const struct {
        const char *words;
        bool one_device, on_opencl, on_cuda;
    } runs[] = {{"--partitions 1", false, true, true},
                {"--partitions 1 --precision double --symmetry no", false, true, true},
                {"--partitions 3", true, false, true},
                {"--partitions 3", false, false, false}};
    cli_works(*state, scan);
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
        char line[128], one[32];
        CliRun cpu, other;
        const bool on_device = is_cuda() ? runs[r].on_cuda : runs[r].on_opencl;
        snprintf(line, sizeof line, "%s --algorithm fista --subsets 2 --regularization 0.3 --iterations 2",
                 runs[r].words);
        snprintf(one, sizeof one, "%s=1", kind()->one_device);
        float *expected = volume_of(*state, NULL, "cpu", line, &cpu);
        float *found = volume_of(*state, runs[r].one_device ? one : NULL, kind()->device, line, &other);
        const double off = cli_difference((int64_t)SLICES * SIZE * SIZE, found, expected);
        print_message("%s %s: %.2g\n", kind()->device, line, off);
        assert_true(off <= 1e-5);
        assert_on_devices_only(&other);
        for (int i = 0; i < 2; i++)
            if ((tasks_on(&other, name[i], "   ") > 0) == on_device ||
                (tasks_on(&other, name[i], kind()->place) > 0) != on_device)
                fail_msg("%s elsewhere:\n%s", name[i], other.err);
        free(expected);
        free(found);
        cli_free(&cpu);
        cli_free(&other);
    }
}

/* The volume of a cone beam; on devices alone, all that has a kernel for them runs there. */
static void assert_cone_agrees(const char *directory, const char *device, const char *words, double within)
{
    static const char *const on_cuda[] = {"correct", "weigh", "filter", "lines", "assemble_cone"};
    CliRun cpu, other;
    float *expected = volume_of(directory, NULL, "cpu", words, &cpu);
    float *found = volume_of(directory, NULL, device, words, &other);
    const double off = cli_difference((int64_t)SLICES * SIZE * SIZE, found, expected);
    print_message("%s %s: %.2g\n", device, words, off);
    assert_true(off <= within);
    assert_true(tasks_on(&other, "backproject_cone", kind()->place) > 0);
    if (strcmp(device, kind()->device) == 0) assert_int_equal(tasks_on(&other, "backproject_cone", "   "), 0);
    for (size_t i = 0; is_cuda() && strcmp(device, "cuda") == 0 && i < sizeof on_cuda / sizeof *on_cuda; i++)
        if (tasks_on(&other, on_cuda[i], "   ") > 0) fail_msg("%s ran on cores:\n%s", on_cuda[i], other.err);
    free(expected);
    free(found);
    cli_free(&cpu);
    cli_free(&other);
}

static void cone_beams(void **state)
{
    cli_works(*state, "phantom -o scan.h5 --geometry cone --size 48 --angles 36 --slices 5");
    assert_cone_agrees(*state, kind()->device, "--geometry cone --precision single", 1e-6);
    assert_cone_agrees(*state, kind()->device, "--geometry cone --precision mixed", 3e-4);
    assert_cone_agrees(*state, kind()->device, "--geometry cone --precision single --symmetry no", 1e-6);
    assert_cone_agrees(*state, kind()->with_cores, "--geometry cone --precision mixed --symmetry no", 3e-4);
}

/* A device with little memory gets smaller parts, and makes the same bits; with too little it is refused, with sizes.
 */
static void parts_of_cone_beams_fit_devices(void **state)
{
    enum { LARGE = 128 };
    static const char words[] = "--geometry cone --precision single";
    CliRun all, little;
    if (is_cuda()) skip(); /* StarPU takes memory of GPUs in pieces of 32 MiB */
    cli_works(*state, "phantom -o scan.h5 --geometry cone --size 128 --angles 40 --slices 128");
    float *expected = volume_sized(*state, LARGE, LARGE, NULL, kind()->device, words, &all);
    float *found = volume_sized(*state, LARGE, LARGE, "STARPU_LIMIT_OPENCL_MEM=9", kind()->device, words, &little);
    assert_true(cli_difference((int64_t)LARGE * LARGE * LARGE, found, expected) == 0);
    const int64_t few = tasks_on(&all, "backproject_cone", kind()->place);
    assert_true(few > 0 && tasks_on(&little, "backproject_cone", kind()->place) > few);
    assert_int_equal(tasks_on(&little, "backproject_cone", "   "), 0);
    cli_free(&little);
    CliRun none = {.directory = *state, .environment = "STARPU_LIMIT_OPENCL_MEM=1"};
    cli_start(&none, "recon scan.h5 -o out.h5 --overwrite --rotation-axis 63.5 --device %s %s", kind()->device, words);
    cli_wait(&none);
    cli_assert_ended(
        &none, 2,
        "a device has 1.00 MiB of memory; two tasks of this reconstruction need 2.03 MiB there at a time (a "
        "part of the volume, rows: 1, voxels along z: 16, 16.0 KiB; a block of lines 1.00 MiB, an image "
        "1.00 MiB, a sinogram 136 KiB); allowed: --device cpu, a device with more memory, or a smaller "
        "--volume");
    free(expected);
    free(found);
    cli_free(&all);
}

/* Products on cores, vectors on devices: between begin and end, cores write one vector of rays together. */
static void iterative_cone_beams(void **state)
{
    static const char *const algorithm[] = {"cg", "osem --subsets 4"}, *const vectors[] = {"cg", "mlem"};
    cli_works(*state, "phantom -o scan.h5 --geometry cone --size 48 --angles 36 --slices 5");
    for (int i = 0; i < 2; i++) {
        char words[80], update[32];
        CliRun cpu, other;
        snprintf(words, sizeof words, "--geometry cone --iterations 3 --algorithm %s", algorithm[i]);
        snprintf(update, sizeof update, "update_voxels_%s", vectors[i]);
        float *expected = volume_of(*state, NULL, "cpu", words, &cpu);
        float *found = volume_of(*state, NULL, kind()->device, words, &other);
        assert_true(cli_difference((int64_t)SLICES * SIZE * SIZE, found, expected) < 1e-5);
        assert_true(tasks_on(&other, update, kind()->place) > 0 && tasks_on(&other, update, "   ") == 0);
        assert_true(tasks_on(&other, "project_cone", "   ") > 0 && tasks_on(&other, "project_cone_back", "   ") > 0);
        free(expected);
        free(found);
        cli_free(&cpu);
        cli_free(&other);
    }
}

static void cores_and_devices_together(void **state)
{
    static const char *const scheduler[] = {"dmdas", "lws", "heteroprio", "eager", "sino-affinity"};
    cli_works(*state, scan);
    for (int i = 0; i < 5; i++) {
        char words[80];
        snprintf(words, sizeof words, "--partitions 3 --algorithm cg --iterations 3 --scheduler %s", scheduler[i]);
        assert_agrees(*state, kind()->with_cores, words, 1e-5);
    }
    CliRun run;
    free(volume_of(*state, NULL, kind()->with_cores, "--partitions 7 --algorithm cg --iterations 3 --scheduler random",
                   &run));
    assert_true(tasks_on(&run, "spmm_backproject", kind()->place) > 0);
    cli_free(&run);
}

/* Each product at its home, of which both devices have some; another volume only to rounding. */
static void partitions_have_homes(void **state)
{
    cli_works(*state, scan);
    assert_agrees(*state, kind()->device, "--partitions 6 --algorithm cg --iterations 3 --scheduler sino-affinity",
                  1e-5);
    CliRun run;
    free(volume_of(*state, NULL, kind()->device,
                   "--partitions 6 --algorithm cg --iterations 3 --scheduler sino-affinity", &run));
    assert_on_devices_only(&run);
    cli_free(&run);
}

static void operators_are_kept(void **state)
{
    CliRun run;
    const char *words = "--partitions 2 --algorithm cg --iterations 3 --operator-cache kept";
    cli_works(*state, scan);
    float *built = volume_of(*state, NULL, kind()->device, words, &run);
    cli_free(&run);
    float *kept = volume_of(*state, NULL, kind()->device, words, &run);
    assert_non_null(strstr(run.err, "sinodag: ray lengths: read from kept"));
    assert_on_devices_only(&run);
    assert_memory_equal(built, kept, (size_t)SLICES * SIZE * SIZE * sizeof *built);
    free(built);
    free(kept);
    cli_free(&run);
}

/* The volume that `device` makes with what is kept in a directory, or has then been built and kept there. */
static float *volume_with(const char *directory, const char *device, const char *words, const char *cache, bool is_kept)
{
    CliRun run;
    char line[160];
    snprintf(line, sizeof line, "%s --operator-cache %s", words, cache);
    float *volume = volume_of(directory, NULL, device, line, &run);
    if (!strstr(run.err, is_kept ? "sinodag: ray lengths: read from " : "sinodag: ray lengths: kept in "))
        fail_msg("%s %s:\n%s", device, line, run.err);
    cli_free(&run);
    return volume;
}

/* What devices have traced is to the bit what cores have, for both to use. */
static void assert_same_operator(const char *directory, const char *words)
{
    const char *const device[] = {"cpu", kind()->device}, *const cache[] = {"by-cores", "by-devices"};
    float *built[2];
    for (int i = 0; i < 2; i++) built[i] = volume_with(directory, device[i], words, cache[i], false);
    for (int i = 0; i < 2; i++) {
        float *read = volume_with(directory, device[i], words, cache[1 - i], true);
        assert_memory_equal(built[i], read, (size_t)SLICES * SIZE * SIZE * sizeof *read);
        free(read);
    }
    free(built[0]);
    free(built[1]);
}

/* In one partition and in more than there are tiles. */
static void operators_are_the_same_wherever_traced(void **state)
{
    cli_works(*state, scan);
    assert_same_operator(*state, "--partitions 1 --algorithm fbp");
    assert_same_operator(*state, "--partitions 3 --algorithm cg --iterations 1 --symmetry no --precision double");
    assert_same_operator(*state, "--partitions 17 --algorithm fbp --symmetry no --precision half");
}

/* A slice of a single tile, of which most devices and workers have nothing. */
static void one_tile_of_one_slice(void **state)
{
    CliRun run = {.directory = *state};
    cli_works(*state, "phantom -o scan.h5 --size 16 --angles 12 --slices 1");
    const char *const device[] = {"cpu", kind()->device};
    float *volume[2];
    for (int i = 0; i < 2; i++) {
        cli_start(&run,
                  "recon scan.h5 -o out.h5 --overwrite --rotation-axis 7.5 --profile --algorithm cg --iterations 3 "
                  "--device %s",
                  device[i]);
        cli_wait(&run);
        assert_int_equal(run.exit_code, 0);
        if (i == 1) assert_traced(&run);
        volume[i] = cli_read_volume(*state, "out.h5", 1, 16);
        cli_free(&run);
    }
    assert_true(cli_difference(16 * 16, volume[1], volume[0]) <= 1e-5);
    free(volume[0]);
    free(volume[1]);
}

/* Those that cores make where a GPU has no room for more than the products are the same to the bit. */
static void lists_are_the_same_wherever_made(void **state)
{
    static const char *const precision[] = {"single", "double", "mixed", "half"};
    if (!is_cuda()) return;
    cli_works(*state, "phantom -o scan.h5 --size 48 --angles 36 --slices 1");
    for (int p = 0; p < 4; p++) {
        CliRun run;
        char words[80];
        snprintf(words, sizeof words, "--partitions 2 --minibatch 1 --algorithm cg --iterations 1 --precision %s",
                 precision[p]);
        float *by_gpus = volume_sized(*state, 1, SIZE, NULL, "cuda", words, &run);
        assert_listed(&run);
        cli_free(&run);
        float *by_cores = volume_sized(*state, 1, SIZE, "STARPU_LIMIT_CUDA_MEM=40", "cuda", words, &run);
        assert_int_equal(tasks_on(&run, "building: regroup_fill", kind()->place), 0);
        const char *rest;
        const double host = cli_number_after(run.err, "sinodag: cores make ", &rest); /* all sets of lists */
        assert_true(host >= 2 && cli_number_after(rest, " of ", NULL) == host);
        assert_memory_equal(by_gpus, by_cores, SIZE * SIZE * sizeof *by_gpus);
        free(by_gpus);
        free(by_cores);
        cli_free(&run);
    }
}

/* An amount of memory, as the log tells it after some text. */
static double bytes_after(const char *line, const char *text)
{
    const char *unit;
    const double number = cli_number_after(line, text, &unit);
    return number * (strncmp(unit, " GiB", 4) == 0   ? 0x1p30
                     : strncmp(unit, " MiB", 4) == 0 ? 0x1p20
                     : strncmp(unit, " KiB", 4) == 0 ? 0x1p10
                                                     : 1);
}

static double bytes_to_devices(const CliRun *run)
{
    double sum = 0;
    char before[64];
    snprintf(before, sizeof before, "sinodag: transfers from NUMA 0 to %s", kind()->node);
    for (const char *at = run->err; (at = strstr(at, before)); at++) {
        const char *rest;
        cli_number_after(at + strlen(before), ": ", &rest);
        sum += bytes_after(rest, ", ");
    }
    return sum;
}

/* The file as a text; the caller frees it. */
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    assert_non_null(file);
    assert_true(getdelim(&text, &size, 0, file) > 0);
    assert_int_equal(fclose(file), 0);
    return text;
}

/* Bytes that one device has received in the whole run, by the profile. */
static double bytes_received(const char *profile, int device)
{
    char bus[64];
    const char *rest;
    snprintf(bus, sizeof bus, "{\"from\": \"NUMA 0\", \"to\": \"%s %d\", \"count\": ", kind()->node, device);
    if (!strstr(profile, bus)) return 0;
    (void)cli_number_after(profile, bus, &rest);
    return cli_number_after(rest, ", \"bytes\": ", &rest);
}

/* Every device gets all lists ahead, also those of the projection, which FBP does not make. */
static void lists_are_copied_ahead(void **state)
{
    CliRun run = {.directory = *state};
    char path[TESTING_PATH];
    cli_works(*state, scan);
    cli_start(&run,
              "recon scan.h5 -o out.h5 --rotation-axis 23.5 --algorithm fbp --partitions 3 --device %s "
              "--profile=profile.json",
              kind()->with_cores);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    testing_path(path, *state, "profile.json");
    char *profile = read_text(path);
    const double lists = bytes_after(run.err, "lists of it for devices: ");
    assert_true(lists > 0);
    for (int device = 0; device < 2; device++) assert_true(bytes_received(profile, device) >= 0.99 * lists);
    free(profile);
    cli_free(&run);
}

/* With room for a few tasks only, lists and vectors come and go. A's blocks are those that cores have made. */
static void problems_larger_than_the_device(void **state)
{
    CliRun cores, narrow;
    const int size = kind()->large_size;
    char words[128];
    snprintf(words, sizeof words, "%s --minibatch 2 --symmetry no --workers 1 --operator-cache kept",
             kind()->large_words);
    assert_int_equal(setenv(kind()->one_device, "1", 1), 0); /* two would share the lists */
    cli_works(*state, "phantom -o scan.h5 --size %d --angles %d --slices 5", size, kind()->large_angles);
    float *expected = volume_sized(*state, SLICES, size, NULL, "cpu", words, &cores);
    float *found = volume_sized(*state, SLICES, size, kind()->little_memory, kind()->device, words, &narrow);
    assert_int_equal(unsetenv(kind()->one_device), 0);
    const double lists = bytes_after(narrow.err, "sinodag: lists of it for devices: ");
    print_message("to devices: %.0f bytes, lists %.0f\n", bytes_to_devices(&narrow), lists);
    assert_true(bytes_to_devices(&narrow) > 2 * lists);
    assert_true(cli_difference((int64_t)SLICES * size * size, found, expected) <= 1e-5);
    assert_on_devices_only(&narrow);
    free(expected);
    free(found);
    cli_free(&cores);
    cli_free(&narrow);
}

static void assert_refused(const char *directory, const char *environment, const char *words, const char *message)
{
    CliRun run = {.directory = directory, .environment = environment};
    cli_start(&run, "recon scan.h5 -o refused.h5 --rotation-axis 23.5 %s", words);
    cli_wait(&run);
    if (!strstr(run.err, message)) print_message("%s\n", run.err);
    assert_int_equal(run.exit_code, 2);
    assert_non_null(strstr(run.err, message));
    assert_false(cli_exists(directory, "refused.h5"));
    cli_free(&run);
}

/* Rotate tasks run on devices alone, or wherever StarPU has them run; the volume is that of the cores. */
static void assert_rotation_agrees(const char *directory, const char *environment, const char *device,
                                   const char *words)
{
    static const char *const name[] = {"rotate_project", "rotate_back"};
    const bool alone = strcmp(device, kind()->device) == 0, projects = !strstr(words, "fbp");
    char line[160];
    CliRun cpu, other;
    snprintf(line, sizeof line, "--projector rotate %s", words);
    float *expected = volume_of(directory, NULL, "cpu", line, &cpu);
    float *found = volume_of(directory, environment, device, line, &other);
    const double off = cli_difference((int64_t)SLICES * SIZE * SIZE, found, expected);
    print_message("%s %s: %.2g\n", device, line, off);
    assert_true(off <= 1e-5);
    for (int i = !projects; i < 2 && alone; i++)
        if (tasks_on(&other, name[i], "   ") > 0 || tasks_on(&other, name[i], kind()->place) == 0)
            fail_msg("%s elsewhere:\n%s", name[i], other.err);
    assert_int_equal(tasks_on(&cpu, name[1], kind()->place), 0);
    free(expected);
    free(found);
    cli_free(&cpu);
    cli_free(&other);
}

/* Slices are turned in every product, of all angles or subsets, in panels of several widths. */
static void rotation(void **state)
{
    static const char *const words[] = {"--algorithm cg --iterations 3 --partitions 1",
                                        "--algorithm sirt --iterations 2 --partitions 3 --interpolation nearest",
                                        "--algorithm osem --subsets 3 --iterations 2 --interpolation cubic",
                                        "--algorithm fbp --partitions 7 --minibatch 3"};
    cli_works(*state, scan);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_rotation_agrees(*state, NULL, kind()->device, words[i]);
    assert_rotation_agrees(*state, NULL, kind()->with_cores, "--algorithm cg --iterations 3 --minibatch 1");
    assert_rotation_agrees(*state, NULL, kind()->with_cores,
                           "--algorithm osem --subsets 3 --iterations 2 --partitions 3 --minibatch 2");
    if (is_cuda()) return; /* StarPU takes memory of GPUs in pieces of 32 MiB */
    assert_rotation_agrees(*state, "STARPU_LIMIT_OPENCL_MEM=6", kind()->device, "--algorithm cg --iterations 3");
    assert_refused(*state, kind()->least_memory, "--projector rotate --algorithm cg --device opencl",
                   "a device has 1.00 MiB of memory; two tasks of this reconstruction need ");
}

/* What else stores nothing computes on cores. */
static void other_projectors_are_refused(void **state)
{
    char words[80], message[120];
    cli_works(*state, scan);
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "toeplitz" : "pixels";
        snprintf(words, sizeof words, "--projector %s --algorithm %s --device %s", name, i ? "cg" : "fbp",
                 kind()->device);
        snprintf(message, sizeof message,
                 "--projector is %s where devices compute; allowed: --device cpu, or --projector rays or rotate", name);
        assert_refused(*state, NULL, words, message);
    }
}

/* ---- system matrices ---- */

#define SMALL_PET "phantom --geometry pet --crystals 8x3x2 --rays 4 --volume 16x14x6 --voxel-size 0.6 -o m.csr4 "

/* A matrix and its lists of which a device of 12 MiB holds a part. */
#define LARGE_PET "phantom --geometry pet --crystals 30x3x5 --rays 6 --volume 32x32x12 --voxel-size 0.4 -o m.csr4 "

enum { PET_X = 16, PET_Y = 14, PET_Z = 6, PET_VOXELS = PET_X * PET_Y * PET_Z };

/* The images of a run with m.csr4, set after set. The caller frees them. */
static double *images_of(const char *directory, const char *environment, const char *words, int rank,
                         const int64_t *size, CliRun *run)
{
    *run = (CliRun){.directory = directory, .environment = environment};
    cli_start(
        run,
        "recon m.counts --system-matrix m.csr4 --additive m.additive -o out.h5 --overwrite --pictures no --report none "
        "--profile --iterations 3 %s",
        words);
    cli_wait(run);
    if (run->exit_code != 0) fail_msg("%s:\n%s", words, run->err);
    return cli_read_doubles(directory, "out.h5", "/exchange/data", rank, size);
}

/* The largest difference, by the largest value. */
static double off_by(int64_t count, const double *found, const double *expected)
{
    double most = 0, off = 0;
    for (int64_t i = 0; i < count; i++) {
        most = fmax(most, fabs(expected[i]));
        off = fmax(off, fabs(found[i] - expected[i]));
    }
    return off / most;
}

static const int64_t one_image[] = {PET_Z, PET_Y, PET_X}, three_images[] = {3, PET_Z, PET_Y, PET_X};

/* The products run on devices alone, or wherever StarPU has them run. */
static void assert_products_on(const CliRun *run, const char *device, bool is_sweep)
{
    static const char *const counts[] = {"bricks_sweep", "voxels_add", "update_voxels_mlem"};
    static const char *const integrals[] = {"bricks_project", "bricks_backproject", "voxels_add"};
    const bool alone = strcmp(device, kind()->device) == 0;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const char *name = is_sweep ? counts[i] : integrals[i];
        if (alone && tasks_on(run, name, "   ") > 0) fail_msg("%s ran on cores:\n%s", name, run->err);
        if (alone && i == 0 && tasks_on(run, name, kind()->place) == 0) fail_msg("no %s:\n%s", name, run->err);
    }
    assert_non_null(strstr(run->err, "sinodag: lists of it for devices: "));
}

static void assert_images_agree(const char *directory, const char *algorithm, int rank, const int64_t *size)
{
    const char *const device[] = {kind()->device, kind()->with_cores};
    const int64_t sets = rank == 4 ? size[0] : 1;
    char words[160];
    CliRun run;
    snprintf(words, sizeof words, "--algorithm %s --device cpu", algorithm);
    double *expected = images_of(directory, NULL, words, rank, size, &run);
    cli_free(&run);
    for (int i = 0; i < 2; i++) {
        snprintf(words, sizeof words, "--algorithm %s --device %s", algorithm, device[i]);
        double *found = images_of(directory, NULL, words, rank, size, &run);
        const double off = off_by(sets * PET_VOXELS, found, expected);
        print_message("%s: %.2g\n", words, off);
        assert_true(off <= 1e-5);
        assert_products_on(&run, device[i], algorithm[0] == 'm' || algorithm[0] == 'o');
        cli_free(&run);
        free(found);
    }
    free(expected);
}

/* Row partitions of a matrix go to devices and cores. */
static void system_matrices(void **state)
{
    static const char *const algorithm[] = {"mlem", "osem --subsets 3 --precision mixed", "cg"};
    cli_works(*state, SMALL_PET "--counts 300000 --background 0.25");
    for (size_t i = 0; i < sizeof algorithm / sizeof *algorithm; i++)
        assert_images_agree(*state, algorithm[i], 3, one_image);
    cli_works(*state, SMALL_PET "--overwrite --counts 300000 --background 0.25 --replicates 3");
    assert_images_agree(*state, "mlem", 4, three_images);
}

/* A matrix that is kept has no lists; they are made again. Devices alone make the same bits in every run. */
static void kept_matrices_get_lists(void **state)
{
    CliRun run;
    char words[80];
    snprintf(words, sizeof words, "--algorithm mlem --operator-cache kept --device %s", kind()->device);
    cli_works(*state, SMALL_PET "--counts 300000 --background 0.25");
    double *built = images_of(*state, NULL, words, 3, one_image, &run);
    cli_free(&run);
    double *kept = images_of(*state, NULL, words, 3, one_image, &run);
    assert_non_null(strstr(run.err, "sinodag: operator: kept, "));
    assert_products_on(&run, kind()->device, true);
    assert_memory_equal(built, kept, PET_VOXELS * sizeof *built);
    free(built);
    free(kept);
    cli_free(&run);
}

/* Blocks and lists come and go where a device holds some of them. */
static void matrices_larger_than_the_device(void **state)
{
    static const int64_t size[] = {12, 32, 32};
    const int64_t voxels = size[0] * size[1] * size[2];
    CliRun cores, narrow;
    char words[80];
    if (is_cuda()) skip(); /* StarPU takes memory of GPUs in pieces of 32 MiB */
    assert_int_equal(setenv(kind()->one_device, "1", 1), 0);
    cli_works(*state, LARGE_PET "--counts 300000 --background 0.25");
    double *expected = images_of(*state, NULL, "--algorithm mlem --device cpu", 3, size, &cores);
    snprintf(words, sizeof words, "--algorithm mlem --device %s", kind()->device);
    double *found = images_of(*state, "STARPU_LIMIT_OPENCL_MEM=12", words, 3, size, &narrow);
    assert_int_equal(unsetenv(kind()->one_device), 0);
    const double lists = bytes_after(narrow.err, "sinodag: lists of it for devices: ");
    print_message("to devices: %.0f bytes, lists %.0f\n", bytes_to_devices(&narrow), lists);
    assert_true(bytes_to_devices(&narrow) > 2 * lists);
    assert_true(off_by(voxels, found, expected) <= 1e-5);
    assert_products_on(&narrow, kind()->device, true);
    free(expected);
    free(found);
    cli_free(&cores);
    cli_free(&narrow);
}

/* The bytes that a run of LARGE_PET plans with so much memory, of which cores compute the products. */
static double planned_bytes(const char *directory, const char *device, double memory_bytes, const char *words)
{
    static const int64_t size[] = {12, 32, 32};
    CliRun run;
    char line[160];
    snprintf(line, sizeof line, "--algorithm mlem --workers 1 --device %s --memory %.0fMiB %s", device,
             memory_bytes / 0x1p20, words);
    free(images_of(directory, NULL, line, 3, size, &run));
    const bool told = strstr(run.err, "products with the matrix stay on cores: ");
    if (told != (strcmp(device, "cpu") != 0) || tasks_on(&run, "bricks_sweep", "   ") == 0 ||
        tasks_on(&run, "bricks_sweep", kind()->place) > 0)
        fail_msg("%s:\n%s", line, run.err);
    const double bytes = bytes_after(run.err, " workers, memory: ");
    cli_free(&run);
    return bytes;
}

/* Without memory for the lists, some 8 MiB, or for the matrix, as large, cores compute; a device that is too small is
 * refused. */
static void matrices_without_room_for_lists(void **state)
{
    const double mib = 0x1p20;
    CliRun none = {.directory = *state, .environment = kind()->least_memory};
    cli_works(*state, LARGE_PET "--counts 300000 --background 0.25");
    cli_start(&none, "recon m.counts --system-matrix m.csr4 -o refused.h5 --algorithm mlem --device %s",
              kind()->device);
    cli_wait(&none);
    if (!strstr(none.err, "sinodag: a device has 1.00 MiB of memory; two tasks of this reconstruction need "))
        fail_msg("%s", none.err);
    assert_int_equal(none.exit_code, 2);
    cli_free(&none);
    assert_false(cli_exists(*state, "refused.h5"));
    const double cores = planned_bytes(*state, "cpu", 4096 * mib, "");
    planned_bytes(*state, kind()->device, cores + 5 * mib, "");
    planned_bytes(*state, kind()->device, cores - 3 * mib, "--operator-cache kept");
}

static void what_does_not_fit_is_refused(void **state)
{
    cli_works(*state, scan);
    char alone[32], together[80];
    snprintf(alone, sizeof alone, "--device %s", kind()->device);
    snprintf(together, sizeof together, "--device %s --partitions 2", kind()->with_cores);
    assert_refused(*state, kind()->least_memory, alone,
                   "sinodag: a device has 1.00 MiB of memory; two tasks of this reconstruction need ");
    assert_refused(*state, kind()->least_memory, together, "; allowed: more --part");
    /* What of the operator is not in memory could not get to a device. */
    cli_works(*state, "phantom -o scan.h5 --overwrite --size 256 --angles 180 --slices 2");
    snprintf(together, sizeof together, "--device %s --symmetry no --memory 120MiB --projector rays", kind()->device);
    assert_refused(*state, NULL, together, " columns, and its lists for devices); allowed: --memory ");
}

static void what_is_not_there_is_refused(void **state)
{
    cli_works(*state, scan);
    assert_refused(*state, "STARPU_OPENCL_ON_CPUS=0", "--device opencl", "sinodag: device is 'opencl'; ");
    assert_refused(*state, "CUDA_VISIBLE_DEVICES=", "--device cuda", "sinodag: device is 'cuda'; ");
    assert_refused(*state, NULL, "--device gpu", "sinodag: --device is 'gpu'; allowed: all, or one or more of cpu, ");
    assert_refused(*state, NULL, "--device cpu,cpu", "sinodag: --device is 'cpu,cpu'; allowed: ");
}

/* Runs on cores and on devices stand in one table, and agree to rounding. */
static void sweeps_compare_devices(void **state)
{
    char row[80];
    cli_works(*state,
              "sweep --csv s.csv --schedulers dmdas,eager --devices cpu,cpu+%s --columns 32 --angles 24 --slices 8 "
              "--minibatches 4 --algorithm cg --iterations 3 --repetitions 1",
              kind()->device);
    const int64_t size = cli_file_size(*state, "s.csv");
    char *bytes = cli_read_bytes(*state, "s.csv", (size_t)size), *text = strndup(bytes, (size_t)size);
    snprintf(row, sizeof row, "\nmeasurement,dmdas,32,24,8,4,0,0,cpu+%s,single,1,", kind()->device);
    assert_non_null(strstr(text, row));
    assert_non_null(strstr(text, "\nmeasurement,eager,32,24,8,4,0,0,cpu,single,1,"));
    free(bytes);
    free(text);
}

/* OpenCL has to be named. */
static void by_default_cores_compute(void **state)
{
    CliRun run;
    cli_works(*state, scan);
    free(volume_of(*state, "CUDA_VISIBLE_DEVICES=", "all", "--algorithm cg --iterations 3", &run));
    assert_null(strstr(run.err, "opencl"));
    assert_null(strstr(run.err, "transfers"));
    assert_non_null(strstr(run.err, ", policy lws\n"));
    cli_free(&run);
}

/* Says why there are none. */
static bool has_devices(void)
{
    void *directory = NULL;
    if (testing_directory_make(&directory) != 0) return false;
    CliRun run = {.directory = directory};
    cli_start(&run, "demo --size 16 --angles 40 --slices 1 --algorithm cg --iterations 1 --device %s", kind()->device);
    cli_wait(&run);
    const bool found = run.exit_code == 0;
    if (!found)
        print_message("tests on %s devices are skipped%s: %s", kind()->device,
                      kind() == &kinds[0] ? " (pocl-opencl-icd makes some)" : "", run.err);
    cli_free(&run);
    testing_directory_remove(&directory);
    return found;
}

int cli_device_absent_tests(void)
{
    const struct CMUnitTest tests[] = {CLI_TEST(what_is_not_there_is_refused), CLI_TEST(by_default_cores_compute)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int cli_device_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(every_precision_and_algorithm),
        CLI_TEST(stages),
        CLI_TEST(images),
        CLI_TEST(one_partition_without_symmetry),
        CLI_TEST(total_variation),
        CLI_TEST(cone_beams),
        CLI_TEST(parts_of_cone_beams_fit_devices),
        CLI_TEST(iterative_cone_beams),
        CLI_TEST(rotation),
        CLI_TEST(other_projectors_are_refused),
        CLI_TEST(cores_and_devices_together),
        CLI_TEST(partitions_have_homes),
        CLI_TEST(sweeps_compare_devices),
        CLI_TEST(operators_are_kept),
        CLI_TEST(lists_are_copied_ahead),
        CLI_TEST(lists_are_the_same_wherever_made),
        CLI_TEST(operators_are_the_same_wherever_traced),
        CLI_TEST(one_tile_of_one_slice),
        CLI_TEST(problems_larger_than_the_device),
        CLI_TEST(system_matrices),
        CLI_TEST(kept_matrices_get_lists),
        CLI_TEST(matrices_larger_than_the_device),
        CLI_TEST(matrices_without_room_for_lists),
        CLI_TEST(what_does_not_fit_is_refused),
    };
    return has_devices() ? cmocka_run_group_tests(tests, NULL, NULL) : TESTING_SKIPPED;
}
