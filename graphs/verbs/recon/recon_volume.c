/* SPDX-License-Identifier: BSD-3-Clause */
/* recon --reconstruction-type full: reconstructs the volume of an input, by one rank or several. */
#include "recon_volume.h"

#include "checks.h"
#include "files.h"
#include "files_tasks.h"
#include "input_parts.h"
#include "memory.h"
#include "paths.h"
#include "picture.h"
#include "stages.h"
#include "stream_socket.h"
#include "version.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* NULL: the input is no scan. */
static const SinoInput *scan_of(const SinoRecon *recon)
{
    return recon->input.info ? &recon->input : NULL;
}

/* Completes the request of the volume by its names. */
static void name_output(SinoRecon *recon)
{
    const SinoSettings *settings = recon->settings;
    const SinoSaveFormat format = settings->output.format;
    const bool both = format == SINO_SAVE_BOTH;
    recon->request.codes = (SinoVoxelCodes){settings->output.type, settings->output.range};
    if (settings->memory) {
        recon->request.memory = &settings->memory->volume;
        return;
    }
    recon->request.hdf5_path = both || format == SINO_SAVE_HDF5 ? settings->output.path : NULL;
    recon->request.tiff_directory = both || format == SINO_SAVE_TIFF ? recon->names.tiff_directory : NULL;
    recon->request.stack_path = format == SINO_SAVE_STACK ? settings->output.path : NULL;
    recon->request.zarr_path = format == SINO_SAVE_ZARR ? settings->output.path : NULL;
    recon->request.zstd = settings->output.compression == SINO_COMPRESSION_ZSTD;
    recon->request.overwrite = settings->output.overwrite;
    recon->request.resume = recon->resume.earlier;
    recon->request.deflate = settings->output.compression == SINO_COMPRESSION_DEFLATE;
}

static SinoStatus check_output(const SinoRecon *recon)
{
    const char *live = sino_settings_live_page(&recon->settings->input);
    if (recon->settings->memory) return sino_rays_kind.check(recon->settings->projection.cache);
    SINO_TRY(sino_recon_check_compression(recon));
    SINO_TRY(sino_recon_check_name(&recon->settings->output));
    SINO_TRY(sino_recon_check_files(recon->settings, scan_of(recon), &recon->names, &recon->request));
    SINO_TRY(sino_volume_check(&recon->request));
    SINO_TRY(sino_recon_half_sets_check(recon));
    SINO_TRY(sino_recon_check_new(recon->settings, recon->names.followed));
    SINO_TRY(sino_recon_check_range(recon));
    SINO_TRY(sino_recon_check_reports(recon->settings));
    SINO_TRY(sino_rays_kind.check(recon->settings->projection.cache));
    if (live) SINO_TRY(sino_output_check(live, true));
    for (int i = 0; i < SINO_PICTURES && recon->settings->output.pictures; i++)
        SINO_TRY(sino_recon_check_new(recon->settings, recon->names.picture[i]));
    return recon->names.report ? sino_output_check(recon->names.report, recon->settings->output.overwrite) : NULL;
}

static bool is_first(const SinoRecon *recon)
{
    return sino_processes_rank(recon->processes) == 0;
}

SinoStatus sino_recon_open_input(SinoRecon *recon)
{
    const SinoSettings *settings = recon->settings;
    SINO_TRY(recon->kind->begin(recon));
    const SinoInput *scan = scan_of(recon);
    SINO_TRY(sino_output_names_new(settings, &recon->request, scan, &recon->names));
    name_output(recon);
    return is_first(recon) ? sino_resume_hint(&recon->resume, check_output(recon)) : NULL;
}

