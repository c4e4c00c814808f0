/* SPDX-License-Identifier: BSD-3-Clause */
/* recon, output: which formats take compression and --resume, the pyramid of a Zarr volume, what the log says.
 * No output may take the name of an input or of another output. */
#include "arithmetic.h"
#include "files.h"
#include "files_tasks.h"
#include "input_parts.h"
#include "recon.h"
#include "recon_volume.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Slices of a pyramid that a task makes. */
enum { SHRINK_SLICES = 8 };

/* Chunks of compressed HDF5 get their places as they are written, by one process. */
static bool has_places(const SinoOutputSettings *settings)
{
    const bool hdf5 = settings->format == SINO_SAVE_HDF5 || settings->format == SINO_SAVE_BOTH;
    return !hdf5 || settings->compression == SINO_COMPRESSION_NONE;
}

bool sino_recon_keeps_journals(const SinoRecon *recon)
{
    const bool at_once = recon->settings->prior.dimensions == 3; /* all slices are complete, or none is */
    return !recon->settings->memory && !recon->settings->input.follow && has_places(&recon->settings->output) &&
           !at_once && !sino_input_searches_shifts(&recon->settings->stages);
}

SinoStatus sino_recon_check_name(const SinoOutputSettings *settings)
{
    static const char *const hdf5[] = {".h5", ".hdf5", NULL};
    static const char *const tiff[] = {".tif", ".tiff", NULL}, *const zarr[] = {".zarr", NULL};
    const SinoSaveFormat format = settings->format;
    const bool is_hdf5 = format == SINO_SAVE_HDF5 || format == SINO_SAVE_BOTH;
    const bool is_tiff = sino_file_name_ends(settings->path, tiff), is_zarr = sino_file_name_ends(settings->path, zarr);
    SINO_CHECK(!is_tiff || !(is_hdf5 || format == SINO_SAVE_ZARR), SINO_BAD_INPUT,
               "--out is '%s', but this run writes %s; allowed: --save-format tiff-stack, or another name",
               settings->path, is_hdf5 ? "HDF5" : "OME-Zarr");
    SINO_CHECK(!is_zarr || format == SINO_SAVE_ZARR, SINO_BAD_INPUT,
               "--out is '%s', but this run writes %s; allowed: --save-format zarr, or another name", settings->path,
               is_hdf5 ? "HDF5" : "TIFF");
    SINO_CHECK(is_hdf5 || !sino_file_name_ends(settings->path, hdf5), SINO_BAD_INPUT,
               "--out is '%s', but this run writes %s; allowed: --save-format hdf5, or another name", settings->path,
               format == SINO_SAVE_ZARR ? "OME-Zarr" : "TIFF");
    return NULL;
}

SinoStatus sino_recon_check_compression(const SinoRecon *recon)
{
    const SinoSettings *settings = recon->settings;
    const int64_t ranks = sino_processes_count(recon->processes);
    const bool zarr = settings->output.format == SINO_SAVE_ZARR;
    if (settings->output.compression == SINO_COMPRESSION_NONE) return NULL;
    SINO_CHECK(settings->output.format != SINO_SAVE_STACK, SINO_BAD_INPUT,
               "compression is not none, with --save-format tiff-stack, whose pages have fixed places; allowed: none, "
               "or --save-format tiff or hdf5");
    SINO_CHECK(zarr == (settings->output.compression == SINO_COMPRESSION_ZSTD), SINO_BAD_INPUT,
               "compression is '%s' with --save-format %s; allowed: none or %s", zarr ? "deflate" : "zstd",
               zarr ? "zarr" : "hdf5, tiff or both", zarr ? "zstd" : "deflate");
    SINO_CHECK(has_places(&settings->output) || ranks == 1, SINO_BAD_INPUT,
               "compression is deflate, for an HDF5 file that %" PRId64
               " ranks write; allowed: none, or --save-format tiff, or 1 rank",
               ranks);
    SINO_CHECK(has_places(&settings->output) || !settings->output.resume, SINO_BAD_INPUT,
               "resume goes on with files whose slices have fixed places, and those of compressed HDF5 have not; "
               "allowed: --resume with --compression none or --save-format tiff");
    return NULL;
}

/* Submits the tasks that read a level. */
static SinoStatus insert_level(SinoRecon *recon, int64_t level, bool last)
{
    SinoVolume *volume = recon->volume;
    const int64_t slices = last ? 0 : sino_volume_level_slices(volume, level + 1);
    for (int64_t i = 0; i < slices; i += SHRINK_SLICES)
        SINO_TRY(sino_insert_shrink(recon->runtime, volume, level, i, sino_smaller(SHRINK_SLICES, slices - i)));
    for (int64_t i = 0; i < sino_volume_level_shards(volume, level); i++)
        SINO_TRY(sino_insert_shard(recon->runtime, volume, level, i));
    return NULL;
}

