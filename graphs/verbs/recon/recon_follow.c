/* SPDX-License-Identifier: BSD-3-Clause */
/* recon --follow by an algorithm that needs all projections: fbp or fdk adds them as they come, to a volume beside the
 * output. The algorithm then goes on as without --follow, from the complete scan, and gives the same bits. Flat and
 * dark fields that come last are awaited after the first volume is stored. */
#include "recon_volume.h"

#include "input_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the first run takes of the scan. */
typedef struct First {
    char *path;  /* of its volume; owned */
    double axis; /* the given one, or the middle column */
} First;

/* The settings of the first volume, which own nothing: those of a preview in floats, by stages that need no whole
 * sinogram. */
static SinoSettings settings_of_first(const SinoSettings *settings, const First *of)
{
    static char none[] = "none";
    SinoSettings first = *settings;
    first.output.path = of->path;
    first.center.rotation_axis = of->axis;
    first.output.type = SINO_OUTPUT_FLOAT32;
    first.output.halves = first.output.pictures = false;
    first.output.report = none;
    first.solver.algorithm = sino_recon_follower(settings);
    first.solver.start = first.solver.mask = NULL;
    first.projection.projector = SINO_PROJECTOR_AUTO;
    first.projection.precision = SINO_SINGLE;
    first.projection.cache = NULL;
    first.runtime.partitions = first.runtime.minibatch = 0;
    first.team.grid = (SinoGridShape){0};
    first.team.topology = (SinoTopologyShape){0};
    first.stages.stripe_removal = SINO_REMOVE_NONE;
    first.stages.zinger_removal = SINO_ZINGERS_NONE;
    return first;
}

static void take_axis(const SinoRecon *recon, double *axis)
{
    const SinoInput *input = &recon->input;
    *axis = recon->settings->center.rotation_axis;
    if (!isnan(*axis)) return;
    *axis = sino_input_column_of_file(input, (double)(input->geometry.column_count - 1) / 2);
    sino_log_info(recon->log, "follow",
                  "%s takes the middle column, %.2f, for the rotation axis, which is found by the whole scan",
                  sino_algorithm_name(sino_recon_follower(recon->settings)), *axis);
}

/* Collective. Refuses before the scan has come what the run that goes on would refuse then. */
static SinoStatus check(SinoRecon *recon, First *first)
{
    const bool speaks = sino_processes_rank(recon->processes) == 0;
    SINO_TRY(sino_processes_agree(recon->processes, sino_recon_open_input(recon)));
    first->path = strdup(recon->names.followed);
    SINO_TRY(sino_processes_agree(recon->processes,
                                  first->path ? NULL : sino_error(SINO_FAILED, "no memory for a file name")));
    if (speaks) sino_log_mute(recon->log, true); /* the run that goes on plans again */
    SinoStatus status = recon->kind->plan(recon);
    if (speaks) sino_log_mute(recon->log, false);
    if (!status) take_axis(recon, &first->axis);
    return status;
}

static SinoStatus check_and_release(const SinoSettings *settings, SinoRuntime *runtime, SinoProcesses *processes,
                                    SinoLog *log, First *first)
{
    SinoRecon recon = sino_recon_begun(settings, runtime, processes, log);
    SinoStatus status = check(&recon, first);
    recon.kind->release(&recon);
    sino_output_names_free(&recon.names);
    sino_input_close(&recon.input);
    return status;
}

/* Adds to the error of the run that went on that the first volume is there. */
static SinoStatus add_first(const SinoSettings *first, SinoStatus status)
{
    char *safe = NULL;
    if (!*sino_status_text(status)) return status;
    if (asprintf(&safe, "the volume by %s is complete: %s", sino_algorithm_name(first->solver.algorithm),
                 first->output.path) < 0)
        return status;
    status = sino_recon_add_safe(status, safe);
    free(safe);
    return status;
}

/* Collective. The run that goes on takes the page. */
static SinoStatus run_both(SinoRecon *first)
{
    const SinoSettings *then = first->then;
    SinoStatus status = sino_recon_run(first);
    const bool stored = !status;
    if (!status) status = sino_processes_agree(first->processes, sino_input_await_whole(then, first->log));
    if (!status) {
        SinoRecon recon = sino_recon_begun(then, first->runtime, first->processes, first->log);
        recon.live = first->live;
        status = sino_recon_run(&recon);
    } else
        sino_status_free(sino_live_end(first->live, status));
    return stored ? add_first(first->settings, status) : status;
}

SinoStatus sino_recon_follow(const SinoSettings *settings, SinoProcesses *processes, SinoLog *log)
{
    First taken = {NULL, NAN};
    SinoRuntime *runtime = NULL;
    const SinoRecon whole = sino_recon_begun(settings, NULL, processes, log);
    SINO_TRY(sino_recon_check_settings(&whole));
    SINO_TRY(sino_recon_start_runtime(settings, processes, log, &runtime));
    SinoStatus status = check_and_release(settings, runtime, processes, log, &taken);
    const SinoSettings of = settings_of_first(settings, &taken);
    SinoRecon first = sino_recon_begun(&of, runtime, processes, log);
    SinoSettings then = *settings;
    then.input.follow = NULL;
    first.then = &then;
    if (!status) status = run_both(&first);
    if (!status)
        status = sino_recon_add_safe(sino_runtime_stop(runtime), "the volume is complete");
    else
        sino_runtime_abandon(runtime);
    free(taken.path);
    return status;
}
