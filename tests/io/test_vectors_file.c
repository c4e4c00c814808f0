/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors file: arrays and text of cone and parallel beams, geometries of RTK and of CTSimU; what is refused. */
#include "vectors_file.h"

#include "testing.h"
#include "testing_npy.h"

enum { NUMBERS = 12 };

static const double cone[2][NUMBERS] = {{0, -100, 0, 0, 50, 1, 0.5, 0, 0, 0, 0, 0.4},
                                        {100, 0, -2, -50, 0, 1, 0, 0.5, 0, 0.1, 0, 0.4}};

/* Writes an array of doubles; the path begins after room for a prefix. */
static const char *write_array(void **state, const char *shape, const double *values, size_t count)
{
    static char path[TESTING_PATH];
    size_t bytes;
    unsigned char *file = testing_npy(1, "<f8", shape, values, count * sizeof *values, &bytes);
    testing_path(path, *state, "vectors.npy");
    testing_write_bytes(path, file, bytes);
    free(file);
    return path;
}

static const char *write_text(void **state, const char *text)
{
    static char path[TESTING_PATH];
    testing_path(path, *state, "vectors.csv");
    testing_write_bytes(path, text, strlen(text));
    return path;
}

static void refuse(const char *name, const char *text)
{
    SinoVectors vectors = {0};
    assert_error(sino_vectors_read(name, &vectors), SINO_BAD_INPUT, text);
    assert_null(vectors.view);
}

static void check_cone(const char *name, bool parallel)
{
    SinoVectors vectors;
    assert_success(sino_vectors_read(name, &vectors));
    assert_int_equal(vectors.count, 2);
    assert_false(vectors.flat);
    for (int k = 0; k < 2; k++) {
        const SinoView *view = &vectors.view[k];
        assert_int_equal(view->parallel, parallel);
        for (int i = 0; i < 3; i++) {
            assert_true(view->source[i] == cone[k][i] && view->first[i] == cone[k][3 + i]);
            assert_true(view->column[i] == cone[k][6 + i] && view->row[i] == cone[k][9 + i]);
        }
    }
    sino_vectors_free(&vectors);
}

static void arrays_and_text_are_read(void **state)
{
    char prefixed[TESTING_PATH + 16];
    const char *array = write_array(state, "(2, 12)", cone[0], 24);
    check_cone(array, false);
    snprintf(prefixed, sizeof prefixed, "parallel:%s", array);
    check_cone(prefixed, true);
    check_cone(write_text(state, "srcX,srcY,srcZ,dX,dY,dZ,uX,uY,uZ,vX,vY,vZ\r\n0,-100,0,0,50,1,0.5,0,0,0,0,0.4\r\n\r\n"
                                 "1e2, 0, -2,-50,0,1,0,0.5,0,0.1,0,0.4"),
               false);
    check_cone(write_text(state, "rayX,rayY,rayZ,dX,dY,dZ,uX,uY,uZ,vX,vY,vZ\n0,-100,0,0,50,1,0.5,0,0,0,0,0.4\n"
                                 "1e2,0,-2,-50,0,1,0,0.5,0,0.1,0,0.4\n"),
               true);
}

static void a_plane_has_upright_rows(void **state)
{
    static const double flat[] = {0, -100, 3, 50, 0.3, 0.4};
    SinoVectors vectors;
    assert_success(sino_vectors_read(write_array(state, "(1, 6)", flat, 6), &vectors));
    assert_true(vectors.flat);
    assert_true(vectors.view->first[0] == 3 && vectors.view->first[1] == 50 && vectors.view->first[2] == 0);
    assert_true(vectors.view->row[0] == 0 && fabs(vectors.view->row[2] - 0.5) < 1e-12);
    sino_vectors_free(&vectors);
}

