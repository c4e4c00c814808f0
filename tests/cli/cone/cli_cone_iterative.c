/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, iterative reconstruction of cone beams: nearer to the truth than FDK where angles are few; the same
 * bits for any schedule; undefined values, tolerance, memory, resume; a real scan. */
#include "cli.h"
#include "testing_hdf5.h"

#include <math.h>
#include <signal.h>

enum { SIDE = 40, SLICES = 24 };

static const char phantom[] =
    "phantom -o scan.h5 --overwrite --geometry cone --size 40 --slices 24 --angles 12 --noise 0 "
    "--truth truth.h5";

#define CONE "recon scan.h5 --overwrite --geometry cone --rotation-axis 19.5 --pictures no --report none "

/* ‖volume − truth‖/‖truth‖ of the slices that all angles see whole, within 0.48 sides of the axis. */
static double error_of(const char *directory, const char *name)
{
    float *volume = cli_read_volume(directory, name, SLICES, SIDE);
    float *truth = cli_read_volume(directory, "truth.h5", SLICES, SIDE);
    double error = 0, norm = 0;
    for (int i = 3 * SIDE * SIDE; i < (SLICES - 3) * SIDE * SIDE; i++) {
        const double x = i % SIDE - 0.5 * (SIDE - 1), y = i / SIDE % SIDE - 0.5 * (SIDE - 1);
        const double difference = (double)(volume[i] - truth[i]);
        if (hypot(x, y) > 0.48 * SIDE) continue;
        error += difference * difference;
        norm += (double)truth[i] * (double)truth[i];
    }
    free(volume);
    free(truth);
    return sqrt(error / norm);
}

static void few_angles_are_enough(void **state)
{
    static const char *const algorithms[] = {"cg --iterations 8",
                                             "sirt --iterations 40 --nonnegativity yes",
                                             "mlem --iterations 20",
                                             "osem --subsets 4 --iterations 4",
                                             "fista --subsets 4 --regularization 0.005",
                                             "fista --prior huber --subsets 4 --regularization 0.005"};
    const char *const at = *state;
    cli_works(at, "%s", phantom);
    cli_works(at, CONE "-o fdk.h5 --algorithm fdk");
    const double fdk = error_of(at, "fdk.h5");
    print_message("fdk: %.3f\n", fdk);
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        cli_works(at, CONE "-o volume.h5 --algorithm %s", algorithms[i]);
        const double error = error_of(at, "volume.h5");
        print_message("%s: %.3f\n", algorithms[i], error);
        assert_true(error < 0.85 * fdk);
    }
}

/* Residuals fall, and are those of the volume. */
static void residuals_are_told(void **state)
{
    const char *const at = *state;
    const int64_t size[] = {1, 9};
    cli_works(at, "%s", phantom);
    cli_works(at, CONE "-o volume.h5 --algorithm cg --iterations 8");
    double *residual = cli_read_doubles(at, "volume.h5", "/process/residuals", 2, size);
    for (int i = 1; i < 9; i++) assert_true(residual[i] > 0 && residual[i] < residual[i - 1]);
    const double tolerance = 1.0001 * sqrt(residual[3] / residual[0]);
    cli_works(at, CONE "-o stopped.h5 --algorithm cg --iterations 8 --tolerance %.9g", tolerance);
    cli_works(at, CONE "-o three.h5 --algorithm cg --iterations 3");
    double *stopped = cli_read_doubles(at, "stopped.h5", "/process/residuals", 2, size);
    for (int i = 0; i < 9; i++) assert_true(i <= 3 ? stopped[i] == residual[i] : isnan(stopped[i]));
    float *a = cli_read_volume(at, "stopped.h5", SLICES, SIDE), *b = cli_read_volume(at, "three.h5", SLICES, SIDE);
    assert_true(testing_same_bytes(a, b, sizeof *a * SLICES * SIDE * SIDE));
    free(a);
    free(b);
    free(stopped);
    free(residual);
}

