/* SPDX-License-Identifier: BSD-3-Clause */
/* TIFF stack: images of every type and layout, as sequences and as pages; unreadable files are refused. */
#include "testing_tiff.h"
#include "tiff_images.h"

#include <fcntl.h>
#include <sys/stat.h>

enum { ROWS = 37, COLUMNS = 21, PIXELS = ROWS * COLUMNS };

static const struct {
    int format, bits;
    const char *name;
    SinoCountType type;
} types[] = {
    {SAMPLEFORMAT_UINT, 8, "uint8", SINO_COUNT_UINT8},        {SAMPLEFORMAT_UINT, 16, "uint16", SINO_COUNT_UINT16},
    {SAMPLEFORMAT_UINT, 32, "uint32", SINO_COUNT_FLOAT32},    {SAMPLEFORMAT_INT, 8, "int8", SINO_COUNT_FLOAT32},
    {SAMPLEFORMAT_INT, 16, "int16", SINO_COUNT_FLOAT32},      {SAMPLEFORMAT_INT, 32, "int32", SINO_COUNT_FLOAT32},
    {SAMPLEFORMAT_IEEEFP, 32, "float32", SINO_COUNT_FLOAT32}, {SAMPLEFORMAT_IEEEFP, 64, "float64", SINO_COUNT_FLOAT32},
};
enum { TYPES = sizeof types / sizeof *types };

static const TestingTiff plain = {
    .format = SAMPLEFORMAT_UINT, .bits = 16, .rows = ROWS, .columns = COLUMNS, .strip_rows = 5};

static double count_at(const void *counts, SinoCountType type, int64_t i)
{
    if (type == SINO_COUNT_UINT8) return (double)((const uint8_t *)counts)[i];
    return type == SINO_COUNT_UINT16 ? (double)((const uint16_t *)counts)[i] : (double)((const float *)counts)[i];
}

/* `count` images from `first` on hold the pattern of images number_of[…]. */
static void check_box(const SinoTiffStack *stack, int64_t first, int64_t count, const SinoScanBox *box,
                      SinoCountType type)
{
    float *counts = calloc((size_t)(count * box->row_count * box->column_count), sizeof *counts);
    assert_non_null(counts);
    assert_success(sino_tiff_stack_read(stack, first, count, box, type, counts));
    int64_t at = 0;
    for (int64_t i = 0; i < count; i++)
        for (int64_t r = 0; r < box->row_count; r++)
            for (int64_t c = 0; c < box->column_count; c++)
                assert_true(count_at(counts, type, at++) ==
                            testing_tiff_value(first + i, box->first_row + r, box->first_column + c));
    free(counts);
}

static const SinoScanBox boxes[] = {
    {0, ROWS, 0, COLUMNS}, {4, 2, 0, COLUMNS}, {ROWS - 1, 1, COLUMNS - 1, 1}, {15, 3, 13, 5}, {0, 1, 1, 19}};

static void check_stack(const char *named, int64_t images, const char *stored_type, SinoCountType type)
{
    SinoTiffStack *stack;
    assert_true(sino_tiff_stack_probe(named));
    assert_success(sino_tiff_stack_open(named, &stack));
    assert_int_equal(stack->image_count, images);
    assert_int_equal(stack->page[0].row_count, ROWS);
    assert_int_equal(stack->page[0].column_count, COLUMNS);
    assert_string_equal(stack->page[0].stored_type, stored_type);
    assert_int_equal(stack->page[0].type, type);
    for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++) {
        check_box(stack, 0, images, &boxes[b], type);
        check_box(stack, images - 1, 1, &boxes[b], SINO_COUNT_FLOAT32);
    }
    sino_tiff_stack_close(stack);
}

static void every_type_and_layout_is_read(void **state)
{
    static const char *const modes[4] = {"wl", "wb", "w8l", "w8b"};
    static const int codings[] = {COMPRESSION_NONE,     COMPRESSION_LZW,  COMPRESSION_ADOBE_DEFLATE,
                                  COMPRESSION_PACKBITS, COMPRESSION_ZSTD, COMPRESSION_LZMA};
    static const int64_t strips[] = {1, 5, ROWS, 0};
    char path[TESTING_PATH];
    int made = 0;
    testing_path(path, *state, "image.tif");
    for (int t = 0; t < TYPES; t++)
        for (size_t k = 0; k < sizeof codings / sizeof *codings; k++)
            for (size_t s = 0; s < sizeof strips / sizeof *strips; s++) {
                if (!TIFFIsCODECConfigured((uint16_t)codings[k])) continue;
                const TestingTiff image = {.mode =
                                               modes[(made + made / 4) % 4], /* in turn: orders of bytes, and BigTIFF */
                                           .format = types[t].format,
                                           .bits = types[t].bits,
                                           .compression = codings[k],
                                           .rows = ROWS,
                                           .columns = COLUMNS,
                                           .strip_rows = strips[s],
                                           .tile = strips[s] ? 0 : 16};
                testing_tiff_write(path, &image);
                check_stack(path, 1, types[t].name, types[t].type);
                made++;
            }
    assert_true(made >= TYPES * 4 * 4); /* four codings are always there */
}

