/* SPDX-License-Identifier: BSD-3-Clause */
/* Interfile: headers as others write them, and those that are refused; measured files through counts_file.h. */
#include "counts_file.h"
#include "interfile.h"
#include "scan.h"
#include "testing.h"

#include <math.h>

static void write_bytes(const char *directory, const char *name, const void *bytes, size_t count)
{
    char path[TESTING_PATH];
    FILE *file = fopen(testing_path(path, directory, name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static const char *write_header(const char *directory, const char *lines)
{
    static char path[TESTING_PATH];
    char text[4096];
    const int length =
        snprintf(text, sizeof text, "!INTERFILE :=\nname of data file := a.s\n%s!END OF INTERFILE :=\n", lines);
    write_bytes(directory, "a.hs", text, (size_t)length);
    return testing_path(path, directory, "a.hs");
}

/* The header with these lines is read; the caller looks at it, and frees header->data_path. */
static void understands(const char *directory, const char *lines, SinoInterfile *header)
{
    char path[TESTING_PATH];
    assert_success(sino_interfile_read(write_header(directory, lines), header));
    assert_string_equal(header->data_path, testing_path(path, directory, "a.s"));
    free(header->data_path);
    header->data_path = NULL;
}

static void refuses(const char *directory, const char *lines, const char *message)
{
    SinoInterfile header;
    assert_error(sino_interfile_read(write_header(directory, lines), &header), SINO_BAD_INPUT, message);
    free(header.data_path);
}

#define FLOATS "number format := float\nnumber of bytes per pixel := 4\nimagedata byte order := LITTLEENDIAN\n"
#define SIZES  "!matrix size [1] := 3\n! MATRIX_size[2]:=4\n"

static void sizes_and_types(void **state)
{
    SinoInterfile header;
    understands(*state, FLOATS SIZES "!number of projections := 5\n", &header);
    assert_int_equal(header.rank, 3);
    assert_int_equal(header.size[0], 3);
    assert_int_equal(header.size[2], 5);
    assert_int_equal(header.value_count, 60);
    assert_string_equal(header.number->name, "float32");
    assert_false(header.swapped);
    assert_int_equal(header.frame_count, 1);
    understands(*state, FLOATS SIZES "number of projections := 5\nprocess status := Reconstructed\n", &header);
    assert_int_equal(header.value_count, 12); /* an image that was made from 5 projections */
    understands(*state, FLOATS SIZES "number of slices := 7\nprocess status := Reconstructed\n", &header);
    assert_int_equal(header.value_count, 84);
    understands(*state, "number of bytes per pixel := 2 ; of 2 bytes\n" SIZES "matrix size [3] := {6}\n", &header);
    assert_int_equal(header.value_count, 72);
    assert_string_equal(header.number->name, "uint16"); /* as version 3.3 says */
    assert_true(header.swapped);
    understands(*state, "number format := signed integer\nnumber of bytes per pixel := 8\nmatrix size [1] := 5\n",
                &header);
    assert_string_equal(header.number->name, "int64");
    assert_int_equal(header.rank, 1);
}

/* The sizes of segments add up, whichever dimension tells their number. */
static void segments(void **state)
{
    SinoInterfile header;
    understands(*state,
                FLOATS "number of dimensions := 4\nmatrix size [1] := 3\nmatrix size [2] := { 5, 6 ,7}\n"
                       "matrix size [3] := 2\nmatrix size [4] := 3\n",
                &header);
    assert_int_equal(header.rank, 0);
    assert_int_equal(header.value_count, 3 * 18 * 2);
    understands(*state,
                FLOATS "matrix size [1] := 3\nmatrix axis label [1] := segment\nmatrix size [2] := {5,6,7}\n"
                       "matrix size [3] := 2\n",
                &header);
    assert_int_equal(header.value_count, 18 * 2);
}

static void frames(void **state)
{
    SinoInterfile header;
    understands(
        *state,
        FLOATS SIZES
        "number of time frames := 3\ndata offset in bytes [1] := 100\n"
        "data offset in bytes [3] := 1000\nimage scaling factor [2] := 0.5\nimage scaling factor [3] := {2,2}\n",
        &header);
    assert_int_equal(header.frame_count, 3);
    assert_int_equal(header.frame[0].offset, 100);
    assert_int_equal(header.frame[1].offset, 148);
    assert_int_equal(header.frame[2].offset, 1000);
    assert_true(header.frame[0].scale == 1 && header.frame[1].scale == 0.5 && header.frame[2].scale == 2);
    understands(*state, FLOATS SIZES "!data starting block := 2\nquantification units := 0.25\n", &header);
    assert_int_equal(header.frame[0].offset, 4096);
    assert_true(header.frame[0].scale == 0.25);
}

static void headers_that_are_refused(void **state)
{
    refuses(*state, SIZES, "/a.hs | 'number of bytes per pixel' | to find its values");
    refuses(*state, FLOATS "number of dimensions := 2\nmatrix size [1] := 3\n",
            "/a.hs | 'matrix size' | [2] | to find its values");
    refuses(*state, FLOATS, "/a.hs | 0 dimensions | 1 to 8");
    refuses(*state, FLOATS "number of dimensions := 9\n", "/a.hs | 9 dimensions | 1 to 8");
    refuses(*state, FLOATS "matrix size [1] := 3x\n",
            "/a.hs: line 6: 'matrix size' is '3x'; allowed: 1 or more, or a list of such as {1,2,3}");
    refuses(*state, FLOATS "matrix size [1] := {3,4\nmatrix size [2] := 2\n",
            "/a.hs: line 6: 'matrix size' is '{3,4'; allowed: 1 or more, or a list of such as {1,2,3}");
    refuses(*state, FLOATS "matrix size [1] := 0\n",
            "/a.hs: line 6: 'matrix size' is '0'; allowed: 1 or more, or a list of such as {1,2,3}");
    refuses(*state, FLOATS "matrix size [1] := {3,4}\nmatrix size [2] := 3\n", "/a.hs | line 6 | '{3,4}' | segment");
    refuses(*state, FLOATS SIZES "data compression := gzip\n", "/a.hs | line 8 | 'gzip' | none");
    refuses(*state, FLOATS SIZES "number of energy windows := 2\n",
            "/a.hs: line 8: 'number of energy windows' is '2'; allowed: 1");
    refuses(*state, FLOATS SIZES "number of time frames := 1025\n",
            "/a.hs: line 8: 'number of time frames' is '1025'; allowed: 1 to 1024");
    refuses(*state, FLOATS SIZES "data offset in bytes := -1\n",
            "/a.hs: line 8: 'data offset in bytes' is '-1'; allowed: an integer of 0 or more");
    refuses(*state, FLOATS SIZES "data offset in bytes := 9223372036854775800\n", "/a.hs: frame 1 ends beyond 63 bits");
    refuses(*state, FLOATS SIZES "image scaling factor := {1,2}\n", "/a.hs | line 8 | '{1,2}' | segments");
    refuses(*state, FLOATS SIZES "image scaling factor := 3\nquantification units := 2\n",
            "/a.hs: line 9: 'quantification units' | '2' | 1, or the scaling factor");
    refuses(*state, FLOATS SIZES "imagedata byte order := middle\n",
            "/a.hs | line 8 | 'middle' | LITTLEENDIAN | BIGENDIAN");
    refuses(*state, FLOATS SIZES "number format := ascii\n", "/a.hs | line 8 | 'ascii' | unsigned");
    refuses(*state, FLOATS SIZES "number of bytes per pixel := 2\n",
            "/a.hs: line 8: 'number of bytes per pixel' is '2'; allowed: 1, 2, 4 or 8; of float 4 or 8");
    refuses(*state, FLOATS "matrix size [1] := 4294967296\nmatrix size [2] := 4294967296\n", "does not fit in 63 bits");
}

static void data_stay_with_their_header(void **state)
{
    static const char *const names[] = {"/etc/passwd", "../a.s", "b/../../a.s", "b/.."};
    char line[200], message[200];
    SinoInterfile header;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(line, sizeof line, FLOATS SIZES "name of data file := %s\n", names[i]);
        snprintf(message, sizeof message, "/a.hs | line 8 | '%s' | beside", names[i]);
        refuses(*state, line, message);
    }
    assert_success(sino_interfile_read(write_header(*state, FLOATS SIZES "name of data file := b/..c/a.s\n"), &header));
    assert_non_null(strstr(header.data_path, "/b/..c/a.s"));
    free(header.data_path);
}

static void only_headers_are_probed(void **state)
{
    (void)state;
    assert_true(sino_interfile_probe("!INTERFILE  :=\n", 15));
    assert_true(sino_interfile_probe(" \n interfile:=", 14));
    assert_false(sino_interfile_probe("INTERFILE", 9));
    assert_false(sino_interfile_probe("INTERFILES :=", 13));
    assert_false(sino_interfile_probe("", 0));
    assert_false(sino_interfile_probe("!INTERFILE :", 12));
}

/* Big-endian 16 bits in two frames, a factor each. */
static void values_of_frames(void **state)
{
    static const unsigned char bytes[] = {9, 0, 1, 0, 2, 1, 0, 0, 0, 0, 3, 0, 4, 0, 5};
    static const float expected[] = {2, 4, 512, 0, 3, 4, 5, 0};
    float values[8];
    SinoCountsFile *file;
    const char *path =
        write_header(*state, "number of bytes per pixel := 2\nmatrix size [1] := 2\nmatrix size [2] := 2\n"
                             "number of time frames := 2\ndata offset in bytes := 1\n"
                             "image scaling factor [1] := 2\n");
    SinoCountsRequest request = {.path = path, .element_count = 4};
    write_bytes(*state, "a.s", bytes, sizeof bytes);
    assert_error(sino_counts_open(&request, &file), SINO_BAD_INPUT, "/a.s | 15 bytes | 17 | byte 9");
    path = write_header(*state, "number of bytes per pixel := 2\nmatrix size [1] := 2\nmatrix size [2] := 2\n"
                                "number of time frames := 2\ndata offset in bytes := 1\n"
                                "data offset in bytes [2] := 7\nimage scaling factor [1] := 2\n");
    request.path = path;
    assert_success(sino_counts_open(&request, &file));
    assert_int_equal(sino_counts_info(file)->set_count, 2);
    assert_success(sino_counts_read(file, 0, 2, values));
    assert_memory_equal(values, expected, 4 * sizeof *values);
    assert_true(values[4] == 0 && values[5] == 3 && values[6] == 4 && values[7] == 5);
    sino_counts_close(file);
    request.element_count = 5;
    assert_error(sino_counts_open(&request, &file), SINO_BAD_INPUT, "/a.hs | 2 × 4 | 5 rows, or sets × 5");
}

/* Bytes that the header tells another number or type of. */
static void values_that_the_header_does_not_fit(void **state)
{
    static const float real[] = {0, 1, 2.5F}, twice[] = {0, 1, 2, 3, 4, 5};
    static const unsigned char other[] = {0, 0, 0, 0, 0x3f, 0x80, 0, 0, 0x40, 0x20, 0, 0};
    float values[3];
    SinoCountsFile *file;
    SinoCountsRequest request = {.element_count = 3};
    const struct {
        const char *lines, *message;
        const void *bytes;
    } cases[] = {
        {FLOATS "matrix size [1] := 3\n", "value 1 of a frame is 4.6006e-41 as float32 in this machine's byte order",
         other},
        {"number format := signed integer\nnumber of bytes per pixel := 4\nimagedata byte order := LITTLEENDIAN\n"
         "matrix size [1] := 3\n",
         "value 1 of a frame is 1.06535e+09 as int32 in this machine's byte order", real},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        request.path = write_header(*state, cases[i].lines);
        write_bytes(*state, "a.s", cases[i].bytes, sizeof real);
        assert_success(sino_counts_open(&request, &file));
        assert_error(sino_counts_read(file, 0, 1, values), SINO_BAD_INPUT, cases[i].message);
        sino_counts_close(file);
    }
    request.path = write_header(*state, FLOATS "matrix size [1] := 3\n");
    write_bytes(*state, "a.s", twice, sizeof twice);
    assert_error(sino_counts_open(&request, &file), SINO_BAD_INPUT, "/a.s has 24 bytes; its header, ");
}

static double sum_of(const char *name, SinoCountsRequest *request)
{
    char path[TESTING_PATH];
    SinoCountsFile *file;
    double sum = 0;
    request->path = testing_data(path, name);
    float *values = calloc((size_t)request->element_count, sizeof *values);
    assert_non_null(values);
    assert_success(sino_counts_try(request));
    assert_success(sino_counts_open(request, &file));
    assert_success(sino_counts_read(file, 0, 1, values));
    for (int64_t i = 0; i < request->element_count; i++) sum += (double)values[i];
    sino_counts_close(file);
    free(values);
    return sum;
}

static void measured_files(void **state)
{
    (void)state;
    SinoCountsRequest spect = {.element_count = 91 * 104 * 104};
    SinoCountsRequest image = {
        .element_count = 92 * 92 * 120, .image = true, .grid = {.x_count = 92, .y_count = 92, .z_count = 120}};
    SinoCountsRequest corrected = {.element_count = 64 * 27 * 75, .negative = true};
    assert_true(sum_of("pet/stir-pinhole-spect/input.hs", &spect) == 3579397);
    assert_true(fabs(sum_of("pet/stir-pinhole-spect/OSEM_7.hv", &image) - 368549.8) < 0.1);
    assert_true(sum_of("pet/stir-recon_demo/smalllong.hs", &corrected) > 0);
}

/* Values that were corrected before, and an image of another shape. */
static void measured_files_that_are_no_counts(void **state)
{
    (void)state;
    char path[TESTING_PATH];
    SinoCountsFile *file;
    SinoCountsRequest request = {.path = testing_data(path, "pet/stir-recon_demo/smalllong.hs"),
                                 .element_count = 64 * 27 * 75};
    float *values = calloc(64 * 27 * 75, sizeof *values);
    assert_non_null(values);
    assert_success(sino_counts_open(&request, &file));
    assert_error(sino_counts_read(file, 0, 1, values), SINO_BAD_INPUT, "; allowed: finite numbers, 0 or more");
    sino_counts_close(file);
    free(values);
    const SinoCountsRequest turned = {.path = testing_data(path, "pet/stir-pinhole-spect/OSEM_7.hv"),
                                      .element_count = 92 * 92 * 120,
                                      .image = true,
                                      .grid = {.x_count = 120, .y_count = 92, .z_count = 92}};
    assert_error(sino_counts_open(&turned, &file), SINO_BAD_INPUT,
                 "/OSEM_7.hv | 120 × 92 × 92 | 92 × 92 × 120 | 1015680 voxels");
}

#define SPECT                                                                                                          \
    "number format := signed integer\nnumber of bytes per pixel := 2\nmatrix size [1] := 3\nmatrix size [2] := 2\n"    \
    "scaling factor (mm/pixel) [1] := 4\nscaling factor (mm/pixel) [2] := 4\nnumber of projections := 4\n"             \
    "extent of rotation := 360\nstart angle := 90\ndirection of rotation := CW\nradius := 30\n"
#define PET(size_2, label_2, label_3)                                                                                  \
    FLOATS "number of dimensions := 4\nmatrix size [1] := 3\nmatrix size [2] := " size_2                               \
           "\nmatrix size [3] := 2\nmatrix size [4] := 1\nmatrix axis label [4] := segment\nmatrix axis label [2] "    \
           ":= " label_2 "\nmatrix axis label [3] := " label_3 "\nmatrix axis label [1] := tangential coordinate\n"

static SinoScan *open_scan(const char *directory, const char *lines)
{
    SinoScan *scan = NULL;
    assert_success(sino_scan_open(&(SinoScanRequest){.path = write_header(directory, lines)}, &scan));
    assert_true(sino_scan_info(scan)->line_integrals);
    return scan;
}

/* SPECT, big-endian, clockwise; PET in both orders of views and rows, without arc correction. */
static void projections_of_scans(void **state)
{
    unsigned char big[48] = {0};
    float little[24], value[4];
    SinoScan *scan;
    for (int i = 0; i < 24; i++) big[2 * i + 1] = (unsigned char)i;
    for (int i = 0; i < 24; i++) little[i] = (float)i;
    write_bytes(*state, "a.s", big, sizeof big);
    scan = open_scan(*state, SPECT);
    const SinoScanInfo *info = sino_scan_info(scan);
    assert_true(info->angle_count == 4 && info->row_count == 2 && info->column_count == 3);
    assert_true(fabs(info->angle_rad[1] + M_PI) < 1e-12);
    assert_success(sino_scan_read_projection(scan, 2, &(SinoScanBox){1, 1, 1, 2}, value));
    assert_true(value[0] == 16 && value[1] == 17);
    sino_scan_close(scan);
    write_bytes(*state, "a.s", little, sizeof little);
    scan = open_scan(*state, PET("4", "view", "axial coordinate"));
    info = sino_scan_info(scan);
    assert_true(info->angle_count == 4 && info->row_count == 2 && strstr(info->remark, "no arc correction"));
    assert_true(fabs(info->angle_rad[1] + M_PI / 4) < 1e-12);
    assert_success(sino_scan_read_projection(scan, 1, &(SinoScanBox){0, 2, 1, 2}, value));
    assert_true(value[0] == 4 && value[1] == 5 && value[2] == 16 && value[3] == 17);
    sino_scan_close(scan);
    scan = open_scan(*state, PET("4", "axial coordinate", "view") "applied corrections := {arc correction}\n");
    info = sino_scan_info(scan);
    assert_true(info->angle_count == 2 && info->row_count == 4 && !*info->remark);
    assert_success(sino_scan_read_projection(scan, 1, &(SinoScanBox){3, 1, 1, 2}, value));
    assert_true(value[0] == 22 && value[1] == 23);
    sino_scan_close(scan);
}

static void scans_that_are_refused(void **state)
{
    static const struct {
        const char *lines, *message;
    } cases[] = {
        {FLOATS "matrix size [1] := 3\nmatrix size [2] := 4\nmatrix size [3] := 2\n", "one segment | --system-matrix"},
        {PET("4", "view", "view"), "one segment"},
        {PET("{2,2}", "axial coordinate", "view"), "a list with one size for each segment"},
        {PET("4", "view", "axial coordinate") "number of time frames := 2\n", "2 | allowed: 1"},
        {PET("5", "view", "axial coordinate"), "a.s has 96 bytes; allowed: 120"},
        {SPECT "number of detector heads := 2\n", "2 | allowed: 1"},
    };
    float values[24] = {0};
    write_bytes(*state, "a.s", values, sizeof values);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SinoScan *scan = NULL;
        const SinoScanRequest request = {.path = write_header(*state, cases[i].lines)};
        assert_error(sino_scan_open(&request, &scan), SINO_BAD_INPUT, cases[i].message);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(interfile)
{
    const struct CMUnitTest tests[] = {
        TEST(sizes_and_types),
        TEST(segments),
        TEST(frames),
        TEST(headers_that_are_refused),
        TEST(data_stay_with_their_header),
        cmocka_unit_test(only_headers_are_probed),
        TEST(values_of_frames),
        TEST(values_that_the_header_does_not_fit),
        TEST(projections_of_scans),
        TEST(scans_that_are_refused),
        cmocka_unit_test(measured_files),
        cmocka_unit_test(measured_files_that_are_no_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
