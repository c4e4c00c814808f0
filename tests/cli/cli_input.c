/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, input: scans that cannot be reconstructed are refused with one sentence, and the run leaves no file. */
#include "cli.h"
#include "testing_tiff.h"

#include <hdf5.h>
#include <math.h>
#include <sys/stat.h>

#define FORMATS " | allowed: HDF5 | raw float32 with --theta and --columns"

/* The verb refuses the file with these key words. */
static void refuse_unknown(const char *directory, const char *verb, const char *file, const char *keys)
{
    CliRun run = {.directory = directory};
    cli_start(&run, "%s %s%s", verb, file, strcmp(verb, "recon") == 0 ? " -o out.h5" : "");
    cli_wait(&run);
    cli_assert_ended(&run, 2, keys);
}

static void files_that_are_no_scan(void **state)
{
    const char *const at = *state;
    cli_write_text(at, "text", "theta: 3\n");
    cli_write_text(at, "empty", "");
    cli_refuses(at, "nope.h5 | No such file", "recon nope.h5 -o out.h5");
    cli_refuses(at, "nope.h5 | No such file", "info nope.h5");
    refuse_unknown(at, "recon", "text", "text | no known format" FORMATS);
    refuse_unknown(at, "info", "text", "text | no known format" FORMATS);
    refuse_unknown(at, "recon", "text --theta 0:180", "text | no known format" FORMATS);
    refuse_unknown(at, "recon", "empty", "empty | empty file" FORMATS);
    refuse_unknown(at, "recon", ".", ". is a folder | a folder of one series");
    refuse_unknown(at, "info", "/dev/null", "/dev/null | neither a file nor a folder | allowed: a file");
    char path[TESTING_PATH];
    const hid_t file = H5Fcreate(testing_path(path, at, "other.nxs"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t group = H5Gcreate2(file, "/entry", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0 && group >= 0 && H5Gclose(group) >= 0 && H5Fclose(file) >= 0);
    refuse_unknown(at, "info", "other.nxs",
                   "other.nxs | without /exchange/data | NXtomo | /entry | allowed: Data Exchange | NXtomo");
}

/* Reading a FIFO would wait for a writer. */
static void files_that_would_block(void **state)
{
    char path[TESTING_PATH];
    assert_int_equal(mkfifo(testing_path(path, *state, "fifo"), 0600), 0);
    refuse_unknown(*state, "info", "fifo", "fifo | neither a file nor a folder | allowed: a file");
    refuse_unknown(*state, "recon", "fifo", "fifo | neither a file nor a folder | allowed: a file");
}

/* Writes the scan, and has both verbs refuse it. */
static void refuse_scan(const char *directory, const char *message, const CliScan *scan)
{
    cli_write_scan(directory, "scan.h5", scan);
    cli_refuses(directory, message, "recon scan.h5 -o out.h5 --rotation-axis 7.5 --graph graph.dot");
    cli_refuses(directory, message, "info scan.h5");
}

static void datasets_missing_or_of_wrong_rank(void **state)
{
    CliScan scan = cli_scan;
    scan.data_rank = 0;
    refuse_scan(*state, "scan.h5 has no dataset /exchange/data", &scan);
    scan.data_rank = 2;
    refuse_scan(*state, "scan.h5: /exchange/data | 2 dimensions | 3", &scan);
}

static void sizes_that_disagree(void **state)
{
    CliScan scan = cli_scan;
    scan.flat_rows = 3;
    refuse_scan(*state, "scan.h5: /exchange/data_white | 3 rows and 16 columns | 4 and 16 | /exchange/data", &scan);
    scan = cli_scan;
    scan.theta_count = 11;
    refuse_scan(*state, "scan.h5: /exchange/theta | 11 angles | 12, one per projection", &scan);
}

static void no_angles_rows_or_columns(void **state)
{
    CliScan scan = cli_scan;
    scan.angles = 0;
    refuse_scan(*state, "scan.h5: /exchange/data | 0 projections | 1 or more", &scan);
    scan = cli_scan;
    scan.columns = 0;
    refuse_scan(*state, "scan.h5: /exchange/data | 4 rows and 0 columns | 1 or more", &scan);
}

static void angles_that_are_not_finite(void **state)
{
    double theta[12] = {0, 15, 30, 45, 60, NAN, 90};
    CliScan scan = cli_scan;
    scan.theta = theta;
    refuse_scan(*state, "scan.h5: /exchange/theta[5] | nan | finite", &scan);
    theta[5] = 75;
    theta[6] = -INFINITY;
    refuse_scan(*state, "scan.h5: /exchange/theta[6] | -inf | finite", &scan);
}

static void flats_absent_or_dark(void **state)
{
    CliScan scan = cli_scan;
    scan.flats = 0;
    cli_write_scan(*state, "scan.h5", &scan);
    cli_refuses(*state, "'scan.h5' | --flats | line-integrals", "recon scan.h5 -o out.h5");
    scan = cli_scan;
    scan.flat_count = 0;
    cli_write_scan(*state, "scan.h5", &scan);
    cli_refuses(*state, "'scan.h5' | 2 flat fields | zero or less", "recon scan.h5 -o out.h5");
    cli_works(*state,
              "recon scan.h5 -o out.h5 --rotation-axis 7.5 --algorithm cg --iterations 2 --flat-correction none "
              "--minus-log no");
}

/* One flat and one dark field, as three dimensions or as two. */
static void fields_of_one_image(void **state)
{
    const char *const at = *state;
    CliScan scan = cli_scan;
    float *volume[2];
    scan.flats = scan.darks = 1;
    for (int i = 0; i < 2; i++) {
        scan.single = i > 0;
        cli_write_scan(at, "scan.h5", &scan);
        cli_works(at, "recon scan.h5 -o o.h5 --rotation-axis 7.5 --algorithm cg --iterations 2 --overwrite");
        volume[i] = cli_read_volume(at, "o.h5", 4, 16);
    }
    assert_memory_equal(volume[0], volume[1], sizeof(float) * 4 * 16 * 16);
    free(volume[0]);
    free(volume[1]);
}

/* A dataset by its name goes with the angles and fields of its group that fit, and says so. */
static void fields_beside_the_dataset(void **state)
{
    const char *at = *state;
    CliScan scan = cli_scan;
    float *volume[2];
    for (int i = 0; i < 2; i++) {
        cli_write_scan(at, "scan.h5", &scan);
        cli_works(at, "recon scan.h5%s -o o.h5 --rotation-axis 7.5 --algorithm cg --iterations 2 --overwrite",
                  i > 0 ? ":/exchange/data" : "");
        volume[i] = cli_read_volume(at, "o.h5", 4, 16);
    }
    assert_memory_equal(volume[0], volume[1], sizeof(float) * 4 * 16 * 16);
    free(volume[0]);
    free(volume[1]);
    char *text = cli_output_of(at, "info scan.h5:/exchange/data");
    assert_non_null(strstr(text, "dataset /exchange/data; beside it theta, data_white, data_dark\n"));
    free(text);
    scan.flat_rows = 3;
    cli_write_scan(at, "scan.h5", &scan);
    text = cli_output_of(at, "info scan.h5:/exchange/data --open-beam 1000");
    assert_non_null(
        strstr(text, "data_white beside the dataset is left out: scan.h5: /exchange/data_white has 3 rows"));
    free(text);
}

static void parts_outside_the_detector(void **state)
{
    const char *const at = *state;
    cli_write_scan(at, "scan.h5", &cli_scan);
    cli_refuses(at, "rotation-axis | 16 | auto | 0 to 15", "recon scan.h5 -o out.h5 --rotation-axis 16");
    cli_refuses(at, "rotation-axis | -0.5 | auto | 0 to 15", "recon scan.h5 -o out.h5 --rotation-axis -0.5");
    cli_refuses(at, "start-row | 4 | 0 to 3", "recon scan.h5 -o out.h5 --start-row 4");
    cli_refuses(at, "end-row | 5 | 4", "recon scan.h5 -o out.h5 --end-row 5");
    cli_refuses(at, "start-column | 16 | 0 to 15", "recon scan.h5 -o out.h5 --start-column 16");
    cli_refuses(at, "end-column | 17 | 16", "recon scan.h5 -o out.h5 --end-column 17");
    cli_refuses(at, "row range | --start-row is 2 | --end-row is 2 | -1",
                "recon scan.h5 -o out.h5 --start-row 2 --end-row 2");
    cli_refuses(at, "binning | 8 | 4 rows", "recon scan.h5 -o out.h5 --binning 8");
    cli_refuses(at, "nsino | 1 | 2 to 3", "recon scan.h5 -o out.h5 --start-row 2 --nsino 1");
}

static void angles_that_do_not_show_the_center(void **state)
{
    double theta[12];
    CliScan scan = cli_scan;
    for (int k = 0; k < 12; k++) theta[k] = 10 * k;
    scan.theta = theta;
    cli_write_scan(*state, "scan.h5", &scan);
    cli_refuses(*state, "110.0 degrees | 180 | --rotation-axis", "recon scan.h5 -o out.h5");
    cli_refuses(*state, "half a turn | 70.00 degrees | phase correlation | --rotation-axis-auto vo",
                "recon scan.h5 -o out.h5 --rotation-axis-auto phase");
}

static void raw_sinograms(void **state)
{
    const char *const at = *state;
    const float sinograms[2 * 5 * 8] = {1}, theta[5] = {0, 0.6F, 1.2F, 1.8F, 2.4F};
    const float bad[5] = {0, 0.6F, 1.2F, NAN, 2.4F};
    cli_write_bytes(at, "raw.bin", sinograms, sizeof sinograms);
    cli_write_bytes(at, "theta.bin", theta, sizeof theta);
    cli_write_bytes(at, "bad.bin", bad, sizeof bad);
    cli_write_bytes(at, "empty.bin", "", 0);
    cli_write_bytes(at, "odd.bin", theta, 7);
    cli_works(at, "info raw.bin --theta theta.bin --columns 8");
    cli_write_scan(at, "scan.h5", &cli_scan);
    cli_refuses(at, "--columns | 16 | 'scan.h5' | Data Exchange | raw sinograms",
                "recon scan.h5 --theta theta.bin --columns 16 -o out.h5");
    cli_refuses(at, "raw.bin | 320 bytes | 5 angles × 7 columns | 140 bytes",
                "recon raw.bin --theta theta.bin --columns 7 -o out.h5");
    cli_refuses(at, "raw.bin | 320 bytes | 5 angles × 17 columns | 340 bytes",
                "recon raw.bin --theta theta.bin --columns 17 -o out.h5");
    cli_refuses(at, "empty.bin | 0 bytes | 5 angles × 8 columns | 160 bytes",
                "recon empty.bin --theta theta.bin --columns 8 -o out.h5");
    cli_refuses(at, "empty.bin | 0 bytes | 4 for each angle", "recon raw.bin --theta empty.bin --columns 8 -o out.h5");
    cli_refuses(at, "odd.bin | 7 bytes | 4 for each angle", "recon raw.bin --theta odd.bin --columns 8 -o out.h5");
    cli_refuses(at, "bad.bin | angle 3 | nan | finite", "recon raw.bin --theta bad.bin --columns 8 -o out.h5");
    cli_refuses(at, "theta | 'nope.bin' | no such file | 0:180 | FIRST:step:STEP",
                "recon raw.bin --theta nope.bin --columns 8 -o out.h5");
    cli_refuses(at, "nope.bin | No such file", "recon nope.bin --theta theta.bin --columns 8 -o out.h5");
    cli_refuses(at, "theta | '0:180' | raw sinograms | a file of angles",
                "recon raw.bin --theta 0:180 --columns 8 -o out.h5");
    cli_refuses(at, "--columns | 8 | --theta | both", "recon raw.bin --columns 8 -o out.h5");
}

/* Transmissions and line integrals of one object, as HDF5 and raw. */
static void values_that_are_no_counts(void **state)
{
    enum { SIZE = 16, ANGLES = 12, COUNT = SIZE * ANGLES };
    const char *const at = *state, *const recon =
                                       "--rotation-axis 7.5 --algorithm cg --iterations 4 --pictures no --report none "
                                       "--overwrite";
    float transmission[COUNT], integral[COUNT], theta[ANGLES];
    for (int i = 0; i < COUNT; i++) {
        const int column = i % SIZE;
        integral[i] = column > 3 && column < 12 ? 1 + 0.1F * (float)(i % 5) : 0;
        transmission[i] = expf(-integral[i]);
    }
    for (int k = 0; k < ANGLES; k++) theta[k] = (float)k * 0.26179939F;
    cli_write_bytes(at, "theta.bin", theta, sizeof theta);
    cli_write_bytes(at, "integral.bin", integral, sizeof integral);
    cli_write_bytes(at, "transmission.bin", transmission, sizeof transmission);
    const char *const raw = "--theta theta.bin --columns 16";
    cli_works(at, "recon integral.bin %s -o expected.h5 %s", raw, recon);
    static const char *const same[] = {"integral.bin --data line-integrals", "integral.bin --data auto",
                                       "integral.bin --data line-integrals --minus-log no --flat-correction none",
                                       "transmission.bin --data transmission",
                                       "transmission.bin --data transmission --flat-correction none --minus-log yes"};
    float *expected = cli_read_volume(at, "expected.h5", 1, SIZE);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        cli_works(at, "recon %s %s -o found.h5 %s", same[i], raw, recon);
        float *found = cli_read_volume(at, "found.h5", 1, SIZE);
        assert_true(cli_difference((int64_t)SIZE * SIZE, found, expected) < 1e-5);
        free(found);
    }
    free(expected);
    cli_works(at, "info transmission.bin %s --data transmission", raw);
    cli_refuses(at, "'integral.bin' | --flats | line-integrals", "recon integral.bin %s -o out.h5 --data counts", raw);
}

enum { TIFF_SIZE = 48, TIFF_ANGLES = 40, TIFF_SLICES = 6, TIFF_FIELDS = 10 };

/* Images of a dataset as one TIFF file each, NAME_1.tif and so on, or as pages of NAME.tif. */
static void write_images(const char *directory, const char *dataset, const char *name, int64_t count, bool pages)
{
    const int64_t size[] = {count, TIFF_SLICES, TIFF_SIZE}, pixels = TIFF_SLICES * TIFF_SIZE;
    double *counts = cli_read_doubles(directory, "scan.h5", dataset, 3, size);
    for (int64_t i = 0; i < count; i++) {
        char file[64], path[TESTING_PATH];
        uint16_t values[TIFF_SLICES * TIFF_SIZE];
        for (int64_t p = 0; p < pixels; p++) values[p] = (uint16_t)counts[i * pixels + p];
        const TestingTiff image = {.mode = pages && i > 0 ? "a" : "w",
                                   .format = SAMPLEFORMAT_UINT,
                                   .bits = 16,
                                   .compression = pages ? COMPRESSION_LZW : COMPRESSION_NONE,
                                   .rows = TIFF_SLICES,
                                   .columns = TIFF_SIZE,
                                   .strip_rows = 4,
                                   .values = values};
        if (pages)
            snprintf(file, sizeof file, "%s.tif", name);
        else
            snprintf(file, sizeof file, "%s_%d.tif", name, (int)i + 1);
        testing_tiff_write(testing_path(path, directory, file), &image);
    }
    free(counts);
}

/* A scan as HDF5 and as TIFF: p/p_1.tif …, p.tif, flat_1.tif …, dark.tif, and angles.txt with 2 angles too many. */
static void write_tiff_scan(const char *directory)
{
    const int64_t angles = TIFF_ANGLES;
    char path[TESTING_PATH];
    cli_works(directory, "phantom -o scan.h5 --size %d --angles %d --slices %d", TIFF_SIZE, TIFF_ANGLES, TIFF_SLICES);
    assert_int_equal(mkdir(testing_path(path, directory, "p"), 0700), 0);
    write_images(directory, "/exchange/data", "p/p", TIFF_ANGLES, false);
    write_images(directory, "/exchange/data", "p", TIFF_ANGLES, true);
    write_images(directory, "/exchange/data_white", "flat", TIFF_FIELDS, false);
    write_images(directory, "/exchange/data_dark", "dark", TIFF_FIELDS, true);
    double *theta = cli_read_doubles(directory, "scan.h5", "/exchange/theta", 1, &angles);
    FILE *text = fopen(testing_path(path, directory, "angles.txt"), "w");
    assert_non_null(text);
    fputs("# degrees\n-1\n", text);
    for (int64_t k = 0; k < TIFF_ANGLES; k++) fprintf(text, "%.17g\n", theta[k]);
    fputs("180\n", text);
    assert_int_equal(fclose(text), 0);
    free(theta);
}

static const char tiff_recon[] =
    "--rotation-axis 23.5 --iterations 3 --partitions 1 --pictures no --report none --overwrite";

/* As from scan.h5: to the last bit, or to rounding. */
static void assert_same_volume(const char *directory, const char *arguments, double rounding)
{
    const int64_t voxels = (int64_t)TIFF_SLICES * TIFF_SIZE * TIFF_SIZE;
    cli_works(directory, "recon scan.h5 -o expected.h5 %s", tiff_recon);
    cli_works(directory, "recon %s -o found.h5 %s", arguments, tiff_recon);
    float *expected = cli_read_volume(directory, "expected.h5", TIFF_SLICES, TIFF_SIZE);
    float *found = cli_read_volume(directory, "found.h5", TIFF_SLICES, TIFF_SIZE);
    const double difference = cli_difference(voxels, found, expected);
    if (!(difference <= rounding)) fail_msg("%s: %g away from the volume of scan.h5", arguments, difference);
    free(expected);
    free(found);
}

static void tiff_images_are_as_good_as_hdf5(void **state)
{
    const char *const at = *state;
    write_tiff_scan(at);
    assert_same_volume(at, "p --theta angles.txt[1:41] --flats flat_*.tif --darks dark.tif", 0);
    assert_same_volume(at, "p/p_*.tif --theta angles.txt[1:41] --flats flat_*.tif --darks dark.tif --minibatch 2",
                       1e-6);
    assert_same_volume(at, "p.tif --theta angles.txt[1:41] --flats flat_*.tif --darks dark.tif", 0);
    assert_same_volume(at, "scan.h5 --flats flat_*.tif --darks dark.tif --theta angles.txt[1:41]", 0);
    assert_same_volume(at, "scan.h5 --theta 0:180:excluded", 1e-6); /* angles differ in their last bit */
    cli_works(at, "plan p --theta 0:180 --flats flat_*.tif");
    cli_works(at, "info p");
    cli_works(at, "info p.tif --theta 0:step:4.5 --flats flat_1.tif");
}

/* The projections of scan.h5 as one sinogram for each row: s/s_1.tif … */
static void write_sinograms(const char *directory)
{
    const int64_t size[] = {TIFF_ANGLES, TIFF_SLICES, TIFF_SIZE};
    char path[TESTING_PATH], file[64];
    double *counts = cli_read_doubles(directory, "scan.h5", "/exchange/data", 3, size);
    assert_int_equal(mkdir(testing_path(path, directory, "s"), 0700), 0);
    for (int r = 0; r < TIFF_SLICES; r++) {
        uint16_t values[TIFF_ANGLES * TIFF_SIZE];
        for (int i = 0; i < TIFF_ANGLES * TIFF_SIZE; i++)
            values[i] = (uint16_t)counts[(i / TIFF_SIZE * TIFF_SLICES + r) * TIFF_SIZE + i % TIFF_SIZE];
        const TestingTiff image = {.mode = "w",
                                   .format = SAMPLEFORMAT_UINT,
                                   .bits = 16,
                                   .rows = TIFF_ANGLES,
                                   .columns = TIFF_SIZE,
                                   .strip_rows = 7,
                                   .values = values};
        snprintf(file, sizeof file, "s/s_%d.tif", r + 1);
        testing_tiff_write(testing_path(path, directory, file), &image);
    }
    free(counts);
}

static void tiff_sinograms(void **state)
{
    static const char fields[] = "--flats flat_*.tif --darks dark.tif --axes row,angle,column";
    const char *const at = *state;
    char line[200];
    write_tiff_scan(at);
    write_sinograms(at);
    snprintf(line, sizeof line, "s --theta angles.txt[1:41] %s", fields);
    assert_same_volume(at, line, 0);
    snprintf(line, sizeof line, "s --theta angles.txt[1:41] %s --minibatch 2", fields);
    assert_same_volume(at, line, 1e-6);
    cli_refuses(at, "theta | 'angles.txt' | 42 angles | 40 projections | 'angles.txt[FIRST:END]'",
                "recon s --theta angles.txt %s -o out.h5", fields);
    cli_refuses(at, "theta | '0:180' | one projection | FIRST:step:STEP | --axes row,angle,column",
                "recon s/s_1.tif --theta 0:180 -o out.h5");
    const char *const wrong =
        "theta | 'angles.txt[1:41]' | 40 angles | 6 projections | 'angles.txt[FIRST:END]' | --axes row,angle,column";
    cli_refuses(at, wrong, "recon s --theta angles.txt[1:41] -o out.h5");
    cli_refuses(at, "--axes | 's' | TIFF images | angle,row,column | row,angle,column",
                "recon s --theta angles.txt[1:41] --axes column,row,angle -o out.h5");
    char path[TESTING_PATH];
    assert_int_equal(unlink(testing_path(path, at, "s/s_2.tif")), 0);
    char *said = cli_output_of(at, "info s --theta angles.txt[1:41] --axes row,angle,column");
    assert_non_null(strstr(said, "a missing sinogram joins slices that are apart"));
    free(said);
}

static void tiff_images_that_lack_something(void **state)
{
    const char *const at = *state;
    char path[TESTING_PATH];
    write_tiff_scan(at);
    cli_refuses(at, "'p' | --theta | 0:step:0.5", "recon p -o out.h5 --flats flat_*.tif");
    cli_refuses(at, "theta | 'angles.txt' | 42 angles | 40 projections | 'angles.txt[FIRST:END]'",
                "recon p -o out.h5 --theta angles.txt --flats flat_*.tif");
    cli_refuses(at, "'p' | --flats | line-integrals", "recon p -o out.h5 --theta 0:180 --darks dark.tif");
    cli_refuses(at, "--darks | 'dark.tif' | flat fields | without --flats and --darks",
                "recon p -o out.h5 --theta 0:180 --darks dark.tif --flat-correction none");
    cli_refuses(at, "'q*.tif' matches no file", "recon q*.tif -o out.h5 --theta 0:180 --flats flat_*.tif");
    cli_refuses(at, "--out | same file | 'p' | different files",
                "recon p -o p --save-format tiff --theta 0:180 --flats flat_*.tif");
    const TestingTiff small = {.format = SAMPLEFORMAT_IEEEFP, .bits = 32, .rows = 5, .columns = TIFF_SIZE};
    testing_tiff_write(testing_path(path, at, "small.tif"), &small);
    cli_refuses(at, "small.tif | 5 rows and 48 columns | 6 and 48",
                "recon p -o out.h5 --theta 0:180 --flats small.tif");
    testing_tiff_write(testing_path(path, at, "p/p_3.tif"), &small);
    cli_refuses(at, "p/p_3.tif | 5 rows and 48 columns | 6 and 48 | p/p_1.tif",
                "recon p -o out.h5 --theta 0:180 --flats flat_*.tif");
    assert_int_equal(truncate(path, 60), 0);
    CliRun run = {.directory = at};
    cli_start(&run, "recon p -o out.h5 --theta 0:180 --flats flat_*.tif");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    assert_non_null(strstr(run.err, "sinodag: p/p_3.tif"));
    cli_free(&run);
    assert_int_equal(unlink(path), 0);
    cli_start(&run, "info p --theta 0:180");
    cli_wait(&run);
    assert_int_equal(run.exit_code, cli_code_of_info(run.out));
    assert_non_null(strstr(run.out, "warning      the numbers of the files skip some between p/p_2.tif and p/p_4.tif"));
    cli_free(&run);
}

/* 91 projections of 111 angles, flat and dark fields in float; the axis is at 85.75 to 86. */
static void measured_tiff_sequence(void **state)
{
    char data[TESTING_PATH];
    testing_data(data, "savu-24737/angles.txt");
    data[strlen(data) - strlen("/angles.txt")] = '\0';
    cli_works(*state,
              "recon %s/tiffs --theta %s/angles.txt[10:101] --flats %s/flat_00001.tiff --darks %s/dark_00001.tiff "
              "-o out.h5 --algorithm fbp --start-row 60 --end-row 70",
              data, data, data, data);
    double *center = cli_read_doubles(*state, "out.h5", "/process/center", 0, NULL);
    assert_true(*center >= 85.5 && *center <= 86.5);
    free(center);
}

/* The amount after "--memory " in the refusal of `mib`. */
static int allowed_mib(const char *directory, const char *arguments, int mib)
{
    CliRun run = {.directory = directory};
    char begin[100], *end;
    cli_start(&run, "recon scan.h5 -o out.h5 --rotation-axis 7 %s --memory %dMiB", arguments, mib);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    snprintf(begin, sizeof begin, "sinodag: memory is %.*f MiB; this reconstruction needs at least ",
             mib < 10    ? 2
             : mib < 100 ? 1
                         : 0,
             (double)mib);
    assert_memory_equal(run.err, begin, strlen(begin));
    const char *found = strstr(run.err, "; allowed: --memory ");
    assert_non_null(found);
    const int amount = (int)strtol(found + strlen("; allowed: --memory "), &end, 10);
    assert_memory_equal(end, "MiB or more", strlen("MiB or more"));
    cli_free(&run);
    return amount;
}

static void too_little_memory(void **state)
{
    const char *const shape[] = {
        "--size 64 --angles 1", "--size 64 --angles 5",   "--size 64 --angles 60", "--size 50 --angles 400",
        "--size 8 --angles 60", "--size 256 --angles 400"}; /* whose windows need more than the whole operator */
    const char *const arguments[] = {"--iterations 1", "--algorithm sirt --iterations 1 --precision double",
                                     "--algorithm fbp", "--iterations 2 --partitions 5 --minibatch 3"};
    for (size_t s = 0; s < sizeof shape / sizeof *shape; s++) {
        cli_works(*state, "phantom -o scan.h5 --slices 4 --overwrite %s", shape[s]);
        /* The last one's search for a strength takes seconds: once, by the last arguments. */
        for (int a = s + 1 == sizeof shape / sizeof *shape ? 1 : 0; a < 4; a++) {
            const int amount = allowed_mib(*state, arguments[a], 1);
            assert_int_equal(allowed_mib(*state, arguments[a], amount - 1), amount); /* no less will do */
            assert_names(*state, "scan.h5");
            cli_works(*state, "recon scan.h5 -o out.h5 --rotation-axis 7 --pictures no --report none %s --memory %dMiB",
                      arguments[a], amount);
            assert_names(*state, "out.h5 scan.h5");
            char path[TESTING_PATH];
            assert_int_equal(unlink(testing_path(path, *state, "out.h5")), 0);
        }
    }
    cli_refuses(*state, "--memory | '0.5' | 512MiB | 0 to 1048576 TiB", "recon scan.h5 -o out.h5 --memory 0.5");
}

/* A volume where a scan is expected. */
static void volumes_are_no_scans(void **state)
{
    static const char message[] = "v.h5 | volume | a scan | sinodag compare | --dataset /exchange/data";
    const char *const at = *state;
    free(cli_output_of(at, "phantom -o p.h5 --size 16 --angles 16 --slices 2 --overwrite"));
    free(cli_output_of(at, "recon p.h5 -o v.h5 --rotation-axis 7.5 --algorithm fbp --pictures no --report none"));
    cli_refuses(at, message, "info v.h5");
    cli_refuses(at, message, "recon v.h5 -o w.h5");
    free(cli_output_of(at, "recon v.h5 --dataset /exchange/data --theta 0:90 --data line-integrals -o w.h5 "
                           "--rotation-axis 7.5 --algorithm fbp --pictures no --report none"));
}

int cli_input_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(files_that_are_no_scan),
        CLI_TEST(files_that_would_block),
        CLI_TEST(datasets_missing_or_of_wrong_rank),
        CLI_TEST(sizes_that_disagree),
        CLI_TEST(no_angles_rows_or_columns),
        CLI_TEST(angles_that_are_not_finite),
        CLI_ONE_CORE(flats_absent_or_dark),
        CLI_ONE_CORE(fields_of_one_image),
        CLI_ONE_CORE(fields_beside_the_dataset),
        CLI_TEST(parts_outside_the_detector),
        CLI_TEST(angles_that_do_not_show_the_center),
        CLI_ONE_CORE(raw_sinograms),
        CLI_ONE_CORE(values_that_are_no_counts),
        CLI_ONE_CORE(tiff_images_are_as_good_as_hdf5),
        CLI_ONE_CORE(tiff_sinograms),
        CLI_TEST(tiff_images_that_lack_something),
        CLI_ONE_CORE(measured_tiff_sequence),
        CLI_TEST(too_little_memory),
        CLI_TEST(volumes_are_no_scans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