/* The last one searches for a strength first, on one worker and on all. */
static void the_same_bits_for_any_schedule(void **state)
{
    static const char *const options[] = {"--workers 1", "--workers 2", "--scheduler eager", "--scheduler dmda"};
    static const char *const algorithms[] = {"cg", "osem --subsets 3", "fista --subsets 3 --regularization 0.005",
                                             "fista --prior qggmrf --subsets 3 --regularization 0.01",
                                             "fista --subsets 3"};
    const char *const at = *state;
    cli_works(at, "%s", phantom);
    for (int a = 0; a < 5; a++) {
        cli_works(at, CONE "-o plain.h5 --iterations 3 --algorithm %s", algorithms[a]);
        float *plain = cli_read_volume(at, "plain.h5", SLICES, SIDE);
        for (int i = 0; i < (a < 4 ? 4 : 1); i++) {
            cli_works(at, CONE "-o other.h5 --iterations 3 --algorithm %s %s", algorithms[a], options[i]);
            float *other = cli_read_volume(at, "other.h5", SLICES, SIDE);
            if (!testing_same_bytes(plain, other, sizeof *plain * SLICES * SIDE * SIDE))
                fail_msg("%s, %s: other bits", algorithms[a], options[i]);
            free(other);
        }
        free(plain);
    }
}

enum { ANGLES = 16, DARK = 11, ROWS = 12, COLUMNS = 16 };

/* A projection and some rays have no light. */
static uint16_t with_dark_places(uint64_t angle, uint64_t row, uint64_t column)
{
    if ((column == 7 && row >= 3 && row <= 5) || angle == DARK) return 0;
    return (uint16_t)(300 + (angle * 131 + row * 71 + column * 37) % 400);
}

/* The same without the projection. */
static uint16_t without_projection(uint64_t angle, uint64_t row, uint64_t column)
{
    return with_dark_places(angle < DARK ? angle : angle + 1, row, column);
}

static void write_scan(const char *directory, const char *name, bool whole)
{
    double theta[ANGLES];
    CliScan scan = cli_scan;
    scan.angles = scan.theta_count = whole ? ANGLES : ANGLES - 1;
    for (int k = 0; k < (int)scan.angles; k++) theta[k] = 360.0 * (whole || k < DARK ? k : k + 1) / ANGLES;
    scan.theta = theta;
    scan.rows = ROWS;
    scan.columns = COLUMNS;
    scan.count = whole ? with_dark_places : without_projection;
    cli_write_scan(directory, name, &scan);
}

/* A projection without values is as good as none. */
static void undefined_values_have_no_weight(void **state)
{
    static const char *const lengths = "--geometry cone --source-object-distance 200 --source-detector-distance 300 "
                                       "--detector-pixel 1.5 --rotation-axis 7.5 --algorithm cg --iterations 6 "
                                       "--max-repaired 1";
    const char *const at = *state;
    const int64_t rows = ROWS;
    write_scan(at, "dark.h5", true);
    write_scan(at, "less.h5", false);
    CliRun run = {.directory = at};
    cli_start(&run, "recon dark.h5 -o volume.h5 %s", lengths);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_non_null(strstr(run.err, "projections without any value: 1 of 16"));
    cli_free(&run);
    cli_works(at, "recon less.h5 -o other.h5 %s", lengths);
    double *repaired = cli_read_doubles(at, "volume.h5", "/process/repaired", 1, &rows);
    for (int r = 0; r < ROWS; r++) assert_true(repaired[r] == COLUMNS + (r >= 3 && r <= 5 ? ANGLES - 1 : 0));
    float *a = cli_read_volume(at, "volume.h5", ROWS, COLUMNS), *b = cli_read_volume(at, "other.h5", ROWS, COLUMNS);
    assert_true(cli_difference(ROWS * COLUMNS * COLUMNS, a, b) < 1e-5);
    free(repaired);
    free(a);
    free(b);
}

