/* SPDX-License-Identifier: BSD-3-Clause */
/* Angle list: text and raw files, parts of files, ranges. Ambiguous input is refused. */
#include "angle_list.h"
#include "testing.h"

#include <math.h>

/* --theta gives these angles, in degrees, if their unit is this one; whether the file says that it is radians. */
static bool accept_in(const char *theta, SinoAngleUnit unit, int64_t projections, int64_t count, const double *degrees)
{
    double *angle_rad = NULL;
    int64_t found = -1;
    const SinoAngleUnit asked = unit;
    assert_success(sino_angle_list_read(theta, &unit, projections, &found, &angle_rad));
    assert_int_equal(found, count);
    for (int64_t k = 0; k < count; k++) assert_true(fabs(angle_rad[k] * 180 / M_PI - degrees[k]) < 1e-9);
    free(angle_rad);
    return unit != asked;
}

static void accept(const char *theta, int64_t projections, int64_t count, const double *degrees)
{
    assert_false(accept_in(theta, SINO_ANGLE_UNIT_AUTO, projections, count, degrees));
}

static void refuse(const char *theta, int64_t projections, const char *text)
{
    double *angle_rad = NULL;
    int64_t found;
    SinoAngleUnit unit = SINO_ANGLE_UNIT_AUTO;
    assert_error(sino_angle_list_read(theta, &unit, projections, &found, &angle_rad), SINO_BAD_INPUT, text);
    assert_null(angle_rad);
}

static void text_is_in_degrees(void **state)
{
    static const double degrees[] = {-88.2, 0, 0.5, 1.8e2};
    static const char *const texts[] = {"-88.2\n0\n0.5\n1.8e2",
                                        "# \xC2\xB0 of scan 7\r\n -88.2 # first\r\n0\r\n\r\n+0.5\t\r\n180\r\n",
                                        "\xEF\xBB\xBF-88.2\n0\n0.5\n180\n"};
    char path[TESTING_PATH];
    testing_path(path, *state, "angles.txt");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        testing_write_bytes(path, texts[i], strlen(texts[i]));
        accept(path, 4, 4, degrees);
        accept(path, 0, 4, degrees);
    }
}

static void raw_is_in_radians(void **state)
{
    static const float radians[] = {0, 0.25F, 3.0F};
    const double degrees[] = {0, 0.25 * 180 / M_PI, 3 * 180 / M_PI};
    char path[TESTING_PATH];
    testing_path(path, *state, "theta.bin");
    testing_write_bytes(path, radians, sizeof radians);
    accept(path, 3, 3, degrees);
    accept(path, 0, 3, degrees);
}

/* Writes an array of NumPy: its description and `bytes` bytes of values. */
static void write_npy(const char *path, const char *description, const void *values, size_t bytes)
{
    char file[256] = "\x93NUMPY\x01";
    const int length = snprintf(file + 10, sizeof file - 10, "%-117s\n", description);
    file[8] = (char)length;
    memcpy(file + 10 + length, values, bytes);
    testing_write_bytes(path, file, 10 + (size_t)length + bytes);
}

