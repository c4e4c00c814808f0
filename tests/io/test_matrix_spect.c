/* SPDX-License-Identifier: BSD-3-Clause */
/* SPECT header: entries against areas that are sampled finely, what attenuation and blur do to sums, and headers that
 * are refused. */
#include "testing_matrix.h"

#include <math.h>

enum { BINS = 7, ROWS = 3, VIEWS = 12, X = 6, Y = 5, Z = 4, VOXELS = X * Y * Z, OF_VIEW = ROWS * BINS };

static const SinoVoxelGrid grid = {X, Y, Z, {2, 1.5, 1}};
static const SinoCamera clear = {.attenuation = NULL};

static const char header[] = "!INTERFILE :=\n!number of bytes per pixel := 4\n!number format := float\n"
                             "!matrix size [1] := 7\n!scaling factor (mm/pixel) [1] := 2.2\n"
                             "!matrix size [2] := 3\n!scaling factor (mm/pixel) [2] := 1.4\n"
                             "!number of projections := 12\n!extent of rotation := 360\nstart angle := 20\n"
                             "!direction of rotation := CCW\nradius := 30\nname of data file := none.s\n";

/* The header with `from` as `to`. */
static void write_header(const char *path, const char *from, const char *to)
{
    char text[2 * sizeof header];
    const char *at = strstr(header, from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - header), header, to, at + strlen(from));
    testing_write_bytes(path, text, strlen(text));
}

/* [row][voxel]; the caller frees it. */
static double *read_all(SinoMatrixFile *file, int64_t at_once)
{
    SinoRowBuffer buffer = {.row_room = 0};
    const int64_t rows = sino_matrix_outline(file)->row_count;
    double *dense = calloc((size_t)(rows * VOXELS), sizeof *dense);
    int64_t *entries = calloc((size_t)rows, sizeof *entries);
    assert_true(dense && entries);
    assert_success(sino_matrix_count_rows(file, 0, rows, entries));
    for (int64_t first = 0; first < rows; first += at_once) {
        const int64_t count = first + at_once < rows ? at_once : rows - first;
        assert_success(sino_matrix_read(file, first, count, &buffer));
        for (int64_t i = 0; i < count; i++) {
            assert_true(buffer.rows.start[i + 1] - buffer.rows.start[i] <= entries[first + i]);
            for (int64_t e = buffer.rows.start[i]; e < buffer.rows.start[i + 1]; e++)
                dense[(first + i) * VOXELS + buffer.rows.column[e]] += (double)buffer.rows.value[e];
        }
    }
    sino_row_buffer_free(&buffer);
    free(entries);
    return dense;
}

static double *open_and_read(const char *path, const SinoCamera *camera, int64_t at_once)
{
    SinoMatrixFile *file = NULL;
    assert_success(sino_matrix_open(path, &file));
    assert_string_equal(sino_matrix_kind(file), "a SPECT header");
    assert_int_equal(sino_matrix_outline(file)->row_count, VIEWS * OF_VIEW);
    assert_success(sino_matrix_frame(file, &grid, camera));
    assert_int_equal(sino_matrix_outline(file)->column_count, VOXELS);
    double *dense = read_all(file, at_once);
    sino_matrix_close(file);
    return dense;
}

/* Middles of voxels and bins, in mm; y falls with rows. */
static void place_of(int64_t voxel, double at[3])
{
    at[0] = ((double)(voxel % X) - (X - 1) / 2.0) * grid.size[0];
    at[1] = -((double)(voxel / X % Y) - (Y - 1) / 2.0) * grid.size[1];
    at[2] = ((double)(voxel / (X * Y)) - (Z - 1) / 2.0) * grid.size[2];
}

static double angle_of(int64_t view)
{
    return -(20 + 30.0 * (double)view) * M_PI / 180; /* clockwise from the top */
}

static double overlap(double a, double b, double low, double high)
{
    return fmax(fmin(b, high) - fmax(a, low), 0);
}

/* The share of a voxel that projects onto a bin, by points. */
static double share(int64_t row, int64_t voxel)
{
    enum { POINTS = 64 };
    double at[3];
    const double angle = angle_of(row / OF_VIEW), bin = ((double)(row % BINS) - (BINS - 1) / 2.0) * 2.2;
    const double z = ((double)(row / BINS % ROWS) - (ROWS - 1) / 2.0) * 1.4;
    int64_t inside = 0;
    place_of(voxel, at);
    const double along = overlap(at[2] - grid.size[2] / 2, at[2] + grid.size[2] / 2, z - 0.7, z + 0.7) / grid.size[2];
    for (int i = 0; i < POINTS * POINTS && along > 0; i++) {
        const double x = at[0] + ((i % POINTS + 0.5) / POINTS - 0.5) * grid.size[0];
        const double y = at[1] + ((i / POINTS + 0.5) / POINTS - 0.5) * grid.size[1];
        inside += fabs(x * cos(angle) - y * sin(angle) - bin) < 1.1;
    }
    return along * (double)inside / (POINTS * POINTS);
}