static void refusals(void **state)
{
    const char *const at = *state;
    cli_works(at, "%s", phantom);
    cli_refuses(at, "--precision mixed | --geometry cone | it is for | --geometry parallel | --precision single",
                CONE "-o x.h5 --algorithm cg --precision mixed");
    cli_refuses(at, "grid | 2x1 | 1 ranks | auto | 1x1", CONE "-o x.h5 --algorithm cg --grid 2x1");
    cli_refuses(at, "13 ranks | 12 angles | 1 to 12 ranks", "plan scan.h5 --geometry cone --algorithm cg --ranks 13");
    cli_refuses(at, "subsets | 4 | 4 ranks | 1 to 3",
                "plan scan.h5 --geometry cone --algorithm osem --subsets 4 --ranks 4");
    CliRun plan = {.directory = at};
    cli_start(&plan, "plan scan.h5 --geometry cone --algorithm sirt --machine h100x8");
    cli_wait(&plan);
    assert_non_null(strstr(plan.out, "assumed      GPUs: 8, one of which projects at a time; per GPU: "));
    cli_free(&plan);
    cli_refuses(at, "--device-memory | --algorithm mlem | --algorithm fdk",
                "plan scan.h5 --geometry cone --algorithm mlem --device-memory 1GiB");
    cli_refuses(at, "subsets | 13 | 12 angles | 1 to 12", CONE "-o x.h5 --algorithm osem --subsets 13");
    CliRun run = {.directory = at};
    cli_start(&run, CONE "-o x.h5 --algorithm cg --memory 1MiB");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    assert_non_null(strstr(run.err,
                           "an iterative algorithm with 40 x 40 x 24 voxels and 12 projections of 40 x 24 rays "
                           "needs "));
    const int least = (int)cli_number_after(run.err, "; allowed: --memory ", NULL);
    cli_free(&run);
    cli_works(at, CONE "-o x.h5 --algorithm cg --iterations 2 --memory %dMiB", least);
    cli_works(at, CONE "-o y.h5 --algorithm cg --iterations 2");
    float *a = cli_read_volume(at, "x.h5", SLICES, SIDE), *b = cli_read_volume(at, "y.h5", SLICES, SIDE);
    assert_true(testing_same_bytes(a, b, sizeof *a * SLICES * SIDE * SIDE));
    free(a);
    free(b);
}

/* A run that is killed while it stores solves again, and stores what is missing; undefined values are told once. */
static void a_killed_run_goes_on(void **state)
{
    static const char *const lengths = "--geometry cone --source-object-distance 200 --source-detector-distance 300 "
                                       "--detector-pixel 1.5 --rotation-axis 7.5 --algorithm cg --iterations 2 "
                                       "--max-repaired 1 --volume 16x16x1600";
    enum { TALL = 1600 };
    const char *const at = *state;
    const int64_t rows = ROWS;
    int kills = 0;
    write_scan(at, "dark.h5", true);
    cli_works(at, "recon dark.h5 -o plain.h5 %s", lengths);
    CliRun run = {.directory = at};
    for (int64_t bytes = 2500;; bytes += 4000) {
        cli_start(&run, "recon dark.h5 -o other.h5 %s --resume", lengths);
        (void)cli_await_size(&run, "other.h5.journal", bytes);
        kill(run.pid, SIGKILL);
        cli_wait(&run);
        if (run.exit_code == 0) break;
        assert_int_equal(run.exit_code, -SIGKILL);
        cli_free(&run);
        kills++;
    }
    print_message("killed %d times\n", kills);
    assert_true(kills > 0);
    assert_non_null(strstr(run.err, " of 1600 slices are complete, from an unfinished run"));
    cli_free(&run);
    float *a = cli_read_volume(at, "plain.h5", TALL, COLUMNS), *b = cli_read_volume(at, "other.h5", TALL, COLUMNS);
    assert_true(testing_same_bytes(a, b, sizeof *a * TALL * COLUMNS * COLUMNS));
    const int64_t residuals[] = {1, 3};
    double *of_a = cli_read_doubles(at, "plain.h5", "/process/residuals", 2, residuals);
    double *of_b = cli_read_doubles(at, "other.h5", "/process/residuals", 2, residuals);
    assert_true(testing_same_bytes(of_a, of_b, 3 * sizeof *of_a));
    double *repaired_a = cli_read_doubles(at, "plain.h5", "/process/repaired", 1, &rows);
    double *repaired_b = cli_read_doubles(at, "other.h5", "/process/repaired", 1, &rows);
    assert_true(testing_same_bytes(repaired_a, repaired_b, ROWS * sizeof *repaired_a));
    free(a);
    free(b);
    free(of_a);
    free(of_b);
    free(repaired_a);
    free(repaired_b);
}

