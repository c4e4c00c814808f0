/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, stages of cone beams: stripes and zingers are taken out of whole sinograms, a detector that is turned
 * about the beam is turned back, and phases are retrieved, for FDK and iterative algorithms, whatever the memory. */
#include "cli.h"
#include "testing_hdf5.h"

#include <math.h>

enum {
    SIZE = 96,
    ROWS = 40,
    ANGLES = 120,
    PIXELS = ROWS * SIZE,
    VALUES = ANGLES * PIXELS,
    VOXELS = ROWS * SIZE * SIZE
};

#define CONE "recon scan.h5 --overwrite --geometry cone --rotation-axis 47.5 --pictures no --report none "

static double next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) / 16777216.0;
}

/* Sensitivities that differ by 3 %, and 0.1 % of values with 12000 counts more. */
static void damage(double *counts, int pixels, int64_t values)
{
    uint32_t seed = 3;
    static double gain[PIXELS];
    for (int i = 0; i < pixels; i++) {
        double normal = -6;
        for (int j = 0; j < 12; j++) normal += next_random(&seed);
        gain[i] = 1 + 0.03 * normal;
    }
    for (int64_t i = 0; i < values; i++)
        counts[i] = fmin(floor(counts[i] * gain[i % pixels] + (next_random(&seed) < 0.001 ? 12000 : 0)), 65535);
}

/* Projections as of a detector that is turned by this angle about its middle: bilinear, the edge continued. */
static void turn(double *counts, double degrees)
{
    static double upright[PIXELS];
    const double sine = sin(degrees * M_PI / 180), cosine = cos(degrees * M_PI / 180);
    for (double *image = counts; image < counts + VALUES; image += PIXELS) {
        memcpy(upright, image, sizeof upright);
        for (int i = 0; i < PIXELS; i++) {
            const double y = i / SIZE - (ROWS - 1) / 2.0, x = i % SIZE - (SIZE - 1) / 2.0;
            const double r = fmin(fmax(y * cosine + x * sine + (ROWS - 1) / 2.0, 0), ROWS - 1.001);
            const double c = fmin(fmax(x * cosine - y * sine + (SIZE - 1) / 2.0, 0), SIZE - 1.001);
            const double *at = upright + (int)r * SIZE + (int)c, v = r - floor(r), u = c - floor(c);
            image[i] = floor((1 - v) * ((1 - u) * at[0] + u * at[1]) + v * ((1 - u) * at[SIZE] + u * at[SIZE + 1]));
        }
    }
}

/* scan.h5 and its truth, with these damages, or turned; other sizes are not turned. */
static void make_scan_of(const char *directory, int size, int rows, int angles, bool damaged, double degrees)
{
    char path[TESTING_PATH];
    const int64_t values = (int64_t)angles * rows * size;
    double *counts = malloc((size_t)values * sizeof *counts);
    assert_non_null(counts);
    cli_works(directory,
              "phantom -o scan.h5 --truth truth.h5 --overwrite --geometry cone --size %d --angles %d --slices %d "
              "--noise 0.003",
              size, angles, rows);
    const hid_t file = H5Fopen(testing_path(path, directory, "scan.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t data = H5Dopen2(file, "/exchange/data", H5P_DEFAULT);
    assert_true(file >= 0 && data >= 0);
    assert_true(H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts) >= 0);
    if (damaged) damage(counts, rows * size, values);
    if (degrees != 0) turn(counts, degrees);
    assert_true(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts) >= 0);
    assert_true(H5Dclose(data) >= 0 && H5Fclose(file) >= 0);
    free(counts);
}

static void make_scan(const char *directory, bool damaged, double degrees)
{
    make_scan_of(directory, SIZE, ROWS, ANGLES, damaged, degrees);
}

/* ‖volume − truth‖/‖truth‖ of the slices that all angles see whole. */
static double error_of(const char *directory, const char *words)
{
    enum { FIRST = 12 };
    const int64_t pixels = (int64_t)SIZE * SIZE;
    cli_works(directory, CONE "-o volume.h5 %s", words);
    float *volume = cli_read_volume(directory, "volume.h5", ROWS, SIZE);
    float *truth = cli_read_volume(directory, "truth.h5", ROWS, SIZE);
    const double error = cli_difference((ROWS - 2 * FIRST) * pixels, volume + FIRST * pixels, truth + FIRST * pixels);
    free(volume);
    free(truth);
    return error;
}

