/* SPDX-License-Identifier: BSD-3-Clause */
/* Scans in MRC, FITS, DM3 and DM4: types, orders of bytes and dimensions, angles, scales, files that are damaged. */
#include "testing_arrays.h"

enum { FILE_BYTES = 16384 };

/* A file that grows at its end; numbers have the order of bytes of the type. */
typedef struct File {
    unsigned char bytes[FILE_BYTES];
    size_t count;
} File;

static void put(File *file, const char *type, double value)
{
    assert_true(file->count + 8 <= sizeof file->bytes);
    file->count += store(type, value, file->bytes + file->count);
}

static void put_bytes(File *file, const void *bytes, size_t count)
{
    assert_true(file->count + count <= sizeof file->bytes);
    memcpy(file->bytes + file->count, bytes, count);
    file->count += count;
}

static void put_scan(File *file, const char *type)
{
    for (int64_t k = 0; k < ANGLES; k++)
        for (int i = 0; i < PIXELS; i++) put(file, type, value_at(k, i / COLUMNS, i % COLUMNS));
}

/* The angle of a projection; its file has no --theta. */
static void check_angles(const char *path, double first_deg, double step_deg, const char *source)
{
    SinoScan *scan;
    assert_success(sino_scan_open(&(SinoScanRequest){.path = path}, &scan));
    const SinoScanInfo *info = sino_scan_info(scan);
    assert_false(info->angle_assumed);
    assert_non_null(strstr(info->evidence, source));
    for (int64_t k = 0; k < info->angle_count; k++)
        assert_true(fabs(info->angle_rad[k] * 180 / M_PI - (first_deg + (double)k * step_deg)) < 1e-9);
    sino_scan_close(scan);
}

static void put_at(File *file, size_t offset, const char *type, double value)
{
    (void)store(type, value, file->bytes + offset);
}

/* A header for images of a mode; `extended`: bytes behind it. */
static void put_mrc(File *file, char order, int mode, int extended)
{
    const char whole[] = {order, 'i', '4', '\0'};
    const int sizes[] = {COLUMNS, ROWS, ANGLES, mode};
    *file = (File){.count = 1024 + (size_t)extended};
    for (size_t i = 0; i < 4; i++) put_at(file, 4 * i, whole, sizes[i]);
    put_at(file, 92, whole, extended);
    memcpy(file->bytes + 208, order == '>' ? "MAP \x11\x11" : "MAP \x44\x44", 6);
}

/* Bits of a whole number below 2048 as a float of 16 bits. */
static double half_bits(double value)
{
    const int exponent = ilogb(value);
    return value == 0 ? 0 : (exponent + 15) * 1024 + ldexp(value, 10 - exponent) - 1024;
}

static void mrc_of_every_mode(void **state)
{
    static const struct {
        int mode;
        const char *types[2], *stored_type;
    } cases[] = {{0, {"|u1", "|u1"}, "uint8"},
                 {1, {"<i2", ">i2"}, "int16"},
                 {2, {"<f4", ">f4"}, "float32"},
                 {6, {"<u2", ">u2"}, "uint16"},
                 {12, {"<u2", ">u2"}, "float16"}};
    char path[TESTING_PATH];
    File file;
    testing_path(path, *state, "scan.mrc");
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const char *type = cases[i / 2].types[i % 2], order = i % 2 ? '>' : '<', whole[] = {order, 'i', '4', '\0'};
        put_mrc(&file, order, cases[i / 2].mode, 160);
        put_at(&file, 152, whole, 1146047817); /* IMOD's bytes have no sign */
        for (int v = 0; v < VALUES; v++) {
            const double value = value_at(v / PIXELS, v % PIXELS / COLUMNS, v % COLUMNS);
            put(&file, type, cases[i / 2].mode == 12 ? half_bits(value) : value);
        }
        testing_write_bytes(path, file.bytes, file.count);
        check_scan(&(SinoScanRequest){.path = path, .theta = "0:180"}, "MRC images", cases[i / 2].stored_type);
        check_scan(&(SinoScanRequest){.path = *state, .theta = "0:180"}, "MRC images", cases[i / 2].stored_type);
    }
}

