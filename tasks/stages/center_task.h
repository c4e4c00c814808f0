/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks center and center_entropy: metrics of candidates for the rotation center. */
#pragma once

#include "center.h"
#include "runtime.h"

/* Inserts center, which writes metric[i] of candidate[i], 0 ≤ i < candidate_count. No pointer is owned. */
SinoStatus sino_insert_center(SinoRuntime *runtime, const SinoCenterVo *vo, int64_t candidate_count,
                              const double *candidate, double *metric);

/* Inserts center_entropy, which does the same by the entropy of the slice. */
SinoStatus sino_insert_center_entropy(SinoRuntime *runtime, const SinoCenterEntropy *entropy, int64_t candidate_count,
                                      const double *candidate, double *metric);