static void other_forms_are_refused(void **state)
{
    char prefixed[TESTING_PATH + 16];
    refuse(write_array(state, "(24,)", cone[0], 24), "has 1 dimensions, the last one of 24 numbers");
    refuse(write_array(state, "(3, 8)", cone[0], 24), "the last one of 8 numbers");
    refuse(write_array(state, "(3, 12)", cone[0], 24), "is cut");
    refuse(write_array(state, "(0, 12)", cone[0], 0), "vectors of 0 projections");
    refuse(write_text(state, ""), "begins with ''");
    refuse(write_text(state, "0,1,2\n"), "begins with '0,1,2'");
    const char *header = "srcX,srcY,srcZ,dX,dY,dZ,uX,uY,uZ,vX,vY,vZ\n";
    char text[256];
    refuse(write_text(state, header), "has no line of numbers");
    snprintf(text, sizeof text, "%s1,2,3\n", header);
    refuse(write_text(state, text), "line 2 is '1,2,3'");
    snprintf(text, sizeof text, "%s0,-100,0,0,50,1,0.5,0,0,0,0,x\n", header);
    refuse(write_text(state, text), "line 2");
    snprintf(text, sizeof text, "%s0,-100,0,0,50,1,0.5,0,0,0,0,0.4,7\n", header);
    const char *path = write_text(state, text);
    refuse(path, "12 numbers");
    snprintf(prefixed, sizeof prefixed, "parallel:%s", write_text(state, header));
    refuse(prefixed, "no line");
    refuse("/nowhere/vectors.npy", "/nowhere/vectors.npy");
}

static void impossible_projections_are_refused(void **state)
{
    double line[NUMBERS];
    memcpy(line, cone[0], sizeof line);
    line[5] = NAN;
    refuse(write_array(state, "(1, 12)", line, NUMBERS), "number 5 of projection 0 is nan");
    memcpy(line, cone[0], sizeof line);
    line[9] = 1, line[11] = 0;
    refuse(write_array(state, "(1, 12)", line, NUMBERS), "have no area");
    memcpy(line, cone[0], sizeof line);
    line[1] = 50;
    refuse(write_array(state, "(1, 12)", line, NUMBERS), "in the plane of its detector");
    memset(line, 0, sizeof line);
    refuse(write_array(state, "(1, 12)", line, NUMBERS), "have no area");
}

/* The example of RTK's documentation, with a flat detector. */
#define RTK_HEAD "<?xml version=\"1.0\"?>\n<!DOCTYPE RTKGEOMETRY>\n<RTKThreeDCircularGeometry version=\"3\">\n"
#define RTK_DISTANCES                                                                                                  \
    "  <SourceToIsocenterDistance>1000</SourceToIsocenterDistance>\n"                                                  \
    "  <SourceToDetectorDistance>1536</SourceToDetectorDistance>\n"
#define RTK_PROJECTION                                                                                                 \
    "  <Projection>\n    <GantryAngle>271.847274780273</GantryAngle>\n"                                                \
    "    <ProjectionOffsetX>-117.056503295898</ProjectionOffsetX>\n"                                                   \
    "    <ProjectionOffsetY>-1.01195001602173</ProjectionOffsetY>\n    <Matrix>\n"                                     \
    "          -166.5093078829                   0   -1531.42837748039   -117056.503295898\n"                          \
    "        -1.01142410874151               -1536  0.0326206557691505   -1011.95001602173\n"                          \
    "       -0.999480303105996                   0  0.0322354417240802               -1000\n"                          \
    "    </Matrix>\n  </Projection>\n"
#define RTK_TAIL "</RTKThreeDCircularGeometry>\n"

static void rtk_matrices_agree(void **state)
{
    SinoVectors vectors;
    assert_success(sino_vectors_read(
        write_text(state, RTK_HEAD "<!-- <Projection> -->" RTK_DISTANCES RTK_PROJECTION RTK_TAIL), &vectors));
    assert_int_equal(vectors.count, 1);
    assert_true(vectors.unsized && !vectors.flat && vectors.column_count == 0);
    const SinoView *view = &vectors.view[0];
    const double angle = 271.847274780273 * M_PI / 180;
    assert_true(fabs(view->source[0] - 1000 * sin(angle)) < 1e-9 && fabs(view->source[1] + 1000 * cos(angle)) < 1e-9);
    assert_true(view->source[2] == 0 && fabs(view->first[2] + 1.01195001602173) < 1e-12);
    assert_true(fabs(view->column[0] - cos(angle)) < 1e-12 && fabs(view->column[1] - sin(angle)) < 1e-12);
    assert_true(view->row[0] == 0 && view->row[1] == 0 && view->row[2] == 1);
    sino_vectors_free(&vectors);
}

/* product = a·b of 3 x inner and inner x 4 numbers. */
static void multiply(int inner, const double *a, const double *b, double *product)
{
    for (int i = 0; i < 12; i++) product[i] = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < inner; k++)
            for (int j = 0; j < 4; j++) product[4 * i + j] += a[inner * i + k] * b[4 * k + j];
}