static void negative_numbers_stay_negative(void **state)
{
    char path[TESTING_PATH];
    SinoTiffStack *stack;
    float found;
    const int16_t value = -5;
    TIFF *tiff = TIFFOpen(testing_path(path, *state, "image.tif"), "w");
    assert_true(TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 1) && TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, 1) &&
                TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 16) &&
                TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_INT) &&
                TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK) &&
                TIFFWriteEncodedStrip(tiff, 0, (void *)(uintptr_t)&value, 2) == 2);
    TIFFClose(tiff);
    const SinoScanBox box = {0, 1, 0, 1};
    assert_success(sino_tiff_stack_open(path, &stack));
    assert_success(sino_tiff_stack_read(stack, 0, 1, &box, SINO_COUNT_FLOAT32, &found));
    assert_true(found == -5.0F);
    sino_tiff_stack_close(stack);
}

/* Images 0 … count − 1 under names whose order by bytes is another one. */
static void write_sequence(const char *folder, int64_t count)
{
    char path[TESTING_PATH], name[40];
    for (int64_t i = 0; i < count; i++) {
        TestingTiff image = plain;
        image.image = i;
        snprintf(name, sizeof name, "img_%d.TIF", (int)i + 1);
        testing_tiff_write(testing_path(path, folder, name), &image);
    }
}

static void sequences_are_in_natural_order(void **state)
{
    char path[TESTING_PATH];
    write_sequence(*state, 12);
    TestingTiff other = plain;
    other.rows = 3;
    testing_tiff_write(testing_path(path, *state, ".hidden_1.tif"), &other);
    FILE *text = fopen(testing_path(path, *state, "notes.txt"), "w");
    assert_true(text && fclose(text) == 0);
    check_stack(*state, 12, "uint16", SINO_COUNT_UINT16);
    check_stack(testing_path(path, *state, ""), 12, "uint16", SINO_COUNT_UINT16);
    check_stack(testing_path(path, *state, "img_*.[tT][iI][fF]*"), 12, "uint16", SINO_COUNT_UINT16);
    check_stack(testing_path(path, *state, "img_?.*"), 9, "uint16", SINO_COUNT_UINT16);
}

static void pages_are_images(void **state)
{
    char path[TESTING_PATH];
    testing_path(path, *state, "stack [1].tif"); /* an existing name is no pattern */
    for (int64_t i = 0; i < 5; i++) {
        TestingTiff image = plain;
        image.mode = i ? "a" : "w";
        image.image = i;
        image.strip_rows = i + 2; /* pages need not be stored alike */
        image.compression = i % 2 ? COMPRESSION_ADOBE_DEFLATE : COMPRESSION_NONE;
        testing_tiff_write(path, &image);
    }
    check_stack(path, 5, "uint16", SINO_COUNT_UINT16);
}

static void refuse(const char *named, const char *text)
{
    SinoTiffStack *stack = NULL;
    assert_error(sino_tiff_stack_open(named, &stack), SINO_BAD_INPUT, text);
    assert_null(stack);
}

static void images_that_disagree(void **state)
{
    char path[TESTING_PATH], folder[TESTING_PATH];
    write_sequence(*state, 3);
    testing_path(path, *state, "img_2.TIF");
    TestingTiff other = plain;
    other.columns = COLUMNS + 1;
    testing_tiff_write(path, &other);
    refuse(*state, "img_2.TIF | 37 rows | 22 columns | 37 and 21");
    other.columns = COLUMNS;
    other.format = SAMPLEFORMAT_INT;
    testing_tiff_write(path, &other);
    refuse(*state, "img_2.TIF | int16 | uint16");
    testing_tiff_write(path, &plain);
    TestingTiff second = plain;
    second.mode = "a";
    testing_tiff_write(path, &second);
    refuse(*state, "img_2.TIF | 2 | several");
    second.rows = 8;
    testing_tiff_write(path, &second);
    refuse(path, "img_2.TIF | 2 | 21 columns | 37 and 21");
    testing_tiff_write(testing_path(path, *state, "flat_1.tif"), &plain);
    snprintf(folder, sizeof folder, "%s holds files of different names, such as ", (const char *)*state);
    refuse(*state, folder);
}

