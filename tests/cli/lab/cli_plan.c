/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, plan: its table, its JSON, a plan of a file, and the input that it refuses. A plan writes no file and
 * takes little time and memory. */
#include "cli.h"

#include "memory.h"

#include <math.h>

static CliRun run_plan(const char *directory, const char *line)
{
    CliRun run = {.directory = directory};
    cli_start(&run, "plan %s", line);
    cli_wait(&run);
    assert_string_equal(run.err, "");
    assert_int_equal(run.exit_code, 0);
    return run;
}

static void assert_has(const CliRun *run, const char *text)
{
    if (!strstr(run->out, text)) fail_msg("there is no\n%s\nin\n%s", text, run->out);
}

static const char small[] =
    "--angles 180 --columns 512 --slices 64 --ranks 4 --grid 2x2 --topology sockets=2,workers=3 --memory 4GiB "
    "--minibatch 16 --link-latency 3";

static void table(void **state)
{
    char *before = cli_listing(*state);
    CliRun run = run_plan(*state, small);
    assert_has(
        &run,
        "scan         180 angles, 512 columns, 64 slices\nangles       0.0000 to 179.0000 degrees, steps of 1.0000\n"
        "algorithm    cg, iterations: 30\ngrid         2x2: given\n");
    assert_has(&run, "topology     nodes=2,sockets=2,workers=3: 12 partitions of a slice; 6 workers per rank\n");
    assert_has(&run,
               "slices       32 of a group, in slabs of 2 minibatches of 16 (the kernels at 100 % of their rate)\n");
    assert_has(&run, "memory of a rank, of 4.00 GiB\n");
    assert_has(&run, "bytes of a projection of all slices, hierarchical\n");
    assert_has(&run, "time of an iteration, with overlap\n");
    assert_has(&run, "and 3 us a message; all files: 1 GB/s\n");
    assert_null(strstr(run.out, "idle"));
    assert_true(cli_number_after(run.out, "  footprints of workers", NULL) >
                cli_number_after(run.out, "  footprints of sockets", NULL));
    cli_free(&run);
    run = run_plan(*state, "--angles 12 --columns 64 --slices 2 --ranks 1000 --memory 4GiB");
    assert_has(&run, "\nidle         ");
    cli_free(&run);
    char *after = cli_listing(*state);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

/* The search for the strength of the prior, and updates once for each subset, take their time. */
static void times_of_fista(void **state)
{
    static const char *const words[] = {"", "--subsets 1", "--algorithm cg"};
    double search[3], update[3], run_s[3];
    for (int i = 0; i < 3; i++) {
        char line[120];
        snprintf(line, sizeof line, "--json --columns 256 --angles 400 --slices 32 --memory 4GiB%s%s",
                 *words[i] ? " " : "", words[i]);
        CliRun run = run_plan(*state, line);
        const char *seconds = strstr(run.out, "\"seconds\": {");
        assert_non_null(seconds);
        search[i] = cli_number_after(seconds, "\"search\": ", NULL);
        run_s[i] = cli_number_after(seconds, "\"run\": ", NULL);
        update[i] = cli_number_after(run.out, "\"update\": ", NULL);
        cli_free(&run);
    }
    assert_true(search[0] > 0 && run_s[0] > search[0]);
    assert_true(update[0] > 4 * update[1] && update[0] < 8 * update[1]);
    assert_true(search[2] == 0 && run_s[2] > 0);
}

/* Details after the last iteration of fista are a part of the run. */
static void details_take_time(void **state)
{
    static const char *const words[] = {"", " --algorithm cg --iterations 15"};
    for (int i = 0; i < 2; i++) {
        char line[160];
        snprintf(line, sizeof line,
                 "--json --columns 256 --angles 400 --slices 32 --workers 2 --memory 4GiB --file-bandwidth 100000%s",
                 words[i]);
        CliRun run = run_plan(*state, line);
        const char *seconds = strstr(run.out, "\"seconds\": {");
        assert_non_null(seconds);
        const double finish_s = cli_number_after(seconds, "\"finish\": ", NULL);
        const double iterations_s = 15.5 * cli_number_after(seconds, "\"iteration\": ", NULL);
        const double rest_s = cli_number_after(seconds, "\"search\": ", NULL) + iterations_s + finish_s;
        assert_true(fabs(cli_number_after(seconds, "\"run\": ", NULL) - rest_s) < 0.01 * rest_s);
        const double kernel_s = cli_number_after(run.out, "\"kernel\": ", NULL);
        assert_true(i == 0 ? finish_s > 1.25 * kernel_s / 2 && finish_s < kernel_s * 3 : finish_s == 0);
        cli_free(&run);
    }
}

/* Brackets that match, names and values: enough for any reader, which is asked where there is one. */
static void json(void **state)
{
    char line[400], path[TESTING_PATH];
    snprintf(line, sizeof line, "%s --json", small);
    CliRun run = run_plan(*state, line);
    assert_has(&run, "{\"scan\": {\"angles\": 180, \"columns\": 512, \"slices\": 64},\n");
    assert_has(&run, " \"algorithm\": \"cg\",\n \"iterations\": 30,\n");
    assert_has(&run, " \"grid\": {\"ranks\": 4, \"batch_groups\": 2, \"data_ranks\": 2, \"idle_ranks\": 0, \"why\": "
                     "\"given\"},\n");
    assert_has(&run, " \"topology\": {\"nodes\": 2, \"sockets\": 2, \"workers\": 3, \"rank_workers\": 6},\n");
    const double worker = cli_number_after(run.out, "\"worker_footprints\": ", NULL);
    const double socket = cli_number_after(run.out, "\"socket_footprints\": ", NULL);
    const double node = cli_number_after(run.out, "\"node_footprints\": ", NULL);
    const double global = cli_number_after(run.out, "\"global\": ", NULL);
    assert_true(worker > socket && socket > node && node > global && global > 0);
    assert_true(cli_number_after(run.out, "\"total\": ", NULL) > 96 * 1048576.0);
    assert_true(cli_number_after(run.out, "\"run\": ", NULL) > 0);
    cli_write_text(*state, "plan.json", run.out);
    cli_free(&run);
    const int code = cli_tool("python3", "-mjson.tool", testing_path(path, *state, "plan.json"));
    if (code == 127) skip();
    assert_int_equal(code, 0);
}

/* The normal operator changes values, so that the plan takes ray lengths where they fit, and tells what would be
 * faster; what it cannot do, and what is not much faster, is not told. */
static void normal_operator_is_offered(void **state)
{
    static const char *const words[] = {"", "--projector rays", "--precision double", "--grid 1x2 --ranks 2"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char line[200];
        snprintf(line, sizeof line, "--columns 1024 --angles 1501 --slices 64 --machine h100x1 --algorithm cg %s",
                 words[i]);
        CliRun run = run_plan(*state, line);
        assert_has(&run, "\nalgorithm    cg, iterations: 30\n");
        assert_has(&run, "\nprojector    rays\n");
        assert_int_equal(!strstr(run.out, "\nfaster       --projector toeplitz: about "), i > 0);
        cli_free(&run);
    }
    CliRun run = run_plan(*state, "--columns 128 --angles 100 --slices 64 --machine h100x1 --algorithm cg");
    assert_null(strstr(run.out, "faster"));
    cli_free(&run);
}

static void of_a_file(void **state)
{
    cli_write_scan(*state, "scan.h5", &cli_scan);
    CliRun run = run_plan(*state, "scan.h5 --ranks 3 --memory 1GiB");
    assert_has(&run, "scan         12 angles, 16 columns, 4 slices\n");
    assert_has(&run, "\ngrid         3x1: each slice on one rank, as fista compares neighbouring voxels\n");
    cli_free(&run);
    run = run_plan(*state, "scan.h5 --start-row 1 --end-row 3 --binning 2 --memory 1GiB --algorithm fbp");
    assert_has(&run, "scan         12 angles, 8 columns, 1 slices\n");
    assert_has(&run, "\ngrid         1x1: one rank\n");
    cli_free(&run);
    cli_refuses(*state, "--angles | --slices | 'scan.h5'", "plan scan.h5 --slices 3");
}

/* Angles of a scan without a file: 1501 angles that include 180° pair up as 1500 that leave it out do. */
static void angles_of_a_described_scan(void **state)
{
    static const char words[] = "--columns 128 --slices 2 --memory 4GiB --algorithm cg";
    static const struct {
        const char *angles, *printed, *stored;
    } row[] = {{"--angles 1500", "0.0000 to 179.8800 degrees, steps of 0.1200", " 376 of 1500 "},
               {"--angles 1501 --theta 0:180", "0.0000 to 180.0000 degrees, steps of 0.1200", " 376 of 1501 "},
               {"--angles 360 --theta 0:360:excluded", "0.0000 to 359.0000 degrees, steps of 1.0000", " of 360 "}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char line[200];
        snprintf(line, sizeof line, "%s %s", row[i].angles, words);
        CliRun run = run_plan(*state, line);
        assert_has(&run, row[i].printed);
        assert_has(&run, row[i].stored);
        cli_free(&run);
    }
    cli_refuses(*state, "theta | 'nonsense' | no such file | 0:180 | FIRST:step:STEP",
                "plan --angles 10 --theta nonsense --columns 64 --slices 2");
}

/* A number in the member `object` of what a command prints. */
static double number_of(const char *directory, const char *object, const char *before, const char *words)
{
    CliRun run = {.directory = directory};
    cli_start(&run, "%s --json", words);
    cli_wait(&run);
    if (run.exit_code != cli_code_of_info(run.out)) fail_msg("%s", run.err);
    const char *found = strstr(run.out, object);
    assert_non_null(found);
    const double number = cli_number_after(found, before, NULL);
    cli_free(&run);
    return number;
}

/* Stages take the same memory of a scan that sizes describe as of its file. */
static void stages_of_a_described_scan(void **state)
{
    static const char *const stages[] = {"--remove-stripe-method fw", "--detector-tilt 1"};
    static const char object[] = "\"memory_bytes\": {", stage[] = "\"stages\": ";
    cli_works(*state, "phantom -o scan.h5 --size 64 --angles 100 --slices 48");
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        char file[120], sizes[120];
        snprintf(file, sizeof file, "plan scan.h5 --algorithm cg --workers 2 %s", stages[i]);
        snprintf(sizes, sizeof sizes, "plan --columns 64 --angles 100 --slices 48 --algorithm cg --workers 2 %s",
                 stages[i]);
        const double bytes = number_of(*state, object, stage, file);
        assert_true(bytes > 0);
        assert_true(number_of(*state, object, stage, sizes) == bytes);
    }
}

