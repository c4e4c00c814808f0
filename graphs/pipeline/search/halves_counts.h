/* SPDX-License-Identifier: BSD-3-Clause */
/* Halves of counts: the number of iterations of MLEM and OSEM that the counts themselves decide. The counts of a set
 * are divided into two halves at random, which are independent of each other if counts are Poisson deviates. The image
 * of one half after many iterations differs from the image of the other half by its own noise, and by the error of the
 * other image: where the mean square difference is least, so is the latter (halves.h). docs/COUNTS.md compares the
 * choices with the best ones. */
#pragma once

#include "matrix_solution.h"

/* Collective. The numbers of iterations of all sets of a solution, whose settings, filter and sizes count; it solves
 * batch_sets sets together. A number is 1.44 times the best one of halves (halves.h), at most the number of the
 * settings. No set's number depends on the other sets. SINO_FAILED: no memory, or a task failed. */
SinoStatus sino_halves_counts(const SinoMatrixSolution *solution, int64_t *iterations);
