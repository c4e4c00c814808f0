/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix csr4: files with and without mirrors, of edge shapes, damaged ones, and read by several threads. */
#include "memory.h"
#include "testing_mirror.h"

#include <fcntl.h>

static const TestingScanner no_scanner = {.layers = 1, .blocks = 1, .block_size = 1, .rings = 1};
static const int64_t crystals = TESTING_MIRROR_CRYSTALS, voxels = TESTING_MIRROR_VOXELS;

/* Offsets in a file with no_scanner. */
enum { VERSION = 4, FLAGS = 5, ROWS = 8, COLUMNS = 12, ENTRIES = 16, SCANNER_BYTES = 24, SCANNER = 28 };
enum { LAYERS = SCANNER, BLOCKS = SCANNER + 24, BLOCK_SIZE = SCANNER + 28, RINGS = SCANNER + 32 };
enum { VOXEL = SCANNER + 36, GRID = SCANNER + 48, ENDS = SCANNER + 60 };

static SinoMatrixFile *opened(const char *path)
{
    SinoMatrixFile *file = NULL;
    assert_success(sino_matrix_open(path, &file));
    assert_string_equal(sino_matrix_kind(file), "csr4");
    return file;
}

static void check_file(const char *path, const double *dense, uint64_t seed)
{
    SinoMatrixFile *file = opened(path);
    assert_true(sino_matrix_outline(file)->row_access);
    assert_matrix(file, dense, seed);
    sino_matrix_close(file);
}

static void random_matrices(void **state)
{
    static const int64_t shapes[][3] = {{40, 30, 500}, {1, 50, 30},   {50, 1, 30},        {1, 1, 0},
                                        {7, 9, 0},     {300, 20, 25}, {3, 40000, 100000}, {1, 1, 1}};
    char path[TESTING_PATH];
    testing_path(path, *state, "m");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        TestingMatrix matrix = testing_matrix(shapes[i][0], shapes[i][1], shapes[i][2], i);
        double *dense = testing_dense(&matrix);
        testing_csr4(path, &no_scanner, &matrix);
        check_file(path, dense, i);
        free(dense);
        free(matrix.entry);
    }
}

/* Rows as programs write them: columns ascend, no zeros. */
static void ordered_matrix(void **state)
{
    char path[TESTING_PATH];
    TestingMatrix matrix = {.row_count = 400, .column_count = 700};
    matrix.entry = calloc(400 * 700, sizeof *matrix.entry);
    uint64_t seed = 5;
    for (int64_t row = 0; row < 400; row++)
        for (int64_t column = 0; column < 700 && row % 7; column++)
            if (testing_random(&seed) % 3 == 0)
                matrix.entry[matrix.count++] = (TestingEntry){row, column, testing_random(&seed) + 1.0};
    double *dense = testing_dense(&matrix);
    testing_csr4(testing_path(path, *state, "m"), &no_scanner, &matrix);
    check_file(path, dense, 1);
    free(dense);
    free(matrix.entry);
}

static void outline(void **state)
{
    char path[TESTING_PATH];
    TestingMatrix matrix = testing_matrix(crystals * crystals, voxels, 10, 1);
    testing_csr4(testing_path(path, *state, "m"), &testing_mirror_scanner, &matrix);
    SinoMatrixFile *file = opened(path);
    const SinoMatrixOutline *found = sino_matrix_outline(file);
    assert_int_equal(found->row_count, crystals * crystals);
    assert_int_equal(found->column_count, voxels);
    assert_int_equal(found->nonzero_count, 10);
    assert_int_equal(found->crystal_count, crystals);
    assert_int_equal(found->grid.x_count, 5);
    assert_int_equal(found->grid.y_count, 4);
    assert_int_equal(found->grid.z_count, 3);
    assert_true(found->grid.size[0] == 0.5 && found->grid.size[1] == 0.25 && found->grid.size[2] == 2);
    sino_matrix_close(file);
    free(matrix.entry);
}

static void mirrors_are_those_of_space(void **state)
{
    (void)state;
    const SinoMirror mirror = {2, 4, 3, 3, 5, 4, 3};
    assert_int_equal(sino_mirror_crystals(&mirror), crystals);
    for (int which = 0; which < SINO_MIRRORS; which++) {
        for (int64_t voxel = 0; voxel < voxels; voxel++)
            assert_int_equal(sino_mirror_column(&mirror, which, (uint32_t)voxel), testing_image_voxel(which, voxel));
        for (int64_t a = 0; a < crystals; a += 5)
            for (int64_t b = a; b < crystals; b++)
                assert_int_equal(sino_mirror_row(&mirror, which, a * crystals + b),
                                 testing_image_row(which, a * crystals + b));
    }
}