/* Rates of a preset, of a file that bench wrote, and of options, which win. */
static void machines(void **state)
{
    static const char scan[] = "--angles 90 --columns 64 --slices 4";
    static const char head[] = "precision,slices,workers,project_gflops,backproject_gflops,read_gbps\n";
    char table[300], line[200];
    snprintf(table, sizeof table, "%ssingle,4,2,10,10,40\nsingle,16,2,100,60,40\nmixed,16,2,0,1,1\n", head);
    cli_write_text(*state, "bench.csv", table);
    cli_write_text(*state, "other.csv", "a,b\n1,2\n");
    static const struct {
        const char *words, *printed;
    } row[] = {{"", "kernels 50 GFLOP/s, memory 20 GB/s"},
               {"--machine summit", "kernels 3125 GFLOP/s, memory 900 GB/s"},
               {"--machine bench.csv", "kernels 37.5 GFLOP/s, memory 20 GB/s"},
               {"--machine here", "kernels 50 GFLOP/s, memory 20 GB/s"},
               {"--machine h200x8", "per device: kernels 19000 GFLOP/s, memory 3840 GB/s"},
               {"--machine mine.yaml", "per worker: kernels 31 GFLOP/s, memory 7 GB/s"},
               {"--machine summit --kernel-gflops 7", "kernels 7 GFLOP/s, memory 900 GB/s"}};
    cli_write_text(*state, "mine.yaml", "cores: 5\nmemory: 3GiB\ncore-gflops: 31\ncore-bandwidth: 7\n");
    cli_write_text(*state, "wrong.yaml", "cores: many\n");
    cli_write_text(*state, "nodes.yaml", "like: here\nnodes: 3\n");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        snprintf(line, sizeof line, "%s %s", scan, row[i].words);
        CliRun run = run_plan(*state, line);
        assert_has(&run, row[i].printed);
        cli_free(&run);
    }
    cli_refuses(*state, "--machine | 'cray' | h100x1 | `sinodag bench --csv`", "plan %s --machine cray", scan);
    snprintf(line, sizeof line, "plan %s --machine nodes.yaml", scan);
    assert_true(number_of(*state, "\"grid\": {", "\"ranks\": ", line) == 3);
    snprintf(line, sizeof line, "plan %s --machine nodes.yaml --ranks 1", scan);
    assert_true(number_of(*state, "\"grid\": {", "\"ranks\": ", line) == 1);
    /* All devices of a node compute. */
    static const char devices[] = "plan --angles 100 --columns 128 --slices 1024 --machine h100x8";
    const double kernel_s = number_of(*state, "\"iteration_seconds\": {", "\"kernel\": ", devices);
    const double nonzeros = number_of(*state, "\"operator\": {", "\"nonzeros\": ", devices);
    assert_true(fabs(kernel_s / (4 * nonzeros * 1024 / (8 * 19e12)) - 1) < 1e-6);
    cli_refuses(*state, "wrong.yaml | cores | 'many' | 1 to 100000", "plan %s --machine wrong.yaml", scan);
    snprintf(table, sizeof table, "%ssingle,6e41,2,10,10,40\n", head);
    cli_write_text(*state, "huge.csv", table);
    cli_refuses(*state, "huge.csv | slices | '6e41' | 1e-9 | 1e9", "plan %s --machine huge.csv", scan);
    cli_refuses(*state, "other.csv | `sinodag bench --csv`", "plan %s --machine other.csv", scan);
    cli_refuses(*state, "bench.csv | project_gflops | '0' | 1e-9 | 1e9",
                "plan %s --machine bench.csv --precision mixed", scan);
    cli_refuses(*state, "bench.csv | `sinodag bench --precision double --csv`",
                "plan %s --machine bench.csv --precision double", scan);
}

