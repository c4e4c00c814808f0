/* SPDX-License-Identifier: BSD-3-Clause */
/* recon, files: no output may take the name of an input or of another output. */
#include "recon.h"

#include "read_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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
