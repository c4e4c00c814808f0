/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, output: the documented command lines work, and their files hold the documented contents. */
#include "cli.h"

#include "testing_hdf5.h"

#include <math.h>

#include <xxhash.h>

enum { SIZE = 64, SLICES = 8, SLICE = SIZE * SIZE };

static void make_scan(const char *directory)
{
    cli_works(directory, "phantom -o scan.h5 --size 64 --angles 60 --slices 8 --noise 0");
}

static char *read_text(const char *directory, const char *name, const char *dataset)
{
    char path[TESTING_PATH];
    const hid_t file = H5Fopen(testing_path(path, directory, name), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    char *text = testing_hdf5_text(file, NULL, dataset);
    testing_hdf5_close(file);
    return text;
}

static void assert_text(const char *directory, const char *name, const char *dataset, const char *expected)
{
    char *found = read_text(directory, name, dataset);
    assert_string_equal(found, expected);
    free(found);
}

static void assert_units(const char *directory, const char *name, const char *units)
{
    char path[TESTING_PATH];
    const hid_t file = H5Fopen(testing_path(path, directory, name), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    assert_hdf5_text(file, "/exchange/data", "units", units);
    testing_hdf5_close(file);
}

static float *read_finite(const char *directory, const char *name, int64_t slices, int64_t size)
{
    float *values = cli_read_volume(directory, name, slices, size);
    for (int64_t i = 0; i < slices * size * size; i++) assert_true(isfinite(values[i]));
    return values;
}

/* From 2 |b|² to nothing, and never up: CG and SIRT both lower the residual in exact arithmetic. */
static void assert_residuals_fall(const char *directory, const char *name, int64_t slices, int64_t iterations,
                                  double share)
{
    const int64_t size[] = {slices, iterations + 1};
    double *residual = cli_read_doubles(directory, name, "/process/residuals", 2, size);
    for (int64_t s = 0; s < slices; s++) {
        const double *of_slice = residual + s * size[1];
        for (int64_t i = 0; i < iterations; i++) assert_true(of_slice[i + 1] <= of_slice[i] * (1 + 1e-6));
        assert_true(of_slice[0] > 0 && of_slice[iterations] <= of_slice[0] * share);
    }
    free(residual);
}

/* XXH3 of a file's bytes as 16 digits. */
static void checksum(const char *directory, const char *name, char digits[17])
{
    char path[TESTING_PATH];
    const size_t bytes = (size_t)cli_file_size(directory, name);
    void *content = malloc(bytes);
    FILE *file = fopen(testing_path(path, directory, name), "r");
    assert_true(content && file && fread(content, 1, bytes, file) == bytes && fclose(file) == 0);
    snprintf(digits, 17, "%016llx", (unsigned long long)XXH3_64bits(content, bytes));
    free(content);
}

static void assert_version(const char *directory, const char *name)
{
    CliRun run = {.directory = directory};
    char expected[80], *found = read_text(directory, name, "/process/version");
    cli_start(&run, "--version");
    cli_wait(&run);
    snprintf(expected, sizeof expected, "sinodag %s\n", found);
    assert_string_equal(run.out, expected);
    free(found);
    cli_free(&run);
}

static void cg_as_promised(void **state)
{
    const char *const at = *state;
    make_scan(at);
    cli_works(at, "recon scan.h5 -o out.h5 --algorithm cg --iterations 30 --rotation-axis 31.5 --precision single");
    assert_names(at, "out.h5 out.html out_sinogram_00004.png out_slice_00004.png scan.h5");
    free(read_finite(at, "out.h5", SLICES, SIZE));
    assert_units(at, "out.h5", "1/pixel");
    assert_residuals_fall(at, "out.h5", SLICES, 30, 1e-3);
    double *center = cli_read_doubles(at, "out.h5", "/process/center", 0, NULL);
    assert_true(center[0] == 31.5);
    free(center);
    const int64_t slices = SLICES;
    double *repaired = cli_read_doubles(at, "out.h5", "/process/repaired", 1, &slices);
    for (int i = 0; i < SLICES; i++) assert_true(repaired[i] == 0);
    free(repaired);
    char digits[17];
    checksum(at, "scan.h5", digits);
    assert_text(at, "out.h5", "/process/input_xxh3", digits);
    assert_text(at, "out.h5", "/process/input", "scan.h5");
    assert_text(at, "out.h5", "/process/algorithm", "cg");
    assert_text(at, "out.h5", "/process/precision", "single");
    assert_text(at, "out.h5", "/process/projector", "rays");
    assert_version(at, "out.h5");
}

/* A slice whose ray lengths would take long to trace is backprojected without them, unless they are asked for: the run
 * says and records so, and is as near to the truth. Center by center, too. */
static void few_slices_are_filtered_without_lengths(void **state)
{
    static const struct Way {
        const char *words, *told, *projector;
    } way[] = {{"", "sinodag: projector: gridding, about ", "gridding"},
               {"--projector pixels", "sinodag: operator: backprojection to the middles of pixels", "pixels"},
               {"--projector rays", "sinodag: ray lengths: ", "rays"},
               {"--projector rotate", "sinodag: operator: slices are turned in every product", "rotate"}};
    enum { SIDE = 256, PIXELS = SIDE * SIDE };
    const char *const at = *state;
    cli_works(at, "phantom -o scan.h5 --size %d --angles 500 --slices 1 --noise 0 --truth truth.h5", SIDE);
    float *truth = read_finite(at, "truth.h5", 1, SIDE);
    double error[4];
    for (int i = 0; i < 4; i++) {
        CliRun run = {.directory = at};
        cli_start(&run,
                  "recon scan.h5 -o out.h5 --overwrite --algorithm fbp --rotation-axis 127.5 --symmetry no "
                  "--pictures no --report none%s%s",
                  way[i].words[0] ? " " : "", way[i].words);
        cli_wait(&run);
        if (run.exit_code != 0 || !strstr(run.err, way[i].told)) fail_msg("%s: %s", way[i].words, run.err);
        cli_free(&run);
        assert_text(at, "out.h5", "/process/projector", way[i].projector);
        float *found = read_finite(at, "out.h5", 1, SIDE);
        error[i] = cli_difference(PIXELS, found, truth);
        print_message("%s: error %.4f\n", way[i].projector, error[i]);
        free(found);
    }
    assert_true(error[0] < error[2] && error[1] < 1.01 * error[2] && error[3] < 1.05 * error[2]);
    CliRun run = {.directory = at};
    cli_start(&run, "recon scan.h5 -o centers --reconstruction-type try --algorithm fbp --rotation-axis 127.5 "
                    "--symmetry no --center-search-width 0.5");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_non_null(strstr(run.err, "sinodag: projector: gridding, about "));
    cli_free(&run);
    free(truth);
}

/* Within the inscribed circle the reconstruction of exact data is the phantom, blurred by a pixel. */
static void truth_comes_back(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o scan.h5 --size 256 --angles 400 --slices 16 --noise 0 --truth truth.h5");
    assert_names(at, "scan.h5 truth.h5");
    float *truth = read_finite(at, "truth.h5", 16, 256);
    cli_works(at, "info scan.h5");
    cli_works(at, "recon scan.h5 -o out.h5 --start-row 8 --end-row 9 --algorithm cg --iterations 20 --pictures no "
                  "--report none --mask-ratio 1");
    float *found = read_finite(at, "out.h5", 1, 256);
    for (int i = 0; i < 256 * 256; i++)
        if (found[i] == 0) truth[8 * 65536 + i] = 0; /* masked */
    assert_true(cli_difference(65536, found, truth + 8 * 65536) < 0.15);
    double *center = cli_read_doubles(at, "out.h5", "/process/center", 0, NULL);
    assert_true(fabs(center[0] - 127.5) <= 0.5); /* found */
    free(center);
    free(found);
    free(truth);
}

static void link_data(const char *directory, const char *name)
{
    char from[TESTING_PATH], to[TESTING_PATH], in_data[64];
    snprintf(in_data, sizeof in_data, "memxct/%s", name);
    char *path = realpath(testing_data(from, in_data), NULL);
    assert_non_null(path);
    assert_int_equal(symlink(path, testing_path(to, directory, name)), 0);
    free(path);
}

static void sirt_of_raw_sinograms(void **state)
{
    const char *const at = *state;
    link_data(at, "ADS1_sinogram.bin");
    link_data(at, "ADS1_theta.bin");
    cli_works(at, "recon ADS1_sinogram.bin --theta ADS1_theta.bin --columns 256 -o out.h5 --algorithm sirt "
                  "--iterations 5 --rotation-axis 127.5");
    free(read_finite(at, "out.h5", 1, 256));
    assert_residuals_fall(at, "out.h5", 1, 5, 0.5);
    const int64_t size[] = {1, 6};
    double *residual = cli_read_doubles(at, "out.h5", "/process/residuals", 2, size);
    assert_true(fabs(residual[0] / 2.235911e8 - 1) < 1e-5); /* |b|² of the set */
    free(residual);
}

static void some_rows_in_partitions(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o scan.h5 --size 64 --angles 60 --slices 16 --noise 0");
    cli_works(at, "recon scan.h5 -o all.h5 --rotation-axis 31.5 --algorithm cg --iterations 10");
    for (int i = 0; i < 2; i++) /* the second time the output exists */
        cli_works(
            at,
            "recon scan.h5 -o out.h5 --rotation-axis 31.5 --algorithm cg --iterations 10 --start-row 4 --end-row 12 "
            "--partitions 3 --minibatch 8 --memory 2GiB --overwrite");
    float *all = read_finite(at, "all.h5", 16, SIZE), *some = read_finite(at, "out.h5", 8, SIZE);
    assert_true(cli_difference(8 * SLICE, some, all + 4 * SLICE) < 1e-4);
    assert_true(cli_exists(at, "out_slice_00008.png"));
    free(all);
    free(some);
}

static void settings_reproduce_the_volume(void **state)
{
    const char *const at = *state;
    const char *const line[] = {"--iterations 6 --partitions 3 --minibatch 2 --tolerance 0.01",
                                "--algorithm sirt --iterations 4 --nonnegativity --relaxation 1.3 --binning 2",
                                "--algorithm fbp --fbp-filter hann --rotation-axis 31.25 --precision double",
                                "--start-row 2 --end-row 5 --mask-ratio 0.9 --pixel-size 3.3 --iterations 2"};
    const int64_t slices[] = {8, 4, 8, 3}, size[] = {64, 32, 64, 64};
    make_scan(at);
    for (int i = 0; i < 4; i++) {
        cli_works(at, "recon scan.h5 -o out.h5 --overwrite %s", line[i]);
        char *settings = read_text(at, "out.h5", "/process/settings");
        cli_write_text(at, "settings.yaml", settings);
        cli_works(at, "recon --config settings.yaml --out again.h5");
        float *first = read_finite(at, "out.h5", slices[i], size[i]);
        float *again = read_finite(at, "again.h5", slices[i], size[i]);
        assert_memory_equal(again, first, (size_t)(slices[i] * size[i] * size[i]) * sizeof *first);
        free(settings);
        free(first);
        free(again);
    }
}

/* The log says where the slices stopped, and counts no iteration that they did not do. */
static void assert_told(const CliRun *run, int least, int most)
{
    char last[100], summary[100];
    snprintf(last, sizeof last, least < most ? "iteration %d–%d/200, %d of %d slices stopped" : "iteration %d/200",
             least, most, SLICES, SLICES);
    snprintf(summary, sizeof summary,
             least < most ? "iterations: %d–%d (median " : "iterations: %d, where every slice reached the tolerance",
             least, most);
    if (!strstr(run->err, last) || !strstr(run->err, summary))
        fail_msg("there is no\n%s\nor no\n%s\nin\n%s", last, summary, run->err);
}

static void residuals_end_where_slices_stop(void **state)
{
    const char *const at = *state;
    const int64_t size[] = {SLICES, 201};
    make_scan(at);
    CliRun run = {.directory = at};
    cli_start(&run, "recon scan.h5 -o out.h5 --rotation-axis 31.5 --algorithm cg --iterations 200 --tolerance 0.02 "
                    "--pictures no --report none");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    double *residual = cli_read_doubles(at, "out.h5", "/process/residuals", 2, size);
    int least = 200, most = 0;
    for (int s = 0; s < SLICES; s++) {
        const double *of_slice = residual + s * size[1];
        int last = 0;
        while (last < 200 && !isnan(of_slice[last + 1])) last++;
        assert_in_range(last, 1, 199);
        least = last < least ? last : least;
        most = last > most ? last : most;
        assert_true(of_slice[last] <= of_slice[0] * 0.02 * 0.02);
        assert_true(of_slice[last - 1] > of_slice[0] * 0.02 * 0.02);
        for (int i = last + 1; i <= 200; i++) assert_true(isnan(of_slice[i]));
    }
    free(residual);
    assert_told(&run, least, most);
    cli_free(&run);
}

static void tiff_by_absolute_row(void **state)
{
    const char *const at = *state;
    make_scan(at);
    cli_works(at, "recon scan.h5 -o out --rotation-axis 31.5 --algorithm cg --iterations 3 --start-row 2 --end-row 5 "
                  "--save-format tiff");
    assert_names(at,
                 "out out/recon_00002.tiff out/recon_00003.tiff out/recon_00004.tiff out.html out_sinogram_00003.png "
                 "out_slice_00003.png scan.h5");
    cli_works(at,
              "recon scan.h5 -o both.h5 --rotation-axis 31.5 --algorithm cg --iterations 3 --start-row 2 --end-row 5 "
              "--save-format both --pictures no --report none");
    float *volume = read_finite(at, "both.h5", 3, SIZE);
    for (int i = 0; i < 3; i++) {
        char name[40];
        snprintf(name, sizeof name, "out/recon_%05d.tiff", i + 2);
        float *alone = cli_read_tiff(at, name, SIZE);
        snprintf(name, sizeof name, "both/recon_%05d.tiff", i + 2);
        float *with = cli_read_tiff(at, name, SIZE);
        assert_memory_equal(alone, volume + i * SLICE, SLICE * sizeof *alone);
        assert_memory_equal(with, volume + i * SLICE, SLICE * sizeof *with);
        free(alone);
        free(with);
    }
    free(volume);
    /* Without an ending the folder needs a name of its own; binning names the first row of each slice. */
    cli_works(at, "recon scan.h5 -o plain --rotation-axis 31.5 --algorithm cg --iterations 3 --binning 2 --start-row 1 "
                  "--save-format both --pictures no --report none");
    free(read_finite(at, "plain", 3, SIZE / 2));
    free(cli_read_tiff(at, "plain_tiff/recon_00005.tiff", SIZE / 2));
    assert_false(cli_exists(at, "plain_tiff/recon_00002.tiff"));
}

static void mask_and_units(void **state)
{
    const char *const at = *state;
    make_scan(at);
    cli_works(
        at, "recon scan.h5 -o plain.h5 --rotation-axis 31.5 --algorithm cg --iterations 3 --pictures no --report none");
    cli_works(at, "recon scan.h5 -o out.h5 --rotation-axis 31.5 --algorithm cg --iterations 3 --pictures no --report "
                  "none --mask-ratio 0.8 "
                  "--pixel-size 100");
    float *plain = read_finite(at, "plain.h5", SLICES, SIZE), *out = read_finite(at, "out.h5", SLICES, SIZE);
    const double radius = 0.8 * SIZE / 2;
    int64_t kept = 0;
    for (int64_t i = 0; i < SLICES * SLICE; i++) {
        const double x = (double)(i % SIZE) - (SIZE - 1) / 2.0, y = (double)(i / SIZE % SIZE) - (SIZE - 1) / 2.0;
        const double distance = sqrt(x * x + y * y);
        if (fabs(distance - radius) < 1) continue; /* the edge's own convention */
        if (distance > radius) assert_true(out[i] == 0);
        if (distance > radius) continue;
        assert_true(fabs((double)out[i] - 100 * (double)plain[i]) <= 1e-4 * fabs((double)out[i]));
        kept++;
    }
    assert_true(kept > SLICES * SLICE / 3);
    assert_units(at, "out.h5", "1/cm");
    free(plain);
    free(out);
}

static void try_names_its_centers(void **state)
{
    const char *const at = *state;
    make_scan(at);
    cli_works(at, "recon scan.h5 -o out --rotation-axis 31.5 --algorithm cg --iterations 3 --reconstruction-type try "
                  "--center-search-width 1 --nsino 2");
    assert_names(at, "out out/recon_00030.50.tiff out/recon_00031.00.tiff out/recon_00031.50.tiff "
                     "out/recon_00032.00.tiff out/recon_00032.50.tiff out/sheet.html out/sweep.csv scan.h5");
    cli_works(at, "recon scan.h5 -o row.h5 --rotation-axis 31 --algorithm cg --iterations 3 --start-row 2 --end-row 3 "
                  "--pictures no "
                  "--report none "
                  "--partitions 1");
    cli_works(
        at,
        "recon scan.h5 -o fine --rotation-axis 31 --algorithm cg --iterations 3 --reconstruction-type try --nsino 2 "
        "--center-search-width 0.002 --center-search-step 0.002 --partitions 1");
    float *volume = read_finite(at, "row.h5", 1, SIZE), *middle = cli_read_tiff(at, "fine/recon_00031.000.tiff", SIZE);
    assert_memory_equal(middle, volume, SLICE * sizeof *volume);
    free(cli_read_tiff(at, "fine/recon_00030.998.tiff", SIZE));
    free(cli_read_tiff(at, "fine/recon_00031.002.tiff", SIZE));
    free(volume);
    free(middle);
    /* Centers beside the detector are left out. */
    cli_works(at, "recon scan.h5 -o edge --rotation-axis 1 --algorithm cg --iterations 1 --reconstruction-type try "
                  "--center-search-width 3 --center-search-step 1");
    assert_true(cli_exists(at, "edge/recon_00000.00.tiff") && cli_exists(at, "edge/recon_00004.00.tiff"));
    assert_false(cli_exists(at, "edge/recon_000-1.00.tiff"));
}

/* Of a scan with an odd number of columns. */
static void sides_of_a_slice_are_the_callers_choice(void **state)
{
    enum { EVEN = 48, WIDE = 60, NARROW = 40 };
    const char *at = *state;
    CliRun run = {.directory = at};
    cli_works(at, "phantom -o scan.h5 --size 47 --angles 36 --slices 2");
    cli_start(&run,
              "recon scan.h5 -o even.h5 --rotation-axis 23 --volume 48x48 --algorithm cg --iterations 4 --profile");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_non_null(strstr(run.err, "; 10 of 36 angles stored (the others are quarter turns or mirror images)"));
    cli_free(&run);
    cli_works(
        at, "recon scan.h5 -o plain.h5 --rotation-axis 23 --volume 48x48 --algorithm cg --iterations 4 --symmetry no");
    float *even = read_finite(at, "even.h5", 2, EVEN), *plain = read_finite(at, "plain.h5", 2, EVEN);
    assert_true(cli_difference(2 * EVEN * EVEN, even, plain) <= 1e-5);
    free(even);
    free(plain);
    static const char *const iterative[] = {"cg", "sirt", "mlem", "osem"};
    for (size_t i = 0; i < sizeof iterative / sizeof *iterative; i++) {
        cli_works(at,
                  "recon scan.h5 -o wide.h5 --overwrite --rotation-axis 23 --volume 60x60 --iterations 2 "
                  "--algorithm %s",
                  iterative[i]);
        free(read_finite(at, "wide.h5", 2, WIDE)); /* no ray crosses the corners */
    }
    cli_works(at, "recon scan.h5 -o even.h5 --overwrite --rotation-axis 23 --volume 48x48 --algorithm fbp");
    cli_works(at, "recon scan.h5 -o narrow.h5 --rotation-axis 23 --volume 40x40 --algorithm fbp");
    even = read_finite(at, "even.h5", 2, EVEN);
    float *narrow = read_finite(at, "narrow.h5", 2, NARROW), middle[NARROW * NARROW];
    for (int row = 0; row < NARROW; row++)
        memcpy(middle + row * NARROW, even + (row + 4) * EVEN + 4, NARROW * sizeof *middle);
    assert_true(cli_difference(NARROW * NARROW, narrow, middle) <= 1e-5);
    free(even);
    free(narrow);
    cli_refuses(at, "volume | 48x50 | auto | equal sides", "recon scan.h5 -o x.h5 --volume 48x50");
    cli_refuses(at, "volume | 46x46 | 47 detector columns | fbp | --margin 1", "recon scan.h5 -o x.h5 --volume 46x46");
    cli_refuses(at, "--volume | '48' | auto | 1 to 65536", "recon scan.h5 -o x.h5 --volume 48");
}

static void demo(void **state)
{
    CliRun run = {.directory = *state};
    cli_start(&run, "demo --out DIR --size 64 --angles 90 --slices 4 --algorithm cg --iterations 20");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_names(*state, "DIR DIR/scan.h5 DIR/truth.h5 DIR/volume.h5 DIR/volume.html DIR/volume_sinogram_00002.png "
                         "DIR/volume_slice_00002.png");
    const double percent = cli_number_after(run.err, "relative L2 error against the true volume DIR/truth.h5: ", NULL);
    assert_true(percent < 40);
    cli_free(&run);
}

int cli_output_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(cg_as_promised),
        CLI_TEST(few_slices_are_filtered_without_lengths),
        CLI_TEST(truth_comes_back),
        CLI_TEST(sirt_of_raw_sinograms),
        CLI_TEST(some_rows_in_partitions),
        CLI_TEST(settings_reproduce_the_volume),
        CLI_TEST(residuals_end_where_slices_stop),
        CLI_TEST(tiff_by_absolute_row),
        CLI_TEST(mask_and_units),
        CLI_TEST(try_names_its_centers),
        CLI_TEST(sides_of_a_slice_are_the_callers_choice),
        CLI_TEST(demo),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
