/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan, angles: those of --theta and --theta-dataset, and assumed ones for a scan without any. */
#include "scan_source.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "angle_list.h"
#include "array_scan.h"
#include "hdf5_scan.h"
#include "memory.h"
#include "paths.h"
#include "scan_frames.h"

/* Reads the angles from a dataset of another file than the scan's. */
static SinoStatus read_dataset(const char *path, const char *name, SinoAngleUnit *unit, int64_t projections,
                               int64_t *count, double **angle_rad)
{
    SinoHdf5Angles asked = {.path = path, .name = name, .projections = projections, .like = "", .unit = unit};
    SinoFileList sources = {0};
    const SinoScanFormat *archive = sino_scan_archive(path);
    if (archive) return sino_array_scan_angles(archive, path, name, unit, projections, count, angle_rad);
    SINO_TRY(sino_hdf5_open(path, &asked.file));
    SinoStatus status = sino_hdf5_angles_read(&asked, &sources, count, angle_rad);
    (void)H5Fclose(asked.file);
    sino_file_list_free(&sources);
    return status;
}

/* *file, *inner: the parts of FILE:/DATASET; both NULL: `theta` is something else. The caller frees them. */
static SinoStatus split_dataset(const char *theta, char **file, char **inner)
{
    *file = *inner = NULL;
    if (sino_path_kind(theta) != SINO_PATH_ABSENT || !strstr(theta, ":/")) return NULL;
    SinoStatus status = sino_inner_path_split(theta, file, inner);
    if (!status && *inner) return NULL;
    sino_status_free(status);
    free(*file);
    free(*inner);
    *file = *inner = NULL;
    return NULL;
}

static SinoStatus take_theta(const SinoScanRequest *request, SinoScan *scan)
{
    SinoScanInfo *info = &scan->info;
    SinoAngleUnit *unit = &scan->angle_unit;
    int64_t count = info->angle_count;
    char *file = NULL, *inner = NULL;
    SinoStatus status = NULL;
    if (request->theta[0] == ':') {
        SinoHdf5Scan *hdf5 = sino_hdf5_scan_of(scan);
        if (sino_scan_archive(request->path))
            return read_dataset(request->path, request->theta + 1, unit, count, &info->angle_count, &scan->angle_rad);
        SINO_CHECK(
            hdf5, SINO_BAD_INPUT,
            "the angles are those of the dataset %s in '%s', which is no HDF5, MATLAB or .npz file; allowed: --theta "
            "with FILE:/DATASET",
            request->theta + 1, request->path);
        status = sino_hdf5_scan_take_angles(hdf5, request->theta + 1, false, scan);
        sino_hdf5_scan_name_files(hdf5, info);
        return status;
    }
    SINO_TRY(split_dataset(request->theta, &file, &inner));
    if (inner)
        status = read_dataset(file, inner, unit, info->angle_count, &count, &scan->angle_rad);
    else
        status = sino_angle_list_read(request->theta, unit, info->angle_count, &count, &scan->angle_rad);
    free(file);
    free(inner);
    if (!status) info->angle_count = count;
    return status;
}

/* Whether the angles would fit so many projections. */
static bool fits(const SinoScanRequest *request, const SinoScan *scan, int64_t projections)
{
    SinoScan other = *scan;
    other.info.angle_count = projections;
    SinoStatus status = take_theta(request, &other);
    const bool fine = !status;
    if (fine) free(other.angle_rad);
    sino_status_free(status);
    return fine;
}

SinoStatus sino_scan_take_theta(const SinoScanRequest *request, SinoScan *scan)
{
    static const char *const order[] = {"angle,row,column", "row,angle,column", "row,column,angle"};
    enum { ROWS = 1, COLUMNS };
    const int64_t count = scan->info.angle_count;
    const int64_t size[] = {count, scan->info.row_count, scan->info.column_count};
    SinoStatus status = take_theta(request, scan);
    if (!scan->takes_axes || count == 0) return status;
    for (int meaning = ROWS; status && meaning <= COLUMNS; meaning++) {
        if (size[meaning] == count || !fits(request, scan, size[meaning])) continue;
        SinoStatus longer =
            sino_error(SINO_BAD_INPUT, "%s; the projections are %" PRId64 " if the dimensions are --axes %s",
                       sino_status_text(status), size[meaning], order[sino_axes_dimension(request->axes, meaning)]);
        sino_status_free(status);
        return longer;
    }
    return status;
}

SinoStatus sino_scan_assume_angles(SinoScan *scan)
{
    const int64_t count = scan->info.angle_count;
    SINO_TRY(sino_allocate(count, sizeof *scan->angle_rad, "angles", &scan->angle_rad));
    for (int64_t k = 0; k < count; k++) scan->angle_rad[k] = count > 1 ? M_PI * (double)k / (double)(count - 1) : 0;
    scan->info.angle_assumed = true;
    return NULL;
}
