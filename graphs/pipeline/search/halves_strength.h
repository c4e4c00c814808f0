/* SPDX-License-Identifier: BSD-3-Clause */
/* Halves, the strength of a prior: with which slices predict best the projections that they lack. */
#pragma once

#include "halves_search.h"

/* The strength is 2^exponent times that of search->run, and leaves this sum of squares (SinoHalvesSearch.difference).
 */
typedef struct SinoHalvesBest {
    double exponent, difference;
} SinoHalvesBest;

/* Tries `count` powers of two at a time, `below` of the first of them below 1, until the best one has neighbours or
 * leaves no less than `promising`. The search has a minibatch for so many. */
SinoStatus sino_halves_descend(SinoHalvesSearch *search, int64_t count, int64_t below, double promising,
                               SinoHalvesBest *found);

/* Whether slices of the strength 2^exponent that have no bound below predict projections far better than those of the
 * search, whose bound is 0. If so, the search goes on without. */
SinoStatus sino_halves_deny(SinoHalvesSearch *search, double exponent, bool *denied);

/* What a projection that differs by r says of a slice's square error: Σ s·(h ∗ s) with the ramp filter h. The footprint
 * of a voxel passes 2/3 of the highest frequency; s has 3/2 of it, so that s is the difference before the footprint.
 * s: [columns], for work. */
double sino_halves_filtered_square(int64_t columns, const double *r, double *s);
