/* SPDX-License-Identifier: BSD-3-Clause */
/* Center: Vo's metric and phase correlation find the centers of phantoms and of measured scans. */
#include "center.h"
#include "correct.h"
#include "memory.h"
#include "phantom.h"
#include "testing.h"

#include <hdf5.h>
#include <math.h>

/* Line integrals of the phantom of N voxels at K angles over 180°, with photon noise unless `photons` is 0. */
static float *make_sinogram(int64_t size, int64_t angles, int64_t columns, double center, double photons)
{
    const SinoPhantom phantom = {.size = size, .height = 1};
    double *angle_rad = NULL, *exact = NULL;
    float *sinogram = NULL;
    assert_success(sino_allocate(angles, sizeof *angle_rad, "test", &angle_rad));
    assert_success(sino_allocate(angles * columns, sizeof *exact, "test", &exact));
    assert_success(sino_allocate(angles * columns, sizeof *sinogram, "test", &sinogram));
    for (int64_t k = 0; k < angles; k++) angle_rad[k] = M_PI * (double)k / (double)angles;
    const SinoGeometry geometry = {angles, columns, size, angle_rad, center, 0};
    sino_phantom_sinogram(&phantom, 0, &geometry, exact);
    for (int64_t i = 0; i < angles * columns; i++) {
        const double count = photons > 0 ? sino_phantom_poisson(photons * exp(-exact[i]), 1, (uint64_t)i) : 0;
        sinogram[i] = (float)(photons > 0 ? -log(fmax(count, 1) / photons) : exact[i]);
    }
    free(angle_rad);
    free(exact);
    return sinogram;
}

/* The best of `count` candidates from `first` by `step`. */
static double best_candidate(const SinoCenterVo *vo, int64_t count, double first, double step, double *least)
{
    double *candidate = NULL, *metric = NULL;
    int64_t best = 0;
    assert_success(sino_allocate(count, sizeof *candidate, "test", &candidate));
    assert_success(sino_allocate(count, sizeof *metric, "test", &metric));
    for (int64_t i = 0; i < count; i++) candidate[i] = first + step * (double)i;
    assert_success(sino_center_vo_metric(vo, count, candidate, metric));
    for (int64_t i = 0; i < count; i++) best = metric[i] < metric[best] ? i : best;
    const double found = candidate[best];
    *least = metric[best];
    free(candidate);
    free(metric);
    return found;
}

/* Over all columns, then by tenths. */
static double find_center(int64_t angles, int64_t columns, const float *sinogram)
{
    SinoCenterVo *vo = NULL;
    double coarse_metric, fine_metric;
    assert_success(sino_center_vo_new(angles, columns, sinogram, 0.5, 20, &vo));
    const double coarse = best_candidate(vo, columns, 0, 1, &coarse_metric);
    const double fine = best_candidate(vo, 41, coarse - 2, 0.1, &fine_metric);
    print_message("columns %d: coarse %g (%.3f), fine %g (%.3f)\n", (int)columns, coarse, coarse_metric, fine,
                  fine_metric);
    sino_center_vo_free(vo);
    return fine;
}

static void vo_finds_centers_of_phantoms(void **state)
{
    (void)state;
    const struct {
        int64_t size, angles, columns;
        double center, photons, tolerance;
    } scan[] = {
        {220, 180, 256, 117.3, 0, 0.11}, {220, 180, 256, 127.5, 0, 0.11},   {200, 180, 256, 60.4, 0, 0.25},
        {500, 360, 256, 117.3, 0, 0.11}, {220, 45, 256, 117.3, 0, 0.11},    {220, 179, 256, 117.3, 0, 0.11},
        {150, 121, 255, 170.2, 0, 0.11}, {220, 180, 256, 117.3, 1e4, 0.25}, {220, 180, 256, 124.6, 400, 0.4},
    };
    for (size_t i = 0; i < sizeof scan / sizeof scan[0]; i++) {
        float *sinogram = make_sinogram(scan[i].size, scan[i].angles, scan[i].columns, scan[i].center, scan[i].photons);
        const double found = find_center(scan[i].angles, scan[i].columns, sinogram);
        if (fabs(found - scan[i].center) > scan[i].tolerance) fail_msg("%g is not %g", found, scan[i].center);
        free(sinogram);
    }
}