static void names_that_lead_nowhere(void **state)
{
    char path[TESTING_PATH];
    testing_path(path, *state, "p_*.tif");
    refuse(path, "p_*.tif' matches no file");
    assert_false(sino_tiff_stack_probe(*state));
    refuse(*state, " is a folder without .tif files");
    assert_int_equal(mkdir(testing_path(path, *state, "p_1.tif"), 0700), 0);
    refuse(path, " is a folder without .tif files");
    testing_path(path, *state, "p_*");
    refuse(path, "p_1.tif is not a regular file");
    refuse("absent.tif", "absent.tif: No such file or directory");
}

static void images_of_other_kinds(void **state)
{
    char path[TESTING_PATH];
    testing_path(path, *state, "image.tif");
    TestingTiff image = plain;
    image.samples = 3;
    image.photometric = PHOTOMETRIC_RGB;
    testing_tiff_write(path, &image);
    refuse(path, "image.tif | 3 numbers | 1");
    image = plain;
    image.photometric = -1;
    testing_tiff_write(path, &image);
    refuse(path, "image.tif | grey values whose 0 is white | grey values whose 0 is black");
    image = plain;
    image.format = SAMPLEFORMAT_IEEEFP;
    testing_tiff_write(path, &image);
    refuse(path,
           "image.tif has numbers of 16 bits in sample format 3; allowed: integers of 8, 16 or 32 bits, floats of "
           "32 or 64");
    image = plain;
    image.description = "ImageJ=1.53c\nimages=300\nslices=300\n";
    testing_tiff_write(path, &image);
    refuse(path, "image.tif is an ImageJ stack whose images lie behind one page");
    image.description = "ImageJ=1.53c\n";
    testing_tiff_write(path, &image);
    check_stack(path, 1, "uint16", SINO_COUNT_UINT16);
}

/* Gives the only page of a file another number of compression. */
static void set_compression(const char *path, uint16_t number)
{
    enum { MOST = 4096, TAG = 259, TYPE = 3 };
    uint8_t bytes[MOST], entry[8] = {TAG & 255, TAG >> 8, TYPE, 0, 1};
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t count = fread(bytes, 1, MOST, file);
    fclose(file);
    uint8_t *at = memmem(bytes, count, entry, sizeof entry);
    assert_non_null(at);
    memcpy(at + sizeof entry, &number, sizeof number);
    testing_write_bytes(path, bytes, count);
}

static void pixels_that_mean_something_else(void **state)
{
    char path[TESTING_PATH];
    testing_path(path, *state, "image.tif");
    TestingTiff image = plain;
    image.photometric = PHOTOMETRIC_RGB;
    testing_tiff_write(path, &image);
    refuse(path, "image.tif | parts of colours | grey values whose 0 is black");
    image = plain;
    image.orientation = ORIENTATION_BOTLEFT;
    testing_tiff_write(path, &image);
    refuse(path, "image.tif | TIFF | 4 | 1");
    testing_tiff_write(path, &plain);
    set_compression(path, 34712);
    refuse(path, "image.tif is compressed by JPEG 2000 (TIFF compression 34712), which libtiff cannot read here; ");
    set_compression(path, 50002);
    refuse(path, "image.tif is compressed by JPEG XL (TIFF compression 50002), which libtiff cannot read here; ");
    set_compression(path, 60000);
    refuse(path, "image.tif is compressed by a codec that it does not know (TIFF compression 60000), ");
}

/* As large as the images, before and behind them, in one file and in several. */
static void previews_are_no_images(void **state)
{
    char path[TESTING_PATH];
    TestingTiff image = plain, preview = plain;
    image.mode = preview.mode = "a";
    preview.subfile = FILETYPE_REDUCEDIMAGE;
    preview.image = 9;
    testing_path(path, *state, "stack.tif");
    for (image.image = 0; image.image < 3; image.image++) {
        testing_tiff_write(path, &preview);
        testing_tiff_write(path, &image);
    }
    check_stack(path, 3, "uint16", SINO_COUNT_UINT16);
    assert_int_equal(remove(path), 0);
    for (image.image = 0; image.image < 3; image.image++) {
        char name[] = "p_0.tif";
        name[2] = (char)('0' + image.image);
        testing_tiff_write(testing_path(path, *state, name), &preview);
        testing_tiff_write(path, &image);
    }
    check_stack(*state, 3, "uint16", SINO_COUNT_UINT16);
    testing_tiff_write(testing_path(path, *state, "previews.tif"), &preview);
    refuse(path, "previews.tif has previews and masks only");
}

