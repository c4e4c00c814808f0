/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume, inside: what its formats share. */
#pragma once

#include "arithmetic.h"
#include "ending.h"
#include "files.h"
#include "hdf5_files.h"
#include "volume.h"

#include <stdint.h>
#include <stdio.h>

/* Volume in a flat file: slices one after the other behind a head, each at a place that is known beforehand. So they
 * may be written in any order, by several processes, and a later run finds those of a killed one. */

/* The last bytes of the head are zeros, where the opener leaves its token for those that join. */
enum { SINO_FLAT_TOKEN = 8, SINO_FLAT_ALIGNMENT = 64 };

typedef struct SinoVolumeFlat {
    SinoOutputFile *file; /* NULL: none */
    const char *path;     /* not owned */
    int64_t head_bytes, slice_bytes;
    bool joined;
} SinoVolumeFlat;

/* The bytes before the first slice, for `used` bytes that say what the file is. */
int64_t sino_flat_head_bytes(int64_t used);

/* Creates the file, or opens that of a killed run, writes head[used], and reserves disk space for all slices. `path`
 * must outlive it. Errors as of sino_output_open. */
SinoStatus sino_volume_flat_open(const SinoVolumeRequest *request, const char *path, const void *head, int64_t used,
                                 SinoVolumeFlat *flat);

/* For another process: `used` must be the same. SINO_BAD_INPUT: the file has another token. */
SinoStatus sino_volume_flat_join(const SinoVolumeRequest *request, const char *path, int64_t used, int64_t token,
                                 SinoVolumeFlat *flat);

/* The opener leaves a token, or takes it away (0). */
SinoStatus sino_volume_flat_stamp(SinoVolumeFlat *flat, int64_t token);

/* Slices as they are stored. */
SinoStatus sino_volume_flat_write(SinoVolumeFlat *flat, int64_t first, int64_t count, const void *slices);
SinoStatus sino_volume_flat_read(const SinoVolumeFlat *flat, int64_t slice, void *stored);

/* Volume in HDF5: /exchange/data (z, y, x) or (set, z, y, x) of any type of voxel, and the entries of /process. */

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

/* Volume marker: the file DIR/recon_00000_to_00007.partial, beside the TIFF slices of a volume that is not finished. It
 * names the rows of the volume, is locked by the run that writes them, and stays if that run ends early. */

typedef struct SinoVolumeMarker SinoVolumeMarker;

/* What an earlier run has left. */
typedef enum SinoMarkerState {
    SINO_MARKER_NONE,     /* no run of these rows is unfinished */
    SINO_MARKER_OWN,      /* an unfinished run; all slices of these rows are its own */
    SINO_MARKER_REPLACING /* an unfinished run, which was replacing the slices of an earlier one (--overwrite) */
} SinoMarkerState;

/* SINO_BAD_INPUT: a run is writing these rows, or the marker cannot be read. */
SinoStatus sino_volume_marker_look(const SinoVolumeRequest *request, SinoMarkerState *state);

/* Makes and locks the marker, or takes over that of an unfinished run; `replacing`: slices of these rows are there that
 * are not its own. `token` is a number of this run. SINO_BAD_INPUT: a run is writing these rows, or the marker cannot
 * be written or belongs to another user. */
SinoStatus sino_volume_marker_open(const SinoVolumeRequest *request, bool replacing, int64_t token,
                                   SinoVolumeMarker **marker);

/* For another process of the run. SINO_BAD_INPUT: there is no marker with this token. */
SinoStatus sino_volume_marker_check(const SinoVolumeRequest *request, int64_t token);

/* Whether the file at `path` exists and was written after the marker. */
bool sino_volume_marker_precedes(const SinoVolumeMarker *marker, const char *path);

/* Unlocks the marker, and removes its file unless it is to stay. Takes NULL. */
void sino_volume_marker_close(SinoVolumeMarker *marker, bool stays);

/* The name of the marker's file, without its folder, in the caller's `name`, which it returns. */
enum { SINO_MARKER_NAME = 64 };
const char *sino_volume_marker_name(const SinoVolumeRequest *request, char name[SINO_MARKER_NAME]);

/* Volume as a TIFF stack: DIR/recon_00000.tiff, numbered by detector row, and a marker until all of them are there. */

/* Checks the output and leaves nothing behind. SINO_BAD_INPUT: the directory is missing and cannot be created, it is
 * not writable, another run is writing these rows, or files of these rows exist without overwrite, unless all of them
 * are those of an unfinished run. */
SinoStatus sino_volume_tiff_check(const SinoVolumeRequest *request);

