/* SPDX-License-Identifier: BSD-3-Clause */
/* Scans in .npy, .npz and EDF: types and orders of bytes, orders of dimensions, sequences, files that are damaged. */
#include "edf_file.h"
#include "testing_arrays.h"
#include "testing_npz.h"

static void npy_of_every_type_and_order(void **state)
{
    static const char *const types[] = {"|u1", "<u2", ">u2", "<u4", "<i2", ">i4", "<f4", ">f4", "<f8", ">f8"};
    static const char *const names[] = {"uint8", "uint16",  "uint16",  "uint32",  "int16",
                                        "int32", "float32", "float32", "float64", "float64"};
    static const int meaning[6][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const int sizes[] = {ANGLES, ROWS, COLUMNS};
    char path[TESTING_PATH];
    testing_path(path, *state, "scan.npy");
    for (int t = 0; t < 10; t++) {
        for (int axes = 0; axes < 6; axes++) {
            unsigned char values[VALUES * 8], *file;
            const int *order = meaning[axes];
            char shape[32];
            size_t bytes = 0, file_bytes;
            int at[3], by[3];
            for (at[0] = 0; at[0] < sizes[order[0]]; at[0]++)
                for (at[1] = 0; at[1] < sizes[order[1]]; at[1]++)
                    for (at[2] = 0; at[2] < sizes[order[2]]; at[2]++) {
                        for (int d = 0; d < 3; d++) by[order[d]] = at[d];
                        bytes += store(types[t], value_at(by[0], by[1], by[2]), values + bytes);
                    }
            snprintf(shape, sizeof shape, "(%d, %d, %d)", sizes[order[0]], sizes[order[1]], sizes[order[2]]);
            file = testing_npy(1, types[t], shape, values, bytes, &file_bytes);
            write_file(*state, "scan.npy", file, file_bytes);
            free(file);
            check_scan(&(SinoScanRequest){.path = path, .theta = "0:180", .axes = (SinoScanAxes)axes}, "NumPy array",
                       names[t]);
        }
    }
}

/* An array of two dimensions is a sinogram, if the axes say so. */
static void npy_of_a_sinogram(void **state)
{
    static const uint16_t values[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const SinoScanBox box = {0, 1, 1, 3};
    char path[TESTING_PATH];
    float read[6];
    size_t bytes;
    SinoScan *scan;
    unsigned char *file = testing_npy(1, "<u2", "(2, 4)", values, sizeof values, &bytes);
    write_file(*state, "scan.npy", file, bytes);
    free(file);
    const SinoScanRequest request = {
        .path = testing_path(path, *state, "scan.npy"), .theta = "0:180", .axes = SINO_AXES_ROW_ANGLE_COLUMN};
    assert_success(sino_scan_open(&request, &scan));
    const SinoScanInfo *info = sino_scan_info(scan);
    assert_true(info->angle_count == 2 && info->row_count == 1 && info->column_count == 4);
    for (int64_t k = 0; k < 2; k++) {
        assert_success(sino_scan_read_projection(scan, k, &box, read));
        for (int c = 0; c < 3; c++) assert_true(read[c] == (float)values[4 * k + c + 1]);
    }
    sino_scan_close(scan);
}

static void npy_that_is_no_scan(void **state)
{
    static const struct {
        const char *type, *shape, *message;
        size_t bytes;
    } cases[] = {
        {"<u2", "(12, 5)", "scan.npy | 2 dimensions | 3 | --axes", 120},
        {"<u2", "(3, 4, 5, 1)", "scan.npy | 4 dimensions | 3", 120},
        {"<u2", "(3, 0, 5)", "scan.npy | no values | 1 or more along each dimension", 0},
        {"<u2", "(3, 4, 5)", "scan.npy is cut: it has 119 of the 120 bytes of its values", 119},
        {"<u2", "(1099511627776, 4, 5)", "scan.npy is cut: it has 120 of the", 120},
        {"|S4", "(3, 4, 5)", "scan.npy holds", 240},
        {"|b1", "(3, 4, 5)", "scan.npy | floating-point", 60},
        {"<c8", "(3, 4, 5)", "scan.npy", 480},
        {"<u2", "(3, 4, 9223372036854775807)", "does not fit in 63 bits", 120},
    };
    static const unsigned char values[480];
    char path[TESTING_PATH];
    const SinoScanRequest request = {.path = testing_path(path, *state, "scan.npy"), .theta = "0:180"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t bytes;
        unsigned char *file = testing_npy(1, cases[i].type, cases[i].shape, values, cases[i].bytes, &bytes);
        write_file(*state, "scan.npy", file, bytes);
        free(file);
        refused(&request, cases[i].message);
    }
}

static void npy_as_fields(void **state)
{
    char path[TESTING_PATH], flats[TESTING_PATH], dark[TESTING_PATH];
    uint16_t values[VALUES];
    float read[2 * PIXELS];
    size_t bytes;
    SinoScan *scan;
    for (int i = 0; i < VALUES; i++) values[i] = (uint16_t)i;
    unsigned char *file = testing_npy(1, "<u2", "(5, 3, 4)", values, sizeof values, &bytes);
    write_file(*state, "scan.npy", file, bytes);
    free(file);
    file = testing_npy(1, "<u2", "(2, 3, 4)", values + 5, 2 * PIXELS * 2, &bytes);
    write_file(*state, "flats.npy", file, bytes);
    free(file);
    file = testing_npy(1, "<u2", "(3, 4)", values + 7, PIXELS * 2, &bytes);
    write_file(*state, "dark.npy", file, bytes);
    free(file);
    SinoScanRequest request = {.path = testing_path(path, *state, "scan.npy"),
                               .theta = "0:180",
                               .flats = testing_path(flats, *state, "flats.npy"),
                               .darks = testing_path(dark, *state, "dark.npy")};
    assert_success(sino_scan_open(&request, &scan));
    const SinoScanBox box = {0, ROWS, 0, COLUMNS};
    assert_int_equal(sino_scan_info(scan)->flat_count, 2);
    assert_int_equal(sino_scan_info(scan)->dark_count, 1);
    assert_success(sino_scan_read_flats(scan, &box, read));
    for (int i = 0; i < 2 * PIXELS; i++) assert_true(read[i] == (float)(i + 5));
    assert_success(sino_scan_read_darks(scan, &box, read));
    for (int i = 0; i < PIXELS; i++) assert_true(read[i] == (float)(i + 7));
    sino_scan_close(scan);
    request.axes = SINO_AXES_ROW_ANGLE_COLUMN;
    refused(&request, "flats.npy | 3 rows | 4 columns | 5 and 4");
    request.flats = NULL;
    request.axes = SINO_AXES_ANGLE_ROW_COLUMN;
    request.theta = NULL;
    request.theta_dataset = "/theta";
    refused(&request, "which | HDF5 | MATLAB | --theta | FILE:/DATASET");
    request.theta_dataset = NULL;
    request.dataset = "/data";
    refused(&request, "is NumPy array | --dataset | MATLAB");
}

/* Projections, angles and flat fields in one archive; names choose, or the only array that could be meant. */
static void npz_with_names(void **state)
{
    static const double angle_rad[] = {0, 0.5, 1, 1.5, 2};
    static const double matrix[4] = {0};
    char path[TESTING_PATH], angles[TESTING_PATH + 16];
    unsigned char values[VALUES * 2];
    float read[PIXELS];
    SinoScan *scan;
    testing_path(path, *state, "scan.npz");
    for (int deflate = 0; deflate < 2; deflate++) {
        zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, NULL);
        assert_non_null(zip);
        size_t bytes = 0;
        for (int v = 0; v < VALUES; v++)
            bytes += store("<u2", value_at(v / PIXELS, v % PIXELS / COLUMNS, v % COLUMNS), values + bytes);
        testing_npz_add(zip, "counts.npy", deflate, "<u2", "(5, 3, 4)", values, bytes);
        testing_npz_array(zip, "theta_rad.npy", deflate, "<f8", ANGLES, NULL, angle_rad);
        if (deflate) testing_npz_add(zip, "matrix.npy", false, "<f8", "(2, 2)", matrix, sizeof matrix);
        assert_int_equal(zip_close(zip), 0);
        SinoScanRequest request = {
            .path = path, .theta_dataset = "theta_rad", .flats = ":counts", .dataset = deflate ? "/counts" : NULL};
        assert_success(sino_scan_open(&request, &scan));
        const SinoScanInfo *info = sino_scan_info(scan);
        assert_string_equal(info->kind, "NumPy archive");
        assert_true(info->angle_count == ANGLES && info->row_count == ROWS && info->column_count == COLUMNS);
        assert_true(info->flat_count == ANGLES && info->type == SINO_COUNT_UINT16 && info->angle_radians);
        for (int k = 0; k < ANGLES; k++) assert_true(info->angle_rad[k] == angle_rad[k]);
        for (int k = 0; k < ANGLES; k++) {
            assert_success(sino_scan_read_projection(scan, k, &(SinoScanBox){0, ROWS, 0, COLUMNS}, read));
            for (int i = 0; i < PIXELS; i++) assert_true(read[i] == (float)value_at(k, i / COLUMNS, i % COLUMNS));
        }
        sino_scan_close(scan);
        snprintf(angles, sizeof angles, "%s:/theta_rad", path);
        request.theta_dataset = NULL;
        request.theta = angles;
        assert_success(sino_scan_open(&request, &scan));
        sino_scan_close(scan);
    }
    SinoScanRequest request = {.path = path, .theta = "0:180"};
    refused(&request, "scan.npz has 2 arrays | --dataset | counts, theta_rad, matrix");
    request.dataset = "data";
    refused(&request, "scan.npz has no array data; it has: counts, theta_rad, matrix");
    request.dataset = "counts";
    request.theta = NULL;
    request.theta_dataset = "counts";
    refused(&request, "counts is no list of 1 to");
    zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, NULL);
    testing_npz_add(zip, "a.npy", false, "<c8", "(2, 2)", matrix, sizeof matrix);
    assert_int_equal(zip_close(zip), 0);
    refused(&(SinoScanRequest){.path = path, .theta = "0:180"}, "a.npy has values of the type '<c8'");
}