SinoStatus sino_recon_make_levels(SinoRecon *recon)
{
    const int64_t levels = sino_volume_level_count(recon->volume);
    if (levels == 0) return NULL;
    SINO_TRY(sino_volume_begin_levels(recon->volume));
    for (int64_t l = 0; l < levels; l++)
        SINO_TRY(sino_runtime_wait_after(recon->runtime, insert_level(recon, l, l + 1 == levels)));
    return NULL;
}

void sino_recon_tell_output(const SinoRecon *recon)
{
    const SinoSettings *settings = recon->settings;
    const SinoVolumeRequest *request = &recon->request;
    const int64_t set_count = sino_larger(1, request->set_count);
    char sets[24] = "";
    if (set_count > 1) snprintf(sets, sizeof sets, "%" PRId64 ", ", set_count);
    if (request->hdf5_path)
        sino_log_info(recon->log, "output", "volume: %s, /exchange/data (%s%" PRId64 ", %" PRId64 ", %" PRId64 ")",
                      settings->output.path, sets, request->slice_count / set_count, request->height, request->width);
    if (request->stack_path)
        sino_log_info(recon->log, "output", "volume: %s, TIFF of %" PRId64 " slices of %" PRId64 " x %" PRId64,
                      settings->output.path, request->slice_count, request->width, request->height);
    if (request->zarr_path)
        sino_log_info(recon->log, "output", "volume: %s, OME-Zarr of %" PRId64 " x %" PRId64 " x %" PRId64,
                      settings->output.path, request->slice_count, request->height, request->width);
    if (request->tiff_directory)
        sino_log_info(recon->log, "output", "volume: %" PRId64 " TIFF files in %s", request->slice_count,
                      recon->names.tiff_directory);
}

static SinoStatus add_inputs(const SinoReadFiles read[SINO_READS], SinoNamedFiles *files)
{
    for (int r = 0; r < SINO_READS && read[r].option; r++)
        for (int64_t i = 0; i < read[r].list.count; i++)
            SINO_TRY(sino_files_input(files, read[r].option, read[r].list.name[i]));
    return NULL;
}

SinoStatus sino_recon_name_files(const SinoSettings *settings, const SinoInput *scan, SinoNamedFiles *files)
{
    SinoReadFiles read[SINO_READS] = {0};
    SinoStatus status = sino_read_files_list(settings, scan, read);
    if (!status) status = add_inputs(read, files);
    sino_read_files_free(read);
    if (status) return status;
    SINO_TRY(sino_files_input(files, "--config", settings->config));
    SINO_TRY(sino_files_output(files, "--graph", settings->runtime.graph));
    SINO_TRY(sino_files_output(files, "--trace", settings->runtime.trace));
    SINO_TRY(sino_files_output(files, "--follow", sino_settings_live_page(&settings->input)));
    return sino_files_output(files, "--profile", sino_settings_profile_file(&settings->runtime));
}

static SinoStatus add_slices(const SinoVolumeRequest *request, SinoNamedFiles *files)
{
    for (int64_t i = 0; i < request->slice_count; i++) {
        char *path = NULL;
        const int64_t row = request->first_row + i * request->row_step;
        SINO_CHECK(asprintf(&path, "%s/recon_%05" PRId64 ".tiff", request->tiff_directory, row) >= 0, SINO_FAILED,
                   "no memory for a file name");
        SinoStatus status = sino_files_output(files, "a TIFF slice", path);
        free(path);
        if (status) return status;
    }
    return NULL;
}

static SinoStatus add_outputs(const SinoOutputSettings *settings, const SinoOutputNames *names,
                              const SinoVolumeRequest *request, SinoNamedFiles *files)
{
    SINO_TRY(sino_files_output(files, "--out", request->hdf5_path));
    SINO_TRY(sino_files_output(files, "--out", request->stack_path));
    SINO_TRY(sino_files_output(files, "--out", request->zarr_path));
    if (request->tiff_directory) SINO_TRY(add_slices(request, files));
    SINO_TRY(sino_files_output(files, "the report", names->report));
    for (int h = 0; h < SINO_OUTPUT_HALVES; h++) SINO_TRY(sino_files_output(files, "--halves", names->half[h]));
    SINO_TRY(sino_files_output(files, "--follow", names->followed));
    if (!settings->pictures) return NULL;
    for (int i = 0; i < SINO_PICTURES; i++) SINO_TRY(sino_files_output(files, "a picture", names->picture[i]));
    return NULL;
}

SinoStatus sino_recon_check_files(const SinoSettings *settings, const SinoInput *scan, const SinoOutputNames *names,
                                  const SinoVolumeRequest *request)
{
    SinoNamedFiles files = {0};
    SinoStatus status = sino_recon_name_files(settings, scan, &files);
    if (!status) status = add_outputs(&settings->output, names, request, &files);
    if (!status) status = sino_files_check(&files);
    sino_files_free(&files);
    return status;
}