/* Vectors that memory has no room for are in scratch files: the same bits, in the memory that was given. */
static void vectors_stream(void **state)
{
    enum { SIZE = 96 };
    static const char *const algorithms[] = {"cg --iterations 2", "osem --subsets 4 --iterations 1 --start start.h5",
                                             "sirt --iterations 2 --support-ratio 0.8 --start start.h5",
                                             "fista --regularization 0.005 --iterations 2"};
    static const char *const scan = "recon large.h5 --overwrite --geometry cone --rotation-axis 47.5 --pictures no "
                                    "--report none --workers 2";
    const char *const at = *state, *const disk = getenv("SINODAG_TEST_DISK"); /* temporary files may be in memory */
    cli_works(at, "phantom -o large.h5 --geometry cone --size %d --slices %d --angles 120 --truth start.h5", SIZE,
              SIZE);
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        CliRun run = {.directory = at};
        cli_start(&run, "%s -o x.h5 --algorithm %s --memory 1MiB", scan, algorithms[i]);
        cli_wait(&run);
        const int least = (int)cli_number_after(run.err, "; allowed: --memory ", NULL);
        cli_free(&run);
        cli_start(&run, "%s -o x.h5 --algorithm %s --memory %dMiB --tune scratch-folder=%s", scan, algorithms[i], least,
                  disk ? disk : ".");
        cli_wait(&run);
        assert_int_equal(run.exit_code, 0);
        assert_non_null(strstr(run.err, "scratch files: "));
        print_message("%s: %.1f MiB of %d\n", algorithms[i], (double)run.peak_bytes / 0x1p20, least);
        if (TESTING_STEP == 1) assert_true(run.peak_bytes <= (int64_t)least << 20);
        cli_free(&run);
        cli_works(at, "%s -o y.h5 --algorithm %s", scan, algorithms[i]);
        float *x = cli_read_volume(at, "x.h5", SIZE, SIZE), *y = cli_read_volume(at, "y.h5", SIZE, SIZE);
        assert_true(testing_same_bytes(x, y, sizeof *x * SIZE * SIZE * SIZE));
        free(x);
        free(y);
    }
}

/* SIRT goes on from the volume of another run as it would have by itself if no slice is left out of it, and voxels stay
 * 0 where the mask is. */
static void masks_and_starts_are_taken(void **state)
{
    static const char *const algorithms[] = {"sirt", "cg", "fista --subsets 4 --regularization 0.005",
                                             "fista --prior huber --subsets 4 --regularization 0.005"};
    static float mask[SIDE * SIDE];
    const char *const at = *state;
    cli_works(at, "%s", phantom);
    for (int i = 0; i < SIDE * SIDE; i++) mask[i] = i / SIDE >= 6 && (i / SIDE > 11 || i % SIDE < 20);
    cli_write_npy(at, "mask.npy", "<f4", "(40, 40)", mask, sizeof mask);
    for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++) {
        cli_works(at, CONE "-o three.h5 --volume 40x40x24 --mask mask.npy --iterations 3 --algorithm %s",
                  algorithms[a]);
        cli_works(at,
                  CONE "-o again.h5 --volume 40x40x24 --mask mask.npy --iterations 3 --algorithm %s --start three.h5",
                  algorithms[a]);
        cli_works(at, CONE "-o six.h5 --volume 40x40x24 --mask mask.npy --iterations 6 --algorithm %s", algorithms[a]);
        float *three = cli_read_volume(at, "three.h5", SLICES, SIDE),
              *six = cli_read_volume(at, "six.h5", SLICES, SIDE);
        float *again = cli_read_volume(at, "again.h5", SLICES, SIDE);
        const double off = cli_difference((int64_t)SLICES * SIDE * SIDE, again, six);
        const double before = cli_difference((int64_t)SLICES * SIDE * SIDE, three, six);
        print_message("%s: %g from six iterations, three %g\n", algorithms[a], off, before);
        assert_true(a == 0 ? off < 1e-6 : off < 0.7 * before);
        for (int i = 0; i < SLICES * SIDE * SIDE; i++)
            if (mask[i % (SIDE * SIDE)] == 0) assert_true(six[i] == 0 && again[i] == 0);
        free(three);
        free(again);
        free(six);
    }
    cli_refuses(at, "--mask mask.npy | --algorithm fdk | cg, sirt or fista",
                CONE "-o x.h5 --algorithm fdk --mask mask.npy");
    cli_refuses(at, "--start mask.npy | 1 slices of 40 x 40 | 24 of 40 x 40",
                CONE "-o x.h5 --algorithm cg --start mask.npy");
    cli_refuses(at, "--mask three.h5 | 24 slices of 40 x 40 | 1 of 40 x 40",
                CONE "-o x.h5 --algorithm cg --mask three.h5");
}

/* Less than half a turn, which FDK refuses. */
static void short_arcs_are_taken(void **state)
{
    const char *const at = *state;
    cli_works(at, "%s", phantom);
    cli_works(at, CONE "-o volume.h5 --algorithm cg --iterations 2 --theta 0:100");
    CliRun run = {.directory = at};
    cli_start(&run, CONE "-o fdk.h5 --algorithm fdk --theta 0:100");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    cli_free(&run);
}