/* matrix = matrix·R, which turns axes p and q by the angle. */
static void turn(int p, int q, double degrees, double matrix[16])
{
    const double c = cos(degrees * M_PI / 180), s = sin(degrees * M_PI / 180);
    for (int i = 0; i < 4; i++) {
        const double a = matrix[4 * i + p], b = matrix[4 * i + q];
        matrix[4 * i + p] = c * a + s * b;
        matrix[4 * i + q] = c * b - s * a;
    }
}

/* Writes a projection and RTK's formula of its matrix, of which a number is off by a share. */
static int write_projection(char *text, size_t size, const double of[9], int number, double off)
{
    const double detector[9] = {1, 0, of[3] - of[7], 0, 1, of[4] - of[8], 0, 0, 1};
    const double magnify[12] = {-of[1], 0, 0, 0, 0, -of[1], 0, 0, 0, 0, 1, -of[0]};
    const double parallel[12] = {1, 0, 0, -of[7], 0, 1, 0, -of[8], 0, 0, 0, 1};
    double turned[16] = {1, 0, 0, -of[3], 0, 1, 0, -of[4], 0, 0, 1, 0, 0, 0, 0, 1}, seen[12], matrix[12];
    if (of[1] == 0) turned[3] = turned[7] = 0;
    turn(0, 1, -of[2], turned);
    turn(1, 2, -of[5], turned);
    turn(2, 0, -of[6], turned);
    if (of[1] == 0) {
        multiply(4, parallel, turned, matrix);
    } else {
        multiply(4, magnify, turned, seen);
        multiply(3, detector, seen, matrix);
    }
    matrix[number] += off * (fabs(matrix[number]) + 1000);
    int length = snprintf(text, size,
                          "<Projection><SourceToIsocenterDistance>%.17g</SourceToIsocenterDistance>"
                          "<SourceToDetectorDistance>%.17g</SourceToDetectorDistance><InPlaneAngle>%.17g</InPlaneAngle>"
                          "<SourceOffsetX>%.17g</SourceOffsetX><SourceOffsetY>%.17g</SourceOffsetY>"
                          "<OutOfPlaneAngle>%.17g</OutOfPlaneAngle><Angle>%.17g</Angle>"
                          "<ProjectionOffsetX>%.17g</ProjectionOffsetX><ProjectionOffsetY>%.17g</ProjectionOffsetY>"
                          "<Matrix>",
                          of[0], of[1], of[2], of[3], of[4], of[5], of[6], of[7], of[8]);
    for (int i = 0; i < 12; i++) length += snprintf(text + length, size - (size_t)length, " %.15g", matrix[i]);
    return length + snprintf(text + length, size - (size_t)length, "</Matrix></Projection>\n");
}

/* Any position, as RTK's formula has it: the reader compares. */
static void rtk_projections_agree(void **state)
{
    for (int k = 0; k < 60; k++) {
        double of[9];
        char text[4096] = "<RTKThreeDCircularGeometry version=\"1\">\n";
        SinoVectors vectors;
        for (int i = 0; i < 9; i++) of[i] = 100 * sin(13 * k + 7 * i + 1);
        of[0] += 500;
        of[1] = k % 3 ? of[1] + 1000 : 0;
        const size_t head = strlen(text);
        size_t length = head + (size_t)write_projection(text + head, sizeof text - head, of, 0, 0);
        snprintf(text + length, sizeof text - length, RTK_TAIL);
        assert_success(sino_vectors_read(write_text(state, text), &vectors));
        assert_int_equal(vectors.view[0].parallel, k % 3 == 0);
        sino_vectors_free(&vectors);
        length = head + (size_t)write_projection(text + head, sizeof text - head, of, k % 12, 1e-5);
        snprintf(text + length, sizeof text - length, RTK_TAIL);
        refuse(write_text(state, text), "allowed: a matrix that agrees");
    }
}

