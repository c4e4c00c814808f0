/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 source: datasets whose values lie in other files, virtual or external. Where a file is missing, cut or too
 * small, HDF5 silently reads fill values; here that is an error. */
#pragma once

#include "file_list.h"
#include "hdf5_dataset.h"

/* sino_dataset_open, and the paths of the files with values of the dataset are added to `files`. SINO_BAD_INPUT, in
 * addition: a source of a virtual dataset is missing, damaged, smaller than what is taken from it, or of another type
 * (the error names the source); sources that leave values undefined, are named by a pattern with %b, refer to one
 * another in a ring, or are nested more than 8 deep; an external raw file is missing or too short; the dataset was
 * never written. */
SinoStatus sino_dataset_open_whole(const char *path, hid_t file, const char *name, int rank, bool optional,
                                   SinoFileList *files, SinoDataset *dataset);
