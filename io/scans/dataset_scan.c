/* SPDX-License-Identifier: BSD-3-Clause */
/* Dataset scan: projections in any dataset of an HDF5 file, which the user names. Angles come from --theta, flat and
 * dark fields from --flats and --darks (scan.c); else those of the group of the dataset are taken that have Data
 * Exchange's names and fit. */
#include "hdf5_scan.h"

#include <stdio.h>
#include <string.h>

#include "paths.h"

static bool probe_dataset(const SinoScanRequest *request)
{
    return request->dataset && sino_path_kind(request->path) == SINO_PATH_FILE && sino_hdf5_probe(request->path);
}

/* What lies beside the dataset. */
typedef struct Beside {
    SinoHdf5Scan *hdf5;
    SinoScan *scan;
    const char *dataset;
} Beside;

/* The name of a dataset in the group of the user's; false: it is too long. */
static bool name_beside(const Beside *beside, const char *name, size_t size, char *text)
{
    const char *last = strrchr(beside->dataset, '/');
    const int group = last ? (int)(last - beside->dataset) + 1 : 0;
    const int length = snprintf(text, size, "%.*s%s", group, beside->dataset, name);
    return length >= 0 && (size_t)length < size;
}

/* Tells that a dataset was taken, or why it was not; frees the status. */
static void tell(const Beside *beside, const char *name, bool taken, SinoStatus status)
{
    SinoScan *scan = beside->scan;
    const size_t said = strlen(scan->evidence), warned = strlen(scan->remark);
    if (taken)
        snprintf(scan->evidence + said, sizeof scan->evidence - said, "%s%s", scan->info.beside ? ", " : "; beside it ",
                 name);
    scan->info.beside = scan->info.beside || taken;
    if (status)
        snprintf(scan->remark + warned, sizeof scan->remark - warned, "%s%s beside the dataset is left out: %s",
                 warned > 0 ? "; " : "", name, sino_status_text(status));
    sino_status_free(status);
}

static void take_angles(const Beside *beside)
{
    char name[1024];
    SinoScan *scan = beside->scan;
    if (!name_beside(beside, "theta", sizeof name, name)) return;
    SinoStatus status = sino_hdf5_scan_take_angles(beside->hdf5, name, true, scan);
    tell(beside, "theta", !status && scan->angle_rad, status);
    scan->info.angle_needed = !scan->angle_rad;
}

static void take_field(const Beside *beside, SinoScanField field, const char *of_group, int64_t *count)
{
    char name[1024];
    if (!name_beside(beside, of_group, sizeof name, name)) return;
    SinoStatus status =
        sino_hdf5_scan_open_field(beside->hdf5, field, name, true, &beside->scan->info, "the dataset has", count);
    if (status) *count = 0;
    tell(beside, of_group, *count > 0, status);
}

static SinoStatus open_dataset(const SinoScanRequest *request, SinoScan *scan)
{
    SinoHdf5Scan *hdf5;
    SINO_TRY(sino_hdf5_scan_new(request->path, request->follow_s > 0, &scan->data, &hdf5));
    SINO_TRY(sino_hdf5_scan_open_data(hdf5, request->dataset, true, request->axes, scan));
    const Beside beside = {hdf5, scan, request->dataset};
    scan->info.angle_needed = scan->info.angle_named = true;
    scan->info.certainty = "by your option";
    snprintf(scan->evidence, sizeof scan->evidence, "dataset %.120s", request->dataset);
    SINO_TRY(sino_scan_check_limits(request->path, &scan->info));
    if (!request->theta && request->follow_s == 0) take_angles(&beside);
    if (!request->flats) take_field(&beside, SINO_FIELD_FLATS, "data_white", &scan->info.flat_count);
    if (!request->darks) take_field(&beside, SINO_FIELD_DARKS, "data_dark", &scan->info.dark_count);
    if (request->follow_s > 0) {
        char theta[1024];
        SINO_CHECK(name_beside(&beside, "theta", sizeof theta, theta), SINO_BAD_INPUT, "the name %s is too long",
                   request->dataset);
        SINO_TRY(sino_hdf5_follow_expect(hdf5, request, theta, scan));
        scan->info.angle_needed = false;
    }
    sino_hdf5_scan_name_files(hdf5, &scan->info);
    return NULL;
}

const SinoScanFormat sino_dataset_format = {.name = "HDF5 dataset",
                                            .takes_dataset = true,
                                            .takes_axes = true,
                                            .grows = true,
                                            .probe = probe_dataset,
                                            .open = open_dataset};
