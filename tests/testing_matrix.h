/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing with matrices: entries of a sparse matrix in any order, what readers must make of them, and writers. */
#pragma once

#include "matrix_file.h"
#include "testing.h"

#include <pthread.h>
#include <zlib.h>

typedef struct TestingEntry {
    int64_t row, column;
    double value;
} TestingEntry;

/* A matrix as a file stores it; several entries may have one place. */
typedef struct TestingMatrix {
    int64_t row_count, column_count, count;
    TestingEntry *entry; /* owned */
} TestingMatrix;

/* Pseudo-random numbers, the same everywhere. */
__attribute__((unused)) static uint32_t testing_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

/* Random entries in random order, among them repeated places and zeros; sixteenths, so that sums are exact. */
__attribute__((unused)) static TestingMatrix testing_matrix(int64_t rows, int64_t columns, int64_t count, uint64_t seed)
{
    TestingMatrix matrix = {.row_count = rows, .column_count = columns, .count = count};
    matrix.entry = calloc((size_t)count + 1, sizeof *matrix.entry);
    assert_non_null(matrix.entry);
    for (int64_t i = 0; i < count; i++) {
        TestingEntry *entry = &matrix.entry[i];
        entry->row = testing_random(&seed) % rows;
        entry->column = testing_random(&seed) % columns;
        entry->value = testing_random(&seed) % 100 / 16.0;
    }
    return matrix;
}

__attribute__((unused)) static int testing_by_row(const void *a, const void *b)
{
    const TestingEntry *first = a, *second = b;
    return (first->row > second->row) - (first->row < second->row);
}

__attribute__((unused)) static int testing_by_column(const void *a, const void *b)
{
    const TestingEntry *first = a, *second = b;
    return (first->column > second->column) - (first->column < second->column);
}

/* The matrix as it is, [row][column]. The caller frees it. */
__attribute__((unused)) static double *testing_dense(const TestingMatrix *matrix)
{
    double *dense = calloc((size_t)(matrix->row_count * matrix->column_count), sizeof *dense);
    assert_non_null(dense);
    for (int64_t i = 0; i < matrix->count; i++) {
        const TestingEntry *entry = &matrix->entry[i];
        dense[entry->row * matrix->column_count + entry->column] += entry->value;
    }
    return dense;
}

/* Whether these rows are those of the dense matrix. */
__attribute__((unused)) static bool testing_same_rows(const SinoSparseRows *rows, int64_t first, int64_t count,
                                                      int64_t columns, const double *dense)
{
    int64_t at = 0;
    if (rows->first_row != first || rows->row_count != count || rows->start[0] != 0) return false;
    for (int64_t i = 0; i < count; i++) {
        for (int64_t c = 0; c < columns; c++) {
            const double wanted = dense[(first + i) * columns + c];
            if ((float)wanted <= 0) continue;
            if (at >= rows->start[i + 1] || rows->column[at] != c || rows->value[at] != (float)wanted) return false;
            at++;
        }
        if (rows->start[i + 1] != at) return false;
    }
    return true;
}

/* Reads all rows, single rows and random ranges, and compares them. */
__attribute__((unused)) static void assert_matrix(SinoMatrixFile *file, const double *dense, uint64_t seed)
{
    const SinoMatrixOutline *outline = sino_matrix_outline(file);
    const int64_t rows = outline->row_count;
    SinoRowBuffer buffer = {.row_room = 0};
    int64_t *entries = calloc((size_t)rows, sizeof *entries), sum = 0;
    assert_non_null(entries);
    assert_success(sino_matrix_count_rows(file, 0, rows, entries));
    for (int64_t i = 0; i < rows; i++) sum += entries[i];
    assert_true(sum <= outline->nonzero_count);
    for (int trial = 0; trial < 30; trial++) {
        const int64_t first = trial == 0 ? 0 : testing_random(&seed) % rows;
        const int64_t count = trial == 0 ? rows : trial % 2 ? 1 : testing_random(&seed) % (rows - first + 1);
        int64_t room = 0;
        assert_success(sino_matrix_read(file, first, count, &buffer));
        if (!testing_same_rows(&buffer.rows, first, count, outline->column_count, dense))
            fail_msg("rows %ld to %ld differ", (long)first, (long)(first + count - 1));
        assert_success(sino_matrix_count_rows(file, first, count, entries));
        for (int64_t i = 0; i < count; i++) room += entries[i];
        assert_true(buffer.rows.start[count] <= room);
    }
    sino_row_buffer_free(&buffer);
    free(entries);
}

/* A thread that reads random ranges of a file of the dense matrix. */
typedef struct TestingReader {
    SinoMatrixFile *file;
    const double *dense;
    uint64_t seed;
    bool fine;
} TestingReader;

__attribute__((unused)) static void *testing_read_often(void *context)
{
    TestingReader *reader = context;
    const SinoMatrixOutline *about = sino_matrix_outline(reader->file);
    SinoRowBuffer buffer = {.row_room = 0};
    reader->fine = true;
    for (int trial = 0; trial < 40 && reader->fine; trial++) {
        const int64_t first = testing_random(&reader->seed) % about->row_count;
        const int64_t count = testing_random(&reader->seed) % (about->row_count - first + 1);
        SinoStatus status = sino_matrix_read(reader->file, first, count, &buffer);
        reader->fine = !status && testing_same_rows(&buffer.rows, first, count, about->column_count, reader->dense);
        sino_status_free(status);
    }
    sino_row_buffer_free(&buffer);
    return NULL;
}