/* Rank 0 judges the scan, unless it takes the stages of a whole scan. */
static SinoStatus judge(SinoRecon *recon)
{
    const SinoSettings *settings = recon->settings;
    const bool imagined = !settings->input.file_name && !settings->memory;
    if (recon->whole) recon->stages = recon->whole->stages;
    if (!is_first(recon) || !scan_of(recon) || recon->whole || imagined) return NULL;
    if (settings->memory && settings->memory->of_operator) return NULL;
    if (settings->input.follow)
        sino_log_info(recon->log, "follow",
                      "the scan may still be written: no sample of it chooses stages, and those that settings leave to "
                      "sinodag are off");
    return sino_check_scan(settings, scan_of(recon), recon->log, &recon->stages);
}

SinoStatus sino_recon_judge(SinoRecon *recon)
{
    SINO_TRY(sino_processes_agree(recon->processes, judge(recon)));
    SINO_TRY(sino_processes_broadcast(recon->processes, (int64_t)sizeof recon->stages, &recon->stages));
    return sino_processes_agree(recon->processes,
                                sino_input_choose_stages(&recon->settings->stages, recon->stages, &recon->input));
}

/* Collective. Rank 0 looks for projections without any value, if the algorithm leaves them out. */
static SinoStatus find_dropped(SinoRecon *recon)
{
    SinoInput *input = &recon->input;
    if (!scan_of(recon) || !sino_dropped_matter(recon->settings) || recon->settings->input.follow) return NULL;
    SINO_TRY(sino_processes_agree(recon->processes, is_first(recon) ? sino_dropped_find(recon->runtime, input)
                                                                    : sino_dropped_new(input)));
    return sino_processes_broadcast(recon->processes, input->angle_count * (int64_t)sizeof *input->dropped,
                                    input->dropped);
}

/* Rank 0 finds the center and broadcasts it, and the size of slices that follows from it, because cores of different
 * kinds might differ in its last digit. */
static SinoStatus find_center(SinoRecon *recon)
{
    SinoGeometry *geometry = &recon->input.geometry;
    const double earlier = sino_resume_center(&recon->resume);
    if (!recon->kind->find_center) return NULL;
    if (isnan(recon->settings->center.rotation_axis) && !isnan(earlier)) {
        geometry->center = earlier;
        sino_log_info(recon->log, "center", "rotation center: column %.2f (of the unfinished run)",
                      sino_input_column_of_file(&recon->input, earlier));
        return NULL;
    }
    SinoStatus status = is_first(recon) ? recon->kind->find_center(recon) : NULL;
    SINO_TRY(sino_processes_agree(recon->processes, status));
    SINO_TRY(sino_processes_broadcast(recon->processes, (int64_t)sizeof geometry->center, &geometry->center));
    return sino_processes_broadcast(recon->processes, (int64_t)sizeof geometry->grid_size, &geometry->grid_size);
}

/* Those of a file, whatever its name. */
static void print_shifts(const SinoInput *input, FILE *out)
{
    char digits[17];
    if (!input->shift) return;
    sino_checksum_bytes(input->shift, (size_t)input->geometry.angle_count * sizeof *input->shift, digits);
    fprintf(out, "shifts read: %s\n", digits);
}

static SinoStatus identify(SinoRecon *recon)
{
    char *plan = NULL;
    size_t size;
    if (recon->settings->memory || recon->settings->input.follow) return NULL; /* nothing goes on with it */
    FILE *out = open_memstream(&plan, &size);
    if (out) {
        recon->kind->print_plan(recon, out);
        if (scan_of(recon)) {
            fprintf(out, "center: %.17g\n", recon->input.geometry.center);
            fprintf(out, "side: %" PRId64 "\n", sino_geometry_slice_side(&recon->input.geometry));
            fprintf(out, "beyond each side: %" PRId64 "\n", recon->input.geometry.margin);
            print_shifts(&recon->input, out);
        }
        fprintf(out, "lowest: %.17g\nhighest: %.17g\n", recon->request.codes.range.low,
                recon->request.codes.range.high);
    }
    SinoStatus status = out && fclose(out) == 0
                            ? sino_resume_identify(&recon->resume, recon->settings, scan_of(recon), plan)
                            : sino_error(SINO_FAILED, "no memory for the plan of the run");
    free(plan);
    return status;
}

