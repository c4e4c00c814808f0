/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, align: shifts of projections are found, applied and given back, of parallel beams and cones, and turns
 * of published ones; none are made up; refusals. */
#include "cli.h"

#include <math.h>

#include <zip.h>

enum { SIDE = 48, VIEWS = 60, NUMBERS = 12 };

/* Takes away what translations of the object make of values: a mean and, of columns, one wave a turn. */
static void take_translations(bool parallel, bool columns, double *value)
{
    double basis[3][VIEWS];
    for (int i = 0; i < (columns ? 3 : 1); i++) {
        double norm = 0, product = 0;
        for (int k = 0; k < VIEWS; k++) {
            const double angle = (parallel ? 1 : 2) * M_PI * k / VIEWS;
            basis[i][k] = i == 0 ? 1 : i == 1 ? cos(angle) : sin(angle);
        }
        for (int j = 0; j < i; j++) {
            double along = 0;
            for (int k = 0; k < VIEWS; k++) along += basis[i][k] * basis[j][k];
            for (int k = 0; k < VIEWS; k++) basis[i][k] -= along * basis[j][k];
        }
        for (int k = 0; k < VIEWS; k++) norm += basis[i][k] * basis[i][k];
        for (int k = 0; k < VIEWS; k++) basis[i][k] /= sqrt(norm);
        for (int k = 0; k < VIEWS; k++) product += basis[i][k] * value[k];
        for (int k = 0; k < VIEWS; k++) value[k] -= product * basis[i][k];
    }
}

/* About two pixels, in no order, and no translation. */
static void jitter(bool parallel, double *column, double *row)
{
    for (int k = 0; k < VIEWS; k++) {
        column[k] = 2.5 * sin(7.3 * k) + sin(2.9 * k);
        row[k] = 2.5 * cos(5.1 * k) + cos(11.7 * k);
    }
    take_translations(parallel, true, column);
    take_translations(parallel, false, row);
}

/* Of half a turn of parallel rays, or a turn of a cone, in pixels of 1 mm at the axis. */
static void write_vectors(const char *at, const char *name, bool parallel, double share)
{
    double vectors[VIEWS][NUMBERS] = {{0}}, columns[VIEWS], rows[VIEWS];
    jitter(parallel, columns, rows);
    for (int k = 0; k < VIEWS; k++) {
        const double angle = (parallel ? 1 : 2) * M_PI * k / VIEWS, c = cos(angle), s = sin(angle), d = 4 * SIDE;
        const double pixel = parallel ? 1 : 1.5, beyond = parallel ? 0 : d / 2;
        const double column = -share * columns[k] * pixel, row = -share * rows[k] * pixel;
        const double view[NUMBERS] = {parallel ? -s : d * s,
                                      parallel ? c : -d * c,
                                      0,
                                      column * c - beyond * s,
                                      column * s + beyond * c,
                                      row,
                                      pixel * c,
                                      pixel * s,
                                      0,
                                      0,
                                      0,
                                      pixel};
        memcpy(vectors[k], view, sizeof view);
    }
    cli_write_npy(at, name, "<f8", "(60, 12)", vectors, sizeof vectors);
}

static double root_mean_square(const double *value)
{
    double squares = 0;
    for (int k = 0; k < VIEWS; k++) squares += value[k] * value[k];
    return sqrt(squares / VIEWS);
}

static void shifts_are_those_of_the_phantom(const char *at, const char *name, bool parallel)
{
    static const int64_t size[2] = {VIEWS, 2};
    double column[VIEWS], row[VIEWS];
    double *shift = cli_read_doubles(at, name, "/process/shifts", 2, size);
    jitter(parallel, column, row);
    for (int k = 0; k < VIEWS; k++) {
        column[k] -= shift[2 * k];
        row[k] -= shift[2 * k + 1];
    }
    free(shift);
    take_translations(parallel, true, column);
    take_translations(parallel, false, row);
    const double columns = root_mean_square(column), rows = root_mean_square(row);
    print_message("%s: shifts are off by %.3f columns and %.3f rows\n", name, columns, rows);
    assert_true(columns < 0.1 && rows < 0.1);
}

#define PHANTOM "phantom --geometry vectors --size 48 --slices 48 --angles 60 "
#define QUIET   " --overwrite --pictures no --report none "

