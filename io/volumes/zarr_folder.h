/* SPDX-License-Identifier: BSD-3-Clause */
/* Zarr folder: the folder of a Zarr v3 volume (OME-NGFF 0.5), which gets its name when it is complete; until then it is
 * NAME.partial. */
#pragma once

#include "zarr_pyramid.h"

/* SINO_BAD_INPUT: something of the name exists that may not be replaced: with `overwrite` anything but a folder with a
 * file zarr.json; or the temporary name is taken. */
SinoStatus sino_zarr_folder_check(const char *path, bool overwrite);

/* Makes PATH.partial, where an earlier one is removed, with the folders of all shards, and metadata of groups and
 * arrays. `attributes`: members of the JSON object "sinodag", which /process of HDF5 corresponds to; "": none. */
SinoStatus sino_zarr_folder_make(const SinoZarrPyramid *pyramid, const char *attributes);

/* Gives the folder its name, and replaces an older one if it may. */
SinoStatus sino_zarr_folder_seal(const char *partial, const char *path, bool overwrite);

/* Removes a folder and what is in it. No folder: nothing happens. */
void sino_zarr_folder_remove(const char *path);
