/* SPDX-License-Identifier: BSD-3-Clause */
/* Dataset scan: projections in any dataset of an HDF5 file, which the user names. Angles come from --theta, flat and
 * dark fields from --flats and --darks (scan.c). */
#include "hdf5_scan.h"

#include <stdio.h>

#include "path_kind.h"

static bool probe_dataset(const SinoScanRequest *request)
{
    return request->dataset && sino_path_kind(request->path) == SINO_PATH_FILE && sino_hdf5_probe(request->path);
}

static SinoStatus open_dataset(const SinoScanRequest *request, SinoScan *scan)
{
    SinoHdf5Scan *hdf5;
    SINO_TRY(sino_hdf5_scan_new(request->path, &scan->data, &hdf5));
    SINO_TRY(sino_hdf5_scan_open_data(hdf5, request->dataset, true, request->axes, scan));
    scan->info.angle_needed = scan->info.angle_named = true;
    sino_hdf5_scan_name_files(hdf5, &scan->info);
    scan->info.certainty = "by your option";
    snprintf(scan->evidence, sizeof scan->evidence, "dataset %.200s", request->dataset);
    return NULL;
}

const SinoScanFormat sino_dataset_format = {.name = "HDF5 dataset",
                                            .example = "any with --dataset",
                                            .takes_dataset = true,
                                            .takes_axes = true,
                                            .probe = probe_dataset,
                                            .open = open_dataset};
