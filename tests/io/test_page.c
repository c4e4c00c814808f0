/* SPDX-License-Identifier: BSD-3-Clause */
/* Page: text stands for itself, pictures have the greys of their values, scale bars are round and of their length;
 * contact sheets. */
#include "page.h"
#include "testing.h"

#include <math.h>
#include <string.h>

#include <png.h>

static char *text_of(void (*print)(FILE *out))
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    print(out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void print_words(FILE *out)
{
    sino_page_begin("<t>", "a & b", out);
    sino_page_section("\"q\"", out);
    sino_page_table_begin(out);
    sino_page_row(out, "<n>", "%d <v> %s", 7, "\x01");
    sino_page_lines("a: 1\nb:2: 3\nnothing\nc:\n", out);
    sino_page_table_end(out);
    sino_page_end(out);
}

static void lengths_have_a_unit_that_fits(void **state)
{
    (void)state;
    char text[SINO_PAGE_LENGTH];
    assert_string_equal(sino_page_length(0.325, text), "325 nm");
    assert_string_equal(sino_page_length(1.5, text), "1.5 µm");
    assert_string_equal(sino_page_length(553740, text), "553.74 mm");
}

static void text_stands_for_itself(void **state)
{
    (void)state;
    static const char *const part[] = {"<title>&lt;t&gt;</title>",
                                       "<h1>a &amp; b</h1>",
                                       "<h2>&quot;q&quot;</h2>",
                                       "<tr><td>&lt;n&gt;</td><td>7 &lt;v&gt; \xEF\xBF\xBD</td></tr>",
                                       "<tr><td>a</td><td>1</td></tr>",
                                       "<tr><td>b</td><td>2: 3</td></tr>",
                                       "<tr><td>nothing</td><td></td></tr>",
                                       "<tr><td>c</td><td></td></tr>"};
    char *text = text_of(print_words);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        if (!strstr(text, part[i])) fail_msg("%s is not in\n%s", part[i], text);
    free(text);
}

/* The bytes of base 64 up to the quote; RFC 4648, by its table. */
static size_t decode(const char *text, unsigned char *bytes)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t count = 0;
    unsigned held = 0, bits = 0;
    for (; *text != '"' && *text != '='; text++) {
        const char *at = strchr(digit, *text);
        assert_non_null(at);
        held = held << 6 | (unsigned)(at - digit);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes[count++] = (unsigned char)(held >> bits);
    }
    return count;
}

/* The greys of the first picture from here on in a page; caller frees. */
static unsigned char *read_picture(const char *page, png_image *image)
{
    const char *start = strstr(page, "base64,");
    assert_non_null(start);
    unsigned char *png = malloc(strlen(start));
    const size_t count = decode(start + 7, png);
    *image = (png_image){.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_memory(image, png, count));
    assert_int_equal(image->format, PNG_FORMAT_GRAY);
    unsigned char *greys = malloc(PNG_IMAGE_SIZE(*image));
    assert_true(png_image_finish_read(image, NULL, greys, 0, NULL));
    free(png);
    return greys;
}

static char *page_of(const SinoPagePicture *picture)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_success(sino_page_picture(picture, out));
    assert_int_equal(fclose(out), 0);
    return text;
}

/* Of sizes that fill the last digits of base 64 in every way. */
static void pictures_are_those_of_values(void **state)
{
    (void)state;
    for (int width = 1; width <= 7; width++) {
        float values[3 * 7];
        for (int i = 0; i < 3 * width; i++) values[i] = (float)i;
        char *text = page_of(
            &(SinoPagePicture){.height = 3, .width = width, .values = values, .caption = "<c>", .units = "1/cm"});
        png_image image;
        unsigned char *greys = read_picture(text, &image);
        assert_int_equal(image.width, width);
        assert_int_equal(image.height, 3);
        for (int i = 0; i < 3 * width; i++) assert_int_equal(greys[i], lround(255.0 * i / (3 * width - 1)));
        assert_non_null(strstr(text, "&lt;c&gt;<br/>black 0, white "));
        assert_null(strstr(text, "class=\"bar\""));
        free(greys);
        free(text);
    }
}