#define KEPT "--zinger-removal-method none --remove-stripe-method none"

static void damages_are_mended(void **state)
{
    static const char *const algorithms[] = {"fdk", "cg --iterations 10"};
    char words[200];
    double clean[2];
    make_scan(*state, false, 0);
    for (int a = 0; a < 2; a++) {
        snprintf(words, sizeof words, "--algorithm %s", algorithms[a]);
        clean[a] = error_of(*state, words);
    }
    make_scan(*state, true, 0);
    for (int a = 0; a < 2; a++) {
        snprintf(words, sizeof words, "--algorithm %s " KEPT, algorithms[a]);
        const double kept = error_of(*state, words);
        snprintf(words, sizeof words, "--algorithm %s --zinger-removal-method standard --remove-stripe-method sorting",
                 algorithms[a]);
        const double mended = error_of(*state, words);
        print_message("%s: clean %.4f, mended %.4f, kept %.4f\n", algorithms[a], clean[a], mended, kept);
        assert_true(mended < clean[a] + 0.85 * (kept - clean[a]));
    }
}

/* Without options a scan gets the stages that a sample of it asks for, if one rank has the memory. */
static void stages_are_chosen(void **state)
{
    static const char line[] = "recon scan.h5 -o v.h5 --overwrite --geometry cone --rotation-axis 95.5 --pictures no "
                               "--report none --algorithm fdk";
    make_scan_of(*state, 192, 4, 300, false, 0);
    char *said = cli_output_of(*state, line);
    assert_null(strstr(said, "whole sinograms"));
    free(said);
    make_scan_of(*state, 192, 4, 300, true, 0);
    said = cli_output_of(*state, line);
    assert_non_null(strstr(said, "--zinger-removal-method none: keep them"));
    assert_non_null(strstr(said, "stripes are taken out by "));
    assert_non_null(strstr(said, "stages take whole sinograms"));
    free(said);
}

/* The same volume in one pass and, with as little memory as goes, in several. */
static void assert_same_in_slabs(const char *directory, const char *words)
{
    CliRun refused = {.directory = directory}, run = {.directory = directory};
    cli_works(directory, CONE "-o volume.h5 --algorithm fdk %s", words);
    cli_start(&refused, CONE "-o slabs.h5 --algorithm fdk --memory 1MiB %s", words);
    cli_wait(&refused);
    const double least = cli_number_after(refused.err, "allowed: --memory ", NULL);
    cli_start(&run, CONE "-o slabs.h5 --algorithm fdk --memory %gMiB %s", least + 0.5, words);
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("%s", run.err);
    assert_true(cli_number_after(run.err, "passes over the projections: ", NULL) > 1);
    cli_free(&refused);
    cli_free(&run);
    float *a = cli_read_volume(directory, "volume.h5", ROWS, SIZE);
    float *b = cli_read_volume(directory, "slabs.h5", ROWS, SIZE);
    if (cli_difference(VOXELS, a, b) > 1e-6) fail_msg("%s: %g", words, cli_difference(VOXELS, a, b));
    free(a);
    free(b);
}

static void turned_detectors_are_turned_back(void **state)
{
    make_scan(*state, false, 0);
    const double upright = error_of(*state, "--algorithm fdk");
    make_scan(*state, false, 2);
    const double turned = error_of(*state, "--algorithm fdk --detector-tilt 0");
    const double back = error_of(*state, "--algorithm fdk --detector-tilt 2");
    const double solved = error_of(*state, "--detector-tilt 2 --algorithm cg --iterations 8");
    print_message("upright %.4f, turned %.4f, turned back %.4f, by cg %.4f\n", upright, turned, back, solved);
    assert_true(turned > 1.5 * upright && back < 1.35 * upright && solved < 0.9 * turned);
}

/* Vectors of a cone beam of 64² pixels, whose detector is tilted by 2° about its middle, and whose source is level with
 * row 35.5. */