/* A shift by a fraction of a column must not by itself change the metric. */
static void vo_treats_fractions_alike(void **state)
{
    (void)state;
    float *sinogram = make_sinogram(220, 180, 256, 117.3, 1e3);
    SinoCenterVo *vo = NULL;
    double candidate[41], metric[41];
    assert_success(sino_center_vo_new(180, 256, sinogram, 0.5, 20, &vo));
    for (int i = 0; i < 41; i++) candidate[i] = 130 + 0.05 * i;
    assert_success(sino_center_vo_metric(vo, 41, candidate, metric));
    for (int i = 5; i < 36; i++) assert_true(fabs(metric[i] - (metric[i - 5] + metric[i + 5]) / 2) < 0.02);
    sino_center_vo_free(vo);
    free(sinogram);
}

static void vo_of_nothing_is_one(void **state)
{
    (void)state;
    const float sinogram[9 * 8] = {0};
    const double candidate[] = {0, 3.5, 7};
    double metric[3];
    SinoCenterVo *vo = NULL;
    assert_success(sino_center_vo_new(9, 8, sinogram, 0.5, 20, &vo));
    assert_success(sino_center_vo_metric(vo, 3, candidate, metric));
    for (int i = 0; i < 3; i++) assert_true(metric[i] == 1);
    const double outside[] = {0, 7.5};
    assert_error(sino_center_vo_metric(vo, 2, outside, metric), SINO_BAD_INPUT,
                 "candidate 7.5 of the center's search; allowed: 0 to 7");
    sino_center_vo_free(vo);
    assert_error(sino_center_vo_new(7, 8, sinogram, 0.5, 20, &vo), SINO_BAD_INPUT, "7 angles by 8 columns");
    assert_error(sino_center_vo_new(9, 8, sinogram, 0, 20, &vo), SINO_BAD_INPUT, "radius ratio 0");
    assert_error(sino_center_vo_new(9, 8, sinogram, 0.5, -1, &vo), SINO_BAD_INPUT, "-1 rows");
    sino_center_vo_free(NULL);
}

static void correlation_finds_centers_of_phantoms(void **state)
{
    (void)state;
    enum { ROWS = 5, COLUMNS = 256 };
    const SinoPhantom phantom = {.size = 200, .height = ROWS};
    const double both_rad[] = {0, M_PI}, centers[] = {117.3, 127.5, 140.1, 128.75};
    for (size_t i = 0; i < sizeof centers / sizeof centers[0]; i++) {
        const SinoGeometry geometry = {2, COLUMNS, 200, both_rad, centers[i], 0};
        double exact[2 * COLUMNS], found;
        float image0[ROWS * COLUMNS], image180[ROWS * COLUMNS];
        for (int z = 0; z < ROWS; z++) {
            sino_phantom_sinogram(&phantom, z, &geometry, exact);
            for (int c = 0; c < COLUMNS; c++) {
                image0[z * COLUMNS + c] = (float)exact[c];
                image180[z * COLUMNS + c] = (float)exact[COLUMNS + c];
            }
        }
        assert_success(sino_center_phase_correlation(ROWS, COLUMNS, image0, image180, &found));
        print_message("phase correlation: %g, %.3f\n", centers[i], found);
        assert_true(fabs(found - centers[i]) < 0.1);
    }
}