/* Brackets of a folder that exists belong to its name, those behind it to the pattern. */
static void folders_with_brackets(void **state)
{
    char path[TESTING_PATH];
    TestingTiff image = plain;
    assert_int_equal(mkdir(testing_path(path, *state, "run[2] a*"), 0700), 0);
    assert_int_equal(mkdir(testing_path(path, *state, "run[2] a*/b"), 0700), 0);
    for (image.image = 0; image.image < 3; image.image++) {
        char name[] = "run[2] a*/b/p_0.tif";
        name[14] = (char)('0' + image.image);
        testing_tiff_write(testing_path(path, *state, name), &image);
    }
    check_stack(testing_path(path, *state, "run[2] a*/b/p_[0-2].tif"), 3, "uint16", SINO_COUNT_UINT16);
    check_stack(testing_path(path, *state, "run[2] a*/?/p_*.tif"), 3, "uint16", SINO_COUNT_UINT16);
}

static off_t size_of(const char *path)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return about.st_size;
}

/* Every cut is refused, at the latest when the pixels are read. */
static void cut_files(void **state)
{
    char path[TESTING_PATH];
    float counts[PIXELS];
    testing_path(path, *state, "image.tif");
    for (int coding = 0; coding < 2; coding++) {
        TestingTiff image = plain;
        image.compression = coding ? COMPRESSION_ADOBE_DEFLATE : COMPRESSION_NONE;
        testing_tiff_write(path, &image);
        for (off_t size = size_of(path) - 1; size >= 0; size -= 1 + size / 50) {
            SinoTiffStack *stack = NULL;
            assert_int_equal(truncate(path, size), 0);
            SinoStatus status = sino_tiff_stack_open(path, &stack);
            if (!status) status = sino_tiff_stack_read(stack, 0, 1, &boxes[0], SINO_COUNT_FLOAT32, counts);
            assert_error(status, SINO_BAD_INPUT, "image.tif");
            sino_tiff_stack_close(stack);
        }
    }
}

/* A box needs only the strips that it meets. */
static void damaged_strips_matter_where_they_are(void **state)
{
    char path[TESTING_PATH];
    float counts[PIXELS];
    SinoTiffStack *stack;
    TestingTiff image = plain;
    image.compression = COMPRESSION_ADOBE_DEFLATE;
    testing_tiff_write(testing_path(path, *state, "image.tif"), &image);
    TIFF *tiff = TIFFOpen(path, "r");
    const off_t second = (off_t)TIFFGetStrileOffset(tiff, 1);
    TIFFClose(tiff);
    FILE *file = fopen(path, "r+b");
    assert_true(file && fseeko(file, second, SEEK_SET) == 0 && fputs("damage", file) >= 0 && fclose(file) == 0);
    assert_success(sino_tiff_stack_open(path, &stack));
    const SinoScanBox first = {0, 5, 0, COLUMNS}, third = {10, 27, 0, COLUMNS}, across = {4, 2, 3, 1};
    check_box(stack, 0, 1, &first, SINO_COUNT_UINT16);
    check_box(stack, 0, 1, &third, SINO_COUNT_UINT16);
    assert_error(sino_tiff_stack_read(stack, 0, 1, &across, SINO_COUNT_UINT16, counts), SINO_BAD_INPUT,
                 "image.tif is cut or damaged: strip or tile 1 cannot be read (libtiff: ");
    sino_tiff_stack_close(stack);
}

static void files_that_change(void **state)
{
    char path[TESTING_PATH];
    float counts[PIXELS];
    SinoTiffStack *stack;
    testing_path(path, *state, "image.tif");
    testing_tiff_write(path, &plain);
    assert_success(sino_tiff_stack_open(path, &stack));
    TestingTiff other = plain;
    other.bits = 8;
    testing_tiff_write(path, &other);
    assert_error(sino_tiff_stack_read(stack, 0, 1, &boxes[0], SINO_COUNT_UINT16, counts), SINO_BAD_INPUT, "image.tif");
    assert_int_equal(unlink(path), 0);
    assert_error(sino_tiff_stack_read(stack, 0, 1, &boxes[0], SINO_COUNT_UINT16, counts), SINO_BAD_INPUT,
                 "image.tif: No such file or directory");
    sino_tiff_stack_close(stack);
}

