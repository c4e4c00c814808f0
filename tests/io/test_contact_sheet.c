/* SPDX-License-Identifier: BSD-3-Clause */
/* Contact sheet: places and greys of slices, small and large; the frame of the chosen one; errors of reading. */
#include "contact_sheet.h"
#include "testing.h"

#include <png.h>

typedef struct Slices {
    int64_t size;
    int64_t fails; /* the slice that cannot be read; −1: none */
} Slices;

/* Slice n has the value n where its columns are even, n + 1 where they are odd; some noise at the top left. */
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
        picture[i] = (SinoContactPicture){.title = "title", .note = "note", .chosen = i == chosen};
    return sino_contact_sheet_write(path, &(SinoContactSheet){.title = "a sheet",
                                                              .note = "about it",
                                                              .size = slices->size,
                                                              .count = count,
                                                              .picture = picture,
                                                              .read = read_slice,
                                                              .owner = slices});
}

typedef struct Sheet {
    png_image image;
    unsigned char *rgb;
} Sheet;

static Sheet read_sheet(const char *path)
{
    Sheet sheet = {.image = {.version = PNG_IMAGE_VERSION}};
    assert_true(png_image_begin_read_from_file(&sheet.image, path));
    sheet.image.format = PNG_FORMAT_RGB;
    sheet.rgb = malloc(PNG_IMAGE_SIZE(sheet.image));
    assert_non_null(sheet.rgb);
    assert_true(png_image_finish_read(&sheet.image, NULL, sheet.rgb, 0, NULL));
    return sheet;
}

static const unsigned char *pixel(const Sheet *sheet, int x, int y)
{
    return sheet->rgb + 3 * ((int64_t)y * sheet->image.width + x);
}

/* Pixels of the colour of the frame. */
static int framed(const Sheet *sheet)
{
    int count = 0;
    for (unsigned y = 0; y < sheet->image.height; y++)
        for (unsigned x = 0; x < sheet->image.width; x++) {
            const unsigned char *at = pixel(sheet, (int)x, (int)y);
            count += at[0] == 213 && at[1] == 94 && at[2] == 0;
        }
    return count;
}

enum { LEFT = 14, TOP = 82 }; /* of the first picture */

static void greys_are_those_of_the_values(void **state)
{
    char path[TESTING_PATH];
    Slices slices = {.size = 200, .fails = -1};
    testing_path(path, *state, "sheet.png");
    assert_success(write_sheet(path, &slices, 3, -1));
    Sheet sheet = read_sheet(path);
    /* The middle slice has 1 and 2, the black and the white; the first 0 and 1, the last 2 and 3. */
    assert_int_equal(pixel(&sheet, LEFT + 1, TOP + 5)[0], 0);
    assert_int_equal(pixel(&sheet, LEFT, TOP + 5)[0], 0);
    assert_int_equal(pixel(&sheet, LEFT + 284, TOP + 5)[1], 0);
    assert_int_equal(pixel(&sheet, LEFT + 285, TOP + 5)[1], 255);
    assert_int_equal(framed(&sheet), 0);
    free(sheet.rgb);
    assert_success(write_sheet(path, &slices, 3, 1));
    sheet = read_sheet(path);
    assert_true(framed(&sheet) > 500);
    free(sheet.rgb);
}

/* A large slice is averaged, and its detail is beside it. */
static void large_slices_have_a_detail(void **state)
{
    char path[TESTING_PATH];
    Slices slices = {.size = 1200, .fails = -1};
    testing_path(path, *state, "sheet.png");
    assert_success(write_sheet(path, &slices, 1, -1));
    Sheet sheet = read_sheet(path);
    assert_int_equal(sheet.image.width, LEFT + 300 + 2 + 300 + 14);
    assert_int_equal(pixel(&sheet, LEFT + 100, TOP + 100)[0], 128); /* the mean of black and white */
    const int a = pixel(&sheet, LEFT + 302 + 100, TOP + 100)[0], b = pixel(&sheet, LEFT + 302 + 101, TOP + 100)[0];
    assert_true((a == 0 && b == 255) || (a == 255 && b == 0));
    free(sheet.rgb);
    slices.size = 7; /* magnified */
    assert_success(write_sheet(path, &slices, 2, -1));
    sheet = read_sheet(path);
    assert_int_equal(pixel(&sheet, LEFT + 10, TOP + 10)[0], 0);
    free(sheet.rgb);
}

static void errors(void **state)
{
    char path[TESTING_PATH], partial[TESTING_PATH];
    Slices slices = {.size = 20, .fails = 2};
    testing_path(path, *state, "sheet.png");
    testing_path(partial, *state, "sheet.png.partial");
    assert_error(write_sheet(path, &slices, 3, -1), SINO_FAILED, "slice 2 is lost");
    assert_null(fopen(path, "r"));
    assert_null(fopen(partial, "r"));
    assert_error_has(write_sheet(testing_path(path, *state, "none/sheet.png"), &slices, 2, -1), SINO_BAD_INPUT,
                     "No such file or directory");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(contact_sheet)
{
    const struct CMUnitTest tests[] = {TEST(greys_are_those_of_the_values), TEST(large_slices_have_a_detail),
                                       TEST(errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
