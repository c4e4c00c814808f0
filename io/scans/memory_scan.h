/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory scan: a scan in the arrays of a caller, in place of files, and the memory of its volume. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum SinoMemoryType {
    SINO_MEMORY_FLOAT32,
    SINO_MEMORY_FLOAT64,
    SINO_MEMORY_UINT8,
    SINO_MEMORY_UINT16,
    SINO_MEMORY_TYPES
} SinoMemoryType;

/* Images: (image, row, column); element (i, j, k) is number i·step[0] + j·step[1] + k·step[2] of `first`, which is
 * aligned to its type. Not owned. */
typedef struct SinoMemoryImages {
    SinoMemoryType type;
    const void *first; /* NULL: there are no images */
    int64_t size[3], step[3];
} SinoMemoryImages;

typedef struct SinoMemoryScan {
    SinoMemoryImages projections, flats, darks;
    SinoMemoryImages weights; /* of the projections' rays, of which a size may be 1, for all */
    const double *angle_rad;  /* of the projections; NULL: as a file without angles; not owned */
} SinoMemoryScan;

/* Makes the memory of the volume, float[slice][row][column], once its sizes are known; NULL: there is none. */
typedef struct SinoMemoryVolume {
    float *(*allocate)(void *of, int64_t slices, int64_t rows, int64_t columns);
    void *of; /* not owned */
} SinoMemoryVolume;

/* What SinoSettings.memory points to. */
typedef struct SinoMemoryRun {
    SinoMemoryScan scan;
    SinoMemoryVolume volume;
    bool of_operator; /* line integrals that may have any values, as those of a product; the volume of a cone beam has
                       * attenuation per voxel side in place of 1/cm */
} SinoMemoryRun;
