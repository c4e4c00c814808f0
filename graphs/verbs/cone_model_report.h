/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone model, report: predicted times of a cone-beam reconstruction as a table for people, and as JSON for programs. */
#ifndef SINO_CONE_MODEL_REPORT_H
#define SINO_CONE_MODEL_REPORT_H

#include "cone_model.h"

#include <stdio.h>

/* Prints the run on `machine`, then the rows of the model's paper: predictions for its machine beside what was measured
 * there. */
void sino_cone_model_print(const SinoConeMachine *machine, const SinoConeProblem *problem, SinoConeGrid grid,
                           FILE *out);

/* Prints one JSON object: "scan", "volume", "grid", "bytes" of a rank, "seconds", "overlap", "gups". */
void sino_cone_model_json(const SinoConeMachine *machine, const SinoConeProblem *problem, SinoConeGrid grid, FILE *out);

#endif
