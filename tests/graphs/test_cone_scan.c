/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone scan: where points are seen, by rays of another formula; lengths of options and files; refusals. */
#include "cone_scan.h"
#include "scan.h"
#include "testing.h"

#include <math.h>

enum { ANGLES = 90, ROWS = 40, COLUMNS = 60, ARGUMENTS = 24 };

/* Writes a scan of ones with these angles in degrees. */
static void write_scan(const char *path, double first_deg, double step_deg)
{
    double *rad = calloc(ANGLES, sizeof *rad);
    float *ones = calloc((size_t)ANGLES * ROWS * COLUMNS, sizeof *ones);
    assert_non_null(rad);
    assert_non_null(ones);
    for (int k = 0; k < ANGLES; k++) rad[k] = (first_deg + k * step_deg) * M_PI / 180;
    for (int i = 0; i < ANGLES * ROWS * COLUMNS; i++) ones[i] = 1;
    const SinoScanShape shape = {.type = SINO_COUNT_FLOAT32,
                                 .angle_count = ANGLES,
                                 .row_count = ROWS,
                                 .column_count = COLUMNS,
                                 .flat_count = 1,
                                 .dark_count = 1,
                                 .angle_rad = rad};
    SinoScanWriter *writer = NULL;
    assert_success(sino_scan_writer_open(path, true, &shape, &writer));
    assert_success(sino_scan_writer_rows(writer, 0, ROWS, ones, ones, ones));
    assert_success(sino_scan_writer_finish(writer));
    free(rad);
    free(ones);
}

/* What the words after "recon FILE --out FILE --geometry cone" make. */
typedef struct Made {
    SinoSettings *settings;
    SinoInput input;
    SinoCone cone;
} Made;

/* NaN: the middle of the grid. */
static SinoStatus make(const char *directory, const char *words, double center, Made *made)
{
    char path[TESTING_PATH], out[TESTING_PATH], text[512], *argument[ARGUMENTS];
    int count = 0;
    *made = (Made){.settings = NULL};
    argument[count++] = testing_path(path, directory, "scan.h5");
    argument[count++] = "--out";
    argument[count++] = testing_path(out, directory, "volume.h5");
    argument[count++] = "--geometry=cone";
    snprintf(text, sizeof text, "%s", words);
    for (char *word = strtok(text, " "); word && count < ARGUMENTS; word = strtok(NULL, " ")) argument[count++] = word;
    SINO_TRY(sino_settings_read(SINO_VERB_RECON, count, argument, &made->settings));
    assert_success(sino_input_describe(made->settings, &made->input));
    const double middle = ((double)made->input.geometry.column_count - 1) / 2;
    return sino_cone_scan(made->settings, &made->input, isnan(center) ? middle : center, &made->cone);
}

static void clear(Made *made)
{
    sino_input_close(&made->input);
    sino_settings_free(made->settings);
}

#define LENGTHS "--source-object-distance=100 --source-detector-distance=150 --detector-pixel=0.3x0.5 "

static void defaults(void **state)
{
    Made made;
    char path[TESTING_PATH];
    write_scan(testing_path(path, *state, "scan.h5"), 0, 4);
    assert_success(make(*state, LENGTHS, NAN, &made));
    const SinoCone *cone = &made.cone;
    assert_int_equal(cone->angle_count, ANGLES);
    assert_int_equal(cone->column_count, COLUMNS);
    assert_int_equal(cone->row_count, ROWS);
    assert_int_equal(cone->x_count, COLUMNS);
    assert_int_equal(cone->y_count, COLUMNS);
    assert_int_equal(cone->z_count, ROWS);
    assert_true(cone->source_object == 100 && cone->source_detector == 150);
    assert_true(cone->pixel_width == 0.3 && cone->pixel_height == 0.5);
    assert_true(fabs(cone->voxel_size - 0.2) < 1e-15);
    assert_true(cone->center == (COLUMNS - 1) / 2.0 && cone->center_row == (ROWS - 1) / 2.0);
    assert_int_equal(made.settings->solver.algorithm, SINO_ALGORITHM_FDK);
    clear(&made);
    assert_success(
        make(*state, LENGTHS "--volume=20x30 --voxel-size=0.125 --center-row=12.25 --binning=2", NAN, &made));
    assert_int_equal(made.cone.x_count, 20);
    assert_int_equal(made.cone.y_count, 30);
    assert_int_equal(made.cone.z_count, ROWS / 2);
    assert_true(made.cone.voxel_size == 0.125 && made.cone.pixel_width == 0.6 && made.cone.pixel_height == 1);
    clear(&made);
    assert_success(make(*state, LENGTHS "--volume=20x30x7 --binning=2", NAN, &made));
    assert_int_equal(made.cone.z_count, 7);
    assert_true(fabs(made.cone.voxel_size - 0.4) < 1e-15);
    clear(&made);
}