static void mrc_bytes_have_a_sign(void **state)
{
    const SinoScanBox box = {0, ROWS, 0, COLUMNS};
    char path[TESTING_PATH];
    float values[PIXELS];
    File file;
    SinoScan *scan;
    put_mrc(&file, '<', 0, 0);
    for (int i = 0; i < VALUES; i++) file.bytes[file.count++] = (unsigned char)(253 + i);
    testing_write_bytes(testing_path(path, *state, "scan.mrc"), file.bytes, file.count);
    const SinoScanRequest request = {.path = path, .theta = "0:180", .axes = SINO_AXES_ANGLE_COLUMN_ROW};
    assert_success(sino_scan_open(&request, &scan));
    assert_int_equal(sino_scan_info(scan)->row_count, COLUMNS);
    assert_success(sino_scan_read_projection(scan, 0, &(SinoScanBox){1, 1, 0, 2}, values));
    assert_true(values[0] == -2 && values[1] == 2); /* the first pixel of the second column, and the one below */
    sino_scan_close(scan);
    assert_success(sino_scan_open(&(SinoScanRequest){.path = path, .theta = "0:180"}, &scan));
    assert_success(sino_scan_read_projection(scan, 0, &box, values));
    for (int i = 0; i < PIXELS; i++) assert_true(values[i] == (float)(i - 3));
    assert_success(sino_scan_read_projection(scan, ANGLES - 1, &box, values));
    sino_scan_close(scan);
}

static void mrc_angles(void **state)
{
    static const char mdoc[] = "PixelSpacing = 1\r\n[T = Tilt axis angle = 85.3, binning = 1]\r\n[ZValue = 0]\r\n"
                               "TiltAngle = -4\r\nTiltAngle = -2\nTiltAngle = 0\nTiltAngle = 2\nTiltAngle = 4\n";
    char path[TESTING_PATH], beside[TESTING_PATH];
    File file;
    SinoScan *scan;
    testing_path(path, *state, "scan.mrc");
    for (int kind = 0; kind < 6; kind++) { /* SerialEM, Agard's, FEI's, each in both orders */
        static const int record[] = {4, 128, 768};
        const char order = kind % 2 ? '>' : '<', *const types[] = {kind % 2 ? ">i2" : "<i2", kind % 2 ? ">f4" : "<f4",
                                                                   kind % 2 ? ">f8" : "<f8"};
        const char *whole = kind % 2 ? ">i4" : "<i4";
        put_mrc(&file, order, 1, ANGLES * record[kind / 2]);
        for (int k = 0; k < ANGLES; k++) {
            const size_t at = 1024 + (size_t)(k * record[kind / 2]);
            put_at(&file, at, whole, 768);
            if (kind / 2 == 2) put_at(&file, at + 8, whole, 255);
            put_at(&file, at + (kind / 2 == 2 ? 100 : 0), types[kind / 2], (-60.5 + 3 * k) * (kind / 2 == 0 ? 100 : 1));
        }
        if (kind / 2 == 0) put_at(&file, 128, types[0], 4);
        put_at(&file, 130, types[0], kind / 2 == 0 ? 1 + 16 : kind / 2 == 1 ? 32 : 0);
        if (kind / 2 == 2) memcpy(file.bytes + 104, "FEI1", 4);
        put_scan(&file, types[0]);
        testing_write_bytes(path, file.bytes, file.count);
        check_angles(path, -60.5, 3, "its extended header");
    }
    testing_write_bytes(testing_path(beside, *state, "scan.mrc.mdoc"), mdoc, sizeof mdoc - 1);
    check_angles(path, -4, 2, "scan.mrc.mdoc");
    assert_success(sino_scan_open(&(SinoScanRequest){.path = path}, &scan));
    assert_non_null(strstr(sino_scan_info(scan)->remark, "the tilt axis is turned by 85.3 degrees"));
    sino_scan_close(scan);
    testing_write_bytes(testing_path(beside, *state, "scan.rawtlt"), " -3\n -2\n -1\n 0\n 1\n", 18);
    check_angles(path, -3, 1, "scan.rawtlt");
    testing_write_bytes(beside, " -3\n -2\n -1\n 0\n", 15);
    refused(&(SinoScanRequest){.path = path}, "beside | scan.rawtlt | 4 angles | 5 projections | allowed");
    assert_success(sino_scan_open(&(SinoScanRequest){.path = path, .theta = "0:180"}, &scan));
    sino_scan_close(scan);
}