/* Wherever the axis is, also where few columns see a ray from both sides. */
static void pairs_find_any_center(void **state)
{
    (void)state;
    enum { PAIRS = 12, COLUMNS = 256 };
    const SinoPhantom phantom = {.size = 300, .height = 1};
    const double centers[] = {20.3, 60, 117.3, 127.5, 190.75, 236.1};
    double angle_rad[2 * PAIRS], found[3], likeness;
    static double exact[2 * PAIRS * COLUMNS];
    static float first[PAIRS * COLUMNS], second[PAIRS * COLUMNS];
    for (int k = 0; k < 2 * PAIRS; k++) angle_rad[k] = M_PI * k / PAIRS;
    for (size_t i = 0; i < sizeof centers / sizeof *centers; i++) {
        const SinoGeometry geometry = {2 * PAIRS, COLUMNS, 300, angle_rad, centers[i], 0};
        sino_phantom_sinogram(&phantom, 0, &geometry, exact);
        for (int j = 0; j < PAIRS * COLUMNS; j++) {
            first[j] = (float)exact[j];
            second[j] = (float)exact[PAIRS * COLUMNS + j];
        }
        assert_success(sino_center_pairs(PAIRS, COLUMNS, first, second, found, &likeness));
        for (int of = 0; of < 3; of++) /* all pairs, and half of them each */
            if (!(fabs(found[of] - centers[i]) < 0.1 && likeness > 0.99))
                fail_msg("%g is not %g (correlation %g)", found[of], centers[i], likeness);
    }
    for (int j = 0; j < PAIRS * COLUMNS; j++) first[j] = second[j] = 1; /* nothing to compare */
    assert_success(sino_center_pairs(PAIRS, COLUMNS, first, second, found, &likeness));
    assert_true(likeness == 0 && found[0] >= 0 && found[0] <= COLUMNS - 1);
    assert_success(sino_center_pairs(1, 1, first, second, found, &likeness));
    assert_true(found[0] == 0);
}

/* From few angles and many, little noise and much, a center far from the middle, and a first guess columns away; the
 * uncertainty tells of noise; samples of a phantom's edges add to it. Of an object beyond the window nothing is told.
 */
static void moments_find_centers_of_few_angles(void **state)
{
    (void)state;
    static const struct {
        int64_t size, angles;
        double center, photons, most;
    } scan[] = {{200, 20, 124.3, 1e5, 0.06}, {200, 20, 133.1, 1e3, 0.6}, {200, 8, 127.5, 1e5, 0.12},
                {200, 90, 119.8, 1e5, 0.04}, {90, 45, 81.6, 1e4, 0.2},   {200, 360, 127.7, 1e3, 0.2}};
    const double sampling = 0.05;
    for (size_t i = 0; i < sizeof scan / sizeof *scan; i++) {
        const int64_t angles = scan[i].angles;
        float *sinogram = make_sinogram(scan[i].size, angles, 256, scan[i].center, scan[i].photons);
        double angle_rad[360], center, uncertainty;
        for (int64_t k = 0; k < angles; k++) angle_rad[k] = M_PI * (double)k / (double)angles;
        assert_success(
            sino_center_moments(angles, angle_rad, 256, sinogram, scan[i].center + 4, &center, &uncertainty));
        print_message("moments: %g, %.3f +- %.3f\n", scan[i].center, center, uncertainty);
        if (!(fabs(center - scan[i].center) <= uncertainty + sampling && uncertainty < scan[i].most))
            fail_msg("%g is not %g +- %g", center, scan[i].center, uncertainty);
        assert_success(
            sino_center_moments_of_some(angles, angle_rad, 256, sinogram, scan[i].center + 4, &center, &uncertainty));
        assert_true(fabs(center - scan[i].center) <= uncertainty + sampling && uncertainty < 2 * scan[i].most);
        free(sinogram);
    }
    double third[3] = {0, 1, 2}, center, uncertainty;
    float *beyond = make_sinogram(400, 3, 256, 127.5, 0);
    assert_success(sino_center_moments(3, third, 256, beyond, 120, &center, &uncertainty));
    assert_true(isinf(uncertainty));
    assert_success(sino_center_moments(2, third, 256, beyond, 120, &center, &uncertainty));
    assert_true(isinf(uncertainty) && center == 120);
    free(beyond);
}