/* A point in mm in a frame that turns with the sample. */
typedef struct Point {
    double x, y, z;
} Point;

/* Where the line from the source through a point meets the detector, as a column and a row of the file. All stands
 * still but the sample: the source is in the origin, the beam goes along the second axis, columns along the first, and
 * the sample turns clockwise seen from the end of rows' axis that points to the viewer. */
static void see(const Made *made, double file_center, double file_row, double turned_rad, Point p, double *column,
                double *row)
{
    const SinoSettings *settings = made->settings;
    const double radius = hypot(p.x, p.y), phase = atan2(p.y, p.x) - turned_rad;
    const double across = radius * cos(phase), forth = settings->geometry.source_object_mm + radius * sin(phase);
    *column =
        file_center + settings->geometry.source_detector_mm * across / forth / settings->geometry.detector_pixel.width;
    *row = file_row + settings->geometry.source_detector_mm * p.z / forth / settings->geometry.detector_pixel.height;
}

/* The edges of pixels of the grid are those of every `binning` pixels of the file. */
static double of_grid(double file, int64_t first, int64_t binning)
{
    return (file + 0.5 - (double)first) / (double)binning - 0.5;
}

static void points_are_seen(void **state)
{
    static const struct {
        const char *words;
        double file_center, file_row, sign;
    } cases[] = {
        {"", 31, 19.5, 1},
        {"--binning=2 --start-column=4 --end-column=58 --start-row=3 --end-row=38", 30.25, 19.5, 1},
        {"--binning=3 --start-column=7 --center-row=17.4", 33.5, 17.4, 1},
        {"--angle-direction=counterclockwise --binning=2 --start-row=5", 29, 19.5, -1},
        {"--angle-direction=clockwise --center-row=21", 29, 21, 1},
    };
    char path[TESTING_PATH], words[512];
    write_scan(testing_path(path, *state, "scan.h5"), -33, 4);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Made made;
        snprintf(words, sizeof words, LENGTHS "%s", cases[i].words);
        SinoStatus status = make(*state, words, 20, &made); /* to know the columns */
        sino_status_free(status);
        const double center = sino_input_column_of_grid(&made.input, cases[i].file_center);
        clear(&made);
        assert_success(make(*state, words, center, &made));
        const SinoCone *cone = &made.cone;
        for (int k = 0; k < ANGLES; k += 7) {
            const Point p = {3 * sin(k), 2.5 * cos(3 * k), sin(5 * k)};
            const double turned = cases[i].sign * (-33 + 4.0 * k) * M_PI / 180, rad = cone->angle_rad[k];
            double column, row;
            see(&made, cases[i].file_center, cases[i].file_row, turned, p, &column, &row);
            const SinoConeView view = sino_cone_view(cone, cos(rad), sin(rad), p.x, p.y);
            const double seen_row = cone->center_row + p.z / cone->voxel_size * view.rows_per_voxel;
            assert_true(fabs(view.column - of_grid(column, made.input.first_column, made.input.binning)) < 1e-9);
            assert_true(fabs(seen_row - of_grid(row, made.input.first_row, made.input.binning)) < 1e-9);
        }
        clear(&made);
    }
}

/* A projection as vectors: the source, the middle of pixel (0, 0), and the steps of columns and rows. */
typedef struct Frame {
    Point source, first, column, row;
} Frame;

static double triple(Point a, Point b, Point c)
{
    return a.x * (b.y * c.z - b.z * c.y) + a.y * (b.z * c.x - b.x * c.z) + a.z * (b.x * c.y - b.y * c.x);
}

