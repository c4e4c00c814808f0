/* SPDX-License-Identifier: BSD-3-Clause */
/* recon, files: no output may take the name of an input or of another output. */
#include "recon.h"

#include "counts_file.h"
#include "start_volume.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static SinoStatus add_all(SinoNamedFiles *files, const char *what, int64_t count, const char *const *path)
{
    for (int64_t i = 0; i < count; i++) SINO_TRY(sino_files_input(files, what, path[i]));
    return NULL;
}

/* --theta may be a part "NAME[A:B]" of a file. A name that is none, such as a range, does no harm. */
static SinoStatus add_theta(SinoNamedFiles *files, const char *theta)
{
    const char *bracket = theta ? strrchr(theta, '[') : NULL;
    SINO_TRY(sino_files_input(files, "--theta", theta));
    if (!bracket) return NULL;
    char *name = strndup(theta, (size_t)(bracket - theta));
    SINO_CHECK(name, SINO_FAILED, "no memory for a file name");
    SinoStatus status = sino_files_input(files, "--theta", name);
    free(name);
    return status;
}

/* A volume or an image that may be a dataset of a file. */
static SinoStatus add_volume(SinoNamedFiles *files, const char *what, const char *given)
{
    char *path = NULL;
    SinoStatus status = sino_start_volume_path(given, &path);
    if (!status) status = sino_files_input(files, what, path);
    free(path);
    return status;
}

static SinoStatus add_scan(const SinoSettings *settings, const SinoInput *scan, SinoNamedFiles *files)
{
    const SinoScanInfo *info = scan->info;
    SINO_TRY(add_all(files, "--flats", info->flat_file_count, info->flat_file_name));
    SINO_TRY(add_all(files, "--darks", info->dark_file_count, info->dark_file_name));
    SINO_TRY(add_volume(files, "--start", settings->start));
    SINO_TRY(add_volume(files, "--mask", settings->mask));
    if (settings->weights == SINO_WEIGHTS_FILE) SINO_TRY(add_volume(files, "--weights", settings->weights_file));
    return add_theta(files, settings->theta);
}

/* `given` NULL: there is none. */
static SinoStatus add_counts(SinoNamedFiles *files, const char *what, const char *given)
{
    char *path[SINO_COUNTS_PATHS];
    if (!given) return NULL;
    SinoStatus status = sino_counts_paths(given, path);
    for (int i = 0; i < SINO_COUNTS_PATHS; i++) {
        if (!status) status = sino_files_input(files, what, path[i]);
        free(path[i]);
    }
    return status;
}

/* What goes with the counts of a system matrix. The matrix is FILE or FILE:/GROUP, which are split alike. */
static SinoStatus add_matrix(const SinoSettings *settings, SinoNamedFiles *files)
{
    SINO_TRY(add_counts(files, "--system-matrix", settings->system_matrix));
    SINO_TRY(add_counts(files, "--multiplicative", settings->multiplicative));
    SINO_TRY(add_counts(files, "--additive", settings->additive));
    SINO_TRY(add_counts(files, "--sensitivity", settings->sensitivity));
    SINO_TRY(add_counts(files, "--start", settings->start));
    return add_counts(files, "--mask", settings->mask);
}

SinoStatus sino_recon_name_files(const SinoSettings *settings, const SinoInputFiles *input, const SinoInput *scan,
                                 SinoNamedFiles *files)
{
    SINO_TRY(add_all(files, "the input", input->count, input->name));
    SINO_TRY(scan ? add_scan(settings, scan, files) : add_matrix(settings, files));
    SINO_TRY(sino_files_input(files, "--config", settings->config));
    SINO_TRY(sino_files_output(files, "--graph", settings->graph));
    SINO_TRY(sino_files_output(files, "--trace", settings->trace));
    return sino_files_output(files, "--profile", sino_settings_profile_file(settings));
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

static SinoStatus add_outputs(const SinoSettings *settings, const SinoOutputNames *names,
                              const SinoVolumeRequest *request, SinoNamedFiles *files)
{
    SINO_TRY(sino_files_output(files, "--out", request->hdf5_path));
    SINO_TRY(sino_files_output(files, "--out", request->stack_path));
    SINO_TRY(sino_files_output(files, "--out", request->zarr_path));
    if (request->tiff_directory) SINO_TRY(add_slices(request, files));
    SINO_TRY(sino_files_output(files, "the report", names->report));
    if (!settings->pictures) return NULL;
    for (int i = 0; i < SINO_PICTURES; i++) SINO_TRY(sino_files_output(files, "a picture", names->picture[i]));
    return NULL;
}

SinoStatus sino_recon_check_files(const SinoSettings *settings, const SinoInputFiles *input, const SinoInput *scan,
                                  const SinoOutputNames *names, const SinoVolumeRequest *request)
{
    SinoNamedFiles files = {0};
    SinoStatus status = sino_recon_name_files(settings, input, scan, &files);
    if (!status) status = add_outputs(settings, names, request, &files);
    if (!status) status = sino_files_check(&files);
    sino_files_free(&files);
    return status;
}