SinoStatus sino_recon_divide(SinoRecon *recon)
{
    const SinoSettings *settings = recon->settings;
    SINO_TRY(find_dropped(recon));
    SINO_TRY(sino_processes_agree(recon->processes, sino_recon_limit_stages(recon)));
    SINO_TRY(sino_processes_agree(recon->processes, sino_recon_align(recon)));
    SINO_TRY(recon->kind->plan(recon));
    const int64_t side = recon->input.geometry.grid_size;
    sino_recon_mark(recon, "the work is divided");
    SINO_TRY(find_center(recon));
    if (isnan(settings->center.rotation_axis) && recon->kind->find_center)
        sino_recon_mark(recon, "the rotation center is found");
    const bool by_center = recon->job->beam == SINO_BEAM_CONE || sino_input_is_half(&recon->input);
    if (recon->input.geometry.grid_size != side || by_center) SINO_TRY(recon->kind->plan(recon));
    SINO_TRY(sino_recon_keep_integrals(recon));
    return sino_recon_find_range(recon);
}

SinoStatus sino_recon_build(SinoRecon *recon)
{
    const SinoRecordShape shape = recon->kind->record(recon);
    SINO_TRY(sino_processes_agree(recon->processes, sino_record_new(&shape, &recon->record)));
    SINO_TRY(recon->kind->build(recon));
    sino_recon_mark(recon, "the operator is built");
    return NULL;
}

SinoStatus sino_recon_choose(SinoRecon *recon)
{
    if (recon->kind->choose) SINO_TRY(recon->kind->choose(recon));
    return sino_processes_agree(recon->processes, recon->kind->share ? recon->kind->share(recon) : NULL);
}

/* Input, plan, center and operator: everything before the first slab. */
static SinoStatus set_up(SinoRecon *recon)
{
    const SinoSettings *settings = recon->settings;
    SinoProcesses *processes = recon->processes;
    if (sino_recon_keeps_journals(recon))
        SINO_TRY(sino_resume_open(&settings->output, processes, recon->log, &recon->resume));
    SINO_TRY(sino_processes_agree(processes, sino_recon_open_input(recon)));
    SINO_TRY(sino_recon_judge(recon));
    SINO_TRY(sino_input_check_same(processes, settings, scan_of(recon), recon->log));
    sino_recon_mark(recon, "the input is opened and judged by a sample");
    if (!recon->runs_in) SINO_TRY(sino_recon_start_runtime(settings, processes, recon->log, &recon->runtime));
    sino_recon_mark(recon, "StarPU starts");
    SINO_TRY(sino_recon_divide(recon));
    SINO_TRY(sino_processes_agree(processes, identify(recon)));
    SINO_TRY(sino_recon_build(recon));
    return sino_recon_choose(recon);
}

/* Rank 0 creates the volume; the other ranks open it. */
static SinoStatus open_volume(SinoRecon *recon)
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

/* Takes over the slices of the resumed run, and opens the journals. */
static SinoStatus begin_resume(SinoRecon *recon)
{
    if (!sino_recon_keeps_journals(recon)) return NULL;
    const SinoRestored restored = recon->kind->restored(recon);
    return sino_resume_begin(&recon->resume, &restored, recon->runtime, recon->volume, &recon->record);
}

/* Rank 0 tells of undefined values, and refuses too many of them. */
static SinoStatus check_repairs(const SinoRecon *recon)
{
    if (!is_first(recon) || !scan_of(recon)) return NULL;
    sino_repairs_tell(recon->log, &recon->input, &recon->record, recon->kind->facts(recon).weighs_rays);
    return sino_repairs_check(&recon->record, recon->settings->input.max_repaired);
}

