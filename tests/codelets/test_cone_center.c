/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone center: rays from both sides have equal integrals; the axis is found in scans of phantoms of every kind of arc,
 * under noise, and in measured scans; beams are told from each other. */
#include "cone_center.h"
#include "memory.h"
#include "phantom.h"
#include "testing.h"

#include <hdf5.h>
#include <math.h>
#include <tiffio.h>

enum { SIZE = 64, COLUMNS = 106 };

static const double deg = SINO_PI / 180;

static SinoCone cone_of(int64_t angles, int64_t columns, const double *angle_rad, double center)
{
    return (SinoCone){.angle_count = angles,
                      .column_count = columns,
                      .row_count = 1,
                      .x_count = SIZE,
                      .y_count = SIZE,
                      .z_count = 1,
                      .angle_rad = angle_rad,
                      .source_object = 300,
                      .source_detector = 450,
                      .pixel_width = 1.5,
                      .pixel_height = 1.5,
                      .voxel_size = 1,
                      .center = center};
}

/* A scan of the phantom; `arc_deg` of 360 is a circle, less includes both ends. */
typedef struct Case {
    int64_t angles, columns;
    double arc_deg, center;
    double uneven; /* shifts of angles, in steps */
    double noise;  /* standard deviation, as a share of the largest value */
} Case;

static double *angles_of(const Case *scan)
{
    const double steps = fabs(scan->arc_deg) >= 360 ? (double)scan->angles : (double)(scan->angles - 1);
    double *rad = NULL;
    assert_success(sino_allocate(scan->angles, sizeof *rad, "test", &rad));
    for (int64_t k = 0; k < scan->angles; k++) {
        const bool inside = k > 0 && k < scan->angles - 1;
        rad[k] = (20 + scan->arc_deg * ((double)k + (inside ? scan->uneven * sin(7.1 * (double)k) : 0)) / steps) * deg;
    }
    return rad;
}

/* A normal deviate. */
static double deviate(uint64_t seed, int64_t i)
{
    return (sino_phantom_poisson(1e4, seed, (uint64_t)i) - 1e4) / 1e2;
}

static void add_noise(const Case *scan, float *sinogram)
{
    double most = 0;
    for (int64_t i = 0; i < scan->angles * scan->columns; i++) most = fmax(most, (double)sinogram[i]);
    for (int64_t i = 0; i < scan->angles * scan->columns; i++)
        sinogram[i] += (float)(scan->noise * most * deviate(5, i));
}

/* sinogram[angle][column] of the phantom's middle; the caller frees it. */
static float *scan_by(const Case *scan, const SinoCone *cone)
{
    const SinoPhantom phantom = {.size = SIZE, .height = 1, .whole = true};
    float *sinogram = NULL;
    double row[COLUMNS];
    assert_success(sino_allocate(scan->angles * scan->columns, sizeof *sinogram, "test", &sinogram));
    for (int64_t k = 0; k < scan->angles; k++) {
        sino_phantom_cone(&phantom, cone, k, row);
        for (int64_t c = 0; c < scan->columns; c++) sinogram[k * scan->columns + c] = (float)row[c];
    }
    add_noise(scan, sinogram);
    return sinogram;
}

static float *scan_phantom(const Case *scan, const double *angle_rad)
{
    const SinoCone cone = cone_of(scan->angles, scan->columns, angle_rad, scan->center);
    return scan_by(scan, &cone);
}

/* sinogram[angle][column] of a disc about (x, y): a ray at the distance d has the integral 2·√(radius² − d²). */
static float *scan_disc(const Case *scan, const double *angle_rad, double x, double y, double radius)
{
    const SinoCone cone = cone_of(scan->angles, scan->columns, angle_rad, scan->center);
    float *sinogram = NULL;
    assert_success(sino_allocate(scan->angles * scan->columns, sizeof *sinogram, "test", &sinogram));
    for (int64_t i = 0; i < scan->angles * scan->columns; i++) {
        const double rad = angle_rad[i / scan->columns];
        const double tangent = ((double)(i % scan->columns) - scan->center) * cone.pixel_width / cone.source_detector;
        const double across = x * cos(rad) + y * sin(rad), along = cone.source_object - x * sin(rad) + y * cos(rad);
        const double distance = (across - along * tangent) / sqrt(1 + tangent * tangent);
        sinogram[i] = (float)(2 * sqrt(fmax(0, radius * radius - distance * distance)));
    }
    add_noise(scan, sinogram);
    return sinogram;
}

