/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing with npz: writes zip files of NPY arrays as SciPy does. */
#pragma once

#include "testing_matrix.h"
#include "testing_npy.h"

#include <zip.h>

/* Adds a member whose values are these bytes. */
__attribute__((unused)) static void testing_npz_add(zip_t *zip, const char *name, bool deflate, const char *type,
                                                    const char *shape, const void *values, size_t value_bytes)
{
    size_t bytes;
    unsigned char *file = testing_npy(1, type, shape, values, value_bytes, &bytes);
    /* The source frees the file. */
    zip_source_t *source = zip_source_buffer(zip, file, bytes, 1);
    assert_non_null(source);
    const zip_int64_t index = zip_file_add(zip, name, source, ZIP_FL_OVERWRITE);
    assert_true(index >= 0);
    const zip_int32_t method = deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE;
    assert_int_equal(zip_set_file_compression(zip, (zip_uint64_t)index, method, 0), 0);
}

/* Adds an array of `numbers`, as "<i4", "<i8", "<u4" or ">i4", or of `reals`, as "<f8" or "<f4"; the other is NULL. */
__attribute__((unused)) static void testing_npz_array(zip_t *zip, const char *name, bool deflate, const char *type,
                                                      int64_t count, const int64_t *numbers, const double *reals)
{
    unsigned char *bytes = calloc((size_t)count + 1, 8);
    const int width = type[2] - '0';
    char shape[32];
    assert_non_null(bytes);
    snprintf(shape, sizeof shape, "(%lld,)", (long long)count);
    for (int64_t i = 0; i < count && reals; i++) {
        const float single = (float)reals[i];
        memcpy(bytes + i * width, width == 4 ? (const void *)&single : &reals[i], (size_t)width);
    }
    for (int64_t i = 0; i < count && numbers; i++)
        for (int b = 0; b < width; b++)
            bytes[i * width + (type[0] == '>' ? width - 1 - b : b)] = (unsigned char)((uint64_t)numbers[i] >> 8 * b);
    testing_npz_add(zip, name, deflate, type, shape, bytes, (size_t)(count * width));
    free(bytes);
}

typedef struct TestingNpz {
    const char *format; /* "csr", "csc" or "coo" */
    bool deflate;
    const char *index_type, *value_type;
} TestingNpz;

/* Writes a file of the entries, which this function sorts for csr and csc. */
__attribute__((unused)) static void testing_npz(const char *path, const TestingNpz *wanted, TestingMatrix *matrix)
{
    const int64_t shape[] = {matrix->row_count, matrix->column_count};
    const bool coordinates = strcmp(wanted->format, "coo") == 0;
    TestingArrays arrays;
    int error;
    (void)unlink(path);
    zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &error);
    assert_non_null(zip);
    testing_arrays(matrix, wanted->format, &arrays);
    testing_npz_array(zip, coordinates ? "col.npy" : "indices.npy", wanted->deflate, wanted->index_type, matrix->count,
                      arrays.index, NULL);
    testing_npz_array(zip, coordinates ? "row.npy" : "indptr.npy", wanted->deflate, wanted->index_type,
                      arrays.pointer_count, arrays.pointer, NULL);
    testing_npz_add(zip, "format.npy", wanted->deflate, "|S3", "()", wanted->format, 3);
    testing_npz_array(zip, "shape.npy", wanted->deflate, "<i8", 2, shape, NULL);
    testing_npz_array(zip, "data.npy", wanted->deflate, wanted->value_type, matrix->count, NULL, arrays.value);
    assert_int_equal(zip_close(zip), 0);
    testing_arrays_free(&arrays);
}
