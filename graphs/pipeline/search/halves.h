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

#include "angle_subsets.h"
#include "matrix_solution.h"
#include "operator.h"
#include "panel.h"
#include "reconstruction.h"
#include "settings.h"

#include <math.h>

/* Most slices of a minibatch, which fill a panel. */
enum { SINO_HALVES_WIDTH = 16 };

/* Operators of a part of the angles. */
typedef struct SinoHalvesNormal SinoHalvesNormal;

/* What slices are searched with; no rank shares one. */
typedef struct SinoHalvesRequest {
    SinoRuntime *runtime;
    const SinoSettings *settings;
    const SinoInput *input; /* of all slices, with the angles in the order of op */
    const SinoOperator *op;
    int64_t binning;         /* columns that trials of strengths average */
    int64_t step;            /* trials of strengths take every so many projections */
    const SinoOperator *own; /* of trials of strengths, of the averaged columns, or of fans, each with the same row and
                              * a strength of its own; NULL: op */
    const SinoSolver *solver;
    const SinoHalvesNormal *normal; /* of a solver of the normal equations; else NULL */
    const unsigned char *mask;      /* of the slices (input_parts.h); NULL: none */
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

/* Threshold of smooth priors, as a share of the typical value of the slice, or of the volume by vectors. */
#define SINO_USUAL_THRESHOLD 0.1

/* Two digits of the value in the natural unit of line integrals, which runs whose sums are rounded differently share. 0
 * of values that are not above 0. */
double sino_halves_rounded(double value, double natural);

/* What a projection that differs by r says of a slice's square error: Σ s·(h ∗ s) with the ramp filter h. The footprint
 * of a voxel passes 2/3 of the highest frequency; s has 3/2 of it, so that s is the difference before the footprint.
 * s: [columns], for work. */
double sino_halves_filtered_square(int64_t columns, const double *r, double *s);

/* Iterations of a trial of strengths. */
int64_t sino_halves_trial_iterations(const SinoSolverSettings *settings);

/* Halves, binned: strengths are tried on a scan whose detector columns are averaged in twos, which takes a quarter of
 * the work. Half the rays make half the sum of squares; voxels that are twice as wide have twice the value, and half as
 * many of them lie along an edge, so that a variation stays. A binned scan wants half the strength. */

enum { SINO_HALVES = 2 };

/* Columns that trials average: 2, or 1 where angles or columns are few, so that all are cheap, or angles are as many
 * as columns, where half the strength is not always the right one (docs/lab/images.md). */
int64_t sino_halves_binning(const SinoGeometry *geometry);

/* Trials of a fan beam average so many columns, take every so many projections, and are so many at a time, as fans
 * above each other. */
typedef struct SinoHalvesFan {
    int64_t binning, step, count;
    double voxels; /* of the volume along a side of one of the trials, but for averaging */
} SinoHalvesFan;

/* Trials average pairs of columns where the columns are more than the angles, else they take every second projection,
 * if enough are left. With total variation they try eight strengths at a time where the volume has as many slices, so
 * that their vectors are no larger than those of the volume, else four: a product with a few fans takes little longer
 * than with one. With other priors, or weights of a file, they try one. Weights of a file and masks are not averaged. A
 * trial's voxels are no smaller than pixels that have several rays: left-out rays are predicted best with less of a
 * prior than small voxels need. docs/lab/cones.md compares the strengths. */
SinoHalvesFan sino_halves_fan(const SinoSettings *settings, const SinoCone *cone);

/* The problem of the trials, of a row's one: the fan is *seen, and borrows angle_rad: [angles of the row]. */
SinoProblem sino_halves_fan_problem(SinoHalvesFan fan, const SinoProblem *row, double *angle_rad, SinoCone *seen);

/* Parts that the angles are divided into for the search for a strength. */
int64_t sino_halves_parts(int64_t angle_count);

/* How many parts of the projections trials leave out in turn, each with reconstructions of its own: 2, or 1 where it
 * has enough of them. */
int64_t sino_halves_folds(const SinoGeometry *geometry);

/* Strengths that are tried at a time: more where slices share what a product reads, fewer where each costs as much. */
enum { SINO_HALVES_STRENGTHS = 8, SINO_HALVES_STEPS = 4 };
int64_t sino_halves_strengths(const SinoOperatorKind *kind);

/* The geometry of the averaged columns. Its grid covers that of the scan, with an even number of voxels along a side;
 * the last one of an odd number of columns counts twice. */
SinoGeometry sino_halves_binned(const SinoGeometry *geometry, int64_t binning);

/* Partitions of a slice for one minibatch to keep all workers busy, or all devices, if there are any. */
int64_t sino_halves_partitions(const SinoProblem *problem, int64_t workers, int64_t devices);

/* Averages columns in place: line integrals, or, of counts, transmissions; undefined values (correct.h) count where
 * both are undefined. geometry: of the scan. */
void sino_halves_bin(const SinoGeometry *geometry, bool of_counts, float *sinogram);

/* A mask (input_parts.h) for the binned geometry: voxels are 0 where all voxels of the scan within them are. The caller
 * frees it. */
SinoStatus sino_halves_bin_mask(const SinoGeometry *geometry, const SinoGeometry *binned, const unsigned char *mask,
                                unsigned char **result);

/* Halves of counts: the number of iterations of MLEM and OSEM that the counts themselves decide. The counts of a set
 * are divided into two halves at random, which are independent of each other if counts are Poisson deviates. The image
 * of one half after many iterations differs from the image of the other half by its own noise, and by the error of the
 * other image: where the mean square difference is least, so is the latter. docs/COUNTS.md compares the choices with
 * the best ones. */

/* Collective. The numbers of iterations of all sets of a solution, whose settings, filter and sizes count; it solves
 * batch_sets sets together. A number is 1.44 times the best one of halves, at most the number of the settings. No set's
 * number depends on the other sets. SINO_FAILED: no memory, or a task failed. */
SinoStatus sino_halves_counts(const SinoMatrixSolution *solution, int64_t *iterations);

/* Halves of the normal operator: what the search for a strength needs where a solver has AᵀA instead of A. A slice that
 * lacks projections is solved with the normal operator of the others; another kind of operator predicts the projections
 * that it lacks. */

/* The projector of the predictions: the first that projects and stores nothing. */
SinoProjector sino_halves_normal_predictor(void);

/* Opens all operators; collective over all ranks. An idle rank gets operators without work. Errors: those of
 * sino_operator_new. *normal: the caller frees it. */
SinoStatus sino_halves_normal_new(SinoRuntime *runtime, const SinoProblem *problem, bool idle,
                                  SinoHalvesNormal **normal);
void sino_halves_normal_free(SinoHalvesNormal *normal); /* takes NULL */
