/* SPDX-License-Identifier: BSD-3-Clause */
/* recon --reconstruction-type full: reconstructs the volume of a scan, by one rank or several. */
#include "recon.h"
#include "recon_resume.h"

#include "checksum_task.h"
#include "ending.h"
#include "input_same.h"
#include "memory.h"
#include "picture.h"
#include "platform.h"
#include "repairs.h"
#include "suspicion.h"
#include "version.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The state of a recon. */
typedef struct Recon {
    const SinoSettings *settings;
    SinoSettings planned; /* the settings with the choices of a resumed run; owns nothing */
    SinoResume resume;
    SinoLog *log;
    const SinoSolver *solver;
    SinoProcesses *processes;
    SinoRuntime *runtime;
    SinoInput input; /* after take_share: this rank's share of the input */
    SinoTeam team;
    SinoOperator *op;
    SinoVolume *volume;
    SinoRecord record;
    SinoOutputNames names;
    SinoVolumeRequest request;
    SinoLastAct last; /* tells what --resume goes on from; once the volume is complete, tells so */
    char checksum[17];
} Recon;

static SinoVolumeRequest volume_request(const Recon *recon)
{
    const SinoSettings *settings = recon->settings;
    const int64_t size = recon->input.geometry.grid_size;
    return (SinoVolumeRequest){.hdf5_path = settings->save_format == SINO_SAVE_TIFF ? NULL : settings->out,
                               .tiff_directory =
                                   settings->save_format == SINO_SAVE_HDF5 ? NULL : recon->names.tiff_directory,
                               .overwrite = settings->overwrite,
                               .resume = recon->resume.earlier,
                               .slice_count = recon->input.slice_count,
                               .height = size,
                               .width = size,
                               .first_row = recon->input.first_row,
                               .row_step = recon->input.binning,
                               .units = settings->pixel_size_um > 0 ? "1/cm" : "1/pixel"};
}

static SinoStatus check_output(const Recon *recon)
{
    SINO_TRY(sino_recon_check_files(recon->settings, &recon->input, &recon->names, &recon->request));
    SINO_TRY(sino_volume_check(&recon->request));
    SINO_TRY(sino_recon_check_new(recon->settings, recon->settings->graph));
    SINO_TRY(sino_rays_kind.check(recon->settings->operator_cache));
    if (!recon->settings->pictures) return NULL;
    SINO_TRY(sino_recon_check_new(recon->settings, recon->names.tomogram_png));
    return sino_recon_check_new(recon->settings, recon->names.sinogram_png);
}

static void tell_plan(const Recon *recon)
{
    const SinoRunPlan *plan = &recon->team.forecast.plan;
    char total[24], budget[24];
    sino_log_info(recon->log, "plan",
                  "slices: %" PRId64 ", %" PRId64 " at a time on %" PRId64 " cores, memory: %s of %s",
                  recon->record.slice_count, plan->streaming.slab_slices, sino_runtime_worker_count(recon->runtime),
                  sino_bytes_text(plan->resources.total_bytes, total), sino_bytes_text(plan->budget_bytes, budget));
    sino_log_detail(recon->log, "plan",
                    "slabs of %" PRId64 " slices, minibatches of %" PRId64 ", partitions: %" PRId64
                    ", workers: %" PRId64 " (%s)",
                    plan->streaming.slab_slices, plan->streaming.minibatch, plan->partition_count,
                    sino_runtime_worker_count(recon->runtime), sino_runtime_scheduler(recon->runtime));
}

/* With --profile: logs the most data that existed at a time, beside the plan's figure. */
static void tell_memory(const Recon *recon)
{
    char most[24], planned[24];
    if (!recon->settings->profile) return;
    sino_log_info(recon->log, "profile", "data: %s at most, %s planned",
                  sino_bytes_text(sino_data_most_bytes(recon->runtime), most),
                  sino_bytes_text(recon->team.forecast.plan.resources.data_bytes, planned));
}

