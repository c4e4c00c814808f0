/* SPDX-License-Identifier: BSD-3-Clause */
/* Job: the ranks that a launcher started together, from before the settings are read until the program ends. */
#pragma once

#include "settings.h"
#include "status.h"

#include <stdint.h>

typedef struct SinoJob SinoJob;

/* Joins the ranks. Errors: those of sino_processes_start; at most one process of the launcher has the text. */
SinoStatus sino_job_start(SinoJob **job);

/* Waits for the other ranks; takes NULL. Before it, a rank prints its error, because a launcher may end every rank as
 * soon as one of them has ended with an error. */
void sino_job_end(SinoJob *job);

int64_t sino_job_rank(const SinoJob *job);
int64_t sino_job_count(const SinoJob *job);

/* Collective. Succeeds if every rank has succeeded. Otherwise all ranks get an error, of which one has a text: the one
 * of the lowest rank that has an error. Consumes the status. */
SinoStatus sino_job_agree(SinoJob *job, SinoStatus status);

/* Collective. SINO_BAD_INPUT: the ranks run different versions, or have different settings, apart from those that may
 * differ (sino_settings_shared_text). One rank's error has the text. From then on ranks that are stopped end the job
 * after --stall-limit. */
SinoStatus sino_job_check_same(SinoJob *job, int verb, const SinoSettings *settings);
