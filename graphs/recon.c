/* SPDX-License-Identifier: BSD-3-Clause */
/* recon: the volume of a scan. */
#include "recon.h"

#include "memory.h"
#include "operator_cache.h"
#include "platform.h"
#include "version.h"
#include "workflows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Everything that a recon holds while it runs. */
typedef struct Recon {
    const SinoSettings *settings; /* as given, or `chosen` */
    SinoSettings chosen;          /* its texts are those of the settings */
    SinoLog *log;
    const SinoSolver *solver;
    SinoProcesses *processes;
    SinoRuntime *runtime;
    SinoInput input; /* from the exchange on: this process's share of it */
    SinoTeam team;
    SinoMemoryPlan plan;
    SinoOperator *op; /* NULL in an idle process */
    SinoExchange *exchange;
    SinoVolume *volume;
    SinoRecord record;
    SinoOutputNames names;
    SinoVolumeRequest request;
    char checksum[17];
} Recon;

double sino_recon_scale(const SinoSettings *settings)
{
    const double micrometres_per_cm = 1e4;
    const double per_pixel = 1 / (double)settings->binning;
    return settings->pixel_size_um > 0 ? per_pixel * micrometres_per_cm / settings->pixel_size_um : per_pixel;
}

SinoRuntimeRequest sino_recon_runtime_request(const SinoSettings *settings, SinoProcesses *processes, SinoLog *log)
{
    return (SinoRuntimeRequest){.workers = settings->workers,
                                .devices = settings->devices,
                                .scheduler = settings->scheduler,
                                .graph_path = sino_processes_rank(processes) == 0 ? settings->graph : NULL,
                                .profile = settings->profile,
                                .log = log,
                                .processes = processes};
}

static SinoVolumeRequest volume_request(const Recon *recon)
{
    const SinoSettings *settings = recon->settings;
    const int64_t size = recon->input.geometry.grid_size;
    return (SinoVolumeRequest){.hdf5_path = settings->save_format == SINO_SAVE_TIFF ? NULL : settings->out,
                               .tiff_directory =
                                   settings->save_format == SINO_SAVE_HDF5 ? NULL : recon->names.tiff_directory,
                               .overwrite = settings->overwrite,
                               .slice_count = recon->input.slice_count,
                               .height = size,
                               .width = size,
                               .first_row = recon->input.first_row,
                               .row_step = recon->input.binning,
                               .units = settings->pixel_size_um > 0 ? "1/cm" : "1/pixel"};
}

static SinoStatus check_output(const Recon *recon)
{
    SINO_TRY(sino_volume_check(&recon->request));
    SINO_TRY(sino_recon_check_new(recon->settings, recon->settings->graph));
    SINO_TRY(sino_operator_cache_check(recon->settings->operator_cache));
    if (!recon->settings->pictures) return NULL;
    SINO_TRY(sino_recon_check_new(recon->settings, recon->names.tomogram_png));
    return sino_recon_check_new(recon->settings, recon->names.sinogram_png);
}

/* Where the budget is too small for the whole operator. */
static void tell_windows(const Recon *recon)
{
    const SinoMemoryPlan *plan = &recon->plan;
    char whole[24], resident[24];
    if (recon->op->window_count == 0) return;
    sino_log_warning(recon->log, "operator",
                     "the operator of %s is more than the memory for it: %" PRId64 " of its %" PRId64
                     " partitions are in memory at a time (%s), the others are %s when they are needed",
                     sino_bytes_text(recon->op->bytes, whole), recon->op->window_count, plan->partition_count,
                     sino_bytes_text(plan->operator_bytes, resident), recon->op->file ? "read again" : "traced again");
}

static void tell_plan(const Recon *recon)
{
    const SinoMemoryPlan *plan = &recon->plan;
    char total[24], budget[24];
    sino_log_info(recon->log, "plan",
                  "slices: %" PRId64 " in slabs of %" PRId64 " and minibatches of %" PRId64 ", partitions: %" PRId64
                  ", workers: %" PRId64 " (%s), memory: %s of %s",
                  recon->record.slice_count, plan->slab_slices, plan->minibatch, plan->partition_count,
                  sino_runtime_worker_count(recon->runtime), sino_runtime_scheduler(recon->runtime),
                  sino_bytes_text(plan->total_bytes, total), sino_bytes_text(plan->budget_bytes, budget));
}

