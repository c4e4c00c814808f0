/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors file: arrays and text of cone and parallel beams; what is refused. */
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

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(vectors_file)
{
    const struct CMUnitTest tests[] = {
        TEST(arrays_and_text_are_read),
        TEST(a_plane_has_upright_rows),
        TEST(other_forms_are_refused),
        TEST(impossible_projections_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
