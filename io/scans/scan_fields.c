/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan, fields: opens what --flats and --darks name. */
#include "scan_source.h"

#include <stdlib.h>
#include <string.h>

#include "array_scan.h"
#include "hdf5_scan.h"
#include "paths.h"

static const SinoScanFormat *const formats[] = {&sino_mat_scan_format, &sino_npy_scan_format, &sino_npz_scan_format,
                                                &sino_images_format, NULL};

/* The format of arrays; NULL: none recognises the name. */
static const SinoScanFormat *format_of(const char *named)
{
    const SinoScanRequest request = {.path = named};
    for (const SinoScanFormat *const *at = formats; *at; at++)
        if ((*at)->probe(&request)) return *at;
    return NULL;
}

static SinoStatus open_array(const SinoScanFormat *format, const char *named, const char *array,
                             const SinoScanInfo *info, SinoScanPart *part, int64_t *count, const SinoFileList **files)
{
    SinoArrayScan *arrays;
    SINO_TRY(format->open_array(named, array, part, &arrays));
    return sino_array_scan_images(arrays, info, count, files);
}

static SinoStatus open_dataset(const char *path, const char *name, bool follow, SinoScanField field,
                               const SinoScanInfo *info, SinoScanPart *part, int64_t *count, const SinoFileList **files)
{
    const SinoScanFormat *archive = sino_scan_archive(path);
    SinoHdf5Scan *hdf5;
    if (archive) return open_array(archive, path, name, info, part, count, files);
    SINO_TRY(sino_hdf5_scan_new(path, follow, part, &hdf5));
    *files = &hdf5->files;
    SINO_CHECK(!follow || hdf5->follow.swmr, SINO_BAD_INPUT,
               "%s of the scan's own file is named, and another program writes the file without SWMR; allowed: a copy "
               "in another file, or /exchange/data_white and data_dark, which need no option",
               name);
    SINO_TRY(sino_hdf5_scan_open_field(hdf5, field, name, false, info, "the projections have", count));
    SINO_CHECK(*count > 0, SINO_BAD_INPUT, "%s: %s has no images; allowed: 1 or more", path, name);
    sino_file_list_unite(&hdf5->files, 1);
    return NULL;
}

/* Opens FILE:/DATASET. */
static SinoStatus open_inner(const SinoScanRequest *request, const char *named, SinoScanField field,
                             const SinoScanInfo *info, SinoScanPart *part, int64_t *count, const SinoFileList **files)
{
    char *file = NULL, *inner = NULL;
    SinoStatus status = sino_inner_path_split(named, &file, &inner);
    if (!status)
        status = open_dataset(file, inner, request->follow_s > 0 && strcmp(file, request->path) == 0, field, info, part,
                              count, files);
    free(file);
    free(inner);
    return status;
}

SinoStatus sino_scan_fields_open(const SinoScanRequest *request, SinoScanField field, const SinoScanInfo *info,
                                 SinoScanPart *part, int64_t *count, const SinoFileList **files)
{
    const char *named = field == SINO_FIELD_FLATS ? request->flats : request->darks;
    if (*named == ':')
        return open_dataset(request->path, named + 1, request->follow_s > 0, field, info, part, count, files);
    if (sino_path_kind(named) == SINO_PATH_ABSENT && strstr(named, ":/") && !sino_file_list_is_pattern(named))
        return open_inner(request, named, field, info, part, count, files);
    SINO_CHECK(sino_path_kind(named) != SINO_PATH_FILE || !sino_hdf5_probe(named), SINO_BAD_INPUT,
               "--%s is '%s', an HDF5 file; allowed: FILE:/DATASET, or images",
               field == SINO_FIELD_FLATS ? "flats" : "darks", named);
    const SinoScanFormat *format = format_of(named);
    return format ? open_array(format, named, NULL, info, part, count, files)
                  : sino_tiff_format.open_fields(named, info, part, count, files);
}
