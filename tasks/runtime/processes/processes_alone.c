/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes: the single process of a build without MPI. */
#include "launcher.h"
#include "processes.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct SinoProcesses {
    char unused;
};

static SinoProcesses alone;

SinoStatus sino_processes_start(SinoProcesses **processes)
{
    const SinoLauncher launcher = sino_launcher();
    if (launcher.rank > 0) return sino_error_told(SINO_BAD_INPUT); /* process 0 prints it */
    SINO_CHECK(launcher.size != 0, SINO_BAD_INPUT,
               "started by %s (%s is %" PRId64
               "), but this sinodag was built without MPI; allowed: without a launcher, or a sinodag built with MPI",
               launcher.name, launcher.rank_variable, launcher.rank);
    SINO_CHECK(
        launcher.size == 1, SINO_BAD_INPUT,
        "started as one of %" PRId64
        " processes by %s (%s), but this sinodag was built without MPI; allowed: one process, or a sinodag built "
        "with MPI",
        launcher.size, launcher.name, launcher.size_variable);
    *processes = &alone;
    return NULL;
}

SinoStatus sino_processes_watch(SinoProcesses *processes, double limit_s)
{
    (void)processes, (void)limit_s;
    return NULL; /* there is no other to be heard */
}

void sino_processes_stop(SinoProcesses *processes)
{
    (void)processes;
}

int64_t sino_processes_rank(const SinoProcesses *processes)
{
    (void)processes;
    return 0;
}

int64_t sino_processes_count(const SinoProcesses *processes)
{
    (void)processes;
    return 1;
}

SinoStatus sino_processes_agree(SinoProcesses *processes, SinoStatus status)
{
    (void)processes;
    return status;
}

void sino_processes_end(SinoProcesses *processes, int exit_code)
{
    (void)processes;
    _exit(exit_code);
}

SinoStatus sino_processes_broadcast(SinoProcesses *processes, int64_t bytes, void *memory)
{
    (void)processes, (void)bytes, (void)memory;
    return NULL;
}

SinoStatus sino_processes_least(SinoProcesses *processes, int64_t *value)
{
    (void)processes, (void)value;
    return NULL;
}

SinoStatus sino_processes_largest(SinoProcesses *processes, int64_t *value)
{
    (void)processes, (void)value;
    return NULL;
}

SinoStatus sino_processes_sum_doubles(SinoProcesses *processes, int64_t count, double *value)
{
    (void)processes, (void)count, (void)value;
    return NULL;
}

SinoStatus sino_processes_sum_floats(SinoProcesses *processes, int64_t count, float *value)
{
    (void)processes, (void)count, (void)value;
    return NULL;
}

SinoStatus sino_processes_sum_integers(SinoProcesses *processes, int64_t count, int64_t *value)
{
    (void)processes, (void)count, (void)value;
    return NULL;
}

SinoStatus sino_processes_largest_floats(SinoProcesses *processes, int64_t count, float *value)
{
    (void)processes, (void)count, (void)value;
    return NULL;
}

SinoStatus sino_processes_gather(SinoProcesses *processes, int64_t bytes, const void *own, void *all)
{
    (void)processes;
    memcpy(all, own, (size_t)bytes);
    return NULL;
}

SinoStatus sino_processes_collect(SinoProcesses *processes, int64_t from, int64_t bytes, const void *own,
                                  void *received)
{
    (void)processes, (void)from, (void)bytes, (void)own, (void)received;
    return NULL;
}

SinoStatus sino_processes_pass(SinoProcesses *processes, const SinoPassage *passage)
{
    (void)processes, (void)passage;
    assert(false); /* there is no other to send to */
    return NULL;
}