/* a + s·b */
static Point along(Point a, double s, Point b)
{
    return (Point){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

/* The pixel that the ray from the source through p hits: source + t·(p − source) = first + c·column + r·row. */
static void hit(const Frame *frame, Point p, double *column, double *row)
{
    const Point ray = along(p, -1, frame->source), to = along(frame->source, -1, frame->first);
    const double whole = triple(frame->column, frame->row, along((Point){0}, -1, ray));
    *column = triple(to, frame->row, along((Point){0}, -1, ray)) / whole;
    *row = triple(frame->column, to, along((Point){0}, -1, ray)) / whole;
}

/* Where a scan with these numbers sees p. */
static void see_here(const SinoCone *cone, double angle_rad, Point p, double *column, double *row)
{
    const SinoConeView view = sino_cone_view(cone, cos(angle_rad), sin(angle_rad), p.x, p.y);
    *column = view.column;
    *row = cone->center_row + p.z / cone->voxel_size * view.rows_per_voxel;
}

enum { PEER_COLUMNS = 50, PEER_ROWS = 30 };
static const double peer_sod = 410, peer_sdd = 760, peer_width = 0.8, peer_height = 0.6;

static SinoCone peer_cone(double center, double center_row)
{
    return (SinoCone){.source_object = peer_sod,
                      .source_detector = peer_sdd,
                      .pixel_width = peer_width,
                      .pixel_height = peer_height,
                      .voxel_size = 0.7,
                      .center = center,
                      .center_row = center_row};
}

/* `other`: the point in the coordinates of the other program. */
static void assert_same_pixel(const Frame *frame, Point other, const SinoCone *cone, double angle_rad, Point p)
{
    double column, row, expected_column, expected_row;
    hit(frame, other, &expected_column, &expected_row);
    see_here(cone, angle_rad, p, &column, &row);
    assert_true(fabs(column - expected_column) < 1e-9 && fabs(row - expected_row) < 1e-9);
}

/* RTK's gantry angle, whose axis is y, with the origin of the projections and the offset of the detector. */
static void numbers_of_rtk(double rad, Point p)
{
    const double first_u = -21.2, first_v = -9.3, offset_x = 3.5, offset_y = -2.25;
    const Point axis = {sin(rad), 0, cos(rad)}, u = {cos(rad), 0, -sin(rad)}, v = {0, 1, 0};
    const Point middle = along((Point){0}, peer_sod - peer_sdd, axis);
    const Frame frame = {along((Point){0}, peer_sod, axis),
                         along(along(middle, first_u + offset_x, u), first_v + offset_y, v),
                         along((Point){0}, peer_width, u), along((Point){0}, peer_height, v)};
    const SinoCone cone = peer_cone(-(first_u + offset_x) / peer_width, -(first_v + offset_y) / peer_height);
    assert_same_pixel(&frame, (Point){p.x, p.z, -p.y}, &cone, rad, p);
}

/* TIGRE's angle, which has the source on the first axis, and offDetector. */
static void numbers_of_tigre(double rad, Point p)
{
    const double offset_u = 2.5, offset_v = -1.75;
    const Point axis = {cos(rad), sin(rad), 0}, u = {-sin(rad), cos(rad), 0}, v = {0, 0, 1};
    const Point middle = along((Point){0}, peer_sod - peer_sdd, axis);
    const double first_u = -peer_width * (PEER_COLUMNS - 1) / 2.0, first_v = -peer_height * (PEER_ROWS - 1) / 2.0;
    const Frame frame = {along((Point){0}, peer_sod, axis),
                         along(along(middle, first_u + offset_u, u), first_v + offset_v, v),
                         along((Point){0}, peer_width, u), along((Point){0}, peer_height, v)};
    const SinoCone cone =
        peer_cone((PEER_COLUMNS - 1) / 2.0 - offset_u / peer_width, (PEER_ROWS - 1) / 2.0 - offset_v / peer_height);
    assert_same_pixel(&frame, p, &cone, rad + M_PI / 2, p);
}

/* ASTRA's geometry 'cone', as geom_2vec writes it. */
static void numbers_of_astra(double rad, Point p)
{
    const double origin_source = peer_sod, origin_detector = peer_sdd - peer_sod;
    const Point source = {sin(rad) * origin_source, -cos(rad) * origin_source, 0};
    const Point middle = {-sin(rad) * origin_detector, cos(rad) * origin_detector, 0};
    const Point u = {cos(rad) * peer_width, sin(rad) * peer_width, 0}, v = {0, 0, peer_height};
    const Frame frame = {source, along(along(middle, -(PEER_COLUMNS - 1) / 2.0, u), -(PEER_ROWS - 1) / 2.0, v), u, v};
    const SinoCone cone = peer_cone((PEER_COLUMNS - 1) / 2.0, (PEER_ROWS - 1) / 2.0);
    assert_same_pixel(&frame, p, &cone, rad, p);
}

static void numbers_of_other_programs(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        const Point p = {40 * sin(i), 35 * cos(2.3 * i), 20 * sin(7.1 * i)};
        numbers_of_rtk(0.37 * i - 3, p);
        numbers_of_tigre(0.37 * i - 3, p);
        numbers_of_astra(0.37 * i - 3, p);
    }
}

/* A rank's share of the rows leaves the rows of the geometry where they are. */
static void rows_of_a_share(void **state)
{
    Made made;
    char path[TESTING_PATH];
    write_scan(testing_path(path, *state, "scan.h5"), 0, 4);
    assert_success(make(*state, LENGTHS "--binning=2 --start-row=4", NAN, &made));
    const double row = sino_input_row_of_grid(&made.input, 11);
    sino_input_take_slices(&made.input, 5, 3);
    assert_true(sino_input_row_of_grid(&made.input, 11) == row);
    clear(&made);
}

/* 20 slices to each side of the source's plane, or 20 from it, over half of the slice's 60 voxels of 0.5 mm. */
static void long_objects_have_a_margin(void **state)
{
    static const struct {
        const char *words;
        int64_t slices, margin;
    } each[] = {{"--algorithm fista", 40, 3},
                {"--algorithm cg --start-row 20", 20, 3},
                {"--algorithm cg --start-row 10 --end-row 30", 20, 2},
                {"--algorithm sirt --volume 60x60x30", 30, 0},
                {"--algorithm sirt --volume 30x30", 40, 2},
                {"--algorithm fdk", 40, 0}};
    char path[TESTING_PATH], words[256];
    write_scan(testing_path(path, *state, "scan.h5"), 0, 4);
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        Made made;
        snprintf(words, sizeof words,
                 "--source-object-distance 100 --source-detector-distance 200 --detector-pixel 1 %s", each[i].words);
        assert_success(make(*state, words, NAN, &made));
        assert_success(sino_cone_take_margin(made.settings, &made.cone));
        assert_int_equal(sino_cone_slices(&made.cone), each[i].slices);
        assert_int_equal(made.cone.z_margin, each[i].margin);
        clear(&made);
    }
}