/* The candidate of least entropy among whole columns. */
static double least_entropy(const SinoCenterEntropy *search, double first, int64_t count)
{
    double *candidate = NULL, *metric = NULL;
    int64_t best = 0;
    assert_success(sino_allocate(count, sizeof *candidate, "test", &candidate));
    assert_success(sino_allocate(count, sizeof *metric, "test", &metric));
    for (int64_t i = 0; i < count; i++) candidate[i] = first + (double)i;
    assert_success(sino_center_entropy_metric(search, count, candidate, metric));
    for (int64_t i = 1; i < count; i++) best = metric[i] < metric[best] ? i : best;
    const double found = candidate[best];
    free(candidate);
    free(metric);
    return found;
}

/* Also of few angles, of noise, and of an object that is larger than the detector. */
static void entropy_finds_centers_of_phantoms(void **state)
{
    (void)state;
    const struct {
        int64_t size, angles, columns;
        double center, photons, tolerance;
    } scan[] = {{220, 180, 256, 117.3, 0, 1},
                {220, 60, 256, 127.5, 0, 1},
                {400, 360, 256, 120.2, 0, 2},
                {220, 180, 256, 117.3, 400, 1},
                {150, 121, 255, 150.2, 0, 1}};
    for (size_t i = 0; i < sizeof scan / sizeof *scan; i++) {
        const int64_t all = scan[i].angles;
        float *sinogram = make_sinogram(scan[i].size, all, scan[i].columns, scan[i].center, scan[i].photons);
        double angle_rad[360];
        for (int64_t k = 0; k < all; k++) angle_rad[k] = M_PI * (double)k / (double)all;
        const SinoGeometry geometry = {all, scan[i].columns, 1, angle_rad, -1, 0};
        SinoCenterEntropy *search = NULL;
        assert_success(sino_center_entropy_new(&geometry, sinogram, &search));
        const double found = least_entropy(search, 80, 97);
        print_message("entropy: %g, %g\n", scan[i].center, found);
        if (!(fabs(found - scan[i].center) <= scan[i].tolerance)) fail_msg("%g is not %g", found, scan[i].center);
        sino_center_entropy_free(search);
        free(sinogram);
    }
    sino_center_entropy_free(NULL);
}

static void correlation_of_constants_is_refused(void **state)
{
    (void)state;
    const float ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    double center = -1;
    assert_error(sino_center_phase_correlation(2, 4, ones, ones, &center), SINO_BAD_INPUT, "do not correlate");
    assert_true(center == -1);
}

enum { TOOTH_ANGLES = 181, TOOTH_ROWS = 2, TOOTH_COLUMNS = 640, TOOTH_FIELDS = 10, TOOTH_PIXELS = 1280 };

