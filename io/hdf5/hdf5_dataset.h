/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 dataset: reads numbers from HDF5 files of other programs; errors name file and dataset. */
#pragma once

#include "status.h"

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

enum {
    SINO_DATASET_RANK = H5S_MAX_RANK, /* the highest rank that is read */
    SINO_ANY_RANK = -1
};

typedef struct SinoDataset {
    hid_t id;         /* H5I_INVALID_HID: closed, or the dataset is absent */
    const char *file; /* for messages; not owned */
    const char *name; /* not owned */
    int rank;
    int64_t size[SINO_DATASET_RANK];
    int64_t chunk[SINO_DATASET_RANK]; /* 1 in every dimension when the layout is not chunked */
    int64_t value_bytes;
    bool chunked;
    bool filtered;        /* its chunks pass filters, such as compression */
    bool deflated;        /* the last filter is deflate, and the others keep the number of bytes */
    bool scaled;          /* a value is offset + scale · stored number, as the attributes scale_factor and add_offset
                           * say (CF conventions) */
    double scale, offset; /* 1 and 0 if it is not scaled */
    char stored_type[16]; /* "uint16", "float64" … */
} SinoDataset;

/* Whether a regular file has HDF5's signature. Such a file may still be damaged. */
bool sino_hdf5_probe(const char *path);

/* Opens a file for reading; the caller closes it with H5Fclose. SINO_BAD_INPUT: no such file, a directory, not HDF5,
 * damaged. */
SinoStatus sino_hdf5_open(const char *path, hid_t *file);

/* Opens the dataset `name` of integers or floating-point numbers with exactly `rank` dimensions, or SINO_ANY_RANK. If
 * an optional dataset is absent, dataset->id is H5I_INVALID_HID. `path` and `name` must outlive the dataset.
 * SINO_BAD_INPUT: absent, dangling link, not a dataset, another rank or type, a filter that this HDF5 lacks, a
 * scale_factor of 0 or one that is not finite. Whether its values exist is not checked: hdf5_source.h. */
SinoStatus sino_dataset_open(const char *path, hid_t file, const char *name, int rank, bool optional,
                             SinoDataset *dataset);
void sino_dataset_close(SinoDataset *dataset); /* accepts an absent dataset */

/* Reads the box [first, first + count): values of memory_type, of scaled numbers those that they stand for, which must
 * be H5T_NATIVE_FLOAT or H5T_NATIVE_DOUBLE (SINO_BAD_INPUT: integers, such as indices, are wanted). HDF5 takes some
 * kilobytes for each chunk of a read; the box is therefore read in pieces of few chunks. */
SinoStatus sino_dataset_read(const SinoDataset *dataset, const int64_t *first, const int64_t *count, hid_t memory_type,
                             void *values);
