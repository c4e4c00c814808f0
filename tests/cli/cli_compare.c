/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, compare: formats give the same measures, half-sets have a resolution, and every fault is refused. */
#include "cli.h"

#include "testing_hdf5.h"

#include <math.h>

enum { SIZE = 48, SLICES = 4, SLICE = SIZE * SIZE, VOXELS = SLICES * SLICE };

/* truth.h5, and volume.h5, a reconstruction of its scan scan.h5. */
static void make_volume(const char *directory)
{
    cli_works(directory, "phantom -o scan.h5 --size %d --angles 60 --slices %d --noise 0.01 --truth truth.h5", SIZE,
              SLICES);
    cli_works(directory, "recon scan.h5 -o volume.h5 --rotation-axis 23.5 --algorithm fbp --pictures no --report none");
}

/* What a line that works prints on stdout; caller frees. */
static char *compare(const char *directory, const char *line)
{
    CliRun run = {.directory = directory};
    cli_start(&run, "compare %s", line);
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("%s: %s", line, run.err);
    char *out = strdup(run.out);
    cli_free(&run);
    return out;
}

/* The member of all slices in JSON. */
static double member(const char *out, const char *name)
{
    char before[60];
    const char *all = strstr(out, "\"all_slices\": {");
    assert_non_null(all);
    snprintf(before, sizeof before, "\"%s\": ", name);
    return cli_number_after(all, before, NULL);
}

static void assert_near(double found, double expected, double relative)
{
    if (!(fabs(found - expected) <= relative * fabs(expected)))
        fail_msg("expected %.12g, found %.12g", expected, found);
}

static void errors_are_those_of_the_values(void **state)
{
    const char *const at = *state;
    double difference = 0, square = 0;
    int count = 0;
    make_volume(at);
    float *a = cli_read_volume(at, "volume.h5", SLICES, SIZE), *b = cli_read_volume(at, "truth.h5", SLICES, SIZE);
    float least = INFINITY, most = -INFINITY;
    for (int i = 0; i < VOXELS; i++) {
        if (hypot(i % SIZE - 23.5, (double)(i / SIZE % SIZE) - 23.5) > 24) continue;
        difference += pow((double)a[i] - (double)b[i], 2);
        square += pow((double)b[i], 2);
        least = fminf(least, b[i]);
        most = fmaxf(most, b[i]);
        count++;
    }
    char *out = compare(at, "volume.h5 truth.h5 --json");
    const double rmse = sqrt(difference / count), range = (double)most - (double)least;
    assert_near(member(out, "voxels"), count, 0);
    assert_near(member(out, "relative_l2"), sqrt(difference / square), 1e-9);
    assert_near(member(out, "rmse"), rmse, 1e-9);
    assert_near(member(out, "psnr_db"), 20 * log10(range / rmse), 1e-9);
    assert_near(member(out, "reference_most"), (double)most, 1e-6);
    const double similarity = member(out, "ssim");
    assert_true(similarity > 0.3 && similarity < 1);
    free(out);
    out = compare(at, "volume.h5 truth.h5"); /* the same for people */
    assert_near(cli_number_after(out, "\nrelative L2  ", NULL), sqrt(difference / square), 1e-5);
    assert_near(cli_number_after(out, "\nSSIM         ", NULL), similarity, 1e-5);
    assert_non_null(strstr(out, "\ncompared     slices 0:4 of 48 x 48 voxels, the inscribed circle: "));
    free(out);
    free(a);
    free(b);
}

/* The workers and the slices in memory change nothing. */
static void workers_do_not_matter(void **state)
{
    const char *const at = *state;
    float *a, *b;
    make_volume(at);
    char *one = compare(at, "volume.h5 truth.h5 --json --workers 1 --frc a.csv --error-map a.h5");
    char *two = compare(at, "volume.h5 truth.h5 --json --workers 2 --frc b.csv --error-map b.h5");
    assert_string_equal(one, two);
    assert_true(cli_same_files(at, "a.csv", "b.csv"));
    a = cli_read_volume(at, "a.h5", SLICES, SIZE);
    b = cli_read_volume(at, "b.h5", SLICES, SIZE);
    assert_memory_equal(a, b, VOXELS * sizeof *a);
    free(a);
    free(b);
    free(one);
    free(two);
}