/* How several processes share the work. */
static void tell_team(const Recon *recon)
{
    const SinoProcessGrid *grid = &recon->team.grid;
    const SinoTopology *topology = &recon->plan.topology;
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

/* Why angles are stored as they are. */
static const char *why_stored(const Recon *recon)
{
    const SinoLayout *layout = &recon->op->layout;
    if (!recon->settings->symmetry) return " (symmetry is off)";
    if (layout->geometry.grid_size % 2 == 1) return " (symmetry needs an even number of columns)";
    return layout->orientations == 1 ? " (no quarter turns or mirror images among them)"
                                     : " (the others are quarter turns or mirror images)";
}

static void tell_operator(const Recon *recon)
{
    const SinoOperator *op = recon->op;
    char bytes[24];
    sino_log_info(recon->log, "operator",
                  "operator%s of %" PRId64 " nonzeros, %s (%.2f bytes per nonzero), %s in %.2f s; %" PRId64
                  " of %" PRId64 " angles stored%s",
                  recon->team.grid.data_ranks > 1 ? " (this rank's share)" : "", op->nonzero_count,
                  sino_bytes_text(op->bytes, bytes),
                  (double)op->bytes / (double)(op->nonzero_count > 0 ? op->nonzero_count : 1),
                  op->file ? "read" : "built", op->build_s, sino_layout_stored_angles(&op->layout),
                  op->layout.geometry.angle_count, why_stored(recon));
    if (op->lists_bytes > 0)
        sino_log_info(recon->log, "operator", "lists of it for devices: %s", sino_bytes_text(op->lists_bytes, bytes));
}

static bool is_first(const Recon *recon)
{
    return sino_processes_rank(recon->processes) == 0;
}

/* What every process can say of the input, and the first one of the output. */
static SinoStatus open_input(Recon *recon)
{
    const SinoSettings *settings = recon->settings;
    SINO_TRY(sino_input_open(settings, recon->log, &recon->input));
    SINO_TRY(sino_output_names_new(settings, recon->input.first_row, recon->input.binning, recon->input.slice_count,
                                   &recon->names));
    recon->request = volume_request(recon);
    return is_first(recon) ? check_output(recon) : NULL;
}

/* The first process looks for the center; cores of different kinds might differ in its last digit. */
static SinoStatus find_center(Recon *recon)
{
    SinoGeometry *geometry = &recon->input.geometry;
    SinoStatus status = is_first(recon) ? sino_center_search(recon->runtime, recon->settings, &recon->input) : NULL;
    SINO_TRY(sino_processes_agree(recon->processes, status));
    return sino_processes_broadcast(recon->processes, (int64_t)sizeof geometry->center, &geometry->center);
}

/* This process's partitions. */
static SinoStatus make_operator(Recon *recon)
{
    const SinoSettings *settings = recon->settings;
    const SinoTopology *topology = &recon->plan.topology;
    const SinoOperatorRequest wanted = {.geometry = recon->input.geometry,
                                        .precision = settings->precision,
                                        .symmetry = settings->symmetry,
                                        .partition_count = recon->plan.partition_count,
                                        .first_partition =
                                            recon->team.shape.data_rank * sino_topology_rank_partitions(topology),
                                        .all_partitions = sino_topology_partitions(topology),
                                        .share = recon->team.partition_share,
                                        .window_count = recon->plan.window_count,
                                        .cache = settings->operator_cache};
    if (recon->team.shape.idle) return NULL;
    SINO_TRY(sino_operator_new(recon->runtime, &wanted, &recon->op));
    tell_operator(recon);
    tell_windows(recon);
    return NULL;
}

static SinoStatus take_share(Recon *recon)
{
    const SinoExchangeShape *shape = &recon->team.shape;
    const int64_t angles = recon->input.geometry.angle_count;
    const int64_t first = sino_exchange_first_angle(angles, shape->data_rank, shape->data_count);
    const int64_t end = sino_exchange_first_angle(angles, shape->data_rank + 1, shape->data_count);
    sino_team_take_slices(&recon->team, &recon->input);
    if (shape->idle) return NULL;
    return sino_input_take_angles(&recon->input, &recon->op->layout, first, end - first);
}

/* Input, plan, center, operator: all that is known before the first slab. */
static SinoStatus set_up(Recon *recon)
{
    const SinoSettings *settings = recon->settings;
    SinoProcesses *processes = recon->processes;
    SinoTeam *team = &recon->team;
    const SinoRuntimeRequest request = sino_recon_runtime_request(settings, processes, recon->log);
    SINO_TRY(sino_processes_agree(processes, open_input(recon)));
    SINO_TRY(sino_runtime_start(&request, &recon->runtime));
    SINO_TRY(sino_team_new(processes, settings, &recon->input, recon->solver, sino_runtime_worker_count(recon->runtime),
                           team));
    recon->chosen = *settings;
    SINO_TRY(sino_team_choose_symmetry(team, recon->runtime, settings, &recon->input, recon->solver,
                                       &recon->chosen.symmetry));
    recon->settings = settings = &recon->chosen;
    SINO_TRY(sino_team_plan(team, recon->runtime, settings, &recon->input, recon->solver, NULL, &recon->plan));
    SINO_TRY(find_center(recon));
    SINO_TRY(sino_processes_agree(processes, make_operator(recon)));
    SINO_TRY(sino_exchange_new(recon->runtime, &team->shape, recon->op, &recon->exchange));
    if (recon->plan.window_count == 0)
        SINO_TRY(sino_team_plan(team, recon->runtime, settings, &recon->input, recon->solver, recon->op, &recon->plan));
    SINO_TRY(sino_processes_agree(processes, sino_record_new(&recon->input,
                                                             recon->solver->iterative ? settings->iterations + 1 : 1,
                                                             settings->pictures, &recon->record)));
    tell_team(recon);
    tell_plan(recon);
    return sino_processes_agree(processes, take_share(recon));
}

/* The first process makes the volume, the others write to it. */
static SinoStatus open_volume(Recon *recon)
{
    SinoStatus status = NULL;
    SinoProcesses *processes = recon->processes;
    const int64_t slices = recon->request.slice_count;
    int64_t *place;
    SINO_TRY(sino_allocate(slices, sizeof *place, "places of slices", &place));
    if (is_first(recon)) {
        status = sino_volume_open(&recon->request, &recon->volume);
        if (!status && sino_processes_count(processes) > 1) status = sino_volume_places(recon->volume, place);
    }
    SINO_TRY_OR(status, end, sino_processes_agree(processes, status));
    SINO_TRY_OR(status, end, sino_processes_broadcast(processes, slices * (int64_t)sizeof *place, place));
    if (!is_first(recon)) status = sino_volume_join(&recon->request, place, &recon->volume);
    status = sino_processes_agree(processes, status);
end:
    free(place);
    return status;
}

static void tell_repairs(const Recon *recon)
{
    int64_t total = 0, slices = 0;
    for (int64_t i = 0; i < recon->record.slice_count; i++) {
        const int64_t count = recon->record.repaired[i];
        total += count;
        slices += count > 0;
        if (count > 0)
            sino_log_info(recon->log, "repair", "row %" PRId64 ": %" PRId64 " undefined values interpolated",
                          recon->request.first_row + i * recon->request.row_step, count);
    }
    if (total > 0)
        sino_log_warning(recon->log, "repair",
                         "%" PRId64 " undefined values in %" PRId64 " of %" PRId64 " slices were interpolated", total,
                         slices, recon->record.slice_count);
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
                      settings->out, recon->input.slice_count, size, size);
    if (settings->save_format != SINO_SAVE_HDF5)
        sino_log_info(recon->log, "output", "volume: %" PRId64 " TIFF files in %s", recon->input.slice_count,
                      recon->names.tiff_directory);
}