/* Nobody named an algorithm: fista where its vectors are small, else fdk, unless a setting excludes both. */
static void scans_choose_the_algorithm(void **state)
{
    static const struct {
        const char *options;
        const char *said; /* NULL: nothing */
    } each[] = {{"", "fista"},
                {"--theta 0:150", "fista"},
                {"--theta 0:360 --start-column 12 --end-column 28", "fista"},
                {"--start-column 12 --end-column 28 --theta 0:150", "fista"},
                {"--precision mixed", NULL},
                {"--memory 1MiB", "fdk"},
                {"--memory 97MiB", "fdk"},                /* 96 MiB of them are not vectors */
                {"--memory 97MiB --iterations 3", "fdk"}, /* is refused, with the reason */
                {"--grid 2x2 --iterations 3", "fdk"},
                {"--exclude 2: --iterations 3", NULL}, /* is no range */
                {"--fbp-filter hann", NULL},
                {"--algorithm fdk", NULL}};
    const char *const at = *state;
    cli_works(at, "%s", phantom);
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        CliRun run = {.directory = at};
        cli_start(&run, "plan scan.h5 --geometry cone %s", each[i].options);
        cli_wait(&run);
        const char *const said = strstr(run.err, " says --algorithm ");
        if (each[i].said ? !said || strncmp(said + 18, each[i].said, strlen(each[i].said)) != 0 : said != NULL)
            fail_msg("%s: %s", each[i].options, run.err);
        cli_free(&run);
    }
}

/* fista takes fewer iterations, of more subsets, where projections are many, whoever named it. */
static void many_projections_take_few_iterations(void **state)
{
    static const struct {
        const char *options, *iterations;
    } each[] = {{"cone --slices 16 --angles 160", "8"},
                {"fan --slices 1 --angles 160 --algorithm fista", "8"},
                {"cone --slices 16 --angles 159", "15"},
                {"cone --slices 16 --angles 160 --algorithm fista --iterations 15", "15"},
                {"cone --slices 16 --angles 160 --algorithm fista --subsets 16", "15"}};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        CliRun run = {.directory = *state};
        char words[64];
        snprintf(words, sizeof words, "fista, iterations: %s;", each[i].iterations);
        cli_start(&run, "plan --columns 32 --geometry %s", each[i].options);
        cli_wait(&run);
        if (!strstr(run.out, words)) fail_msg("%s: %s%s", each[i].options, run.out, run.err);
        cli_free(&run);
    }
}

/* All verbs take them: the log of recon tells them, init writes them, and slices that are tried have them. */
static void all_verbs_take_few_iterations(void **state)
{
    enum { SMALL = 16 };
    static const char try[] = "recon many.h5 -o %s --reconstruction-type try --algorithm fista --regularization 0.1 "
                              "--sweep prior=huber,qggmrf";
    const char *const at = *state;
    char line[256];
    cli_works(at, "phantom -o many.h5 --geometry cone --size %d --slices 4 --angles 160", SMALL);
    char *said = cli_output_of(at, "recon many.h5 -o v.h5 --regularization 0.1 --pictures no --report none --halves");
    if (!strstr(said, "iterations: 8, for many projections")) fail_msg("%s", said);
    /* Halves have too few projections for that. */
    cli_works(at, "recon many.h5 -o w.h5 --regularization 0.1 --pictures no --report none --halves --iterations 15");
    float *half = cli_read_volume(at, "v_odd.h5", 4, SMALL), *full = cli_read_volume(at, "w_odd.h5", 4, SMALL);
    assert_memory_equal(half, full, sizeof *half * 4 * SMALL * SMALL);
    free(half);
    free(full);
    CliRun run = {.directory = at};
    cli_start(&run, "init many.h5 -o -");
    cli_wait(&run);
    if (!strstr(run.out, "\n#iterations: 8\n")) fail_msg("%s", run.out);
    snprintf(line, sizeof line, try, "usual");
    cli_works(at, "%s", line);
    snprintf(line, sizeof line, try, "eight");
    cli_works(at, "%s --iterations 8", line);
    float *usual = cli_read_tiff(at, "usual/prior_huber.tiff", SMALL);
    float *eight = cli_read_tiff(at, "eight/prior_huber.tiff", SMALL);
    assert_memory_equal(usual, eight, sizeof *usual * SMALL * SMALL);
    cli_free(&run);
    free(said);
    free(usual);
    free(eight);
}

