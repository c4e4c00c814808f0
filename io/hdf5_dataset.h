/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 dataset: reading numbers from files that others wrote, with errors that name file and dataset. */
#ifndef SINO_HDF5_DATASET_H
#define SINO_HDF5_DATASET_H

#include "status.h"

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

enum { SINO_DATASET_RANK = 3 }; /* the highest */

typedef struct SinoDataset {
    hid_t id;         /* H5I_INVALID_HID: closed or absent */
    const char *file; /* for messages; not owned */
    const char *name; /* not owned */
    int rank;
    int64_t size[SINO_DATASET_RANK];
    int64_t chunk[SINO_DATASET_RANK]; /* 1 each when the layout is not chunked */
    char stored_type[16];             /* "uint16", "float64" … */
} SinoDataset;

/* Opens for reading. SINO_BAD_INPUT: no such file, a directory, not HDF5 (the message ends in `hint`), damaged. */
SinoStatus sino_hdf5_open(const char *path, const char *hint, hid_t *file);

/* Opens `name` of integers or floating-point numbers with exactly `rank` dimensions. Where an optional dataset is
 * absent, dataset->id is H5I_INVALID_HID. SINO_BAD_INPUT: absent, dangling link, no dataset, another rank or type, a
 * filter that this HDF5 lacks, sources of a virtual dataset missing. `path` and `name` are kept. */
SinoStatus sino_dataset_open(const char *path, hid_t file, const char *name, int rank, bool optional,
                             SinoDataset *dataset);
void sino_dataset_close(SinoDataset *dataset); /* takes an absent one */

/* The box [first, first + count) as values of memory_type, converted if need be. */
SinoStatus sino_dataset_read(const SinoDataset *dataset, const int64_t *first, const int64_t *count, hid_t memory_type,
                             void *values);

#endif
