/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks compare_sums and compare_likeness: how close two slices are (image_quality.h, ring_correlation.h); compare_map
 * and store_map: the error of each voxel by slices of both halves (error_map.h). */
#pragma once

#include "image_quality.h"
#include "ring_correlation.h"
#include "runtime.h"
#include "volume.h"

/* What is compared of slices a and b; nothing is owned, all of it outlives the tasks. */
typedef struct SinoCompareRequest {
    int64_t width; /* voxels of a row */
    const SinoImageRegion *region;
    const SinoImageRegion *object, *background; /* circles; NULL: none */
    /* of compare_likeness alone, after all sums are known: */
    double range;           /* of the reference b; 0: there is no structural similarity */
    double scale, offset;   /* the straight line that fits best, from a to b; NaN: there is none */
    const SinoRings *rings; /* NULL: no ring correlation */
} SinoCompareRequest;

/* Of two slices. */
typedef struct SinoComparison {
    SinoPairSums all, object, background;
    SinoSimilarity similarity;
    double fit_error;    /* Σ(scale·a + offset − b)² */
    SinoRingSums *rings; /* [sino_rings_count]; NULL: not wanted; not owned */
} SinoComparison;

/* Each writes its part of *comparison: the sums, or what follows them. a, b: float[height][width]. */
SinoStatus sino_insert_compare_sums(SinoRuntime *runtime, const SinoCompareRequest *request, SinoData *a, SinoData *b,
                                    SinoComparison *comparison);
SinoStatus sino_insert_compare_likeness(SinoRuntime *runtime, const SinoCompareRequest *request, SinoData *a,
                                        SinoData *b, SinoComparison *comparison);

/* Writes the error map of a and b to a, and to a slice of the volume, which outlives the task. io: void data that
 * orders the tasks of files. */
SinoStatus sino_insert_compare_map(SinoRuntime *runtime, int64_t height, int64_t width, SinoData *io, SinoData *a,
                                   SinoData *b, SinoVolume *volume, int64_t slice);
