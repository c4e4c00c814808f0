/* SPDX-License-Identifier: BSD-3-Clause */
/* recon: reconstructs the volume of a scan, or one slice at many centers. */
#include "recon.h"

#include "input_parts.h"
#include "job_private.h"
#include "matrix_file.h"
#include "workflows.h"

#include <inttypes.h>

static SinoStatus try_files(const SinoSettings *settings)
{
    const char *matrix = settings->counts.system_matrix;
    SINO_TRY(matrix ? sino_matrix_try(matrix) : sino_input_try(settings));
    return sino_mask_try(&settings->solver);
}

SinoStatus sino_recon(const SinoSettings *settings, SinoJob *job, SinoLog *log)
{
    SinoProcesses *processes = sino_job_processes(job);
    const int64_t count = sino_processes_count(processes);
    if (sino_processes_rank(processes) > 0) sino_log_mute(log, true);
    if (settings->center.reconstruction_type != SINO_RECONSTRUCTION_TRY)
        return sino_recon_goes_on(settings) ? sino_recon_follow(settings, processes, log)
                                            : sino_recon_volume(settings, processes, log);
    SINO_TRY(sino_processes_agree(processes, try_files(settings)));
    if (count == 1) return sino_recon_try(settings, log);
    return sino_processes_agree(
        processes,
        sino_error(SINO_BAD_INPUT, "reconstruction-type is try in %" PRId64 " processes; allowed: in one", count));
}
