/* SPDX-License-Identifier: BSD-3-Clause */
/* recon: reconstructs the volume of a scan, or one slice at many centers. */
#include "recon.h"

#include "workflows.h"

#include <inttypes.h>

SinoStatus sino_recon(const SinoSettings *settings, SinoLog *log)
{
    SinoProcesses *processes;
    const bool try = settings->reconstruction_type == SINO_RECONSTRUCTION_TRY;
    SINO_TRY(sino_processes_start(&processes));
    if (sino_processes_rank(processes) > 0) sino_log_mute(log);
    SinoStatus status = NULL;
    if (!try)
        status = sino_recon_volume(settings, processes, log);
    else if (sino_processes_count(processes) == 1)
        status = sino_recon_try(settings, log);
    else
        status = sino_processes_agree(processes,
                                      sino_error(SINO_BAD_INPUT,
                                                 "reconstruction-type is try in %" PRId64 " processes; allowed: in one",
                                                 sino_processes_count(processes)));
    sino_processes_stop(processes);
    return status;
}