static SinoStatus write_center(SinoRecon *recon)
{
    if (!recon->kind->find_center) return NULL;
    const double center = sino_input_column_of_file(&recon->input, recon->input.geometry.center);
    SINO_TRY(sino_volume_process_doubles(recon->volume, "center", 0, 0, &center,
                                         "rotation center, column of the input; 0 is the centre of column 0"));
    if (recon->input.center_rows == 0) return NULL;
    SINO_TRY(sino_volume_process_integers(recon->volume, "center_rows", 0, &recon->input.center_rows,
                                          "detector rows by which the center was found"));
    return sino_volume_process_doubles(recon->volume, "center_uncertainty", 0, 0, &recon->input.center_uncertainty,
                                       "how far the true center may be off, columns of the input");
}

static SinoStatus write_process(SinoRecon *recon)
{
    const SinoSettings *settings = recon->settings;
    SinoVolume *volume = recon->volume;
    char *text = NULL;
    SINO_TRY(sino_settings_text(settings, SINO_VERB_RECON, &text));
    SinoStatus status = sino_volume_process_text(volume, "settings", text);
    free(text);
    if (status) return status;
    SINO_TRY(sino_volume_process_text(volume, "version", sino_version_text()));
    SINO_TRY(sino_volume_process_text(volume, "input", settings->input.file_name));
    if (*recon->checksum) SINO_TRY(sino_volume_process_text(volume, "input_xxh3", recon->checksum));
    SINO_TRY(sino_volume_process_text(volume, "algorithm", sino_algorithm_name(settings->solver.algorithm)));
    SINO_TRY(sino_volume_process_text(volume, "precision", sino_precision_name(settings->projection.precision)));
    SINO_TRY(write_center(recon));
    SINO_TRY(sino_recon_write_shifts(recon));
    SINO_TRY(sino_recon_write_range(recon));
    SINO_TRY(sino_recon_half_sets_write(recon));
    return recon->kind->write_process(recon);
}

typedef struct Picture {
    SinoPicture which;
    int64_t height, width;
    const float *pixels; /* NULL: there is none */
} Picture;

/* A slice, and largest values along z, are black beyond the circle that rays of all angles cross. */
static SinoStatus write_picture(const SinoRecon *recon, const Picture *picture, const char *name)
{
    const bool slice = picture->which == SINO_PICTURE_XY || picture->which == SINO_PICTURE_MAXIMUM;
    float *masked = NULL;
    if (slice) SINO_TRY(sino_recon_mask(recon, picture->pixels, &masked));
    SinoStatus status =
        sino_picture_write(name, picture->height, picture->width, slice ? masked : picture->pixels, 0, 0);
    free(masked);
    return status;
}

/* Writes the pictures that there are, and names them in one line. */
static SinoStatus write_pictures(const SinoRecon *recon)
{
    const SinoRecord *record = &recon->record;
    const SinoSections *sections = &record->sections;
    const Picture picture[SINO_PICTURES] = {
        {SINO_PICTURE_XY, sections->height, sections->width, sections->xy},
        {SINO_PICTURE_XZ, sections->slice_count, sections->width, sections->xz},
        {SINO_PICTURE_YZ, sections->slice_count, sections->height, sections->yz},
        {SINO_PICTURE_MAXIMUM, sections->height, sections->width, sections->maximum},
        {SINO_PICTURE_SINOGRAM, record->angle_count, record->column_count, record->sinogram}};
    const char *name[SINO_PICTURES] = {"", "", "", "", ""};
    if (!recon->settings->output.pictures) return NULL;
    for (int i = 0; i < SINO_PICTURES; i++) {
        const bool plane = picture[i].which == SINO_PICTURE_XZ || picture[i].which == SINO_PICTURE_YZ;
        if (!picture[i].pixels || (plane && !recon->kind->planes)) continue;
        name[i] = recon->names.picture[picture[i].which];
        SINO_TRY(write_picture(recon, &picture[i], name[i]));
    }
    sino_log_info(recon->log, "output", "pictures: %s%s%s%s%s%s%s%s%s", name[0], *name[1] ? ", " : "", name[1],
                  *name[2] ? ", " : "", name[2], *name[3] ? ", " : "", name[3], *name[4] ? ", " : "", name[4]);
    return NULL;
}

