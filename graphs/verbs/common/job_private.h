/* SPDX-License-Identifier: BSD-3-Clause */
/* Job, for the verbs: its processes. */
#ifndef SINO_JOB_PRIVATE_H
#define SINO_JOB_PRIVATE_H

#include "job.h"
#include "processes.h"

/* Not owned; NULL for NULL. */
SinoProcesses *sino_job_processes(const SinoJob *job);

#endif