/* Logs how several ranks share the work. */
static void tell_team(const Recon *recon)
{
    const SinoProcessGrid *grid = &recon->team.forecast.plan.grid;
    const SinoTopology *topology = &recon->team.forecast.plan.division.topology;
    const int64_t idle = sino_process_grid_idle(grid, INT64_MAX);
    if (grid->rank_count == 1) return;
    sino_log_info(recon->log, "ranks",
                  "ranks: %" PRId64 " in a grid of %" PRId64 "x%" PRId64 " (%s), each slice on %" PRId64
                  " nodes of %" PRId64 " sockets of %" PRId64 " workers, %s",
                  grid->rank_count, grid->batch_groups, grid->data_ranks, grid->why, topology->node_count,
                  topology->sockets, topology->workers,
                  recon->settings->communication == SINO_COMMUNICATION_DIRECT ? "direct" : "hierarchical");
    if (idle > 0) sino_log_warning(recon->log, "ranks", "%" PRId64 " ranks have nothing to do", idle);
}

static bool is_first(const Recon *recon)
{
    return sino_processes_rank(recon->processes) == 0;
}

/* Opens the input on every rank; rank 0 also checks the output, and judges the scan. */
static SinoStatus open_input(Recon *recon)
{
    const SinoSettings *settings = recon->settings;
    SINO_TRY(sino_input_open(settings, recon->log, &recon->input));
    SINO_TRY(sino_output_names_new(settings, recon->input.first_row, recon->input.binning, recon->input.slice_count,
                                   &recon->names));
    recon->request = volume_request(recon);
    if (!is_first(recon)) return NULL;
    SINO_TRY(sino_resume_hint(&recon->resume, check_output(recon)));
    return sino_check_scan(settings, &recon->input, recon->log);
}

/* Rank 0 finds the center and broadcasts it, because cores of different kinds might differ in its last digit. */
static SinoStatus find_center(Recon *recon)
{
    SinoGeometry *geometry = &recon->input.geometry;
    const double earlier = sino_resume_center(&recon->resume);
    if (isnan(recon->settings->rotation_axis) && !isnan(earlier)) {
        geometry->center = earlier;
        sino_log_info(recon->log, "center", "rotation center: column %.2f (of the unfinished run)",
                      sino_input_column_of_file(&recon->input, earlier));
        return NULL;
    }
    SinoStatus status = is_first(recon) ? sino_center_search(recon->runtime, recon->settings, &recon->input) : NULL;
    SINO_TRY(sino_processes_agree(recon->processes, status));
    return sino_processes_broadcast(recon->processes, (int64_t)sizeof geometry->center, &geometry->center);
}

/* Collective. Builds the operator of this rank's partitions. */
static SinoStatus make_operator(Recon *recon)
{
    const SinoOperatorRequest wanted =
        sino_team_operator(&recon->team, &recon->input.geometry, recon->settings->operator_cache);
    SINO_TRY(sino_operator_new(recon->runtime, &wanted, &recon->op));
    recon->op->kind->report(recon->op);
    return NULL;
}

static SinoStatus take_share(Recon *recon)
{
    sino_team_take_slices(&recon->team, &recon->input);
    return recon->op->idle ? NULL : sino_input_take_angles(&recon->input, recon->op->place);
}

/* Input, plan, center and operator: everything before the first slab. */
static SinoStatus set_up(Recon *recon)
{
    const SinoSettings *settings = recon->settings;
    SinoProcesses *processes = recon->processes;
    SinoTeam *team = &recon->team;
    const SinoRuntimeRequest request = sino_recon_runtime_request(settings, processes, recon->log);
    SINO_TRY(sino_resume_open(settings, processes, recon->log, &recon->resume));
    SINO_TRY(sino_processes_agree(processes, open_input(recon)));
    SINO_TRY(sino_input_check_same(processes, &recon->input, recon->log));
    recon->planned = *settings;
    sino_resume_plan(&recon->resume, &recon->planned);
    SINO_TRY(sino_runtime_start(&request, &recon->runtime));
    SINO_TRY(sino_team_new(recon->runtime, processes, &recon->planned, &recon->input, team));
    SINO_TRY(find_center(recon));
    SINO_TRY(sino_processes_agree(processes, sino_resume_identify(&recon->resume, recon->runtime, settings,
                                                                  &recon->input, &team->forecast.plan)));
    SINO_TRY(make_operator(recon));
    SINO_TRY(sino_processes_agree(processes, sino_record_new(&recon->input.geometry, recon->input.slice_count,
                                                             sino_solver_history_columns(recon->solver, settings),
                                                             settings->pictures, &recon->record)));
    tell_team(recon);
    tell_plan(recon);
    return sino_processes_agree(processes, take_share(recon));
}

