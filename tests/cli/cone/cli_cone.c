/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, cone beams: what phantom writes, what info says of it, and what is refused. */
#include "cli.h"

#include <math.h>

#define LENGTHS "--source-object-distance 100 --source-detector-distance 150 --detector-pixel 0.5"

static double one_value(const char *directory, const char *name, const char *dataset)
{
    double *value = cli_read_doubles(directory, name, dataset, 0, NULL), result = *value;
    free(value);
    return result;
}

/* The file tells what the user gave, or what the help says. */
static void phantom_tells_its_lengths(void **state)
{
    static const struct {
        const char *options;
        double source, detector, width, height;
    } cases[] = {
        {"", 4 * 16 * 0.2 / 1.5, 6 * 16 * 0.2 / 1.5, 0.2, 0.2},
        {"--detector-pixel 0.3x0.4", 4 * 16 * 0.3 / 1.5, 6 * 16 * 0.3 / 1.5, 0.3, 0.4},
        {"--source-object-distance 80", 80, 120, 0.2, 0.2},
        {"--source-detector-distance 90", 60, 90, 0.2, 0.2},
        {"--source-detector-distance 90 --source-object-distance 70 --detector-pixel 1", 70, 90, 1, 1},
    };
    const char *const at = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cli_works(at,
                  "phantom -o scan.h5 --overwrite --geometry cone --size 16 --angles 12 --slices 3 --truth t.h5%s%s",
                  *cases[i].options ? " " : "", cases[i].options);
        const double source = one_value(at, "scan.h5", "/measurement/instrument/source/distance");
        const double detector = one_value(at, "scan.h5", "/measurement/instrument/detector/distance");
        assert_true(fabs(source + cases[i].source) < 1e-9);
        assert_true(fabs(detector - (cases[i].detector - cases[i].source)) < 1e-9);
        assert_true(one_value(at, "scan.h5", "/measurement/instrument/detector/x_pixel_size") == cases[i].width);
        assert_true(one_value(at, "scan.h5", "/measurement/instrument/detector/y_pixel_size") == cases[i].height);
    }
    const int64_t angles = 12;
    double *theta = cli_read_doubles(at, "scan.h5", "/exchange/theta", 1, &angles);
    for (int k = 0; k < 12; k++) assert_true(fabs(theta[k] - 30 * k) < 1e-12);
    free(theta);
    free(cli_read_volume(at, "t.h5", 3, 16));
}

enum { SIZE = 24, ANGLES = 10 };

static double *read_counts(const char *directory, const char *name, int64_t angles)
{
    const int64_t size[] = {angles, 1, SIZE};
    return cli_read_doubles(directory, name, "/exchange/data", 3, size);
}

/* ‖a − b‖/‖b‖ of two projections. */
static double difference(const double *a, const double *b)
{
    double error = 0, norm = 0;
    for (int c = 0; c < SIZE; c++) {
        error += (a[c] - b[c]) * (a[c] - b[c]);
        norm += b[c] * b[c];
    }
    return sqrt(error / norm);
}

/* A source a kilometre away makes the projections of a parallel beam, of which the second half of the circle has the
 * mirror images; a sample that turns the other way has the projections of the negative angles. */
static void far_sources_see_parallel_beams(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o p.h5 --size 24 --angles 10 --slices 1 --noise 0 --truth pt.h5");
    cli_works(at, "phantom -o c.h5 --size 24 --angles 20 --slices 1 --noise 0 --truth ct.h5 --geometry cone "
                  "--source-object-distance 1e6 --source-detector-distance 1e6 --detector-pixel 0.01");
    cli_works(at, "phantom -o r.h5 --size 24 --angles 20 --slices 1 --noise 0 --geometry cone --angle-direction "
                  "counterclockwise --source-object-distance 1e6 --source-detector-distance 1e6 --detector-pixel 0.01");
    double *parallel = read_counts(at, "p.h5", ANGLES), *cone = read_counts(at, "c.h5", 2 * ANGLES);
    double *reversed = read_counts(at, "r.h5", 2 * ANGLES);
    for (int k = 0; k < ANGLES; k++) assert_true(difference(cone + k * SIZE, parallel + k * SIZE) < 1e-4);
    for (int k = 0; k < 2 * ANGLES; k++)
        assert_true(difference(reversed + k * SIZE, cone + (2 * ANGLES - k) % (2 * ANGLES) * SIZE) < 1e-4);
    assert_true(difference(reversed + SIZE, cone + SIZE) > 0.01);
    float *first = cli_read_volume(at, "pt.h5", 1, SIZE), *second = cli_read_volume(at, "ct.h5", 1, SIZE);
    /* The one is attenuation per voxel, the other per cm. */
    for (int i = 0; i < SIZE * SIZE; i++) second[i] *= 0.001F;
    assert_true(cli_difference(SIZE * SIZE, first, second) < 1e-6);
    free(first);
    free(second);
    free(parallel);
    free(cone);
    free(reversed);
}

