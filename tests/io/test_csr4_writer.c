/* SPDX-License-Identifier: BSD-3-Clause */
/* Csr4 writer: every byte of a small matrix; matrix_file.h reads it; a file is whole or absent. */
#include "csr4_writer.h"
#include "matrix_file.h"
#include "testing.h"

/* 2 blocks of 2 crystals in 1 ring: 16 rows. */
static const SinoCsr4Scanner scanner = {.block_count = 2,
                                        .block_size = 2,
                                        .ring_count = 1,
                                        .crystal_width = 2,
                                        .crystal_depth = 10,
                                        .gap = 0.25,
                                        .radius = 30,
                                        .attenuation = 0.5,
                                        .grid = {3, 2, 1, {1, 1.5, 2}}};
enum { ROWS = 16, SCANNER_BYTES = 64, FILE_BYTES = 28 + SCANNER_BYTES + ROWS * 8 + 3 * 8 };

static void write_rows(SinoCsr4Writer *writer)
{
    int64_t start[ROWS + 1] = {0, 0, 2, 2, 3};
    uint32_t column[] = {1, 5, 0};
    float value[] = {0.5f, 2, 3};
    for (int i = 5; i <= ROWS; i++) start[i] = 3;
    const SinoSparseRows first = {.first_row = 0, .row_count = 3, .start = start, .column = column, .value = value};
    const SinoSparseRows rest = {
        .first_row = 3, .row_count = ROWS - 3, .start = start + 3, .column = column, .value = value};
    assert_success(sino_csr4_writer_rows(writer, &first));
    assert_int_equal(sino_csr4_writer_entries(writer), 2);
    assert_success(sino_csr4_writer_rows(writer, &rest));
    assert_int_equal(sino_csr4_writer_entries(writer), 3);
}

static uint64_t integer_at(const unsigned char *bytes, int at, int count)
{
    uint64_t value = 0;
    for (int i = 0; i < count; i++) value |= (uint64_t)bytes[at + i] << 8 * i;
    return value;
}

static float real_at(const unsigned char *bytes, int at)
{
    const uint32_t bits = (uint32_t)integer_at(bytes, at, 4);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void every_byte_is_known(void **state)
{
    static const uint64_t ends[] = {0, 2, 2, 3};
    static const float lengths[] = {2, 2, 10, 30, 0.5f};
    unsigned char bytes[FILE_BYTES + 1];
    char path[TESTING_PATH];
    SinoCsr4Writer *writer;
    assert_success(sino_csr4_writer_open(testing_path(path, *state, "m.csr4"), false, &scanner, &writer));
    write_rows(writer);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_success(sino_csr4_writer_finish(writer));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), FILE_BYTES);
    assert_int_equal(fclose(file), 0);
    assert_memory_equal(bytes, "PCSR\4\0\0\0", 8);
    assert_int_equal(integer_at(bytes, 8, 4), ROWS);
    assert_int_equal(integer_at(bytes, 12, 4), 6);
    assert_int_equal(integer_at(bytes, 16, 8), 3);
    assert_int_equal(integer_at(bytes, 24, 4), SCANNER_BYTES);
    assert_int_equal(integer_at(bytes, 28, 4), 1); /* layer */
    for (int i = 0; i < 5; i++) assert_true(real_at(bytes, 32 + 4 * i) == lengths[i]);
    assert_int_equal(integer_at(bytes, 52, 4), 2); /* blocks */
    assert_int_equal(integer_at(bytes, 56, 4), 2); /* crystals of a block, then a gap */
    assert_true(real_at(bytes, 60) == 0.25f);
    assert_int_equal(integer_at(bytes, 64, 4), 1); /* ring, no gap */
    for (int d = 0; d < 3; d++) assert_true(real_at(bytes, 68 + 4 * d) == 1 + 0.5f * (float)d);
    for (int d = 0; d < 3; d++) assert_int_equal(integer_at(bytes, 80 + 4 * d, 4), 3 - d);
    for (int row = 0; row < ROWS; row++) assert_int_equal(integer_at(bytes, 92 + 8 * row, 8), row < 4 ? ends[row] : 3);
    assert_int_equal(integer_at(bytes, 220, 4), 1);
    assert_true(real_at(bytes, 224) == 0.5f);
    assert_int_equal(integer_at(bytes, 228, 4), 5);
    assert_int_equal(integer_at(bytes, 236, 4), 0);
    assert_true(real_at(bytes, 240) == 3);
}

