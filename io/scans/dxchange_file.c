/* SPDX-License-Identifier: BSD-3-Clause */
/* Data Exchange file: reads scans in the Data Exchange layout of HDF5 (De Carlo et al., J. Synchrotron Rad. 21, 1224,
 * 2014). */
#include "hdf5_scan.h"

#include <stdio.h>

#include "paths.h"

/* True for an HDF5 file with a group /exchange, and for one that is too damaged to look inside; `open` then refuses it.
 */
static bool probe_exchange(const SinoScanRequest *request)
{
    if (request->dataset || sino_path_kind(request->path) != SINO_PATH_FILE || !sino_hdf5_probe(request->path))
        return false;
    const hid_t file = sino_hdf5_scan_peek(request);
    if (file < 0) return true;
    const bool has_group = H5Lexists(file, "/exchange", H5P_DEFAULT) != 0;
    (void)H5Fclose(file);
    return has_group;
}

/* A volume of sinodag lies where a scan has its projections. */
static SinoStatus refuse_volume(const SinoScanRequest *request)
{
    const hid_t file = sino_hdf5_scan_peek(request);
    if (file < 0) return NULL; /* the reader says why */
    const bool made = H5Lexists(file, "/process", H5P_DEFAULT) > 0 &&
                      H5Lexists(file, "/process/algorithm", H5P_DEFAULT) > 0 &&
                      H5Lexists(file, "/process/settings", H5P_DEFAULT) > 0;
    const bool flats = H5Lexists(file, "/exchange/data_white", H5P_DEFAULT) > 0;
    (void)H5Fclose(file);
    SINO_CHECK(
        !made || flats, SINO_BAD_INPUT,
        "%s is a volume that sinodag reconstructed, not a scan; allowed: a scan (sinodag compare reads volumes), or "
        "--dataset /exchange/data if its slices are projections",
        request->path);
    return NULL;
}

static SinoStatus open_exchange(const SinoScanRequest *request, SinoScan *scan)
{
    static const SinoSetupNames setup = {SINO_SOURCE_DISTANCE, SINO_DETECTOR_DISTANCE, SINO_PIXEL_WIDTH,
                                         SINO_PIXEL_HEIGHT};
    static const char like[] = "/exchange/data has";
    SinoHdf5Scan *hdf5;
    SinoScanInfo *info = &scan->info;
    SINO_TRY(refuse_volume(request));
    SINO_TRY(sino_hdf5_scan_new(request->path, request->follow_s > 0, &scan->data, &hdf5));
    SINO_TRY(sino_hdf5_scan_open_data(hdf5, "/exchange/data", false, request->axes, scan));
    info->setup = sino_hdf5_scan_setup(hdf5, &setup);
    SINO_TRY(
        sino_hdf5_scan_open_field(hdf5, SINO_FIELD_FLATS, "/exchange/data_white", true, info, like, &info->flat_count));
    SINO_TRY(
        sino_hdf5_scan_open_field(hdf5, SINO_FIELD_DARKS, "/exchange/data_dark", true, info, like, &info->dark_count));
    SINO_TRY(sino_scan_check_limits(request->path, info));
    if (request->follow_s > 0)
        SINO_TRY(sino_hdf5_follow_expect(hdf5, request, "/exchange/theta", scan));
    else if (!request->theta)
        SINO_TRY(sino_hdf5_scan_take_angles(hdf5, "/exchange/theta", true, scan));
    sino_hdf5_scan_name_files(hdf5, info);
    info->certainty = "certain";
    snprintf(scan->evidence, sizeof scan->evidence, "it has the group /exchange");
    return NULL;
}

const SinoScanFormat sino_dxchange_format = {.name = "Data Exchange HDF5",
                                             .example = "HDF5",
                                             .takes_axes = true,
                                             .grows = true,
                                             .probe = probe_exchange,
                                             .open = open_exchange};