static void parallel_projections_are_aligned(void **state)
{
    const char *const at = *state;
    write_vectors(at, "still.npy", true, 0);
    write_vectors(at, "shifted.npy", true, 1);
    cli_works(at, PHANTOM "-o still.h5 --vectors parallel:still.npy");
    cli_works(at, PHANTOM "-o shifted.h5 --vectors parallel:shifted.npy");
#define FBP " --geometry parallel --theta 0:180:excluded --algorithm fbp --rotation-axis 23.5" QUIET
    cli_works(at, "recon still.h5 -o still_v.h5" FBP);
    cli_works(at, "recon shifted.h5 -o raw_v.h5" FBP);
    cli_works(at, "recon shifted.h5 -o v.h5 --align shifts" FBP);
    shifts_are_those_of_the_phantom(at, "v.h5", true);
    float *still = cli_read_volume(at, "still_v.h5", SIDE, SIDE), *raw = cli_read_volume(at, "raw_v.h5", SIDE, SIDE);
    float *aligned = cli_read_volume(at, "v.h5", SIDE, SIDE);
    const int64_t first = 16 * SIDE * SIDE, count = 16 * SIDE * SIDE;
    const double before = cli_difference(count, raw + first, still + first);
    const double after = cli_difference(count, aligned + first, still + first);
    print_message("the volume is off by %.3f, aligned by %.3f\n", before, after);
    assert_true(after < 0.35 && before > 2 * after);
    cli_works(at, "recon shifted.h5 -o again.h5 --align v.h5 --minibatch 5" FBP);
    float *again = cli_read_volume(at, "again.h5", SIDE, SIDE);
    assert_true(cli_difference((int64_t)SIDE * SIDE * SIDE, again, aligned) < 1e-5);
    free(still);
    free(raw);
    free(aligned);
    free(again);
}

static void cones_are_aligned(void **state)
{
    const char *const at = *state;
    write_vectors(at, "still.npy", false, 0);
    write_vectors(at, "shifted.npy", false, 1);
    cli_works(at, PHANTOM "-o shifted.h5 --vectors shifted.npy");
    cli_works(at, "recon shifted.h5 -o v.h5 --vectors still.npy --algorithm cg --iterations 2 --align shifts" QUIET);
    shifts_are_those_of_the_phantom(at, "v.h5", false);
    cli_works(at, "recon shifted.h5 -o fdk.h5 --geometry cone --theta 0:360:excluded --algorithm fdk --align shifts "
                  "--source-object-distance 192 --source-detector-distance 288 --detector-pixel 1.5" QUIET);
    shifts_are_those_of_the_phantom(at, "fdk.h5", false);
}

/* A slice of the published object, row after row from below. */
static void read_truth(const char *path, float *image)
{
    enum { COUNT = 128 * 128 };
    static float columns[COUNT];
    char header[10];
    int error;
    zip_t *zip = zip_open(path, ZIP_RDONLY, &error);
    assert_non_null(zip);
    zip_file_t *file = zip_fopen(zip, "volume.npy", 0);
    assert_non_null(file);
    assert_int_equal(zip_fread(file, header, sizeof header), sizeof header);
    for (int left = (unsigned char)header[8] + 256 * (unsigned char)header[9]; left > 0; left--)
        assert_int_equal(zip_fread(file, header, 1), 1);
    assert_int_equal(zip_fread(file, columns, sizeof columns), sizeof columns);
    for (int i = 0; i < COUNT; i++) image[i] = columns[i % 128 * 128 + 127 - i / 128];
    zip_fclose(file);
    zip_discard(zip);
}

/* The value of an image of 128 x 128 pixels between four of them. */
static double between(const float *image, double x, double y)
{
    const int i = (int)floor(x), j = (int)floor(y);
    const double a = x - i, b = y - j;
    if (i < 0 || j < 0 || i > 126 || j > 126) return 0;
    image += j * 128 + i;
    return (1 - b) * ((1 - a) * (double)image[0] + a * (double)image[1]) +
           b * ((1 - a) * (double)image[128] + a * (double)image[129]);
}

/* The relative error of the sum of slices, whose place the projections do not tell: the best of some. */
static double error_of_sum(const float *truth, const float *volume, int slices)
{
    double least = INFINITY;
    for (int place = 0; place < 81; place++) {
        double squares = 0, norm = 0;
        for (int i = 0; i < 128 * 128; i++) {
            const double value = between(truth, i % 128 + (place % 9 - 4) / 4.0, i / 128 + (place / 9 - 4) / 4.0);
            double sum = 0;
            for (int s = 0; s < slices; s++) sum += (double)volume[s * 128 * 128 + i];
            squares += pow(sum / 10 - value, 2); /* 1/cm, of voxels of 1 mm */
            norm += value * value;
        }
        least = fmin(least, sqrt(squares / norm));
    }
    return least;
}

/* A slice as thin as a voxel, turned by 0.6 degrees and shifted by 3 pixels, of tomojax (INDEX.md). */
static void published_poses_are_found(void **state)
{
    const char *const at = *state;
    static float truth[128 * 128];
    char path[TESTING_PATH];
    read_truth(testing_data(path, "alignment/align_small_v1.npz"), truth);
#define OF_SLICE                                                                                                       \
    "recon %s --dataset projections --data line-integrals --start-row 52 --end-row 76 "                                \
    "--volume 128x128x13 --algorithm cg --iterations 8" QUIET
    cli_works(at, OF_SLICE "-o v.h5 --vectors orbit:turns=0.5 --align pose --exclude 7", path);
    cli_works(at, OF_SLICE "-o again.h5 --vectors v.h5 --exclude 7", path);
    cli_refuses(at, "v.h5 | projection 7 | --exclude 7", OF_SLICE "-o again.h5 --vectors v.h5", path);
    float *volume = cli_read_volume(at, "v.h5", 13, 128), *again = cli_read_volume(at, "again.h5", 13, 128);
    const double error = error_of_sum(truth, volume, 13);
    print_message("the slice is off by %.3f\n", error);
    assert_true(error < 0.15);
    assert_true(cli_difference((int64_t)13 * 128 * 128, again, volume) < 1e-5);
    free(volume);
    free(again);
}