/* The words after `before` in a text, up to the end of `unit`. */
static void copy_after(const char *text, const char *before, const char *unit, char copy[32])
{
    const char *from = strstr(text, before);
    assert_non_null(from);
    from += strlen(before) + strspn(from + strlen(before), " ");
    const char *end = strstr(from, unit);
    assert_non_null(end);
    snprintf(copy, 32, "%.*s", (int)(end + strlen(unit) - from), from);
}

/* plan, info and recon tell the same memory of the same file: recon keeps the plan. */
static void plan_info_and_recon_agree(void **state)
{
    static const char *const scans[] = {"--size 64 --angles 100 --slices 256", "--size 64 --angles 100 --slices 48",
                                        "--size 33 --angles 20 --slices 3", "--size 128 --angles 90 --slices 40"};
    for (size_t i = 0; i < sizeof scans / sizeof *scans; i++) {
        char planned[24], taken[32];
        cli_works(*state, "phantom -o scan.h5 --overwrite %s", scans[i]);
        const double total = number_of(*state, "\"memory_bytes\": {", "\"total\": ", "plan scan.h5");
        assert_true(number_of(*state, "\"memory_bytes\": {", "\"usual\": ", "info scan.h5") == total);
        sino_bytes_text((int64_t)total, planned);
        CliRun run = {.directory = *state};
        cli_start(&run, "recon scan.h5 -o volume.h5 --overwrite --rotation-axis 16 --regularization 0.1");
        cli_wait(&run);
        copy_after(run.err, ", memory: ", "iB", taken);
        assert_int_equal(run.exit_code, 0);
        cli_free(&run);
        assert_string_equal(planned, taken);
    }
}

/* Of each solver with weights, too, whose vectors plan counts. */
static void weights_are_planned(void **state)
{
    static const char *const algorithm[] = {"cg", "sirt"};
    cli_works(*state, "phantom -o scan.h5 --size 64 --angles 100 --slices 48");
    for (size_t i = 0; i < sizeof algorithm / sizeof *algorithm; i++) {
        double total[2];
        for (int w = 0; w < 2; w++) {
            char line[120], planned[24], taken[32];
            CliRun run = {.directory = *state};
            snprintf(line, sizeof line, "plan scan.h5 --iterations 2 --algorithm %s --weights %s", algorithm[i],
                     w ? "counts" : "none");
            total[w] = number_of(*state, "\"memory_bytes\": {", "\"total\": ", line);
            sino_bytes_text((int64_t)total[w], planned);
            cli_start(&run,
                      "recon scan.h5 -o volume.h5 --overwrite --rotation-axis 31.5 --iterations 2 --algorithm %s "
                      "--weights %s",
                      algorithm[i], w ? "counts" : "none");
            cli_wait(&run);
            copy_after(run.err, ", memory: ", "iB", taken);
            assert_int_equal(run.exit_code, 0);
            cli_free(&run);
            assert_string_equal(planned, taken);
        }
        assert_true(total[1] >= total[0] + 48 * 64 * 64 * sizeof(float)); /* weights of a slice's own at least */
    }
}

/* Writes disks.npy, [row][angle][column], from disks.bin. */
static void write_npy(const char *directory, int angles)
{
    static const unsigned char magic[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0};
    const size_t values = (size_t)angles * 64 * sizeof(float), header = 128;
    char *npy = malloc(header + values);
    float *raw = cli_read_bytes(directory, "disks.bin", values);
    assert_non_null(npy);
    memset(npy, ' ', header);
    memcpy(npy, magic, sizeof magic);
    const int length =
        sprintf(npy + 10, "{'descr': '<f4', 'fortran_order': False, 'shape': (1, %d, 64), }", angles); /* NOLINT */
    npy[10 + length] = ' ';
    npy[header - 1] = '\n';
    memcpy(npy + header, raw, values);
    cli_write_bytes(directory, "disks.npy", npy, header + values);
    free(raw);
    free(npy);
}

/* Of a half acquisition, too, plan, info and recon tell the same slices and memory, whether the axis is given or found,
 * with and without completed projections; given an axis in the middle, a slice as wide as the detector. */
static void half_acquisitions_agree(void **state)
{
    const char *const at = *state;
    static const struct {
        const char *algorithm, *axis;
        double center;
        int side;
    } row[] = {{"fbp", " --rotation-axis 14", 14, 100},
               {"fbp", "", 14, 100},
               {"cg --iterations 2", "", 49, 100},
               {"cg --iterations 30", " --rotation-axis 49", 49, 100},
               {"cg --iterations 2", " --rotation-axis 32", 49, 64}};
    static const char scan[] = "disks.npy --axes row,angle,column --data line-integrals --theta disks_theta.bin";
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char line[300], planned[24], taken[32];
        cli_write_disks(at, 240, 2 * M_PI, row[i].center, 44, 30);
        write_npy(at, 240);
        snprintf(line, sizeof line, "plan %s --algorithm %s%s", scan, row[i].algorithm, row[i].axis);
        sino_bytes_text((int64_t)number_of(at, "\"memory_bytes\": {", "\"total\": ", line), planned);
        assert_true(number_of(at, "\"slice\": {", "\"side\": ", line) == row[i].side);
        CliRun run = {.directory = at};
        cli_start(&run, "recon %s --algorithm %s%s -o o.h5 --overwrite", scan, row[i].algorithm, row[i].axis);
        cli_wait(&run);
        if (run.exit_code != 0) fail_msg("%s", run.err);
        copy_after(run.err, ", memory: ", "iB", taken);
        cli_free(&run);
        if (strcmp(planned, taken) != 0) fail_msg("%s: planned %s, taken %s", line, planned, taken);
        free(cli_read_volume(at, "o.h5", 1, row[i].side));
        snprintf(line, sizeof line, "info %s%s", scan, row[i].axis);
        assert_true(number_of(at, "\"slice\": {", "\"side\": ", line) == row[i].side);
        char *told = cli_output_of(at, line);
        assert_true((strstr(told, "the slice gets 100 x 100 voxels") != NULL) == (row[i].side == 100));
        free(told);
    }
    const double whole = number_of(at, "\"memory_bytes\": {", "\"usual\": ",
                                   "info disks.npy --axes row,angle,column "
                                   "--data line-integrals --theta disks_theta.bin --rotation-axis 49");
    assert_true(whole == number_of(at, "\"memory_bytes\": {", "\"total\": ",
                                   "plan disks.npy --axes row,angle,column "
                                   "--data line-integrals --theta disks_theta.bin --rotation-axis 49"));
    cli_refuses(at, "rotation-axis | 64 | auto | 0 to 63",
                "plan %s "
                "--rotation-axis 64",
                scan);
    cli_refuses(at, "--rotation-axis | with an input file",
                "plan --columns 64 --angles 90 --slices 4 --rotation-axis 14");
}