static void read_dataset(const char *path, const char *name, float *values)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(H5Dread(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    assert_true(H5Dclose(dataset) >= 0 && H5Fclose(file) >= 0);
}

/* Line integrals [angle][column][row] of the tooth. */
static float *read_tooth(void)
{
    char path[TESTING_PATH];
    testing_data(path, "tooth/tooth.h5");
    float *counts = NULL, *sinogram = NULL, fields[TOOTH_FIELDS * TOOTH_PIXELS];
    float flat[TOOTH_PIXELS], dark[TOOTH_PIXELS];
    assert_success(sino_allocate(TOOTH_ANGLES * TOOTH_PIXELS, sizeof *counts, "test", &counts));
    assert_success(sino_allocate(TOOTH_ANGLES * TOOTH_PIXELS, sizeof *sinogram, "test", &sinogram));
    read_dataset(path, "/exchange/data", counts);
    read_dataset(path, "/exchange/data_white", fields);
    sino_fields_mean(TOOTH_FIELDS, TOOTH_PIXELS, fields, flat);
    read_dataset(path, "/exchange/data_dark", fields);
    assert_success(sino_fields_median(TOOTH_FIELDS, TOOTH_PIXELS, fields, dark));
    const SinoCorrection correction = {.input = SINO_CORRECT_FLOAT32,
                                       .slices = {SINO_SINGLE, TOOTH_ROWS, TOOTH_ROWS},
                                       .angle_count = TOOTH_ANGLES,
                                       .column_count = TOOTH_COLUMNS,
                                       .row_count = TOOTH_ROWS,
                                       .binning = 1,
                                       .flat_field = true,
                                       .minus_log = true};
    int64_t repaired[TOOTH_ROWS], *tally = NULL;
    assert_success(sino_allocate(correction.angle_count + correction.column_count, sizeof *tally, "test", &tally));
    assert_success(sino_correct(&correction, counts, flat, dark, sinogram, repaired, tally));
    free(tally);
    assert_true(repaired[0] == 0 && repaired[1] == 0);
    free(counts);
    return sinogram;
}

static void vo_finds_center_of_tooth(void **state)
{
    (void)state;
    float *both = read_tooth(), *row = NULL;
    double mean = 0;
    assert_success(sino_allocate(TOOTH_ANGLES * TOOTH_COLUMNS, sizeof *row, "test", &row));
    for (int r = 0; r < TOOTH_ROWS; r++) {
        for (int i = 0; i < TOOTH_ANGLES * TOOTH_COLUMNS; i++) row[i] = both[i * TOOTH_ROWS + r];
        for (int i = 0; i < TOOTH_ANGLES * TOOTH_COLUMNS; i++) mean += (double)row[i] / (TOOTH_ANGLES * TOOTH_PIXELS);
        assert_true(fabs(find_center(TOOTH_ANGLES, TOOTH_COLUMNS, row) - 296) <= 0.5);
    }
    assert_true(fabs(mean - 0.45168) < 1e-3); /* as TomoPy's own correction has it */
    free(both);
    free(row);
}

static void correlation_finds_center_of_tooth(void **state)
{
    (void)state;
    float *both = read_tooth();
    float first[TOOTH_PIXELS], last[TOOTH_PIXELS];
    for (int i = 0; i < TOOTH_PIXELS; i++) {
        const int row = i / TOOTH_COLUMNS, column = i % TOOTH_COLUMNS;
        first[i] = both[column * TOOTH_ROWS + row];
        last[i] = both[((TOOTH_ANGLES - 1) * TOOTH_COLUMNS + column) * TOOTH_ROWS + row];
    }
    double center;
    assert_success(sino_center_phase_correlation(TOOTH_ROWS, TOOTH_COLUMNS, first, last, &center));
    print_message("phase correlation of the tooth: %.3f\n", center);
    assert_true(fabs(center - 296) <= 1); /* the last angle is 1° short of 180° */
    free(both);
}

/* Pairs that are mirror images about column 14 are alike there, and nowhere else; too few columns in common tell
 * nothing. */
static void likeness_about_a_center(void **state)
{
    (void)state;
    enum { WIDTH = 64, COUNT = 3, TWICE = 28 };
    float first[COUNT * WIDTH], second[COUNT * WIDTH];
    double at[3];
    for (int p = 0; p < COUNT; p++)
        for (int c = 0; c < WIDTH; c++) {
            first[p * WIDTH + c] = (float)sin(0.9 * c + p);
            second[p * WIDTH + c] = (float)sin(0.9 * (TWICE - c) + p);
        }
    static const double centers[] = {14, 15.5, 1};
    for (int i = 0; i < 3; i++)
        assert_success(sino_center_pairs_likeness(COUNT, WIDTH, first, second, centers[i], &at[i]));
    assert_true(at[0] > 0.999 && at[1] < 0.5 && at[2] == 0);
}

enum { BLOBS = 6, TALL = 40, WIDE = 56 };

/* Adds blobs at places that are turned over about a line through (20, 30), `line_deg` from the rows. */
static void add_blobs(bool turned, double line_deg, float *image)
{
    static const double row[BLOBS] = {9, 12, 17, 22, 27, 30}, column[BLOBS] = {30, 17, 41, 25, 36, 14};
    const double cosine = cos(line_deg * M_PI / 90), sine = sin(line_deg * M_PI / 90);
    for (int i = 0; i < TALL * WIDE * BLOBS; i++) {
        const int p = i / BLOBS, b = i % BLOBS;
        const double down = row[b] - 20, right = column[b] - 30;
        const double r = p / WIDE - (turned ? 20 + sine * right - cosine * down : row[b]);
        const double c = p % WIDE - (turned ? 30 + cosine * right + sine * down : column[b]);
        image[p] += (float)((1 + b % 3) * exp(-(r * r + c * c) / 8));
    }
}

/* The axis of opposite projections is told, also where it leans, or is wide of the middle; stripes of the detector are
 * more alike as they are; small images tell nothing. */
static void mirror_tells_the_axis(void **state)
{
    (void)state;
    static const double line_deg[] = {90, 84, 0, 6, -9};
    SinoCenterMirror found;
    for (size_t i = 0; i < sizeof line_deg / sizeof *line_deg; i++) {
        float first[TALL * WIDE] = {0}, second[TALL * WIDE] = {0};
        const bool lying = line_deg[i] < 45;
        add_blobs(false, 0, first);
        add_blobs(true, line_deg[i], second);
        assert_success(sino_center_mirror(TALL, WIDE, first, second, &found));
        if (!((lying ? found.lying : found.upright) > 0.95 && (lying ? found.upright : found.lying) < 0.8 &&
              found.still < 0.8 && (!lying || found.lean_deg == line_deg[i])))
            fail_msg("%g: upright %g, lying %g at %g, still %g", line_deg[i], found.upright, found.lying,
                     found.lean_deg, found.still);
    }
    float first[TALL * WIDE] = {0}, second[TALL * WIDE] = {0};
    add_blobs(false, 0, first);
    add_blobs(true, 90, second);
    for (int p = 0; p < TALL * WIDE; p++) {
        const float stripe = (float)(p % WIDE * 7 % 5);
        first[p] += stripe;
        second[p] += stripe;
    }
    assert_success(sino_center_mirror(TALL, WIDE, first, second, &found));
    assert_true(found.lying > found.upright && found.still > found.lying - 0.01);
    assert_success(sino_center_mirror(7, WIDE, first, second, &found));
    assert_true(found.upright == 0 && found.lying == 0 && found.still == 0);
    for (int p = 0; p < TALL * WIDE; p++) first[p] = 1;
    assert_success(sino_center_mirror(TALL, WIDE, first, second, &found));
    assert_true(found.upright == 0 && found.lying == 0 && found.still == 0);
}

TESTING_SUBJECT(center)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(likeness_about_a_center),
        cmocka_unit_test(mirror_tells_the_axis),
        cmocka_unit_test(moments_find_centers_of_few_angles),
        cmocka_unit_test(vo_finds_centers_of_phantoms),
        cmocka_unit_test(vo_treats_fractions_alike),
        cmocka_unit_test(vo_of_nothing_is_one),
        cmocka_unit_test(correlation_finds_centers_of_phantoms),
        cmocka_unit_test(pairs_find_any_center),
        cmocka_unit_test(entropy_finds_centers_of_phantoms),
        cmocka_unit_test(correlation_of_constants_is_refused),
        cmocka_unit_test(vo_finds_center_of_tooth),
        cmocka_unit_test(correlation_finds_center_of_tooth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