/* By how much a view is rolled: by a third of a pixel at the edge, in no order. */
static double roll_of(int k)
{
    return 0.02 * sin(7.3 * k);
}

/* What balls of 1/mm leave in pixels of 1 mm, by parallel rays of half a turn whose views are rolled. */
static void write_balls(const char *at, const char *name)
{
    static float rays[VIEWS][SIDE][SIDE];
    for (int k = 0; k < VIEWS; k++)
        for (int ball = 0; ball < 40; ball++) {
            const double angle = M_PI * k / VIEWS, roll = roll_of(k), radius = 1.5 + ball % 3;
            const double x = 15 * sin(3.1 * ball), y = 15 * sin(5.3 * ball), z = 18 * sin(7.7 * ball);
            const double across = x * cos(angle) + y * sin(angle);
            const double column = across * cos(roll) - z * sin(roll), row = z * cos(roll) + across * sin(roll);
            for (int r = 0; r < SIDE; r++)
                for (int c = 0; c < SIDE; c++) {
                    const double square = pow(c - 23.5 - column, 2) + pow(r - 23.5 - row, 2);
                    rays[k][r][c] += (float)(2 * sqrt(fmax(radius * radius - square, 0)));
                }
        }
    cli_write_npy(at, name, "<f4", "(60, 48, 48)", rays, sizeof rays);
}

/* The last rounds, which lower the residual by little, are not lost. */
static void small_turns_are_found(void **state)
{
    const char *const at = *state;
    static const int64_t size[2] = {VIEWS, NUMBERS};
    double error[VIEWS], roll[VIEWS];
    write_balls(at, "balls.npy");
    cli_works(at, "recon balls.npy -o v.h5 --data line-integrals --vectors orbit:turns=0.5 --align pose "
                  "--algorithm cg --iterations 1" QUIET);
    double *vectors = cli_read_doubles(at, "v.h5", "/process/parallel_vectors", 2, size);
    for (int k = 0; k < VIEWS; k++) {
        roll[k] = roll_of(k);
        error[k] = -vectors[k * NUMBERS + 8] - roll[k];
    }
    free(vectors);
    print_message("rolls of %.4f rad are off by %.4f\n", root_mean_square(roll), root_mean_square(error));
    assert_true(root_mean_square(error) < 0.2 * root_mean_square(roll));
}

/* A scan that needs no shifts gets none, and is told so. */
static void nothing_is_made_up(void **state)
{
    const char *const at = *state;
    CliRun run = {.directory = at};
    cli_works(at, "phantom -o scan.h5 --size 48 --slices 16 --angles 60");
    cli_works(at, "recon scan.h5 -o plain.h5 --algorithm fbp --rotation-axis 23.5" QUIET);
    cli_start(&run, "recon scan.h5 -o v.h5 --algorithm fbp --rotation-axis 23.5 --align shifts" QUIET);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    if (!strstr(run.err, "warning: --align shifts found none")) fail_msg("%s", run.err);
    cli_free(&run);
    float *plain = cli_read_volume(at, "plain.h5", 16, SIDE), *aligned = cli_read_volume(at, "v.h5", 16, SIDE);
    assert_true(testing_same_bytes(plain, aligned, (size_t)(16 * SIDE * SIDE) * sizeof *plain));
    free(plain);
    free(aligned);
}

static void what_cannot_be_aligned_is_refused(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o scan.h5 --size 48 --slices 4 --angles 60");
    cli_write_text(at, "short.csv", "columns,rows\n1,2\n");
    cli_refuses(at, "short.csv | shifts of 1 projections | 60", "recon scan.h5 -o v.h5 --align short.csv");
    cli_refuses(at, "scan.h5 | /process/shifts", "recon scan.h5 -o v.h5 --align scan.h5");
    cli_refuses(at, "nothing.csv", "recon scan.h5 -o v.h5 --align nothing.csv");
    cli_refuses(at, "--align | shifts | --resume | a new run", "recon scan.h5 -o v.h5 --align shifts --resume");
    cli_refuses(at, "--align | shifts | --reconstruction-type | full",
                "recon scan.h5 -o v --align shifts --reconstruction-type try");
    cli_refuses(at, "--align pose | --geometry parallel | --vectors", "recon scan.h5 -o v.h5 --align pose");
    cli_refuses(at, "scan.h5 | /process/vectors | which found shifts or turns",
                "recon scan.h5 -o v.h5 --vectors scan.h5 --algorithm cg");
    cli_refuses(at, "--align | 4 rows | 8 x 8", "recon scan.h5 -o v.h5 --align shifts");
}

int cli_align_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(parallel_projections_are_aligned),
        CLI_TEST(cones_are_aligned),
        CLI_TEST(published_poses_are_found),
        CLI_TEST(small_turns_are_found),
        CLI_TEST(nothing_is_made_up),
        CLI_TEST(what_cannot_be_aligned_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
