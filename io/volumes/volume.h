/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume: writes reconstructed slices to HDF5 (volume_hdf5.c), to a folder of TIFF files (volume_tiff.c), to both, or
 * to one TIFF file (volume_flat.c, tiff_head.c).
 *
 * HDF5: /exchange/data (z, y, x), or (set, z, y, x) if there are several sets, in chunks one slice high. The
 * file is written under a temporary name in the same directory ("NAME.partial"); when complete it is flushed, closed,
 * synced and renamed. Its disk space is reserved at open if the file system can, so that a disk that is too small fails
 * before hours of work. TIFF: DIR/recon_00000.tiff, numbered by absolute detector row. Each file has a temporary name
 * until it is complete, so finished files stay when a run fails. Until all of them are complete, a file beside them
 * marks the volume as unfinished (volume_private.h); a run that finds the marker of an unfinished one starts anew. */
#pragma once

#include "memory_scan.h"
#include "numbers.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct SinoVolume SinoVolume;

typedef struct SinoVolumeRequest {
    const char *hdf5_path;      /* final name; NULL: no HDF5 */
    const char *tiff_directory; /* created if missing (its parent must exist); NULL: no TIFF */
    const char *stack_path;     /* final name of a TIFF file with all slices; NULL: none */
    bool overwrite;
    bool resume; /* open what a killed run left behind; its slices count once sino_volume_mark_done says so */
    int64_t slice_count, height, width;
    int64_t set_count; /* sets of as many slices, one after the other, that the slices are of; 0, 1: they are one set */
    int64_t first_row, row_step;    /* slice i is detector row first_row + i·row_step, which numbers its TIFF file */
    const char *units;              /* attribute of /exchange/data: any text, such as "1/pixel" */
    double voxel_um[3];             /* sides of a voxel along x, y and z; 0: unknown */
    const char *zarr_path;          /* final name of a folder; NULL: no Zarr. Then there is nothing else */
    bool zstd;                      /* chunks of Zarr are compressed */
    bool deflate;                   /* slices are compressed: HDF5 that neither resumes nor is joined, TIFF slices */
    SinoVoxelCodes codes;           /* the type of the voxels in the files, and its range */
    const SinoMemoryVolume *memory; /* makes memory for float32 slices; NULL: files. Then there is nothing else */
} SinoVolumeRequest;

/* Opens the output; the caller ends with _finish or _abandon. SINO_BAD_INPUT: the output exists without overwrite (for
 * TIFF: any file of these rows that no unfinished run left), its directory is missing or not writable, the path is a
 * directory or a device, or another run is writing it. SINO_FAILED: no disk space. */
SinoStatus sino_volume_open(const SinoVolumeRequest *request, SinoVolume **volume);

/* The number of TIFF slices of an unfinished run that _open removed. */
int64_t sino_volume_removed(const SinoVolume *volume);

/* With several processes, one opens the volume and the others join it, to write slices at the offsets
 * place[slice_count + 1] of the HDF5 file, which the opener provides; the last element is a token, by which the others
 * see that they have the opener's files. SINO_BAD_INPUT: this process has other files. SINO_FAILED: HDF5 does not store
 * a slice in one piece, or the byte order differs from the file's. */
SinoStatus sino_volume_places(SinoVolume *volume, int64_t *place);
SinoStatus sino_volume_join(const SinoVolumeRequest *request, const int64_t *place, SinoVolume **volume);

/* The opener takes the token out of the HDF5 file, where it covers values of the first slice. Call it before any
 * process reads or writes slices. */
SinoStatus sino_volume_all_joined(SinoVolume *volume);

/* marks[SINO_VOLUME_MARKS][slice_count]: whether slices are complete as TIFF, and in every format (1 or 0), and their
 * clipped voxels (SinoClipped). _tell_done writes what this process has done; _take_done takes the sum over all
 * processes, of which one has stored each slice. */
enum { SINO_VOLUME_MARKS = 2 + SINO_CLIPPED };
void sino_volume_tell_done(const SinoVolume *volume, int64_t *marks);
void sino_volume_take_done(SinoVolume *volume, const int64_t *marks);

/* Does the checks of sino_volume_open except for disk space and range, and leaves nothing behind, so that errors come
 * before hours of work. */
SinoStatus sino_volume_check(const SinoVolumeRequest *request);

/* Reads slices [first, first + count) back into slices[count][height][width], from HDF5 unless only TIFF is written.
 * *equal: every format has these slices, with the same voxels. SINO_FAILED: out of memory; a file that cannot be read
 * is not equal. */
SinoStatus sino_volume_read_back(SinoVolume *volume, int64_t first, int64_t count, float *slices, bool *equal);