/* With partitions given, recon stores as many angles as plan says, with symmetry and without. */
static void partitions_and_symmetry_agree(void **state)
{
    static const char *const words[] = {"--partitions 4", "--partitions 1", "--partitions 4 --symmetry no"};
    cli_works(*state, "phantom -o scan.h5 --size 64 --angles 60 --slices 4");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char line[100];
        snprintf(line, sizeof line, "plan scan.h5 --algorithm cg %s", words[i]);
        const double stored = number_of(*state, "\"operator\": {", "\"stored_angles\": ", line);
        assert_true(number_of(*state, "\"operator\": {", "\"partitions\": ", line) == (i == 1 ? 1 : 4));
        CliRun run = {.directory = *state};
        cli_start(
            &run,
            "recon scan.h5 -o volume.h5 --overwrite --algorithm cg --iterations 1 --rotation-axis 31.5 --log json %s",
            words[i]);
        cli_wait(&run);
        assert_int_equal(run.exit_code, 0);
        const char *found = strstr(run.err, " of 60 angles stored");
        assert_non_null(found);
        while (found[-1] != ' ') found--;
        assert_true(strtod(found, NULL) == stored);
        cli_free(&run);
    }
}

/* The memory that plan allows, when it refuses `mib`. */
static int refused_mib(const char *directory, const char *words, int mib)
{
    CliRun run = {.directory = directory};
    cli_start(&run, "plan scan.h5%s --memory %dMiB", words, mib);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    const int allowed = (int)cli_number_after(run.err, "allowed: --memory ", NULL);
    cli_free(&run);
    return allowed;
}

/* Where the operator does not fit, plan says so and how recon gets by; less than what both call the least is refused.
 */
static void windows(void **state)
{
    cli_works(*state, "phantom -o scan.h5 --size 512 --angles 180 --slices 2");
    const int mib = refused_mib(*state, " --algorithm cg --projector rays", 1);
    char line[100];
    snprintf(line, sizeof line, "plan scan.h5 --algorithm cg --projector rays --memory %dMiB", mib);
    assert_true(number_of(*state, "\"operator\": {", "\"windows\": ", line) > 0);
    CliRun run = run_plan(*state, line + strlen("plan "));
    assert_has(&run, " partitions are in memory at a time; the others are computed again when they are needed");
    assert_has(&run, ", without building the operator, nor computing it again\n");
    cli_free(&run);
    cli_works(*state,
              "recon scan.h5 -o volume.h5 --rotation-axis 255.5 --algorithm cg --iterations 1 --projector rays "
              "--memory %dMiB",
              mib);
    assert_int_equal(refused_mib(*state, " --algorithm cg --projector rays", mib - 1), mib);
}

/* Left to itself, recon gets by with less: lengths are computed in every product. The least is what info says. */
static void lines_take_less(void **state)
{
    cli_works(*state, "phantom -o scan.h5 --size 512 --angles 180 --slices 2");
    const double least = number_of(*state, "\"memory_bytes\": {", "\"least\": ", "info scan.h5");
    const int mib = (int)(least / 0x1p20) + 1;
    assert_true(mib < refused_mib(*state, " --projector rays", 1));
    assert_int_equal(refused_mib(*state, "", mib - 1), mib);
    char line[100];
    snprintf(line, sizeof line, "plan scan.h5 --memory %dMiB", mib);
    CliRun run = run_plan(*state, line + strlen("plan "));
    assert_has(&run, "projector    lines, because ray lengths do not do (--projector rays: memory is ");
    assert_null(strstr(run.out, "toeplitz")); /* which needs more memory, for the search of the strength */
    cli_free(&run);
    run = (CliRun){.directory = *state};
    cli_start(&run,
              "recon scan.h5 -o volume.h5 --rotation-axis 255.5 --iterations 1 --regularization 0.1 --memory %dMiB",
              mib);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_non_null(strstr(run.err, "sinodag: projector: lines, because ray lengths do not do"));
    assert_non_null(strstr(run.err, "; --projector toeplitz takes far less time, for objects within the detector"));
    assert_non_null(strstr(run.err, "sinodag: operator: the lengths of rays are computed in every product"));
    cli_free(&run);
}

/* The largest volume of "Petascale XCT", 4.7 TB, by little memory in little time. */
static void large_scans_take_little(void **state)
{
    CliRun run = run_plan(*state, "--algorithm cg --angles 4501 --columns 11283 --slices 9209 --ranks 4096 --topology "
                                  "sockets=2,workers=3 --memory 96GB --precision mixed --minibatch 16");
    assert_has(&run, "topology     nodes=");
    assert_true(run.peak_bytes < (int64_t)512 << 20);
    assert_true(run.elapsed_s < 60);
    cli_free(&run);
}