/* Projections of a published archive (INDEX.md). */
static void npz_as_it_is_published(void **state)
{
    char path[TESTING_PATH];
    SinoScan *scan;
    (void)state;
    const SinoScanRequest request = {.path = testing_data(path, "alignment/align_small_v1.npz"),
                                     .dataset = "projections",
                                     .theta_dataset = "thetas_deg"};
    assert_success(sino_scan_open(&request, &scan));
    const SinoScanInfo *info = sino_scan_info(scan);
    assert_true(info->angle_count == 60 && info->row_count == 128 && info->column_count == 128);
    for (int k = 0; k < 60; k++) assert_true(fabs(info->angle_rad[k] * 180 / M_PI - 3 * k) < 1e-5);
    sino_scan_close(scan);
}

/* ---- EDF ---- */

/* Appends an image; the header is padded as the ESRF does. */
static size_t add_edf(unsigned char *to, const char *data_type, const char *type, int k, const char *more)
{
    char text[1024];
    memset(text, ' ', sizeof text);
    const int length = snprintf(text, sizeof text,
                                "{\nHeaderID = EH:000001:000000:000000 ;\nImage = %d ;\nByteOrder = %s ;\n"
                                "DataType = %s ;\nDim_1 = %d ;\nDim_2 = %d ;\n%s",
                                k, type[0] == '>' ? "HighByteFirst" : "LowByteFirst", data_type, COLUMNS, ROWS, more);
    text[length] = ' ';
    text[1022] = '}';
    text[1023] = '\n';
    memcpy(to, text, 1024);
    size_t bytes = 1024;
    for (int i = 0; i < PIXELS; i++) bytes += store(type, value_at(k, i / COLUMNS, i % COLUMNS), to + bytes);
    return bytes;
}