/* Creates the directory if it is missing (*made: it was created) and the marker, which the caller owns, and removes the
 * slices that an unfinished run has left (*removed: their number). */
SinoStatus sino_volume_tiff_open(const SinoVolumeRequest *request, int64_t token, bool *made, SinoVolumeMarker **marker,
                                 int64_t *removed);

/* Reads a slice that an earlier run wrote, as it is stored. SINO_BAD_INPUT: there is none, or of another size or type.
 */
SinoStatus sino_volume_tiff_read(const SinoVolumeRequest *request, int64_t slice, void *stored);

/* Writes the slice with this index in the volume. */
SinoStatus sino_volume_tiff_write(const SinoVolumeRequest *request, int64_t slice, const void *stored);

/* Whether the slice is complete on disk, by whichever process since the marker was made. */
bool sino_volume_tiff_is_done(const SinoVolumeRequest *request, const SinoVolumeMarker *marker, int64_t slice);

/* Volume, inside: what volume.c, volume_join.c and volume_process.c share. */

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

/* TIFF head: the directories of all pages of a stack of slices, which follow them one after the other. */

/* Makes the first bytes of a file whose slices begin at sino_flat_head_bytes(*used): a directory for each slice in
 * ascending order, in the byte order of the machine. The first one has ImageJ's text. The file is BigTIFF if it is
 * larger than 4000 MiB, else TIFF. The caller frees *head. SINO_BAD_INPUT: a slice is too large for TIFF. */
SinoStatus sino_tiff_head_new(const SinoVolumeRequest *request, char **head, int64_t *used);

/* ImageJ's own words in the description of a file with `images` slices: voxel size, shown range, and what integers
 * mean; the caller frees it. With ResolutionUnit centimetre ImageJ takes "um" for the unit of what it shows, and of the
 * spacing. Integers are calibrated by value = c0 + c1 · code, in `vunit`. NULL:
 * no memory. */
char *sino_imagej_text(const SinoVolumeRequest *request, int64_t images);

/* Zarr pyramid: a volume as Zarr v3 arrays of shards, each level half as fine as the one before.
 *
 * The slices of level 0 are in a flat file; those of the other levels are put behind them. A shard
 * is a file of chunks of at most 64 × 64 × 64 voxels, one after the other, and an index: offset and size of each chunk,
 * both 2⁶⁴ − 1 for a chunk of zeros, and a CRC-32C. Chunks at the end of the volume are filled up with zeros. Functions
 * may be called by several threads at a time. */

enum { SINO_ZARR_LEVELS = 32, SINO_ZARR_CHUNK = 64, SINO_ZARR_SHARD = 512, SINO_ZARR_SMALLEST = 256 };

/* Numbers of voxels, along z, y and x. */
typedef struct SinoZarrLevel {
    int64_t size[3], chunk[3], shard[3];
    int64_t first_byte; /* in the flat file */
} SinoZarrLevel;

typedef struct SinoZarrPyramid {
    const SinoVolumeRequest *request; /* not owned */
    const SinoVolumeFlat *flat;       /* not owned */
    const char *folder;               /* where the arrays "0", "1" … are; not owned */
    int64_t level_count;              /* until no side has more than SINO_ZARR_SMALLEST voxels */
    SinoZarrLevel level[SINO_ZARR_LEVELS];
} SinoZarrPyramid;

SinoZarrPyramid sino_zarr_pyramid(const SinoVolumeRequest *request, const SinoVolumeFlat *flat, const char *folder);

/* Shards of a level, and their numbers along z, y and x. */
int64_t sino_zarr_shard_count(const SinoZarrLevel *level, int64_t count[3]);

/* Writes shard number `shard` of a level, whose folders exist. SINO_FAILED: disk full and similar errors. */
SinoStatus sino_zarr_write_shard(const SinoZarrPyramid *pyramid, int64_t level, int64_t shard);

/* Writes slice `slice` of level + 1: each voxel is the mean of the up to 8 voxels of `level` that it covers, of which
 * those that are NaN do not count; integers are rounded. */
SinoStatus sino_zarr_shrink(const SinoZarrPyramid *pyramid, int64_t level, int64_t slice);

/* Zarr folder: the folder of a Zarr v3 volume (OME-NGFF 0.5), which gets its name when it is complete; until then it is
 * NAME.partial. */

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

/* CRC-32C (Castagnoli, RFC 3720), which Zarr puts behind chunks and the index of a shard. */

enum { SINO_CRC32C_BYTES = 4 };

uint32_t sino_crc32c(const void *bytes, int64_t count);

/* The sum as Zarr stores it, the lowest byte first. */
void sino_crc32c_store(uint32_t sum, uint8_t stored[SINO_CRC32C_BYTES]);