static void other_geometries_of_rtk_are_refused(void **state)
{
    static const char *const cases[][2] = {
        {"<RTKThreeDCircularGeometry version=\"4\">" RTK_PROJECTION RTK_TAIL, "version 1, 2 or 3"},
        {"<RTKThreeDCircularGeometry>" RTK_PROJECTION RTK_TAIL, "version 1, 2 or 3"},
        {"<a><RTKThreeDCircularGeometry version=\"3\">", "does not begin"},
        {RTK_HEAD RTK_DISTANCES RTK_TAIL, "vectors of 0 projections"},
        {RTK_HEAD RTK_PROJECTION RTK_TAIL, "Matrix of projection 0"},
        {RTK_HEAD RTK_DISTANCES "<Projection></Projection><Projection>" RTK_PROJECTION, "projection 1 does not end"},
        {RTK_HEAD RTK_DISTANCES RTK_PROJECTION "<Projection>", "is cut in projection 1"},
        {RTK_HEAD RTK_DISTANCES "</Projection>", "ends before it begins"},
        {RTK_HEAD RTK_DISTANCES "<Projection><Matrix>1 2 3</Matrix></Projection>", "'1 2 3</Matrix>"},
        {RTK_HEAD RTK_DISTANCES "<Projection><GantryAngle>1</Angle></Projection>", "'1</Angle>"},
        {RTK_HEAD RTK_DISTANCES "<Projection><GantryAngle>nan</GantryAngle></Projection>", "'nan<"},
        {RTK_HEAD RTK_DISTANCES "<Projection><GantryAngle>1e9</GantryAngle></Projection>", "1e+09"},
        {RTK_HEAD RTK_DISTANCES "<CollimationUInf>3</CollimationUInf><Projection></Projection>", "CollimationUInf"},
        {RTK_HEAD RTK_DISTANCES "<RadiusCylindricalDetector>9</RadiusCylindricalDetector>" RTK_PROJECTION RTK_TAIL,
         "RadiusCylindricalDetector is 9 mm"},
        {"<RTKThreeDCircularGeometry version=\"1\">" RTK_DISTANCES "<Projection></Projection>", "no Matrix"},
        {RTK_HEAD "<Projection><SourceToDetectorDistance>0</SourceToDetectorDistance></Projection>"
                  "<Projection><SourceToDetectorDistance>2</SourceToDetectorDistance></Projection>",
         "all projections alike"},
    };
    char prefixed[TESTING_PATH + 16];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) refuse(write_text(state, cases[i][0]), cases[i][1]);
    snprintf(prefixed, sizeof prefixed, "parallel:%s",
             write_text(state, RTK_HEAD RTK_DISTANCES RTK_PROJECTION RTK_TAIL));
    refuse(prefixed, "tells of sources");
}

#define JSON_PART(name, center, more)                                                                                  \
    "\"" name "\": {\"center\": {" center "}, \"vector_u\": {\"x\": 0, \"y\": -1, \"z\": 0}, "                         \
    "\"vector_w\": {\"x\": 1, \"y\": 0, \"z\": 0}, \"deviations\": [" more "]}"
#define JSON_SIZES "\"detector\": {\"columns\": 4, \"rows\": 3, \"pixel_pitch\": {\"u\": 0.5, \"v\": 0.25}}"
#define JSON_TURN                                                                                                      \
    "\"acquisition\": {\"start_angle\": 0, \"stop_angle\": 180, \"direction\": \"CCW\", \"number_of_projections\": 3}"
#define JSON(source, stage, detector, sizes, acquisition)                                                              \
    "{\"geometry\": {" JSON_PART("source", "\"x\": 0, \"y\": 0, \"z\": 0", source) ", " JSON_PART(                     \
        "detector", "\"x\": 400, \"y\": 0, \"z\": 0",                                                                  \
        detector) ", \"stage\": {\"center\": {\"x\": 300, \"y\": 0, \"z\": 0}, \"vector_u\": {\"x\": 1, \"y\": 0, "    \
                  "\"z\": 0}, "                                                                                        \
                  "\"vector_w\": {\"x\": 0, \"y\": 0, \"z\": 1}, \"deviations\": [" stage "]}}, " sizes                \
                  ", " acquisition "}"

static void check_triple(const double *found, double x, double y, double z)
{
    assert_true(fabs(found[0] - x) < 1e-9 && fabs(found[1] - y) < 1e-9 && fabs(found[2] - z) < 1e-9);
}

