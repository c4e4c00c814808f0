/* SPDX-License-Identifier: BSD-3-Clause */
/* recon, inside: shared by recon.c, recon_volume.c, recon_try.c, recon_request.c and output_names.c. */
#pragma once

#include "center_search.h"
#include "cone.h"
#include "files.h"
#include "reconstruction.h"
#include "settings.h"
#include "team.h"

/* Pictures of planes of the volume: BASE_slice_NUMBER.png, BASE_xz_ROW.png, BASE_yz_COLUMN.png; of its largest values
 * along z: BASE_maximum.png; and of the scan: BASE_sinogram_ROW.png. */
typedef enum SinoPicture {
    SINO_PICTURE_XY,
    SINO_PICTURE_XZ,
    SINO_PICTURE_YZ,
    SINO_PICTURE_MAXIMUM,
    SINO_PICTURE_SINOGRAM,
    SINO_PICTURES
} SinoPicture;

enum { SINO_OUTPUT_HALVES = 2 };

/* Names derived from the output's name OUT; BASE is OUT without .h5 or .hdf5. All owned. */
typedef struct SinoOutputNames {
    char *tiff_directory; /* OUT if only TIFF is requested, else BASE */
    char *picture[SINO_PICTURES];
    char *report;                   /* BASE.html, or what --report says; NULL: none is wanted */
    char *half[SINO_OUTPUT_HALVES]; /* BASE_even and BASE_odd, with the ending of OUT; NULL: none are wanted */
    char *followed;                 /* BASE_fbp or BASE_fdk, likewise, of a scan that another algorithm goes on with */
} SinoOutputNames;

/* The names of a volume's files, of the pictures of its middle planes and its largest values, and of the scan's middle
 * row (`scan` NULL: there is none). SINO_FAILED: no memory. */
SinoStatus sino_output_names_new(const SinoSettings *settings, const SinoVolumeRequest *volume, const SinoInput *scan,
                                 SinoOutputNames *names);
void sino_output_names_free(SinoOutputNames *names);

/* BASE_WHAT_NUMBER.ending, of five digits at least, or BASE_WHAT.ending if the number is below 0; the caller frees the
 * name. NULL: no memory. */
char *sino_output_name(const SinoOutputSettings *settings, const char *what, int64_t number, const char *ending);

/* With --follow: the algorithm that adds projections as they come; whether another one goes on with the whole scan. */
SinoAlgorithmChoice sino_recon_follower(const SinoSettings *settings);
bool sino_recon_goes_on(const SinoSettings *settings);

/* The factor from values per voxel to the units of the output. */
double sino_recon_scale(const SinoSettings *settings);

/* The factor from attenuation per voxel to 1/cm. */
double sino_recon_cone_scale(const SinoCone *cone);

/* SINO_BAD_INPUT: `path` exists and --overwrite is not given. NULL: no file is requested. */
SinoStatus sino_recon_check_new(const SinoSettings *settings, const char *path);

/* The same for the files of --graph, --trace and --profile. */
SinoStatus sino_recon_check_reports(const SinoSettings *settings);

/* Adds the inputs of a recon of a scan, or (`scan` NULL) with a system matrix, and the files of --graph, --trace and
 * --profile, to `files`. */
SinoStatus sino_recon_name_files(const SinoSettings *settings, const SinoInput *scan, SinoNamedFiles *files);

/* SINO_BAD_INPUT: an output of the recon of a volume is an input or another output. */
SinoStatus sino_recon_check_files(const SinoSettings *settings, const SinoInput *scan, const SinoOutputNames *names,
                                  const SinoVolumeRequest *request);

/* Collective. Starts the runtime that the settings ask for. Errors as of sino_runtime_start. */
SinoStatus sino_recon_start_runtime(const SinoSettings *settings, SinoProcesses *processes, SinoLog *log,
                                    SinoRuntime **runtime);

/* Collective. Reconstructs the volume. */
SinoStatus sino_recon_volume(const SinoSettings *settings, SinoProcesses *processes, SinoLog *log);

/* Collective. The same of a scan that is followed, if sino_recon_goes_on (recon_follow.c). */
SinoStatus sino_recon_follow(const SinoSettings *settings, SinoProcesses *processes, SinoLog *log);

/* As sino_recon_volume for the arrays of settings->memory, by a runtime of one process that is up and stays so; its log
 * tells the run. */
SinoStatus sino_recon_in(SinoRuntime *runtime, const SinoSettings *settings);

/* Reconstructs one slice at a range of centers, as OUT/recon_CENTER.tiff. */
SinoStatus sino_recon_try(const SinoSettings *settings, SinoLog *log);
