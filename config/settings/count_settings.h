/* SPDX-License-Identifier: BSD-3-Clause */
/* Count settings: the files of a system matrix, whose counts input.file_name has, and its images. */
#pragma once

#include "setting_types.h"

#include <stdint.h>

/* Of a system matrix that leaves out what mirrors give: whether products keep the mirrors; of the phantom: whether the
 * matrix leaves that out. */
typedef enum SinoMirrorChoice { SINO_MIRRORS_AUTO, SINO_MIRRORS_FOLDED, SINO_MIRRORS_UNFOLDED } SinoMirrorChoice;

typedef struct SinoCountSettings {
    char *system_matrix; /* --system-matrix (io/matrices/matrix_file.h); geometry is SINO_GEOMETRY_MATRIX */
    SinoMirrorChoice mirrors;
    char *multiplicative, *additive; /* of each row: factor of the projection; expected counts added to it */
    char *sensitivity;               /* image of the voxels' sensitivities */
    char *attenuation_map;           /* of a SPECT header's matrix: image in 1/cm */
    SinoWeightList collimator;       /* likewise: slope and mm of the blur's standard deviation */
    double post_filter_mm;           /* full width at half maximum of a Gaussian on the finished image; 0: none */
    int64_t save_every;              /* also save the image after every so many iterations; 0: never */
} SinoCountSettings;
