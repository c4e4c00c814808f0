/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, pinhole SPECT: counts of a mouse phantom, simulated with GATE, give the image that STIR finds (recon_
 * test_pack/SPECT/PinholeSPECTUB of https://github.com/UCL/STIR), by a matrix that is made from the description of the
 * camera alone. */
#include "cli.h"
#include "pinhole.h"

#include <math.h>

#define DATA "pet/stir-pinhole-spect/"

enum {
    SIDE = 46, /* voxels of 1 mm, of which each is 2 × 2 × 2 of STIR's image */
    SLICES = 60,
    VOXELS = SLICES * SIDE * SIDE,
    VIEWS = 91,
    BINS = 104,
    ROWS = VIEWS * BINS * BINS
};

/* A map of more than the 4 MiB of which a checksum of parts has all bytes. */
enum { MAP_SIDE = 128, MAP_SLICES = 66, MAP_VOXELS = MAP_SLICES * MAP_SIDE * MAP_SIDE };

/* input.hs: views of 104 × 104 bins of 1 mm, 91 in steps of 3° from 180°, the detector 54.8 mm from the axis.
 * detector.txt: a crystal of 3 mm, in whose middle photons are detected, with a resolution of σ = 0.361 mm.
 * collimator.txt: a round hole of 1 mm at 28.05 mm from the axis, which lets photons through up to 45°.
 * OSEM.par: deviates up to 2 σ, attenuation, voxels up to 15 mm from the axis; STIR's weights are shares of that of a
 * voxel there. README.txt: a body of acrylic, 25.4 mm × 60 mm, whose μ for 140 keV is 0.0164/mm (NIST's tables). */
static const PinholeCamera camera = {.view_count = VIEWS,
                                     .slice_count = BINS,
                                     .bin_count = BINS,
                                     .first_angle_rad = M_PI,
                                     .angle_step_rad = 3 * M_PI / 180,
                                     .bin_mm = 1,
                                     .hole_mm = 28.05,
                                     .hole_diameter_mm = 1,
                                     .detector_mm = 54.8 + 3.0 / 2,
                                     .acceptance_rad = M_PI / 4,
                                     .blur_mm = 0.361,
                                     .blur_limit = 2,
                                     .reference_mm = 28.05 - 15,
                                     .body_radius_mm = 25.4 / 2,
                                     .body_length_mm = 60,
                                     .attenuation = 0.0164,
                                     .object_radius_mm = 15,
                                     .grid = {SIDE, SIDE, SLICES, {0.5 * 92 / SIDE, 0.5 * 92 / SIDE, 60.0 / SLICES}}};

/* Raw float32 values of the data; caller frees. */
static float *read_values(const char *name, int64_t count)
{
    char path[TESTING_PATH];
    float *values = calloc((size_t)count, sizeof *values);
    FILE *file = fopen(testing_data(path, name), "rb");
    assert_true(values && file);
    assert_int_equal(fread(values, sizeof *values, (size_t)count, file), count);
    assert_int_equal(fclose(file), 0);
    return values;
}

/* STIR's image, in voxels of 1 mm; caller frees. */
static double *read_image_of_stir(void)
{
    float *fine = read_values(DATA "OSEM_7.v", 8 * VOXELS);
    double *image = calloc(VOXELS, sizeof *image);
    assert_non_null(image);
    for (int64_t i = 0; i < 8 * VOXELS; i++) {
        const int64_t x = i % (2 * SIDE) / 2, y = i / (2 * SIDE) % (2 * SIDE) / 2, z = i / (4 * SIDE * SIDE) / 2;
        image[(z * SIDE + y) * SIDE + x] += (double)fine[i];
    }
    free(fine);
    return image;
}

static double sum_of(const double *values)
{
    double sum = 0;
    for (int64_t i = 0; i < VOXELS; i++) sum += values[i];
    return sum;
}

static double correlation(const double *a, const double *b)
{
    const double mean_a = sum_of(a) / VOXELS, mean_b = sum_of(b) / VOXELS;
    double products = 0, squares_a = 0, squares_b = 0;
    for (int64_t i = 0; i < VOXELS; i++) {
        products += (a[i] - mean_a) * (b[i] - mean_b);
        squares_a += (a[i] - mean_a) * (a[i] - mean_a);
        squares_b += (b[i] - mean_b) * (b[i] - mean_b);
    }
    return products / sqrt(squares_a * squares_b);
}

/* Σ s·f over Σ g of the rows that the matrix explains. */
static double kept_share(const PinholeMatrix *matrix, const double *image)
{
    double kept = 0, counted = 0;
    float *counts = read_values(DATA "input.s", ROWS);
    for (int64_t row = 0; row < ROWS; row++)
        if (matrix->start[row + 1] > matrix->start[row]) counted += (double)counts[row];
    for (int64_t voxel = 0; voxel < VOXELS; voxel++) kept += matrix->sensitivity[voxel] * image[voxel];
    free(counts);
    return kept / counted;
}

static double *reconstruct(const char *directory, const char *words)
{
    static const int64_t size[] = {SLICES, SIDE, SIDE};
    char counts[TESTING_PATH];
    cli_works(directory, "recon %s --system-matrix camera.h5 --volume %dx%dx%d -o image.h5 --overwrite %s",
              testing_data(counts, DATA "input.hs"), SIDE, SIDE, SLICES, words);
    return cli_read_doubles(directory, "image.h5", "/exchange/data", 3, size);
}

/* An image of the same scale, as correlated as two models of the camera allow. STIR updated it by seven subsets once.
 */
static void compare_with_stir(const double *image, const char *words)
{
    double *expected = read_image_of_stir();
    const double same = correlation(image, expected), scale = sum_of(image) / sum_of(expected);
    if (same < 0.96) fail_msg("%s: the correlation with STIR's image is %g", words, same);
    if (fabs(scale - 1) > 0.04) fail_msg("%s: the sum is %g times that of STIR's image", words, scale);
    free(expected);
}

static void image_of_stir_is_found(void **state)
{
    char path[TESTING_PATH];
    testing_data(path, DATA "input.s");
    PinholeMatrix matrix = pinhole_write(&camera, testing_path(path, *state, "camera.h5"));
    double *image = reconstruct(*state, "--algorithm osem --subsets 7 --iterations 1");
    compare_with_stir(image, "osem");
    assert_true(fabs(kept_share(&matrix, image) - 1) < 0.01);
    free(image);
    image = reconstruct(*state, "--algorithm mlem --iterations 6");
    compare_with_stir(image, "mlem");
    const double kept = kept_share(&matrix, image);
    if (fabs(kept - 1) > 1e-6) fail_msg("mlem keeps %.9g of the counts", kept);
    free(image);
    pinhole_free(&matrix);
}

/* The photons of one voxel that arrive in a view: how many, and the middle of where, in bins from the corner. */
static void gather_photons(const char *directory, const PinholeMatrix *matrix, int64_t view_rows, int64_t bins,
                           int64_t voxel, double found[][3])
{
    const int64_t count[] = {matrix->start[matrix->row_count]};
    double *column = cli_read_doubles(directory, "camera.h5", "/matrix/indices", 1, count);
    double *value = cli_read_doubles(directory, "camera.h5", "/matrix/data", 1, count);
    for (int64_t row = 0; row < matrix->row_count; row++) {
        double *sums = found[row / view_rows];
        for (int64_t i = matrix->start[row]; i < matrix->start[row + 1]; i++) {
            if ((int64_t)column[i] != voxel) continue;
            sums[0] += value[i];
            sums[1] += value[i] * ((double)(row % bins) + 0.5);
            sums[2] += value[i] * ((double)(row % view_rows / bins) + 0.5);
        }
    }
    free(column);
    free(value);
}

/* A voxel at (8, 5, 3) mm, seen from four sides: where its photons arrive through the hole, and how many. */
static void photons_go_through_the_hole(void **state)
{
    enum { BINS_ACROSS = 64, SEEN = 4 };
    static const double turned[SEEN][2] = {{-8, -5}, {-5, 8}, {8, 5}, {5, -8}}; /* at 180°, 270°, 0° and 90° */
    char path[TESTING_PATH];
    PinholeCamera small = camera;
    double found[SEEN][3] = {{0}};
    small.view_count = SEEN;
    small.slice_count = small.bin_count = BINS_ACROSS;
    small.angle_step_rad = M_PI / 2;
    small.body_radius_mm = small.body_length_mm = 100;
    small.grid = (SinoVoxelGrid){17, 11, 7, {1, 1, 1}};
    PinholeMatrix matrix = pinhole_write(&small, testing_path(path, *state, "camera.h5"));
    gather_photons(*state, &matrix, BINS_ACROSS * BINS_ACROSS, BINS_ACROSS, 17 * 11 * 7 - 1, found);
    for (int k = 0; k < SEEN; k++) {
        const double depth = 28.05 - turned[k][1], grows = (56.3 - 28.05) / depth;
        const double way = sqrt(turned[k][0] * turned[k][0] + depth * depth + 9);
        const double share = 13.05 * 13.05 / (way * way) * depth / way * exp(-0.0164 * way);
        const double x = BINS_ACROSS / 2 - turned[k][0] * grows, z = BINS_ACROSS / 2 - 3 * grows;
        if (fabs(found[k][0] / share - 1) > 0.01 || fabs(found[k][1] / found[k][0] - x) > 0.1 ||
            fabs(found[k][2] / found[k][0] - z) > 0.1)
            fail_msg("view %d has %g at %g, %g; expected %g at %g, %g", k, found[k][0], found[k][1] / found[k][0],
                     found[k][2] / found[k][0], share, x, z);
    }
    pinhole_free(&matrix);
}

/* The image of a camera of one view by a kept matrix, as another map of attenuation may have kept it. */
static double seen_through(const char *directory, const char *map)
{
    static const int64_t size[] = {MAP_SLICES, MAP_SIDE, MAP_SIDE};
    cli_works(directory,
              "recon view.hs --system-matrix view.hs --volume %dx%dx%d --voxel-size 64 --attenuation-map %s "
              "--iterations 1 --operator-cache cache --pictures no --report none -o image.h5 --overwrite",
              MAP_SIDE, MAP_SIDE, MAP_SLICES, map);
    double *image = cli_read_doubles(directory, "image.h5", "/exchange/data", 3, size), sum = 0;
    for (int64_t i = 0; i < MAP_VOXELS; i++) sum += image[i];
    free(image);
    return sum;
}

static void write_map(const char *directory, const char *name, float between)
{
    float *map = calloc(MAP_VOXELS, sizeof *map);
    assert_non_null(map);
    for (int64_t i = 0; i < MAP_VOXELS; i++) map[i] = i % 16904 < 16384 ? 0.0F : between;
    cli_write_bytes(directory, name, map, MAP_VOXELS * sizeof *map);
    free(map);
}

/* Two files that differ only between the 64 parts of a checksum of parts; one file, read as two types. */
static void kept_matrices_have_a_map(void **state)
{
    const float counts[] = {5, 6, 7, 8};
    cli_write_bytes(*state, "view.s", counts, sizeof counts);
    cli_write_text(*state, "view.hs",
                   "INTERFILE :=\nname of data file := view.s\nimagedata byte order := LITTLEENDIAN\n"
                   "number format := float\nnumber of bytes per pixel := 4\nmatrix size [1] := 4\n"
                   "matrix size [2] := 1\nscaling factor (mm/pixel) [1] := 4\nscaling factor (mm/pixel) [2] := 4\n"
                   "number of projections := 1\nextent of rotation := 360\nstart angle := 180\nradius := 9000\n");
    write_map(*state, "clear.raw", 0);
    write_map(*state, "dense.raw", 0.1F);
    const double clear = seen_through(*state, "clear.raw:float32");
    const double dense = seen_through(*state, "dense.raw:float32");
    if (!(dense > 1.5 * clear)) fail_msg("the sum is %g, and %g through what attenuates", clear, dense);
    write_map(*state, "dense.raw", 1.4e-45F); /* 1 as an integer */
    assert_true(fabs(seen_through(*state, "dense.raw:float32") - clear) < 1e-6 * clear);
    assert_true(seen_through(*state, "dense.raw:int32") > 1.5 * clear);
}

int cli_spect_tests(void)
{
    const struct CMUnitTest tests[] = {CLI_ONE_CORE(photons_go_through_the_hole), CLI_ONE_CORE(image_of_stir_is_found),
                                       CLI_ONE_CORE(kept_matrices_have_a_map)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
