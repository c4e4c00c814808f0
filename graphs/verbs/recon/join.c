/* SPDX-License-Identifier: BSD-3-Clause */
/* join: volumes of runs with --start-row and --end-row become one volume, whose file is whole or absent. */
#include "memory.h"
#include "paths.h"
#include "recon_volume.h"
#include "settings_table.h"
#include "volume.h"
#include "volume_input.h"
#include "volume_part.h"
#include "workflows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Part {
    const char *name; /* not owned */
    SinoVolumePart about;
    int64_t slice_count, height, width;
} Part;

typedef struct Join {
    const SinoSettings *settings;
    SinoLog *log;
    SinoFileList files;
    Part *part; /* [files.count], by their rows; owned */
    int64_t slice_count;
} Join;

static const char *const endings[] = {".h5", ".hdf5", NULL};

static SinoStatus read_part(const char *name, Part *part)
{
    static const SinoVolumeShape none = {0};
    SinoVolumeInput *input = NULL;
    SINO_TRY(sino_volume_input_try(name, &none));
    SINO_TRY(sino_volume_part_read(name, &part->about));
    SINO_TRY(sino_volume_input_open(name, &none, &input));
    const SinoVolumeInputInfo *info = sino_volume_input_info(input);
    part->name = name;
    part->slice_count = info->slice_count;
    part->height = info->height;
    part->width = info->width;
    sino_volume_input_close(input);
    return NULL;
}

static int by_row(const void *a, const void *b)
{
    const int64_t first = ((const Part *)a)->about.first_row, second = ((const Part *)b)->about.first_row;
    return first < second ? -1 : first > second;
}

static int64_t end_row(const Part *part)
{
    return part->about.first_row + part->slice_count * part->about.row_step;
}

/* Whether a line of the settings decides about voxels, whichever rows they are of. */
static bool matters(const char *line, size_t length)
{
    const SinoSetting *row = sino_setting_find(SINO_VERB_RECON, line, length);
    static const char *const rows[] = {"start-row", "end-row"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strlen(rows[i]) == length && strncmp(rows[i], line, length) == 0) return false;
    return row && !row->may_change && !row->per_rank;
}

static bool has_line(const char *text, const char *wanted, size_t length)
{
    for (const char *line = text; *line;) {
        const size_t end = strcspn(line, "\n");
        if (end == length && strncmp(line, wanted, length) == 0) return true;
        line += end + (line[end] == '\n');
    }
    return false;
}

/* The error for the first setting of a that b has not. */
static SinoStatus compare_settings(const Part *a, const Part *b)
{
    for (const char *line = a->about.settings; *line;) {
        const size_t end = strcspn(line, "\n");
        SINO_CHECK(!matters(line, strcspn(line, ":\n")) || has_line(b->about.settings, line, end), SINO_BAD_INPUT,
                   "%s was made with %.*s, and %s was not; allowed: volumes with equal settings", a->name,
                   (int)sino_smaller((int64_t)end, 200), line, b->name);
        line += end + (line[end] == '\n');
    }
    return NULL;
}

static SinoStatus check_pair(const Part *a, const Part *b)
{
    const bool same_scan = a->about.input && b->about.input && strcmp(a->about.input, b->about.input) == 0;
    SINO_CHECK(same_scan, SINO_BAD_INPUT, "%s and %s are of different scans; allowed: parts of one", a->name, b->name);
    SINO_TRY(compare_settings(a, b));
    SINO_TRY(compare_settings(b, a));
    SINO_CHECK(a->height == b->height && a->width == b->width, SINO_BAD_INPUT,
               "%s has slices of %" PRId64 " x %" PRId64 " voxels, and %s of %" PRId64 " x %" PRId64
               "; allowed: equal sizes",
               a->name, a->width, a->height, b->name, b->width, b->height);
    const SinoVoxelCodes *first = &a->about.codes, *second = &b->about.codes;
    SINO_CHECK(first->type == second->type && first->range.low == second->range.low &&
                   first->range.high == second->range.high,
               SINO_BAD_INPUT,
               "the integers of %s stand for %g to %g, and those of %s for %g to %g; allowed: one --output-range",
               a->name, first->range.low, first->range.high, b->name, second->range.low, second->range.high);
    SINO_CHECK(end_row(a) == b->about.first_row, SINO_BAD_INPUT,
               "%s ends before row %" PRId64 ", and %s begins with row %" PRId64 "; allowed: parts without gaps and "
               "without rows in common",
               a->name, end_row(a), b->name, b->about.first_row);
    return NULL;
}

/* What each run has found for itself shows as a step between two parts. */
static void warn_of_steps(const Join *join, const Part *a, const Part *b)
{
    if (fabs(a->about.center - b->about.center) > 0.1)
        sino_log_warning(join->log, "center",
                         "the center of %s is %.2f, and that of %s %.2f (--rotation-axis gives all parts one)", a->name,
                         a->about.center, b->name, b->about.center);
    if (fabs(a->about.strength - b->about.strength) > 0.1 * fabs(a->about.strength))
        sino_log_warning(join->log, "regularization",
                         "the strength of the prior is %.3g in %s, and %.3g in %s (--regularization gives all parts "
                         "one)",
                         a->about.strength, a->name, b->about.strength, b->name);
}

