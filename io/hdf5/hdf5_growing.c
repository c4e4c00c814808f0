/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 growing: opens files beside their writers. */
#include "hdf5_files.h"

#include <inttypes.h>
#include <string.h>

#include "files.h"

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