/* cone.h and cone_center.h agree: the integrals of a ray and of its reverse are the same number, and those of rays at
 * θ + π + 2γ are not. */
static void reverses_have_equal_integrals(void **state)
{
    (void)state;
    enum { WIDE = 41 };
    const SinoPhantom phantom = {.size = SIZE, .height = 1, .whole = true};
    for (int half = 0; half < 2; half++)
        for (int c = 0; c < WIDE - half; c++) {
            const double center = (WIDE - 1 - half) / 2.0, gamma = atan((c - center) * 1.5 / 450);
            const double first = (31 + 7.7 * c) * deg;
            const double rad[] = {first, first + SINO_PI - 2 * gamma, first + SINO_PI + 2 * gamma};
            const SinoCone cone = cone_of(3, WIDE, rad, center);
            double ray[WIDE], reverse[WIDE], other[WIDE];
            const int mirror = WIDE - 1 - half - c;
            sino_phantom_cone(&phantom, &cone, 0, ray);
            sino_phantom_cone(&phantom, &cone, 1, reverse);
            sino_phantom_cone(&phantom, &cone, 2, other);
            assert_true(ray[c] > 0 && fabs(ray[c] - reverse[mirror]) < 1e-12);
            if (abs(c - mirror) > 4 && fabs(ray[c] - other[mirror]) < 1e-6) fail_msg("column %d: %g", c, ray[c]);
        }
}

static SinoConeCenter search(const Case *scan, const double *angle_rad, const float *sinogram, double first,
                             double last)
{
    const SinoCone cone = cone_of(scan->angles, scan->columns, angle_rad, NAN);
    SinoConeCenter result;
    assert_success(sino_cone_center_find(&cone, sinogram, first, last, &result));
    print_message("%3ld angles in %4g degrees, noise %4.2f: %8.4f columns off, score %.4f, around %.4f\n", scan->angles,
                  scan->arc_deg, scan->noise, result.center - scan->center, result.score, result.around);
    return result;
}

/* The whole detector is searched. */
static void check(Case scan, double allowed)
{
    double *rad = angles_of(&scan);
    float *sinogram = scan_phantom(&scan, rad);
    const SinoConeCenter result = search(&scan, rad, sinogram, 0, (double)(scan.columns - 1));
    assert_true(result.found && !result.at_end);
    assert_true(fabs(result.center - scan.center) <= allowed);
    assert_true(result.score < 0.5 * result.around);
    free(rad);
    free(sinogram);
}

static const Case cases[] = {
    {180, COLUMNS, 360, 52.5, 0, 0},  {180, COLUMNS, 360, 51.9, 0, 0},     {181, COLUMNS, -360, 55.37, 0, 0},
    {60, COLUMNS, 360, 52.13, 0, 0},  {150, COLUMNS, 245, 52.77, 0, 0},    {130, COLUMNS, -206, 52.2, 0, 0},
    {130, COLUMNS, 185, 51.44, 0, 0}, {240, 80, 360, 24.3, 0, 0},          {240, 80, -360, 54.66, 0, 0},
    {240, 70, 360, 12.5, 0, 0},       {360, COLUMNS, 360, 53.21, 0.45, 0}, {250, COLUMNS, 240, 50.08, 0.45, 0},
    {240, 40, 360, 19.62, 0, 0}, /* the object is wider than the detector */
};

static void axis_is_found_in_clean_scans(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(cases[i], 0.05);
}

