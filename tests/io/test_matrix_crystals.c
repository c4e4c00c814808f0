/* SPDX-License-Identifier: BSD-3-Clause */
/* Map of crystals: lengths against chords in double, rings, and maps that are refused. */
#include "testing_matrix.h"

#include <math.h>

/* Sizes that are no multiples of each other, but for halves, so that lines meet planes and corners exactly. */
static const SinoVoxelGrid grid = {6, 4, 5, {1.5, 2, 1}};
static const SinoCamera no_camera = {.attenuation = NULL};

enum { VOXELS = 6 * 4 * 5, CRYSTALS_MAX = 64 };

/* Along axes, through the middle of voxels, on planes and edges between them and on faces of the grid; through corners
 * along a diagonal of voxels; beside the grid; beyond which random ones follow. */
static const double special[][3] = {{-9, 1, 0},      {9, 1, 0},      {-9, 0, 0.5}, {9, 0, 0.5},  {0.75, 9, 1},
                                    {0.75, -9, 1},   {1.5, 2, 9},    {1.5, 2, -9}, {-4.5, 9, 0}, {-4.5, -9, 0},
                                    {6, 8, 4.5},     {-6, -8, -3.5}, {-9, 7, 0},   {9, 7, 0},    {4.5, 0, 2.5},
                                    {-4.5, 0, -2.5}, {4.5, 4, 9},    {4.5, 4, -9}};

enum { SPECIAL = sizeof special / sizeof *special };

/* The length of a line in a box: of a line in a face half of it, on an edge a quarter. */
static double chord(const double from[3], const double to[3], const double middle[3])
{
    double first = 0, last = 1, square = 0, share = 1;
    for (int d = 0; d < 3; d++) {
        const double step = to[d] - from[d], at = from[d] - middle[d], half = grid.size[d] / 2;
        square += step * step;
        if (step == 0) {
            if (fabs(at) > half) return 0;
            if (fabs(at) == half) share /= 2;
            continue;
        }
        const double a = (-half - at) / step, b = (half - at) / step;
        first = fmax(first, fmin(a, b));
        last = fmin(last, fmax(a, b));
    }
    return last > first ? (last - first) * sqrt(square) * share : 0;
}

/* Points around the grid; returns how many. */
static int64_t make_points(double point[CRYSTALS_MAX][3])
{
    uint64_t seed = 5;
    int64_t count = SPECIAL;
    memcpy(point, special, sizeof special);
    for (; count < CRYSTALS_MAX; count++) {
        double square = 0;
        for (int d = 0; d < 3; d++) point[count][d] = testing_random(&seed) % 20001 / 10000.0 - 1;
        for (int d = 0; d < 3; d++) square += point[count][d] * point[count][d];
        for (int d = 0; d < 3; d++) point[count][d] = round(1000 * point[count][d] * 10 / sqrt(square + 1e-9)) / 1000;
    }
    return count;
}

static void write_points(const char *path, int64_t count, double point[][3])
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "# crystal x y z\n\n");
    for (int64_t i = 0; i < count; i++)
        fprintf(file, "%ld\t%.17g, %.17g,%.17g%s", (long)i, point[i][0], point[i][1], point[i][2],
                i % 2 ? "\r\n" : " # mm\n");
    assert_int_equal(fclose(file), 0);
}

/* [row][voxel]; the caller frees it. */
static double *chords_of(int64_t count, double point[][3], int64_t *met)
{
    double *dense = calloc((size_t)(count * count * VOXELS), sizeof *dense);
    assert_non_null(dense);
    for (int64_t a = 0; a < count; a++)
        for (int64_t b = a + 1; b < count; b++)
            for (int64_t v = 0; v < VOXELS; v++) {
                const double middle[] = {((double)(v % 6) - 2.5) * grid.size[0],
                                         (1.5 - (double)(v / 6 % 4)) * grid.size[1],
                                         ((double)(v / 24) - 2) * grid.size[2]};
                double *value = &dense[(a * count + b) * VOXELS + v];
                *value = chord(point[a], point[b], middle);
                *met += *value > 0;
            }
    return dense;
}