static void bad_input(void **state)
{
    const char *const at = *state;
    cli_refuses(at, "--grid | 3x2 | 6 ranks | 4", "plan --angles 30 --columns 64 --slices 8 --ranks 4 --grid 3x2");
    cli_refuses(at, "--grid | '3' | auto | 1 to 1000000",
                "plan --angles 30 --columns 64 --slices 8 --ranks 4 --grid 3");
    cli_refuses(at, "--topology | nodes=3 | --grid 2 | a multiple of them",
                "plan --angles 30 --columns 64 --slices 1 --ranks 2 --grid 1x2 --topology nodes=3");
    cli_refuses(at, "--node-weights | 2 numbers | 3 ranks",
                "plan --angles 30 --columns 64 --slices 8 --ranks 3 --node-weights 1,2");
    CliRun run = {.directory = at};
    cli_start(&run, "plan --angles 300 --columns 640 --slices 8 --ranks 2 --memory 90MiB --algorithm cg");
    cli_wait(&run);
    cli_assert_ended(&run, 2, "memory | 90.0 MiB | # | --memory | #MiB");
    cli_start(&run, "plan --angles 300 --columns 640 --slices 8 --ranks 2 --memory 90MiB");
    cli_wait(&run);
    cli_assert_ended(&run, 2, "memory | 90.0 MiB | # MiB | --memory | --algorithm cg");
    cli_start(&run,
              "plan --angles 300 --columns 640 --slices 8 --ranks 2 --memory 90MiB --algorithm cg --iterations auto");
    cli_wait(&run);
    cli_assert_ended(&run, 2, "memory | 90.0 MiB | # MiB | --iterations auto | --memory | number of --iterations");
}

/* ---- cone beams ---- */

static const char of_the_paper[] = "--geometry cone --columns 2048 --slices 2048 --angles 4096 --volume 4096x4096x4096 "
                                   "--machine abci --ranks 128";

/* The run of the paper is predicted as the row of its table is. */
static void cone_table(void **state)
{
    CliRun run = run_plan(*state, of_the_paper);
    assert_has(&run, "scan         4096 projections of 2048 x 2048 pixels\n");
    assert_has(&run, "pixel: 0.2 x 0.2 mm; voxel: 0.133333 mm (assumed)\nvolume       4096 x 4096 x 4096 voxels\n");
    assert_has(&run, "grid         32x4: the volume in 32, the projections in 4 (the fewest rows of ranks "
                     "whose parts fit devices)\n");
    assert_has(&run, "memory of a rank, of 16.0 GiB\n  voxels                           8.00 GiB\n");
    assert_has(
        &run,
        "  this run   128   32x4    0.5        15.4        13.2        15.4        1.9          5.6    9.6   30.6\n");
    assert_has(
        &run,
        "  4096^3     128   32x4    0.5 <0.7   15.4 15.2   13.2 14.0   15.4  18.9  1.9 1.6      5.6    9.6   30.6\n");
    cli_free(&run);
}

/* A rank alone streams its volume; given lengths are not assumed. */
static void cone_json(void **state)
{
    char path[TESTING_PATH];
    CliRun run = run_plan(
        *state, "--geometry cone --algorithm fdk --columns 256 --slices 256 --angles 64 --memory 140MiB --workers 2 "
                "--precision mixed --source-object-distance 200 --source-detector-distance 400 "
                "--detector-pixel 0.1 --json");
    assert_has(&run, "{\"geometry\": {\"source_object_mm\": 200, \"source_detector_mm\": 400, \"pixel_width_mm\": 0.1, "
                     "\"pixel_height_mm\": 0.1, \"voxel_mm\": 0.05, \"assumed\": false},\n");
    assert_has(&run, " \"scan\": {\"angles\": 64, \"columns\": 256, \"rows\": 256},\n"
                     " \"volume\": {\"x\": 256, \"y\": 256, \"z\": 256},\n"
                     " \"grid\": {\"rows\": 1, \"columns\": 1, \"why\": \"one rank\"},\n");
    assert_true(cli_number_after(run.out, "\"passes\": ", NULL) > 1);
    assert_true(cli_number_after(run.out, "\"total\": ", NULL) <= 140 * 0x1p20);
    assert_true(cli_number_after(run.out, "\"budget_bytes\": ", NULL) == 140 * 0x1p20);
    assert_true(cli_number_after(run.out, "\"gups\": ", NULL) > 0);
    cli_write_text(*state, "plan.json", run.out);
    cli_free(&run);
    const int code = cli_tool("python3", "-mjson.tool", testing_path(path, *state, "plan.json"));
    if (code == 127) skip();
    assert_int_equal(code, 0);
}

/* plan, info and recon tell the same memory of the same file, in one pass or in several, and less than info's least is
 * refused. */
static void cone_plan_info_and_recon_agree(void **state)
{
    static const char *const scans[] = {"--size 64 --angles 64 --slices 64", "--size 33 --angles 30 --slices 7",
                                        "--size 96 --angles 50 --slices 120"};
    static const char *const middle[] = {"31.5", "16", "47.5"};
    for (size_t i = 0; i < sizeof scans / sizeof *scans; i++) {
        cli_works(*state, "phantom --geometry cone -o scan.h5 --overwrite %s", scans[i]);
        char info[80], plan[80];
        snprintf(info, sizeof info, "info scan.h5 --geometry cone --rotation-axis %s", middle[i]);
        snprintf(plan, sizeof plan, "plan scan.h5 --geometry cone --rotation-axis %s", middle[i]);
        const double usual = number_of(*state, "\"memory_bytes\": {", "\"usual\": ", info);
        const double least = number_of(*state, "\"memory_bytes\": {", "\"least\": ", info);
        assert_true(number_of(*state, "\"memory_bytes\": {", "\"total\": ", plan) == usual);
        const int mib = (int)(least / 0x1p20) + 1;
        for (int tight = 0; tight < 2; tight++) {
            char planned[24], taken[32], line[100];
            snprintf(line, sizeof line,
                     "plan scan.h5 --geometry cone --algorithm fdk --rotation-axis %s --memory %dMiB", middle[i],
                     tight ? mib : 2048);
            sino_bytes_text((int64_t)number_of(*state, "\"memory_bytes\": {", "\"total\": ", line), planned);
            CliRun run = {.directory = *state};
            cli_start(&run,
                      "recon scan.h5 -o volume.h5 --overwrite --geometry cone --algorithm fdk --rotation-axis %s "
                      "--memory %dMiB",
                      middle[i], tight ? mib : 2048);
            cli_wait(&run);
            if (run.exit_code != 0) fail_msg("%s", run.err);
            copy_after(run.err, ", memory: ", "iB", taken);
            assert_string_equal(planned, taken);
            cli_free(&run);
        }
        CliRun run = {.directory = *state};
        cli_start(&run, "plan scan.h5 --geometry cone --algorithm fdk --rotation-axis %s --memory %dMiB", middle[i],
                  mib - 1);
        cli_wait(&run);
        assert_int_equal(run.exit_code, 2);
        assert_true(cli_number_after(run.err, "allowed: --memory ", NULL) == mib);
        cli_free(&run);
    }
}