static void axis_is_found_under_noise(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Case noisy = cases[i];
        noisy.noise = 0.01;
        check(noisy, 0.06);
    }
    check((Case){180, COLUMNS, 360, 52.3, 0, 0.2}, 0.2);
}

/* Fractions of a column are found alike, with and without noise: interpolation smooths noise between columns only. */
static void fractions_are_found_alike(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        check((Case){180, COLUMNS, 360, 50 + i / 20.0, 0, 0}, 0.02);
        check((Case){180, COLUMNS, 360, 50 + i / 20.0, 0, 0.05}, 0.05);
    }
}

/* Small and round objects, off the axis and on it, that most candidates hardly see. On the axis every angle sees the
 * edges at the same place between the columns. */
static void axis_is_found_by_discs(void **state)
{
    (void)state;
    static const double disc[][3] = {{14, 5, 3}, {-20, 11, 2}, {0, 0, 25}, {0, 0, 4}, {2, -1, 20}};
    const Case scan = {180, COLUMNS, 360, 48.35, 0, 0.005};
    double *rad = angles_of(&scan);
    for (size_t i = 0; i < sizeof disc / sizeof *disc; i++) {
        float *sinogram = scan_disc(&scan, rad, disc[i][0], disc[i][1], disc[i][2]);
        const SinoConeCenter result = search(&scan, rad, sinogram, 0, COLUMNS - 1);
        const double allowed = disc[i][0] == 0 ? 0.08 : 0.02;
        assert_true(result.found && fabs(result.center - scan.center) < allowed);
        free(sinogram);
    }
    free(rad);
}

static void outliers_do_not_matter(void **state)
{
    (void)state;
    const Case scan = {360, COLUMNS, 360, 52.3, 0, 0.01};
    double *rad = angles_of(&scan);
    float *sinogram = scan_phantom(&scan, rad);
    for (int64_t i = 0; i < scan.angles * COLUMNS; i++)
        if (sino_phantom_poisson(0.01, 3, (uint64_t)i) > 0) sinogram[i] += 20;
    const SinoConeCenter result = search(&scan, rad, sinogram, 0, COLUMNS - 1);
    assert_true(result.found && fabs(result.center - scan.center) < 0.05);
    free(rad);
    free(sinogram);
}

/* The order of the angles, and whole turns, change nothing but rounding. */
static void order_of_angles_does_not_matter(void **state)
{
    (void)state;
    const Case scan = {180, COLUMNS, 360, 52.3, 0, 0.01};
    double *rad = angles_of(&scan), mixed_rad[180];
    float *sinogram = scan_phantom(&scan, rad), *mixed = NULL;
    assert_success(sino_allocate(scan.angles * COLUMNS, sizeof *mixed, "test", &mixed));
    for (int64_t k = 0; k < scan.angles; k++) {
        mixed_rad[k] = rad[k * 77 % 180] + 2 * SINO_PI * (double)(k % 3 - 1);
        memcpy(mixed + k * COLUMNS, sinogram + k * 77 % 180 * COLUMNS, COLUMNS * sizeof *mixed);
    }
    const SinoConeCenter a = search(&scan, rad, sinogram, 30, 70), b = search(&scan, mixed_rad, mixed, 30, 70);
    assert_true(fabs(a.center - b.center) < 1e-6 && fabs(a.score - b.score) < 1e-6);
    free(rad);
    free(sinogram);
    free(mixed);
}