static void write_vectors(const char *directory)
{
    enum { PROJECTIONS = 90 };
    const double source = 34, beyond = 17, pixel = 0.2, c = cos(2 * M_PI / 180), s = sin(2 * M_PI / 180);
    char path[TESTING_PATH];
    FILE *file = fopen(testing_path(path, directory, "tilted.csv"), "w");
    assert_non_null(file);
    fputs("srcX,srcY,srcZ,dX,dY,dZ,uX,uY,uZ,vX,vY,vZ\n", file);
    for (int k = 0; k < PROJECTIONS; k++) {
        const double x = cos(2 * M_PI * k / PROJECTIONS), y = sin(2 * M_PI * k / PROJECTIONS);
        const double row[12] = {source * y,    -source * x,   0,         -beyond * y,    beyond * x,     -4 * pixel,
                                c * x * pixel, c * y * pixel, s * pixel, -s * x * pixel, -s * y * pixel, c * pixel};
        for (int i = 0; i < 12; i++) fprintf(file, i < 11 ? "%.9g," : "%.9g\n", row[i]);
    }
    assert_int_equal(fclose(file), 0);
}

/* Tilt and center row are told and taken, unless they are given; with the same numbers the volume is the same. */
static void detectors_are_found(void **state)
{
#define TILTED                                                                                                         \
    "tilted.h5 --geometry cone --source-object-distance 34 --source-detector-distance 51 --detector-pixel 0.2 "
#define QUIET "--pictures no --report none --algorithm fdk "
    static const char planes[] = "places of the source: ";
    char words[400];
    write_vectors(*state);
    cli_works(*state, "phantom -o tilted.h5 --vectors tilted.csv --size 64 --slices 64 --angles 90");
    char *said = cli_output_of(*state, "info " TILTED);
    const double tilt = cli_number_after(said, "tilted by ", NULL), row = cli_number_after(said, "center row ", NULL);
    free(said);
    print_message("tilt %g degrees, center row %g\n", tilt, row);
    assert_true(fabs(tilt - 2) < 0.3 && fabs(row - 35.5) < 0.7);
    said = cli_output_of(*state, "recon " TILTED QUIET "-o found.h5");
    assert_non_null(strstr(said, planes));
    free(said);
    snprintf(words, sizeof words, "recon " TILTED QUIET "-o given.h5 --detector-tilt %.3f --center-row %.2f", tilt,
             row);
    said = cli_output_of(*state, words);
    assert_null(strstr(said, planes));
    free(said);
    float *found = cli_read_volume(*state, "found.h5", 64, 64), *given = cli_read_volume(*state, "given.h5", 64, 64);
    assert_true(cli_difference(64 * 64 * 64, found, given) < 1e-5);
    free(found);
    free(given);
#undef TILTED
#undef QUIET
}

static void slabs_change_nothing(void **state)
{
    make_scan(*state, true, 0);
    assert_same_in_slabs(*state, "--detector-tilt 2 " KEPT);
    assert_same_in_slabs(*state, "--phase-method paganin --energy 30 --delta-beta 20 " KEPT);
    assert_same_in_slabs(*state, "--remove-stripe-method sorting --zinger-removal-method standard");
}

/* The filter's range follows from the lengths of the beam: a stronger filter blurs more. */
static void phases_are_retrieved(void **state)
{
    double blurred[2];
    make_scan(*state, false, 0);
    const double plain = error_of(*state, "--algorithm fdk");
    blurred[0] = error_of(*state, "--algorithm fdk --phase-method paganin --energy 30 --delta-beta 300");
    blurred[1] = error_of(*state, "--algorithm fdk --phase-method paganin --energy 30 --delta-beta 300000");
    print_message("plain %.4f, weak %.4f, strong %.4f\n", plain, blurred[0], blurred[1]);
    assert_true(fabs(blurred[0] - plain) < 0.05 * plain && blurred[1] > 1.2 * plain);
    cli_refuses(*state, "phase-method | paganin | --energy | --delta-beta | --material",
                CONE "-o v.h5 --algorithm fdk --phase-method paganin");
    cli_refuses(*state, "phase-method | paganin | 0.2 mm | 0.3 mm | as high as wide",
                CONE
                "-o v.h5 --algorithm fdk --phase-method paganin --energy 30 --delta-beta 300 --detector-pixel 0.2x0.3");
}

int cli_cone_stages_tests(void)
{
    const struct CMUnitTest tests[] = {CLI_ONE_CORE(damages_are_mended),
                                       CLI_ONE_CORE(stages_are_chosen),
                                       CLI_ONE_CORE(turned_detectors_are_turned_back),
                                       CLI_ONE_CORE(detectors_are_found),
                                       CLI_TEST(slabs_change_nothing),
                                       CLI_ONE_CORE(phases_are_retrieved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