static void formats_hold_the_same(void **state)
{
    static const char *const lines[] = {"v truth.h5",
                                        "v.tif truth.h5",
                                        "int.h5 truth.h5",
                                        "int.tif truth.h5",
                                        "volume.h5:/exchange/data truth.h5",
                                        "v.zarr truth.h5",
                                        "--reference truth.h5 v/recon_*.tiff"};
    const char *const at = *state;
    make_volume(at);
    char *usual = compare(at, "volume.h5 truth.h5 --json");
    cli_works(at,
              "recon scan.h5 -o v --rotation-axis 23.5 --algorithm fbp --pictures no --report none --save-format tiff");
    cli_works(at, "recon scan.h5 -o v.tif --rotation-axis 23.5 --algorithm fbp --pictures no --report none "
                  "--save-format tiff-stack");
    cli_works(at, "recon scan.h5 -o int.h5 --rotation-axis 23.5 --algorithm fbp --pictures no --report none "
                  "--output-type uint16 --output-range -1:1");
    cli_works(at, "recon scan.h5 -o int.tif --rotation-axis 23.5 --algorithm fbp --pictures no --report none "
                  "--output-type uint16 --output-range -1:1 --save-format tiff-stack");
    cli_works(at, "recon scan.h5 -o v.zarr --rotation-axis 23.5 --algorithm fbp --pictures no --report none "
                  "--save-format zarr --compression zstd");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char line[120];
        snprintf(line, sizeof line, "%s --json", lines[i]);
        char *out = compare(at, line);
        assert_near(member(out, "relative_l2"), member(usual, "relative_l2"), i == 2 || i == 3 ? 1e-4 : 1e-9);
        free(out);
    }
    free(usual);
}

static void write_values(const char *directory, const char *name, const float *values)
{
    char path[TESTING_PATH];
    const hid_t file = testing_hdf5_create(testing_path(path, directory, name));
    testing_hdf5_dataset(file, &(TestingDataset){.name = "/exchange/data",
                                                 .file_type = H5T_NATIVE_FLOAT,
                                                 .memory_type = H5T_NATIVE_FLOAT,
                                                 .rank = 3,
                                                 .size = {SLICES, SIZE, SIZE},
                                                 .values = values});
    testing_hdf5_close(file);
}

/* A number that changes with i as noise does, of mean 0 and deviation near 0.3. */
static float noise_of(int i)
{
    uint64_t state = (uint64_t)(i + 1) * 0x9e3779b97f4a7c15u;
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
    state = (state ^ (state >> 27)) * 0x94d049bb133111ebu;
    return (float)((double)((state ^ (state >> 31)) >> 11) / 9007199254740992.0 - 0.5);
}