/* When only what comes after the volume fails. */
static const char volume_is_safe[] = "the volume is complete";

/* Adds to the error of a failed run what is safe on disk; NULL: not known. Consumes the status. */
static SinoStatus add_safe(SinoStatus status, const char *safe)
{
    if (!status || !safe) return status;
    SinoStatus told =
        sino_error((SinoErrorKind)sino_status_exit_code(status), "%s; %s", sino_status_text(status), safe);
    sino_status_free(status);
    return told;
}

/* What is complete, of all processes, is known to all. */
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

static SinoStatus abandon(Recon *recon, SinoStatus status)
{
    sino_status_free(share_done(recon));
    char *safe = sino_volume_safe(recon->volume);
    sino_volume_abandon(recon->volume);
    recon->volume = NULL;
    if (*sino_status_text(status)) status = add_safe(status, safe);
    free(safe);
    return status;
}

/* The others' parts are on disk before the file gets its name. */
static SinoStatus finish(Recon *recon)
{
    char *safe = sino_volume_safe(recon->volume);
    SinoStatus status = NULL;
    if (!is_first(recon)) {
        status = sino_volume_finish(recon->volume);
        recon->volume = NULL;
    }
    status = sino_processes_agree(recon->processes, status);
    if (is_first(recon)) {
        if (status)
            sino_volume_abandon(recon->volume);
        else
            status = sino_volume_finish(recon->volume);
        recon->volume = NULL;
    }
    if (*sino_status_text(status)) status = add_safe(status, safe);
    free(safe);
    return sino_processes_agree(recon->processes, status);
}

