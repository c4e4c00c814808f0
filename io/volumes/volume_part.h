/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume part: what a finished HDF5 volume says about itself, by which volumes of other rows of the scan join it. */
#pragma once

#include "numbers.h"
#include "status.h"

#include <stdint.h>

enum { SINO_PART_UNITS = 128 };

typedef struct SinoVolumePart {
    int64_t first_row, row_step; /* slice i is detector row first_row + i·row_step */
    SinoVoxelCodes codes;
    char units[SINO_PART_UNITS];
    char *settings;  /* of the run, as YAML; owned */
    char *input;     /* checksum of the scan; owned */
    double center;   /* NaN: not told */
    double strength; /* of the prior; NaN: there was none */
} SinoVolumePart;

/* Reads /process of a volume. SINO_BAD_INPUT: no HDF5 file, damaged, or no volume of recon. */
SinoStatus sino_volume_part_read(const char *path, SinoVolumePart *part);
void sino_volume_part_free(SinoVolumePart *part);