/* A slice that is tried is the fan of the row nearest to the plane of the source, and each value is a run of its own.
 */
static void tried_slices_are_fans(void **state)
{
    static const struct {
        const char *words, *name, *value, *other;
    } ways[] = {{"--algorithm osem --subsets 4", "iterations", "1", "6"},
                {"--workers 2", "algorithm", "cg", "fdk"},
                {"--algorithm fista --iterations 2", "prior", "total-variation", "huber"},
                {"--regularization 0.1", "iterations", "1", "2"}};
    const char *const at = *state;
    char name[64];
    cli_works(at, "%s", phantom);
    for (int i = 0; i < 4; i++) {
        cli_works(at, CONE "-o try --reconstruction-type try %s --sweep %s=%s,%s", ways[i].words, ways[i].name,
                  ways[i].value, ways[i].other);
        cli_works(at,
                  "recon scan.h5 -o fan.h5 --overwrite --geometry fan --start-row 12 --end-row 13 --rotation-axis 19.5 "
                  "%s --%s %s",
                  ways[i].words, ways[i].name, ways[i].value);
        snprintf(name, sizeof name, "try/%s_%s.tiff", ways[i].name, ways[i].value);
        float *tried = cli_read_tiff(at, name, SIDE), *fan = cli_read_volume(at, "fan.h5", 1, SIDE);
        assert_memory_equal(tried, fan, sizeof *fan * SIDE * SIDE);
        free(tried);
        free(fan);
        snprintf(name, sizeof name, "try/%s_%s.tiff", ways[i].name, ways[i].other);
        assert_true(cli_exists(at, name));
    }
}

/* By the usual algorithm, whose strength is not searched again. */
static void tried_axes_share_a_strength(void **state)
{
    static const char search[] = "is reconstructed with several strengths";
    const char *const at = *state;
    cli_works(at, "%s", phantom);
    char *said =
        cli_output_of(at, CONE "-o axes --reconstruction-type try --sweep rotation-axis=19,19.5 --iterations 1");
    const char *first = strstr(said, search);
    if (!first || strstr(first + 1, search)) fail_msg("%s", said);
    assert_true(cli_exists(at, "axes/recon_00019.50.tiff"));
    free(said);
}

static void write_fan(const char *directory, const char *name, uint64_t angles, uint64_t width, const double *values,
                      const double *theta)
{
    char path[TESTING_PATH];
    const hid_t file = testing_hdf5_create(testing_path(path, directory, name));
    testing_hdf5_dataset(file, &(TestingDataset){.name = "/exchange/data",
                                                 .file_type = H5T_IEEE_F32LE,
                                                 .memory_type = H5T_NATIVE_DOUBLE,
                                                 .rank = 3,
                                                 .size = {angles, 1, width},
                                                 .values = values});
    testing_hdf5_dataset(file, &(TestingDataset){.name = "/exchange/theta",
                                                 .file_type = H5T_IEEE_F64LE,
                                                 .memory_type = H5T_NATIVE_DOUBLE,
                                                 .rank = 1,
                                                 .size = {angles},
                                                 .values = theta});
    testing_hdf5_close(file);
}

/* Thirty projections of a measured fan beam (Helsinki Tomography Challenge 2022), against FDK of all of them; each
 * pixel is the mean of two. */
