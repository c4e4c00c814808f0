/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume input: reads a finished volume slice by slice, whichever program wrote it. The contents of a file say which
 * format it has, not its name.
 *
 *     FILE              an HDF5 file, with the volume in /exchange/data
 *     FILE:/DATASET     another dataset of three dimensions, of four: sets, one after the other; or of two: one slice
 *     FILE, FOLDER      a TIFF file with a page for each slice; a folder or a quoted pattern of TIFF files
 *     FOLDER            OME-Zarr (zarr.json) as sinodag writes it, of which array 0 is read
 *     FILE              a NumPy array of three dimensions, or of two: one slice (.npy)
 *     FILE              else raw float32 [z][y][x] in the byte order of the machine, whose sizes must be given
 *
 * Integers that a file says to stand for other numbers become these: by the attributes scale_factor and add_offset of a
 * dataset (CF conventions) or a Zarr folder, or c0 and c1 of ImageJ's description of a TIFF file. */
#pragma once

#include "geometry_settings.h"
#include "log.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct SinoVolumeInput SinoVolumeInput;

typedef struct SinoVolumeInputInfo {
    const char *kind;        /* name of the format */
    const char *stored_type; /* "float32", "uint16" … */
    int64_t slice_count, height, width;
    bool scaled;          /* a value is offset + scale · stored number */
    double scale, offset; /* 1 and 0 if it is not scaled */
} SinoVolumeInputInfo;

/* Opens a volume; the caller closes it. `raw`: sizes of raw values, 0: not given. SINO_BAD_INPUT: no such file, no
 * known format, another number of dimensions, raw values without sizes or with others than the file has, damaged. */
SinoStatus sino_volume_input_open(const char *given, const SinoVolumeShape *raw, SinoVolumeInput **input);
void sino_volume_input_close(SinoVolumeInput *input); /* takes NULL */
const SinoVolumeInputInfo *sino_volume_input_info(const SinoVolumeInput *input);

/* Opens and closes the volume in a child process, as sino_scan_try does. */
SinoStatus sino_volume_input_try(const char *given, const SinoVolumeShape *raw);

/* Reads one slice: values[height][width]. Not for several threads at a time. SINO_BAD_INPUT: damaged. */
SinoStatus sino_volume_input_read(SinoVolumeInput *input, int64_t slice, float *values);
