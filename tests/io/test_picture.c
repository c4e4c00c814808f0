/* SPDX-License-Identifier: BSD-3-Clause */
/* Picture: grey levels, percentiles, values that are not finite. */
#include "picture.h"
#include "testing.h"

#include <math.h>

#include <png.h>

/* The greys of a picture of this size; caller frees. */
static unsigned char *read_picture(const char *path, unsigned height, unsigned width)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    assert_int_equal(image.format, PNG_FORMAT_GRAY);
    assert_int_equal(image.height, height);
    assert_int_equal(image.width, width);
    unsigned char *greys = malloc(PNG_IMAGE_SIZE(image));
    assert_non_null(greys);
    assert_true(png_image_finish_read(&image, NULL, greys, 0, NULL));
    return greys;
}

static void given_window(void **state)
{
    const float values[8] = {-1, 0, 1, 2, 3, NAN, INFINITY, -INFINITY};
    const unsigned char expected[8] = {0, 0, 128, 255, 255, 0, 255, 0}, negative[8] = {255, 255, 128, 0, 0, 0, 0, 255};
    char path[TESTING_PATH];
    testing_path(path, *state, "picture.png");
    assert_success(sino_picture_write(path, 2, 4, values, 0, 2));
    unsigned char *greys = read_picture(path, 2, 4);
    assert_memory_equal(greys, expected, 8);
    free(greys);
    assert_success(sino_picture_write(path, 4, 2, values, 2, 0));
    greys = read_picture(path, 4, 2);
    assert_memory_equal(greys, negative, 8);
    free(greys);
}

/* 0…1000 in a scrambled order, with outliers beyond both percentiles and values that are not finite. */
static void percentiles(void **state)
{
    enum { COUNT = 1001, HEIGHT = 7, WIDTH = 145 };
    float values[HEIGHT * WIDTH];
    char path[TESTING_PATH];
    testing_path(path, *state, "picture.png");
    for (int i = 0; i < HEIGHT * WIDTH; i++) values[i] = i < COUNT ? (float)(i * 367 % COUNT) : NAN;
    for (int i = 0; i < COUNT; i++) {
        if (values[i] == 0) values[i] = -1e30f;
        if (values[i] == 1000) values[i] = 1e30f;
    }
    values[COUNT] = INFINITY;
    assert_success(sino_picture_write(path, HEIGHT, WIDTH, values, 0, 0));
    unsigned char *greys = read_picture(path, HEIGHT, WIDTH);
    for (int i = 0; i < COUNT; i++) {
        const double share = fmin(fmax(((double)values[i] - 2) / 996, 0), 1); /* from rank 2 to rank 998 */
        assert_int_equal(greys[i], lround(255 * share));
    }
    assert_int_equal(greys[COUNT], 255);
    assert_int_equal(greys[COUNT + 1], 0);
    free(greys);
}

static void images_without_contrast(void **state)
{
    const float same[4] = {5, 5, 5, 5}, none[4] = {NAN, NAN, NAN, NAN};
    char path[TESTING_PATH];
    testing_path(path, *state, "picture.png");
    const float *const images[] = {same, none};
    for (int i = 0; i < 2; i++) {
        assert_success(sino_picture_write(path, 2, 2, images[i], 0, 0));
        unsigned char *greys = read_picture(path, 2, 2);
        assert_memory_equal(greys, "\0\0\0\0", 4);
        free(greys);
    }
}

static void refusals(void **state)
{
    const float one = 1;
    char path[TESTING_PATH];
    testing_path(path, *state, "picture.png");
    assert_error(sino_picture_write(path, 0, 1, &one, 0, 0), SINO_BAD_INPUT,
                 "/picture.png | 0 × 1 pixels | 1 × 1 to 2147483647");
    testing_path(path, *state, "absent/picture.png");
    assert_error(sino_picture_write(path, 1, 1, &one, 0, 0), SINO_BAD_INPUT, "/absent: No such file or directory");
    assert_error(sino_picture_write(*state, 1, 1, &one, 0, 0), SINO_BAD_INPUT,
                 " is a directory; give the name of a file");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(picture)
{
    const struct CMUnitTest tests[] = {
        TEST(given_window),
        TEST(percentiles),
        TEST(images_without_contrast),
        TEST(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
