/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan unknown: the error for an input that no format recognises; it says what the input seems to be. */
#include "scan_source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hdf5.h>

#include "foreign_format.h"
#include "hdf5_dataset.h"
#include "hdf5_images.h"
#include "path_kind.h"
#include "regular_file.h"

enum { NAMES_BYTES = 160 };

/* Names at the root of an HDF5 file, as many as fit. */
typedef struct RootNames {
    char text[NAMES_BYTES];
    size_t length;
} RootNames;

static herr_t add_name(hid_t root, const char *name, const H5L_info_t *about, void *to)
{
    RootNames *names = to;
    (void)root;
    (void)about;
    if (names->length < sizeof names->text)
        names->length += (size_t)snprintf(names->text + names->length, sizeof names->text - names->length, "%s/%s",
                                          names->length ? ", " : "", name);
    return 0;
}

static SinoStatus refuse_hdf5(const char *path)
{
    hid_t file;
    char images[1536];
    RootNames names = {.text = ""};
    SINO_TRY(sino_hdf5_open(path, &file));
    (void)H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, add_name, &names);
    sino_hdf5_images(path, file, sizeof images, images);
    (void)H5Fclose(file);
    return sino_error(
        SINO_BAD_INPUT,
        "%s is an HDF5 file without /exchange/data and without NXtomo frames (it holds %s%s%s); allowed: Data Exchange "
        "(/exchange/data), NXtomo (instrument/detector/data with image_key), or any with --dataset",
        path, names.length ? names.text : "nothing", *images ? "; " : "", images);
}

static bool is_empty(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && file.st_size == 0;
}

SinoStatus sino_scan_unknown(const SinoScanRequest *request, const char *allowed)
{
    const char *const path = request->path;
    switch (sino_path_kind(path)) {
    case SINO_PATH_ABSENT:
        return sino_error(SINO_BAD_INPUT, "%s: %s", path, strerror(errno));
    case SINO_PATH_FOLDER:
        if (access(path, R_OK | X_OK) != 0) return sino_error(SINO_BAD_INPUT, "%s: %s", path, strerror(errno));
        return sino_error(
            SINO_BAD_INPUT,
            "%s is a folder without TIFF, EDF, FITS, MRC or DM images; allowed: a folder of one series of them", path);
    case SINO_PATH_OTHER:
        return sino_error(SINO_BAD_INPUT,
                          "%s is neither a file nor a folder; allowed: a file, a folder or a quoted pattern", path);
    case SINO_PATH_FILE:
        break;
    }
    SINO_TRY(sino_regular_check(path)); /* it may be closed to this user */
    if (sino_hdf5_probe(path)) return refuse_hdf5(path);
    if (is_empty(path)) return sino_error(SINO_BAD_INPUT, "%s is an empty file; allowed: %s", path, allowed);
    SINO_TRY(sino_foreign_format(path));
    return sino_error(SINO_BAD_INPUT, "%s is of no known format; allowed: %s%s", path, allowed,
                      request->theta ? "" : "; counts: --system-matrix");
}