static void arrays_of_numpy_are_in_radians(void **state)
{
    static const double values[] = {0, 0.25, 3.0}, wrong[] = {0, NAN, 3.0};
    static const float single[] = {0, 0.25F, 3.0F};
    const double degrees[] = {0, 0.25 * 180 / M_PI, 3 * 180 / M_PI};
    char path[TESTING_PATH];
    testing_path(path, *state, "theta.npy");
    write_npy(path, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", values, sizeof values);
    accept(path, 3, 3, degrees);
    write_npy(path, "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }", single, sizeof single);
    accept(path, 0, 3, degrees);
    refuse(path, 4, "theta.npy | 3 angles | 4 projections | as many");
    write_npy(path, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", wrong, sizeof wrong);
    refuse(path, 3, "theta.npy | angle 1 | nan | finite numbers, in radians");
    write_npy(path, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", values, sizeof values - 1);
    refuse(path, 3, "theta.npy is cut: it has 23 of the 24 bytes of its values");
    write_npy(path, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", values, 16);
    refuse(path, 4, "theta.npy | 4 | 2 dimensions | 1");
    write_npy(path, "{'descr': '|S8', 'fortran_order': False, 'shape': (3,), }", values, sizeof values);
    refuse(path, 3, "allowed for angles: a list of 1 to ");
    write_npy(path, "{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }", values, 0);
    refuse(path, 0, "theta.npy holds 0 values");
}

static void parts_are_selected(void **state)
{
    static const double degrees[] = {1, 2};
    char path[TESTING_PATH], part[TESTING_PATH + 20];
    testing_write_bytes(testing_path(path, *state, "angles.txt"), "0\n1\n2\n3\n", 8);
    snprintf(part, sizeof part, "%s[1:3]", path);
    accept(part, 2, 2, degrees);
    refuse(part, 3, "[1:3]' | 2 angles | 3 projections | as many");
    refuse(path, 2, "angles.txt | 4 angles | 2 projections | many");
    static const char *const wrong[] = {"[1:5]", "[2:2]", "[3:1]"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(part, sizeof part, "%s%s", path, wrong[i]);
        refuse(part, 2, "; allowed: from 0 to 4, the angles of ");
    }
    static const char *const other[] = {"[1:3", "[:3]", "[1]", "[-1:2]", "[1:3]x", "[1.0:3]"};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        snprintf(part, sizeof part, "%s%s", path, other[i]);
        refuse(part, 2, "no such file | degrees");
    }
    snprintf(part, sizeof part, "%s[1:3]", path);
    testing_write_bytes(part, "7\n8\n", 4); /* a file of this very name */
    accept(part, 2, 2, (const double[]){7, 8});
}

static void ranges_of_degrees(void **state)
{
    (void)state;
    accept("0:180", 5, 5, (const double[]){0, 45, 90, 135, 180});
    accept("0:180:excluded", 4, 4, (const double[]){0, 45, 90, 135});
    accept("-88.2:91.8", 3, 3, (const double[]){-88.2, 1.8, 91.8});
    accept("180:0", 3, 3, (const double[]){180, 90, 0});
    accept("10:step:-0.5", 3, 3, (const double[]){10, 9.5, 9});
    accept("0:90:excluded", 1, 1, (const double[]){0});
    refuse("0:180", 0, "allowed with raw sinograms and --follow: a file of angles");
    refuse("0:180", 1, "theta is '0:180' for one projection");
    refuse("5:5", 3, "gives every projection the same angle");
    refuse("5:step:0", 3, "gives every projection the same angle");
    static const char *const ranges[] = {"0:180:", "0:0.5:180", "0:",   "0:180:included", "0:step", "0:nan",
                                         "0:180 ", "0:1e999",   ":180", "0-180",          "",       "inf:1"};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) refuse(ranges[i], 3, "no such file | 0:180");
}

static void files_that_are_no_angles(void **state)
{
    static const float radians[] = {0, 1};
    char path[TESTING_PATH];
    testing_path(path, *state, "angles.txt");
    testing_write_bytes(path, "0\n1 2\n", 6);
    refuse(path, 2, "angles.txt: line 2 | '1 2' | one angle in degrees");
    testing_write_bytes(path, "0\nnan\n", 6);
    refuse(path, 2, "angles.txt: line 2 is 'nan'");
    testing_write_bytes(path, "angel\n0\n", 8);
    refuse(path, 2, "angles.txt: line 1 is 'angel'");
    testing_write_bytes(path, "# none\n\n", 8);
    refuse(path, 2, "angles.txt | degrees");
    testing_write_bytes(path, radians, sizeof radians);
    refuse(path, 2, "angles.txt | ASCII");
    testing_write_bytes(path,
                        "\xFF\xFE"
                        "0\0",
                        4); /* UTF-16 */
    refuse(path, 2, "angles.txt | ASCII");
    testing_write_bytes(testing_path(path, *state, "angles.bin"), "0\n90", 4);
    refuse(path, 2, "angles.bin | float32");
    refuse(*state, 2, " is a directory; give the name of a file");
    refuse("absent.txt", 2, "theta | 'absent.txt' | range");
}

/* A column by its name; its unit by its name, too. */
static void tables_name_their_angles(void **state)
{
    static const double degrees[] = {0, 45, 90};
    static const struct {
        const char *text;
        bool radians;
    } table[] = {
        {"angle\n0\n45\n90\n", false},
        {"# number theta\n0 0\n1 45\n2 90\n", false},
        {"file; Angle (deg); current\na.tif; 0; 12.5\nb.tif; 45; 12.4\nc.tif; 90; 12.5\n", false},
        {"\nnumber\ttheta_rad\n0\t0\n1\t0.78539816339744831\n2\t1.5707963267948966\n", true},
        {"rotation [rad],\n0,\n0.78539816339744831,\n1.5707963267948966,\n", true},
    };
    char path[TESTING_PATH];
    testing_path(path, *state, "table.csv");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        testing_write_bytes(path, table[i].text, strlen(table[i].text));
        assert_int_equal(accept_in(path, SINO_ANGLE_UNIT_AUTO, 3, 3, degrees), table[i].radians);
    }
    char column[TESTING_PATH + 16];
    testing_write_bytes(path, "image,stage,theta\n1,0,9\n2,45,9\n3,90,9\n", 38);
    snprintf(column, sizeof column, "%s:Stage", path);
    accept(column, 3, 3, degrees);
    snprintf(column, sizeof column, "%s:stage[0:2]", path);
    accept(column, 2, 2, degrees);
    snprintf(column, sizeof column, "%s:tilt", path);
    refuse(column, 3, "table.csv | no column 'tilt' | image,stage,theta");
    static const char *const doubtful[] = {"0 1\n1 2\n", "angle theta\n0 1\n1 2\n", "number\tangle\n0 1 2\n1 2 3\n"};
    for (size_t i = 0; i < sizeof doubtful / sizeof *doubtful; i++) {
        testing_write_bytes(path, doubtful[i], strlen(doubtful[i]));
        refuse(path, 2, "columns | one angle per line | names the columns");
    }
    testing_write_bytes(path, "number,angle\n0,1\n1\n", 19);
    refuse(path, 2, "table.csv: line 3 | '1'");
}

/* The user's unit counts, whatever a file or its format says. */
static void units_are_the_users(void **state)
{
    static const double degrees[] = {0, 90, 180}, radians[] = {0, 90 * 180 / M_PI, 180 * 180 / M_PI};
    static const float raw[] = {0, 90, 180};
    char path[TESTING_PATH];
    testing_write_bytes(testing_path(path, *state, "a.bin"), raw, sizeof raw);
    accept_in(path, SINO_ANGLE_UNIT_DEGREES, 3, 3, degrees);
    accept_in("0:180", SINO_ANGLE_UNIT_RADIANS, 3, 3, radians);
    testing_write_bytes(testing_path(path, *state, "a.txt"), "0\n90\n180\n", 9);
    accept_in(path, SINO_ANGLE_UNIT_RADIANS, 3, 3, radians);
    testing_write_bytes(path, "angle_rad\n0\n90\n180\n", 19);
    accept_in(path, SINO_ANGLE_UNIT_DEGREES, 3, 3, degrees);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(angle_list)
{
    const struct CMUnitTest tests[] = {
        TEST(text_is_in_degrees),       TEST(raw_is_in_radians),        TEST(arrays_of_numpy_are_in_radians),
        TEST(tables_name_their_angles), TEST(units_are_the_users),      TEST(parts_are_selected),
        TEST(ranges_of_degrees),        TEST(files_that_are_no_angles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