/* The stage has turned by 0, 90 and 180 degrees, counter-clockwise from above, and is seen from the source. */
static void scenarios_of_ctsimu_are_read(void **state)
{
    static const char shift[] =
        JSON("{\"type\": \"translation\", \"axis\": \"w\", \"amount\": {\"value\": 2, \"unit\": \"cm\"}}", "",
             "{\"type\": \"rotation\", \"axis\": \"z\", \"pivot\": {\"x\": 300, \"y\": 0, \"z\": 0}, "
             "\"amount\": {\"value\": 90, \"unit\": \"deg\"}}",
             JSON_SIZES, JSON_TURN);
    SinoVectors vectors;
    assert_success(sino_vectors_read(write_text(state, JSON("", "", "", JSON_SIZES, JSON_TURN)), &vectors));
    assert_true(vectors.count == 3 && vectors.column_count == 4 && vectors.row_count == 3 && !vectors.unsized);
    check_triple(vectors.view[0].source, -300, 0, 0);
    check_triple(vectors.view[0].first, 100, 0, 0);
    check_triple(vectors.view[0].column, 0, -0.5, 0);
    check_triple(vectors.view[0].row, 0, 0, -0.25);
    check_triple(vectors.view[1].source, 0, 300, 0);
    check_triple(vectors.view[1].column, -0.5, 0, 0);
    check_triple(vectors.view[2].source, 300, 0, 0);
    sino_vectors_free(&vectors);
    assert_success(sino_vectors_read(write_text(state, shift), &vectors));
    check_triple(vectors.view[0].source, -280, 0, 0);
    check_triple(vectors.view[0].first, 0, 100, 0);
    check_triple(vectors.view[0].column, 0.5, 0, 0);
    sino_vectors_free(&vectors);
}

/* Drifts in millimetres of the source along w, from a file, beside the same values in the scenario. */
static void drifts_are_read_from_files(void **state)
{
#define DRIFT(drift)                                                                                                   \
    JSON("{\"type\": \"translation\", \"axis\": \"w\", \"amount\": {\"value\": 2, \"drifts\": [{\"unit\": "            \
         "\"cm\", " drift "}]}}",                                                                                      \
         "", "", JSON_SIZES, JSON_TURN)
    SinoVectors within, beside;
    char path[TESTING_PATH];
    static const char lines[] = "# centimetres\n1.5, 7\n\n-2e-1;3\r\n  4", wrong[] = "1\nup\n";
    testing_path(path, *state, "drift.csv");
    testing_write_bytes(path, lines, strlen(lines));
    assert_success(sino_vectors_read(write_text(state, DRIFT("\"value\": [1.5, -0.2, 4]")), &within));
    assert_success(sino_vectors_read(write_text(state, DRIFT("\"value\": null, \"file\": \"drift.csv\"")), &beside));
    assert_int_equal(within.count, beside.count);
    check_triple(beside.view[0].source, -283, 0, 0);
    assert_memory_equal(within.view, beside.view, (size_t)within.count * sizeof *within.view);
    sino_vectors_free(&within);
    sino_vectors_free(&beside);
    testing_write_bytes(path, wrong, strlen(wrong));
    refuse(write_text(state, DRIFT("\"file\": \"drift.csv\"")), "drift.csv has a line 'up'");
    testing_write_bytes(path, "\n", 1);
    refuse(write_text(state, DRIFT("\"file\": \"drift.csv\"")), "drift without values");
}