/* Ranges without the axis, angles of the wrong sign, noise alone and nothing. */
static void what_is_not_there_is_not_found(void **state)
{
    (void)state;
    const Case scan = {180, COLUMNS, 360, 52.3, 0, 0.01};
    double *rad = angles_of(&scan), wrong[180];
    float *sinogram = scan_phantom(&scan, rad);
    assert_false(search(&scan, rad, sinogram, 70, 100).found);
    assert_false(search(&scan, rad, sinogram, 5, 40).found);
    const SinoConeCenter end = search(&scan, rad, sinogram, 53, 70);
    assert_true(end.at_end && !end.found && end.center == 53);
    assert_true(search(&scan, rad, sinogram, 52.3, 52.4).score < 0.01);
    for (int64_t k = 0; k < scan.angles; k++) wrong[k] = -rad[k];
    const double right = search(&scan, rad, sinogram, 30, 70).score;
    assert_true(search(&scan, wrong, sinogram, 30, 70).score > 10 * right);
    for (int64_t i = 0; i < scan.angles * COLUMNS; i++) sinogram[i] = (float)deviate(9, i);
    assert_false(search(&scan, rad, sinogram, 0, COLUMNS - 1).found);
    for (int64_t i = 0; i < scan.angles * COLUMNS; i++) sinogram[i] = 1;
    const SinoConeCenter nothing = search(&scan, rad, sinogram, 0, COLUMNS - 1);
    assert_true(!nothing.found && nothing.score == 1 && nothing.around == 1);
    free(rad);
    free(sinogram);
}

static void refuse(Case scan, double first, double last, const char *text)
{
    double *rad = angles_of(&scan);
    float *sinogram = scan_phantom(&scan, rad);
    const SinoCone cone = cone_of(scan.angles, scan.columns, rad, NAN);
    SinoConeCenter result;
    assert_error(sino_cone_center_find(&cone, sinogram, first, last, &result), SINO_BAD_INPUT, text);
    free(rad);
    free(sinogram);
}

static void scans_without_pairs_are_refused(void **state)
{
    (void)state;
    static const char *const allowed =
        "allowed: more than 180 degrees, columns that are not at the detector's edge, or a "
        "given rotation axis";
    const Case without[] = {
        {90, COLUMNS, 120, 52.5, 0, 0}, {1, COLUMNS, 360, 52.5, 0, 0}, {180, COLUMNS, 360, 52.5, 0, 0}};
    static const double covered[] = {120, 0, 358}, range[][2] = {{0, 105}, {20, 80.5}, {103, 105}};
    for (int i = 0; i < 3; i++) {
        char text[TESTING_PATH];
        snprintf(text, sizeof text,
                 "the angles cover %g degrees, and the rotation axis is sought in columns %g to %g, where no ray is "
                 "measured from both sides; %s",
                 covered[i], range[i][0], range[i][1], allowed);
        refuse(without[i], range[i][0], range[i][1], text);
    }
    refuse((Case){9, 15, 360, 7, 0, 0}, 0, 14,
           "the detector has 15 columns, too few to find the rotation axis; allowed: 16 or more, or a given rotation "
           "axis");
    refuse((Case){9, COLUMNS, 360, 52, 0, 0}, 20, 106, "rotation axis | columns 20 to 106 | 0 to 105");
    refuse((Case){9, COLUMNS, 360, 52, 0, 0}, 20, 19, "rotation axis | columns 20 to 19 | 0 to 105");
    refuse((Case){9, COLUMNS, 360, 52, 0, 0}, -1, NAN, "rotation axis | columns -1 to nan | 0 to 105");
}

static void read_dataset(const char *path, const char *name, hid_t type, void *values)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    assert_true(H5Dclose(dataset) >= 0 && H5Fclose(file) >= 0);
}

/* The axis of a scan of the Helsinki Tomography Challenge. */
static double axis_of_fan(const char *name)
{
    enum { FAN_ANGLES = 721, FAN_COLUMNS = 560 };
    char path[TESTING_PATH];
    double *rad = NULL;
    float *sinogram = NULL;
    testing_data(path, name);
    assert_success(sino_allocate(FAN_ANGLES, sizeof *rad, "test", &rad));
    assert_success(sino_allocate(FAN_ANGLES * FAN_COLUMNS, sizeof *sinogram, "test", &sinogram));
    read_dataset(path, "/exchange/data", H5T_NATIVE_FLOAT, sinogram);
    read_dataset(path, "/exchange/theta", H5T_NATIVE_DOUBLE, rad);
    for (int k = 0; k < FAN_ANGLES; k++) rad[k] *= deg;
    const SinoCone cone = {.angle_count = FAN_ANGLES,
                           .column_count = FAN_COLUMNS,
                           .angle_rad = rad,
                           .source_detector = 553.74,
                           .pixel_width = 0.2};
    SinoConeCenter result;
    assert_success(sino_cone_center_find(&cone, sinogram, 229, 329, &result));
    print_message("%s: axis at column %.3f, score %.5f, around %.5f\n", name, result.center, result.score,
                  result.around);
    assert_true(result.found);
    free(rad);
    free(sinogram);
    return result.center;
}