/* The means of blocks of 3 × 3, where NaN does not count; also at the edge, where blocks are smaller. */
static void large_pictures_are_reduced(void **state)
{
    (void)state;
    enum { WIDTH = 3000, HEIGHT = 4 };
    float *values = malloc(WIDTH * HEIGHT * sizeof *values);
    for (int i = 0; i < WIDTH * HEIGHT; i++) values[i] = i % WIDTH < WIDTH / 2 ? (i % 3 ? NAN : 0) : 10;
    char *text = page_of(&(SinoPagePicture){.height = HEIGHT,
                                            .width = WIDTH,
                                            .values = values,
                                            .caption = "",
                                            .units = "",
                                            .bar_text = "500 \xC2\xB5m",
                                            .bar_pixels = 750});
    png_image image;
    unsigned char *greys = read_picture(text, &image);
    assert_int_equal(image.width, WIDTH / 3);
    assert_int_equal(image.height, 2);
    for (int i = 0; i < WIDTH / 3 * 2; i++) assert_int_equal(greys[i], i % (WIDTH / 3) < WIDTH / 6 ? 0 : 255);
    assert_non_null(strstr(text, "<div class=\"bar\" style=\"width: 25.00%\"></div>"));
    assert_non_null(strstr(text, "500 \xC2\xB5m<br/>"));
    free(greys);
    free(text);
    free(values);
}

static void bars_are_round(void **state)
{
    (void)state;
    static const struct {
        int64_t pixels;
        double size, bar;
    } bar[] = {{300, 1, 100}, {299, 1, 50},      {640, 1, 200},  {2048, 1.3, 500},
               {3, 1, 1},     {1000, 1e-3, 0.2}, {38, 1000, 1e4}};
    for (size_t i = 0; i < sizeof bar / sizeof *bar; i++)
        assert_true(fabs(sino_page_bar(bar[i].pixels, bar[i].size) - bar[i].bar) <= 1e-9 * bar[i].bar);
}

/* ---- contact sheets ---- */

typedef struct Slices {
    int64_t size;
    int64_t fails; /* the slice that cannot be read; −1: none */
} Slices;

/* Slice n has the value n where its columns are even, n + 1 where they are odd. */
static SinoStatus read_slice(void *owner, int64_t number, float *values)
{
    const Slices *of = owner;
    if (number == of->fails) return sino_error(SINO_FAILED, "slice %d is lost", (int)number);
    for (int64_t i = 0; i < of->size * of->size; i++) values[i] = (float)(number + i % of->size % 2);
    return NULL;
}

static SinoStatus write_sheet(const char *path, Slices *slices, int64_t count, int64_t chosen)
{
    SinoContactPicture picture[8];
    for (int64_t i = 0; i < count; i++)
        picture[i] = (SinoContactPicture){.title = "<t>", .note = "note", .chosen = i == chosen};
    return sino_contact_sheet_write(path, &(SinoContactSheet){.title = "a sheet",
                                                              .note = "about <it>",
                                                              .size = slices->size,
                                                              .count = count,
                                                              .picture = picture,
                                                              .read = read_slice,
                                                              .owner = slices});
}

/* The sheet, which the caller frees. */
static char *sheet_of(const char *path, int64_t size, int64_t count, int64_t chosen)
{
    Slices slices = {.size = size, .fails = -1};
    char *text = NULL;
    size_t room = 0;
    assert_success(write_sheet(path, &slices, count, chosen));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(getdelim(&text, &room, '\0', file) > 0);
    assert_int_equal(fclose(file), 0);
    return text;
}

/* The picture after *at, of this side, has the greys `even` and `odd` in its columns; *at goes on behind it. */
static void assert_columns(const char **at, unsigned side, int even, int odd)
{
    png_image image;
    unsigned char *greys = read_picture(*at, &image);
    assert_true(image.width == side && image.height == side);
    for (unsigned i = 0; i < side * side; i++) assert_int_equal(greys[i], i % side % 2 ? odd : even);
    free(greys);
    *at = strstr(*at, "base64,") + 7;
}

/* The middle slice has 1 and 2, the black and the white; the first 0 and 1, the last 2 and 3. */
static void sheets_have_one_range_of_grey(void **state)
{
    char path[TESTING_PATH];
    testing_path(path, *state, "sheet.html");
    for (int64_t chosen = -1; chosen < 3; chosen++) {
        char *text = sheet_of(path, 200, 3, chosen);
        const char *at = text, *frame = strstr(text, "<figure class=\"chosen\">");
        assert_non_null(strstr(text, "<p>about &lt;it&gt;</p>"));
        for (int i = 0; i < 3; i++) {
            const char *before = at;
            assert_columns(&at, 200, i == 2 ? 255 : 0, i == 0 ? 0 : 255);
            assert_true(i == chosen ? frame > before && frame < at : !frame || frame < before || frame > at);
            assert_non_null(strstr(at, "<figcaption>note</figcaption>"));
        }
        assert_null(strstr(at, "<img"));
        free(text);
    }
}