/* The same of iterative algorithms, whose time is that of their products: twice the updates take twice the time. */
static void cone_solution_plan_info_and_recon_agree(void **state)
{
    static const char *const algorithm[] = {"cg", "sirt", "mlem", "osem --subsets 4"};
    cli_works(*state, "phantom --geometry cone -o scan.h5 --size 32 --angles 24 --slices 20");
    for (size_t i = 0; i < sizeof algorithm / sizeof *algorithm; i++) {
        char line[120], planned[24], taken[32];
        CliRun run = {.directory = *state};
        snprintf(line, sizeof line, "plan scan.h5 --geometry cone --algorithm %s --iterations 3", algorithm[i]);
        sino_bytes_text((int64_t)number_of(*state, "\"memory_bytes\": {", "\"total\": ", line), planned);
        cli_start(&run,
                  "recon scan.h5 -o volume.h5 --overwrite --geometry cone --rotation-axis 15.5 --algorithm %s "
                  "--iterations 3",
                  algorithm[i]);
        cli_wait(&run);
        if (run.exit_code != 0) fail_msg("%s", run.err);
        copy_after(run.err, ", memory: ", "iB", taken);
        assert_string_equal(planned, taken);
        cli_free(&run);
    }
    /* fista searches for a strength, which takes its time. */
    assert_true(number_of(*state, "\"seconds\": {", "\"start\": ", "plan scan.h5 --geometry cone") >
                number_of(*state, "\"seconds\": {", "\"start\": ", "plan scan.h5 --geometry cone --algorithm cg"));
    const int least =
        (int)(number_of(*state, "\"memory_bytes\": {", "\"least_fista\": ", "info scan.h5 --geometry cone") / 0x1p20) +
        1;
    char enough[80], message[100];
    snprintf(enough, sizeof enough, "plan scan.h5 --geometry cone --algorithm fista --memory %dMiB", least);
    snprintf(message, sizeof message, "allowed: --memory %dMiB or more, --algorithm fdk, or a smaller --volume", least);
    cli_works(*state, "%s", enough);
    CliRun run = {.directory = *state};
    cli_start(&run, "plan scan.h5 --geometry cone --algorithm fista --memory %dMiB", least - 1);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    assert_non_null(strstr(run.err, message));
    cli_free(&run);
    static const char sizes[] =
        "plan --geometry cone --columns 256 --slices 256 --volume 256x256x256 --algorithm cg --workers 2 --angles";
    char one[120], two[160];
    snprintf(one, sizeof one, "%s 100", sizes);
    snprintf(two, sizeof two, "%s 200", sizes);
    const double seconds = number_of(*state, "\"seconds\": {", "\"products\": ", one);
    assert_true(fabs(number_of(*state, "\"seconds\": {", "\"products\": ", two) / seconds - 2) < 1e-6);
    assert_true(fabs(seconds - 0x1p24 * 100 / 2e9 * (1 / 2.0 + 1 / 1.6)) < 1e-6 * seconds);
    /* Pixels 1.5 voxels wide have 2 x 2 rays, 16/9 for each voxel. */
    snprintf(two, sizeof two, "%s --voxel-size %.15g", one, 0.2 / 1.5 / 1.5);
    assert_true(fabs(number_of(*state, "\"seconds\": {", "\"products\": ", two) / seconds - 16.0 / 9) < 1e-6);
    assert_true(number_of(*state, "\"rays_per_pixel\": {", "\"up\": ", two) == 2);
    cli_start(&run, "%s", two);
    cli_wait(&run);
    assert_non_null(strstr(run.out, "\npixels       2 x 2 rays, as they span 1.5 x 1.5 voxels\n"));
    cli_free(&run);
}

/* ---- system matrices ---- */

static const char scanner[] = "phantom --geometry pet --crystals 12x3x2 --rays 4 --volume 16x14x6 --voxel-size 0.6 "
                              "-o m.csr4 --overwrite --background 0.1 --replicates";

static void matrix_table(void **state)
{
    cli_works(*state, "%s 1", scanner);
    CliRun run = run_plan(*state, "m.counts --system-matrix m.csr4 --algorithm osem --subsets 4 --workers 2");
    assert_has(&run, "file         m.counts\nkind         counts, raw values, int32, 1 set\n"
                     "matrix       m.csr4\nkind         system matrix, csr4\nshape        5184 rows, 1344 columns, ");
    assert_has(&run, "rows         pairs of 72 crystals\nvolume       16 x 14 x 6 voxels of 0.6 x 0.6 x 0.6 mm\n"
                     "algorithm    osem, iterations: 30, subsets: 4\n"
                     "division     row partitions: 1; sets solved together: 1 of 1\nstored       single, ");
    assert_has(&run, "\ntime of the run\n");
    assert_has(&run, "\nassumed      workers: 2; per worker: memory 20 GB/s, 0.63 ns for a nonzero");
    cli_free(&run);
}

/* plan, info and recon tell the same memory, and recon is content with what plan calls the least. */
static void matrix_plan_info_and_recon_agree(void **state)
{
    static const char *const settings[] = {"--algorithm mlem",  "--algorithm osem --subsets 4",
                                           "--algorithm cg",    "--algorithm sirt",
                                           "--precision mixed", "--additive m.additive"};
    const char *const at = *state;
    cli_works(at, "%s 20", scanner);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        char line[200], planned[24], taken[32];
        CliRun run = {.directory = at};
        snprintf(line, sizeof line, "plan m.counts --system-matrix m.csr4 --iterations 3 %s", settings[i]);
        sino_bytes_text((int64_t)number_of(at, "\"memory_bytes\": {", "\"total\": ", line), planned);
        cli_start(&run, "recon m.counts --system-matrix m.csr4 -o image.h5 --overwrite --iterations 3 %s", settings[i]);
        cli_wait(&run);
        if (run.exit_code != 0) fail_msg("%s", run.err);
        copy_after(run.err, ", memory: ", "iB", taken);
        assert_string_equal(planned, taken);
        cli_free(&run);
    }
    static const char info[] = "info m.counts --system-matrix m.csr4", plan[] = "plan m.counts --system-matrix m.csr4";
    const double usual = number_of(at, "\"memory_bytes\": {", "\"usual\": ", info);
    assert_true(number_of(at, "\"memory_bytes\": {", "\"total\": ", plan) == usual);
    assert_true(number_of(at, "{", "\"sets_together\": ", plan) == 20);
    const int least = (int)(number_of(at, "\"memory_bytes\": {", "\"least\": ", info) / 0x1p20) + 1;
    char tight[120];
    snprintf(tight, sizeof tight, "%s --memory %dMiB", plan, least);
    assert_true(number_of(at, "{", "\"sets_together\": ", tight) < 20);
    CliRun run = {.directory = at};
    cli_start(&run, "%s --memory %dMiB", plan, least - 1);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    assert_true(cli_number_after(run.err, "allowed: --memory ", NULL) == least);
    cli_free(&run);
}

