/* SPDX-License-Identifier: BSD-3-Clause */
/* Model directory: the directory in which StarPU keeps what it has measured, safe against damaged files, full disks and
 * runs at the same time. */
#pragma once

#include "log.h"
#include "status.h"

#include <stdbool.h>

typedef struct SinoModels SinoModels;

/* Before StarPU starts: makes a directory for this run, copies into it what earlier runs have kept of the machine in
 * STARPU_PERF_MODEL_DIR, or else in ~/.starpu/sampling/sinodag, and lets the variable name it. Damaged files are set
 * aside with a warning. Without a place to keep files the run goes on, with a message. `log`: NULL for none; not owned.
 * SINO_BAD_INPUT: STARPU_PERF_MODEL_DIR cannot be written. SINO_FAILED: no directory can be made anywhere. */
SinoStatus sino_models_open(SinoLog *log, SinoModels **models);

/* Before the first task of a performance model: copies what earlier runs have kept of it. Takes NULL. */
void sino_models_take(SinoModels *models, const char *symbol);

/* Whether they are frozen. */
bool sino_models_frozen(const SinoModels *models);

/* Where earlier runs have kept them, and this one will; NULL: nowhere. Not owned. */
const char *sino_models_kept(const SinoModels *models);

/* The run's copy of the file of its own samples (sample_table.h); the caller frees it. NULL: no memory, or this machine
 * has no name. */
char *sino_models_samples_path(const SinoModels *models);

/* Where runs keep models, whether it exists or not; to be asked while no runtime is there. The caller frees it. NULL:
 * no memory. */
char *sino_models_directory(void);

/* The file of samples that such a directory has; likewise. */
char *sino_models_kept_samples_path(const char *directory);

/* What the run measures of tasks will not be kept; what it measures of buses will. */
void sino_models_freeze(SinoModels *models);

/* After StarPU has stopped: keeps what has changed, removes the run's directory, and restores the variable. Takes NULL.
 */
void sino_models_close(SinoModels *models);