static void sparse_measured_fans_beat_fdk(void **state)
{
    enum { ALL = 721, STEP = 24, MEASURED = 560, WIDTH = MEASURED / 2, SIZE = 256, SPARSE = 30 };
    static const char *const lengths = "--geometry cone --source-object-distance 410.66 --source-detector-distance "
                                       "553.74 --detector-pixel 0.4 --rotation-axis 139.5 --data line-integrals "
                                       "--volume 256x256x1 --pictures no --report none";
    const char *const at = *state;
    char folder[TESTING_PATH];
    testing_data(folder, "htc2022-fan");
    const int64_t size[] = {ALL, 1, MEASURED}, angles = ALL;
    double *all = cli_read_doubles(folder, "ta.h5", "/exchange/data", 3, size);
    double *theta = cli_read_doubles(folder, "ta.h5", "/exchange/theta", 1, &angles);
    for (size_t i = 0; i < (size_t)ALL * WIDTH; i++) all[i] = (all[2 * i] + all[2 * i + 1]) / 2;
    write_fan(at, "whole.h5", ALL, WIDTH, all, theta);
    for (int k = 0; k < SPARSE; k++) {
        memmove(all + (size_t)k * WIDTH, all + (size_t)k * STEP * WIDTH, WIDTH * sizeof *all);
        theta[k] = theta[k * STEP];
    }
    write_fan(at, "sparse.h5", SPARSE, WIDTH, all, theta);
    cli_works(at, "recon whole.h5 -o all.h5 %s --algorithm fdk", lengths);
    cli_works(at, "recon sparse.h5 -o fdk.h5 %s --algorithm fdk", lengths);
    cli_works(at, "recon sparse.h5 -o sirt.h5 %s --algorithm sirt --iterations 30 --nonnegativity yes", lengths);
    float *whole = cli_read_volume(at, "all.h5", 1, SIZE), *fdk = cli_read_volume(at, "fdk.h5", 1, SIZE);
    float *sirt = cli_read_volume(at, "sirt.h5", 1, SIZE);
    const double of_fdk = cli_difference((int64_t)SIZE * SIZE, fdk, whole);
    const double of_sirt = cli_difference((int64_t)SIZE * SIZE, sirt, whole);
    print_message("30 of 721 angles: fdk %.3f, sirt %.3f from all\n", of_fdk, of_sirt);
    assert_true(of_sirt < 0.75 * of_fdk);
    free(whole);
    free(fdk);
    free(sirt);
    free(all);
    free(theta);
}

/* The strength that a row predicts is nearer to the truth than FDK. Half of the projections take half of it. */
static void strengths_are_found(void **state)
{
    enum { WIDE = 64, HIGH = 8, VOXELS = HIGH * WIDE * WIDE };
    const char *const at = *state;
    double strength[2], error[2];
    cli_works(at, "phantom -o noisy.h5 --geometry cone --size %d --slices %d --angles 60 --noise 0.02 --truth truth.h5",
              WIDE, HIGH);
    cli_works(at, "recon noisy.h5 -o fdk.h5 --geometry cone --rotation-axis 31.5 --report none --algorithm fdk");
    cli_works(
        at, "recon noisy.h5 -o fista.h5 --geometry cone --rotation-axis 31.5 --report none --algorithm fista --halves");
    for (int i = 0; i < 2; i++) {
        float *a = cli_read_volume(at, i ? "fista.h5" : "fdk.h5", HIGH, WIDE);
        float *truth = cli_read_volume(at, "truth.h5", HIGH, WIDE);
        double *found = i ? cli_read_doubles(at, "fista_odd.h5", "/process/regularization", 0, NULL)
                          : cli_read_doubles(at, "fista.h5", "/process/regularization", 0, NULL);
        error[i] = cli_difference(VOXELS, a, truth);
        strength[i] = found[0];
        free(a);
        free(truth);
        free(found);
    }
    print_message("fdk %.3f, fista %.3f, strengths %g and %g\n", error[0], error[1], strength[0], strength[1]);
    assert_true(error[1] < 0.75 * error[0]);
    assert_true(fabs(strength[1] / strength[0] - 0.5) < 1e-5);
}

static double error_of_iterations(const char *at, const char *algorithm, const char *iterations)
{
    enum { WIDE = 64, HIGH = 8, VOXELS = HIGH * WIDE * WIDE };
    cli_works(
        at,
        "recon noisy.h5 -o volume.h5 --overwrite --geometry cone --rotation-axis 31.5 --report none --pictures no "
        "--algorithm %s --iterations %s",
        algorithm, iterations);
    float *a = cli_read_volume(at, "volume.h5", HIGH, WIDE), *truth = cli_read_volume(at, "truth.h5", HIGH, WIDE);
    const double error = cli_difference(VOXELS, a, truth);
    free(a);
    free(truth);
    return error;
}

/* The number that both halves of a row find is near the best one, and halves of the volume take it. */
/* Trials have the same voxels, as wide as pixels; two voxels above each other share a pixel. */
static void strengths_of_small_voxels_are_those_of_pixels(void **state)
{
    static const char *const size[] = {"40x40x24", "80x80x48 --voxel-size 0.0666666666666667"};
    double found[2];
    cli_works(*state, "phantom -o scan.h5 --overwrite --geometry cone --size 40 --slices 24 --angles 24 --noise 0.3");
    for (int i = 0; i < 2; i++) {
        CliRun run = {.directory = *state};
        cli_start(&run, CONE "-o volume.h5 --algorithm fista --iterations 4 --volume %s", size[i]);
        cli_wait(&run);
        if (run.exit_code != 0) fail_msg("%s", run.err);
        found[i] = cli_number_after(run.err, "regularization: ", NULL);
        cli_free(&run);
    }
    print_message("found %g and %g\n", found[0], found[1]);
    assert_true(found[0] > 0.02 && fabs(found[1] / found[0] - sqrt(0.5)) < 0.07);
}