/* An iteration takes the longer one of reading the matrix and of computing with it. */
static void matrix_times(void **state)
{
    static const char plan[] = "plan m.counts --system-matrix m.csr4 --workers 2";
    const char *const at = *state;
    char line[200];
    cli_works(at, "%s 3", scanner);
    const double nonzeros = number_of(at, "\"matrix\": {", "\"entries\": ", plan);
    const double bytes = number_of(at, "{", "\"bytes_per_nonzero\": ", plan) * nonzeros;
    const double products = number_of(at, "\"seconds\": {", "\"products\": ", plan);
    assert_true(fabs(products - nonzeros * (0.63 + 3 * 0.36) / 2e9) < 1e-6 * products);
    assert_true(number_of(at, "\"seconds\": {", "\"iteration\": ", plan) > products);
    for (int twice = 0; twice < 2; twice++) {
        snprintf(line, sizeof line, "%s --memory-bandwidth 0.01%s", plan, twice ? " --algorithm cg" : "");
        const double read = number_of(at, "\"seconds\": {", "\"read\": ", line);
        const double vectors = number_of(at, "\"seconds\": {", "\"vectors\": ", line);
        assert_true(fabs(read - (1 + twice) * bytes / 2e7) < 1e-6 * read);
        assert_true(fabs(number_of(at, "\"seconds\": {", "\"iteration\": ", line) - read - vectors) < 1e-6 * read);
    }
    snprintf(line, sizeof line, "%s --precision mixed", plan);
    assert_true(number_of(at, "\"seconds\": {", "\"products\": ", line) < products);
    /* Of another machine its cores: read at 4.4 GB/s each. */
    const double there = number_of(at, "\"seconds\": {",
                                   "\"read\": ", "plan m.counts --system-matrix m.csr4 --workers 2 --machine h100x8");
    assert_true(fabs(there - bytes / 8.8e9) < 1e-6 * there);
}

/* Ranks share the nonzeros, and add up voxels over their links. */
static void matrix_ranks(void **state)
{
    static const char plan[] = "plan m.counts --system-matrix m.csr4 --workers 2";
    const char *const at = *state;
    char line[200];
    cli_works(at, "%s 1", scanner);
    const double nonzeros = number_of(at, "\"matrix\": {", "\"entries\": ", plan);
    const double alone = number_of(at, "\"memory_bytes\": {", "\"matrix\": ", plan);
    assert_true(number_of(at, "\"seconds\": {", "\"exchange\": ", plan) == 0);
    snprintf(line, sizeof line, "%s --ranks 4 --link-latency 1e-6", plan);
    const double share = number_of(at, "{", "\"nonzeros_of_a_rank\": ", line);
    assert_true(share > 0.1 * nonzeros && share < 0.4 * nonzeros);
    assert_true(number_of(at, "\"memory_bytes\": {", "\"matrix\": ", line) < 0.5 * alone);
    const double exchange = number_of(at, "\"seconds\": {", "\"exchange\": ", line);
    snprintf(line, sizeof line, "%s --ranks 4 --link-latency 1e-6 --link-bandwidth 1.25", plan);
    assert_true(exchange > 0 &&
                fabs(number_of(at, "\"seconds\": {", "\"exchange\": ", line) - 10 * exchange) < exchange);
    snprintf(line, sizeof line, "%s --ranks 4 --node-weights 5,1,1,1", plan);
    assert_true(number_of(at, "{", "\"nonzeros_of_a_rank\": ", line) > 0.5 * nonzeros);
}

static void bad_matrices(void **state)
{
    const char *const at = *state;
    cli_works(at, "%s 1", scanner);
    cli_refuses(at, "node-weights | 3 numbers | 2 processes",
                "plan m.counts --system-matrix m.csr4 --ranks 2 --node-weights 1,2,3");
    cli_refuses(at, "6000 processes | 5178 parts | at most", "plan m.counts --system-matrix m.csr4 --ranks 6000");
    cli_refuses(at, "plan | counts | m.csr4 | plan COUNTS --system-matrix FILE", "plan --system-matrix m.csr4");
    cli_refuses(at, "none | No such file", "plan m.counts --system-matrix none");
    cli_write_text(at, "m.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n");
    cli_refuses(at, "subsets | 4096 | 2", "plan c --system-matrix m.mtx --algorithm osem --subsets 4096 --memory 1MiB");
}