/* a = 2 b − 1 exactly, and what follows from it: a line that fits, and contrasts that do not know scales. */
static void lines_and_contrasts(void **state)
{
    const char *const at = *state;
    float a[VOXELS], b[VOXELS];
    double sum[2] = {0}, squares = 0;
    int count[2] = {0};
    for (int i = 0; i < VOXELS; i++) {
        const int x = i % SIZE, y = i / SIZE % SIZE;
        b[i] = (float)(hypot(x - 15, y - 24) <= 6 ? 4 : 1) + ldexpf((float)lroundf(ldexpf(noise_of(i), 8)), -8);
        a[i] = 2 * b[i] - 1;
        if (hypot(x - 15, y - 24) <= 4) sum[0] += (double)b[i], count[0]++;
        if (hypot(x - 34, y - 24) <= 5.5) sum[1] += (double)b[i], squares += (double)b[i] * (double)b[i], count[1]++;
    }
    write_values(at, "a.h5", a);
    write_values(at, "b.h5", b);
    const double mean = sum[1] / count[1], deviation = sqrt(squares / count[1] - mean * mean);
    char *out = compare(at, "a.h5 b.h5 --json --object 15,24,4 --background 34,24,5.5");
    const char *fit = strstr(out, "\"fit\": {"), *contrast = strstr(out, "\"contrast_to_noise\": {");
    assert_true(fit && contrast);
    assert_near(cli_number_after(fit, "\"scale\": ", NULL), 0.5, 1e-9);
    assert_near(cli_number_after(fit, "\"offset\": ", NULL), 0.5, 1e-9);
    assert_true(cli_number_after(fit, "\"relative_l2\": ", NULL) < 1e-12);
    assert_near(member(out, "correlation"), 1, 1e-9);
    assert_near(cli_number_after(contrast, "\"volume\": ", NULL), (sum[0] / count[0] - mean) / deviation, 1e-8);
    assert_near(cli_number_after(contrast, "\"reference\": ", NULL), (sum[0] / count[0] - mean) / deviation, 1e-8);
    free(out);
    out = compare(at, "a.h5 b.h5 --region 20:40,3:9 --slices 1:3");
    assert_non_null(strstr(out, "slices 1:3 of 48 x 48 voxels, columns 20:40 of rows 3:9: 240 voxels\n"));
    free(out);
    out = compare(at, "a.h5 b.h5 --region 20,30,5 --slices 3:4");
    assert_non_null(strstr(out, "the circle of radius 5 about 20,30: 81 voxels\n"));
    assert_non_null(strstr(out, " (3)\n")); /* the worst slice is the only one */
    free(out);
}

/* Waves up to a known frequency are what two half-sets share. */
static void half_sets_have_a_resolution(void **state)
{
    const char *const at = *state;
    float a[VOXELS], b[VOXELS];
    const double limit = 0.2;
    for (int i = 0; i < VOXELS; i++) {
        double wave = 0;
        for (int w = 0; w < 60; w++) {
            const double f = limit * sqrt((double)noise_of(3 * w) + 0.5), turn = 2 * M_PI * (double)noise_of(3 * w + 1);
            wave += cos(2 * M_PI *
                        (f * (cos(turn) * (i % SIZE) + sin(turn) * (double)(i / SIZE % SIZE)) +
                         (double)noise_of(3 * w + 2) + (double)(i / SLICE) * f));
        }
        a[i] = (float)wave + 30 * noise_of(i);
        b[i] = (float)wave + 3 * noise_of(i + VOXELS);
    }
    write_values(at, "a.h5", a);
    write_values(at, "b.h5", b);
    char *out = compare(at, "a.h5 b.h5 --frc curve.csv");
    const char *found = strstr(out, "\nresolution   1/2 bit: ");
    assert_non_null(found);
    assert_near(cli_number_after(found, "1/2 bit: ", NULL), 1 / limit, 0.3);
    assert_near(cli_number_after(found, "1/7: ", NULL), 1 / limit, 0.3);
    assert_non_null(strstr(found, "; of independent half-sets only\n"));
    free(out);
    char *curve = cli_read_bytes(at, "curve.csv", (size_t)cli_file_size(at, "curve.csv"));
    int lines = 0;
    for (int64_t i = 0; i < cli_file_size(at, "curve.csv"); i++) lines += curve[i] == '\n';
    assert_int_equal(lines, 1 + SIZE / 2 + 1);
    assert_int_equal(strncmp(curve, "cycles_per_voxel,voxels,correlation,half_bit,independent_numbers\n0,,", 66), 0);
    free(curve);
    cli_refuses(at, "curve.csv exists | --overwrite", "compare a.h5 b.h5 --frc curve.csv");
    out = compare(at, "a.h5 a.h5 --frc curve.csv --overwrite --json");
    const char *rings = strstr(out, "\"ring_correlation\": {\"half_bit_frequency\": null, ");
    assert_non_null(rings); /* equal volumes agree at every frequency */
    assert_near(cli_number_after(rings, "{\"frequency\": 0.5, \"correlation\": ", NULL), 1, 1e-9);
    free(out);
}

