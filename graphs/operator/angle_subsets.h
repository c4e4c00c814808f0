/* SPDX-License-Identifier: BSD-3-Clause */
/* Angle subsets: which subset of the data each angle of a parallel-beam scan belongs to.
 *
 * Of S subsets, subset s has the angles s, s + S, s + 2S … of the scan, unless whole orbits are better. An orbit is an
 * angle of which rays are stored and those angles of the scan that follow from it as quarter turns and mirror images
 * (layout.h). If the problem wants whole orbits, all angles of an orbit belong to one subset, so that subsets store no
 * more angles than the scan without subsets; but only if
 * - that saves a quarter or more of the angles that every S-th angle would store, and
 * - there are SINO_SUBSET_ORBITS orbits or more for each subset, so that subsets have about the same number of angles.
 * Orbits are dealt to the subsets in turn, in the order of their stored angles, so that a subset's angles are spread
 * over the turn and neighbours in number are neighbours in angle, as without orbits. Orbits of many angles are dealt
 * first; fewer follow where subsets have least.
 *
 * If the problem leaves angles out, these subsets are one fewer, and the last subset has every so-many-th angle of each
 * of them, from another one on in each. */
#pragma once

#include "operator.h"

enum { SINO_SUBSET_ORBITS = 3 };

typedef struct SinoAngleSubsets {
    int64_t count;
    bool whole_orbits; /* false: every S-th angle */
    bool few_orbits;   /* orbits would save angles, but there are too few of them */
    int64_t *subset;   /* [angle of the scan]: its subset; owned */
    int64_t *first;    /* [count + 1]: subset s has the angles number[first[s]] … number[first[s + 1] − 1]; owned */
    int64_t *number;   /* [angle]: numbers in the scan, ascending within a subset; owned */
} SinoAngleSubsets;

/* The subsets of the problem's geometry, of which there are at most as many as angles; no subset is empty. The caller
 * frees them. SINO_FAILED: no memory. */
SinoStatus sino_angle_subsets_new(const SinoProblem *problem, SinoAngleSubsets *subsets);
void sino_angle_subsets_free(SinoAngleSubsets *subsets);

/* Number of angles of a subset, and of the largest one. */
int64_t sino_angle_subsets_size(const SinoAngleSubsets *subsets, int64_t subset);
int64_t sino_angle_subsets_most(const SinoAngleSubsets *subsets);

/* The layout of a subset's angles; `scan`: that of all angles. The caller frees it. SINO_FAILED: no memory. */
SinoStatus sino_angle_subsets_layout(const SinoAngleSubsets *subsets, int64_t subset, const SinoLayout *scan,
                                     SinoLayout *layout);

/* Tells the log of several subsets. */
void sino_angle_subsets_report(const SinoAngleSubsets *subsets, SinoLog *log);