/* ‖volume − truth‖/‖truth‖ of the middle slices, within 0.45 sides of the axis; the rows of the truth upside down, if
 * `mirrored`. */
static double error_of(const float *volume, const float *truth, int slices, int size, bool mirrored)
{
    double error = 0, norm = 0;
    for (int k = slices / 2 - 4; k < slices / 2 + 4; k++)
        for (int i = 0; i < size * size; i++) {
            const double x = i % size - (size - 1) / 2.0, y = i / size - (size - 1) / 2.0;
            const int row = mirrored ? size - 1 - i / size : i / size;
            const double expected = (double)truth[(k * size + row) * size + i % size];
            const double found = (double)volume[k * size * size + i];
            if (hypot(x, y) > 0.45 * size) continue;
            error += (found - expected) * (found - expected);
            norm += expected * expected;
        }
    return sqrt(error / norm);
}

/* The volume lies as the truth does, and has its values, for both directions and for pixels that are not square. */
static void volumes_are_the_truth(void **state)
{
    enum { SIDE = 64, SLICES = 48 };
    static const char *const directions[] = {"clockwise", "counterclockwise"};
    const char *const at = *state;
    for (int i = 0; i < 2; i++) {
        cli_works(at,
                  "phantom -o scan.h5 --overwrite --geometry cone --size 64 --slices 48 --angles 180 --noise 0 --truth "
                  "truth.h5 --angle-direction %s --detector-pixel 0.3x0.4",
                  directions[i]);
        float *truth = cli_read_volume(at, "truth.h5", SLICES, SIDE);
        for (int k = 0; k < 2; k++) {
            cli_works(at,
                      "recon scan.h5 -o volume.h5 --overwrite --geometry cone --rotation-axis 31.5 --algorithm fdk "
                      "--angle-direction %s",
                      directions[k]);
            float *volume = cli_read_volume(at, "volume.h5", SLICES, SIDE);
            const double error = error_of(volume, truth, SLICES, SIDE, false);
            assert_true(i == k ? error < 0.15 : error > 0.5);
            assert_true(i != k || error_of(volume, truth, SLICES, SIDE, true) > 0.3);
            free(volume);
        }
        free(truth);
    }
}

static void demo_of_a_cone_beam(void **state)
{
    CliRun run = {.directory = *state};
    cli_start(&run, "demo --geometry cone --size 48 --angles 90 --slices 24 --out d");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    const double error = cli_number_after(run.err, "relative L2 error against the true volume d/truth.h5: ", NULL);
    assert_true(error > 1 && error < 30);
    cli_free(&run);
}

static void noise_of_a_seed_is_the_same(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o a.h5 --size 24 --angles 12 --slices 1 --geometry cone --seed 3");
    cli_works(at, "phantom -o b.h5 --size 24 --angles 12 --slices 1 --geometry cone --seed 3");
    double *first = read_counts(at, "a.h5", 12), *second = read_counts(at, "b.h5", 12);
    assert_true(testing_same_bytes(first, second, 12 * SIZE * sizeof *first));
    free(second);
    cli_works(at, "phantom -o b.h5 --overwrite --size 24 --angles 12 --slices 1 --geometry cone --seed 4");
    second = read_counts(at, "b.h5", 12);
    assert_false(testing_same_bytes(first, second, 12 * SIZE * sizeof *first));
    free(first);
    free(second);
}

