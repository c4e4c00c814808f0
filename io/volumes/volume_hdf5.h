/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume in HDF5: /exchange/data (z, y, x) or (set, z, y, x) of any type of voxel, and the entries of /process. */
#pragma once

#include "hdf5_output.h"
#include "volume.h"

typedef struct SinoVolumeHdf5 {
    SinoHdf5Output *output;
    hid_t data; /* closed with the file */
    int64_t set_slices, height, width;
    hid_t type; /* of the voxels in memory; not owned */
    bool sets;  /* data is (set, z, y, x) */
} SinoVolumeHdf5;

enum { SINO_DEFLATE_LEVEL = 1 }; /* higher levels take several times as long for a few percent */

/* A slice as it lies in a compressed file. */
typedef struct SinoPackedSlice {
    unsigned char *bytes; /* shuffled, and, if `deflated`, compressed; owned by the volume */
    int64_t count;
    bool deflated;
} SinoPackedSlice;

/* Creates the dataset and reserves its disk space, so that a disk that is too small fails before hours of work. */
SinoStatus sino_volume_hdf5_open(const SinoVolumeRequest *request, SinoVolumeHdf5 *hdf5);

/* place[slice]: offset of the slice in the file. */
SinoStatus sino_volume_hdf5_places(SinoVolumeHdf5 *hdf5, int64_t slice_count, int64_t *place);

/* Reads slices of a reopened volume back, as they are stored. SINO_FAILED: the file has none there. */
SinoStatus sino_volume_hdf5_read(SinoVolumeHdf5 *hdf5, int64_t first, int64_t count, void *slices);

SinoStatus sino_volume_hdf5_write(SinoVolumeHdf5 *hdf5, int64_t first, int64_t count, const void *slices);

/* Whether a slice is one chunk in the byte order of this machine, so that another may compress it. */
bool sino_volume_hdf5_takes_packed(const SinoVolumeHdf5 *hdf5);
SinoStatus sino_volume_hdf5_write_packed(SinoVolumeHdf5 *hdf5, int64_t slice, const SinoPackedSlice *packed);
