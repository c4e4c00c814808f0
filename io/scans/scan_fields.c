/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan, fields: opens what --flats and --darks name. */
#include "scan_source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hdf5_scan.h"
#include "inner_path.h"
#include "mat_file.h"
#include "npz_file.h"
#include "path_kind.h"

/* The format of images, which is TIFF if no other one recognises them. */
static const SinoScanFormat *format_of(const char *named)
{
    static const SinoScanFormat *const formats[] = {&sino_mat_scan_format, &sino_npy_scan_format, &sino_npz_scan_format,
                                                    &sino_images_format};
    const SinoScanRequest request = {.path = named};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i]->probe(&request)) return formats[i];
    return &sino_tiff_format;
}

static SinoStatus open_dataset(const char *path, const char *name, SinoScanField field, const SinoScanInfo *info,
                               SinoScanPart *part, int64_t *count, const SinoFileList **files)
{
    SinoHdf5Scan *hdf5;
    if (sino_npz_probe_file(path)) return sino_npz_scan_format.open_fields(path, name, info, part, count, files);
    if (sino_mat_probe_file(path)) return sino_mat_scan_format.open_fields(path, name, info, part, count, files);
    SINO_TRY(sino_hdf5_scan_new(path, part, &hdf5));
    *files = &hdf5->files;
    SINO_TRY(sino_hdf5_scan_open_field(hdf5, field, name, false, true, info, "the projections have", count));
    SINO_CHECK(*count > 0, SINO_BAD_INPUT, "%s: %s has no images; allowed: 1 or more", path, name);
    sino_file_list_unite(&hdf5->files, 1);
    return NULL;
}

/* Opens FILE:/DATASET. */
static SinoStatus open_inner(const char *named, SinoScanField field, const SinoScanInfo *info, SinoScanPart *part,
                             int64_t *count, const SinoFileList **files)
{
    char *file = NULL, *inner = NULL;
    SinoStatus status = sino_inner_path_split(named, &file, &inner);
    if (!status) status = open_dataset(file, inner, field, info, part, count, files);
    free(file);
    free(inner);
    return status;
}

SinoStatus sino_scan_fields_open(const SinoScanRequest *request, SinoScanField field, const SinoScanInfo *info,
                                 SinoScanPart *part, int64_t *count, const SinoFileList **files)
{
    const char *named = field == SINO_FIELD_FLATS ? request->flats : request->darks;
    if (*named == ':') return open_dataset(request->path, named + 1, field, info, part, count, files);
    if (sino_path_kind(named) == SINO_PATH_ABSENT && strstr(named, ":/") && !sino_file_list_is_pattern(named))
        return open_inner(named, field, info, part, count, files);
    SINO_CHECK(sino_path_kind(named) != SINO_PATH_FILE || !sino_hdf5_probe(named), SINO_BAD_INPUT,
               "--%s is '%s', an HDF5 file; allowed: FILE:/DATASET, or images",
               field == SINO_FIELD_FLATS ? "flats" : "darks", named);
    return format_of(named)->open_fields(named, NULL, info, part, count, files);
}
