/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 driver: lets HDF5 write through an output file, whose failures it never sees.
 *
 * Told of a full disk, HDF5 1.10 leaves a file that can be neither closed nor forgotten: it tries again at exit, prints
 * and may crash. Here it always closes cleanly; sino_output_status tells what failed. */
#ifndef SINO_HDF5_DRIVER_H
#define SINO_HDF5_DRIVER_H

#include "output_file.h"

#include <hdf5.h>

/* Negative on failure. Unregister after its files are closed, not before: HDF5 1.10 would release the driver with its
 * last file and then call it. */
hid_t sino_hdf5_driver_register(void);
void sino_hdf5_driver_unregister(hid_t driver); /* takes a negative one */

/* A file access property list for H5Fcreate, to be closed by H5Pclose; negative on failure. `file` is not owned and
 * outlives the HDF5 file. */
hid_t sino_hdf5_driver_access(hid_t driver, SinoOutputFile *file);

#endif
