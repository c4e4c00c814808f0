/* SPDX-License-Identifier: BSD-3-Clause */
/* Halves, binned: strengths are tried on a scan whose detector columns are averaged in twos, which takes a quarter of
 * the work. Half the rays make half the sum of squares; voxels that are twice as wide have twice the value, and half as
 * many of them lie along an edge, so that a variation stays. A binned scan wants half the strength. */
#pragma once

#include "operator.h"
#include "settings.h"

enum { SINO_HALVES = 2 };

/* Columns that trials average: 2, or 1 where angles or columns are few, so that all are cheap, or angles are as many
 * as columns, where half the strength is not always the right one (docs/lab/images.md). */
int64_t sino_halves_binning(const SinoGeometry *geometry);

/* Trials of a fan beam average so many columns, take every so many projections, and are so many at a time, as fans
 * above each other. */
typedef struct SinoHalvesFan {
    int64_t binning, step, count;
} SinoHalvesFan;

/* Pairs of columns where they are more than the angles, else every second projection, if enough are left. Weights of a
 * file and masks are not averaged. docs/lab/cones.md compares the strengths. Eight strengths at a time where the volume
 * has as many slices, so that its vectors are no smaller, else four, as a product with few fans takes little longer
 * than with one; one of other priors than total variation, and with weights of a file. */
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

/* A mask (mask.h) for the binned geometry: voxels are 0 where all voxels of the scan within them are. The caller frees
 * it. */
SinoStatus sino_halves_bin_mask(const SinoGeometry *geometry, const SinoGeometry *binned, const unsigned char *mask,
                                unsigned char **result);
