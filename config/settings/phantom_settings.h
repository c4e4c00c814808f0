/* SPDX-License-Identifier: BSD-3-Clause */
/* Phantom settings: a scan that is simulated, or described by its sizes. */
#pragma once

#include <stdint.h>

/* What `phantom` simulates the scan of (codelets/phantoms/phantom.h). */
typedef enum SinoPhantomObject { SINO_OBJECT_HEAD, SINO_OBJECT_TEXTURE } SinoPhantomObject;

/* Crystals of a PET scanner: blocks on a circle, crystals of a block along the circle, rings. 0: sinodag chooses. */
typedef struct SinoCrystalShape {
    int64_t blocks, block_size, rings;
} SinoCrystalShape;

typedef struct SinoPhantomSettings {
    int64_t size, angles, slices; /* bench and plan also use angles, plan also slices; there 0: not given */
    double noise;                 /* relative standard deviation of an open-beam count; 0: none */
    SinoPhantomObject object;
    int64_t seed;
    char *truth;
    SinoCrystalShape crystals;
    int64_t total_counts; /* that are expected */
    double background;    /* share of them that are randoms and scatter, below 1 */
    int64_t rays;         /* between two crystals */
    int64_t replicates;   /* sets of counts */
} SinoPhantomSettings;