static void mrc_that_is_damaged(void **state)
{
    static const struct {
        int offset, value;
        const char *message;
    } cases[] = {
        {0, -1, "scan.mrc has -1 columns; allowed: 1 to"},
        {4, 1 << 21, "2097152 rows"},
        {8, 0, "0 images"},
        {8, 6, "is cut: it has 120 of the 144 bytes"},
        {8, 1 << 20, "is cut"},
        {12, 4, "mode 4 | 0, 1, 2, 6 and 12"},
        {12, 101, "mode 101"},
        {92, -1, "extended header of -1 bytes"},
        {92, INT32_MAX, "is cut: it has 0 of the 120 bytes"},
    };
    char path[TESTING_PATH];
    const SinoScanRequest request = {.path = testing_path(path, *state, "scan.mrc")};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        File file;
        put_mrc(&file, '<', 1, 0);
        put_at(&file, 130, "<i2", 32);
        put_scan(&file, "<i2");
        put_at(&file, (size_t)cases[i].offset, "<i4", cases[i].value);
        testing_write_bytes(path, file.bytes, file.count);
        refused(&request, cases[i].message);
    }
}

static void put_card(File *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put_card(File *file, const char *format, ...)
{
    char card[128];
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(card, sizeof card, format, values);
    va_end(values);
    assert_true(length > 0 && length <= 80);
    memset(card + length, ' ', (size_t)(80 - length));
    put_bytes(file, card, 80);
}

static void fill_block(File *file, int with)
{
    while (file->count % 2880) file->bytes[file->count++] = (unsigned char)with;
}

/* A header of `images` images, 0: one of two dimensions; `more`: a card, or "". */
static void put_fits(File *file, int bits, int images, const char *more)
{
    put_card(file, "SIMPLE  =                    T / a comment");
    put_card(file, "BITPIX  = %20d / bits", bits);
    put_card(file, "NAXIS   = %20d", images ? 3 : 2);
    put_card(file, "NAXIS1  = %20d", COLUMNS);
    put_card(file, "NAXIS2  = %20d", ROWS);
    if (images) put_card(file, "NAXIS3  = %20d", images);
    if (*more) put_card(file, "%s", more);
    put_card(file, "END");
    fill_block(file, ' ');
}

static void fits_of_every_type(void **state)
{
    static const struct {
        int bits;
        const char *type, *more, *stored_type;
        double offset;
    } cases[] = {
        {8, "|u1", "", "uint8", 0},
        {16, ">i2", "", "int16", 0},
        {16, ">i2", "BZERO   =  3.2768D4 / unsigned", "uint16", -32768},
        {16, ">i2", "BZERO   = -5", "int16, scaled", 5},
        {32, ">i4", "BLANK   = -1", "int32, scaled", 0},
        {-32, ">f4", "", "float32", 0},
        {-64, ">f8", "OBJECT  = 'a / name'", "float64", 0},
    };
    char path[TESTING_PATH], name[32];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        File file = {.count = 0};
        put_fits(&file, cases[i].bits, ANGLES, cases[i].more);
        for (int v = 0; v < VALUES; v++)
            put(&file, cases[i].type, value_at(v / PIXELS, v % PIXELS / COLUMNS, v % COLUMNS) + cases[i].offset);
        fill_block(&file, 0);
        testing_write_bytes(testing_path(path, *state, "scan.fits"), file.bytes, file.count);
        check_scan(&(SinoScanRequest){.path = path, .theta = "0:180"}, "FITS images", cases[i].stored_type);
        assert_int_equal(remove(path), 0);
        for (int k = 0; k < ANGLES; k++) {
            File image = {.count = 0};
            put_fits(&image, cases[i].bits, 0, cases[i].more);
            for (int v = 0; v < PIXELS; v++)
                put(&image, cases[i].type, value_at(k, v / COLUMNS, v % COLUMNS) + cases[i].offset);
            snprintf(name, sizeof name, "p_%d.fits", k + 8);
            testing_write_bytes(testing_path(path, *state, name), image.bytes, image.count);
        }
        check_scan(&(SinoScanRequest){.path = *state, .theta = "0:180"}, "FITS images", cases[i].stored_type);
        check_scan(&(SinoScanRequest){.path = testing_path(path, *state, "p_*.fits"), .theta = "0:180"}, "FITS images",
                   cases[i].stored_type);
        for (int k = 0; k < ANGLES; k++) {
            snprintf(name, sizeof name, "p_%d.fits", k + 8);
            assert_int_equal(remove(testing_path(path, *state, name)), 0);
        }
    }
}

