/* SPDX-License-Identifier: BSD-3-Clause */
/* Geometry settings: rays, and the grid of the volume. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum SinoGeometryChoice {
    SINO_GEOMETRY_PARALLEL,
    SINO_GEOMETRY_CONE,
    SINO_GEOMETRY_FAN,     /* cones of one row each */
    SINO_GEOMETRY_VECTORS, /* each projection has vectors, of --vectors */
    SINO_GEOMETRY_PET,     /* phantom only */
    SINO_GEOMETRY_MATRIX   /* rays are the rows of --system-matrix */
} SinoGeometryChoice;

/* Whether rays come from points: of a cone, or of fans. */
static inline bool sino_geometry_is_cone(SinoGeometryChoice geometry)
{
    return geometry == SINO_GEOMETRY_CONE || geometry == SINO_GEOMETRY_FAN;
}

/* How the sample turns as angles grow (docs/CONES.md). */
typedef enum SinoAngleDirection { SINO_DIRECTION_AUTO, SINO_CLOCKWISE, SINO_COUNTERCLOCKWISE } SinoAngleDirection;

/* Voxels of a slice along x and y, of a cone beam's volume also along z. 0 × 0: the number of detector columns along
 * both; z 0: the number of detector rows. */
typedef struct SinoVolumeShape {
    int64_t x, y, z;
} SinoVolumeShape;

/* A detector pixel, in mm; 0 × 0: not given. */
typedef struct SinoPixelSize {
    double width, height;
} SinoPixelSize;

typedef struct SinoGeometrySettings {
    SinoGeometryChoice kind;
    char *vectors; /* --vectors (io/vectors/vectors_file.h); kind is SINO_GEOMETRY_VECTORS */
    double source_object_mm, source_detector_mm; /* from the source to the axis, and to the detector; 0: not given */
    SinoPixelSize detector_pixel;                /* before binning */
    SinoAngleDirection angle_direction;
    double margin; /* voxels beyond each side of a slice, computed and not written; NaN: auto */
    SinoVolumeShape volume;
    double voxel_size_mm; /* of the volume of a cone beam, a PET scanner or a system matrix; 0: not given */
    double pixel_size_um; /* > 0: volume in 1/cm; 0: volume per detector pixel */
} SinoGeometrySettings;