/* Every second projection, from 0 and from 1 on. */
static void half_sets_are_made(void **state)
{
    const char *const at = *state;
    make_volume(at);
    cli_works(
        at, "recon scan.h5 -o even.h5 --exclude 1::2 --rotation-axis 23.5 --algorithm fbp --report none --pictures no");
    cli_works(
        at, "recon scan.h5 -o odd.h5 --exclude 0::2 --rotation-axis 23.5 --algorithm fbp --report none --pictures no");
    char *out = compare(at, "even.h5 odd.h5 --frc curve.csv --json");
    const double halves = member(out, "relative_l2");
    assert_true(halves > 0.01 && halves < 1);
    assert_non_null(strstr(out, "\"ring_correlation\": {"));
    free(out);
}

static void values_that_are_not_finite(void **state)
{
    const char *const at = *state;
    float a[VOXELS], b[VOXELS], none[VOXELS], zero[VOXELS] = {0};
    for (int i = 0; i < VOXELS; i++) {
        a[i] = noise_of(i);
        b[i] = noise_of(i) + 0.01F * noise_of(i + VOXELS);
        none[i] = NAN;
    }
    a[24 * SIZE + 24] = NAN;
    a[24 * SIZE + 25] = INFINITY;
    b[SLICE + 24 * SIZE + 24] = -INFINITY;
    a[0] = NAN; /* beyond the circle */
    write_values(at, "a.h5", a);
    write_values(at, "b.h5", b);
    write_values(at, "none.h5", none);
    write_values(at, "zero.h5", zero);
    char *out = compare(at, "a.h5 b.h5");
    assert_non_null(
        strstr(out, "\nleft out     NaN or infinite: 2 voxels of the volume, 1 of the reference; not compared\n"));
    const double error = cli_number_after(out, "\nrelative L2  ", NULL);
    assert_true(error > 0.005 && error < 0.02);
    assert_null(strstr(out, "undefined"));
    free(out);
    cli_refuses(at, "--frc | NaN or infinite | 2 voxels of a.h5 | 1 of b.h5 | --region | --slices",
                "compare a.h5 b.h5 --frc curve.csv");
    cli_refuses(at, "no voxel | NaN or infinite | 7216 of none.h5 | 0 of zero.h5", "compare none.h5 zero.h5");
    out = compare(at, "b.h5 zero.h5 --slices 2:4"); /* nothing to relate to */
    assert_non_null(strstr(out, "\nrelative L2   undefined "));
    assert_non_null(strstr(out, "\nPSNR (dB)     undefined "));
    assert_non_null(strstr(out, "\nSSIM          undefined "));
    assert_non_null(strstr(out, "\ncorrelation   undefined "));
    assert_null(strstr(out, "nan"));
    free(out);
    out = compare(at, "b.h5 zero.h5 --slices 2:4 --json --frc curve.csv");
    assert_non_null(strstr(out, "\"relative_l2\": null, \"rmse\": 0."));
    free(out);
    CliRun run = {.directory = at};
    cli_start(&run, "compare b.h5 zero.h5 --slices 2:4 --at-most 0.5");
    cli_wait(&run);
    cli_assert_ended(&run, 2, "--at-most | zero.h5 | # | another reference");
}

static void limits_are_exit_codes(void **state)
{
    const char *const at = *state;
    make_volume(at);
    free(compare(at, "volume.h5 truth.h5 --at-most 0.9"));
    CliRun run = {.directory = at};
    cli_start(&run, "compare volume.h5 truth.h5 --at-most 0.001");
    cli_wait(&run);
    assert_non_null(strstr(run.out, "\nSSIM ")); /* what was found is told all the same */
    cli_assert_ended(&run, 1, "L2 | # | --at-most | #");
}

static void pictures_are_side_by_side(void **state)
{
    const char *const at = *state;
    make_volume(at);
    char *out = compare(at, "volume.h5 truth.h5 --picture p.png");
    assert_non_null(strstr(out, "\npicture      p.png: volume, reference (both "));
    free(out);
    unsigned char *head = cli_read_bytes(at, "p.png", (size_t)cli_file_size(at, "p.png"));
    assert_memory_equal(head + 1, "PNG", 3);
    assert_int_equal(head[18] << 8 | head[19], 3 * SIZE + 2 * 4);
    assert_int_equal(head[22] << 8 | head[23], SIZE);
    free(head);
    cli_refuses(at, "p.png exists | --overwrite", "compare volume.h5 truth.h5 --picture p.png");
}