static void look(SinoTiffStack *stack, int64_t whole)
{
    SinoStatus reason = NULL;
    assert_success(sino_tiff_stack_look(stack, &reason));
    assert_success(reason);
    assert_int_equal(stack->whole, whole);
}

/* Images count once two looks find them alike. One that is written again ends the reading, at once or at the end. */
static void files_that_come(void **state)
{
    char path[TESTING_PATH], third[TESTING_PATH];
    uint16_t counts[PIXELS];
    SinoTiffStack *stack;
    SinoStatus reason = NULL;
    write_sequence(*state, 2);
    assert_success(sino_tiff_stack_follow(*state, &stack));
    stack->image_count = 3;
    look(stack, 0);
    look(stack, 2);
    check_box(stack, 0, 2, &boxes[0], SINO_COUNT_UINT16);
    TestingTiff image = plain;
    image.image = 2;
    testing_tiff_write(testing_path(third, *state, "img_3.TIF"), &image);
    look(stack, 2);
    assert_int_equal(utimensat(AT_FDCWD, third, (struct timespec[2]){{.tv_sec = 1}, {.tv_sec = 1}}, 0), 0);
    look(stack, 2);
    look(stack, 3);
    testing_path(path, *state, "img_1.TIF");
    assert_int_equal(utimensat(AT_FDCWD, path, (struct timespec[2]){{.tv_sec = 1}, {.tv_sec = 1}}, 0), 0);
    assert_error(sino_tiff_stack_read(stack, 0, 3, &boxes[0], SINO_COUNT_UINT16, counts), SINO_FAILED,
                 "img_1.TIF was written again");
    assert_error(sino_tiff_stack_look(stack, &reason), SINO_FAILED, "img_1.TIF was written again | two scans");
    assert_success(reason);
    sino_tiff_stack_close(stack);
}

static void assert_remark(int64_t count, char **name, const char *expected)
{
    char remark[512] = "";
    const SinoFileList list = {.count = count, .name = name};
    sino_file_list_remark(&list, "so", sizeof remark, remark);
    assert_string_equal(remark, expected);
}

static void gaps_are_found(void **state)
{
    char *names[] = {"a/p_08.tif", "a/p_09.tif", "a/p_10.tif", "a/p_12.tif"};
    char *steps[] = {"p0.tif", "p2.tif", "p4.tif"}, *other[] = {"p1_x.tif", "p1_y.tif", "q.tif"};
    (void)state;
    assert_remark(4, names, "the numbers of the files skip some between a/p_10.tif and a/p_12.tif; so");
    assert_remark(3, names, "");
    assert_remark(3, steps, "");
    assert_remark(3, other, "");
}

static void natural_order(void **state)
{
    static const char *const sorted[] = {"",
                                         "a",
                                         "a1",
                                         "a01",
                                         "a2",
                                         "a10",
                                         "a10.b",
                                         "a10b1c",
                                         "a10b02c",
                                         "a010c",
                                         "b99999999999999999999",
                                         "b100000000000000000000"};
    enum { COUNT = sizeof sorted / sizeof *sorted };
    (void)state;
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < COUNT; j++) {
            const int order = sino_natural_compare(sorted[i], sorted[j]);
            if (i == 2 && j == 3) continue; /* equal numbers: by bytes */
            if (i == 3 && j == 2) continue;
            assert_true(i < j ? order < 0 : i > j ? order > 0 : order == 0);
        }
    assert_true(sino_natural_compare("a01", "a1") < 0 && sino_natural_compare("a1", "a01") > 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(tiff_stack)
{
    const struct CMUnitTest tests[] = {
        TEST(every_type_and_layout_is_read),
        TEST(negative_numbers_stay_negative),
        TEST(sequences_are_in_natural_order),
        TEST(pages_are_images),
        TEST(images_that_disagree),
        TEST(names_that_lead_nowhere),
        TEST(images_of_other_kinds),
        TEST(pixels_that_mean_something_else),
        TEST(previews_are_no_images),
        TEST(folders_with_brackets),
        TEST(cut_files),
        TEST(damaged_strips_matter_where_they_are),
        TEST(files_that_change),
        TEST(files_that_come),
        cmocka_unit_test(gaps_are_found),
        cmocka_unit_test(natural_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
