/* SPDX-License-Identifier: BSD-3-Clause */
/* Plan of a cone beam that an iterative algorithm reconstructs. */
#ifndef SINO_PLAN_CONE_SOLUTION_H
#define SINO_PLAN_CONE_SOLUTION_H

#include "cone.h"
#include "input.h"

/* Prints memory and time of recon with these settings, as a table or as JSON (docs/JSON.md). `assumed`: lengths of the
 * cone are usual ones. SINO_BAD_INPUT: recon would refuse the settings; the machine is not `usual`. */
SinoStatus sino_plan_cone_solution(const SinoSettings *settings, const SinoInput *input, const SinoCone *cone,
                                   bool assumed);

#endif
