/* SPDX-License-Identifier: BSD-3-Clause */
/* recon, requests: the start of the runtime, and other values that follow from the settings alone. */
#include "recon.h"

#include "job_kind.h"

#include <stdlib.h>
#include <sys/stat.h>

double sino_recon_scale(const SinoSettings *settings)
{
    const double micrometres_per_cm = 1e4;
    const double per_pixel = 1 / (double)settings->input.binning;
    return settings->geometry.pixel_size_um > 0 ? per_pixel * micrometres_per_cm / settings->geometry.pixel_size_um
                                                : per_pixel;
}

SinoAlgorithmChoice sino_recon_follower(const SinoSettings *settings)
{
    return sino_job_is_cone(settings) ? SINO_ALGORITHM_FDK : SINO_ALGORITHM_FBP;
}

bool sino_recon_goes_on(const SinoSettings *settings)
{
    return settings->input.follow && settings->solver.algorithm != sino_recon_follower(settings);
}

double sino_recon_cone_scale(const SinoCone *cone)
{
    const double mm_per_cm = 10;
    return mm_per_cm / cone->voxel_size;
}

SinoStatus sino_recon_start_runtime(const SinoSettings *settings, SinoProcesses *processes, SinoLog *log,
                                    SinoRuntime **runtime)
{
    char *text = NULL;
    SINO_TRY(sino_processes_agree(processes, sino_settings_text(settings, SINO_VERB_RECON, &text)));
    const SinoRuntimeRequest request = {.workers = settings->runtime.workers,
                                        .devices = settings->runtime.devices,
                                        .scheduler = settings->runtime.scheduler,
                                        .models = settings->runtime.models,
                                        .graph_path =
                                            sino_processes_rank(processes) == 0 ? settings->runtime.graph : NULL,
                                        .overwrite = settings->output.overwrite,
                                        .profile = settings->runtime.profile != NULL,
                                        .profile_path = sino_settings_profile_file(&settings->runtime),
                                        .trace_path = settings->runtime.trace,
                                        .settings = text,
                                        .stall_limit_s = settings->runtime.stall_limit_s,
                                        .log = log,
                                        .processes = processes};
    SinoStatus status = sino_runtime_start(&request, runtime);
    free(text);
    return status;
}

SinoStatus sino_recon_check_new(const SinoSettings *settings, const char *path)
{
    struct stat about;
    SINO_CHECK(!path || settings->output.overwrite || lstat(path, &about) != 0, SINO_BAD_INPUT,
               "%s exists; --overwrite replaces it", path);
    return NULL;
}

SinoStatus sino_recon_check_reports(const SinoSettings *settings)
{
    SINO_TRY(sino_recon_check_new(settings, settings->runtime.graph));
    SINO_TRY(sino_recon_check_new(settings, settings->runtime.trace));
    return sino_recon_check_new(settings, sino_settings_profile_file(&settings->runtime));
}