static void entries_are_shares(void **state)
{
    char path[TESTING_PATH];
    write_header(testing_path(path, *state, "scan.hs"), "", "");
    double *dense = open_and_read(path, &clear, 50), met = 0;
    for (int64_t row = 0; row < VIEWS * OF_VIEW; row++)
        for (int64_t voxel = 0; voxel < VOXELS; voxel++) {
            const double value = dense[row * VOXELS + voxel], wanted = share(row, voxel);
            met += wanted > 0;
            if (fabs(value - wanted) > 1.2e-2)
                fail_msg("row %ld, voxel %ld: %g, wanted %g", (long)row, (long)voxel, value, wanted);
        }
    assert_true(met > 1500);
    free(dense);
}

/* The sum of a voxel's entries in a view. */
static double sum_of(const double *dense, int64_t view, int64_t voxel)
{
    double sum = 0;
    for (int64_t row = view * OF_VIEW; row < (view + 1) * OF_VIEW; row++) sum += dense[row * VOXELS + voxel];
    return sum;
}

/* Of a voxel whose shadow is inside the detector no photon is lost, and its shadow has the variance of the blur. */
static void blur_grows_with_distance(void **state)
{
    const SinoCamera blurred = {.slope = 0.02, .width_mm = 0.1};
    char path[TESTING_PATH];
    double at[3];
    write_header(testing_path(path, *state, "scan.hs"), "matrix size [2] := 3", "matrix size [2] := 9");
    SinoMatrixFile *file = NULL;
    assert_success(sino_matrix_open(path, &file));
    assert_success(sino_matrix_frame(file, &grid, &blurred));
    double *dense = read_all(file, 1000);
    const int64_t voxel = 1 * X * Y + 2 * X + 2;
    place_of(voxel, at);
    for (int64_t view = 0; view < VIEWS; view++) {
        double sum = 0, square = 0;
        for (int64_t i = 0; i < 9 * BINS; i++) {
            const double z = ((double)(i / BINS) - 4) * 1.4 - at[2];
            sum += dense[(view * 9 * BINS + i) * VOXELS + voxel];
            square += dense[(view * 9 * BINS + i) * VOXELS + voxel] * z * z;
        }
        const double angle = angle_of(view), distance = 30 - at[0] * sin(angle) - at[1] * cos(angle);
        const double blur = 0.02 * distance + 0.1, variance = blur * blur + (1 + 1.4 * 1.4) / 12;
        if (fabs(sum - 1) > 0.01 || fabs(square / sum / variance - 1) > 0.05)
            fail_msg("view %ld: sum %g, variance %g, wanted %g", (long)view, sum, square / sum, variance);
    }
    free(dense);
    sino_matrix_close(file);
}

/* A uniform map: exp(−μ·l) with the way l from the middle of a voxel to the boundary, along directions of the axes. */
static void attenuation_is_exponential(void **state)
{
    char path[TESTING_PATH], map[TESTING_PATH];
    float value[VOXELS];
    const double per_mm = 0.03;
    for (int i = 0; i < VOXELS; i++) value[i] = (float)(10 * per_mm);
    testing_write_bytes(testing_path(map, *state, "map"), value, sizeof value);
    write_header(testing_path(path, *state, "scan.hs"), "start angle := 20", "start angle := 90");
    const SinoCamera camera = {.attenuation = map};
    double *bright = open_and_read(path, &clear, 1000), *dark = open_and_read(path, &camera, 13), at[3];
    for (int64_t quarter = 0; quarter < 4; quarter++)
        for (int64_t voxel = 0; voxel < VOXELS; voxel++) {
            /* 90° counter-clockwise is the left side; then bottom, right, top */
            static const int axis[] = {0, 1, 0, 1}, side[] = {-1, -1, 1, 1};
            place_of(voxel, at);
            const int a = axis[quarter];
            const double half = (a == 0 ? X : Y) * grid.size[a] / 2, way = half - side[quarter] * at[a];
            const double all = sum_of(bright, 3 * quarter, voxel), left = sum_of(dark, 3 * quarter, voxel);
            if (fabs(left - all * exp(-per_mm * way)) > 1e-6)
                fail_msg("view %ld, voxel %ld: %g of %g, wanted a share of %g", 3 * (long)quarter, (long)voxel, left,
                         all, exp(-per_mm * way));
        }
    free(bright);
    free(dark);
}