/* What passes each level when one vector of all slices is projected, of all processes together. */
static SinoStatus tell_levels(const Recon *recon)
{
    static const char *const level[] = {"partitions", "sockets", "nodes to others"};
    const double slices = (double)recon->input.slice_count;
    const SinoPrecision solver = sino_precision_solver(recon->settings->precision);
    int64_t rows[SINO_REDUCTIONS] = {0};
    if (!recon->settings->profile) return NULL;
    if (recon->op) sino_exchange_rows(recon->exchange, recon->op, rows);
    for (int i = 0; i < SINO_REDUCTIONS; i++) rows[i] = (int64_t)((double)rows[i] * slices);
    SINO_TRY(sino_processes_sum_integers(recon->processes, SINO_REDUCTIONS, rows));
    for (int i = 0; i < SINO_REDUCTIONS; i++) {
        const bool sent = i == SINO_REDUCE_GLOBAL;
        const size_t element = sino_precision_bytes(sent ? recon->settings->precision : solver);
        const bool same = i == SINO_REDUCE_NODE && rows[i] == rows[SINO_REDUCE_SOCKET]; /* a socket per node */
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
                                               .exchange = recon->exchange,
                                               .solver = recon->solver,
                                               .plan = &recon->plan,
                                               .scale = sino_recon_scale(recon->settings),
                                               .volume = recon->volume,
                                               .record = &recon->record};
    if (is_first(recon)) status = sino_insert_checksum(recon->runtime, recon->settings->file_name, recon->checksum);
    SINO_TRY(sino_processes_agree(recon->processes, status));
    SINO_TRY(sino_processes_agree(recon->processes, sino_reconstruct(&reconstruction)));
    return tell_levels(recon);
}

static SinoStatus run(Recon *recon)
{
    const SinoSettings *settings = recon->settings;
    SinoStatus status = NULL;
    SINO_TRY(set_up(recon));
    SINO_TRY(open_volume(recon));
    SINO_TRY_OR(status, fail, compute(recon));
    SINO_TRY_OR(status, fail, sino_record_join(recon->processes, &recon->record));
    SINO_TRY_OR(status, fail, share_done(recon));
    tell_repairs(recon);
    if (is_first(recon)) status = write_process(recon);
    SINO_TRY_OR(status, fail, sino_processes_agree(recon->processes, status));
    SINO_TRY(finish(recon));
    if (is_first(recon)) {
        tell_output(recon);
        SINO_TRY(add_safe(write_pictures(recon), volume_is_safe));
    }
    /* Last, so that it takes no room on disk from what was asked for. */
    if (recon->op) sino_operator_cache_save(recon->runtime, settings->operator_cache, recon->op);
    return NULL;
fail:
    return abandon(recon, status);
}

static SinoStatus recon_together(const SinoSettings *settings, SinoProcesses *processes, SinoLog *log)
{
    Recon recon = {
        .settings = settings, .log = log, .processes = processes, .solver = sino_solver_find(settings->algorithm)};
    SinoStatus status = run(&recon);
    sino_exchange_free(recon.exchange);
    sino_operator_free(recon.op);
    if (status)
        sino_runtime_abandon(recon.runtime);
    else
        status = add_safe(sino_runtime_stop(recon.runtime), volume_is_safe);
    sino_record_free(&recon.record);
    sino_output_names_free(&recon.names);
    sino_input_close(&recon.input);
    sino_team_free(&recon.team);
    return status;
}

SinoStatus sino_recon(const SinoSettings *settings, SinoLog *log)
{
    SinoProcesses *processes;
    const bool try = settings->reconstruction_type == SINO_RECONSTRUCTION_TRY;
    SINO_TRY(sino_processes_start(&processes));
    if (sino_processes_rank(processes) > 0) sino_log_mute(log);
    SinoStatus status = NULL;
    if (!try)
        status = recon_together(settings, processes, log);
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