/* An image behind a unit without any, blank pixels, and units behind it. */
static void fits_units(void **state)
{
    char path[TESTING_PATH];
    float values[PIXELS];
    File file = {.count = 0};
    SinoScan *scan;
    put_card(&file, "SIMPLE  =                    T");
    put_card(&file, "BITPIX  = 8");
    put_card(&file, "NAXIS   = 0");
    put_card(&file, "END");
    fill_block(&file, ' ');
    put_card(&file, "XTENSION= 'IMAGE   '");
    put_card(&file, "BITPIX  = 16");
    put_card(&file, "NAXIS   = 2");
    put_card(&file, "NAXIS1  = %d", COLUMNS);
    put_card(&file, "NAXIS2  = %d", ROWS);
    put_card(&file, "BSCALE  = 0.5");
    put_card(&file, "BLANK   = 7");
    put_card(&file, "END");
    fill_block(&file, ' ');
    for (int v = 0; v < PIXELS; v++) put(&file, ">i2", v);
    fill_block(&file, 0);
    file.count += 2880;
    testing_write_bytes(testing_path(path, *state, "scan.fits"), file.bytes, file.count);
    assert_success(sino_scan_open(&(SinoScanRequest){.path = path, .theta = "0:step:1"}, &scan));
    assert_non_null(strstr(sino_scan_info(scan)->remark, "only its first image or cube is read"));
    assert_success(sino_scan_read_projection(scan, 0, &(SinoScanBox){0, ROWS, 0, COLUMNS}, values));
    for (int v = 0; v < PIXELS; v++) assert_true(v == 7 ? isnan(values[v]) : values[v] == 0.5F * (float)v);
    sino_scan_close(scan);
}

static void fits_that_is_damaged(void **state)
{
    static const struct {
        const char *card, *message;
    } cases[] = {
        {"NAXIS1  = 99999999999999999999999", "columns"},
        {"NAXIS1  = 9223372036854775807", "9223372036854775807 columns"},
        {"NAXIS2  = -3", "NAXIS2 | '-3' | 0 to"},
        {"NAXIS2  = 1048576", "is cut"},
        {"NAXIS   = 1", "scan.fits has no image; allowed: FITS with an array of 2 or 3 dimensions"},
        {"NAXIS   = 10", "NAXIS | 10"},
        {"BITPIX  = 12", "BITPIX is 12; allowed: 8, 16, 32, 64, -32 and -64"},
        {"BITPIX  = x", "BITPIX | x"},
        {"BSCALE  = 0.0", "BSCALE is 0; allowed: other numbers"},
        {"BZERO   = inf", "BZERO | inf | a number"},
        {"ZIMAGE  = T", "compressed | funpack"},
    };
    char path[TESTING_PATH];
    const SinoScanRequest request = {.path = testing_path(path, *state, "scan.fits"), .theta = "0:180"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        File file = {.count = 0};
        put_fits(&file, 16, ANGLES, cases[i].card);
        put_scan(&file, ">i2");
        testing_write_bytes(path, file.bytes, file.count);
        refused(&request, cases[i].message);
    }
    testing_write_bytes(path, "SIMPLE  =  T", 12);
    refused(&request, "FITS header without END");
    testing_write_bytes(testing_path(path, *state, "p_1.tif"), "II", 2);
    refused(&(SinoScanRequest){.path = *state, .theta = "0:180"},
            "has FITS images and TIFF images | pattern | *.fits'");
}

