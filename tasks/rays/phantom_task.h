/* SPDX-License-Identifier: BSD-3-Clause */
/* Task phantom: one detector row of the phantom's scan. */
#pragma once

#include "geometry.h"
#include "phantom.h"
#include "runtime.h"

/* The row `row` of a slab of counts, and its true slice, that a task phantom makes. Counts are dark +
 * gain·photons·beam·exp(−p). Without noise they are exact floats; with noise they are Poisson deviates rounded to
 * uint16. */
typedef struct SinoPhantomRow {
    SinoPhantom phantom;
    SinoGeometry geometry;  /* of a cone beam: angles and columns */
    const SinoCone *cone;   /* not owned, must outlive the task; NULL: the beam is parallel */
    int64_t slice;          /* slice of the phantom, and absolute row of the scan */
    int64_t row, slab_rows; /* row within the slab; rows of the slab */
    int64_t field_count;    /* number of flat fields, and of dark fields */
    double noise;           /* relative standard deviation of an open-beam count */
    uint64_t seed;
    void *counts;        /* uint16_t[K][slab_rows][M]; float without noise */
    void *flats, *darks; /* [field][slab_rows][M], of the type of counts */
    float *truth;        /* [N][N]; NULL: not wanted */
    double truth_scale;  /* of the truth: its value for an attenuation of 1 per voxel */
} SinoPhantomRow;
SinoStatus sino_insert_phantom(SinoRuntime *runtime, const SinoPhantomRow *row);