static void edf_of_every_type(void **state)
{
    static const struct {
        const char *data_type, *type, *stored_type;
    } cases[] = {
        {
            "UnsignedByte",
            "|u1",
            "uint8",
        },
        {"UnsignedShort", "<u2", "uint16"},
        {"UnsignedShort", ">u2", "uint16"},
        {"SignedShort", ">i2", "int16"},
        {"SignedInteger", "<i4", "int32"},
        {"UnsignedLong", ">u4", "uint32"},
        {"FloatValue", "<f4", "float32"},
        {"FLOAT", ">f4", "float32"},
        {"DoubleValue", ">f8", "float64"},
    };
    char path[TESTING_PATH], folder[TESTING_PATH];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char file[ANGLES * 2048];
        size_t bytes = 0;
        for (int k = 0; k < ANGLES; k++) bytes += add_edf(file + bytes, cases[i].data_type, cases[i].type, k, "");
        write_file(*state, "scan.edf", file, bytes);
        check_scan(&(SinoScanRequest){.path = testing_path(path, *state, "scan.edf"), .theta = "0:180"}, "EDF images",
                   cases[i].stored_type);
        for (int k = 0; k < ANGLES; k++) {
            char name[32];
            snprintf(name, sizeof name, "p_%d.edf", k + 8); /* p_10 comes after p_9 */
            bytes = add_edf(file, cases[i].data_type, cases[i].type, k, "");
            write_file(*state, name, file, bytes);
        }
        check_scan(&(SinoScanRequest){.path = testing_path(folder, *state, "p_*.edf"), .theta = "0:180"}, "EDF images",
                   cases[i].stored_type);
    }
    assert_int_equal(remove(path), 0);
    check_scan(&(SinoScanRequest){.path = *state, .theta = "0:180", .flats = folder}, "EDF images", "float64");
    assert_int_equal(remove(testing_path(path, *state, "p_9.edf")), 0);
    SinoScan *scan;
    assert_success(sino_scan_open(&(SinoScanRequest){.path = folder, .theta = "0:180"}, &scan));
    assert_non_null(strstr(sino_scan_info(scan)->remark, "the numbers of the files skip some between "));
    sino_scan_close(scan);
}