/* Two scans of one machine have one axis, a little beside the middle of the detector at 279.5. */
static void axis_of_measured_fans_is_found(void **state)
{
    (void)state;
    const double shapes = axis_of_fan("htc2022-fan/ta.h5"), disc = axis_of_fan("htc2022-fan/solid_disc.h5");
    assert_true(fabs(shapes - 279.4) < 0.05 && fabs(shapes - disc) < 0.02);
}

enum { PEPPER_ANGLES = 361, PEPPER_COLUMNS = 140, PEPPER_ROWS = 148, PEPPER_AIR = 16 };

/* Line integrals of one row of one projection; its upper left corner sees air. */
static void read_pepper_row(int angle, int row, float *line)
{
    char path[TESTING_PATH], name[80];
    uint16_t count[PEPPER_COLUMNS], wanted[PEPPER_COLUMNS];
    double air = 0;
    snprintf(name, sizeof name, "pepper-cone/binned_16_20211129_bell_pepper_%03d.tif", angle + 1);
    TIFF *tiff = TIFFOpen(testing_data(path, name), "r");
    assert_non_null(tiff);
    assert_int_equal(TIFFScanlineSize(tiff), sizeof count);
    for (int r = 0; r < PEPPER_ROWS; r++) {
        assert_int_equal(TIFFReadScanline(tiff, count, (uint32_t)r, 0), 1);
        for (int c = 0; c < PEPPER_AIR && r < PEPPER_AIR; c++) air += count[c] / (double)(PEPPER_AIR * PEPPER_AIR);
        if (r == row) memcpy(wanted, count, sizeof wanted);
    }
    TIFFClose(tiff);
    for (int c = 0; c < PEPPER_COLUMNS; c++) line[c] = (float)-log(wanted[c] / air);
}

/* Rows near the plane of the source agree with each other, and with the sharpest reconstruction of the row in the plane
 * (largest squared gradients: column 69.48); the wrong sign of the angles shows. */
static void axis_of_measured_pepper_is_found(void **state)
{
    (void)state;
    char path[TESTING_PATH];
    double rad[PEPPER_ANGLES], wrong[PEPPER_ANGLES];
    float *sinogram = NULL;
    testing_data(path, "pepper-cone/binned_16_20211129_bell_pepper_001.tif"); /* skips before anything is allocated */
    assert_success(sino_allocate(PEPPER_ANGLES * PEPPER_COLUMNS, sizeof *sinogram, "test", &sinogram));
    for (int row = 66; row <= 80; row += 7) {
        for (int k = 0; k < PEPPER_ANGLES; k++) {
            read_pepper_row(k, row, sinogram + (int64_t)k * PEPPER_COLUMNS);
            rad[k] = k * deg;
            wrong[k] = -rad[k];
        }
        SinoCone cone = {.angle_count = PEPPER_ANGLES,
                         .column_count = PEPPER_COLUMNS,
                         .angle_rad = rad,
                         .source_detector = 553.74,
                         .pixel_width = 0.8};
        SinoConeCenter result, other;
        assert_success(sino_cone_center_find(&cone, sinogram, 20, 120, &result));
        cone.angle_rad = wrong;
        assert_success(sino_cone_center_find(&cone, sinogram, 20, 120, &other));
        print_message("pepper, row %d: axis at column %.3f, score %.5f, around %.5f; with wrong angles %.3f, %.5f\n",
                      row, result.center, result.score, result.around, other.center, other.score);
        assert_true(result.found && fabs(result.center - 69.49) < 0.02);
        assert_true(other.score > 10 * result.score);
    }
    free(sinogram);
}