/* Rank 0 creates the volume; the other ranks open it. */
static SinoStatus open_volume(Recon *recon)
{
    SinoStatus status = NULL;
    SinoProcesses *processes = recon->processes;
    const int64_t slices = recon->request.slice_count;
    int64_t *place;
    SINO_TRY(sino_allocate(slices + 1, sizeof *place, "places of slices", &place));
    if (is_first(recon)) {
        status = sino_volume_open(&recon->request, &recon->volume);
        if (!status && sino_volume_removed(recon->volume) > 0)
            sino_log_info(recon->log, "output", "removed %" PRId64 " slices of a run that did not finish from %s",
                          sino_volume_removed(recon->volume), recon->names.tiff_directory);
        if (!status && sino_processes_count(processes) > 1) status = sino_volume_places(recon->volume, place);
    }
    SINO_TRY_OR(status, end, sino_processes_agree(processes, status));
    SINO_TRY_OR(status, end, sino_processes_broadcast(processes, (slices + 1) * (int64_t)sizeof *place, place));
    if (!is_first(recon)) status = sino_volume_join(&recon->request, place, &recon->volume);
    SINO_TRY_OR(status, end, sino_processes_agree(processes, status));
    if (is_first(recon) && sino_processes_count(processes) > 1) status = sino_volume_all_joined(recon->volume);
    status = sino_processes_agree(processes, status);
end:
    if (status) sino_volume_abandon(recon->volume);
    if (status) recon->volume = NULL;
    free(place);
    return status;
}

