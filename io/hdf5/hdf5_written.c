/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 written: looks at stored chunks, and at values where those do not tell. */
#include "hdf5_files.h"

#include <inttypes.h>
#include <stdlib.h>

#include "memory.h"
#include "paths.h"

/* The middle row of a frame; the caller frees *row. */
static SinoStatus read_middle(const SinoDataset *dataset, int64_t frame, double **row)
{
    const int64_t first[] = {frame, dataset->size[1] / 2, 0}, count[] = {1, 1, dataset->size[2]};
    SINO_TRY(sino_allocate(count[2], sizeof **row, "a row", row));
    SinoStatus status = sino_dataset_read(dataset, first, count, H5T_NATIVE_DOUBLE, *row);
    if (status) free(*row);
    return status;
}

SinoStatus sino_dataset_first_row(const SinoDataset *dataset, char digits[17])
{
    double *row;
    SINO_TRY(read_middle(dataset, 0, &row));
    sino_checksum_bytes(row, (size_t)dataset->size[2] * sizeof *row, digits);
    free(row);
    return NULL;
}

/* What a dataset has where nothing was written. */
static double fill_value(const SinoDataset *dataset)
{
    double value = 0;
    const hid_t creation = H5Dget_create_plist(dataset->id);
    if (creation < 0 || H5Pget_fill_value(creation, H5T_NATIVE_DOUBLE, &value) < 0) value = 0; /* none is defined */
    if (creation >= 0) (void)H5Pclose(creation);
    return dataset->offset + dataset->scale * value;
}

/* Whether a frame that has its chunks, of which others may have been written, has been written. */
static SinoStatus check_written(const SinoDataset *dataset, int64_t frame, bool *written)
{
    double *row;
    if (dataset->chunk[0] == 1) return NULL;
    const double fill = fill_value(dataset);
    SINO_TRY(read_middle(dataset, frame, &row));
    *written = false;
    for (int64_t i = 0; i < dataset->size[2] && !*written; i++) *written = row[i] != fill;
    free(row);
    return NULL;
}

/* Adds the frames of a stored chunk that are written: all of them if the last one is. *more: so is frame *whole. */
static SinoStatus count_written(const SinoDataset *dataset, int64_t *whole, bool *more)
{
    const int64_t end = (*whole / dataset->chunk[0] + 1) * dataset->chunk[0],
                  last = sino_smaller(end, dataset->size[0]);
    bool all = true;
    SINO_TRY(check_written(dataset, last - 1, &all));
    if (!all) SINO_TRY(check_written(dataset, *whole, more));
    if (*more) *whole = all ? last : *whole + 1;
    return NULL;
}

SinoStatus sino_dataset_grow(SinoDataset *dataset, int64_t *whole)
{
    hsize_t size[SINO_DATASET_RANK];
    bool stored = true;
    const hid_t space = H5Dget_space(dataset->id);
    const bool same = space >= 0 && H5Sget_simple_extent_ndims(space) == dataset->rank;
    const int rank = same ? H5Sget_simple_extent_dims(space, size, NULL) : -1;
    if (space >= 0) (void)H5Sclose(space);
    SINO_HDF5_CHECK(rank > 0, SINO_FAILED, "%s: %s has no readable size any more", dataset->file, dataset->name);
    for (int d = 1; d < rank; d++)
        SINO_CHECK(size[d] == (hsize_t)dataset->size[d], SINO_FAILED,
                   "%s: a frame of %s had a side of %" PRId64 ", and now has %" PRIu64, dataset->file, dataset->name,
                   dataset->size[d], (uint64_t)size[d]);
    dataset->size[0] = (int64_t)size[0];
    *whole = sino_smaller(*whole, dataset->size[0]);
    while (*whole < dataset->size[0]) {
        SINO_TRY(sino_hdf5_frame_stored(dataset, *whole, &stored));
        if (stored) SINO_TRY(count_written(dataset, whole, &stored));
        if (!stored) break;
    }
    return NULL;
}
