/* SPDX-License-Identifier: BSD-3-Clause */
/* recon --follow by an algorithm that needs all projections: fbp or fdk adds them as they come, to a volume beside the
 * output. The algorithm then goes on as without --follow, from the complete scan, and gives the same bits. Flat and
 * dark fields that come last are awaited after the first volume is stored. */
#include "recon_volume.h"

#include "input_follow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SinoAlgorithmChoice sino_recon_follower(const SinoSettings *settings)
{
    return sino_job_is_cone(settings) ? SINO_ALGORITHM_FDK : SINO_ALGORITHM_FBP;
}

bool sino_recon_goes_on(const SinoSettings *settings)
{
    return settings->input.follow && settings->solver.algorithm != sino_recon_follower(settings);
}

/* The settings of the first volume, which own nothing: those of a preview in floats, by stages that need no whole
 * sinogram. */
static SinoSettings settings_of_first(const SinoSettings *settings, char *path)
{
    static char none[] = "none";
    SinoSettings first = *settings;
    first.output.path = path;
    first.output.type = SINO_OUTPUT_FLOAT32;
    first.output.halves = first.output.pictures = false;
    first.output.report = none;
    first.solver.algorithm = sino_recon_follower(settings);
    first.solver.start = first.solver.mask = NULL;
    first.projection.projector = SINO_PROJECTOR_PIXELS; /* of little memory, and the page shows its planes */
    first.projection.precision = SINO_SINGLE;
    first.projection.cache = NULL;
    first.runtime.partitions = first.runtime.minibatch = 0;
    first.team.grid = (SinoGridShape){0};
    first.team.topology = (SinoTopologyShape){0};
    first.stages.stripe_removal = SINO_REMOVE_NONE;
    first.stages.zinger_removal = SINO_ZINGERS_NONE;
    return first;
}

static SinoRecon new_run(const SinoSettings *settings, SinoProcesses *processes, SinoLog *log)
{
    const SinoJobKind *job = sino_job_kind(settings);
    return (SinoRecon){
        .job = job, .kind = sino_recon_kinds[job->job], .settings = settings, .log = log, .processes = processes};
}

/* Collective. Refuses before the scan has come what the run that goes on would refuse then. *path: of the first volume;
 * the caller frees it. */
static SinoStatus check(SinoRecon *recon, char **path)
{
    SINO_TRY(sino_processes_agree(recon->processes, sino_recon_open_input(recon)));
    *path = strdup(recon->names.followed);
    SINO_TRY(
        sino_processes_agree(recon->processes, *path ? NULL : sino_error(SINO_FAILED, "no memory for a file name")));
    return recon->kind->plan(recon);
}

static SinoStatus check_and_release(const SinoSettings *settings, SinoRuntime *runtime, SinoProcesses *processes,
                                    SinoLog *log, char **path)
{
    SinoRecon recon = new_run(settings, processes, log);
    recon.runtime = runtime;
    SinoStatus status = check(&recon, path);
    recon.kind->release(&recon);
    sino_output_names_free(&recon.names);
    sino_input_close(&recon.input);
    return status;
}

/* Collective. The run that goes on; it takes the page. */
static SinoStatus run_then(const SinoSettings *then, SinoRuntime *runtime, SinoRecon *first)
{
    SinoRecon recon = new_run(then, first->processes, first->log);
    SinoStatus status = sino_processes_agree(first->processes, sino_input_await_whole(then, first->log));
    recon.runtime = runtime;
    recon.runs_in = true;
    recon.live = first->live;
    if (!status) return sino_recon_run(&recon);
    sino_status_free(sino_live_end(first->live, status));
    return status;
}

static SinoStatus run_both(const SinoSettings *settings, SinoRuntime *runtime, SinoRecon *first)
{
    SinoSettings then = *settings;
    char *safe = NULL;
    then.input.follow = NULL;
    first->then = &then;
    first->runtime = runtime;
    first->runs_in = true;
    SinoStatus status = sino_recon_run(first);
    if (status) return status;
    status = run_then(&then, runtime, first);
    if (*sino_status_text(status) &&
        asprintf(&safe, "the volume by %s is complete: %s", sino_algorithm_name(first->settings->solver.algorithm),
                 first->settings->output.path) >= 0)
        status = sino_recon_add_safe(status, safe);
    free(safe);
    return status;
}

SinoStatus sino_recon_follow(const SinoSettings *settings, SinoProcesses *processes, SinoLog *log)
{
    char *path = NULL;
    SinoRuntime *runtime = NULL;
    SINO_TRY(sino_recon_start_runtime(settings, processes, log, &runtime));
    SinoStatus status = check_and_release(settings, runtime, processes, log, &path);
    const SinoSettings of = settings_of_first(settings, path);
    SinoRecon first = new_run(&of, processes, log);
    if (!status) status = run_both(settings, runtime, &first);
    if (!status)
        status = sino_recon_add_safe(sino_runtime_stop(runtime), "the volume is complete");
    else
        sino_runtime_abandon(runtime);
    free(path);
    return status;
}