/* Slices that a killed run has stored. */
void sino_volume_mark_done(SinoVolume *volume, int64_t first, int64_t count);
bool sino_volume_is_done(const SinoVolume *volume, int64_t first, int64_t count); /* all of them */

/* Whether the volume's voxels are integers, so that sino_volume_round changes values. */
bool sino_volume_rounds(const SinoVolume *volume);

/* Replaces the voxels of slices [first, first + count) by the values that the files will have for them, and counts
 * those that are clipped. Does nothing for float32. */
void sino_volume_round(SinoVolume *volume, int64_t first, int64_t count, float *slices);

/* clipped[SINO_CLIPPED][count] of these slices; _mark_clipped: as an earlier run has counted them. */
void sino_volume_clipped(const SinoVolume *volume, int64_t first, int64_t count, int64_t *clipped);
void sino_volume_mark_clipped(SinoVolume *volume, int64_t first, int64_t count, const int64_t *clipped);

/* Whether slices are compressed by sino_volume_pack beforehand. */
bool sino_volume_packs(const SinoVolume *volume);

/* Compresses a slice, which sino_volume_write then writes, without compressing it itself; a TIFF slice is written at
 * once. Called by several threads, for different slices. The slice stays in memory until it is written. SINO_FAILED: no
 * memory, disk full. */
SinoStatus sino_volume_pack(SinoVolume *volume, int64_t slice, const float *values);

/* Bytes at most that as many packed slices of slice_bytes take, and the threads that pack. */
int64_t sino_volume_packed_bytes(int64_t slices, int64_t threads, int64_t slice_bytes);

/* Writes slices[count][height][width] to [first, first + count) of the volume. SINO_FAILED: disk full and similar
 * errors. */
SinoStatus sino_volume_write(SinoVolume *volume, int64_t first, int64_t count, const float *slices);

/* Write an entry of /process in the HDF5 file, each name once; "GROUP/NAME" creates groups. TIFF ignores them. Call any
 * time before _finish. */
SinoStatus sino_volume_process_text(SinoVolume *volume, const char *name, const char *value);
SinoStatus sino_volume_process_doubles(SinoVolume *volume, const char *name, int64_t rows, int64_t columns,
                                       const double *values,
                                       const char *description); /* columns 0: 1-D; both 0: scalar */
SinoStatus sino_volume_process_integers(SinoVolume *volume, const char *name, int64_t count, const int64_t *values,
                                        const char *description); /* count 0: scalar */

/* Of a volume as Zarr, once all slices are written, and before _finish, which makes the levels by itself if nobody has
 * begun: _begin_levels writes metadata; then, level
 * after level from 0, all shards are written, and, but for the last level, all slices of the next one are made by
 * _shrink. The last two may be called by several threads. */
int64_t sino_volume_level_count(const SinoVolume *volume); /* 0: the volume is no Zarr, or another process's */
SinoStatus sino_volume_begin_levels(SinoVolume *volume);
int64_t sino_volume_level_shards(const SinoVolume *volume, int64_t level);
int64_t sino_volume_level_slices(const SinoVolume *volume, int64_t level);
SinoStatus sino_volume_write_shard(const SinoVolume *volume, int64_t level, int64_t shard);
SinoStatus sino_volume_shrink(const SinoVolume *volume, int64_t level, int64_t slice); /* of level + 1 */

/* Completes the output, and frees the volume in either case. Fails if a slice was never written; then no incomplete
 * file has the final name. For the error message call sino_volume_safe before. A joined volume is only synced; all
 * joined volumes must finish before the opener does. */
SinoStatus sino_volume_finish(SinoVolume *volume);
void sino_volume_abandon(SinoVolume *volume); /* removes temporary files, keeps finished TIFF files; takes NULL */

/* Frees the volume, and leaves all files for a later run with `resume`. Takes NULL. */
void sino_volume_keep(SinoVolume *volume);

/* From now on the files are left for such a run, too, if the program ends early (ending.h). Called from any thread. */
void sino_volume_stay(SinoVolume *volume);

/* Text for the error message of a failed run: the part of the output that is complete on disk, as "rows 4 to 9 are
 * complete as TIFF in DIR; out.h5 was not written". NULL: out of memory. The caller frees the text. */
char *sino_volume_safe(const SinoVolume *volume);

/* Reads all of /exchange/data, written by sinodag or another program, as float32 (integers with scale_factor and
 * add_offset as what they stand for)[slice][height][width], of four
 * dimensions set after set; the caller frees *slices. */
SinoStatus sino_volume_read(const char *path, int64_t *slice_count, int64_t *height, int64_t *width, float **slices);