/* Blocks of an odd number mirror in x only. */
static void odd_blocks_mirror_in_x(void **state)
{
    (void)state;
    const TestingScanner odd = {.layers = 1, .blocks = 5, .block_size = 4, .rings = 2};
    const SinoMirror mirror = {1, 5, 4, 2, 1, 1, 1};
    for (int64_t a = 0; a < 40; a++) {
        const int64_t image = testing_image_crystal(&odd, 40, SINO_MIRROR_X | SINO_MIRROR_Z, a);
        assert_int_equal(sino_mirror_row(&mirror, SINO_MIRROR_X | SINO_MIRROR_Z, a * 40 + a), image * 41);
    }
}

/* Checks the file of a folded matrix with each combination of mirrors, of which any row of an orbit is stored. */
static void check_folds(void **state, void (*check)(const char *path, int flags, const double *dense))
{
    char path[TESTING_PATH];
    double *dense = malloc((size_t)(crystals * crystals * voxels) * sizeof *dense);
    assert_non_null(dense);
    testing_path(path, *state, "m");
    for (int flags = 0; flags < SINO_MIRRORS; flags++) {
        memset(dense, 0, (size_t)(crystals * crystals * voxels) * sizeof *dense);
        testing_fill_orbits(flags, 1500, dense);
        for (int lean = 0; lean < 2; lean++) {
            TestingScanner about = testing_mirror_scanner;
            TestingMatrix matrix = testing_fold(flags, dense, lean);
            about.flags = flags;
            testing_csr4(path, &about, &matrix);
            check(path, flags, dense);
            free(matrix.entry);
        }
    }
    free(dense);
}

static void check_whole(const char *path, int flags, const double *dense)
{
    check_file(path, dense, (uint64_t)flags);
}

static void folded_is_unfolded(void **state)
{
    check_folds(state, check_whole);
}

/* Rows that are read are the leads of orbits; every row of the matrix is an image of one of them, once. */
static void check_orbits(const char *path, int flags, const double *dense)
{
    SinoMatrixFile *file = opened(path);
    SinoRowBuffer buffer = {.row_room = 0};
    const int64_t rows = crystals * crystals, orientations = sino_orientation_count(flags);
    int64_t *entries = NULL;
    bool *seen = NULL;
    assert_success(sino_allocate(rows, sizeof *entries, "test", &entries));
    assert_success(sino_allocate(rows, sizeof *seen, "test", &seen));
    assert_int_equal(sino_matrix_outline(file)->mirrors, flags);
    assert_success(sino_matrix_fold(file));
    const int64_t count = sino_matrix_read_count(file);
    assert_true(flags == 0 ? count == rows : count < rows);
    assert_success(sino_matrix_count_rows(file, 0, count, entries));
    assert_success(sino_matrix_read(file, 0, count, &buffer));
    for (int64_t i = 0; i < count; i++) {
        const int64_t lead = sino_matrix_image_row(file, i, 0);
        SinoSparseRows row = buffer.rows;
        row.first_row = lead;
        row.row_count = 1;
        int64_t start[] = {0, row.start[i + 1] - row.start[i]};
        row.column += row.start[i];
        row.value += row.start[i];
        row.start = start;
        assert_true(entries[i] >= start[1] && testing_same_rows(&row, lead, 1, voxels, dense));
        assert_int_equal(sino_matrix_lead_row(file, i), lead);
        for (int64_t k = 0; k < orientations; k++) {
            const int64_t image = sino_matrix_image_row(file, i, k);
            if (image < 0) continue;
            if (lead / crystals <= lead % crystals)
                assert_int_equal(image, testing_image_row(sino_orientation(flags, k), lead));
            assert_true(image >= lead && image < rows && !seen[image]);
            seen[image] = true;
        }
    }
    for (int64_t row = 0; row < rows; row++) assert_true(seen[row]);
    free(entries);
    free(seen);
    sino_row_buffer_free(&buffer);
    sino_matrix_close(file);
}

static void folded_rows_stand_for_orbits(void **state)
{
    check_folds(state, check_orbits);
}