/* A slice that is too large for the page is averaged; its detail is beside it, voxel by voxel. */
static void large_slices_have_a_detail(void **state)
{
    char path[TESTING_PATH];
    testing_path(path, *state, "sheet.html");
    char *text = sheet_of(path, 1200, 1, -1);
    const char *at = text;
    png_image image;
    unsigned char *greys = read_picture(text, &image);
    assert_int_equal(image.width, 400); /* blocks of three columns: 0 1 0, and 1 0 1 */
    for (int i = 0; i < 400 * 400; i++) assert_int_equal(greys[i], i % 2 ? 170 : 85);
    free(greys);
    at = strstr(at, "base64,") + 7;
    assert_columns(&at, 300, 0, 255);
    assert_null(strstr(at, "<img"));
    free(text);
    text = sheet_of(path, 7, 2, -1);
    at = text;
    assert_columns(&at, 7, 0, 0); /* black and white are 1 and 2 */
    assert_columns(&at, 7, 0, 255);
    assert_null(strstr(at, "<img"));
    free(text);
}

static void sheets_that_fail_leave_nothing(void **state)
{
    char path[TESTING_PATH], partial[TESTING_PATH];
    Slices slices = {.size = 20, .fails = 2};
    testing_path(path, *state, "sheet.html");
    testing_path(partial, *state, "sheet.html.partial");
    assert_error(write_sheet(path, &slices, 3, -1), SINO_FAILED, "slice 2 is lost");
    assert_null(fopen(path, "r"));
    assert_null(fopen(partial, "r"));
    assert_error(write_sheet(testing_path(path, *state, "none/sheet.html"), &slices, 2, -1), SINO_BAD_INPUT,
                 "No such file or directory");
}

static char *live_text(const char *directory, const SinoLiveTrail *trail)
{
    char path[TESTING_PATH], *text = NULL;
    size_t size = 0;
    const SinoLivePage page = {.path = testing_path(path, directory, "live.html"),
                               .title = "t",
                               .units = "",
                               .algorithm = "fbp",
                               .next = "fista",
                               .trail = trail};
    assert_null(sino_live_page_write(&page));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(getdelim(&text, &size, '\0', file) > 0);
    assert_int_equal(fclose(file), 0);
    return text;
}

/* A center that the first projections do not tell has no point; one that no projections tell has no row. */
static void pages_show_how_a_volume_settles(void **state)
{
    static const char row[] = "by the projections so far</td>";
    SinoLiveTrail trail = {.count = 2, .added = {8, 16}, .center = {NAN, 9.25}, .entropy = {4, 3}, .doubt = 0.125};
    char *text = live_text(*state, &trail);
    assert_non_null(strstr(text, "by the projections so far</td><td>column 9.25, ± 0.12</td>"));
    assert_non_null(strstr(text, "The volume by fbp is complete; fista goes on"));
    assert_non_null(strstr(text, "Entropy of the middle slice"));
    assert_non_null(strstr(text, "Rotation center by the projections"));
    free(text);
    trail.center[1] = trail.doubt = NAN;
    text = live_text(*state, &trail);
    assert_non_null(strstr(text, "by the projections so far</td><td>not known yet</td>"));
    assert_null(strstr(text, "Rotation center by the projections"));
    free(text);
    trail.doubt = INFINITY;
    text = live_text(*state, &trail);
    assert_null(strstr(text, row));
    free(text);
    text = live_text(*state, NULL);
    assert_null(strstr(text, "Entropy"));
    free(text);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(page)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lengths_have_a_unit_that_fits),
                                       cmocka_unit_test(text_stands_for_itself),
                                       cmocka_unit_test(pictures_are_those_of_values),
                                       cmocka_unit_test(large_pictures_are_reduced),
                                       cmocka_unit_test(bars_are_round),
                                       TEST(pages_show_how_a_volume_settles),
                                       TEST(sheets_have_one_range_of_grey),
                                       TEST(large_slices_have_a_detail),
                                       TEST(sheets_that_fail_leave_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