/* Sources on a circle that is level with the volume have the margin of the cone; those of a helix, and parallel rays,
 * have none. */
static void vectors_of_a_circle_have_a_margin(void **state)
{
    SinoView view[] = {{.source = {0, -100, 0}}, {.source = {101, 0, 0}}};
    char path[TESTING_PATH];
    Made made;
    write_scan(testing_path(path, *state, "scan.h5"), 0, 4);
    assert_success(make(*state,
                        "--source-object-distance 100 --source-detector-distance 200 --detector-pixel 1 "
                        "--algorithm fista",
                        NAN, &made));
    for (int i = 0; i < 3; i++) {
        SinoCone cone = made.cone;
        cone.angle_count = 2;
        cone.view = view;
        view[1].source[2] = i == 1 ? 20 : 0;
        view[0].parallel = i == 2;
        assert_success(sino_cone_take_margin(made.settings, &cone));
        assert_int_equal(cone.z_margin, i == 0 ? 3 : 0);
    }
    clear(&made);
}

static void refusals(void **state)
{
    static const struct {
        const char *words;
        double center;
        const char *expected;
    } cases[] = {
        {"", NAN, "needed: --source-object-distance, --source-detector-distance and --detector-pixel"},
        {"--source-detector-distance=150 --detector-pixel=0.3", NAN, "needed: --source-object-distance"},
        {"--source-object-distance=150", NAN, "needed: --source-detector-distance and --detector-pixel"},
        {"--source-object-distance=150 --source-detector-distance=100 --detector-pixel=0.3", NAN,
         "source-detector-distance is 100 mm, and source-object-distance 150 mm, so that the detector is between "
         "source "
         "and rotation axis; allowed: a distance to the detector of 150 mm or more"},
        {"--source-object-distance=100 --source-detector-distance=150 --detector-pixel=0.3x31", NAN,
         "detector-pixel is 0.3x31 mm; allowed: a height of 0.01 to 100 widths"},
        {"--source-object-distance=100 --source-detector-distance=150 --detector-pixel=30", NAN,
         "161.1 degrees | 150 degrees"},
        {LENGTHS "--voxel-size=3", NAN,
         "source-object-distance is 100 mm, and a slice of 60 x 60 voxels of 3 mm reaches 127.279 mm from the axis"},
        {LENGTHS "--volume=800x700", NAN, "reaches 106.301 mm from the axis, so that the source is inside"},
        {LENGTHS "--center-row=-41", NAN, "center-row | -41 | 40 rows | auto"},
        {LENGTHS "--center-row=-39 --volume=20x20x10", NAN, "no ray meets the volume"},
        {LENGTHS "--center-row=75", NAN, "no ray meets the volume"},
        {LENGTHS, 200, "no ray meets the volume"},
        {LENGTHS "--algorithm=cg --voxel-size=0.0001", NAN, "no ray meets the volume"},
        {LENGTHS, -3, "rotation axis at column -3"},
        {LENGTHS "--volume=65536x65536x65536", NAN, "so that the source is inside"},
    };
    char path[TESTING_PATH];
    write_scan(testing_path(path, *state, "scan.h5"), 0, 4);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Made made;
        assert_error(make(*state, cases[i].words, cases[i].center, &made), SINO_BAD_INPUT, cases[i].expected);
        clear(&made);
    }
}