/* An entry and its mirror image with different values: the matrix that is unfolded has both, and cannot be folded. */
static void images_of_different_values_are_not_folded(void **state)
{
    char path[TESTING_PATH];
    const int64_t row = 2 * crystals + 17, image = testing_image_row(SINO_MIRROR_X, row);
    TestingScanner about = testing_mirror_scanner;
    SinoRowBuffer buffer = {.row_room = 0};
    about.flags = SINO_MIRROR_X | SINO_MIRROR_Z;
    for (int alike = 0; alike < 2; alike++) {
        TestingEntry entry[] = {{row, 6, 1}, {image, testing_image_voxel(SINO_MIRROR_X, 6), alike ? 1 : 2}};
        TestingMatrix matrix = {crystals * crystals, voxels, 2, entry};
        testing_csr4(testing_path(path, *state, "m"), &about, &matrix);
        SinoMatrixFile *file = opened(path);
        assert_success(sino_matrix_read(file, 0, crystals * crystals, &buffer));
        assert_int_equal(buffer.rows.start[crystals * crystals], 4);
        assert_success(sino_matrix_fold(file));
        SinoStatus status = sino_matrix_read(file, 0, sino_matrix_read_count(file), &buffer);
        if (alike)
            assert_success(status);
        else
            assert_error(status, SINO_BAD_INPUT, "mirror | images | --mirrors");
        sino_matrix_close(file);
    }
    sino_row_buffer_free(&buffer);
}

/* Writes bytes into a file, and returns the error of opening it, or of reading all of it. */
static SinoStatus damage(const char *path, int64_t at, const void *bytes, size_t size)
{
    const int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(descriptor >= 0 && pwrite(descriptor, bytes, size, at) == (ssize_t)size && close(descriptor) == 0);
    SinoMatrixFile *file = NULL;
    SinoRowBuffer buffer = {.row_room = 0};
    SinoStatus status = sino_matrix_open(path, &file);
    if (!status) status = sino_matrix_read(file, 0, sino_matrix_outline(file)->row_count, &buffer);
    sino_row_buffer_free(&buffer);
    sino_matrix_close(file);
    return status;
}

/* A matrix of 3 rows and 4 columns with the entries (0, 1), (2, 0), (2, 3). */
static char *small_file(char path[TESTING_PATH], const char *folder)
{
    TestingEntry entry[] = {{0, 1, 1}, {2, 0, 2}, {2, 3, 3}};
    TestingMatrix matrix = {3, 4, 3, entry};
    testing_csr4(testing_path(path, folder, "m"), &no_scanner, &matrix);
    return path;
}

static void refused_word(const char *folder, int64_t at, uint32_t word, const char *why)
{
    char path[TESTING_PATH];
    small_file(path, folder);
    assert_error(damage(path, at, &word, 4), SINO_BAD_INPUT, why);
}

static void refused_long(const char *folder, int64_t at, uint64_t number, const char *why)
{
    char path[TESTING_PATH];
    small_file(path, folder);
    assert_error(damage(path, at, &number, 8), SINO_BAD_INPUT, why);
}

static void refused_value(const char *folder, float value, const char *why)
{
    char path[TESTING_PATH];
    small_file(path, folder);
    assert_error(damage(path, ENDS + 3 * 8 + 2 * 8 + 4, &value, 4), SINO_BAD_INPUT, why);
}

static void damaged_headers(void **state)
{
    refused_word(*state, VERSION, 3, "has csr version 3; allowed: 4");
    refused_word(*state, VERSION, 4 | 8 << 8, "has the flags 8; allowed: sums of 1, 2 and 4");
    refused_word(*state, ROWS, 0, "0 rows | 4 columns | 1");
    refused_word(*state, COLUMNS, 0, "3 rows | 0 columns | 1");
    refused_word(*state, ROWS, UINT32_MAX, "not those of its 4294967295 rows and 3 entries");
    refused_long(*state, ENTRIES, 4, "not those of its 3 rows and 4 entries");
    refused_long(*state, ENTRIES, UINT64_MAX, "and 18446744073709551615 entries; it is not whole");
    refused_long(*state, ENTRIES, (UINT64_C(1) << 61) + 3, "and 2305843009213693955 entries"); /* 8 times that wraps */
    refused_word(*state, SCANNER_BYTES, 59, "describes its scanner in 59 bytes; allowed: 60 to 1048576");
    refused_word(*state, SCANNER_BYTES, UINT32_MAX, "describes its scanner in 4294967295 bytes");
    refused_word(*state, SCANNER_BYTES, 60 + 8, "its 3 rows and 3 entries; it is not whole");
    refused_word(*state, LAYERS, 2, "scanner with 2 layers, blocks of 0 crystals");
    refused_word(*state, LAYERS, UINT32_MAX, "scanner with 4294967295 layers");
    refused_word(*state, BLOCK_SIZE, 0, "blocks of 0 crystals and 0 rings");
    refused_word(*state, BLOCK_SIZE, 3, "blocks of 3 crystals");
    refused_word(*state, RINGS, 0, "0 rings does not have the 60 bytes");
    refused_word(*state, GRID, 2, "has 4 columns, but a grid of 2 × 0 × 0 voxels");
    refused_word(*state, VOXEL, 0x7fc00000, "voxels of nan mm along x");
    refused_word(*state, VOXEL + 4, 0xbf800000, "voxels of -1 mm along y");
}

