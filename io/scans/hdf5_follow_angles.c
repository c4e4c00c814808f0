/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 follow, angles: those of projections that are still to come. */
#include "hdf5_scan.h"

#include <inttypes.h>

/* Whether a dataset may become longer. */
static bool can_grow(const SinoHdf5Scan *hdf5, const char *name)
{
    SinoDataset dataset = {.id = H5I_INVALID_HID};
    hsize_t size[SINO_DATASET_RANK], most[SINO_DATASET_RANK];
    SinoStatus status = sino_dataset_open(hdf5->path, hdf5->file, name, SINO_ANY_RANK, true, &dataset);
    sino_status_free(status);
    const hid_t space = dataset.id >= 0 ? H5Dget_space(dataset.id) : H5I_INVALID_HID;
    const bool known = space >= 0 && H5Sget_simple_extent_dims(space, size, most) > 0;
    if (space >= 0) (void)H5Sclose(space);
    sino_dataset_close(&dataset);
    return known && most[0] != size[0];
}

/* Angles that a program will write with the projections are not there yet: they are as many as these, or all alike. */
static SinoStatus check_angles(const SinoHdf5Scan *hdf5, const char *theta, const SinoScan *scan)
{
    const SinoHdf5Field *data = &hdf5->field[SINO_FIELD_DATA];
    const int64_t come = sino_frame_list_among(&data->frames, data->dataset.size[0]), all = scan->info.angle_count;
    int64_t alike = 1;
    SINO_CHECK(all > come || !can_grow(hdf5, theta), SINO_BAD_INPUT,
               "%s has %" PRId64 " projections and as many angles in %s, which may grow as the projections do; needed: "
               "--theta with the angles of all projections, or a run without --follow if these are all",
               hdf5->path, come, theta);
    while (alike < all - come && scan->angle_rad[all - 1 - alike] == scan->angle_rad[all - 1]) alike++;
    SINO_CHECK(alike < 2 || alike < all - come, SINO_BAD_INPUT,
               "%s: the angles in %s of the %" PRId64 " projections to come are all %g; needed: --theta with their "
               "angles",
               hdf5->path, theta, all - come, scan->angle_rad[all - 1]);
    return NULL;
}

SinoStatus sino_hdf5_follow_begin(SinoHdf5Scan *hdf5, const char *theta, const SinoScan *scan)
{
    if (theta) SINO_TRY(check_angles(hdf5, theta, scan));
    for (int i = 0; i < SINO_SCAN_FIELDS; i++) hdf5->follow.used[i] = hdf5->field[i].dataset.id >= 0;
    return NULL;
}

SinoStatus sino_hdf5_follow_expect(SinoHdf5Scan *hdf5, const SinoScanRequest *request, const char *theta,
                                   SinoScan *scan)
{
    SinoHdf5Field *data = &hdf5->field[SINO_FIELD_DATA];
    SinoScanInfo *info = &scan->info;
    info->angle_count = 0; /* as many as there are angles */
    if (request->theta)
        SINO_TRY(sino_scan_take_theta(request, scan));
    else
        SINO_TRY(sino_hdf5_scan_take_angles(hdf5, theta, true, scan));
    SINO_CHECK(scan->angle_rad, SINO_BAD_INPUT,
               "%s has no angles in %s; needed with --follow: --theta with the angles of all projections", hdf5->path,
               theta);
    SINO_CHECK(data->dataset.size[0] <= info->angle_count, SINO_BAD_INPUT,
               "%s has %" PRId64 " projections already, and there are %" PRId64 " angles; allowed: an angle for each",
               hdf5->path, data->dataset.size[0], info->angle_count);
    data->frames.count = info->angle_count;
    return sino_hdf5_follow_begin(hdf5, request->theta ? NULL : theta, scan);
}
