/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume in HDF5: /exchange/data (z, y, x) float32 and what goes to /process. */
#ifndef SINO_VOLUME_HDF5_H
#define SINO_VOLUME_HDF5_H

#include "hdf5_output.h"
#include "volume.h"

typedef struct SinoVolumeHdf5 {
    SinoHdf5Output *output;
    hid_t data; /* closed with the file */
    int64_t height, width;
} SinoVolumeHdf5;

/* Creates the dataset and takes the room for it on disk, so that a disk too small is known before hours of work. */
SinoStatus sino_volume_hdf5_open(const SinoVolumeRequest *request, SinoVolumeHdf5 *hdf5);

/* Offset of each slice in the file. */
SinoStatus sino_volume_hdf5_places(SinoVolumeHdf5 *hdf5, int64_t slice_count, int64_t *place);

SinoStatus sino_volume_hdf5_write(SinoVolumeHdf5 *hdf5, int64_t first, int64_t count, const float *slices);

#endif
