/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing with NXtomo: writes scans as beamlines do. */
#pragma once

#include "testing_hdf5.h"

/* A scan of uint16 frames. Zero what is absent. */
typedef struct TestingNxtomo {
    const char *group;      /* "/entry1/tomo_entry" */
    const char *detector;   /* NULL: "detector" */
    const char *definition; /* NULL: none */
    const char *units;      /* of the angles */
    const char *units_name; /* of this attribute; NULL: "units" */
    hsize_t frames, rows, columns;
    const uint16_t *counts; /* [frame][row][column] */
    const int *key;         /* [frame]; NULL: no image_key */
    const int *control;     /* [frame]; NULL: no image_key_control */
    const double *angle;    /* [angles] */
    hsize_t angles;
    hid_t creation; /* of the frames; 0: default */
} TestingNxtomo;

__attribute__((unused)) static void testing_nxtomo_text(hid_t object, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    assert_true(type >= 0 && space >= 0 && H5Tset_size(type, strlen(text) + 1) >= 0);
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attribute >= 0 && H5Awrite(attribute, type, text) >= 0 && H5Aclose(attribute) >= 0);
    assert_true(H5Tclose(type) >= 0 && H5Sclose(space) >= 0);
}

__attribute__((unused)) static void testing_nxtomo_definition(hid_t file, const char *name, const char *text,
                                                              hid_t links)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    assert_true(type >= 0 && H5Tset_size(type, H5T_VARIABLE) >= 0);
    const hid_t dataset = H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text) >= 0);
    assert_true(H5Dclose(dataset) >= 0 && H5Tclose(type) >= 0 && H5Sclose(space) >= 0);
}

/* Adds a scan to a file; groups on the way are made. */
__attribute__((unused)) static void testing_nxtomo_add(hid_t file, const TestingNxtomo *scan)
{
    char name[256];
    const char *detector = scan->detector ? scan->detector : "detector";
    const hid_t links = H5Pcreate(H5P_LINK_CREATE);
    assert_true(links >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0);
    for (int i = 0; i < 2; i++) {
        if (i == 0)
            snprintf(name, sizeof name, "%s/instrument/%s", scan->group, detector);
        else
            snprintf(name, sizeof name, "%s/sample", scan->group);
        const hid_t group = H5Gcreate2(file, name, links, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(group >= 0 && H5Gclose(group) >= 0);
    }
    if (scan->counts) {
        snprintf(name, sizeof name, "%s/instrument/%s/data", scan->group, detector);
        testing_hdf5_dataset(file, &(TestingDataset){.name = name,
                                                     .file_type = H5T_STD_U16LE,
                                                     .memory_type = H5T_NATIVE_UINT16,
                                                     .rank = 3,
                                                     .size = {scan->frames, scan->rows, scan->columns},
                                                     .values = scan->counts,
                                                     .creation = scan->creation});
    }
    for (int i = 0; i < 2; i++) {
        const int *values = i ? scan->control : scan->key;
        snprintf(name, sizeof name, "%s/instrument/%s/image_key%s", scan->group, detector, i ? "_control" : "");
        if (values)
            testing_hdf5_dataset(file, &(TestingDataset){.name = name,
                                                         .file_type = H5T_STD_I32LE,
                                                         .memory_type = H5T_NATIVE_INT,
                                                         .rank = 1,
                                                         .size = {scan->frames},
                                                         .values = values});
    }
    snprintf(name, sizeof name, "%s/sample/rotation_angle", scan->group);
    if (scan->angle) {
        testing_hdf5_dataset(file, &(TestingDataset){.name = name,
                                                     .file_type = H5T_IEEE_F64LE,
                                                     .memory_type = H5T_NATIVE_DOUBLE,
                                                     .rank = 1,
                                                     .size = {scan->angles},
                                                     .values = scan->angle});
    }
    if (scan->units) {
        const hid_t angles = H5Dopen2(file, name, H5P_DEFAULT);
        testing_nxtomo_text(angles, scan->units_name ? scan->units_name : "units", scan->units);
        assert_true(H5Dclose(angles) >= 0);
    }
    snprintf(name, sizeof name, "%s/definition", scan->group);
    if (scan->definition) testing_nxtomo_definition(file, name, scan->definition, links);
    assert_true(H5Pclose(links) >= 0);
}

__attribute__((unused)) static void testing_nxtomo_write(const char *path, const TestingNxtomo *scan)
{
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    testing_nxtomo_add(file, scan);
    testing_hdf5_close(file);
}
