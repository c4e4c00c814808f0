/* SPDX-License-Identifier: BSD-3-Clause */
/* Solver settings: the algorithm, and when it stops. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum SinoAlgorithmChoice {
    SINO_ALGORITHM_CG,
    SINO_ALGORITHM_SIRT,
    SINO_ALGORITHM_FBP,
    SINO_ALGORITHM_MLEM,
    SINO_ALGORITHM_OSEM,
    SINO_ALGORITHM_FDK, /* of cone beams; no SinoSolver */
    SINO_ALGORITHM_FISTA,
    SINO_ALGORITHM_BSREM
} SinoAlgorithmChoice;

typedef enum SinoFbpFilter {
    SINO_FILTER_RAMP, /* no window */
    SINO_FILTER_SHEPP,
    SINO_FILTER_COSINE,
    SINO_FILTER_HANN,
    SINO_FILTER_HAMMING,
    SINO_FILTER_PARZEN,
    SINO_FILTER_BUTTERWORTH
} SinoFbpFilter;

typedef enum SinoNonnegativityChoice {
    SINO_NONNEGATIVITY_AUTO,
    SINO_NONNEGATIVITY_YES,
    SINO_NONNEGATIVITY_NO
} SinoNonnegativityChoice;

/* Weights of rays in a least-squares solution. AUTO: by photons where the scan holds counts or transmissions. FILE: of
 * a file, or of an array (memory_scan.h). */
typedef enum SinoRayWeights {
    SINO_WEIGHTS_AUTO,
    SINO_WEIGHTS_COUNTS,
    SINO_WEIGHTS_NONE,
    SINO_WEIGHTS_FILE
} SinoRayWeights;

/* How the filter continues a projection beyond the detector. */
typedef enum SinoPaddingType { SINO_PADDING_AUTO, SINO_PADDING_ZEROS, SINO_PADDING_EDGES } SinoPaddingType;

/* Angles are few where the columns are more than so many times as many; the usual strength and the usual number of
 * iterations differ then. */
enum { SINO_COLUMNS_OF_AN_ANGLE = 4 };

typedef struct SinoSolverSettings {
    char *start; /* image or volume that the first iteration begins from */
    char *mask;  /* image; voxels with 0 stay 0 */
    SinoAlgorithmChoice algorithm;
    int64_t iterations;          /* 0: auto; see sino_settings_iterations */
    double tolerance;            /* stop a slice at ‖Ax−b‖/‖b‖ ≤ tolerance; 0: never */
    double likelihood_tolerance; /* stop a slice whose log-likelihood L gains at most this times |L|; 0: never */
    double relaxation;           /* SIRT relaxation factor, in (0, 2) */
    SinoNonnegativityChoice nonnegativity; /* SIRT and FISTA; see sino_settings_nonnegative */
    double support_ratio;    /* SIRT and FISTA of parallel beams: of the inscribed circle's radius; 0: all voxels */
    double minimum, maximum; /* SIRT and FISTA: bounds, in units of the volume; NaN: none */
    SinoRayWeights weights;  /* FISTA, CG and SIRT */
    char *weights_file;      /* of SINO_WEIGHTS_FILE, whose row is that of `weights` */
    bool usual_algorithm;    /* no --algorithm was given; not of the table */
    bool usual_iterations;   /* no --iterations were given; not of the table */
    bool few_angles;         /* these are of FISTA with few angles (usual_algorithm.h); not of the table */
    int64_t subsets;         /* OSEM and FISTA: of the angles, or of the rows of a system matrix; 0: auto */
    SinoFbpFilter fbp_filter;
    SinoPaddingType padding; /* --padding-type */
} SinoSolverSettings;
