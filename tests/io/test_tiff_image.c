/* SPDX-License-Identifier: BSD-3-Clause */
/* TIFF image: the written bytes are read back, tags are right, and failures leave no file. */
#include "testing.h"
#include "tiff_images.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <tiffio.h>

enum { HEIGHT = 700, WIDTH = 513 }; /* more than one strip of 1 MiB */

static float *new_image(void)
{
    float *values = malloc(HEIGHT * WIDTH * sizeof *values);
    assert_non_null(values);
    for (int i = 0; i < HEIGHT * WIDTH; i++) values[i] = 0.25f * (float)i - 1000;
    values[5] = NAN;
    return values;
}

static void assert_same(TIFF *tiff, const float *values)
{
    float row[WIDTH];
    for (uint32_t i = 0; i < HEIGHT; i++) {
        assert_int_equal(TIFFReadScanline(tiff, row, i, 0), 1);
        assert_memory_equal(row, values + i * WIDTH, sizeof row);
    }
}

static void image_comes_back(void **state)
{
    char path[TESTING_PATH];
    uint32_t width = 0, height = 0;
    uint16_t bits = 0, format = 0;
    char *description = NULL;
    float *values = new_image();
    testing_path(path, *state, "image.tiff");
    assert_success(sino_tiff_image_write(path, HEIGHT, WIDTH, values, "1/cm"));
    TIFF *tiff = TIFFOpen(path, "r");
    assert_non_null(tiff);
    assert_true(TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width) && TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height));
    assert_true(TIFFGetField(tiff, TIFFTAG_BITSPERSAMPLE, &bits) && TIFFGetField(tiff, TIFFTAG_SAMPLEFORMAT, &format));
    assert_true(TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &description));
    assert_int_equal(width, WIDTH);
    assert_int_equal(height, HEIGHT);
    assert_int_equal(bits, 32);
    assert_int_equal(format, SAMPLEFORMAT_IEEEFP);
    assert_string_equal(description, "1/cm");
    assert_same(tiff, values);
    TIFFClose(tiff);
    free(values);
}

static void write_replaces_and_save_refuses(void **state)
{
    char path[TESTING_PATH];
    float one = 1, two = 2, found = 0;
    testing_path(path, *state, "image.tiff");
    const SinoTiffImage image = {.height = 1, .width = 1, .pixels = &one};
    assert_success(sino_tiff_image_save(path, false, &image));
    assert_error(sino_tiff_image_save(path, false, &image), SINO_BAD_INPUT, "/image.tiff exists | --overwrite");
    assert_success(sino_tiff_image_write(path, 1, 1, &two, NULL));
    TIFF *tiff = TIFFOpen(path, "r");
    assert_non_null(tiff);
    assert_int_equal(TIFFReadScanline(tiff, &found, 0, 0), 1);
    assert_true(found == 2);
    TIFFClose(tiff);
}

static void refusals(void **state)
{
    char path[TESTING_PATH];
    float one = 1;
    testing_path(path, *state, "image.tiff");
    assert_error(sino_tiff_image_write(path, 0, 1, &one, NULL), SINO_BAD_INPUT,
                 "/image.tiff | 0 × 1 pixels | TIFF | 1 × 1 to 2147483647 × 536870911");
    testing_path(path, *state, "absent/image.tiff");
    assert_error(sino_tiff_image_write(path, 1, 1, &one, NULL), SINO_BAD_INPUT, "/absent: No such file or directory");
}

static void full_disk_leaves_nothing(void **state)
{
    char path[TESTING_PATH];
    struct rlimit limit;
    float *values = new_image();
    testing_path(path, *state, "image.tiff");
    assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = 100000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    SinoStatus status = sino_tiff_image_write(path, HEIGHT, WIDTH, values, NULL);
    limit.rlim_cur = before;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_error(status, SINO_FAILED, "/image.tiff: writing failed at byte 100000: File too large");
    assert_int_equal(rmdir(*state), 0); /* succeeds only when it is empty */
    assert_int_equal(mkdir(*state, 0700), 0);
    free(values);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(tiff_image)
{
    const struct CMUnitTest tests[] = {
        TEST(image_comes_back),
        TEST(write_replaces_and_save_refuses),
        TEST(refusals),
        TEST(full_disk_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