static void refuses(const char *directory, const char *from, const char *to, const char *why)
{
    char path[TESTING_PATH];
    SinoMatrixFile *file = NULL;
    write_header(testing_path(path, directory, "bad.hs"), from, to);
    assert_error(sino_matrix_open(path, &file), SINO_BAD_INPUT, why);
}

static void wrong_headers_are_refused(void **state)
{
    char path[TESTING_PATH];
    SinoMatrixFile *file = NULL;
    refuses(*state, "!extent of rotation := 360", "", "extent of rotation | SPECT");
    refuses(*state, "extent of rotation := 360", "extent of rotation := 3600", "3600 | -360 to 360");
    refuses(*state, "start angle := 20", "", "start angle | needed");
    refuses(*state, "CCW", "left", "left | CW or CCW");
    refuses(*state, "radius := 30", "", "radius | needed");
    refuses(*state, "radius := 30", "radius := -3", "-3 | above 0 mm");
    refuses(*state, "radius := 30", "radii := {30,31}", "{30,31} | for each projection");
    refuses(*state, "radius := 30", "radius := 0.7", "0.7 mm | a twentieth of it, in mm");
    refuses(*state, "radius := 30", "radius := 30\norbit := non-circular", "non-circular | Radii");
    refuses(*state, "radius := 30", "radius := 30\nX_offset := 2.5", "2.5 | 0, an axis in the middle");
    refuses(*state, "radius := 30", "radius := 30\nnumber of detector heads := 2", "2 | allowed: 1");
    refuses(*state, "start angle := 20", "start angle := 20\nfirst projection angle in data set := 30", "30 | start");
    refuses(*state, "extent of rotation := 360", "extent of rotation := 0", "0 | not 0");
    refuses(*state, "[1] := 2.2", "[1] := 0", "0 | above 0 mm");
    refuses(*state, "projections := 12", "projections := 0", "0 | 1 or more");
    refuses(*state, "projections := 12", "projections := 65537", "65537 projections | 65536");
    write_header(testing_path(path, *state, "scan.hs"), "radius := 30",
                 "radii := { 30, 31,30,31 ,30,31,30,31,30,31,30,31}");
    assert_success(sino_matrix_open(path, &file));
    const SinoCamera absent = {.attenuation = "/absent/map"};
    assert_error(sino_matrix_frame(file, &grid, &absent), SINO_BAD_INPUT, "/absent/map");
    sino_matrix_close(file);
}

/* A map of attenuation that is no image of these voxels, or not in 1/cm. */
static void wrong_maps_are_refused(void **state)
{
    static const char text[] = "!INTERFILE :=\nname of data file := map.v\nimagedata byte order := LITTLEENDIAN\n"
                               "!number format := float\n!number of bytes per pixel := 4\n"
                               "!matrix size [1] := 6\n!matrix size [2] := 5\n!matrix size [3] := 4\n"
                               "scaling factor (mm/pixel) [1] := %s\nscaling factor (mm/pixel) [2] := 1.5\n"
                               "scaling factor (mm/pixel) [3] := 1\n";
    char path[TESTING_PATH], map[TESTING_PATH], content[sizeof text + 8];
    float values[VOXELS] = {0.15F};
    SinoMatrixFile *file = NULL;
    const SinoCamera camera = {.attenuation = testing_path(map, *state, "map.hv")};
    write_header(testing_path(path, *state, "scan.hs"), "CCW", "CW");
    for (int i = 0; i < 3; i++) {
        values[7] = i == 2 ? 1500 : 0;
        testing_write_bytes(testing_path(path, *state, "map.v"), values, sizeof values);
        snprintf(content, sizeof content, text, i == 1 ? "2.4" : "2.01");
        testing_write_bytes(map, content, strlen(content));
        assert_success(sino_matrix_open(testing_path(path, *state, "scan.hs"), &file));
        if (i == 0) assert_success(sino_matrix_frame(file, &grid, &camera));
        if (i == 0) assert_int_equal(sino_matrix_outline(file)->image_bytes, 4 * VOXELS);
        if (i == 1) assert_error(sino_matrix_frame(file, &grid, &camera), SINO_BAD_INPUT, "2.4 mm along x | 2 mm");
        if (i == 2) assert_error(sino_matrix_frame(file, &grid, &camera), SINO_BAD_INPUT, "voxel 7 | 1500/cm | 1000");
        sino_matrix_close(file);
        file = NULL;
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(matrix_spect)
{
    const struct CMUnitTest tests[] = {TEST(entries_are_shares), TEST(blur_grows_with_distance),
                                       TEST(attenuation_is_exponential), TEST(wrong_headers_are_refused),
                                       TEST(wrong_maps_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