/* Rank 0 tells of undefined values, and refuses too many of them. */
static SinoStatus check_repairs(const Recon *recon)
{
    if (!is_first(recon)) return NULL;
    sino_repairs_tell(recon->log, &recon->input, &recon->record, recon->solver->iterative);
    return sino_repairs_check(&recon->record, recon->settings->max_repaired);
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Logs after how many iterations the slices stopped, if some stopped at the tolerance. */
static SinoStatus tell_iterations(const Recon *recon)
{
    const int64_t slices = recon->record.slice_count, columns = recon->record.columns;
    int64_t *iteration;
    SINO_TRY(sino_allocate(slices, sizeof *iteration, "iterations", &iteration));
    for (int64_t i = 0; i < slices; i++)
        iteration[i] =
            sino_minibatch_progress(1, columns, columns - 1, recon->record.residuals + i * columns).iteration;
    qsort(iteration, (size_t)slices, sizeof *iteration, by_value);
    const int64_t least = iteration[0], most = iteration[slices - 1], median = iteration[slices / 2];
    if (least < columns - 1 && least == most)
        sino_log_info(recon->log, "iterations", "iterations: %" PRId64 ", where every slice reached the tolerance",
                      least);
    else if (least < columns - 1)
        sino_log_info(recon->log, "iterations", "iterations: %" PRId64 "–%" PRId64 " (median %" PRId64 ") by slice",
                      least, most, median);
    free(iteration);
    return NULL;
}

static SinoStatus write_process(Recon *recon)
{
    const SinoSettings *settings = recon->settings;
    SinoVolume *volume = recon->volume;
    const double center = sino_input_column_of_file(&recon->input, recon->input.geometry.center);
    char *text = NULL;
    SINO_TRY(sino_settings_text(settings, SINO_VERB_RECON, &text));
    SinoStatus status = sino_volume_process_text(volume, "settings", text);
    free(text);
    if (status) return status;
    SINO_TRY(sino_volume_process_text(volume, "version", sino_version_text()));
    SINO_TRY(sino_volume_process_text(volume, "input", settings->file_name));
    SINO_TRY(sino_volume_process_text(volume, "input_xxh3", recon->checksum));
    SINO_TRY(sino_volume_process_text(volume, "algorithm", sino_algorithm_name(settings->algorithm)));
    SINO_TRY(sino_volume_process_text(volume, "precision", sino_precision_name(settings->precision)));
    SINO_TRY(sino_volume_process_doubles(volume, "center", 0, 0, &center,
                                         "rotation center, column of the input; 0 is the centre of column 0"));
    SINO_TRY(sino_volume_process_integers(volume, "nonzeros", 0, &recon->op->nonzero_count,
                                          "nonzeros of the system matrix of a slice"));
    SINO_TRY(sino_volume_process_integers(volume, "repaired", recon->record.slice_count, recon->record.repaired,
                                          "undefined values interpolated, per slice"));
    return sino_volume_process_doubles(volume, "residuals", recon->record.slice_count, recon->record.columns,
                                       recon->record.residuals,
                                       "sum of squares of Ax-b, per slice, before the first and after each iteration; "
                                       "NaN once the slice has stopped");
}

static SinoStatus write_pictures(const Recon *recon)
{
    const SinoGeometry *geometry = &recon->input.geometry;
    if (!recon->settings->pictures) return NULL;
    SINO_TRY(sino_picture_write(recon->names.tomogram_png, geometry->grid_size, geometry->grid_size,
                                recon->record.tomogram, 0, 0));
    SINO_TRY(sino_picture_write(recon->names.sinogram_png, geometry->angle_count, geometry->column_count,
                                recon->record.sinogram, 0, 0));
    sino_log_info(recon->log, "output", "pictures: %s, %s", recon->names.tomogram_png, recon->names.sinogram_png);
    return NULL;
}

static void tell_output(const Recon *recon)
{
    const SinoSettings *settings = recon->settings;
    const int64_t size = recon->input.geometry.grid_size;
    if (settings->save_format != SINO_SAVE_TIFF)
        sino_log_info(recon->log, "output", "volume: %s, /exchange/data (%" PRId64 ", %" PRId64 ", %" PRId64 ")",
                      settings->out, recon->request.slice_count, size, size);
    if (settings->save_format != SINO_SAVE_HDF5)
        sino_log_info(recon->log, "output", "volume: %" PRId64 " TIFF files in %s", recon->request.slice_count,
                      recon->names.tiff_directory);
}

/* For a failure after the volume is complete. */
static const char volume_is_safe[] = "the volume is complete";

static void tell_complete(void *of, FILE *clause)
{
    (void)of;
    fputs(volume_is_safe, clause);
}

/* Adds to the error of a failed run which output is safe on disk; `safe` NULL: unknown. Consumes the status. */
static SinoStatus add_safe(SinoStatus status, const char *safe)
{
    if (!status || !safe) return status;
    SinoStatus told =
        sino_error((SinoErrorKind)sino_status_exit_code(status), "%s; %s", sino_status_text(status), safe);
    sino_status_free(status);
    return told;
}

/* Collective. Joins the numbers of complete slices, so that all ranks know them. */
static SinoStatus share_done(Recon *recon)
{
    const int64_t count = 2 * recon->request.slice_count;
    int64_t *done;
    if (sino_processes_count(recon->processes) == 1) return NULL;
    SINO_TRY(sino_allocate(count, sizeof *done, "slices that are done", &done));
    sino_volume_tell_done(recon->volume, done);
    SinoStatus status = sino_processes_sum_integers(recon->processes, count, done);
    if (!status) status = sino_processes_broadcast(recon->processes, count * (int64_t)sizeof *done, done);
    if (!status) sino_volume_take_done(recon->volume, done);
    free(done);
    return status;
}

static int64_t done_count(const Recon *recon)
{
    int64_t count = 0;
    for (int64_t i = 0; i < recon->request.slice_count; i++) count += sino_volume_is_done(recon->volume, i, 1);
    return count;
}

static void print_resumable(int64_t done, const Recon *recon, FILE *out)
{
    fprintf(out, "--resume goes on from %" PRId64 " of %" PRId64 " slices", done, recon->request.slice_count);
}

/* A last act. Rank 0 knows how many slices it has stored itself, not how many the other ranks have. */
static void tell_resumable(void *of, FILE *clause)
{
    const Recon *recon = of;
    if (!recon->resume.journal || !recon->volume) return;
    const int64_t done = done_count(recon);
    if (done == 0 && !recon->resume.earlier)
        sino_journal_unlink(recon->resume.journal);
    else if (sino_processes_count(recon->processes) > 1)
        fputs("--resume goes on from what the ranks have stored", clause);
    else
        print_resumable(done, recon, clause);
}

/* Adds to the error of a failed run what is complete on disk, and what --resume goes on from (`done` < 0: nothing is
 * kept for it). Consumes both. */
static SinoStatus add_kept(const Recon *recon, SinoStatus status, int64_t done, char *safe)
{
    char *text = NULL;
    size_t size;
    FILE *out = done >= 0 && *sino_status_text(status) ? open_memstream(&text, &size) : NULL;
    if (out) {
        if (safe) fprintf(out, "%s; ", safe);
        print_resumable(done, recon, out);
        (void)fclose(out);
    }
    if (*sino_status_text(status)) status = add_safe(status, text ? text : safe);
    free(text);
    free(safe);
    return status;
}

/* Ends a failed run. What has been stored is left for --resume, unless the input of a new run is at fault. */
static SinoStatus abandon(Recon *recon, SinoStatus status)
{
    sino_status_free(share_done(recon));
    const bool failed = sino_status_exit_code(status) == SINO_FAILED;
    const bool keeps = recon->resume.earlier || (recon->resume.journal && done_count(recon) > 0 && failed);
    sino_ending_remove(&recon->last);
    status = add_kept(recon, status, keeps ? done_count(recon) : -1, sino_volume_safe(recon->volume));
    if (keeps)
        sino_volume_keep(recon->volume);
    else
        sino_volume_abandon(recon->volume);
    recon->volume = NULL;
    sino_resume_end(&recon->resume, !keeps);
    return status;
}

/* Other ranks' parts must be on disk before the file gets its name. If it cannot get the name, all slices are left for
 * --resume. */
static SinoStatus finish(Recon *recon)
{
    char *safe = sino_volume_safe(recon->volume);
    SinoStatus status = NULL;
    sino_ending_remove(&recon->last);
    if (!is_first(recon)) {
        status = sino_volume_finish(recon->volume);
        recon->volume = NULL;
    }
    status = sino_processes_agree(recon->processes, status);
    if (is_first(recon)) {
        if (!status)
            status = sino_volume_finish(recon->volume);
        else if (recon->resume.journal)
            sino_volume_keep(recon->volume);
        else
            sino_volume_abandon(recon->volume);
        recon->volume = NULL;
    }
    recon->last = (SinoLastAct){.act = tell_complete};
    if (!status) sino_ending_add(&recon->last);
    status = sino_processes_agree(recon->processes, status);
    const bool keeps = status && recon->resume.journal;
    sino_resume_end(&recon->resume, !keeps);
    return add_kept(recon, status, keeps ? recon->request.slice_count : -1, safe);
}

/* Logs the rows that pass each level in a projection of all slices, all ranks together. */
static SinoStatus tell_levels(const Recon *recon)
{
    static const char *const level[] = {"partitions", "sockets", "nodes to others"};
    const double slices = (double)recon->input.slice_count;
    const SinoPrecision solver = sino_precision_solver(recon->settings->precision);
    int64_t rows[SINO_REDUCTIONS] = {0};
    if (!recon->settings->profile) return NULL;
    if (!recon->op->idle) sino_ray_exchange_rows(recon->op->ranks, rows);
    for (int i = 0; i < SINO_REDUCTIONS; i++) rows[i] = (int64_t)((double)rows[i] * slices);
    SINO_TRY(sino_processes_sum_integers(recon->processes, SINO_REDUCTIONS, rows));
    for (int i = 0; i < SINO_REDUCTIONS; i++) {
        const bool sent = i == SINO_REDUCE_GLOBAL;
        const size_t element = sino_precision_bytes(sent ? recon->settings->precision : solver);
        const bool same = i == SINO_REDUCE_NODE && rows[i] == rows[SINO_REDUCE_SOCKET]; /* one socket per node */
        if (rows[i] > 0 && !same)
            sino_log_info(recon->log, "profile",
                          "sums of %s: %" PRId64 " bytes a projection of all slices, of all ranks", level[i],
                          rows[i] * (int64_t)element);
    }
    return NULL;
}

static SinoStatus compute(Recon *recon)
{
    SinoStatus status = NULL;
    const SinoReconstruction reconstruction = {.runtime = recon->runtime,
                                               .settings = recon->settings,
                                               .input = &recon->input,
                                               .op = recon->op,
                                               .solver = recon->solver,
                                               .streaming = &recon->team.forecast.plan.streaming,
                                               .scale = sino_recon_scale(recon->settings),
                                               .volume = recon->volume,
                                               .journal = recon->resume.journal,
                                               .record = &recon->record};
    if (is_first(recon))
        status = sino_insert_checksum(recon->runtime, recon->input.info->file_count, recon->input.info->file_name,
                                      recon->checksum);
    SINO_TRY(sino_processes_agree(recon->processes, status));
    SINO_TRY(sino_processes_agree(recon->processes, sino_reconstruct(&reconstruction)));
    tell_memory(recon);
    return tell_levels(recon);
}

static SinoStatus run(Recon *recon)
{
    const SinoSettings *settings = recon->settings;
    SinoStatus status = NULL;
    SINO_TRY(set_up(recon));
    recon->last = (SinoLastAct){.act = tell_resumable, .of = recon}; /* after what the volume tells */
    sino_ending_add(&recon->last);
    SINO_TRY(open_volume(recon));
    SINO_TRY_OR(status, fail,
                sino_resume_begin(&recon->resume, recon->team.forecast.plan.grid.data_ranks, recon->runtime,
                                  &recon->input, recon->volume, &recon->record));
    SINO_TRY_OR(status, fail, compute(recon));
    SINO_TRY_OR(status, fail, sino_record_join(recon->processes, &recon->record));
    SINO_TRY_OR(status, fail, share_done(recon));
    status = check_repairs(recon);
    if (!status && is_first(recon)) status = tell_iterations(recon);
    if (!status && is_first(recon)) status = write_process(recon);
    SINO_TRY_OR(status, fail, sino_processes_agree(recon->processes, status));
    SINO_TRY(finish(recon));
    if (is_first(recon)) {
        tell_output(recon);
        SINO_TRY(add_safe(write_pictures(recon), volume_is_safe));
    }
    /* The operator is saved last, so that it takes no disk space from the output. */
    recon->op->kind->keep(recon->op, settings->operator_cache);
    return NULL;
fail:
    return abandon(recon, status);
}

SinoStatus sino_recon_volume(const SinoSettings *settings, SinoProcesses *processes, SinoLog *log)
{
    Recon recon = {
        .settings = settings, .log = log, .processes = processes, .solver = sino_solver_find(settings->algorithm)};
    SinoStatus status = run(&recon);
    sino_operator_free(recon.op);
    if (status)
        sino_runtime_abandon(recon.runtime);
    else
        status = add_safe(sino_runtime_stop(recon.runtime), volume_is_safe);
    sino_ending_remove(&recon.last);
    sino_resume_end(&recon.resume, false);
    sino_record_free(&recon.record);
    sino_output_names_free(&recon.names);
    sino_input_close(&recon.input);
    sino_team_free(&recon.team);
    return status;
}