/* Also with longer runs of rows and entries than are written at a time. */
static void matrices_are_read_back(void **state)
{
    enum { CRYSTALS = 200, MANY = CRYSTALS * CRYSTALS, ENTRIES = 3 * MANY };
    char path[TESTING_PATH];
    SinoCsr4Scanner large = scanner;
    SinoCsr4Writer *writer;
    SinoMatrixFile *file;
    SinoRowBuffer buffer = {.row_room = 0};
    SinoSparseRows rows = {.row_count = MANY};
    rows.start = calloc(MANY + 1, sizeof *rows.start);
    rows.column = calloc(ENTRIES, sizeof *rows.column);
    rows.value = calloc(ENTRIES, sizeof *rows.value);
    assert_true(rows.start && rows.column && rows.value);
    for (int i = 0; i < ENTRIES; i++) {
        rows.column[i] = (uint32_t)(i % 3 * 2);
        rows.value[i] = (float)(i + 1) / 16;
        rows.start[i / 3 + 1] = i + 1;
    }
    large.block_count = CRYSTALS / 2;
    assert_success(sino_csr4_writer_open(testing_path(path, *state, "m.csr4"), false, &large, &writer));
    assert_success(sino_csr4_writer_rows(writer, &rows));
    assert_success(sino_csr4_writer_finish(writer));
    assert_success(sino_matrix_open(path, &file));
    const SinoMatrixOutline *outline = sino_matrix_outline(file);
    assert_int_equal(outline->row_count, MANY);
    assert_int_equal(outline->column_count, 6);
    assert_int_equal(outline->nonzero_count, ENTRIES);
    assert_int_equal(outline->crystal_count, CRYSTALS);
    assert_true(outline->grid.x_count == 3 && outline->grid.y_count == 2 && outline->grid.size[1] == 1.5);
    assert_success(sino_matrix_read(file, 0, MANY, &buffer));
    assert_memory_equal(buffer.rows.start, rows.start, (MANY + 1) * sizeof *rows.start);
    assert_memory_equal(buffer.rows.column, rows.column, ENTRIES * sizeof *rows.column);
    assert_memory_equal(buffer.rows.value, rows.value, ENTRIES * sizeof *rows.value);
    sino_row_buffer_free(&buffer);
    sino_matrix_close(file);
    free(rows.start);
    free(rows.column);
    free(rows.value);
}

static void files_are_whole_or_absent(void **state)
{
    char path[TESTING_PATH];
    SinoCsr4Writer *writer = NULL;
    SinoCsr4Scanner large = scanner;
    assert_success(sino_csr4_writer_open(testing_path(path, *state, "m.csr4"), false, &scanner, &writer));
    sino_csr4_writer_abandon(writer);
    assert_success(sino_csr4_writer_open(path, false, &scanner, &writer));
    write_rows(writer);
    assert_success(sino_csr4_writer_finish(writer));
    assert_error(sino_csr4_writer_open(path, false, &scanner, &writer), SINO_BAD_INPUT, "m.csr4");
    large.ring_count = 1 << 14;
    assert_error(sino_csr4_writer_open(path, true, &large, &writer), SINO_BAD_INPUT,
                 "m.csr4 | 4294967296 rows | 6 columns | 4294967295");
    large = scanner;
    large.grid.x_count = INT64_MAX;
    assert_error(sino_csr4_writer_open(path, true, &large, &writer), SINO_BAD_INPUT, "; allowed: up to 4294967295");
    sino_csr4_writer_abandon(NULL);
}

static void full_disks_are_errors(void **state)
{
    char path[TESTING_PATH];
    SinoCsr4Writer *writer = NULL;
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_success(sino_csr4_writer_open(testing_path(path, *state, "m.csr4"), false, &scanner, &writer));
    int64_t start[ROWS + 1] = {0};
    const SinoSparseRows rows = {.first_row = 0, .row_count = ROWS, .start = start};
    testing_limit_file_size(100);
    assert_error(sino_csr4_writer_rows(writer, &rows), SINO_FAILED, "m.csr4");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_error(sino_csr4_writer_finish(writer), SINO_FAILED, "m.csr4");
    assert_int_not_equal(access(path, F_OK), 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(csr4_writer)
{
    const struct CMUnitTest tests[] = {TEST(every_byte_is_known), TEST(matrices_are_read_back),
                                       TEST(files_are_whole_or_absent), TEST(full_disks_are_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