static bool wide;
static double tilt_deg; /* of the stage, where a file has one image */

static void put_length(File *file, double length)
{
    if (wide) put(file, ">u4", 0);
    put(file, ">u4", length);
}

static void put_name(File *file, int kind, const char *name)
{
    file->bytes[file->count++] = (unsigned char)kind;
    file->bytes[file->count++] = 0;
    file->bytes[file->count++] = (unsigned char)strlen(name);
    put_bytes(file, name, strlen(name));
    if (wide) put_length(file, 1);
}

static void put_group(File *file, const char *name, int tags)
{
    put_name(file, 20, name);
    put_bytes(file, "\1", 2);
    put_length(file, tags);
}

static void put_tag(File *file, const char *name, int about_count, const int *about)
{
    put_name(file, 21, name);
    put_bytes(file, "%%%%", 4);
    put_length(file, about_count);
    for (int i = 0; i < about_count; i++) put_length(file, about[i]);
}

static void put_value(File *file, const char *name, int type, const char *stored, double value)
{
    put_tag(file, name, 1, &type);
    put(file, stored, value);
}

/* One image of a list. Type 23 is that of colours, which previews have. */
static void put_image(File *file, char order, int type, const char *stored, int images)
{
    const char whole[] = {order, 'u', '4', '\0'}, real[] = {order, 'f', '4', '\0'};
    const char *const unit = order == '<' ? "d\0e\0g\0" : "\0d\0e\0g";
    const bool tilted = images == 1 && type != 23;
    put_group(file, "", tilted ? 2 : 1);
    for (int i = 0; i < 3 && tilted; i++)
        put_group(file, (const char *[]){"ImageTags", "Microscope Info", "Stage Position"}[i], 1);
    if (tilted) put_value(file, "Stage Alpha", 6, real, tilt_deg);
    put_group(file, "ImageData", images > 1 ? 4 : 3);
    if (images > 1) {
        put_group(file, "Calibrations", 1);
        put_group(file, "Dimension", 3);
        for (int d = 0; d < 3; d++) {
            put_group(file, "", 3);
            put_value(file, "Origin", 6, real, d == 2 ? 30 : 0);
            put_value(file, "Scale", 6, real, d == 2 ? 2 : 0.5);
            put_tag(file, "Units", 3, (int[]){20, 4, d == 2 ? 3 : 0});
            if (d == 2) put_bytes(file, unit, 6);
        }
    }
    const int values = images * PIXELS;
    put_tag(file, "Data", 3, (int[]){20, type == 23 ? 5 : type == 10 ? 4 : 6, values});
    for (int v = 0; v < values; v++) put(file, stored, value_at(v / PIXELS, v % PIXELS / COLUMNS, v % COLUMNS));
    put_value(file, "DataType", 5, whole, type);
    put_group(file, "Dimensions", images > 1 ? 3 : 2);
    put_value(file, "", 5, whole, COLUMNS);
    put_value(file, "", 5, whole, ROWS);
    if (images > 1) put_value(file, "", 5, whole, images);
}

static void put_dm(File *file, char order, int type, const char *stored, int images)
{
    *file = (File){.count = 0};
    put(file, ">u4", wide ? 4 : 3);
    put_length(file, 1000);
    put(file, ">u4", order == '<');
    put_bytes(file, "\1", 2);
    put_length(file, 2);
    put_tag(file, "Window", 11, (int[]){15, 0, 4, 0, 2, 0, 2, 0, 2, 0, 2});
    put_bytes(file, "abcdefgh", 8);
    put_group(file, "ImageList", 2);
    put_image(file, order, 23, order == '<' ? "<u4" : ">u4", 1);
    put_image(file, order, type, stored, images);
}