/* Angles of a parallel beam count the other way. */
static void sample_turns_the_other_way(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o scan.h5 --size 24 --angles 30 --slices 2");
    cli_works(at, "phantom -o turned.h5 --size 24 --angles 30 --slices 2 --angle-direction counterclockwise");
    cli_works(at, "recon scan.h5 -o a.h5 --theta 0:-180:excluded --iterations 3 --rotation-axis 11.5");
    cli_works(at, "recon scan.h5 -o b.h5 --angle-direction counterclockwise --iterations 3 --rotation-axis 11.5");
    cli_works(at, "recon scan.h5 -o c.h5 --iterations 3 --rotation-axis 11.5");
    cli_works(at, "recon turned.h5 -o d.h5 --angle-direction counterclockwise --iterations 3 --rotation-axis 11.5");
    float *a = cli_read_volume(at, "a.h5", 2, SIZE), *b = cli_read_volume(at, "b.h5", 2, SIZE);
    float *c = cli_read_volume(at, "c.h5", 2, SIZE), *d = cli_read_volume(at, "d.h5", 2, SIZE);
    assert_true(cli_difference(2 * SIZE * SIZE, b, a) < 1e-5);
    assert_true(cli_difference(2 * SIZE * SIZE, b, c) > 0.05);
    assert_true(cli_difference(2 * SIZE * SIZE, d, c) < 0.05); /* but for the noise */
    free(a);
    free(b);
    free(c);
    free(d);
}

static void assert_says(const char *directory, const char *text, const char *line)
{
    CliRun run = {.directory = directory};
    cli_start(&run, "%s", line);
    cli_wait(&run);
    assert_int_equal(run.exit_code, cli_code_of_info(run.out));
    if (!strstr(run.out, text)) fail_msg("expected\n%s\nin\n%s", text, run.out);
    cli_free(&run);
}

static void info_describes_the_beam(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o scan.h5 --geometry cone --size 16 --angles 36 --slices 4 " LENGTHS);
    assert_says(at,
                "\ngeometry     cone beam; source to axis: 100 mm, to detector: 150 mm; pixel: 0.5 mm; magnification "
                "1.5\nfan          1.432 degrees to the further side of the axis; circle of 360 degrees (axis in the "
                "middle)\nvolume       16 x 16 x 4 voxels of 0.333333 mm with the default settings\n",
                "info scan.h5 --geometry cone");
    assert_says(at, "; pixel: 0.25 mm x 0.75 mm; magnification 3\n",
                "info scan.h5 --geometry cone --source-object-distance 50 --detector-pixel 0.25x0.75");
    assert_says(at, "; short scan of 200 degrees ", "info scan.h5 --geometry cone --theta 0:200");
    assert_says(at,
                "\nwarning      the file says that the source is 100 mm from the axis, and 150 mm from a detector of 8 "
                "mm, so that rays spread over 3.06 degrees; is it a cone beam? (--geometry cone)\n",
                "info scan.h5 --geometry parallel");
    assert_says(at, "\ngeometry     cone beam; source to axis: 100 mm, ", "info scan.h5");
    assert_says(at, "\"geometry\": {\"kind\": \"cone\", \"source_object_mm\": 100, \"source_detector_mm\": 150, ",
                "info scan.h5 --geometry cone --json");
    assert_says(at, "\"geometry\": {\"kind\": \"parallel\"}", "info scan.h5 --geometry parallel --json");
    cli_write_scan(at, "plain.h5", &cli_scan);
    assert_says(at, "\ngeometry     cone beam; source to axis: unknown, to detector: 7 mm; pixel: unknown\n",
                "info plain.h5 --geometry cone --source-detector-distance 7");
    assert_says(at,
                "\nrefused      a cone beam needs lengths in mm that 'plain.h5' does not have; needed: "
                "--source-object-distance and --detector-pixel\n",
                "info plain.h5 --geometry cone --source-detector-distance 7");
    assert_says(at, "\nalgorithm    fista, for the size of the scan (36 projections of 16 columns and 4 rows; ",
                "info scan.h5 --geometry cone --theta 0:170"); /* an arc that fdk refuses */
}

