/* SPDX-License-Identifier: BSD-3-Clause */
/* Halves: numbers of a solver that the scan itself decides, by slices that are reconstructed from each half of the
 * projections.
 *
 * For the strength of a prior, a slice is reconstructed without every fourth projection. Its own projections there
 * differ from those that were measured by their noise, of which the slice knows nothing, and by the slice's error:
 * where the mean square difference is least, so is the latter. The ramp filter gives each frequency the weight that it
 * has in the slice.
 *
 * For the number of iterations of the other solvers, a slice is reconstructed from the projections of even number, and
 * from those of odd number. The noise of both halves is independent. FBP of the other half differs from the slice by an
 * error of its own, and by the error of the reconstruction: where the mean square difference is least, so is the latter
 * (the principle of A. Hendriksen, D. Pelt and K. J. Batenburg, "Noise2Inverse", IEEE Trans. Comput. Imaging 6, 1320
 * (2020)). docs/lab/images.md compares the choices with the best ones. */
#pragma once

#include "reconstruction.h"
#include "settings.h"

/* Most slices of a minibatch, which fill a panel. */
enum { SINO_HALVES_WIDTH = 16 };

/* Operators of a part of the angles (halves_normal.h). */
typedef struct SinoHalvesNormal SinoHalvesNormal;

/* What slices are searched with; no rank shares one. */
typedef struct SinoHalvesRequest {
    SinoRuntime *runtime;
    const SinoSettings *settings;
    const SinoInput *input; /* of all slices, with the angles in the order of op */
    const SinoOperator *op;
    int64_t binning;         /* columns that trials of strengths average (halves_binned.h) */
    int64_t step;            /* trials of strengths take every so many projections */
    const SinoOperator *own; /* of trials of strengths, of the averaged columns, or of fans, each with the same row and
                              * a strength of its own; NULL: op */
    const SinoSolver *solver;
    const SinoHalvesNormal *normal; /* of a solver of the normal equations; else NULL */
    const unsigned char *mask;      /* of the slices (mask.h); NULL: none */
    bool photon_weights;            /* SinoSolverRun */
    double scale;                   /* output value = scale · value per voxel */
    int64_t width;                  /* slices of a minibatch that memory has room for, 2 to SINO_HALVES_WIDTH; each
                                     * strength takes two, or one (sino_halves_folds), and each slice whose iterations
                                     * are counted takes two; 1: each strength takes one */
} SinoHalvesRequest;

/* The prior of fista, by one slice. Its threshold, if it is smooth, is a share of the typical value of the slice: that
 * of a disk with the slice's mass, and with the mean square of its line integrals; both come from sums of line
 * integrals, which noise hardly changes. Its strength is that of the settings, or the one with which slices predict
 * best what they lack, up to √(4/3) times as much, as these have fewer projections, or 1.2 times as much where angles
 * are fewer than a quarter of the columns. Two digits; 0: a slice without values. SINO_FAILED: no memory, or a task
 * failed. SINO_BAD_INPUT: a smooth prior, and a slice with a mass of 0 or less. */
SinoStatus sino_halves_regularization(const SinoHalvesRequest *request, int64_t slice, SinoRegularization *found);

/* Both halves a, b of slices after the iterations that all projections want: Σ(a − b)² and Σ((a + b)/2)² over the
 * voxels within the inscribed circles, in values per voxel, and the number of voxels. */
typedef struct SinoHalvesApart {
    double difference, square, voxels;
} SinoHalvesApart;

/* The numbers of iterations of another iterative solver for `count` slices. For cg: 1.2 times the best number of a
 * half, because all projections have less noise. For the others: 1.44 times, because their steps have a fixed length;
 * 0.72 times without weights, where the steps of a half are half as long. At most the number of the settings. No
 * slice's number depends on the other slices. Adds the sums of their halves. Errors: as above. */
SinoStatus sino_halves_iterations(const SinoHalvesRequest *request, int64_t count, const int64_t *slice,
                                  int64_t *iterations, SinoHalvesApart *apart);

/* Iterations of a trial of strengths. */
int64_t sino_halves_trial_iterations(const SinoSolverSettings *settings);
