/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume, inside: what volume.c, volume_join.c and volume_process.c share. */
#pragma once

#include <stdio.h>

#include "arithmetic.h"
#include "ending.h"
#include "output_file.h"
#include "volume_flat.h"
#include "volume_hdf5.h"
#include "volume_tiff.h"

/* Bytes of the token in an HDF5 file at most: no more than a slice has. */
enum { SINO_TOKEN_BYTES = 4 };

struct SinoVolume {
    SinoVolumeRequest request; /* its texts are owned below */
    char *hdf5_path, *tiff_directory, *stack_path, *units;
    SinoVolumeFlat flat; /* the TIFF file of all slices, or the file from which shards are made */
    char *zarr_path, *slices_path, *partial_path; /* of Zarr */
    FILE *attribute_file; /* writes `attributes`: members of a JSON object, as /process has them */
    bool has_levels;      /* the metadata are written: its caller makes the levels */
    char *attributes;
    size_t attribute_bytes;
    SinoVolumeHdf5 hdf5;    /* output NULL: no HDF5, or a joined volume */
    SinoOutputFile *joined; /* HDF5 file that another process has opened; NULL: none */
    int64_t *place;         /* offsets of the slices in the joined file; owned */
    bool directory_made;
    SinoVolumeMarker *marker;       /* of the TIFF slices; NULL: none, or a joined volume */
    int64_t token;                  /* a number of this run */
    int64_t token_place;            /* where it is in the HDF5 file */
    char beneath[SINO_TOKEN_BYTES]; /* the bytes of the first slice that it covers */
    int64_t removed;                /* slices of an unfinished run that were removed */
    SinoPackedSlice *packed; /* [slice_count]: chunks that wait to be written; NULL: HDF5 compresses, if at all */
    bool *tiff_done, *done;  /* per slice: complete as TIFF; written in every format. The last act reads them, too */
    float *memory;           /* not owned; NULL: files */
    int64_t *clipped;        /* [SINO_CLIPPED][slice_count] */
    SinoLastAct last;        /* tells what is safe */
};

/* Marks of slices, which the last act reads, too. */
static inline void sino_mark(bool *done)
{
    __atomic_store_n(done, true, __ATOMIC_RELEASE);
}

static inline bool sino_is_marked(const bool *done)
{
    return __atomic_load_n(done, __ATOMIC_ACQUIRE);
}

/* Fills a volume that is all zeros with a copy of the request. */
SinoStatus sino_volume_begin(const SinoVolumeRequest *request, SinoVolume *volume);

/* Names of what a Zarr volume consists of until it is complete. */
SinoStatus sino_volume_zarr_names(SinoVolume *volume);

/* Of volumes that pack (sino_volume_packs): writes slices [first, first + count), packs those that are not packed yet;
 * frees those that are not written. */
SinoStatus sino_volume_write_packed(SinoVolume *volume, int64_t first, int64_t count, const float *slices);
void sino_volume_free_packed(SinoVolume *volume);

/* Bytes of a slice in the files. */
static inline int64_t sino_volume_slice_bytes(const SinoVolume *volume)
{
    const SinoVolumeRequest *request = &volume->request;
    return sino_times(sino_times(request->height, request->width), sino_codes_bytes(request->codes.type));
}

/* Writes metadata and all levels of a Zarr volume, one after the other. */
SinoStatus sino_volume_make_levels(SinoVolume *volume);
