/* SPDX-License-Identifier: BSD-3-Clause */
/* Job, for the verbs: its processes. */
#pragma once

#include "processes.h"
#include "workflows.h"

/* Not owned; NULL for NULL. */
SinoProcesses *sino_job_processes(const SinoJob *job);