static void damaged_rows(void **state)
{
    refused_long(*state, ENDS, 2, "row 1 | entry 1 | 2 | 3");
    refused_long(*state, ENDS + 16, 4, "row 2 | entry 4 | 1 | 3");
    refused_long(*state, ENDS + 16, 2, "its rows | 2 entries | the 3 that its header says");
    refused_long(*state, ENDS, UINT64_MAX, "row 0 | entry 18446744073709551615 | 0");
    refused_word(*state, ENDS + 3 * 8 + 8, 4, "row 2 | column 4 | 0 to 3");
    refused_value(*state, -1, "row 2 | value -1 | column 3 | 0");
    refused_value(*state, NAN, "row 2 has the value ");
    refused_value(*state, INFINITY, "row 2 has the value inf in column 3");
    char path[TESTING_PATH];
    const float negative_zero = -0.0F;
    small_file(path, *state);
    assert_success(damage(path, ENDS + 3 * 8 + 2 * 8 + 4, &negative_zero, 4));
}

static void sums_beyond_float(void **state)
{
    char path[TESTING_PATH];
    TestingEntry entry[] = {{0, 1, 3e38}, {0, 1, 3e38}};
    TestingMatrix matrix = {1, 4, 2, entry};
    testing_csr4(testing_path(path, *state, "m"), &no_scanner, &matrix);
    assert_error(damage(path, 0, "P", 1), SINO_BAD_INPUT, "row 0 | 6e+38 | column 1 | up to");
}

static void truncated_anywhere(void **state)
{
    char path[TESTING_PATH];
    SinoMatrixFile *file = NULL;
    small_file(path, *state);
    for (int64_t bytes = ENDS + 6 * 8 - 1; bytes >= 0; bytes--) {
        assert_int_equal(truncate(path, bytes), 0);
        SinoStatus status = sino_matrix_open(path, &file);
        assert_error(status, SINO_BAD_INPUT, path);
    }
    small_file(path, *state);
    assert_int_equal(truncate(path, ENDS + 7 * 8), 0);
    assert_error(sino_matrix_open(path, &file), SINO_BAD_INPUT, "not those of its 3 rows and 3 entries");
}

static void cut_while_open(void **state)
{
    char path[TESTING_PATH];
    SinoRowBuffer buffer = {.row_room = 0};
    SinoMatrixFile *file = opened(small_file(path, *state));
    assert_int_equal(truncate(path, ENDS + 5 * 8), 0);
    assert_success(sino_matrix_read(file, 0, 2, &buffer));
    assert_error(sino_matrix_read(file, 0, 3, &buffer), SINO_FAILED, "m cannot be read");
    assert_success(sino_matrix_read(file, 1, 1, &buffer));
    sino_row_buffer_free(&buffer);
    sino_matrix_close(file);
}

static void refused_mirrors(const char *folder, TestingScanner about, int64_t rows, int64_t row, const char *why)
{
    char path[TESTING_PATH];
    TestingEntry entry = {row, 7, 1};
    TestingMatrix matrix = {rows, voxels, 1, &entry};
    SinoMatrixFile *file = NULL;
    testing_csr4(testing_path(path, folder, "m"), &about, &matrix);
    assert_error(sino_matrix_open(path, &file), SINO_BAD_INPUT, why);
}

