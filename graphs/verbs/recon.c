/* SPDX-License-Identifier: BSD-3-Clause */
/* recon: reconstructs the volume of a scan, or one slice at many centers. */
#include "recon.h"

#include "workflows.h"

#include <inttypes.h>

static SinoStatus run(const SinoSettings *settings, SinoProcesses *processes, SinoLog *log)
{
    const int64_t count = sino_processes_count(processes);
    if (settings->reconstruction_type != SINO_RECONSTRUCTION_TRY) return sino_recon_volume(settings, processes, log);
    if (count == 1) return sino_recon_try(settings, log);
    return sino_processes_agree(
        processes,
        sino_error(SINO_BAD_INPUT, "reconstruction-type is try in %" PRId64 " processes; allowed: in one", count));
}

SinoStatus sino_recon(const SinoSettings *settings, SinoLog *log)
{
    SinoProcesses *processes;
    SinoStatus readable = sino_input_try(settings); /* before MPI has threads */
    SinoStatus status = sino_processes_start(&processes);
    if (status) {
        sino_status_free(readable);
        return status;
    }
    if (sino_processes_rank(processes) > 0) sino_log_mute(log);
    status = sino_processes_agree(processes, readable);
    if (!status) status = run(settings, processes, log);
    sino_processes_stop(processes);
    return status;
}
