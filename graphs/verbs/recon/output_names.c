/* SPDX-License-Identifier: BSD-3-Clause */
/* Output names: the names of a recon's files. */
#include "recon.h"

#include "arithmetic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t base_length(const char *out)
{
    static const char *const ending[] = {".h5", ".hdf5", ".tif", ".tiff", ".ome.zarr", ".zarr"};
    const size_t length = strlen(out);
    for (int i = 0; i < 6; i++) {
        const size_t cut = strlen(ending[i]);
        if (length > cut && strcmp(out + length - cut, ending[i]) == 0) return length - cut;
    }
    return length;
}

/* The directory of TIFF files. With both formats its name must differ from the HDF5 file's. */
static char *tiff_directory(const SinoOutputSettings *settings, size_t base)
{
    const bool same = base == strlen(settings->path) && settings->format != SINO_SAVE_TIFF;
    char *name = NULL;
    if (settings->format == SINO_SAVE_TIFF) return strdup(settings->path);
    return asprintf(&name, "%.*s%s", (int)base, settings->path, same ? "_tiff" : "") < 0 ? NULL : name;
}

char *sino_output_name(const SinoOutputSettings *settings, const char *what, int64_t number, const char *ending)
{
    char *name = NULL;
    const int base = (int)base_length(settings->path);
    const int length = number < 0
                           ? asprintf(&name, "%.*s_%s%s", base, settings->path, what, ending)
                           : asprintf(&name, "%.*s_%s_%05" PRId64 "%s", base, settings->path, what, number, ending);
    return length < 0 ? NULL : name;
}

/* Where OUT is a folder, the report lies beside it. */
static char *report_name(const SinoSettings *settings, size_t base)
{
    const char *given = sino_settings_report_file(settings);
    char *name = NULL;
    while (base > 1 && settings->output.path[base - 1] == '/') base--;
    return given ? strdup(given) : asprintf(&name, "%.*s.html", (int)base, settings->output.path) < 0 ? NULL : name;
}

/* BASE_WHICH, with the ending of OUT; a folder has none. */
static char *volume_name(const char *out, size_t base, const char *which)
{
    const char *ending = out + base;
    char *name = NULL;
    while (base > 1 && out[base - 1] == '/') base--;
    return asprintf(&name, "%.*s_%s%s", (int)base, out, which, ending) < 0 ? NULL : name;
}

SinoStatus sino_output_names_new(const SinoSettings *settings, const SinoVolumeRequest *volume, const SinoInput *scan,
                                 SinoOutputNames *names)
{
    const size_t base = base_length(settings->output.path);
    const int64_t shown = volume->slice_count / sino_larger(1, volume->set_count); /* slices of the first set */
    const struct {
        const char *name;
        int64_t number;
    } picture[SINO_PICTURES] = {
        [SINO_PICTURE_XY] = {"slice", volume->first_row + shown / 2 * volume->row_step},
        [SINO_PICTURE_XZ] = {"xz", volume->height / 2},
        [SINO_PICTURE_YZ] = {"yz", volume->width / 2},
        [SINO_PICTURE_MAXIMUM] = {"maximum", -1},
        [SINO_PICTURE_SINOGRAM] = {"sinogram", scan ? scan->first_row + scan->slice_count / 2 * scan->binning : 0}};
    names->tiff_directory = tiff_directory(&settings->output, base);
    bool complete = names->tiff_directory;
    for (int i = 0; i < SINO_PICTURES; i++) {
        if (i == SINO_PICTURE_SINOGRAM && !scan) continue;
        names->picture[i] = sino_output_name(&settings->output, picture[i].name, picture[i].number, ".png");
        complete = complete && names->picture[i];
    }
    if (sino_settings_wants_report(settings)) {
        names->report = report_name(settings, base);
        complete = complete && names->report;
    }
    for (int h = 0; h < SINO_OUTPUT_HALVES && settings->output.halves; h++) {
        names->half[h] = volume_name(settings->output.path, base, h == 0 ? "even" : "odd");
        complete = complete && names->half[h];
    }
    if (sino_recon_goes_on(settings)) {
        names->followed = volume_name(settings->output.path, base, sino_algorithm_name(sino_recon_follower(settings)));
        complete = complete && names->followed;
    }
    SINO_CHECK(complete, SINO_FAILED, "no memory for file names");
    return NULL;
}

void sino_output_names_free(SinoOutputNames *names)
{
    free(names->tiff_directory);
    free(names->report);
    free(names->followed);
    for (int h = 0; h < SINO_OUTPUT_HALVES; h++) free(names->half[h]);
    for (int i = 0; i < SINO_PICTURES; i++) free(names->picture[i]);
}
