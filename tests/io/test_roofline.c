/* SPDX-License-Identifier: BSD-3-Clause */
/* Roofline: the picture as PNG and SVG, of usual and odd figures. */
#include "roofline.h"
#include "testing.h"

#include <math.h>

#include <png.h>

enum { POINTS = 7, SERIES = 8 };

typedef struct Example {
    SinoRooflinePoint point[SERIES][POINTS];
    SinoRooflineSeries series[SERIES];
    SinoRoof roof[2];
    SinoRoofline roofline;
} Example;

/* Eight series of seven points each; speeds times `scale`. */
static void make_example(Example *example, double scale)
{
    memset(example, 0, sizeof *example);
    for (int s = 0; s < SERIES; s++) {
        for (int i = 0; i < POINTS; i++) {
            SinoRooflinePoint *point = &example->point[s][i];
            *point = (SinoRooflinePoint){.intensity = 0.2 * (1 + 0.3 * (s / 2)) * exp2(i)};
            point->gflops = scale * fmin(15 * point->intensity, 60) / (1 + 0.1 * s);
            if (s % 2 == 0) snprintf(point->label, sizeof point->label, "%d", 1 << i);
        }
        example->series[s] = (SinoRooflineSeries){.name = s % 2 ? "half, backproject" : "half, project",
                                                  .colour = s / 2,
                                                  .hollow = s % 2,
                                                  .point_count = POINTS,
                                                  .point = example->point[s]};
    }
    example->roof[0] = (SinoRoof){"FMA, single", 200 * scale};
    example->roof[1] = (SinoRoof){"FMA, double", 100 * scale};
    example->roofline = (SinoRoofline){.title = "512 columns, 375 angles, 2 workers",
                                       .note = "numbers beside points: slices",
                                       .read_gbps = 30 * scale,
                                       .roof_count = 2,
                                       .roof = example->roof,
                                       .series_count = SERIES,
                                       .series = example->series};
}

static void draw(const SinoRoofline *roofline, const char *path)
{
    SinoRooflineFormat format;
    SinoOutputFile *file = NULL;
    assert_success(sino_roofline_format(path, &format));
    assert_success(sino_output_open(path, true, &file));
    assert_success(sino_roofline_draw(roofline, format, file));
    assert_success(sino_output_seal(file));
}

/* How many pixels are of this colour. */
static int64_t count_pixels(const char *path, int red, int green, int blue)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    assert_int_equal(image.width, SINO_ROOFLINE_WIDTH);
    assert_int_equal(image.height, SINO_ROOFLINE_HEIGHT);
    image.format = PNG_FORMAT_RGB;
    unsigned char *pixel = malloc(PNG_IMAGE_SIZE(image));
    assert_non_null(pixel);
    assert_true(png_image_finish_read(&image, NULL, pixel, 0, NULL));
    int64_t count = 0;
    for (int64_t i = 0; i < (int64_t)SINO_ROOFLINE_WIDTH * SINO_ROOFLINE_HEIGHT; i++)
        count += pixel[3 * i] == red && pixel[3 * i + 1] == green && pixel[3 * i + 2] == blue;
    free(pixel);
    return count;
}

static void png_has_points_in_their_colours(void **state)
{
    Example example;
    char path[TESTING_PATH];
    testing_path(path, *state, "roofline.png");
    make_example(&example, 1);
    draw(&example.roofline, path);
    const int64_t pixels = (int64_t)SINO_ROOFLINE_WIDTH * SINO_ROOFLINE_HEIGHT;
    assert_in_range(count_pixels(path, 255, 255, 255), pixels / 2, pixels - 1);
    assert_true(count_pixels(path, 0, 114, 178) > POINTS * 30);
    assert_true(count_pixels(path, 213, 94, 0) > POINTS * 30);
    example.roofline.series_count = 2;
    draw(&example.roofline, path);
    assert_true(count_pixels(path, 0, 114, 178) > POINTS * 30);
    assert_int_equal(count_pixels(path, 213, 94, 0), 0);
}

/* Well-formedness is tested with the program's own pictures, by a parser (cli_bench.c). */
static void svg_is_whole(void **state)
{
    static const char end[] = "</svg>\n";
    static char text[1 << 20];
    Example example;
    char path[TESTING_PATH];
    make_example(&example, 1);
    draw(&example.roofline, testing_path(path, *state, "roofline.SVG"));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t size = fread(text, 1, sizeof text - 1, file);
    assert_int_equal(fclose(file), 0);
    assert_true(size > 1000);
    assert_memory_equal(text, "<?xml", 5);
    assert_string_equal(text + size - strlen(end), end);
    assert_non_null(strstr(text, "width=\"900px\" height=\"600px\""));
}

/* Speeds of another world, one point, none, and more points than there is room for labels. */
static void odd_figures_are_drawn(void **state)
{
    enum { MANY = 1500 };
    static SinoRooflinePoint point[MANY];
    Example example;
    char path[TESTING_PATH];
    testing_path(path, *state, "roofline.png");
    for (int power = -6; power <= 6; power += 3) {
        make_example(&example, pow(10, power));
        draw(&example.roofline, path);
    }
    make_example(&example, 1);
    example.roofline.series_count = 1;
    for (int64_t count = 0; count < 2; count++) {
        example.series[0].point_count = count;
        draw(&example.roofline, path);
    }
    for (int i = 0; i < MANY; i++) point[i] = (SinoRooflinePoint){.intensity = 1 + i, .gflops = 1 + i, .label = "7"};
    example.series[0].point_count = MANY;
    example.series[0].point = point;
    draw(&example.roofline, path);
    assert_true(count_pixels(path, 0, 114, 178) > 1000);
}

static void other_endings_are_refused(void **state)
{
    (void)state;
    static const char *const name[] = {"a.pdf", "svg", "", "a.svg.gz", "a.png "};
    SinoRooflineFormat format = SINO_ROOFLINE_PNG;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        char message[100];
        snprintf(message, sizeof message, "--roofline is '%s'; allowed: a name that ends in .svg or .png", name[i]);
        assert_error(sino_roofline_format(name[i], &format), SINO_BAD_INPUT, message);
    }
    assert_success(sino_roofline_format("a.png.svg", &format));
    assert_int_equal(format, SINO_ROOFLINE_SVG);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(roofline)
{
    const struct CMUnitTest tests[] = {
        TEST(png_has_points_in_their_colours),
        TEST(svg_is_whole),
        TEST(odd_figures_are_drawn),
        TEST(other_endings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
