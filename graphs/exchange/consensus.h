/* SPDX-License-Identifier: BSD-3-Clause */
/* Consensus: what every rank must have in common before the ranks work together, as lines "name: value". */
#pragma once

#include "processes.h"
#include "runtime.h"

/* Collective. Succeeds if the text of every rank has the same lines. SINO_BAD_INPUT: they differ; the lowest rank that
 * differs from rank 0 has the message: `what` ("the ranks have different settings"), then the name and both values of
 * every line that differs. SINO_FAILED: no memory, in some rank. */
SinoStatus sino_consensus_check(SinoProcesses *processes, const char *what, const char *text);

/* The differences of two texts as "NAME is VALUE on rank 0 and VALUE on rank RANK, …"; NULL without memory. The caller
 * frees it. A line that only one text has counts as "not given" in the other. */
char *sino_consensus_differences(const char *first, const char *other, int64_t rank);

/* Collective, between parts of a run: learns whether some rank has failed. The result is then an error without a text,
 * unless this rank has failed itself. */
SinoStatus sino_consensus_go_on(SinoRuntime *runtime);