static void edf_that_is_damaged(void **state)
{
    static const struct {
        const char *header, *message;
    } cases[] = {
        {"{ Dim_1 = 4 ; Dim_2 = 3 ; }\n", "its EDF header has no DataType"},
        {"{ Dim_2 = 3 ; DataType = UnsignedByte ; }\n", "its EDF header has no Dim_1"},
        {"{ Dim_1 = 4 ; Dim_2 = 3 ; DataType = Complex ; }\n", "DataType | 'Complex' | Unsigned and Signed"},
        {"{ Dim_1 = 4 ; Dim_2 = 3 ; DataType = UnsignedByte ; Compression = Gzip ; }\n", "Compression | 'Gzip' | None"},
        {"{ Dim_1 = 4 ; Dim_2 = 3 ; Dim_3 = 2 ; DataType = UnsignedByte ; }\n", "Dim_3 | '2' | images of two"},
        {"{ Dim_1 = 4 ; Dim_2 = -3 ; DataType = UnsignedByte ; }\n", "Dim_2 | '-3' | 1 to 1048576"},
        {"{ Dim_1 = 4x ; Dim_2 = 3 ; DataType = UnsignedByte ; }\n", "Dim_1 | '4x' | 1 to 1048576"},
        {"{ Dim_1 = 99999999999999999999 ; Dim_2 = 3 ; DataType = UnsignedByte ; }\n", "allowed: 1 to 1048576"},
        {"{ Dim_1 = 1048576 ; Dim_2 = 1048576 ; DataType = DoubleValue ; }\n", "is cut: it has 12 of the"},
        {"{ Dim_1 = 4 ; Dim_2 = 3 ; DataType = UnsignedByte ; ByteOrder = Middle ; }\n", "ByteOrder is 'Middle'"},
        {"{ Dim_1 = 4 ; Dim_2 = 3 ; DataType = UnsignedByte ; ", "has an EDF header without end"},
        {"{ Dim_1 = 4 ; Dim_2 = 3 ; DataType = UnsignedShort ; }\n", "is cut: it has 12 of the 24 bytes of its pixels"},
    };
    char path[TESTING_PATH], file[512];
    const SinoScanRequest request = {.path = testing_path(path, *state, "scan.edf"), .theta = "0:step:1"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int length = snprintf(file, sizeof file, "%s%012d", cases[i].header, 0);
        write_file(*state, "scan.edf", file, (size_t)length);
        refused(&request, cases[i].message);
    }
    const int length = snprintf(file, sizeof file, "{ Dim_1 = 4 ; Dim_2 = 3 ; DataType = UnsignedByte ; }\n%048d", 0);
    write_file(*state, "scan.edf", file, (size_t)length);
    refused(&request, "scan.edf has no EDF header where one should begin");
}

static void edf_headers_of_any_length(void **state)
{
    static const char text[] = "\n{\r\nByteOrder=LowByteFirst;Dim_1=4;Dim_2=3;DataType=UnsignedByte;}\r\n";
    SinoEdfImage image;
    (void)state;
    for (size_t i = 0; i + 1 < sizeof text; i++) {
        char *cut = malloc(i + 1); /* of exact size, for the sanitizer */
        assert_non_null(cut);
        memcpy(cut, text, i);
        const bool whole = i + 1 == sizeof text;
        if (!whole) assert_error(sino_edf_parse("a.edf", cut, (int64_t)i, &image), SINO_BAD_INPUT, "a.edf has ");
        (void)sino_edf_probe(cut, (int64_t)i);
        free(cut);
    }
    assert_success(sino_edf_parse("a.edf", text, (int64_t)sizeof text - 1, &image));
    assert_int_equal(image.header_bytes, sizeof text - 1);
    assert_int_equal(image.column_count, 4);
    assert_int_equal(image.row_count, 3);
}

TESTING_SUBJECT(scan_arrays)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(npy_of_a_sinogram, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(npy_of_every_type_and_order, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(npy_that_is_no_scan, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(npy_as_fields, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(npz_with_names, testing_directory_make, testing_directory_remove),
        cmocka_unit_test(npz_as_it_is_published),
        cmocka_unit_test_setup_teardown(edf_of_every_type, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(edf_that_is_damaged, testing_directory_make, testing_directory_remove),
        cmocka_unit_test(edf_headers_of_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
