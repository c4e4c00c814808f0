/* SPDX-License-Identifier: BSD-3-Clause */
/* Scanner settings: what the header of a scanner says of the settings of a run, or a scan of its beam. */
#include "workflows.h"

#include "cone_scan.h"
#include "input.h"
#include "scanner_header.h"
#include "usual_algorithm.h"

#include <stdio.h>

/* Flat fields and values that are no counts leave the count of air without use. */
static bool needs_white(const SinoInputSettings *given)
{
    const bool counts = given->scan_values == SINO_VALUES_AUTO || given->scan_values == SINO_VALUES_COUNTS;
    return counts && !given->flats && given->flat_correction != SINO_FLAT_NONE;
}

static void tell_cone(SinoToldSettings *told)
{
    told->count = 1;
    told->of[0].name = "geometry";
    snprintf(told->of[0].value, sizeof told->of[0].value, "cone");
}

/* The scan's file tells where the source is. The verb refuses a scan itself, unless it is followed: one that cannot be
 * read for a moment would become a parallel beam. */
static SinoStatus tell_beam(const SinoSettings *given, SinoToldSettings *told)
{
    SinoScan *scan = NULL;
    SinoScanRequest request = sino_input_scan_request(given);
    request.exclude = NULL; /* which projections are used does not matter */
    request.limit_angles = false;
    request.angle_binning = 1;
    if (given->input.follow) SINO_TRY(sino_scan_try(&request));
    if (!sino_scan_may_tell_setup(&request)) return NULL;
    SinoStatus status = given->input.follow ? NULL : sino_scan_try(&request);
    if (!status) status = sino_scan_open(&request, &scan);
    const SinoScanInfo *info = status ? NULL : sino_scan_info(scan);
    if (info && sino_cone_spread(info) > 0) {
        tell_cone(told);
        snprintf(told->by, sizeof told->by, "the file (source %.6g mm from the axis, %.6g mm from the detector)",
                 info->setup.source_object, info->setup.source_detector);
    }
    sino_scan_close(scan);
    if (given->input.follow) return status;
    sino_status_free(status);
    return NULL;
}

/* Distances of a source make a cone beam, also of one row: a fan. */
static SinoStatus tell_geometry(const SinoSettings *given, SinoToldSettings *told)
{
    const SinoGeometrySettings *geometry = &given->geometry;
    if (given->memory || geometry->kind != SINO_GEOMETRY_PARALLEL || geometry->vectors) return NULL;
    if (geometry->source_object_mm <= 0 && geometry->source_detector_mm <= 0) return tell_beam(given, told);
    tell_cone(told);
    snprintf(told->by, sizeof told->by, "a distance of the source");
    return NULL;
}

static SinoStatus tell_header(const SinoSettings *given, SinoToldSettings *told)
{
    SinoScannerHeader header;
    const char *path = given->input.file_name;
    if (!path || given->counts.system_matrix) return NULL;
    if (!sino_scanner_probe(path)) return tell_geometry(given, told);
    SinoStatus status = sino_scanner_read(path, &header);
    if (!needs_white(&given->input)) header.white = 0;
    if (!status) sino_scanner_tell(&header, told);
    sino_scanner_clear(&header);
    return status;
}

const SinoSettingsSources sino_scan_sources = {.header = tell_header, .algorithm = sino_usual_algorithm};
