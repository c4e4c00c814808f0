/* SPDX-License-Identifier: BSD-3-Clause */
/* recon, inside: shared by recon.c, recon_try.c and output_names.c. */
#ifndef SINO_RECON_H
#define SINO_RECON_H

#include "center_search.h"
#include "reconstruction.h"
#include "team.h"

/* Names beside the output's: OUT without .h5 or .hdf5 is the base. All owned. */
typedef struct SinoOutputNames {
    char *tiff_directory; /* OUT itself when only TIFF is asked for, else the base */
    char *tomogram_png;   /* BASE_slice_ROW.png of the middle slice */
    char *sinogram_png;   /* BASE_sinogram_ROW.png */
} SinoOutputNames;

SinoStatus sino_output_names_new(const SinoSettings *settings, int64_t first_row, int64_t row_step, int64_t slice_count,
                                 SinoOutputNames *names);
void sino_output_names_free(SinoOutputNames *names);

/* From values per voxel to the units of the output. */
double sino_recon_scale(const SinoSettings *settings);

/* SINO_BAD_INPUT: there is something of this name, and no --overwrite. NULL: no file is asked for. */
SinoStatus sino_recon_check_new(const SinoSettings *settings, const char *path);

SinoRuntimeRequest sino_recon_runtime_request(const SinoSettings *settings, SinoProcesses *processes, SinoLog *log);

/* One slice at a range of centers, as OUT/recon_CENTER.tiff. */
SinoStatus sino_recon_try(const SinoSettings *settings, SinoLog *log);

#endif