static void faults_are_refused(void **state)
{
    const char *const at = *state;
    make_volume(at);
    cli_write_text(at, "text", "no volume\n");
    cli_refuses(at, "absent.h5 | No such file", "compare volume.h5 absent.h5");
    cli_refuses(at, "text | HDF5, TIFF nor .npy | --volume XxYxZ", "compare text volume.h5");
    cli_refuses(at, "text | 10 bytes | 24 | --volume 3x2x1", "compare volume.h5 text --volume 3x2x1");
    cli_refuses(at, "volume.h5 | 4 slices of 48 x 48 | scan.h5 | 60 of 48 x 4 | equal sizes",
                "compare volume.h5 scan.h5");
    cli_refuses(at, "scan.h5: /exchange/theta | 1 dimension | 3, 4 of several sets | FILE:/DATASET",
                "compare volume.h5 scan.h5:/exchange/theta");
    static const char *const slices[] = {"4:5", "2:2", "3:1", "1", "-1:2", "0.5:2", "a:b", "0:2x"};
    for (size_t i = 0; i < sizeof slices / sizeof *slices; i++) {
        char message[120];
        snprintf(message, sizeof message, "--slices | '%s' | A:B | 0 <= A < B <= 4", slices[i]);
        cli_refuses(at, message, "compare volume.h5 truth.h5 --slices=%s", slices[i]);
    }
    static const char *const regions[] = {"square", "1,2", "1:2", "1:2,3", "nan,3,3", "1,2,3,4"};
    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) {
        char message[120];
        snprintf(message, sizeof message, "--region | '%s' | circle, all, X0:X1,Y0:Y1 or X,Y,RADIUS", regions[i]);
        cli_refuses(at, message, "compare volume.h5 truth.h5 --region=%s", regions[i]);
    }
    cli_refuses(at, "--region | '0:49,0:9' | X0:X1,Y0:Y1 | 0 <= X0 < X1 <= 48",
                "compare volume.h5 truth.h5 --region 0:49,0:9");
    cli_refuses(at, "--region | '0:9,7:7' | X0:X1,Y0:Y1 | 0 <= Y0 < Y1 <= 48",
                "compare volume.h5 truth.h5 --region 0:9,7:7");
    cli_refuses(at, "--region | '5,20,7' | X,Y,RADIUS | 48 x 48 voxels", "compare volume.h5 truth.h5 --region 5,20,7");
    cli_refuses(at, "--region | '5.5,20.5,0.2' | no voxel | larger circle",
                "compare volume.h5 truth.h5 --region 5.5,20.5,0.2");
    cli_refuses(at, "--object | '9,9,3' | --background | both or neither", "compare volume.h5 truth.h5 --object 9,9,3");
    cli_refuses(at, "--background | '9,9,x' | X,Y,RADIUS",
                "compare volume.h5 truth.h5 --object 9,9,3 --background 9,9,x");
    cli_refuses(at, "--object | '46,9,3' | X,Y,RADIUS | 48 x 48 voxels",
                "compare volume.h5 truth.h5 --object 46,9,3 --background 9,9,3");
    cli_refuses(at, "scan.h5 exists | --overwrite", "compare volume.h5 truth.h5 --error-map scan.h5");
    cli_refuses(at, "--error-map is 'e.tif' | HDF5 | .h5", "compare volume.h5 truth.h5 --error-map e.tif");
    cli_refuses(at, "--frc | same file | 'truth.h5' | different files",
                "compare volume.h5 truth.h5 --frc truth.h5 --overwrite");
}

int cli_compare_tests(void)
{
    const struct CMUnitTest tests[] = {CLI_TEST(errors_are_those_of_the_values), CLI_TEST(workers_do_not_matter),
                                       CLI_TEST(formats_hold_the_same),          CLI_TEST(lines_and_contrasts),
                                       CLI_TEST(half_sets_have_a_resolution),    CLI_TEST(half_sets_are_made),
                                       CLI_TEST(values_that_are_not_finite),     CLI_TEST(limits_are_exit_codes),
                                       CLI_TEST(pictures_are_side_by_side),      CLI_TEST(faults_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