static void short_arcs_are_refused(void **state)
{
    Made made;
    char path[TESTING_PATH];
    write_scan(testing_path(path, *state, "scan.h5"), 10, 2);
    assert_error(make(*state, LENGTHS, NAN, &made), SINO_BAD_INPUT,
                 "the angles cover 178 degrees, and the fan is 6.753 degrees wide");
    clear(&made);
    write_scan(testing_path(path, *state, "scan.h5"), 10, 2.2);
    assert_success(make(*state, LENGTHS, NAN, &made));
    clear(&made);
}

/* Whether a ray through the upper or lower edge of the detector crosses the volume: by steps from the source. */
static bool is_crossed(const SinoCone *cone)
{
    enum { STEPS = 2000, PLACES = 8 };
    const double x = (double)cone->x_count / 2 * cone->voxel_size, y = (double)cone->y_count / 2 * cone->voxel_size;
    const double z = (double)cone->z_count / 2 * cone->voxel_size;
    for (int edge = 0; edge < 2 * (PLACES + 1); edge++) {
        const double column = (double)(edge / 2) / PLACES * (double)cone->column_count - 0.5;
        const double row = edge % 2 ? -0.5 : (double)cone->row_count - 0.5;
        for (int k = 0; k < cone->angle_count; k++)
            for (int i = 1; i < STEPS; i++) {
                const double share = 2.0 * i / STEPS * cone->source_object / cone->source_detector;
                const double side = (column - cone->center) * cone->pixel_width * share;
                const double forth = cone->source_detector * share - cone->source_object;
                const double c = cos(cone->angle_rad[k]), s = sin(cone->angle_rad[k]);
                if (fabs(side * c - forth * s) < x && fabs(side * s + forth * c) < y &&
                    fabs((row - cone->center_row) * cone->pixel_height * share) < z)
                    return true;
            }
    }
    return false;
}

static void volumes_beyond_the_cone(void **state)
{
    char path[TESTING_PATH], words[256];
    int refused = 0, crossed = 0;
    write_scan(testing_path(path, *state, "scan.h5"), 0, 4);
    for (int row = -40; row <= 79; row += 7) {
        Made made;
        snprintf(words, sizeof words, LENGTHS "--volume=30x30x20 --center-row=%d", row);
        SinoStatus status = make(*state, words, NAN, &made);
        if (status) {
            /* the same scan with a volume so high that it is seen */
            assert_error(status, SINO_BAD_INPUT, "no ray meets the volume");
            clear(&made);
            snprintf(words, sizeof words, LENGTHS "--volume=30x30x400 --center-row=%d", row);
            assert_success(make(*state, words, NAN, &made));
            made.cone.z_count = 20;
            assert_false(is_crossed(&made.cone));
            refused++;
        } else {
            const bool inside = row >= 0 && row < ROWS;
            assert_true(inside || is_crossed(&made.cone));
            crossed += !inside;
        }
        clear(&made);
    }
    assert_true(refused > 0 && crossed > 0);
}

TESTING_SUBJECT(cone_scan)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(defaults, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(points_are_seen, testing_directory_make, testing_directory_remove),
        cmocka_unit_test(numbers_of_other_programs),
        cmocka_unit_test_setup_teardown(rows_of_a_share, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(long_objects_have_a_margin, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(vectors_of_a_circle_have_a_margin, testing_directory_make,
                                        testing_directory_remove),
        cmocka_unit_test_setup_teardown(refusals, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(short_arcs_are_refused, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(volumes_beyond_the_cone, testing_directory_make, testing_directory_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