static void iterations_are_found(void **state)
{
    static const struct {
        const char *algorithm, *halves, *number[3];
    } cases[] = {{"cg", "--halves", {"6", "9", "15"}}, {"mlem", "", {"10", "20", "40"}}};
    const char *const at = *state;
    char words[64];
    cli_works(at,
              "phantom -o noisy.h5 --geometry cone --size 64 --slices 8 --angles 180 --noise 0.03 --truth truth.h5");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double best = INFINITY;
        snprintf(words, sizeof words, "auto %s", cases[c].halves);
        const double found = error_of_iterations(at, cases[c].algorithm, words);
        double *iterations = cli_read_doubles(at, "volume.h5", "/process/iterations", 1, (const int64_t[]){1});
        for (int n = 0; n < 3; n++) best = fmin(best, error_of_iterations(at, cases[c].algorithm, cases[c].number[n]));
        print_message("%s: %g iterations, %.3f, best of three %.3f\n", cases[c].algorithm, *iterations, found, best);
        assert_true(found <= 1.15 * best);
        if (*cases[c].halves) {
            double *of_half = cli_read_doubles(at, "volume_odd.h5", "/process/iterations", 1, (const int64_t[]){1});
            assert_true(*of_half == *iterations);
            free(of_half);
        }
        free(iterations);
    }
    cli_refuses(at, "--iterations | auto | --geometry vectors | a number | --geometry parallel or cone",
                "recon noisy.h5 -o volume.h5 --vectors orbit:source=30,detector=45 --iterations auto");
}

/* Rows in the middle of the detector see an object that is longer: their outermost slices are nearly as good as the
 * others. */
static void objects_may_be_long(void **state)
{
    enum { SIZE = 48, FIRST = 12, COUNT = 24, PIXELS = SIZE * SIZE };
    const char *const at = *state;
    cli_works(at, "phantom -o long.h5 --truth truth.h5 --geometry cone --size 48 --slices 48 --angles 40 --noise 0 "
                  "--source-object-distance 20 --source-detector-distance 30");
    cli_works(at,
              "recon long.h5 -o part.h5 --rotation-axis 23.5 --pictures no --report none --start-row 12 --end-row 36 "
              "--algorithm fista --regularization 0.2");
    float *truth = cli_read_volume(at, "truth.h5", SIZE, SIZE), *part = cli_read_volume(at, "part.h5", COUNT, SIZE);
    double error[COUNT];
    for (int z = 0; z < COUNT; z++) error[z] = cli_difference(PIXELS, part + z * PIXELS, truth + (FIRST + z) * PIXELS);
    print_message("ends %.3f, %.3f, middle %.3f\n", error[0], error[COUNT - 1], error[COUNT / 2]);
    assert_true(fmax(error[0], error[COUNT - 1]) < 1.6 * error[COUNT / 2]);
    free(truth);
    free(part);
}

int cli_cone_iterative_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_ONE_CORE(few_angles_are_enough),
        CLI_ONE_CORE(residuals_are_told),
        CLI_TEST(the_same_bits_for_any_schedule),
        CLI_ONE_CORE(undefined_values_have_no_weight),
        CLI_TEST(a_killed_run_goes_on),
        CLI_TEST(refusals),
        CLI_ONE_CORE(masks_and_starts_are_taken),
        CLI_ONE_CORE(short_arcs_are_taken),
        CLI_ONE_CORE(sparse_measured_fans_beat_fdk),
        CLI_TEST(tried_slices_are_fans),
        CLI_TEST(tried_axes_share_a_strength),
        CLI_TEST(strengths_are_found),
        CLI_TEST(strengths_of_small_voxels_are_those_of_pixels),
        CLI_TEST(scans_choose_the_algorithm),
        CLI_TEST(many_projections_take_few_iterations),
        CLI_TEST(all_verbs_take_few_iterations),
        CLI_TEST(iterations_are_found),
        CLI_TEST(vectors_stream),
        CLI_ONE_CORE(objects_may_be_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