static void dm_of_both_versions(void **state)
{
    char path[TESTING_PATH];
    File file;
    testing_path(path, *state, "scan.dm4");
    for (int i = 0; i < 8; i++) {
        static const char *const stored[] = {"<u2", ">u2", "<f4", ">f4"};
        wide = i >= 4;
        put_dm(&file, stored[i % 4][0], i % 4 < 2 ? 10 : 2, stored[i % 4], ANGLES);
        testing_write_bytes(path, file.bytes, file.count);
        check_scan(&(SinoScanRequest){.path = path}, "DigitalMicrograph images", i % 4 < 2 ? "uint16" : "float32");
        check_angles(path, -60, 2, "calibration of the third dimension");
    }
    for (size_t cut = 16; cut < file.count; cut += 7) {
        testing_write_bytes(path, file.bytes, cut);
        refused(&(SinoScanRequest){.path = path, .theta = "0:180"}, "scan.dm4 is ");
    }
}

static void dm_that_is_damaged(void **state)
{
    char path[TESTING_PATH];
    File file;
    const SinoScanRequest request = {.path = testing_path(path, *state, "scan.dm3"), .theta = "0:180"};
    wide = false;
    put_dm(&file, '<', 23, "<u4", ANGLES); /* colours only; the list of values is too short for their type */
    testing_write_bytes(path, file.bytes, file.count);
    refused(&request, "scan.dm3 has no image that is read");
    put_dm(&file, '<', 10, "<u2", ANGLES);
    file.bytes[18] = 9;
    testing_write_bytes(path, file.bytes, file.count);
    refused(&request, "neither a group nor data");
    file.bytes[18] = 21;
    file.bytes[14] = 0xff;
    testing_write_bytes(path, file.bytes, file.count);
    refused(&request, "scan.dm3 is damaged: it ends within a tag");
    put_dm(&file, '<', 10, "<u2", ANGLES);
    file.count = 18;
    for (int depth = 0; depth < 40; depth++) put_group(&file, "", 1);
    testing_write_bytes(path, file.bytes, file.count);
    refused(&request, "groups within groups, too deep");
}

static void dm_images_in_files_of_their_own(void **state)
{
    char path[TESTING_PATH], name[32];
    wide = true;
    for (int k = 0; k < ANGLES; k++) {
        File file;
        tilt_deg = 1.5 * k - 3;
        put_dm(&file, '>', 10, ">u2", 1);
        snprintf(name, sizeof name, "p_%d.dm4", k);
        testing_write_bytes(testing_path(path, *state, name), file.bytes, file.count);
    }
    check_angles(*state, -3, 1.5, "Stage Alpha");
}

/* A tilt series of a microscope (INDEX.md). */
static void dm_as_a_microscope_writes_it(void **state)
{
    char path[TESTING_PATH];
    SinoScan *scan;
    (void)state;
    const SinoScanRequest request = {.path = testing_data(path, "alignment/etspy-dm3/HAADF.dm3")};
    assert_success(sino_scan_open(&request, &scan));
    const SinoScanInfo *info = sino_scan_info(scan);
    assert_string_equal(info->stored_type, "uint16");
    assert_true(info->angle_count == 91 && info->row_count == 64 && info->column_count == 64);
    for (int64_t k = 0; k < 91; k++) assert_true(fabs(info->angle_rad[k] * 180 / M_PI - (double)(2 * k - 90)) < 1e-9);
    sino_scan_close(scan);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(image_scans)
{
    const struct CMUnitTest tests[] = {
        TEST(mrc_of_every_mode),
        TEST(mrc_bytes_have_a_sign),
        TEST(mrc_angles),
        TEST(mrc_that_is_damaged),
        TEST(fits_of_every_type),
        TEST(fits_units),
        TEST(fits_that_is_damaged),
        TEST(dm_of_both_versions),
        TEST(dm_that_is_damaged),
        TEST(dm_as_a_microscope_writes_it),
        TEST(dm_images_in_files_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