static void scanners_without_mirrors(void **state)
{
    TestingScanner about = testing_mirror_scanner;
    const int64_t rows = crystals * crystals;
    about.flags = SINO_MIRROR_X;
    refused_mirrors(*state, about, rows + 1, 0, "leaves out mirrored entries (flags 1), but has 5185 rows");
    refused_mirrors(*state, about, rows, crystals, "but | row 72 | 72");
    about.block_gap[1] = 0.5F;
    refused_mirrors(*state, about, rows, 0, "mirrored in x or y (flags 1), but its blocks are not symmetric");
    about.flags = SINO_MIRROR_Z;
    about.ring_gap[0] = 0.1F;
    refused_mirrors(*state, about, rows, 0, "mirrored in z (flags 4), but its rings are not symmetric");
    about = testing_mirror_scanner;
    about.flags = SINO_MIRROR_Y;
    about.blocks = 3;
    refused_mirrors(*state, about, 54 * 54, 0, "flags 2 | 3 | an even");
    about = testing_mirror_scanner;
    about.flags = SINO_MIRROR_X;
    memset(about.grid, 0, sizeof about.grid);
    refused_mirrors(*state, about, rows, 0, "0 voxels | crystals");
}

static int64_t peak_kib(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

/* A file of 2²⁵ rows without entries, all of whose row ends are a hole. */
static void rows_take_no_memory(void **state)
{
    char path[TESTING_PATH];
    const uint32_t rows = 1U << 25;
    TestingMatrix matrix = {.row_count = 3, .column_count = 4};
    SinoRowBuffer buffer = {.row_room = 0};
    matrix.entry = calloc(1, sizeof *matrix.entry);
    testing_csr4(testing_path(path, *state, "m"), &no_scanner, &matrix);
    const int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(descriptor >= 0 && pwrite(descriptor, &rows, 4, ROWS) == 4 && close(descriptor) == 0);
    assert_int_equal(truncate(path, ENDS + 8 * (int64_t)rows), 0);
    const int64_t before = peak_kib();
    SinoMatrixFile *file = opened(path);
    assert_success(sino_matrix_read(file, rows - 100, 100, &buffer));
    assert_int_equal(buffer.rows.start[100], 0);
    assert_in_range(peak_kib() - before, 0, 65536); /* of 262144 */
    sino_row_buffer_free(&buffer);
    sino_matrix_close(file);
    free(matrix.entry);
}

static void several_threads(void **state)
{
    char path[TESTING_PATH];
    double *dense = calloc((size_t)(crystals * crystals * voxels), sizeof *dense);
    TestingScanner about = testing_mirror_scanner;
    assert_non_null(dense);
    about.flags = SINO_MIRROR_X | SINO_MIRROR_Z;
    testing_fill_orbits(about.flags, 1000, dense);
    TestingMatrix matrix = testing_fold(about.flags, dense, true);
    testing_csr4(testing_path(path, *state, "m"), &about, &matrix);
    SinoMatrixFile *file = opened(path);
    testing_threads((SinoMatrixFile *[]){file, file}, dense);
    sino_matrix_close(file);
    free(matrix.entry);
    free(dense);
}

static void other_files(void **state)
{
    char path[TESTING_PATH], group[TESTING_PATH];
    SinoMatrixFile *file = NULL;
    small_file(path, *state);
    testing_path(group, *state, "m:/group");
    assert_error(sino_matrix_open(group, &file), SINO_BAD_INPUT, "which | :/group");
    assert_error(damage(path, 0, "Q", 1), SINO_BAD_INPUT, "system | matrix | csr4 | PCSR");
    assert_error(sino_matrix_open(testing_path(path, *state, "absent"), &file), SINO_BAD_INPUT, "absent: No such file");
    assert_error(sino_matrix_open(*state, &file), SINO_BAD_INPUT, "is a directory");
    assert_int_equal(mkfifo(testing_path(path, *state, "fifo"), 0600), 0);
    assert_error(sino_matrix_open(path, &file), SINO_BAD_INPUT, "is not a regular file");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(matrix_csr4)
{
    const struct CMUnitTest tests[] = {
        TEST(random_matrices),
        TEST(ordered_matrix),
        TEST(outline),
        TEST(mirrors_are_those_of_space),
        TEST(odd_blocks_mirror_in_x),
        TEST(folded_is_unfolded),
        TEST(damaged_headers),
        TEST(damaged_rows),
        TEST(sums_beyond_float),
        TEST(truncated_anywhere),
        TEST(cut_while_open),
        TEST(scanners_without_mirrors),
        TEST(rows_take_no_memory),
        TEST(several_threads),
        TEST(other_files),
        TEST(folded_rows_stand_for_orbits),
        TEST(images_of_different_values_are_not_folded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