static void lengths_are_chords(void **state)
{
    static double point[CRYSTALS_MAX][3];
    char path[TESTING_PATH];
    SinoMatrixFile *file = NULL;
    SinoRowBuffer buffer = {.row_room = 0};
    const int64_t count = make_points(point);
    int64_t entries[CRYSTALS_MAX], met = 0, compared = 0;
    write_points(testing_path(path, *state, "points.txt"), count, point);
    double *dense = chords_of(count, point, &met);
    assert_success(sino_matrix_open(path, &file));
    assert_success(sino_matrix_frame(file, &grid, &no_camera));
    assert_int_equal(sino_matrix_outline(file)->row_count, count * count);
    assert_int_equal(sino_matrix_outline(file)->column_count, VOXELS);
    for (int64_t a = 0; a < count; a++) {
        assert_success(sino_matrix_read(file, a * count, count, &buffer));
        assert_success(sino_matrix_count_rows(file, a * count, count, entries));
        for (int64_t b = 0; b < count; b++) {
            double *row = dense + (a * count + b) * VOXELS;
            assert_true(buffer.rows.start[b + 1] - buffer.rows.start[b] <= entries[b]);
            for (int64_t e = buffer.rows.start[b]; e < buffer.rows.start[b + 1]; e++, compared++) {
                assert_true(e == buffer.rows.start[b] || buffer.rows.column[e] > buffer.rows.column[e - 1]);
                row[buffer.rows.column[e]] -= (double)buffer.rows.value[e];
            }
            for (int64_t v = 0; v < VOXELS; v++)
                if (fabs(row[v]) > 1e-6)
                    fail_msg("line %ld, %ld: voxel %ld is %g off", (long)a, (long)b, (long)v, row[v]);
        }
    }
    if (compared < met * 99 / 100 || compared < 2000) fail_msg("%ld of %ld entries", (long)compared, (long)met);
    sino_row_buffer_free(&buffer);
    sino_matrix_close(file);
    free(dense);
}

/* The sum of a row; rows of 4 crystals. */
static double sum_of_row(SinoMatrixFile *file, int64_t row)
{
    SinoRowBuffer buffer = {.row_room = 0};
    double sum = 0;
    assert_success(sino_matrix_read(file, row, 1, &buffer));
    for (int64_t e = 0; e < buffer.rows.start[1]; e++) sum += (double)buffer.rows.value[e];
    sino_row_buffer_free(&buffer);
    return sum;
}

static void write_text(const char *directory, const char *name, const char *text, char path[TESTING_PATH])
{
    testing_write_bytes(testing_path(path, directory, name), text, strlen(text));
}

static void rings_are_told(void **state)
{
    char path[TESTING_PATH];
    SinoMatrixFile *file = NULL;
    write_text(*state, "rings.txt", "#ring det x y z\n7 0 -9 0.1 0\n7 1 9 0.1 0\n8 0 -9 0.1 1\n8 1 9 0.1 1\n", path);
    assert_success(sino_matrix_open(path, &file));
    assert_string_equal(sino_matrix_kind(file), "a map of crystals");
    assert_int_equal(sino_matrix_outline(file)->column_count, 0);
    assert_success(sino_matrix_frame(file, &grid, &no_camera));
    const SinoMatrixOutline *outline = sino_matrix_outline(file);
    assert_true(outline->crystal_count == 4 && outline->rings.first == 7 && outline->rings.count == 2 &&
                outline->rings.size == 2);
    assert_true(fabs(sum_of_row(file, 1) - 9) < 1e-5); /* 0 and 1, through the whole volume */
    assert_true(sum_of_row(file, 4) == 0 && sum_of_row(file, 5) == 0);
    sino_matrix_close(file);
}

static void refuses(const char *directory, const char *text, const char *why)
{
    char path[TESTING_PATH];
    SinoMatrixFile *file = NULL;
    write_text(directory, "bad.txt", text, path);
    assert_error(sino_matrix_open(path, &file), SINO_BAD_INPUT, why);
}

