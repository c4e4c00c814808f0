/* SPDX-License-Identifier: BSD-3-Clause */
/* Output names: the names of a recon's files. */
#include "recon.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t base_length(const char *out)
{
    static const char *const ending[] = {".h5", ".hdf5"};
    const size_t length = strlen(out);
    for (int i = 0; i < 2; i++) {
        const size_t cut = strlen(ending[i]);
        if (length > cut && strcmp(out + length - cut, ending[i]) == 0) return length - cut;
    }
    return length;
}

/* The directory of TIFF files. With both formats its name must differ from the HDF5 file's. */
static char *tiff_directory(const SinoSettings *settings, size_t base)
{
    const bool same = base == strlen(settings->out) && settings->save_format != SINO_SAVE_TIFF;
    char *name = NULL;
    if (settings->save_format == SINO_SAVE_TIFF) return strdup(settings->out);
    return asprintf(&name, "%.*s%s", (int)base, settings->out, same ? "_tiff" : "") < 0 ? NULL : name;
}

static char *picture_name(const SinoSettings *settings, size_t base, const char *what, int64_t row)
{
    char *name = NULL;
    return asprintf(&name, "%.*s_%s_%05" PRId64 ".png", (int)base, settings->out, what, row) < 0 ? NULL : name;
}

SinoStatus sino_output_names_new(const SinoSettings *settings, int64_t first_row, int64_t row_step, int64_t slice_count,
                                 SinoOutputNames *names)
{
    const size_t base = base_length(settings->out);
    const int64_t row = first_row + slice_count / 2 * row_step;
    names->tiff_directory = tiff_directory(settings, base);
    names->tomogram_png = picture_name(settings, base, "slice", row);
    names->sinogram_png = picture_name(settings, base, "sinogram", row);
    SINO_CHECK(names->tiff_directory && names->tomogram_png && names->sinogram_png, SINO_FAILED,
               "no memory for file names");
    return NULL;
}

void sino_output_names_free(SinoOutputNames *names)
{
    free(names->tiff_directory);
    free(names->tomogram_png);
    free(names->sinogram_png);
}
