/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, devices: a reconstruction on devices gives the same volume and is computed there, with transfers and
 * eviction. A device that is absent is refused. cli_devices.h tells which devices. */
#include "cli_devices.h"

enum { SIZE = 48, SLICES = 5 };

static const char scan[] = "phantom -o scan.h5 --size 48 --angles 36 --slices 5";

/* The volume of scan.h5. */
static float *volume_of(const char *directory, const char *environment, const char *device, const char *words,
                        CliRun *run)
{
    return cli_device_volume(directory, SLICES, SIZE, environment, device, words, run);
}

/* Lists are made by GPUs alone where they compute alone, and by cores for OpenCL. */
static void assert_listed(const CliRun *run)
{
    static const char *const name[] = {"building: regroup_measure", "building: regroup_fill"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if ((cli_device_tasks_on(run, name[i], cli_device_kind()->place) > 0) != cli_device_is_cuda() ||
            (cli_device_tasks_on(run, name[i], "   ") > 0) == cli_device_is_cuda())
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
        if (cli_device_tasks_on(run, name[i], "   ") > 0) fail_msg("%s ran on cores:\n%s", name[i], run->err);
    for (size_t i = 0; cli_device_is_cuda() && i < sizeof on_cuda / sizeof *on_cuda; i++)
        if (cli_device_tasks_on(run, on_cuda[i], "   ") > 0) fail_msg("%s ran on cores:\n%s", on_cuda[i], run->err);
    assert_true(cli_device_tasks_on(run, "spmm_backproject", cli_device_kind()->place) > 0);
    assert_true(cli_device_tasks_on(run, "update_start", cli_device_kind()->place) > 0);
    assert_int_equal(cli_device_tasks_on(run, "store", cli_device_kind()->place), 0);
    assert_true(cli_device_has_transfers(run, true));
    assert_true(cli_device_has_transfers(run, false));
}

/* Devices that can have traced all of the operator, cores alone otherwise. */
static void assert_traced(const CliRun *run)
{
    const int64_t measured = cli_device_tasks_on(run, "building: trace_measure", cli_device_kind()->place);
    const int64_t filled = cli_device_tasks_on(run, "building: trace_fill", cli_device_kind()->place);
    const int64_t by_cores = cli_device_tasks_on(run, "building: trace", "   ");
    if ((measured > 0) != cli_device_is_cuda() || filled != measured || (by_cores > 0) == cli_device_is_cuda())
        fail_msg("traced elsewhere:\n%s", run->err);
    assert_int_equal(cli_device_tasks_on(run, "building: trace_measure", "   ") +
                         cli_device_tasks_on(run, "building: trace_fill", "   "),
                     0);
}

/* `run`: of the device. */
static void agree(const char *directory, const char *device, const char *words, double within, CliRun *run)
{
    CliRun cpu;
    float *expected = volume_of(directory, NULL, "cpu", words, &cpu);
    float *found = volume_of(directory, NULL, device, words, run);
    const double off = cli_difference((int64_t)SLICES * SIZE * SIZE, found, expected);
    print_message("%s %s: %.2g\n", device, words, off);
    assert_true(off <= within);
    if (strcmp(device, cli_device_kind()->device) == 0) {
        assert_on_devices_only(run);
        assert_listed(run);
        assert_traced(run);
    }
    free(expected);
    free(found);
    cli_free(&cpu);
}

static void assert_agrees(const char *directory, const char *device, const char *words, double within)
{
    CliRun run;
    agree(directory, device, words, within, &run);
    cli_free(&run);
}

/* cg in every precision; sirt in one that rounds vectors and one that does not, fbp in the two others. */
static void every_precision_and_algorithm(void **state)
{
    static const char *const precision[] = {"single", "double", "mixed", "half"};
    static const char *const algorithm[] = {"cg --iterations 2", "sirt --iterations 2", "fbp"};
    static const double within[] = {1e-5, 1e-7, 2e-3, 2e-2};
    cli_works(*state, scan);
    for (int p = 0; p < 4; p++)
        for (int a = 0; a < 2; a++) {
            char words[80];
            const int other = p == 1 || p == 2 ? 1 : 2;
            snprintf(words, sizeof words, "--minibatch 3 --partitions 2 --precision %s --algorithm %s", precision[p],
                     algorithm[a == 0 ? 0 : other]);
            assert_agrees(*state, cli_device_kind()->device, words, within[p]);
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
    float *found = volume_of(directory, NULL, cli_device_kind()->device, words, &other);
    const double off = cli_difference((int64_t)SLICES * SIZE * SIZE, found, expected);
    if (!(off <= 1e-4)) fail_msg("%s: %g", words, off);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if ((cli_device_tasks_on(&other, name[i], cli_device_kind()->place) > 0) != cli_device_is_cuda() ||
            (cli_device_tasks_on(&other, name[i], "   ") > 0) == cli_device_is_cuda())
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
    const size_t count =
        cli_device_is_cuda() ? sizeof method / sizeof *method : 1; /* else cores compute the stages in both runs */
    for (size_t i = 0; i < count; i++) assert_stages_agree(*state, "cg --iterations 2", method[i]);
    assert_stages_agree(*state, "fbp", method[0]);
}

/* What is done to projections before the logarithm runs on CUDA GPUs, too, in the place of correct. */
static void images(void **state)
{
#define PHASE "--delta-beta 100 --energy 20 --propagation-distance 4 --pixel-size 1"
    static const struct {
        const char *task, *words;
    } runs[] = {
        {"phase", "--minibatch 3 --partitions 2 --algorithm fbp --phase-method paganin --flat-positions 0,18 " PHASE},
        {"phase", "--minibatch 2 --algorithm cg --iterations 2 --precision double --phase-method ctf " PHASE},
        {"tilt", "--minibatch 4 --algorithm fbp --detector-tilt 2 --phase-method gpaganin " PHASE},
        {"tilt", "--minibatch 3 --partitions 2 --algorithm fbp --detector-tilt 3 --flat-positions 0,18"},
        {"tilt", "--minibatch 2 --algorithm cg --iterations 2 --detector-tilt -2 --precision double"},
        {"tilt", "--minibatch 5 --algorithm sirt --iterations 2 --detector-tilt 0.5"},
    };
    const size_t step = cli_device_is_cuda() ? 1 : 3; /* else cores compute these in both runs */
    cli_works(*state, "phantom -o scan.h5 --size 48 --angles 36 --slices 5 --noise 0.01");
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i += step) {
        CliRun cpu, other;
        float *expected = volume_of(*state, NULL, "cpu", runs[i].words, &cpu);
        float *found = volume_of(*state, NULL, cli_device_kind()->device, runs[i].words, &other);
        const double off = cli_difference((int64_t)SLICES * SIZE * SIZE, found, expected);
        print_message("%s: %.2g\n", runs[i].words, off);
        if (!(off <= 2e-5)) fail_msg("%s: %g", runs[i].words, off);
        if ((cli_device_tasks_on(&other, runs[i].task, cli_device_kind()->place) > 0) != cli_device_is_cuda() ||
            (cli_device_tasks_on(&other, runs[i].task, "   ") > 0) == cli_device_is_cuda())
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
    assert_agrees(*state, cli_device_kind()->device, "--partitions 1 --symmetry no --algorithm cg --iterations 2",
                  1e-5);
    assert_agrees(*state, cli_device_kind()->device, "--partitions 7 --iterations 2 --nonnegativity --algorithm sirt",
                  1e-5);
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

/* Devices that there are, by the workers of a profile; the tests know two at most. */
static int device_count(const char *profile)
{
    int count = 0;
    for (int device = 0; device < 2; device++) {
        char worker[32];
        snprintf(worker, sizeof worker, "\"%s %d", cli_device_kind()->node, device);
        count += strstr(profile, worker) != NULL;
    }
    return count;
}

/* As a run of scan.h5 finds them; asked once. */
static int devices_here(const char *directory)
{
    static int count = 0;
    char path[TESTING_PATH];
    CliRun run = {.directory = directory};
    if (count > 0) return count;
    cli_start(&run, "recon scan.h5 -o count.h5 --rotation-axis 23.5 --algorithm fbp --device %s --profile=count.json",
              cli_device_kind()->device);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    char *profile = read_text(testing_path(path, directory, "count.json"));
    count = device_count(profile);
    free(profile);
    cli_free(&run);
    return count;
}

/* Devices compute the prior, too, where one partition has all voxels, or one GPU all partitions; else cores do. */
static void priors(void **state)
{
    static const struct {
        const char *words;
        bool one_device, on_opencl, on_cuda;
        const char *name[2]; /* of tasks */
    } runs[] = {
        {"--partitions 1", false, true, true, {"variation_primal", "variation_dual"}},
        {"--partitions 1 --precision double --symmetry no", false, true, true, {"variation_primal", "variation_dual"}},
        {"--partitions 3", true, false, true, {"variation_primal", "variation_dual"}},
        /* of a single GPU as the one before */
        {"--partitions 3", false, false, false, {"variation_primal", "variation_dual"}},
        {"--partitions 3 --prior huber", true, false, true, {"prior", "prior"}},
        {"--partitions 3 --prior-dimensions 3 --minibatch 2", true, false, true, {"volume_dual", "edge"}},
        {"--partitions 1 --prior-dimensions 3 --prior qggmrf", true, false, true, {"volume_prior", "volume_prior"}}};
    cli_works(*state, scan);
    const bool is_single = devices_here(*state) == 1;
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
        char line[128], one[32];
        CliRun cpu, other;
        const bool on_device = cli_device_is_cuda() ? runs[r].on_cuda || is_single : runs[r].on_opencl;
        snprintf(line, sizeof line, "%s --algorithm fista --subsets 2 --regularization 0.3 --iterations 2",
                 runs[r].words);
        snprintf(one, sizeof one, "%s=1", cli_device_kind()->one_device);
        float *expected = volume_of(*state, NULL, "cpu", line, &cpu);
        float *found = volume_of(*state, runs[r].one_device ? one : NULL, cli_device_kind()->device, line, &other);
        const double off = cli_difference((int64_t)SLICES * SIZE * SIZE, found, expected);
        print_message("%s %s: %.2g\n", cli_device_kind()->device, line, off);
        assert_true(off <= 1e-5);
        assert_on_devices_only(&other);
        for (int i = 0; i < 2; i++)
            if ((cli_device_tasks_on(&other, runs[r].name[i], "   ") > 0) == on_device ||
                (cli_device_tasks_on(&other, runs[r].name[i], cli_device_kind()->place) > 0) != on_device)
                fail_msg("%s elsewhere:\n%s", runs[r].name[i], other.err);
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
        snprintf(words, sizeof words, "--partitions 3 --algorithm cg --iterations 2 --scheduler %s", scheduler[i]);
        assert_agrees(*state, cli_device_kind()->with_cores, words, 1e-5);
    }
    CliRun run;
    free(volume_of(*state, NULL, cli_device_kind()->with_cores,
                   "--partitions 7 --algorithm cg --iterations 3 --scheduler random", &run));
    assert_true(cli_device_tasks_on(&run, "spmm_backproject", cli_device_kind()->place) > 0);
    cli_free(&run);
}

/* Products of five minibatches pass on their rays by themselves; those of one leave it to tasks, so that both devices
 * compute. */
static void rays_are_passed_on(void **state)
{
    cli_works(*state, scan);
    for (int minibatch = 1; minibatch <= SLICES; minibatch += SLICES - 1) {
        CliRun run;
        char words[80];
        snprintf(words, sizeof words, "--topology sockets=1,workers=4 --minibatch %d --algorithm cg --iterations 2",
                 minibatch);
        agree(*state, cli_device_kind()->device, words, 1e-5, &run);
        const bool passes = minibatch == 1 || devices_here(*state) == 1;
        if ((cli_device_tasks_on(&run, "reduce_node", cli_device_kind()->place) > 0) == passes ||
            (cli_device_tasks_on(&run, "spread_node", cli_device_kind()->place) > 0) == passes)
            fail_msg("%s:\n%s", words, run.err);
        cli_free(&run);
    }
}

/* Each product at its home, of which both devices have some; another volume only to rounding. */
static void partitions_have_homes(void **state)
{
    cli_works(*state, scan);
    assert_agrees(*state, cli_device_kind()->device,
                  "--partitions 6 --algorithm cg --iterations 2 --scheduler sino-affinity", 1e-5);
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
    if (strcmp(device, "cpu") != 0) assert_on_devices_only(&run);
    cli_free(&run);
    return volume;
}

/* What devices have traced is to the bit what cores have, for both to use. */
static void assert_same_operator(const char *directory, const char *words)
{
    const char *const device[] = {"cpu", cli_device_kind()->device}, *const cache[] = {"by-cores", "by-devices"};
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
    if (cli_device_is_cuda())
        assert_same_operator(*state, "--partitions 1 --algorithm fbp"); /* else cores trace in both runs */
    assert_same_operator(*state, "--partitions 3 --algorithm cg --iterations 1 --symmetry no --precision double");
    if (cli_device_is_cuda())
        assert_same_operator(*state, "--partitions 17 --algorithm fbp --symmetry no --precision half");
}

/* A slice of a single tile, of which most devices and workers have nothing. */
static void one_tile_of_one_slice(void **state)
{
    CliRun run = {.directory = *state};
    cli_works(*state, "phantom -o scan.h5 --size 16 --angles 12 --slices 1");
    const char *const device[] = {"cpu", cli_device_kind()->device};
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
    if (!cli_device_is_cuda()) return;
    cli_works(*state, "phantom -o scan.h5 --size 48 --angles 36 --slices 1");
    for (int p = 0; p < 4; p++) {
        CliRun run;
        char words[80];
        snprintf(words, sizeof words, "--partitions 2 --minibatch 1 --algorithm cg --iterations 1 --precision %s",
                 precision[p]);
        float *by_gpus = cli_device_volume(*state, 1, SIZE, NULL, "cuda", words, &run);
        assert_listed(&run);
        cli_free(&run);
        float *by_cores = cli_device_volume(*state, 1, SIZE, "STARPU_LIMIT_CUDA_MEM=40", "cuda", words, &run);
        assert_int_equal(cli_device_tasks_on(&run, "building: regroup_fill", cli_device_kind()->place), 0);
        const char *rest;
        const double host = cli_number_after(run.err, "sinodag: cores make ", &rest); /* all sets of lists */
        assert_true(host >= 2 && cli_number_after(rest, " of ", NULL) == host);
        assert_memory_equal(by_gpus, by_cores, SIZE * SIZE * sizeof *by_gpus);
        free(by_gpus);
        free(by_cores);
        cli_free(&run);
    }
}

/* Bytes that one device has received in the whole run, by the profile. */
static double bytes_received(const char *profile, int device)
{
    char bus[64];
    const char *rest;
    snprintf(bus, sizeof bus, "{\"from\": \"NUMA 0\", \"to\": \"%s %d\", \"count\": ", cli_device_kind()->node, device);
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
              cli_device_kind()->with_cores);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    testing_path(path, *state, "profile.json");
    char *profile = read_text(path);
    const double lists = cli_device_bytes_after(run.err, "lists of it for devices: ");
    assert_true(lists > 0);
    const int count = device_count(profile);
    assert_true(count > 0);
    for (int device = 0; device < count; device++) assert_true(bytes_received(profile, device) >= 0.99 * lists);
    free(profile);
    cli_free(&run);
}

static bool is_played(void)
{
    return strcmp(cli_device_kind()->name, "simt") == 0;
}

/* With room for a few tasks only, lists and vectors come and go. A's blocks are those that cores have made. */
static void assert_comes_and_goes(const char *directory, const char *environment)
{
    CliRun cores, narrow;
    const int size = cli_device_kind()->large_size;
    char words[128];
    snprintf(words, sizeof words, "%s --minibatch 2 --symmetry no --workers 1 --operator-cache kept",
             cli_device_kind()->large_words);
    assert_int_equal(setenv(cli_device_kind()->one_device, "1", 1), 0); /* two would share the lists */
    float *expected = cli_device_volume(directory, SLICES, size, NULL, "cpu", words, &cores);
    float *found = cli_device_volume(directory, SLICES, size, environment, cli_device_kind()->device, words, &narrow);
    assert_int_equal(unsetenv(cli_device_kind()->one_device), 0);
    const double lists = cli_device_bytes_after(narrow.err, "sinodag: lists of it for devices: ");
    print_message("to devices: %.0f bytes, lists %.0f\n", cli_device_bytes_received(&narrow), lists);
    assert_true(cli_device_bytes_received(&narrow) > 2 * lists);
    assert_true(cli_difference((int64_t)SLICES * size * size, found, expected) <= 1e-5);
    assert_on_devices_only(&narrow);
    free(expected);
    free(found);
    cli_free(&cores);
    cli_free(&narrow);
}

/* Of a device's 512 MiB other processes have all but 47, of which StarPU takes nine tenths, as of those of the user. */
static void problems_larger_than_the_device(void **state)
{
    const CliDeviceKind *kind = cli_device_kind();
    cli_works(*state, "phantom -o scan.h5 --size %d --angles %d --slices 5", kind->large_size, kind->large_angles);
    assert_comes_and_goes(*state, kind->little_memory);
    if (is_played()) assert_comes_and_goes(*state, "SIMT_GPU_OTHERS=465");
}

/* Once buses have been measured, a run on cores makes no context of CUDA, and page-locks nothing. */
static void cores_leave_gpus_alone(void **state)
{
    CliRun run;
    if (!is_played()) return;
    cli_works(*state, scan);
    free(volume_of(*state, "SIMT_GPU_UNTOUCHED=1", "cpu", "--algorithm cg --iterations 2 --partitions 2", &run));
    cli_free(&run);
}

static void assert_refused(const char *directory, const char *environment, const char *words, const char *keys)
{
    CliRun run = {.directory = directory, .environment = environment};
    cli_start(&run, "recon scan.h5 -o refused.h5 --rotation-axis 23.5 %s", words);
    cli_wait(&run);
    cli_assert_ended(&run, 2, keys);
    assert_false(cli_exists(directory, "refused.h5"));
}

/* Rotate tasks run on devices alone, or wherever StarPU has them run; the volume is that of the cores. */
static void assert_rotation_agrees(const char *directory, const char *environment, const char *device,
                                   const char *words)
{
    static const char *const name[] = {"rotate_project", "rotate_back"};
    const bool alone = strcmp(device, cli_device_kind()->device) == 0, projects = !strstr(words, "fbp");
    char line[160];
    CliRun cpu, other;
    snprintf(line, sizeof line, "--projector rotate %s", words);
    float *expected = volume_of(directory, NULL, "cpu", line, &cpu);
    float *found = volume_of(directory, environment, device, line, &other);
    const double off = cli_difference((int64_t)SLICES * SIZE * SIZE, found, expected);
    print_message("%s %s: %.2g\n", device, line, off);
    assert_true(off <= 1e-5);
    for (int i = !projects; i < 2 && alone; i++)
        if (cli_device_tasks_on(&other, name[i], "   ") > 0 ||
            cli_device_tasks_on(&other, name[i], cli_device_kind()->place) == 0)
            fail_msg("%s elsewhere:\n%s", name[i], other.err);
    assert_int_equal(cli_device_tasks_on(&cpu, name[1], cli_device_kind()->place), 0);
    free(expected);
    free(found);
    cli_free(&cpu);
    cli_free(&other);
}

/* Slices are turned in every product, of all angles or subsets, in panels of several widths. */
static void rotation(void **state)
{
    static const char *const words[] = {"--algorithm cg --iterations 2 --partitions 1",
                                        "--algorithm sirt --iterations 2 --partitions 3 --interpolation nearest",
                                        "--algorithm osem --subsets 3 --iterations 2 --interpolation cubic",
                                        "--algorithm fbp --partitions 7 --minibatch 3"};
    cli_works(*state, scan);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_rotation_agrees(*state, NULL, cli_device_kind()->device, words[i]);
    assert_rotation_agrees(*state, NULL, cli_device_kind()->with_cores, "--algorithm cg --iterations 2 --minibatch 1");
    assert_rotation_agrees(*state, NULL, cli_device_kind()->with_cores,
                           "--algorithm osem --subsets 3 --iterations 2 --partitions 3 --minibatch 2");
    if (cli_device_is_cuda()) return; /* StarPU takes memory of GPUs in pieces of 32 MiB */
    assert_rotation_agrees(*state, "STARPU_LIMIT_OPENCL_MEM=6", cli_device_kind()->device,
                           "--algorithm cg --iterations 3");
    assert_refused(*state, cli_device_kind()->least_memory, "--projector rotate --algorithm cg --device opencl",
                   "a device has 1.00 MiB of memory; two tasks of this reconstruction need ");
}

/* Tasks by FFT run on CUDA GPUs, alone or beside cores, and give the volume of the cores. */
static void assert_transforms_agree(const char *directory, const char *device, const char *task, const char *words)
{
    const bool alone = strcmp(device, cli_device_kind()->device) == 0, fbp = strcmp(task, "gridding_back") == 0;
    CliRun cpu, other;
    float *expected = volume_of(directory, NULL, "cpu", words, &cpu);
    float *found = volume_of(directory, NULL, device, words, &other);
    const double off = cli_difference((int64_t)SLICES * SIZE * SIZE, found, expected);
    print_message("%s %s: %.2g\n", device, words, off);
    assert_true(off <= 1e-5);
    const int64_t on_cores = cli_device_tasks_on(&other, task, "   ");
    if (alone && (on_cores > 0 || cli_device_tasks_on(&other, task, cli_device_kind()->place) == 0))
        fail_msg("%s elsewhere:\n%s", task, other.err);
    assert_true(!alone || cli_device_tasks_on(&other, "gridding_back", "   ") == 0);
    assert_true(!alone || fbp || cli_device_tasks_on(&other, "update_residual", "   ") == 0);
    assert_int_equal(cli_device_tasks_on(&cpu, task, cli_device_kind()->place), 0);
    free(expected);
    free(found);
    cli_free(&cpu);
    cli_free(&other);
}

static void transforms(void **state)
{
    if (!cli_device_is_cuda()) return;
    cli_works(*state, scan);
    const char *const device = cli_device_kind()->device, *const with_cores = cli_device_kind()->with_cores;
    const char *const normal = "toeplitz_product", *const back = "gridding_back";
    assert_transforms_agree(*state, device, normal, "--projector toeplitz --algorithm cg --iterations 2");
    assert_transforms_agree(*state, device, normal,
                            "--projector toeplitz --algorithm cg --iterations 2 --partitions 17 --minibatch 3");
    assert_transforms_agree(*state, device, normal,
                            "--projector toeplitz --algorithm fista --iterations 3 --regularization 0.3");
    assert_transforms_agree(*state, device, normal,
                            "--projector toeplitz --algorithm fista --iterations 3 --prior huber --partitions 2 "
                            "--minibatch 1");
    assert_transforms_agree(*state, with_cores, normal,
                            "--projector toeplitz --algorithm cg --iterations 2 --minibatch 1");
    assert_transforms_agree(*state, with_cores, normal,
                            "--projector toeplitz --algorithm fista --iterations 3 --partitions 3 --minibatch 2");
    assert_transforms_agree(*state, device, back, "--projector gridding --algorithm fbp");
    assert_transforms_agree(*state, device, back, "--projector gridding --algorithm fbp --partitions 17 --minibatch 3");
    assert_transforms_agree(*state, with_cores, back, "--projector gridding --algorithm fbp --minibatch 1");
}

/* What else stores nothing computes on cores. */
static void other_projectors_are_refused(void **state)
{
    char words[80];
    cli_works(*state, scan);
    snprintf(words, sizeof words, "--projector pixels --algorithm fbp --device %s", cli_device_kind()->device);
    assert_refused(*state, NULL, words, "--projector | pixels | --device cpu | --projector rays");
    if (cli_device_is_cuda()) return;
    assert_refused(*state, NULL, "--projector gridding --algorithm fbp --device opencl",
                   "--projector | gridding | --device cpu | --projector rays");
    assert_refused(*state, NULL, "--projector toeplitz --algorithm cg --device opencl",
                   "--projector | toeplitz | --device cpu | --projector rays");
}

static void what_does_not_fit_is_refused(void **state)
{
    cli_works(*state, scan);
    char alone[32], together[80];
    snprintf(alone, sizeof alone, "--device %s", cli_device_kind()->device);
    snprintf(together, sizeof together, "--device %s --partitions 2", cli_device_kind()->with_cores);
    assert_refused(*state, cli_device_kind()->least_memory, alone, "a device | 1.00 MiB | two tasks");
    assert_refused(*state, cli_device_kind()->least_memory, together, "a device | allowed: more --partitions");
    /* What of the operator is not in memory could not get to a device. */
    cli_works(*state, "phantom -o scan.h5 --overwrite --size 256 --angles 180 --slices 2");
    snprintf(together, sizeof together, "--device %s --symmetry no --memory 120MiB --projector rays",
             cli_device_kind()->device);
    assert_refused(*state, NULL, together, "lists for devices | --memory");
}

static void what_is_not_there_is_refused(void **state)
{
    cli_works(*state, scan);
    assert_refused(*state, "STARPU_OPENCL_ON_CPUS=0", "--device opencl", "device | 'opencl'");
    assert_refused(*state, "CUDA_VISIBLE_DEVICES=", "--device cuda", "device | 'cuda'");
    assert_refused(*state, NULL, "--device gpu", "--device | 'gpu' | all | cpu");
    assert_refused(*state, NULL, "--device cpu,cpu", "--device | 'cpu,cpu' | all | cpu");
}

/* Runs on cores and on devices stand in one table, and agree to rounding. */
static void sweeps_compare_devices(void **state)
{
    char row[80];
    cli_works(*state,
              "sweep --csv s.csv --schedulers dmdas,eager --devices cpu,cpu+%s --columns 32 --angles 24 --slices 8 "
              "--minibatches 4 --algorithm cg --iterations 3 --repetitions 1",
              cli_device_kind()->device);
    const int64_t size = cli_file_size(*state, "s.csv");
    char *bytes = cli_read_bytes(*state, "s.csv", (size_t)size), *text = strndup(bytes, (size_t)size);
    snprintf(row, sizeof row, "\nmeasurement,dmdas,32,24,8,4,0,0,cpu+%s,single,1,", cli_device_kind()->device);
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
        CLI_TEST(priors),
        CLI_TEST(rotation),
        CLI_TEST(transforms),
        CLI_TEST(other_projectors_are_refused),
        CLI_TEST(cores_and_devices_together),
        CLI_TEST(rays_are_passed_on),
        CLI_TEST(partitions_have_homes),
        CLI_TEST(sweeps_compare_devices),
        CLI_TEST(lists_are_copied_ahead),
        CLI_TEST(lists_are_the_same_wherever_made),
        CLI_TEST(operators_are_the_same_wherever_traced),
        CLI_TEST(one_tile_of_one_slice),
        CLI_TEST(problems_larger_than_the_device),
        CLI_TEST(cores_leave_gpus_alone),
        CLI_TEST(what_does_not_fit_is_refused),
    };
    return cli_device_found() ? cmocka_run_group_tests(tests, NULL, NULL) : CLI_DEVICE_SKIPPED;
}
