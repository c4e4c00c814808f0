/* SPDX-License-Identifier: BSD-3-Clause */
/* recon --reconstruction-type try: one slice at a range of centers, for choosing by eye. */
#include "cone_plan.h"
#include "cone_reconstruction.h"
#include "cone_scan.h"
#include "memory.h"
#include "recon.h"
#include "suspicion.h"
#include "tiff_image.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Half width of the range of centers, in detector columns, if the user gives none. */
static const double default_width = 5;

typedef struct Try {
    const SinoSettings *settings;
    SinoLog *log;
    const SinoSolver *solver;
    SinoRuntime *runtime;
    SinoInput input; /* one slice */
    SinoTeam team;   /* a team of this rank alone */
    bool directory_made;
} Try;

static bool is_cone(const Try *try)
{
    return try->settings->geometry == SINO_GEOMETRY_CONE;
}

/* Digits after the point in a center's file name: two, or as many as the step needs to tell centers apart. */
static int digits_of(double step)
{
    const int most = 6;
    int digits = 2;
    double scaled = step * 100;
    while (digits < most && fabs(scaled - round(scaled)) > 1e-6) {
        scaled *= 10;
        digits++;
    }
    return digits;
}

/* The file name of a center, "OUT/recon_00296.50.tiff"; the caller frees it. */
static SinoStatus file_name(const Try *try, double center, char **name)
{
    const int digits = digits_of(try->settings->center_search_step);
    SINO_CHECK(asprintf(name, "%s/recon_%0*.*f.tiff", try->settings->out, digits + 6, digits, center) >= 0, SINO_FAILED,
               "no memory for a file name");
    return NULL;
}

static SinoStatus write_slice(const Try *try, double center, const SinoSections *slice)
{
    char *name = NULL, description[64];
    SINO_TRY(file_name(try, center, &name));
    if (is_cone(try))
        snprintf(description, sizeof description, "rotation center %.9g, plane of the source", center);
    else
        snprintf(description, sizeof description, "rotation center %.9g, row %" PRId64, center, try->input.first_row);
    SinoStatus status = sino_tiff_image_write(name, slice->height, slice->width, slice->xy, description);
    if (!status) sino_log_info(try->log, "output", "center %.9g: %s", center, name);
    free(name);
    return status;
}

static SinoStatus try_center(Try *try, double center)
{
    SinoStatus status = NULL;
    SinoOperator *op = NULL;
    SinoRecord record = {0};
    const int64_t columns = sino_solver_history_columns(try->solver, try->settings);
    const int64_t numbers = sino_solver_history_numbers(try->solver, try->settings);
    const SinoRecordShape shape = sino_record_shape(&try->input.geometry, 1, columns, numbers, true);
    try->input.geometry.center = sino_input_column_of_grid(&try->input, center);
    const SinoOperatorRequest wanted =
        sino_team_operator(&try->team, &try->input.geometry, try->settings->operator_cache);
    SINO_TRY_OR(status, cleanup, sino_record_new(&shape, &record));
    SINO_TRY_OR(status, cleanup, sino_operator_new(try->runtime, &wanted, &op));
    SINO_TRY_OR(status, cleanup, sino_input_take_angles(&try->input, op->place));
    const SinoReconstruction reconstruction = {.runtime = try->runtime,
                                               .settings = try->settings,
                                               .input = &try->input,
                                               .op = op,
                                               .solver = try->solver,
                                               .streaming = &try->team.forecast.plan.streaming,
                                               .scale = sino_recon_scale(try->settings),
                                               .record = &record};
    SINO_TRY_OR(status, cleanup, sino_reconstruct(&reconstruction));
    status = write_slice(try, center, &record.sections);
cleanup:
    sino_operator_free(op);
    sino_record_free(&record);
    return status;
}

/* The cone beam of one slice, in the plane of the source. `center`: a column of the file. */
static SinoStatus cone_of(const Try *try, double center, SinoCone *cone)
{
    SINO_TRY(sino_cone_scan(try->settings, &try->input, sino_input_column_of_grid(&try->input, center), cone));
    cone->z_count = 1;
    return NULL;
}

static SinoStatus plan_cone(const Try *try, const SinoCone *cone, int64_t record_bytes, SinoConePlan *plan)
{
    SinoMachine machine;
    SINO_TRY(sino_machine_new(try->settings, sino_runtime_worker_count(try->runtime), &machine));
    machine.devices = sino_device_room(try->runtime);
    SinoConePlanRequest request = sino_cone_plan_request(try->settings, &try->input, cone, &machine, 1);
    request.grid = (SinoGridShape){0}; /* this rank is alone */
    request.record_bytes = record_bytes;
    return sino_cone_plan_new(&request, plan);
}

static SinoStatus try_cone(Try *try, double center)
{
    SinoCone cone;
    SinoConeArc arc;
    SinoConePlan plan;
    SinoConeTraffic traffic = {0};
    SinoRecord record;
    SINO_TRY(cone_of(try, center, &cone));
    SINO_TRY(sino_cone_arc_new(&cone, &arc));
    const SinoRecordShape shape = sino_cone_record_shape(&cone, 1, 1, true);
    SINO_TRY(plan_cone(try, &cone, sino_record_bytes(&shape), &plan));
    SINO_TRY(sino_record_new(&shape, &record));
    const SinoConeReconstruction reconstruction = {.runtime = try->runtime,
                                                   .settings = try->settings,
                                                   .input = &try->input,
                                                   .cone = &cone,
                                                   .arc = &arc,
                                                   .streaming = &plan.streaming,
                                                   .scale = sino_recon_cone_scale(&cone),
                                                   .record = &record,
                                                   .traffic = &traffic};
    SinoStatus status = sino_cone_reconstruct(&reconstruction);
    if (!status) status = write_slice(try, center, &record.sections);
    sino_record_free(&record);
    return status;
}