static SinoStatus list_files(const SinoInputSettings *settings, SinoFileList *files)
{
    const int64_t more = settings->more_files.count;
    const char **named = NULL;
    SINO_TRY(sino_allocate(more + 1, sizeof *named, "file names", &named));
    named[0] = settings->file_name;
    for (int64_t i = 0; i < more; i++) named[i + 1] = settings->more_files.name[i];
    SinoStatus status = sino_file_list_new(more + 1, named, endings, files);
    free(named);
    return status;
}

static SinoStatus read_parts(Join *join)
{
    SINO_TRY(list_files(&join->settings->input, &join->files));
    SINO_TRY(sino_allocate(join->files.count, sizeof *join->part, "parts", &join->part));
    for (int64_t i = 0; i < join->files.count; i++) SINO_TRY(read_part(join->files.name[i], &join->part[i]));
    qsort(join->part, (size_t)join->files.count, sizeof *join->part, by_row);
    for (int64_t i = 1; i < join->files.count; i++) {
        SINO_TRY(check_pair(&join->part[i - 1], &join->part[i]));
        warn_of_steps(join, &join->part[i - 1], &join->part[i]);
    }
    for (int64_t i = 0; i < join->files.count; i++) join->slice_count += join->part[i].slice_count;
    return NULL;
}

static SinoStatus copy_part(const Part *part, int64_t first, float *slice, SinoVolume *volume)
{
    static const SinoVolumeShape none = {0};
    SinoVolumeInput *input = NULL;
    SINO_TRY(sino_volume_input_open(part->name, &none, &input));
    SinoStatus status = NULL;
    for (int64_t i = 0; i < part->slice_count && !status; i++) {
        status = sino_volume_input_read(input, i, slice);
        if (!status) status = sino_volume_write(volume, first + i, 1, slice);
    }
    sino_volume_input_close(input);
    return status;
}

static SinoStatus describe(const Join *join, SinoVolume *volume)
{
    const int64_t count = join->files.count;
    for (int64_t i = 0; i < count; i++) {
        char name[40];
        snprintf(name, sizeof name, "parts/%" PRId64, i);
        SINO_TRY(sino_volume_process_text(volume, name, join->part[i].name));
    }
    SINO_TRY(sino_volume_process_text(volume, "settings", join->part[0].about.settings));
    if (join->part[0].about.codes.type != SINO_OUTPUT_FLOAT32) {
        const double range[] = {join->part[0].about.codes.range.low, join->part[0].about.codes.range.high};
        SINO_TRY(sino_volume_process_doubles(volume, "output_range", 2, 0, range, "what codes stand for"));
    }
    return sino_volume_process_text(volume, "input_xxh3", join->part[0].about.input);
}

static void name_output(const SinoOutputSettings *settings, SinoVolumeRequest *request)
{
    const SinoSaveFormat format = settings->format;
    request->hdf5_path = format == SINO_SAVE_HDF5 ? settings->path : NULL;
    request->tiff_directory = format == SINO_SAVE_TIFF ? settings->path : NULL;
    request->stack_path = format == SINO_SAVE_STACK ? settings->path : NULL;
    request->zarr_path = format == SINO_SAVE_ZARR ? settings->path : NULL;
}

static SinoStatus write_all(const Join *join)
{
    const Part *first = &join->part[0];
    SinoVolumeRequest request = {.overwrite = join->settings->output.overwrite,
                                 .slice_count = join->slice_count,
                                 .height = first->height,
                                 .width = first->width,
                                 .first_row = first->about.first_row,
                                 .row_step = first->about.row_step,
                                 .units = first->about.units,
                                 .codes = first->about.codes};
    SinoVolume *volume = NULL;
    float *slice = NULL;
    int64_t done = 0, voxels;
    name_output(&join->settings->output, &request);
    SINO_TRY(sino_multiply(first->height, first->width, "a slice", &voxels));
    SINO_TRY(sino_volume_open(&request, &volume));
    SinoStatus status = sino_allocate(voxels, sizeof *slice, "a slice", &slice);
    for (int64_t i = 0; i < join->files.count && !status; i++) {
        status = copy_part(&join->part[i], done, slice, volume);
        done += join->part[i].slice_count;
    }
    if (!status) status = describe(join, volume);
    free(slice);
    if (!status) return sino_volume_finish(volume);
    sino_volume_abandon(volume);
    return status;
}

SinoStatus sino_join(const SinoSettings *settings, SinoLog *log)
{
    static const char *const formats[] = {[SINO_SAVE_HDF5] = "/exchange/data",
                                          [SINO_SAVE_TIFF] = "TIFF files",
                                          [SINO_SAVE_STACK] = "TIFF",
                                          [SINO_SAVE_ZARR] = "OME-Zarr"};
    Join join = {.settings = settings, .log = log};
    SINO_CHECK(settings->output.format != SINO_SAVE_BOTH, SINO_BAD_INPUT,
               "--save-format is 'both'; allowed with join: hdf5, tiff, tiff-stack or zarr");
    SINO_TRY(sino_recon_check_name(&settings->output));
    SinoStatus status = read_parts(&join);
    if (!status) status = write_all(&join);
    if (!status)
        sino_log_info(log, "output", "volume: %s, %s (%" PRId64 ", %" PRId64 ", %" PRId64 "), of %" PRId64 " volumes",
                      settings->output.path, formats[settings->output.format], join.slice_count, join.part[0].height,
                      join.part[0].width, join.files.count);
    for (int64_t i = 0; join.part && i < join.files.count; i++) sino_volume_part_free(&join.part[i].about);
    free(join.part);
    sino_file_list_free(&join.files);
    return status;
}
