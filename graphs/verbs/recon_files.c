/* SPDX-License-Identifier: BSD-3-Clause */
/* recon, files: no output may take the name of an input or of another output. */
#include "recon.h"

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

SinoStatus sino_recon_name_files(const SinoSettings *settings, const SinoInput *input, SinoNamedFiles *files)
{
    const SinoScanInfo *info = input->info;
    SINO_TRY(add_all(files, "the input", info->file_count, info->file_name));
    SINO_TRY(add_all(files, "--flats", info->flat_file_count, info->flat_file_name));
    SINO_TRY(add_all(files, "--darks", info->dark_file_count, info->dark_file_name));
    SINO_TRY(add_theta(files, settings->theta));
    SINO_TRY(sino_files_input(files, "--config", settings->config));
    return sino_files_output(files, "--graph", settings->graph);
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
    if (request->tiff_directory) SINO_TRY(add_slices(request, files));
    if (!settings->pictures) return NULL;
    for (int i = 0; i < SINO_PICTURES; i++) SINO_TRY(sino_files_output(files, "a picture", names->picture[i]));
    return NULL;
}

SinoStatus sino_recon_check_files(const SinoSettings *settings, const SinoInput *input, const SinoOutputNames *names,
                                  const SinoVolumeRequest *request)
{
    SinoNamedFiles files = {0};
    SinoStatus status = sino_recon_name_files(settings, input, &files);
    if (!status) status = add_outputs(settings, names, request, &files);
    if (!status) status = sino_files_check(&files);
    sino_files_free(&files);
    return status;
}