/* Several threads read two files, or one. */
__attribute__((unused)) static void testing_threads(SinoMatrixFile *const file[2], const double *dense)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    TestingReader reader[THREADS];
    for (uint64_t i = 0; i < THREADS; i++) {
        reader[i] = (TestingReader){.file = file[i % 2], .dense = dense, .seed = i};
        assert_int_equal(pthread_create(&thread[i], NULL, testing_read_often, &reader[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_true(reader[i].fine);
    }
}

/* A matrix in arrays, as SciPy has it. */
typedef struct TestingArrays {
    int64_t pointer_count;
    int64_t *pointer, *index; /* coo: row and column of each entry */
    double *value;
} TestingArrays;

/* "csr", "csc" or "coo"; the entries are sorted for the first two. */
__attribute__((unused)) static void testing_arrays(TestingMatrix *matrix, const char *format, TestingArrays *arrays)
{
    const bool columns = strcmp(format, "csc") == 0, coordinates = strcmp(format, "coo") == 0;
    const int64_t parts = columns ? matrix->column_count : matrix->row_count;
    const size_t count = (size_t)matrix->count;
    if (!coordinates) qsort(matrix->entry, count, sizeof *matrix->entry, columns ? testing_by_column : testing_by_row);
    arrays->pointer_count = coordinates ? matrix->count : parts + 1;
    arrays->pointer = calloc((size_t)arrays->pointer_count + 1, sizeof *arrays->pointer);
    arrays->index = calloc(count + 1, sizeof *arrays->index);
    arrays->value = calloc(count + 1, sizeof *arrays->value);
    assert_true(arrays->pointer && arrays->index && arrays->value);
    for (int64_t i = 0; i < matrix->count; i++) {
        const TestingEntry *entry = &matrix->entry[i];
        arrays->index[i] = columns ? entry->row : entry->column;
        arrays->value[i] = entry->value;
        if (coordinates) arrays->pointer[i] = entry->row;
        if (!coordinates) arrays->pointer[(columns ? entry->column : entry->row) + 1]++;
    }
    for (int64_t i = 0; i < parts && !coordinates; i++) arrays->pointer[i + 1] += arrays->pointer[i];
}

__attribute__((unused)) static void testing_arrays_free(TestingArrays *arrays)
{
    free(arrays->pointer);
    free(arrays->index);
    free(arrays->value);
}

/* The description of a scanner in a csr4 file. */
typedef struct TestingScanner {
    int flags;
    uint32_t layers, blocks, block_size, rings, grid[3];
    float block_gap[8], ring_gap[8];
} TestingScanner;

__attribute__((unused)) static void testing_write(FILE *out, const void *bytes, size_t size)
{
    assert_true(size == 0 || fwrite(bytes, size, 1, out) == 1);
}

__attribute__((unused)) static void testing_write_scanner(FILE *out, const TestingScanner *scanner)
{
    static const float layer[] = {2, 2, 6, 35.5F, 0.087F}, voxel[] = {0.5F, 0.25F, 2};
    testing_write(out, &scanner->layers, 4);
    for (uint32_t l = 0; l < scanner->layers; l++) testing_write(out, layer, sizeof layer);
    testing_write(out, &scanner->blocks, 4);
    testing_write(out, &scanner->block_size, 4);
    testing_write(out, scanner->block_gap, (scanner->block_size - 1) * sizeof(float));
    testing_write(out, &scanner->rings, 4);
    testing_write(out, scanner->ring_gap, (scanner->rings - 1) * sizeof(float));
    testing_write(out, voxel, sizeof voxel);
    testing_write(out, scanner->grid, sizeof scanner->grid);
}

/* Writes a csr4 file of the entries, sorted by row in any order within rows, which this function does. */
__attribute__((unused)) static void testing_csr4(const char *path, const TestingScanner *scanner, TestingMatrix *matrix)
{
    const uint32_t rows = (uint32_t)matrix->row_count, columns = (uint32_t)matrix->column_count;
    const uint32_t scanner_bytes =
        36 + scanner->layers * 20 + 4 * (scanner->block_size - 1) + 4 * (scanner->rings - 1) + 4;
    const uint64_t count = (uint64_t)matrix->count;
    const unsigned char version[] = {4, (unsigned char)scanner->flags, 0, 0};
    uint64_t end = 0;
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    qsort(matrix->entry, count, sizeof *matrix->entry, testing_by_row);
    testing_write(out, "PCSR", 4);
    testing_write(out, version, 4);
    testing_write(out, &rows, 4);
    testing_write(out, &columns, 4);
    testing_write(out, &count, 8);
    testing_write(out, &scanner_bytes, 4);
    testing_write_scanner(out, scanner);
    for (int64_t row = 0; row < matrix->row_count; row++) {
        while (end < count && matrix->entry[end].row == row) end++;
        testing_write(out, &end, 8);
    }
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t column = (uint32_t)matrix->entry[i].column;
        const float value = (float)matrix->entry[i].value;
        testing_write(out, &column, 4);
        testing_write(out, &value, 4);
    }
    assert_int_equal(fclose(out), 0);
}

/* Writes a Matrix Market file of the entries, in their order. */
__attribute__((unused)) static void testing_market(const char *path, bool compressed, const TestingMatrix *matrix)
{
    gzFile out = gzopen(path, compressed ? "wb" : "wbT"); /* T: as it is */
    assert_non_null(out);
    gzprintf(out, "%%%%MatrixMarket matrix coordinate real general\n%% by a test\n%lld %lld %lld\n",
             (long long)matrix->row_count, (long long)matrix->column_count, (long long)matrix->count);
    for (int64_t i = 0; i < matrix->count; i++) {
        const TestingEntry *entry = &matrix->entry[i];
        gzprintf(out, "%lld %lld %.17g\n", (long long)entry->row + 1, (long long)entry->column + 1, entry->value);
    }
    assert_int_equal(gzclose(out), Z_OK);
}
