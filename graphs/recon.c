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
    const SinoSettings *settings;
    SinoLog *log;
    const SinoSolver *solver;
    SinoRuntime *runtime;
    SinoInput input;
    SinoMemoryPlan plan;
    SinoOperator *op;
    SinoVolume *volume;
    SinoRecord record;
    SinoOutputNames names;
    char checksum[17];
} Recon;

double sino_recon_scale(const SinoSettings *settings)
{
    const double micrometres_per_cm = 1e4;
    const double per_pixel = 1 / (double)settings->binning;
    return settings->pixel_size_um > 0 ? per_pixel * micrometres_per_cm / settings->pixel_size_um : per_pixel;
}

SinoRuntimeRequest sino_recon_runtime_request(const SinoSettings *settings, SinoLog *log)
{
    return (SinoRuntimeRequest){.workers = settings->workers,
                                .devices = settings->devices,
                                .scheduler = settings->scheduler,
                                .graph_path = settings->graph,
                                .profile = settings->profile,
                                .log = log};
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
    const SinoVolumeRequest request = volume_request(recon);
    SINO_TRY(sino_volume_check(&request));
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
                  recon->input.slice_count, plan->slab_slices, plan->minibatch, plan->partition_count,
                  sino_runtime_worker_count(recon->runtime), sino_runtime_scheduler(recon->runtime),
                  sino_bytes_text(plan->total_bytes, total), sino_bytes_text(plan->budget_bytes, budget));
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
                  "operator of %" PRId64 " nonzeros, %s (%.2f bytes per nonzero), %s in %.2f s; %" PRId64 " of %" PRId64
                  " angles stored%s",
                  op->nonzero_count, sino_bytes_text(op->bytes, bytes),
                  (double)op->bytes / (double)(op->nonzero_count > 0 ? op->nonzero_count : 1),
                  op->file ? "read" : "built", op->build_s, sino_layout_stored_angles(&op->layout),
                  op->layout.geometry.angle_count, why_stored(recon));
    if (op->lists_bytes > 0)
        sino_log_info(recon->log, "operator", "lists of it for devices: %s", sino_bytes_text(op->lists_bytes, bytes));
}

/* Input, plan, center, operator: all that is known before the first slab. */
static SinoStatus set_up(Recon *recon)
{
    const SinoSettings *settings = recon->settings;
    const SinoRuntimeRequest request = sino_recon_runtime_request(settings, recon->log);
    SINO_TRY(sino_input_open(settings, recon->log, &recon->input));
    SINO_TRY(sino_output_names_new(settings, recon->input.first_row, recon->input.binning, recon->input.slice_count,
                                   &recon->names));
    SINO_TRY(check_output(recon));
    SINO_TRY(sino_runtime_start(&request, &recon->runtime));
    const int64_t workers = sino_runtime_worker_count(recon->runtime);
    SinoDeviceRoom room = sino_device_room(recon->runtime, NULL);
    SINO_TRY(sino_memory_plan(settings, &recon->input, recon->solver, workers, 0, &room, &recon->plan));
    SINO_TRY(sino_center_search(recon->runtime, settings, &recon->input));
    const SinoOperatorRequest wanted = {.geometry = recon->input.geometry,
                                        .precision = settings->precision,
                                        .symmetry = settings->symmetry,
                                        .partition_count = recon->plan.partition_count,
                                        .window_count = recon->plan.window_count,
                                        .cache = settings->operator_cache};
    SINO_TRY(sino_operator_new(recon->runtime, &wanted, &recon->op));
    tell_operator(recon);
    tell_windows(recon);
    room = sino_device_room(recon->runtime, recon->op);
    if (recon->op->window_count == 0)
        SINO_TRY(
            sino_memory_plan(settings, &recon->input, recon->solver, workers, recon->op->bytes, &room, &recon->plan));
    tell_plan(recon);
    return NULL;
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
                          recon->input.first_row + i * recon->input.binning, count);
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

static SinoStatus abandon(Recon *recon, SinoStatus status)
{
    char *safe = sino_volume_safe(recon->volume);
    sino_volume_abandon(recon->volume);
    recon->volume = NULL;
    status = add_safe(status, safe);
    free(safe);
    return status;
}

static SinoStatus finish(Recon *recon)
{
    char *safe = sino_volume_safe(recon->volume);
    SinoStatus status = add_safe(sino_volume_finish(recon->volume), safe);
    recon->volume = NULL;
    free(safe);
    return status;
}

static SinoStatus run(Recon *recon)
{
    const SinoSettings *settings = recon->settings;
    SinoStatus status = NULL;
    SINO_TRY(set_up(recon));
    const SinoVolumeRequest request = volume_request(recon);
    const int64_t columns = recon->solver->iterative ? settings->iterations + 1 : 1;
    SINO_TRY(sino_record_new(&recon->input, columns, settings->pictures, &recon->record));
    SINO_TRY(sino_volume_open(&request, &recon->volume));
    SINO_TRY_OR(status, fail, sino_insert_checksum(recon->runtime, settings->file_name, recon->checksum));
    SINO_TRY_OR(status, fail,
                sino_reconstruct(recon->runtime, settings, &recon->input, recon->op, recon->solver, &recon->plan,
                                 sino_recon_scale(settings), recon->volume, &recon->record));
    tell_repairs(recon);
    SINO_TRY_OR(status, fail, write_process(recon));
    SINO_TRY(finish(recon));
    tell_output(recon);
    SINO_TRY(add_safe(write_pictures(recon), volume_is_safe));
    /* Last, so that it takes no room on disk from what was asked for. */
    sino_operator_cache_save(recon->runtime, settings->operator_cache, recon->op);
    return NULL;
fail:
    return abandon(recon, status);
}

SinoStatus sino_recon(const SinoSettings *settings, SinoLog *log)
{
    if (settings->reconstruction_type == SINO_RECONSTRUCTION_TRY) return sino_recon_try(settings, log);
    Recon recon = {.settings = settings, .log = log, .solver = sino_solver_find(settings->algorithm)};
    SinoStatus status = run(&recon);
    sino_operator_free(recon.op);
    if (status)
        sino_runtime_abandon(recon.runtime);
    else
        status = add_safe(sino_runtime_stop(recon.runtime), volume_is_safe);
    sino_record_free(&recon.record);
    sino_output_names_free(&recon.names);
    sino_input_close(&recon.input);
    return status;
}