static void wrong_maps_are_refused(void **state)
{
    const char *const at = *state;
    const char zero[] = "0 1 2 3\n1 1 2 3\n\0"
                        "2 1 2 3\n";
    char path[TESTING_PATH];
    SinoMatrixFile *file = NULL;
    testing_write_bytes(testing_path(path, at, "zero.txt"), zero, sizeof zero - 1);
    assert_error(sino_matrix_open(path, &file), SINO_BAD_INPUT, "no system matrix");
    refuses(at, "# only a comment\n", "no system matrix | a map of crystals (crystals.txt)");
    refuses(at, "0 1 2\n", "no system matrix");
    refuses(at, "0 1 2 3\n", "1 crystals | 2 to 65535");
    refuses(at, "0 1 2 3\n2 1 2 3\n", "line 2 | crystal 2 | 1");
    refuses(at, "0 1 2 3\n1 1 2\n", "line 2 | crystal, x, y, z");
    refuses(at, "0 1 2 3\n1 1 2 nan\n", "line 2 | crystal, x, y, z");
    refuses(at, "0 1 2 3\n1 1 2 3 4\n", "line 2 | crystal, x, y, z");
    refuses(at, "0 1 2 3\n1 1 2 3e7\n", "line 2 | z = 3e+07 | 1000000");
    refuses(at, "0 1 1 2 3\n", "line 1 | ring 0, detector 1");
    refuses(at, "0 0 1 2 3\n0 2 1 2 3\n", "line 2 | ring 0, detector 2");
    refuses(at, "0 0 1 2 3\n0 1 1 2 3\n2 0 1 2 3\n", "line 3 | ring 2, detector 0");
    refuses(at, "0 0 1 2 3\n0 1 1 2 3\n1 0 1 2 3\n2 0 1 2 3\n", "line 4 | ring 2, detector 0");
    refuses(at, "0 0 1 2 3\n0 1 1 2 3\n1 0 1 2 3\n1 1 1 2 3\n1 2 1 2 3\n", "line 5 | ring 1, detector 2");
    refuses(at, "0 0 1 2 3\n0 1 1 2 3\n1 0 1 2 3\n", "1 detectors of ring 1 | 2");
}

static void wrong_volumes_are_refused(void **state)
{
    const SinoVoxelGrid none = {.x_count = 0}, sizeless = {.x_count = 6, .y_count = 4, .z_count = 5},
                        wide = {60, 4, 5, {1.5, 2, 1}}, many = {65536, 65536, 1, {1e-6, 1e-6, 1}};
    char path[TESTING_PATH];
    int64_t entries[4];
    SinoMatrixFile *file = NULL;
    write_text(*state, "far.txt", "0 -9 50 0\n1 9 50 0\n", path);
    assert_success(sino_matrix_open(path, &file));
    assert_error(sino_matrix_frame(file, &none, &no_camera), SINO_BAD_INPUT,
                 "map of crystals | --volume | --voxel-size");
    assert_error(sino_matrix_frame(file, &sizeless, &no_camera), SINO_BAD_INPUT,
                 "map of crystals | --volume | --voxel-size");
    assert_error(sino_matrix_frame(file, &many, &no_camera), SINO_BAD_INPUT, "4294967296 columns | 4294967295");
    assert_success(sino_matrix_frame(file, &grid, &no_camera));
    assert_error(sino_matrix_count_rows(file, 0, 4, entries), SINO_BAD_INPUT, "no line | 2 crystals | 6x4x5");
    sino_matrix_close(file);
    write_text(*state, "near.txt", "0 -9 0 0\n1 9 0 0\n", path);
    assert_success(sino_matrix_open(path, &file));
    assert_error(sino_matrix_frame(file, &wide, &no_camera), SINO_BAD_INPUT,
                 "crystal 0 at -9, 0, 0 mm | 60x4x5 | outside");
    sino_matrix_close(file);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(matrix_crystals)
{
    const struct CMUnitTest tests[] = {TEST(lengths_are_chords), TEST(rings_are_told), TEST(wrong_maps_are_refused),
                                       TEST(wrong_volumes_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
