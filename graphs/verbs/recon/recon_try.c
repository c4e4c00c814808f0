/* SPDX-License-Identifier: BSD-3-Clause */
/* recon --reconstruction-type try: one slice at a range of centers, or with the values of --sweep, for choosing by eye.
 */
#include "recon_try.h"

#include "memory.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Half width of the range of centers, in detector columns, if the user gives none. */
static const double default_width = 5;

static SinoStatus make_directory(SinoTry *try)
{
    const char *out = try->settings->output.path;
    try->directory_made = mkdir(out, 0777) == 0;
    if (try->directory_made) return NULL;
    SINO_CHECK(errno == EEXIST, SINO_BAD_INPUT, "out: cannot make the folder '%s': %s", out, strerror(errno));
    struct stat about;
    SINO_CHECK(stat(out, &about) == 0 && S_ISDIR(about.st_mode), SINO_BAD_INPUT,
               "out is '%s', which is no folder; trying centers writes a folder of TIFF files", out);
    return NULL;
}

/* The strength of fista, found anew for each value, would hide what the value changes, and take longer than the slice.
 */
static void tell_algorithm(const SinoTry *try)
{
    const SinoSettings *settings = try->settings;
    const bool swept = try->swept.count > 0 && strcmp(try->swept.name, "algorithm") == 0;
    if (!settings->solver.usual_algorithm || settings->solver.algorithm != SINO_ALGORITHM_CG || swept) return;
    sino_log_info(try->log, "algorithm",
                  "slices by cg, which compares values alike; recon takes fista unless --algorithm says otherwise "
                  "(--algorithm fista: here, too; fbp: faster)");
}

/* Calls `use` with every file that will be written. */
static SinoStatus each_file(const SinoTry *try, SinoStatus (*use)(void *with, const char *name), void *with)
{
    char *name, *table;
    for (int64_t i = 0; i < try->swept.count; i++) {
        SINO_TRY(sino_try_file(try, i, &name));
        SinoStatus status = use(with, name);
        free(name);
        if (status) return status;
    }
    SINO_TRY(sino_try_summary_files(try, &name, &table));
    SinoStatus status = use(with, name);
    if (!status) status = use(with, table);
    free(name);
    free(table);
    return status;
}

static SinoStatus refuse_existing(void *settings, const char *name)
{
    return sino_recon_check_new(settings, name);
}

static SinoStatus add_output(void *files, const char *name)
{
    return sino_files_output(files, "a slice", name);
}

/* The inputs, --graph, and the files of the slices differ. */
static SinoStatus check_names(const SinoTry *try)
{
    SinoNamedFiles files = {0};
    SinoStatus status = sino_recon_name_files(try->settings, try->beam == SINO_BEAM_NONE ? NULL : &try->input, &files);
    if (!status) status = each_file(try, add_output, &files);
    if (!status) status = sino_files_check(&files);
    sino_files_free(&files);
    return status;
}

/* Without --sweep: centers around the one that was found. */
static SinoStatus choose_centers(SinoTry *try)
{
    const SinoSettings *settings = try->settings;
    const double last = (double)(try->input.info->column_count - 1), step = settings->center.search_step;
    const double width = settings->center.search_width > 0 ? settings->center.search_width : default_width;
    const double to_side = floor(width / step + 1e-9);
    char text[128];
    const double first = try->center - fmin(to_side, floor(try->center / step + 1e-9)) * step;
    const double end = try->center + fmin(to_side, floor((last - try->center) / step + 1e-9)) * step;
    snprintf(text, sizeof text, "rotation-axis=%.9g:%.9g:%.9g", first, end, step);
    return sino_swept_read(settings, text, &try->swept);
}

static SinoStatus check_centers(const SinoTry *try)
{
    for (int64_t i = 0; i < try->swept.count && try->swept.axis; i++) {
        const double last = (double)(try->input.info->column_count - 1);
        const char *value = try->swept.value[i];
        char *end;
        const double center = strtod(value, &end);
        SINO_CHECK(*end == '\0' && center >= 0 && center <= last, SINO_BAD_INPUT,
                   "--sweep rotation-axis is %s; allowed: columns of the detector, 0 to %g", value, last);
    }
    return NULL;
}

static SinoStatus try_all(SinoTry *try)
{
    SINO_TRY(sino_allocate(try->swept.count, sizeof *try->quality, "slices", &try->quality));
    for (int64_t i = 0; i < try->swept.count; i++) {
        SinoRecord record = {0};
        SinoStatus status = sino_try_slice(try, i, &record);
        if (!status) status = sino_try_write(try, i, &record.sections);
        sino_record_free(&record);
        if (status) return status;
    }
    return sino_try_summary(try);
}

static SinoStatus run(SinoTry *try)
{
    const SinoSettings *settings = try->settings;
    SinoSettings first = *settings; /* the scan is opened as for the first value */
    SINO_TRY(sino_job_check(sino_job_kind(settings), SINO_JOB_TRY));
    SINO_CHECK(settings->center.sweep || try->beam != SINO_BEAM_NONE, SINO_BAD_INPUT,
               "--reconstruction-type try of counts tries no centers; needed: --sweep, such as iterations=5,10,20");
    if (settings->center.sweep) {
        SINO_TRY(sino_swept_read(settings, settings->center.sweep, &try->swept));
        for (int64_t i = try->swept.count - 1; i >= 0; i--) { /* the first value last, which `first` keeps */
            SINO_TRY(sino_swept_take(settings, &try->swept, i, &first));
            SINO_TRY(sino_job_check(sino_job_kind(&first), SINO_JOB_TRY));
        }
        SINO_TRY(each_file(try, refuse_existing, (void *)settings)); /* before the center is searched */
    }
    SINO_TRY(sino_try_open(try, &first));
    if (!settings->center.sweep) {
        SINO_TRY(choose_centers(try));
        SINO_TRY(each_file(try, refuse_existing, (void *)settings));
    }
    SINO_TRY(check_centers(try));
    SINO_TRY(check_names(try));
    SINO_TRY(make_directory(try));
    tell_algorithm(try);
    return try_all(try);
}

SinoStatus sino_recon_try(const SinoSettings *settings, SinoLog *log)
{
    SinoTry try = {.settings = settings, .log = log, .beam = sino_job_kind(settings)->beam};
    SinoStatus status = run(&try);
    sino_operator_free(try.op);
    try.op = NULL;
    if (status)
        sino_runtime_abandon(try.runtime);
    else
        status = sino_runtime_stop(try.runtime);
    if (status && try.directory_made) rmdir(settings->output.path); /* succeeds only if the directory is empty */
    sino_try_close(&try);
    free(try.quality);
    return status;
}
