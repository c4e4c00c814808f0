/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing with HDF5: short ways to make and look into files, each of which fails the test when HDF5 fails. */
#pragma once

#include "testing.h"

#include <hdf5.h>

/* A new file with an empty group /exchange. */
__attribute__((unused)) static hid_t testing_hdf5_create(const char *path)
{
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t group = H5Gcreate2(file, "/exchange", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0 && group >= 0);
    assert_true(H5Gclose(group) >= 0);
    return file;
}

__attribute__((unused)) static void testing_hdf5_close(hid_t file)
{
    assert_true(H5Fclose(file) >= 0);
}

typedef struct TestingDataset {
    const char *name;
    hid_t file_type, memory_type;
    int rank;
    hsize_t size[4];
    const void *values; /* NULL: not written */
    hid_t creation;     /* 0: default */
} TestingDataset;

__attribute__((unused)) static void testing_hdf5_dataset(hid_t file, const TestingDataset *wanted)
{
    const hid_t creation = wanted->creation ? wanted->creation : H5P_DEFAULT;
    const hid_t space = H5Screate_simple(wanted->rank, wanted->size, NULL);
    const hid_t dataset = H5Dcreate2(file, wanted->name, wanted->file_type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    assert_true(space >= 0 && dataset >= 0);
    if (wanted->values) {
        assert_true(H5Dwrite(dataset, wanted->memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, wanted->values) >= 0);
    }
    assert_true(H5Dclose(dataset) >= 0 && H5Sclose(space) >= 0);
}

/* The text of a scalar dataset, or of an attribute of `object` unless that is NULL. Caller frees. */
__attribute__((unused)) static char *testing_hdf5_text(hid_t file, const char *object, const char *name)
{
    char *found = NULL;
    const hid_t id =
        object ? H5Aopen_by_name(file, object, name, H5P_DEFAULT, H5P_DEFAULT) : H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(id >= 0);
    const hid_t type = object ? H5Aget_type(id) : H5Dget_type(id);
    assert_true(H5Tis_variable_str(type) > 0); /* what h5py reads as str */
    assert_int_equal(H5Tget_cset(type), H5T_CSET_UTF8);
    assert_true((object ? H5Aread(id, type, &found) : H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &found)) >= 0);
    assert_true(H5Tclose(type) >= 0 && (object ? H5Aclose(id) : H5Dclose(id)) >= 0);
    char *text = strdup(found);
    assert_true(H5free_memory(found) >= 0);
    return text;
}

__attribute__((unused)) static void assert_hdf5_text(hid_t file, const char *object, const char *name, const char *text)
{
    char *found = testing_hdf5_text(file, object, name);
    assert_string_equal(found, text);
    free(found);
}