/* Rates of a preset, of a file that bench wrote, and of options, which win. */
static void cone_machines(void **state)
{
    static const char scan[] = "--geometry cone --algorithm fdk --columns 64 --slices 64 --angles 64 --workers 4";
    static const char table[] = "precision,step,shared,workers,gups,filter_gpixels_per_s,read_gbps\n"
                                "single,backproject,turns+halves,1,50,50,40\n"
                                "single,backproject,turns+halves,2,8,1,40\n"
                                "single,run,turns+halves,2,90,1,40\n"
                                "single,backproject,none,2,4,1,40\n"
                                "mixed,backproject,turns+halves,2,10,1,40\n";
    cli_write_text(*state, "bench.csv", table);
    cli_write_text(*state, "bad.csv",
                   "precision,step,shared,workers,gups,filter_gpixels_per_s,read_gbps\n"
                   "single,backproject,none,2,fast,1,40\n");
    cli_write_text(*state, "other.csv", "a,b\n1,2\n");
    static const struct {
        const char *words, *printed;
    } row[] = {
        {"--machine bench.csv",
         "backprojection 16 10^9 updates per second, sums along rows 12.5 GB/s, transpose 40 GB/s"},
        {"--machine bench.csv", "filter 2 10^9 pixels per second"},
        {"--machine bench.csv --symmetry no", "backprojection 8 10^9"},
        {"--machine bench.csv --precision mixed", "backprojection 20 10^9"},
        {"--machine bench.csv --backprojection-gups 7 --filter-gpixels 9", "backprojection 7 10^9"},
        {"--machine bench.csv --backprojection-gups 7 --filter-gpixels 9", "filter 9 10^9"},
        {"--machine usual --memory-bandwidth 10", "transpose 20 GB/s"},
        {"--ranks-per-node 8 --link-bandwidth 2", "per node (ranks: 8)"},
        {"--ranks-per-node 8 --link-bandwidth 2", "from other nodes 16 GB/s"},
        {"--file-bandwidth 7", "all files: read 7 GB/s, written 7 GB/s"},
        {"--device-memory 3GiB --ranks 2", "memory of a rank, of 3.00 GiB"},
        {"--device-memory 3GiB --ranks 2", "grid         1x2: "},
        {"--ranks 2", "grid         2x1: the volume in 2, the projections in 1 (as many rows of ranks as there are "},
        {"--ranks 4 --grid 2x2", "grid         2x2: the volume in 2, the projections in 2 (given)"},
        {"--ranks 4 --grid 4x1 --device-memory 3GiB",
         "grid         4x1: the volume in 4, the projections in 1 (given)"},
        {"--device-memory 3GiB", "to devices 25 GB/s, from devices 25 GB/s"},
        {"--device-memory 3GiB --device-bandwidth 50", "to devices 50 GB/s, from devices 50 GB/s"},
        {"--machine abci --device-memory 32GiB --ranks 2", "memory of a rank, of 32.0 GiB"},
        {"--machine abci --file-bandwidth 1", "all files: read 1 GB/s, written 1 GB/s"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char line[200];
        snprintf(line, sizeof line, "%s %s", scan, row[i].words);
        CliRun run = run_plan(*state, line);
        assert_has(&run, row[i].printed);
        cli_free(&run);
    }
    cli_refuses(*state, "--machine | 'summit' | usual | `sinodag bench --geometry cone --csv`",
                "plan %s --machine summit", scan);
    cli_refuses(*state, "other.csv | `sinodag bench --geometry cone --csv`", "plan %s --machine other.csv", scan);
    cli_refuses(*state, "bad.csv | gups | 'fast' | 1e-9 | 1e9", "plan %s --machine bad.csv", scan);
    cli_refuses(*state, "bench.csv | mixed precision | shared: none | `sinodag bench --geometry cone --csv`",
                "plan %s --machine bench.csv --precision mixed --symmetry no", scan);
}

static void bad_cones(void **state)
{
    const char *const at = *state;
    static const char scan[] = "plan --geometry cone --algorithm fdk --columns 64 --slices 64 --angles 64";
    cli_refuses(at, "--device-bandwidth | 5 | --device-memory | --machine abci", "%s --device-bandwidth 5", scan);
    cli_refuses(at, "--ranks-per-node | 2 | --machine abci | 4 | --machine", "%s --machine abci --ranks-per-node 2",
                scan);
    cli_refuses(at, "--memory-bandwidth | 3 | --machine abci | --machine", "%s --machine abci --memory-bandwidth 3",
                scan);
    for (int device = 0; device < 2; device++)
        cli_refuses(at, "grid | 3x1 | 4 ranks | auto", "%s --ranks 4 --grid 3x1 %s", scan,
                    device ? "--device-memory 1GiB" : "");
    cli_refuses(at, "--device-memory | --geometry parallel | --geometry cone",
                "plan --columns 64 --slices 64 --angles 64 --device-memory 1GiB");
    cli_refuses(at, "100 degrees | fan | 14.03 degrees | 194 degrees | --algorithm cg", "%s --theta 0:100", scan);
    cli_refuses(at, "plan | --angles, --columns and --slices | plan [FILE]",
                "plan --geometry cone --columns 64 --slices 64");
    cli_refuses(at, "63 ranks | 1.00 GiB | 64.0 GiB | 128 ranks",
                "plan --geometry cone --algorithm fdk --columns 2048 --slices 2048 --angles 64 --volume 4096x4096x1024 "
                "--device-memory 1GiB "
                "--ranks 63");
}

/* The search for a strength with vectors has a volume of averaged pixels, which few columns leave as large as the
 * volume itself. The least memory has room for it, and with less it is refused. */
static void search_with_vectors_takes_memory(void **state)
{
    static const char vectors[] = "scan.h5 --vectors orbit:source=34.1333,detector=51.2,pixel=0.2 --workers 2";
    static const char *const at[] = {"\"search\": ", "\"total\": ", "\"vectors\": "};
    const char *const disk = getenv("SINODAG_TEST_DISK"); /* temporary files may be in memory */
    double bytes[3], without[3];
    cli_works(*state, "phantom --geometry cone -o scan.h5 --size 40 --angles 30 --slices 40 --noise 0");
    for (int i = 0; i < 3; i++) {
        char line[160];
        snprintf(line, sizeof line, "plan %s --algorithm fista", vectors);
        bytes[i] = number_of(*state, "\"memory_bytes\": {", at[i], line);
        snprintf(line, sizeof line, "plan %s --algorithm cg", vectors);
        without[i] = number_of(*state, "\"memory_bytes\": {", at[i], line);
    }
    assert_true(without[0] == 0 && bytes[0] > 0);
    assert_true(bytes[1] > bytes[2] + bytes[0] + 0x1p20 * 90); /* of the program */
    CliRun run = {.directory = *state};
    cli_start(&run, "plan %s --algorithm fista --memory 1MiB", vectors);
    cli_wait(&run);
    const int least = (int)cli_number_after(run.err, "; allowed: --memory ", NULL);
    cli_free(&run);
    cli_works(*state,
              "recon %s -o v.h5 --algorithm fista --iterations 2 --memory %dMiB --pictures no --report none --tune "
              "scratch-folder=%s",
              vectors, least, disk ? disk : ".");
}

static void stdout_that_is_full(void **state)
{
    CliRun run = {.directory = *state, .stdout_path = "/dev/full"};
    cli_start(&run, "plan %s", small);
    cli_wait(&run);
    cli_assert_ended(&run, 1, "stdout cannot be written");
}

int cli_plan_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(table),
        CLI_TEST(times_of_fista),
        CLI_TEST(details_take_time),
        CLI_TEST(json),
        CLI_TEST(normal_operator_is_offered),
        CLI_TEST(of_a_file),
        CLI_TEST(large_scans_take_little),
        CLI_TEST(plan_info_and_recon_agree),
        CLI_TEST(weights_are_planned),
        CLI_TEST(half_acquisitions_agree),
        CLI_TEST(partitions_and_symmetry_agree),
        CLI_TEST(windows),
        CLI_TEST(lines_take_less),
        CLI_TEST(angles_of_a_described_scan),
        CLI_TEST(stages_of_a_described_scan),
        CLI_TEST(machines),
        CLI_TEST(bad_input),
        CLI_TEST(cone_table),
        CLI_TEST(cone_json),
        CLI_TEST(cone_plan_info_and_recon_agree),
        CLI_TEST(cone_solution_plan_info_and_recon_agree),
        CLI_TEST(matrix_table),
        CLI_TEST(matrix_plan_info_and_recon_agree),
        CLI_TEST(matrix_ranks),
        CLI_TEST(matrix_times),
        CLI_TEST(bad_matrices),
        CLI_TEST(cone_machines),
        CLI_TEST(bad_cones),
        CLI_TEST(search_with_vectors_takes_memory),
        CLI_TEST(stdout_that_is_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