static void other_scenarios_are_refused(void **state)
{
    static const char *const cases[][2] = {
        {"{", "no JSON: line 1"},
        {"{}", "no geometry and acquisition"},
        {"{\"geometry\": {}, \"acquisition\": {}}", "does not tell a number columns"},
        {JSON("", "", "", JSON_SIZES, "\"acquisition\": {\"number_of_projections\": 2.5}"), "2.5"},
        {JSON("", "", "", JSON_SIZES, "\"acquisition\": {\"number_of_projections\": 200000}"), "200000"},
        {JSON("", "", "", JSON_SIZES, "\"acquisition\": {\"number_of_projections\": 2}"), "start_angle"},
        {JSON("", "", "", "\"detector\": {\"columns\": {\"value\": 4, \"unit\": \"mm\"}}", JSON_TURN), "px"},
        {JSON("{\"type\": \"shear\"}", "", "", JSON_SIZES, JSON_TURN), "type shear"},
        {JSON("{\"type\": \"rotation\", \"axis\": \"q\"}", "", "", JSON_SIZES, JSON_TURN), "along q"},
        {JSON("{\"type\": \"rotation\", \"axis\": {\"x\": 0, \"y\": 0, \"z\": 0}}", "", "", JSON_SIZES, JSON_TURN),
         "length 0"},
        {JSON("{\"type\": \"rotation\", \"axis\": \"x\", \"amount\": {\"value\": 1, \"drifts\": [{\"file\": \"a\"}]}}",
              "", "", JSON_SIZES, JSON_TURN),
         "a: "},
        {JSON(
             "{\"type\": \"rotation\", \"axis\": \"x\", \"amount\": {\"value\": 1, \"drifts\": [{\"unit\": \"deg\"}]}}",
             "", "", JSON_SIZES, JSON_TURN),
         "drift without values"},
        {JSON("{\"type\": \"rotation\", \"axis\": \"x\", \"amount\": {\"value\": 1, \"drifts\": 3}}", "", "",
              JSON_SIZES, JSON_TURN),
         "drifts that are no list"},
        {JSON("{\"type\": \"translation\", \"axis\": \"x\", \"amount\": {\"value\": 1e99}}", "", "", JSON_SIZES,
              JSON_TURN),
         "1e+99"},
        {JSON("", "", "", JSON_SIZES, "\"acquisition\": {\"number_of_projections\": 9, \"pixel_binning\": {\"u\": 3}}"),
         "pixel_binning is 3 of 4 columns"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) refuse(write_text(state, cases[i][0]), cases[i][1]);
}

/* A measured scenario. */
static void the_tetrahedron_is_seen_from_a_circle(void **state)
{
    char path[TESTING_PATH];
    SinoVectors vectors;
    (void)state;
    assert_success(sino_vectors_read(testing_data(path, "lab/ctsimu-tetra/tetra.json"), &vectors));
    assert_true(vectors.count == 21 && vectors.column_count == 150 && vectors.row_count == 150);
    for (int k = 0; k < 21; k++) {
        const double angle = 2 * M_PI * k / 20;
        check_triple(vectors.view[k].source, -300 * cos(angle), 300 * sin(angle), 0);
        check_triple(vectors.view[k].first, 100 * cos(angle), -100 * sin(angle), 0);
        check_triple(vectors.view[k].row, 0, 0, -1.3);
    }
    sino_vectors_free(&vectors);
}

#define NORTH_STAR(axis, detector)                                                                                     \
    "<NSI Reconstruction Project>\r\n<Object Radiograph>\r\n<file>s*.tif\r\n<pitch>0.4 0.5\r\n<number>4\r\n"           \
    "<angleStep>90\r\n</Object Radiograph>\r\n<Processed>\r\n<clockwise>True\r\n</Processed>\r\n<Result>\r\n"          \
    "<source>0 0 -100\r\n<axis>" axis "\r\n<center>1 7 0\r\n<reference>12.6 12.6 300\r\n<normal>0 0 1\r\n"             \
    "<horizontal>-1 0 0\r\n</Result>\r\n" detector "</NSI Reconstruction Project>\r\n"
#define NORTH_STAR_SIZE "<Detector>\r\n<width pixels>64\r\n<height pixels>33\r\n</Detector>\r\n"

/* The detector's columns run against North Star's x, its rows against y, which is up. The axis is at x = 1. */
static void headers_of_north_star_are_read(void **state)
{
    SinoVectors vectors;
    assert_success(sino_vectors_read(write_text(state, NORTH_STAR("0 -1 0", NORTH_STAR_SIZE)), &vectors));
    assert_true(vectors.count == 4 && vectors.column_count == 64 && vectors.row_count == 33);
    check_triple(vectors.view[0].source, 1, -100, 0);
    check_triple(vectors.view[0].first, 1, 300, 12.6 - 8);
    check_triple(vectors.view[0].column, 0.4, 0, 0);
    check_triple(vectors.view[0].row, 0, 0, -0.5);
    check_triple(vectors.view[1].source, 100, 1, 0);
    check_triple(vectors.view[1].column, 0, 0.4, 0);
    sino_vectors_free(&vectors);
    assert_success(sino_vectors_read(write_text(state, NORTH_STAR("0 -0.8 -0.6", NORTH_STAR_SIZE)), &vectors));
    check_triple(vectors.view[0].row, 0, 0.3, -0.4);
    check_triple(vectors.view[2].row, 0, -0.3, -0.4);
    sino_vectors_free(&vectors);
    refuse(write_text(state, NORTH_STAR("0 -1 0", "")), "tells no vectors");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(vectors_file)
{
    const struct CMUnitTest tests[] = {
        TEST(arrays_and_text_are_read),
        TEST(a_plane_has_upright_rows),
        TEST(other_forms_are_refused),
        TEST(impossible_projections_are_refused),
        TEST(rtk_matrices_agree),
        TEST(rtk_projections_agree),
        TEST(other_geometries_of_rtk_are_refused),
        TEST(scenarios_of_ctsimu_are_read),
        TEST(drifts_are_read_from_files),
        TEST(other_scenarios_are_refused),
        TEST(headers_of_north_star_are_read),
        TEST(the_tetrahedron_is_seen_from_a_circle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