/* For a failure after the volume is complete. */
static const char volume_is_safe[] = "the volume is complete";

static void tell_complete(void *of, FILE *clause)
{
    (void)of;
    fputs(volume_is_safe, clause);
}

SinoStatus sino_recon_add_safe(SinoStatus status, const char *safe)
{
    if (!status || !safe) return status;
    SinoStatus told =
        sino_error((SinoErrorKind)sino_status_exit_code(status), "%s; %s", sino_status_text(status), safe);
    sino_status_free(status);
    return told;
}

/* Collective. Joins the numbers of complete slices, so that all ranks know them. */
static SinoStatus share_done(SinoRecon *recon)
{
    const int64_t count = SINO_VOLUME_MARKS * recon->request.slice_count;
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

static int64_t done_count(const SinoRecon *recon)
{
    int64_t count = 0;
    for (int64_t i = 0; i < recon->request.slice_count; i++) count += sino_volume_is_done(recon->volume, i, 1);
    return count;
}

static void print_resumable(int64_t done, const SinoRecon *recon, FILE *out)
{
    fprintf(out, "--resume goes on from %" PRId64 " of %" PRId64 " slices", done, recon->request.slice_count);
}

/* A last act. Rank 0 knows how many slices it has stored itself, not how many the other ranks have. */
static void tell_resumable(void *of, FILE *clause)
{
    const SinoRecon *recon = of;
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
static SinoStatus add_kept(const SinoRecon *recon, SinoStatus status, int64_t done, char *safe)
{
    char *text = NULL;
    size_t size;
    FILE *out = done >= 0 && *sino_status_text(status) ? open_memstream(&text, &size) : NULL;
    if (out) {
        if (safe) fprintf(out, "%s; ", safe);
        print_resumable(done, recon, out);
        (void)fclose(out);
    }
    if (*sino_status_text(status)) status = sino_recon_add_safe(status, text ? text : safe);
    free(text);
    free(safe);
    return status;
}

/* Ends a failed run. What has been stored is left for --resume, unless the input of a new run is at fault. */
static SinoStatus abandon(SinoRecon *recon, SinoStatus status)
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
static SinoStatus finish(SinoRecon *recon)
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
        if (!status) status = sino_recon_make_levels(recon);
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

/* With --profile: logs the most data that existed at a time. */
static void tell_memory(const SinoRecon *recon)
{
    char most[24], planned[24];
    if (!recon->settings->runtime.profile) return;
    sino_log_info(recon->log, "profile", "data: %s at most, %s planned",
                  sino_bytes_text(sino_data_most_bytes(recon->runtime), most),
                  sino_bytes_text(recon->kind->facts(recon).data_bytes, planned));
}

static SinoStatus compute(SinoRecon *recon)
{
    SinoStatus status = NULL;
    if (is_first(recon) && !recon->settings->memory && !recon->whole && !recon->settings->input.follow)
        status = sino_insert_checksum(recon->runtime, recon->files.count, recon->files.name, 0, recon->checksum);
    SINO_TRY(sino_processes_agree(recon->processes, status));
    SINO_TRY(sino_processes_agree(recon->processes, recon->kind->compute(recon)));
    if (is_first(recon) && scan_of(recon)) sino_input_follow_checksum(&recon->input, recon->checksum);
    tell_memory(recon);
    return recon->kind->report ? recon->kind->report(recon) : NULL;
}

/* Collective. A run that takes the choices of this one. If it fails, the whole volume is left for --resume. */
static SinoStatus run_half(SinoRecon *recon, int half)
{
    const SinoSettings settings = sino_recon_half_sets_settings(recon, half);
    SinoRecon own = sino_recon_half_sets_run(recon, &settings);
    memcpy(own.checksum, recon->checksum, sizeof own.checksum);
    bool done;
    SINO_TRY(sino_recon_half_sets_done(recon, half, &done));
    SinoStatus status = done ? NULL : sino_recon_run(&own);
    if (!*sino_status_text(status)) return status;
    SinoStatus told = sino_error(SINO_FAILED, "--halves: %s", sino_status_text(status));
    sino_status_free(status);
    return told;
}

/* Collective. With --halves: reconstructs the volumes of both, and compares them. */
static SinoStatus run_halves(SinoRecon *recon)
{
    if (!recon->settings->output.halves) return NULL;
    sino_recon_half_sets_rest(recon);
    for (int h = 0; h < SINO_OUTPUT_HALVES; h++) SINO_TRY(run_half(recon, h));
    SINO_TRY(sino_processes_agree(recon->processes, is_first(recon) ? sino_recon_half_sets_compare(recon) : NULL));
    sino_recon_mark(recon, "both halves of the projections are reconstructed");
    return NULL;
}

/* With a page that is to show the volume as it grows: writes the first one. A run that goes on has the page. */
static SinoStatus begin_live(SinoRecon *recon)
{
    const SinoLiveRequest request = {.path = sino_settings_live_page(&recon->settings->input),
                                     .title = (recon->then ? recon->then : recon->settings)->output.path,
                                     .units = recon->request.units,
                                     .algorithm = sino_algorithm_name(recon->settings->solver.algorithm),
                                     .input = &recon->input,
                                     .x_count = recon->request.width,
                                     .y_count = recon->request.height,
                                     .z_count = recon->request.slice_count,
                                     .parallel = recon->job->beam == SINO_BEAM_PARALLEL};
    if (recon->live) sino_live_go_on(recon->live, &request);
    return request.path ? sino_live_new(&request, &recon->live) : NULL;
}

/* Writes the page of the end, unless another run goes on. A run does not fail because of it. */
static void end_live(SinoRecon *recon, SinoStatus status)
{
    if (recon->then && !status) return sino_live_leave(recon->live, sino_algorithm_name(recon->then->solver.algorithm));
    SinoStatus written = sino_live_end(recon->live, status);
    if (written) sino_log_warning(recon->log, "follow", "%s", sino_status_text(written));
    sino_status_free(written);
    recon->live = NULL;
}

static SinoStatus run(SinoRecon *recon)
{
    SinoStatus status = NULL;
    SINO_TRY(set_up(recon));
    SINO_TRY(begin_live(recon));
    recon->last = (SinoLastAct){.act = tell_resumable, .of = recon}; /* after what the volume tells */
    sino_ending_add(&recon->last);
    SINO_TRY(open_volume(recon));
    SINO_TRY_OR(status, fail, begin_resume(recon));
    SINO_TRY_OR(status, fail, compute(recon));
    sino_recon_mark(recon, "slices are read, corrected, reconstructed and stored");
    SINO_TRY_OR(status, fail, sino_record_join(recon->processes, &recon->record));
    SINO_TRY_OR(status, fail, share_done(recon));
    SINO_TRY_OR(status, fail, sino_processes_agree(recon->processes, check_repairs(recon)));
    SINO_TRY_OR(status, fail, run_halves(recon));
    if (is_first(recon)) status = write_process(recon);
    SINO_TRY_OR(status, fail, sino_processes_agree(recon->processes, status));
    SINO_TRY(finish(recon));
    sino_recon_mark(recon, "the volume is completed on disk");
    SINO_TRY(sino_recon_measure_end(recon));
    if (is_first(recon)) {
        sino_recon_tell_output(recon);
        if (scan_of(recon) && !recon->settings->memory) sino_input_tell_arrival(&recon->input, recon->log);
        sino_runtime_pause(recon->runtime);
        status = write_pictures(recon);
        sino_recon_mark(recon, "pictures are written");
        if (!status) status = sino_recon_report(recon);
        sino_runtime_resume(recon->runtime);
        SINO_TRY(sino_recon_add_safe(status, volume_is_safe));
    }
    if (recon->kind->keep) recon->kind->keep(recon);
    return NULL;
fail:
    return abandon(recon, status);
}

const SinoReconKind *const sino_recon_kinds[SINO_JOBS] = {[SINO_JOB_SCAN] = &sino_recon_parallel,
                                                          [SINO_JOB_FDK] = &sino_recon_cone,
                                                          [SINO_JOB_VOLUME] = &sino_recon_cone_solution,
                                                          [SINO_JOB_VECTORS] = &sino_recon_vectors,
                                                          [SINO_JOB_COUNTS] = &sino_recon_matrix};

/* Stops the runtime of the run, or waits for the tasks of a failed one. */
static SinoStatus stop_runtime(SinoRecon *recon, SinoStatus status)
{
    if (recon->runs_in) return sino_runtime_wait_after(recon->runtime, status);
    if (!status) return sino_recon_add_safe(sino_runtime_stop(recon->runtime), volume_is_safe);
    sino_runtime_abandon(recon->runtime);
    return status;
}

SinoStatus sino_recon_run(SinoRecon *recon)
{
    sino_recon_measure_begin(recon);
    SinoStatus status = run(recon);
    end_live(recon, status);
    recon->kind->release(recon);
    status = stop_runtime(recon, status);
    sino_ending_remove(&recon->last);
    sino_resume_end(&recon->resume, false);
    sino_record_free(&recon->record);
    sino_output_names_free(&recon->names);
    sino_integrals_free(recon->integrals);
    sino_input_close(&recon->input);
    return status;
}

SinoStatus sino_recon_check_follow(const SinoRecon *recon)
{
    const int64_t ranks = sino_processes_count(recon->processes);
    const char *page = sino_settings_live_page(&recon->settings->input);
    if (!recon->settings->input.follow) return NULL;
    SINO_TRY(sino_job_check(recon->job, SINO_JOB_FOLLOW));
    SINO_CHECK(ranks == 1 || !page, SINO_BAD_INPUT,
               "--follow=%s is given in %" PRId64 " processes; allowed: a page in one, or --follow", page, ranks);
    const char *scan = recon->settings->input.file_name;
    const bool goes_on = sino_recon_goes_on(recon->settings), stream = sino_stream_named(scan);
    SINO_CHECK(
        !stream || !goes_on, SINO_BAD_INPUT,
        "%s can be read once, and --algorithm %s reads the scan again; allowed: --algorithm fbp or fdk, or a file",
        scan, sino_algorithm_name(recon->settings->solver.algorithm));
    SINO_CHECK(!stream || ranks == 1, SINO_BAD_INPUT,
               "%s can be read once, and there are %" PRId64 " processes; allowed: one process, or a file", scan,
               ranks);
    return goes_on ? NULL : sino_input_check_follow(recon->settings);
}

SinoStatus sino_recon_check_settings(const SinoRecon *recon)
{
    SINO_TRY(sino_processes_agree(recon->processes, sino_recon_check_follow(recon)));
    SINO_TRY(sino_processes_agree(recon->processes, recon->kind->try_input(recon->settings)));
    sino_log_keep(recon->log);
    return NULL;
}

SinoRecon sino_recon_begun(const SinoSettings *settings, SinoRuntime *runtime, SinoProcesses *processes, SinoLog *log)
{
    const SinoJobKind *job = sino_job_kind(settings);
    return (SinoRecon){.job = job,
                       .kind = sino_recon_kinds[job->job],
                       .settings = settings,
                       .log = log,
                       .processes = processes,
                       .runtime = runtime,
                       .runs_in = runtime};
}

SinoStatus sino_recon_volume(const SinoSettings *settings, SinoProcesses *processes, SinoLog *log)
{
    SinoRecon recon = sino_recon_begun(settings, NULL, processes, log);
    SINO_TRY(sino_recon_check_settings(&recon));
    return sino_recon_run(&recon);
}

SinoStatus sino_recon_in(SinoRuntime *runtime, const SinoSettings *settings)
{
    SinoRecon recon = sino_recon_begun(settings, runtime, NULL, sino_runtime_log(runtime));
    return sino_recon_run(&recon);
}
