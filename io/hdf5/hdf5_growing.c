/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 growing: opens files beside their writers, and looks which frames are whole. */
#include "hdf5_growing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arithmetic.h"
#include "checksum.h"
#include "hdf5_chunk.h"
#include "hdf5_error.h"
#include "memory.h"
#include "regular_file.h"

/* Section II.A of the HDF5 file format: signature, version, two sizes, consistency flags. */
SinoHdf5Writer sino_hdf5_writer(const char *path)
{
    enum { VERSION = 8, FLAGS = 11, HEAD = 12, WRITTEN = 1, SWMR = 4 };
    unsigned char head[HEAD];
    if (sino_regular_head(path, HEAD, head) < HEAD || memcmp(head, "\211HDF\r\n\032\n", VERSION) != 0 ||
        head[VERSION] < 3 || !(head[FLAGS] & WRITTEN))
        return SINO_HDF5_NO_WRITER;
    return head[FLAGS] & SWMR ? SINO_HDF5_SWMR_WRITER : SINO_HDF5_WRITER;
}

/* Negative: no memory. */
static hid_t access_without_lock(void)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
#if H5_VERSION_GE(1, 12, 1) || (H5_VERSION_GE(1, 10, 7) && !H5_VERSION_GE(1, 12, 0))
    if (access >= 0) (void)H5Pset_file_locking(access, false, true); /* else HDF5 locks as usual */
#endif
    return access;
}

SinoStatus sino_hdf5_open_growing(const char *path, bool *swmr, hid_t *file)
{
    SINO_TRY(sino_regular_check(path));
    sino_hdf5_quiet();
    SINO_CHECK(H5Fis_hdf5(path) > 0, SINO_BAD_INPUT, "%s is not an HDF5 file", path);
    const bool written = sino_hdf5_writer(path) == SINO_HDF5_SWMR_WRITER;
    const hid_t access = access_without_lock();
    SINO_HDF5_CHECK(access >= 0, SINO_FAILED, "%s: HDF5 gives no access list", path);
    const hid_t opened = H5Fopen(path, written ? H5F_ACC_RDONLY | H5F_ACC_SWMR_READ : H5F_ACC_RDONLY, access);
    SinoStatus status = opened < 0 ? sino_hdf5_error(SINO_BAD_INPUT, "%s cannot be opened", path) : NULL;
    (void)H5Pclose(access);
    if (status) return status;
    *swmr = written;
    *file = opened;
    return NULL;
}

/* Whether chunks are stored before their values are written. */
static bool is_stored_early(const SinoDataset *dataset)
{
    H5D_alloc_time_t when = H5D_ALLOC_TIME_EARLY;
    const hid_t creation = H5Dget_create_plist(dataset->id);
    const bool known = creation >= 0 && H5Pget_alloc_time(creation, &when) >= 0;
    if (creation >= 0) (void)H5Pclose(creation);
    return !known || when == H5D_ALLOC_TIME_EARLY;
}

SinoStatus sino_dataset_check_growing(const SinoDataset *dataset)
{
    bool stored = true;
    SINO_CHECK(dataset->chunked, SINO_BAD_INPUT,
               "%s: %s is not stored in chunks, so that nothing tells which projections have come; allowed with "
               "--follow: chunks",
               dataset->file, dataset->name);
    SINO_CHECK(!is_stored_early(dataset), SINO_BAD_INPUT,
               "%s: the chunks of %s have early allocation, so that nothing tells which projections have come; allowed "
               "with --follow: incremental or late allocation",
               dataset->file, dataset->name);
    if (dataset->chunk[0] > 1 && dataset->size[0] > 0)
        SINO_TRY(sino_hdf5_frame_stored(dataset, dataset->size[0] - 1, &stored));
    SINO_CHECK(stored, SINO_BAD_INPUT,
               "%s: %s has a length of %" PRId64 " already, and chunks of %" PRId64 " projections, so that nothing "
               "tells which of them have come; allowed with --follow: chunks of one projection, or a length that grows "
               "with each",
               dataset->file, dataset->name, dataset->size[0], dataset->chunk[0]);
    return NULL;
}

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
