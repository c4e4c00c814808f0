/* SPDX-License-Identifier: BSD-3-Clause */
/* NXdata scan: projections in the only NXdata group of a NeXus file that names an axis as angles are named: its
 * attributes are signal = "data" and axes = ["theta", "y", "x"], in the order of the dimensions. */
#include "hdf5_scan.h"

#include <stdio.h>
#include <string.h>

#include "angle_list.h"
#include "hdf5_files.h"
#include "paths.h"

enum { VISITS_MAX = 4096, NAME_SIZE = 512, DIMENSIONS = 3 };

typedef struct Found {
    const char *path;
    hid_t access;
    int visits, count; /* groups of this kind */
    int angle;         /* dimension of the angles */
    char group[NAME_SIZE], data[2 * NAME_SIZE], angles[2 * NAME_SIZE];
} Found;

/* The dimension whose axis is named as angles are; −1: none, or several. */
static int angle_axis(hid_t group, char axis[SINO_HDF5_TEXT])
{
    char name[SINO_HDF5_TEXT];
    int found = -1;
    for (int d = 0; d < DIMENSIONS; d++) {
        if (!sino_hdf5_text_of(group, "axes", DIMENSIONS, d, name)) return -1;
        if (!sino_angle_in_name(name)) continue;
        if (found >= 0) return -1;
        found = d;
        snprintf(axis, SINO_HDF5_TEXT, "%s", name);
    }
    return found;
}

/* Whether there are three dimensions, and angles. */
static bool has_values(const Found *found, hid_t file, const char *data, const char *angles)
{
    SinoDataset dataset;
    SinoStatus status = sino_dataset_open(found->path, file, data, DIMENSIONS, false, &dataset);
    if (!status) sino_dataset_close(&dataset);
    const bool fine = !status && H5Lexists(file, angles, found->access) > 0;
    sino_status_free(status);
    return fine;
}

static void consider(Found *found, hid_t file, hid_t group, const char *name)
{
    char kind[SINO_HDF5_TEXT], signal[SINO_HDF5_TEXT], axis[SINO_HDF5_TEXT];
    Found other = *found;
    if (!sino_hdf5_text(group, "NX_class", kind) || strcmp(kind, "NXdata") != 0) return;
    if (!sino_hdf5_text(group, "signal", signal)) return;
    other.angle = angle_axis(group, axis);
    if (other.angle < 0 || strchr(axis, '/') || strchr(signal, '/')) return;
    snprintf(other.group, sizeof other.group, "/%s", name);
    snprintf(other.data, sizeof other.data, "/%s/%s", name, signal);
    snprintf(other.angles, sizeof other.angles, "/%s/%s", name, axis);
    if (!has_values(found, file, other.data, other.angles)) return;
    other.count++;
    *found = other;
}

static herr_t visit(hid_t file, const char *name, const H5L_info_t *about, void *to)
{
    Found *found = to;
    if (++found->visits > VISITS_MAX) return 1;
    if (about->type != H5L_TYPE_HARD || strlen(name) >= NAME_SIZE - 1) return 0;
    const hid_t object = H5Oopen(file, name, found->access);
    if (object >= 0 && H5Iget_type(object) == H5I_GROUP) consider(found, file, object, name);
    if (object >= 0) (void)H5Oclose(object);
    return 0;
}

static bool find(const char *path, hid_t file, Found *found)
{
    *found = (Found){.path = path, .access = sino_hdf5_link_access()};
    if (found->access < 0) return false;
    sino_hdf5_quiet();
    (void)H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, found);
    (void)H5Pclose(found->access);
    return found->count == 1;
}

static bool probe_nxdata(const SinoScanRequest *request)
{
    Found found;
    hid_t file;
    if (request->dataset || sino_path_kind(request->path) != SINO_PATH_FILE || !sino_hdf5_probe(request->path))
        return false;
    SinoStatus status = sino_hdf5_open(request->path, &file);
    const bool fine = !status && find(request->path, file, &found);
    if (!status) (void)H5Fclose(file);
    sino_status_free(status);
    return fine;
}

static SinoStatus open_nxdata(const SinoScanRequest *request, SinoScan *scan)
{
    static const SinoScanAxes axes[] = {SINO_AXES_ANGLE_ROW_COLUMN, SINO_AXES_ROW_ANGLE_COLUMN,
                                        SINO_AXES_ROW_COLUMN_ANGLE};
    SinoHdf5Scan *hdf5;
    Found found;
    SINO_TRY(sino_hdf5_scan_new(request->path, request->follow_s > 0, &scan->data, &hdf5));
    SINO_CHECK(find(request->path, hdf5->file, &found), SINO_BAD_INPUT, "%s has changed", request->path);
    const bool asked = request->axes != SINO_AXES_ANGLE_ROW_COLUMN;
    SINO_TRY(sino_hdf5_scan_open_data(hdf5, found.data, false, asked ? request->axes : axes[found.angle], scan));
    SINO_TRY(sino_scan_check_limits(request->path, &scan->info));
    scan->info.angle_needed = scan->info.angle_named = scan->info.beside = true;
    if (!request->theta) SINO_TRY(sino_hdf5_scan_take_angles(hdf5, found.angles, false, scan));
    sino_hdf5_scan_name_files(hdf5, &scan->info);
    snprintf(scan->evidence, sizeof scan->evidence, "NXdata %.100s, angles in dimension %d by its axes", found.group,
             found.angle);
    return NULL;
}

const SinoScanFormat sino_nxdata_format = {
    .name = "NXdata HDF5", .certainty = "likely", .takes_axes = true, .probe = probe_nxdata, .open = open_nxdata};
