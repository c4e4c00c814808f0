/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 output: an HDF5 file that has its name only when it is whole. */
#ifndef SINO_HDF5_OUTPUT_H
#define SINO_HDF5_OUTPUT_H

#include "status.h"

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

typedef struct SinoHdf5Output SinoHdf5Output;

/* A dataset of `rank` 0 (one value) to 3 dimensions, and what describes it. */
typedef struct SinoHdf5Shape {
    const char *name; /* "/exchange/data"; groups are made on the way */
    hid_t file_type;
    int rank;
    const hsize_t *size;
    const hsize_t *chunk; /* NULL: contiguous */
} SinoHdf5Shape;

/* Errors as sino_output_open. */
SinoStatus sino_hdf5_output_open(const char *path, bool overwrite, SinoHdf5Output **output);

/* Creates a dataset, its space allocated at once and not filled. Closed with the file; H5Dclose before is allowed. */
SinoStatus sino_hdf5_output_create(SinoHdf5Output *output, const SinoHdf5Shape *shape, hid_t *dataset);

/* Makes sure that everything created so far fits on the disk, where the file system can. */
SinoStatus sino_hdf5_output_reserve(SinoHdf5Output *output);

/* Values of memory_type at the box [first, first + count) of a dataset; count NULL: the whole of it. */
SinoStatus sino_hdf5_output_write(SinoHdf5Output *output, hid_t dataset, int rank, const hsize_t *first,
                                  const hsize_t *count, hid_t memory_type, const void *values);

/* A whole small dataset, with an attribute `description` unless NULL. */
SinoStatus sino_hdf5_output_values(SinoHdf5Output *output, const SinoHdf5Shape *shape, hid_t memory_type,
                                   const void *values, const char *description);

/* Where the chunks [i][all][all] of a 3-D dataset lie in the file, which have `bytes` bytes each, uncompressed. */
SinoStatus sino_hdf5_output_chunks(SinoHdf5Output *output, hid_t dataset, int64_t count, int64_t bytes, int64_t *place);

/* UTF-8 of any length, as h5py reads into str. */
SinoStatus sino_hdf5_output_text(SinoHdf5Output *output, const char *name, const char *text);

/* A text attribute of the object `name` ("/" is the file). */
SinoStatus sino_hdf5_output_attribute(SinoHdf5Output *output, const char *object, const char *name, const char *text);

/* Flushes, closes, syncs and names. Frees the output either way; on failure nothing has the final name. */
SinoStatus sino_hdf5_output_seal(SinoHdf5Output *output);
void sino_hdf5_output_discard(SinoHdf5Output *output); /* takes NULL */

#endif