static void beams_are_refused(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o told.h5 --geometry cone --size 16 --angles 36 --slices 4 " LENGTHS);
    cli_write_scan(at, "scan.h5", &cli_scan);
    cli_refuses(at,
                "lengths in mm | 'scan.h5' | --source-object-distance, --source-detector-distance and --detector-pixel",
                "recon scan.h5 -o x.h5 --geometry cone");
    cli_refuses(at, "lengths in mm | 'scan.h5' | needed: --detector-pixel",
                "recon scan.h5 -o x.h5 --geometry cone --source-object-distance 3 --source-detector-distance 4");
    cli_refuses(at, "source-detector-distance | 150 mm | 151 mm | 151 mm",
                "recon told.h5 -o x.h5 --geometry cone --algorithm fdk --source-object-distance 151");
    cli_refuses(at, "source-object-distance | 100 mm | 101.823 mm | --volume | --voxel-size",
                "recon told.h5 -o x.h5 --geometry cone --algorithm fdk --voxel-size 9");
    cli_refuses(at, "180 degrees | fan | 2.864 degrees | 182.9 degrees | --algorithm cg",
                "recon told.h5 -o x.h5 --geometry cone --algorithm fdk --theta 0:180");
    cli_works(at, "phantom -o one.h5 --geometry cone --size 8 --angles 1 --slices 2"); /* too few for fdk */
    cli_refuses(at, "16 x 16 x 4 voxels | 0 mm | 1.12267 mm | 3.77124 and 0.666667 mm | --rotation-axis | --voxel-size",
                "recon told.h5 -o x.h5 --geometry cone --algorithm fdk --center-row -4");
    cli_refuses(at, "--volume | '16x16x' | auto | 1 to 65536",
                "recon told.h5 -o x.h5 --geometry cone --algorithm fdk --volume 16x16x");
    cli_refuses(at, "--volume | 16x16x4 | auto | 16x16", "recon scan.h5 -o x.h5 --volume 16x16x4");
    cli_refuses(at, "--algorithm fdk | --geometry parallel | cg | fista", "recon scan.h5 -o x.h5 --algorithm fdk");
    CliRun left_out = {.directory = at}; /* the file tells the beam, whichever projections are used */
    cli_start(&left_out, "recon told.h5 -o x.h5 --algorithm fdk --exclude 0:100");
    cli_wait(&left_out);
    cli_assert_ended(&left_out, 2, "exclude | '0:100' | 0 to 35");
    cli_refuses(at, "--algorithm fbp | --geometry cone | cg | fdk",
                "recon told.h5 -o x.h5 --algorithm fbp --geometry cone");
    cli_refuses(at, "--geometry | 'ring' | parallel | matrix", "recon told.h5 -o x.h5 --geometry ring");
    cli_refuses(at, "--angle-direction | 'left' | auto, clockwise or counterclockwise",
                "recon told.h5 -o x.h5 --angle-direction left");
    cli_refuses(at, "--voxel-size | --geometry parallel | --geometry cone | matrix",
                "recon scan.h5 -o x.h5 --voxel-size 1");
    cli_write_text(at, "cone.yaml", "geometry: cone\ndetector-pixel: 1xx1\n");
    cli_refuses(at, "cone.yaml | detector-pixel | '1xx1' | 0.2 | 1000000", "recon told.h5 -o x.h5 --config cone.yaml");
    cli_refuses(at, "source-object-distance | 10 mm | 11.3137 mm | --volume | --voxel-size",
                "phantom -o x.h5 --geometry cone --size 32 --source-object-distance 10 --source-detector-distance 20 "
                "--detector-pixel 1");
}

/* The range of integers takes a pass before the run, which the plan tells. */
static void plan_tells_the_range(void **state)
{
    static const char *const line[] = {
        "plan --geometry cone --algorithm fdk --columns 256 --slices 256 --angles 360 --json",
        "plan --geometry cone --algorithm fdk --columns 256 --slices 256 --angles 360 --json --output-type uint16"};
    double seconds[2];
    for (int i = 0; i < 2; i++) {
        CliRun run = {.directory = *state};
        cli_start(&run, "%s", line[i]);
        cli_wait(&run);
        assert_int_equal(run.exit_code, 0);
        seconds[i] = cli_number_after(run.out, "\"range_seconds\": ", NULL);
        cli_free(&run);
    }
    assert_true(seconds[0] == 0 && seconds[1] > 0);
}

int cli_cone_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(phantom_tells_its_lengths),   CLI_TEST(far_sources_see_parallel_beams),
        CLI_TEST(demo_of_a_cone_beam),         CLI_TEST(volumes_are_the_truth),
        CLI_TEST(noise_of_a_seed_is_the_same), CLI_TEST(sample_turns_the_other_way),
        CLI_TEST(info_describes_the_beam),     CLI_TEST(beams_are_refused),
        CLI_TEST(plan_tells_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