/* Restricts the input to the slice of --nsino; a cone beam's slice needs more than one row. */
static SinoStatus choose_slice(Try *try)
{
    int64_t slice;
    if (is_cone(try)) return NULL;
    SINO_TRY(sino_input_slice_of_row(&try->input, try->settings->nsino, &slice));
    sino_input_take_slices(&try->input, slice, 1);
    try->input.first_slice = 0; /* of the slices that are reconstructed */
    return NULL;
}

static SinoStatus make_directory(Try *try)
{
    const char *out = try->settings->out;
    try->directory_made = mkdir(out, 0777) == 0;
    if (try->directory_made) return NULL;
    SINO_CHECK(errno == EEXIST, SINO_BAD_INPUT, "out: cannot make the folder '%s': %s", out, strerror(errno));
    struct stat about;
    SINO_CHECK(stat(out, &about) == 0 && S_ISDIR(about.st_mode), SINO_BAD_INPUT,
               "out is '%s', which is no folder; trying centers writes a folder of TIFF files", out);
    return NULL;
}

/* Refuses to replace slices of an earlier try. */
static SinoStatus check_files(const Try *try, int64_t count, double first, double step)
{
    for (int64_t i = 0; i < count; i++) {
        char *name = NULL;
        SINO_TRY(file_name(try, first + (double)i * step, &name));
        SinoStatus status = sino_recon_check_new(try->settings, name);
        free(name);
        if (status) return status;
    }
    return NULL;
}

/* The inputs, --graph, and the slices of the centers. */
static SinoStatus name_files(const Try *try, int64_t count, double first, double step, SinoNamedFiles *files)
{
    const SinoInputFiles input = {try->input.info->file_count, try->input.info->file_name};
    SINO_TRY(sino_recon_name_files(try->settings, &input, &try->input, files));
    for (int64_t i = 0; i < count; i++) {
        char *name = NULL;
        SINO_TRY(file_name(try, first + (double)i * step, &name));
        SinoStatus status = sino_files_output(files, "a slice", name);
        free(name);
        if (status) return status;
    }
    return NULL;
}

static SinoStatus check_names(const Try *try, int64_t count, double first, double step)
{
    SinoNamedFiles files = {0};
    SinoStatus status = name_files(try, count, first, step, &files);
    if (!status) status = sino_files_check(&files);
    sino_files_free(&files);
    return status;
}

static SinoStatus find_center(Try *try)
{
    SinoCone cone;
    if (!is_cone(try)) return sino_center_search(try->runtime, try->settings, &try->input);
    SINO_TRY(cone_of(try, (double)(try->input.info->column_count - 1) / 2, &cone));
    return sino_cone_center_search(try->runtime, try->settings, &cone, &try->input);
}

static SinoStatus run(Try *try)
{
    const SinoSettings *settings = try->settings;
    SinoStageChoice stages;
    SINO_CHECK(
        !is_cone(try) || settings->algorithm == SINO_ALGORITHM_FDK, SINO_BAD_INPUT,
        "reconstruction-type is try with --geometry cone --algorithm %s, which would reconstruct the whole volume "
        "for each center; allowed: fdk, whose slice shows the same center",
        sino_algorithm_name(settings->algorithm));
    SINO_TRY(sino_input_open(settings, try->log, &try->input));
    SINO_TRY(sino_recon_check_reports(settings));
    SINO_TRY(sino_rays_kind.check(settings->operator_cache));
    SINO_TRY(sino_check_scan(settings, &try->input, try->log, &stages));
    sino_input_choose_stages(settings, stages, &try->input);
    SINO_TRY(sino_recon_start_runtime(settings, NULL, try->log, &try->runtime));
    SINO_TRY(find_center(try));
    SINO_TRY(choose_slice(try));
    if (!is_cone(try)) SINO_TRY(sino_team_new(try->runtime, NULL, settings, &try->input, &try->team));
    const double last = (double)(try->input.info->column_count - 1);
    const double middle = sino_input_column_of_file(&try->input, try->input.geometry.center);
    const double step = settings->center_search_step;
    const double asked = settings->center_search_width, width = asked > 0 ? asked : default_width;
    const int64_t to_side = (int64_t)floor(width / step + 1e-9);
    const double first = middle - (double)to_side * step;
    SINO_TRY(check_names(try, 2 * to_side + 1, first, step));
    SINO_TRY(make_directory(try));
    SINO_TRY(check_files(try, 2 * to_side + 1, first, step));
    for (int64_t i = 0; i <= 2 * to_side; i++) {
        const double center = first + (double)i * step;
        if (center >= 0 && center <= last) SINO_TRY(is_cone(try) ? try_cone(try, center) : try_center(try, center));
    }
    return NULL;
}

SinoStatus sino_recon_try(const SinoSettings *settings, SinoLog *log)
{
    Try try = {.settings = settings, .log = log, .solver = sino_solver_find(settings->algorithm)};
    SinoStatus status = run(&try);
    if (status)
        sino_runtime_abandon(try.runtime);
    else
        status = sino_runtime_stop(try.runtime);
    if (status && try.directory_made) rmdir(settings->out); /* succeeds only if the directory is empty */
    sino_team_free(&try.team);
    sino_input_close(&try.input);
    return status;
}
