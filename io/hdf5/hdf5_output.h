/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 output: an HDF5 file that gets its final name only when it is complete. */
#pragma once

#include "status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hdf5.h>

typedef struct SinoHdf5Output SinoHdf5Output;

/* A dataset of `rank` 0 (one value) or more dimensions. */
typedef struct SinoHdf5Shape {
    const char *name; /* missing groups are created */
    hid_t file_type;
    int rank;
    const hsize_t *size;
    const hsize_t *chunk; /* NULL: contiguous */
    int deflate;          /* level of compression of the chunks, whose bytes are shuffled before; 0: none */
} SinoHdf5Shape;

/* Creates the file under its temporary name; the caller ends with _seal or _discard. Errors as of sino_output_open. */
SinoStatus sino_hdf5_output_open(const char *path, bool overwrite, SinoHdf5Output **output);

/* sino_hdf5_output_open over the temporary file that a killed run left behind: where the same datasets are created in
 * the same order, they find the values that the killed run wrote. */
SinoStatus sino_hdf5_output_reopen(const char *path, bool overwrite, SinoHdf5Output **output);

/* Creates a dataset, and, unless it is compressed, allocates its space in the file without filling it. The file closes
 * the dataset; an earlier H5Dclose is allowed. */
SinoStatus sino_hdf5_output_create(SinoHdf5Output *output, const SinoHdf5Shape *shape, hid_t *dataset);

/* Reserves disk space for everything created so far, if the file system can. SINO_FAILED: the disk is too small. */
SinoStatus sino_hdf5_output_reserve(SinoHdf5Output *output);

/* Writes values of memory_type into the box [first, first + count) of a dataset; count NULL: the whole dataset. */
SinoStatus sino_hdf5_output_write(SinoHdf5Output *output, hid_t dataset, int rank, const hsize_t *first,
                                  const hsize_t *count, hid_t memory_type, const void *values);

/* Writes a chunk that begins at `first`, as its filters have left it; bit k of `left_out`: without filter k. */
SinoStatus sino_hdf5_output_write_chunk(SinoHdf5Output *output, hid_t dataset, const hsize_t *first, uint32_t left_out,
                                        int64_t count, const void *bytes);

/* Reads values of the box [first, first + count) of a dataset back. */
SinoStatus sino_hdf5_output_read(SinoHdf5Output *output, hid_t dataset, int rank, const hsize_t *first,
                                 const hsize_t *count, hid_t memory_type, void *values);

/* Creates and writes a small dataset, with an attribute `description` unless that is NULL. */
SinoStatus sino_hdf5_output_values(SinoHdf5Output *output, const SinoHdf5Shape *shape, hid_t memory_type,
                                   const void *values, const char *description);

/* *place: offset in the file of the chunk that begins at `first`, which is uncompressed. SINO_FAILED: it has not
 * `bytes` bytes. */
SinoStatus sino_hdf5_output_chunk(SinoHdf5Output *output, hid_t dataset, const hsize_t *first, int64_t bytes,
                                  int64_t *place);

/* Writes bytes at an offset of the file, for other processes to see. before[count] gets the bytes that were there;
 * NULL: they are not wanted. */
SinoStatus sino_hdf5_output_stamp(SinoHdf5Output *output, int64_t offset, const void *bytes, size_t count,
                                  void *before);

/* Writes a UTF-8 text of any length, which h5py reads as str. */
SinoStatus sino_hdf5_output_text(SinoHdf5Output *output, const char *name, const char *text);

/* Writes a text attribute `name` of an object ("/" is the file). */
SinoStatus sino_hdf5_output_attribute(SinoHdf5Output *output, const char *object, const char *name, const char *text);

/* The same of a number. */
SinoStatus sino_hdf5_output_number(SinoHdf5Output *output, const char *object, const char *name, double value);

/* Flushes, closes and syncs the file, and gives it its final name. Frees the output in either case; on failure no file
 * has the final name. */
SinoStatus sino_hdf5_output_seal(SinoHdf5Output *output);
void sino_hdf5_output_discard(SinoHdf5Output *output); /* takes NULL */
void sino_hdf5_output_keep(SinoHdf5Output *output);    /* leaves the temporary file for _reopen; takes NULL */
void sino_hdf5_output_stay(SinoHdf5Output *output);    /* as sino_output_stay */
