/* SPDX-License-Identifier: BSD-3-Clause */
/* Job: the ranks of the program, and what they must have in common before they work. */
#include "workflows.h"

#include "consensus.h"
#include "ending.h"
#include "job_private.h"
#include "memory.h"
#include "version.h"

#include <stdio.h>
#include <stdlib.h>

struct SinoJob {
    SinoProcesses *processes;
};

static void end_ranks(void *processes, int exit_code)
{
    sino_processes_end(processes, exit_code);
}

SinoStatus sino_job_start(SinoJob **result)
{
    SinoJob *job = NULL;
    SINO_TRY(sino_allocate(1, sizeof *job, "the job", &job));
    SinoStatus status = sino_processes_start(&job->processes);
    if (status) {
        free(job);
        return status;
    }
    sino_ending_set_ranks(sino_job_rank(job) == 0, sino_job_count(job) > 1 ? end_ranks : NULL, job->processes);
    *result = job;
    return NULL;
}

void sino_job_end(SinoJob *job)
{
    if (!job) return;
    sino_ending_set_ranks(sino_job_rank(job) == 0, NULL, NULL);
    sino_processes_stop(job->processes);
    free(job);
}

SinoProcesses *sino_job_processes(const SinoJob *job)
{
    return job ? job->processes : NULL;
}

int64_t sino_job_rank(const SinoJob *job)
{
    return sino_processes_rank(sino_job_processes(job));
}

int64_t sino_job_count(const SinoJob *job)
{
    return sino_processes_count(sino_job_processes(job));
}

SinoStatus sino_job_agree(SinoJob *job, SinoStatus status)
{
    return sino_processes_agree(sino_job_processes(job), status);
}

/* Lines of what the ranks must share: version and settings. The caller frees *text. */
static SinoStatus shared_text(int verb, const SinoSettings *settings, char **text)
{
    char *lines = NULL;
    SINO_TRY(sino_settings_shared_text(settings, verb, &lines));
    const int length = asprintf(text, "the version: %s\n%s", sino_version_text(), lines);
    free(lines);
    SINO_CHECK(length >= 0, SINO_FAILED, "no memory for the text of the settings");
    return NULL;
}

SinoStatus sino_job_check_same(SinoJob *job, int verb, const SinoSettings *settings)
{
    char *text = NULL;
    if (sino_job_count(job) == 1) return NULL;
    SINO_TRY(sino_job_agree(job, shared_text(verb, settings, &text)));
    SinoStatus status = sino_consensus_check(sino_job_processes(job), "the ranks have different settings", text);
    free(text);
    SINO_TRY(status);
    return sino_processes_watch(sino_job_processes(job), settings->runtime.stall_limit_s);
}