/* Scores of beams that a scan may be taken for: its own, which has S = 300 columns or is parallel, is the best one,
 * whichever is given. */
static void check_beams(Case scan, int64_t own)
{
    const double sign[SINO_CONE_BEAMS] = {1, 0, 1, -1}, distance = 300;
    double *rad = angles_of(&scan);
    SinoCone cone = cone_of(scan.angles, scan.columns, rad, scan.center);
    if (own == SINO_CONE_BEAM_PARALLEL) {
        cone.pixel_width = 1;
        cone.source_object = cone.source_detector = 1e7;
    }
    float *sinogram = scan_by(&scan, &cone);
    for (int64_t k = 0; k < scan.angles && own == SINO_CONE_BEAM_TURNED; k++) rad[k] = -rad[k];
    for (int given = 0; given < 2; given++) {
        SinoConeBeam beam[SINO_CONE_BEAMS];
        cone.pixel_width = 1;
        cone.source_detector = given == 0 ? INFINITY : distance;
        assert_success(sino_cone_center_beams(&cone, sinogram, beam));
        for (int i = 0; i < SINO_CONE_BEAMS; i++)
            print_message("own %ld, beam %d: center %.2f, distance %.1f, score %.5f\n", own, i, beam[i].center,
                          1 / beam[i].bend, beam[i].score);
        assert_true(fabs(beam[own].center - scan.center) < 0.1 && beam[own].score < 0.03);
        assert_true(beam[SINO_CONE_BEAM_GIVEN].bend == (given == 0 ? 0 : 1 / distance));
        assert_true(beam[SINO_CONE_BEAM_PARALLEL].bend == 0);
        for (int i = SINO_CONE_BEAM_PARALLEL; i < SINO_CONE_BEAMS; i++) {
            assert_true(beam[i].bend * sign[i] >= 0);
            const bool near_parallel = own == SINO_CONE_BEAM_PARALLEL; /* as the narrowest fans are */
            if (near_parallel) assert_true(beam[own].score < 2 * beam[i].score + 1e-4);
            if (!near_parallel && i != own) assert_true(4 * beam[own].score < beam[i].score);
        }
        if (own == SINO_CONE_BEAM_PARALLEL)
            assert_true(given == 0 || 4 * beam[own].score < beam[SINO_CONE_BEAM_GIVEN].score);
        else
            assert_true(fabs(sign[own] / beam[own].bend - distance) < 0.03 * distance);
    }
    free(rad);
    free(sinogram);
}

static void beams_are_told_apart(void **state)
{
    (void)state;
    for (int64_t own = SINO_CONE_BEAM_PARALLEL; own <= SINO_CONE_BEAM_TURNED; own++) {
        check_beams((Case){180, COLUMNS, 360, 52.3, 0, 0}, own);
        check_beams((Case){180, COLUMNS, 360, 41.8, 0, 0.01}, own);
        check_beams((Case){120, COLUMNS, -360, 60.4, 0, 0.01}, own);
    }
}

TESTING_SUBJECT(cone_center)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reverses_have_equal_integrals),    cmocka_unit_test(axis_is_found_in_clean_scans),
        cmocka_unit_test(axis_is_found_under_noise),        cmocka_unit_test(fractions_are_found_alike),
        cmocka_unit_test(axis_is_found_by_discs),           cmocka_unit_test(outliers_do_not_matter),
        cmocka_unit_test(order_of_angles_does_not_matter),  cmocka_unit_test(what_is_not_there_is_not_found),
        cmocka_unit_test(scans_without_pairs_are_refused),  cmocka_unit_test(axis_of_measured_fans_is_found),
        cmocka_unit_test(axis_of_measured_pepper_is_found), cmocka_unit_test(beams_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
