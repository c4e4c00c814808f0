/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 places: where HDF5 looks for another file that a file names, for virtual datasets, external links and external
 * raw files. */
#pragma once

#include "status.h"

#include <hdf5.h>

/* Opens the source file `name` of a virtual dataset in the file `user`, in the first place where HDF5 finds it. *path
 * is its path, *file the open file; the caller frees and closes them. SINO_BAD_INPUT: no such file, it is damaged, or
 * it is no regular file. */
SinoStatus sino_hdf5_open_source(const char *user, const char *name, char **path, hid_t *file);

/* *path: where HDF5 looks for the external raw file `name` of a dataset in the file `user`; the caller frees it. */
SinoStatus sino_hdf5_raw_path(const char *user, const char *name, char **path);

/* An access list for links and datasets, which the caller closes with H5Pclose: HDF5 follows no external link to
 * anything but a regular file. Negative on failure. */
hid_t sino_hdf5_link_access(void);
