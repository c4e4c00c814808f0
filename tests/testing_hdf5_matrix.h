/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing with matrices in HDF5: writes them as AnnData, 10x Genomics and MATLAB do. */
#pragma once

#include "testing_hdf5.h"
#include "testing_matrix.h"

typedef enum TestingStyle {
    TESTING_ANNDATA,
    TESTING_H5SPARSE,
    TESTING_10X,
    TESTING_MATLAB,
    TESTING_STYLES
} TestingStyle;

typedef struct TestingHdf5 {
    TestingStyle style;
    const char *group;  /* "/" or "/X" */
    const char *format; /* "csr" or "csc"; MATLAB has csc only */
    hid_t index_type, value_type;
    bool chunked; /* in small chunks, compressed */
} TestingHdf5;

__attribute__((unused)) static void testing_attribute(hid_t object, const char *name, hid_t type, hsize_t count,
                                                      const void *values)
{
    const hid_t space = count > 0 ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(space >= 0 && attribute >= 0 && H5Awrite(attribute, type, values) >= 0);
    assert_true(H5Aclose(attribute) >= 0 && H5Sclose(space) >= 0);
}

/* A text of variable length, as h5py writes it, or of fixed length. */
__attribute__((unused)) static void testing_text_attribute(hid_t object, const char *name, bool fixed, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    assert_true(type >= 0 && H5Tset_size(type, fixed ? strlen(text) : H5T_VARIABLE) >= 0);
    testing_attribute(object, name, type, 0, fixed ? (const void *)text : &text);
    assert_true(H5Tclose(type) >= 0);
}

__attribute__((unused)) static void testing_hdf5_array(hid_t group, const char *name, hid_t type, hid_t memory_type,
                                                       bool chunked, int64_t count, const void *values)
{
    TestingDataset wanted = {name, type, memory_type, 1, {(hsize_t)count}, values, 0};
    const hsize_t chunk = count < 64 ? (hsize_t)count : 64;
    if (chunked && count > 0) {
        wanted.creation = H5Pcreate(H5P_DATASET_CREATE);
        assert_true(H5Pset_chunk(wanted.creation, 1, &chunk) >= 0 && H5Pset_deflate(wanted.creation, 1) >= 0);
    }
    testing_hdf5_dataset(group, &wanted);
    if (wanted.creation) assert_true(H5Pclose(wanted.creation) >= 0);
}

/* Writes the matrix into an open file. */
__attribute__((unused)) static void testing_hdf5_matrix(hid_t file, const TestingHdf5 *wanted, TestingMatrix *matrix)
{
    const int64_t shape[] = {matrix->row_count, matrix->column_count};
    const bool matlab = wanted->style == TESTING_MATLAB, empty = matlab && matrix->count == 0;
    char text[16];
    TestingArrays arrays;
    const hid_t group = strcmp(wanted->group, "/") == 0
                            ? H5Gopen2(file, "/", H5P_DEFAULT)
                            : H5Gcreate2(file, wanted->group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(group >= 0);
    testing_arrays(matrix, wanted->format, &arrays);
    testing_hdf5_array(group, matlab ? "jc" : "indptr", wanted->index_type, H5T_NATIVE_INT64, wanted->chunked,
                       arrays.pointer_count, arrays.pointer);
    if (!empty)
        testing_hdf5_array(group, matlab ? "ir" : "indices", wanted->index_type, H5T_NATIVE_INT64, wanted->chunked,
                           matrix->count, arrays.index);
    if (!empty)
        testing_hdf5_array(group, "data", wanted->value_type, H5T_NATIVE_DOUBLE, wanted->chunked, matrix->count,
                           arrays.value);
    snprintf(text, sizeof text, "%s_matrix", wanted->format);
    if (wanted->style == TESTING_ANNDATA) testing_text_attribute(group, "encoding-type", matrix->count % 2, text);
    if (wanted->style == TESTING_ANNDATA) testing_attribute(group, "shape", H5T_NATIVE_INT64, 2, shape);
    if (wanted->style == TESTING_H5SPARSE) testing_text_attribute(group, "h5sparse_format", false, wanted->format);
    if (wanted->style == TESTING_H5SPARSE) testing_attribute(group, "h5sparse_shape", H5T_NATIVE_INT64, 2, shape);
    if (wanted->style == TESTING_10X)
        testing_hdf5_array(group, "shape", H5T_STD_I32LE, H5T_NATIVE_INT64, false, 2, shape);
    if (matlab) testing_attribute(group, "MATLAB_sparse", H5T_NATIVE_INT64, 0, &matrix->row_count);
    testing_arrays_free(&arrays);
    assert_true(H5Gclose(group) >= 0);
}
