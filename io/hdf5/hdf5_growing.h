/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 growing: files that another process still writes. A file that is written with SWMR (single writer, multiple
 * readers) can be read at any time; another one between the writer's flushes. */
#pragma once

#include "hdf5_dataset.h"

/* What the superblock says of the writer; older superblocks than version 3 say nothing. */
typedef enum SinoHdf5Writer {
    SINO_HDF5_NO_WRITER, /* or it is not known */
    SINO_HDF5_WRITER,    /* HDF5 refuses to open the file */
    SINO_HDF5_SWMR_WRITER
} SinoHdf5Writer;

SinoHdf5Writer sino_hdf5_writer(const char *path);

/* Opens a file for reading beside its writer, without a lock, which might keep the writer from opening it again; the
 * caller closes it with H5Fclose. *swmr: with SWMR; then H5Drefresh shows how datasets have grown. SINO_BAD_INPUT: as
 * of sino_hdf5_open. */
SinoStatus sino_hdf5_open_growing(const char *path, bool *swmr, hid_t *file);

/* SINO_BAD_INPUT: the stored chunks of the dataset do not tell which frames have come. */
SinoStatus sino_dataset_check_growing(const SinoDataset *dataset);
