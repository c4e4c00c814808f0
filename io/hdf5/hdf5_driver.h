/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 driver: HDF5 writes through an output file (output_file.h), which hides failures from HDF5.
 *
 * When HDF5 1.10 learns of a full disk, it keeps a file that can be neither closed nor dropped; at exit it tries again,
 * prints errors and may crash. With this driver HDF5 always closes cleanly, and sino_output_status returns the failure.
 */
#pragma once

#include "output_file.h"

#include <hdf5.h>

/* Returns a driver, negative on failure. Unregister it after its files are closed: HDF5 1.10 would otherwise release
 * the driver with its last file, and then call it. */
hid_t sino_hdf5_driver_register(void);
void sino_hdf5_driver_unregister(hid_t driver); /* accepts a negative value */

/* Returns a file access property list for H5Fcreate, which the caller closes with H5Pclose; negative on failure. `file`
 * is not owned, and must outlive the HDF5 file. */
hid_t sino_hdf5_driver_access(hid_t driver, SinoOutputFile *file);
