/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan unknown: the error for an input that no format recognises; it says what the input seems to be. */
#include "scan_source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <hdf5.h>

#include "hdf5_dataset.h"
#include "hdf5_places.h"
#include "path_kind.h"

enum { NAMES_BYTES = 160 };

/* Names at the root of an HDF5 file, as many as fit. */
typedef struct RootNames {
    char text[NAMES_BYTES];
    size_t length;
    bool nexus;   /* one of the names is a NeXus entry */
    hid_t access; /* to what the names lead to */
} RootNames;

static herr_t add_name(hid_t root, const char *name, const H5L_info_t *about, void *to)
{
    RootNames *names = to;
    (void)about;
    if (names->length < sizeof names->text)
        names->length += (size_t)snprintf(names->text + names->length, sizeof names->text - names->length, "%s/%s",
                                          names->length ? ", " : "", name);
    /* NeXus marks its groups with an attribute NX_class. */
    names->nexus |= H5Aexists_by_name(root, name, "NX_class", names->access) > 0;
    return 0;
}

static SinoStatus refuse_hdf5(const char *path, const char *allowed)
{
    hid_t file;
    RootNames names = {.text = ""};
    SINO_TRY(sino_hdf5_open(path, &file));
    names.access = sino_hdf5_link_access();
    if (names.access >= 0) (void)H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, add_name, &names);
    if (names.access >= 0) (void)H5Pclose(names.access);
    (void)H5Fclose(file);
    return sino_error(SINO_BAD_INPUT, "%s is %s without /exchange/data (it holds %s)%s; allowed: %s", path,
                      names.nexus ? "a NeXus file, as NXtomo is," : "an HDF5 file",
                      names.length ? names.text : "nothing",
                      names.nexus ? ", which sinodag does not read; the lines of Python in docs/INPUT.md make a Data "
                                    "Exchange file of it that links to its frames"
                                  : "",
                      allowed);
}

SinoStatus sino_scan_unknown(const char *path, const char *allowed)
{
    switch (sino_path_kind(path)) {
    case SINO_PATH_ABSENT:
        return sino_error(SINO_BAD_INPUT, "%s: %s", path, strerror(errno));
    case SINO_PATH_FOLDER:
        return sino_error(SINO_BAD_INPUT, "%s is a folder; allowed: %s", path, allowed);
    case SINO_PATH_OTHER:
        return sino_error(SINO_BAD_INPUT, "%s is neither a file nor a folder; allowed: %s", path, allowed);
    case SINO_PATH_FILE:
        break;
    }
    if (sino_hdf5_probe(path)) return refuse_hdf5(path, allowed);
    return sino_error(SINO_BAD_INPUT, "%s is of no format that is known; allowed: %s; counts need --system-matrix FILE",
                      path, allowed);
}
